import java.lang.reflect.Field;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Shows what a program has made of its connectors, to the program itself: the probe runs it beside this class. */
public final class JobFields {
    private JobFields() {}

    /** Prints the fields of the connectors of a job whose <code>Class.name=value</code> contain a text. */
    public static void show(StreamExecutionEnvironment job, String text) throws Exception {
        Field parts = StreamExecutionEnvironment.class.getDeclaredField("transformations");
        parts.setAccessible(true);
        Set<String> found = new TreeSet<>();
        SqlProbes.addFields(parts.get(job), found);
        found.removeIf(one -> !one.contains(text));
        System.out.println("shows " + String.join(" ", found));
    }
}
