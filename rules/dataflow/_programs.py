"""Programs for the cases of rules about the functions of a job."""

_JOB = """import java.util.*;
import java.util.concurrent.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
%s
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.addSource(new Orders()).uid("orders")%s;
    env.execute("orders");
  }
%s
}
"""


def java_job(classes: str, stream: str = ".map(new Enrich()).addSink(sink)", imports: str = "") -> str:
    """Return a Java program with the given operators, classes and imports."""
    return _JOB % (imports, stream, classes)
