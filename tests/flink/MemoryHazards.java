import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.core.plugin.DirectoryBasedPluginFinder;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.util.config.memory.ManagedMemoryUtils;
import org.apache.flink.runtime.webmonitor.history.HistoryServer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentInternal;
import org.apache.flink.util.CloseableIterator;

/** Prints what a release of Flink makes of hazardous settings of memory and of the JVM: a name, a tab, what came of it. */
public class MemoryHazards {
    private static final ClassLoader LOADER = MemoryHazards.class.getClassLoader();

    /** The arguments are names of classes, of each of which it prints whether it is there. */
    public static void main(String[] arguments) throws Exception {
        report("state without managed memory", MemoryHazards::handedToState);
        report("batch with managed memory", () -> rows("BATCH", "64m"));
        report("batch without managed memory", () -> rows("BATCH", "0"));
        report("stream without managed memory", () -> rows("STREAMING", "0"));
        report("share of Python", () -> shareOfPython("OPERATOR:70,STATE_BACKEND:70,PYTHON:30"));
        report("share of Python without weight", () -> shareOfPython("OPERATOR:70,STATE_BACKEND:70"));
        report("share of Python of weight 0", () -> shareOfPython("OPERATOR:70,STATE_BACKEND:70,PYTHON:0"));
        report("patterns replaced", () -> isParentFirst("classloader.parent-first-patterns.default"));
        report("patterns added", () -> isParentFirst("classloader.parent-first-patterns.additional"));
        report("jars in plugins", MemoryHazards::plugins);
        for (String number : new String[] {"-1", "0", "-2", "1000"}) {
            report("retained jobs " + number, () -> historyServer(number));
        }
        for (String duration : new String[] {"30 s", "0", "2 min"}) {
            report("interval during backlog " + duration, () -> backlog(duration));
        }
        TableEnvironmentInternal tables = (TableEnvironmentInternal)
                TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        for (String statement : new String[] {
            "SET 'a.b' = 'c d'", "SET a.b = c", "SET a.b = 'c d'", "SET a.b = c d", "SET 'a.b' = c"
        }) {
            report(statement, () -> tables.getParser().parse(statement).get(0).asSummaryString());
        }
        for (String name : arguments) {
            report(name, () -> Class.forName(name, false, LOADER).getSimpleName());
        }
        System.exit(0);
    }

    /** The bytes that a state backend gets of managed memory of which there is none. */
    private static Object handedToState() throws Exception {
        long[] handed = {-1};
        MemoryManager.create(0, MemoryManager.DEFAULT_PAGE_SIZE)
                .getSharedMemoryResourceForManagedMemory("state", size -> { handed[0] = size; return () -> {}; }, 1.0);
        return handed[0];
    }

    /** Whether an aggregation over a join gives rows where TaskManagers have so much managed memory. */
    private static Object rows(String mode, String managed) throws Exception {
        Configuration settings = of(
                "execution.runtime-mode", mode, "taskmanager.memory.managed.size", managed, "parallelism.default", "1");
        TableEnvironment tables = TableEnvironment.create(
                EnvironmentSettings.newInstance().withConfiguration(settings).build());
        int rows = 0;
        String values = "(VALUES (1, 'a'), (2, 'b'), (1, 'c')) AS %s (k, v)";
        String query = "SELECT l.k, COUNT(*) FROM " + String.format(values, "l") + " JOIN "
                + String.format(values, "r") + " ON l.k = r.k GROUP BY l.k";
        try (CloseableIterator<?> found = tables.executeSql(query).collect()) {
            while (found.hasNext()) {
                found.next();
                rows++;
            }
        } catch (Exception failed) {
            Throwable cause = failed;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw new IllegalStateException(cause);
        }
        return rows > 0 ? "ran" : "gave nothing";
    }

    private static Object shareOfPython(String weights) {
        Configuration settings = of("taskmanager.memory.managed.consumer-weights", weights);
        return ManagedMemoryUtils.convertToFractionOfSlot(
                ManagedMemoryUseCase.PYTHON, 1.0,
                Set.of(ManagedMemoryUseCase.STATE_BACKEND, ManagedMemoryUseCase.PYTHON),
                new Configuration(), settings, Optional.of(true), LOADER);
    }

    /** Whether Java's own classes and Flink's are still loaded from the parent. */
    private static Object isParentFirst(String key) {
        String[] patterns = CoreOptions.getParentFirstLoaderPatterns(of(key, "com.acme."));
        return Arrays.asList(patterns).containsAll(Set.of("java.", "org.apache.flink."));
    }

    /** What is found of a jar in plugins/ itself and of one in a folder of its own. */
    private static Object plugins() throws Exception {
        Path folder = Files.createTempDirectory("plugins");
        Files.createFile(folder.resolve("flink-gs-fs-hadoop.jar"));
        Files.createFile(Files.createDirectory(folder.resolve("azure")).resolve("flink-azure-fs-hadoop.jar"));
        return new DirectoryBasedPluginFinder(folder).findPlugins().size();
    }

    private static Object historyServer(String retained) throws Exception {
        Path folder = Files.createTempDirectory("archive");
        new HistoryServer(of(
                "historyserver.archive.fs.dir", folder.toUri().toString(),
                "historyserver.archive.retained-jobs", retained));
        return "taken";
    }

    /** The interval that a job uses for the time in which its sources work off a backlog. */
    private static Object backlog(String duration) throws Exception {
        StreamExecutionEnvironment job = StreamExecutionEnvironment.getExecutionEnvironment(of(
                "execution.checkpointing.interval", "1 min",
                "execution.checkpointing.interval-during-backlog", duration));
        job.fromSequence(1, 2).print();
        long told = job.getStreamGraph().getJobGraph().getCheckpointingSettings()
                .getCheckpointCoordinatorConfiguration().getCheckpointIntervalDuringBacklog();
        return told == Long.MAX_VALUE ? "never" : told;
    }

    private static Configuration of(String... pairs) {
        Configuration settings = new Configuration();
        for (int i = 0; i < pairs.length; i += 2) {
            settings.setString(pairs[i], pairs[i + 1]);
        }
        return settings;
    }

    private static void report(String name, Callable<Object> question) {
        Object answer;
        try {
            answer = question.call();
        } catch (Throwable thrown) {
            Throwable cause = thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
            answer = "!" + cause.getClass().getSimpleName() + " " + cause.getMessage();
        }
        System.out.println(name + "\t" + String.valueOf(answer).replace("\n", " "));
    }
}
