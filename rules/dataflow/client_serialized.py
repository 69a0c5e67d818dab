"""A function is serialized with an object that Java cannot serialize.

## What it does
Looks at fields of functions, sources and sinks that are neither static nor transient and are given a client where they
are declared: a Kafka producer, an HTTP or Redis client, a connection pool, a thread pool; `Gson`, `DateTimeFormatter`
or a table environment too. And at lambdas and anonymous classes that use such a variable of the method around them,
or an `ObjectMapper` with the module `DefaultScalaModule`.

## Why it matters
Flink makes a function once, where the job is submitted, and sends it to the subtasks in serialized form. Connections
and threads cannot be sent: the submission fails with `InvalidProgramException: The implementation of the
RichMapFunction is not serializable. The object probably contains or references non serializable fields`, or, of a
lambda, with `Object ... is not serializable` or `Task not serializable`, caused by
`java.io.NotSerializableException`.

## What to do
Declare the field `transient`, and make the client in `open`; in Scala, `@transient lazy val`. Turn a lambda into a
rich function for it.

## Not when
The field is transient, static or made in `open`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/user_defined_functions/#rich-functions>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK461",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:serialized-client"],
    flink=">=1.0",
    since="0.1",
)
def client_serialized(config: View) -> Iterator[Finding]:
    """a function is serialized with an object that Java cannot serialize"""
    for client in config.elements("serialized-client"):
        if client.has("captured"):
            yield client.finding(
                f"the function takes {client.name} with it, and Java cannot serialize {client.text('made')}: the job is"
                " refused (NotSerializableException)",
                help="make it in open() of a rich function, in a transient field (Scala: @transient lazy val)",
            )
            continue
        yield client.finding(
            f"{client.text('made')} is made with the function and serialized with it: the job is refused, as"
            f" {client.name} is not serializable",
            help="declare the field transient and make the client in open()",
        )


_FUNCTION = """  static class Send extends RichSinkFunction<String> {
    private %s;
    %s
    @Override public void invoke(String in, Context context) { send(in); }
  }"""
_STREAM = '.addSink(new Send()).uid("send")'


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.concurrent.*;
import org.apache.flink.api.common.functions.RichMapFunction;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements("a").map(new Send()).print();
    env.execute();
  }
  static class Send extends RichMapFunction<String, String> {
    private %sExecutorService pool = Executors.newFixedThreadPool(1);
    @Override public String map(String in) { return in; }
  }
}
"""


_CAPTURED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.api.common.typeinfo.Types;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DateTimeFormatter f = DateTimeFormatter.ISO_DATE;
    LocalDate day = LocalDate.of(2024, 1, 1);
    env.fromElements("a").map(%s -> %s).returns(Types.STRING).print();
    env.execute();
  }
}
"""
_SCALA = """import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import org.apache.flink.streaming.api.scala._
object JsonJob {
  def main(args: Array[String]): Unit = {
    val env = StreamExecutionEnvironment.getExecutionEnvironment
    %s mapper = new ObjectMapper
    mapper.registerModule(%s)
    env.socketTextStream("gw", 9000).map(line => mapper.readTree(line).size).print()
    env.execute("json")
  }
}
"""
_ANONYMOUS = """new MapFunction<String, String>() {
      @Override public String map(String in) { return gson.toJson(in); }
    }"""


def _captures(what: str, function: str) -> str:
    return java_job("", stream=f";\n    {what};\n    env.addSource(new Orders()).map({function}).print()")


def claims() -> list[Claim]:
    return [
        flink_fails("program", _CLAIMED % "", good=_CLAIMED % "transient ", releases=">=1.20"),
        flink_fails("program", _CAPTURED % ("o", "f.format(day)"), good=_CAPTURED % ("o", "o"), releases=">=1.20"),
    ]


def cases() -> list[Case]:
    return [
        bad(
            java_job(_FUNCTION % ("final OkHttpClient http = new OkHttpClient()", ""), stream=_STREAM),
            file="Job.java", at="http", severity=Severity.WARNING, says="new OkHttpClient",
        ),
        bad(
            java_job(_FUNCTION % ("ExecutorService pool = Executors.newFixedThreadPool(8)", ""), stream=_STREAM),
            file="Job.java",
        ),
        bad(
            java_job(_FUNCTION % ("final Gson gson = new Gson()", ""), stream=_STREAM), file="Job.java",
            says="new Gson",
        ),
        bad(
            _captures('DateTimeFormatter day = DateTimeFormatter.ofPattern("yyyy-MM-dd")', "o -> day.format(o.date)"),
            file="Job.java", at="day", says="Java cannot serialize DateTimeFormatter",
        ),
        bad(_captures("Gson gson = new Gson()", _ANONYMOUS), file="Job.java", says="takes gson with it"),
        bad(_SCALA % ("val", "DefaultScalaModule"), file="JsonJob.scala", says="ObjectMapper with Scala's module"),
        good(_SCALA % ("lazy val", "DefaultScalaModule"), file="JsonJob.scala"),
        good(_SCALA % ("val", "new JavaTimeModule"), file="JsonJob.scala"),
        good(_captures("ObjectMapper json = new ObjectMapper()", "o -> json.writeValueAsString(o)"), file="Job.java"),
        good(_captures("Gson gson = new Gson(); gson.toJson(args)", "o -> new Gson().toJson(o)"), file="Job.java"),
        good(
            java_job(_FUNCTION % ("transient OkHttpClient http = new OkHttpClient()", ""), stream=_STREAM),
            file="Job.java",
        ),
        good(
            java_job(
                _FUNCTION % ("OkHttpClient http", "public void open(Configuration c) { http = new OkHttpClient(); }"),
                stream=_STREAM,
            ),
            file="Job.java",
        ),
    ]  # fmt: skip
