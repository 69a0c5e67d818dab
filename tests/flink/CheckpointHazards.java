import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.CheckpointStorageLoader;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;
import org.slf4j.LoggerFactory;

/** Prints what a release of Flink makes of hazardous settings of checkpoints: a name, a tab, what came of it. */
public class CheckpointHazards {
    private static final ClassLoader LOADER = CheckpointHazards.class.getClassLoader();
    private static final String ROCKSDB =
            isThere("org.apache.flink.state.rocksdb.RocksDBMemoryConfiguration")
                    ? "org.apache.flink.state.rocksdb."
                    : "org.apache.flink.contrib.streaming.state.";

    public static void main(String[] arguments) throws Exception {
        report("unaligned", () -> unaligned("EXACTLY_ONCE"));
        report("unaligned at least once", () -> unaligned("AT_LEAST_ONCE"));
        report("storage of the JobManager", () -> new JobManagerCheckpointStorage().getMaxStateSize());
        for (String backend : new String[] {"jobmanager", "filesystem", "hashmap", "rocksdb"}) {
            report("storage under " + backend, () -> storage(backend));
        }
        report("from-local alone", () -> local(of("execution.state-recovery.from-local", "true")));
        report("local-backup alone", () -> local(of("execution.checkpointing.local-backup.enabled", "true")));
        report("LEGACY", () ->
                of("execution.state-recovery.claim-mode", "LEGACY").get(StateRecoveryOptions.RESTORE_MODE));
        report("changelog without base path", () -> changelog(new Configuration()));
        report("changelog", () -> changelog(of("state.changelog.dstl.dfs.base-path", "file:///tmp/changelog")));
        report("managed", () -> shared(new Configuration()));
        report("fixed-per-tm", () -> shared(of("state.backend.rocksdb.memory.fixed-per-tm", "1 gb")));
        report("fixed-per-slot and managed", () -> shared(of("state.backend.rocksdb.memory.fixed-per-slot", "1 gb")));
        report("fixed-per-slot and per-tm", () -> shared(of(
                "state.backend.rocksdb.memory.fixed-per-slot", "1 gb",
                "state.backend.rocksdb.memory.fixed-per-tm", "1 gb",
                "state.backend.rocksdb.memory.managed", "false")));
        for (String name : new String[] {"FLASH_SSD_OPTIMIZED", "flash_ssd_optimized", "FLASH_SSD"}) {
            report("predefined " + name, () -> backend(of("state.backend.rocksdb.predefined-options", name)));
        }
        report("block cache", () -> cache(false));
        report("block cache of bounded memory", () -> cache(true));
    }

    /** Whether checkpoints of a job in that mode are unaligned, as the JobManager gets to know it. */
    private static Object unaligned(String mode) throws Exception {
        Configuration settings = of(
                "execution.checkpointing.interval", "1 min", "execution.checkpointing.unaligned.enabled", "true",
                "execution.checkpointing.mode", mode);
        StreamExecutionEnvironment job = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        job.fromSequence(1, 2).print();
        return job.getStreamGraph().getJobGraph().getCheckpointingSettings().getCheckpointCoordinatorConfiguration()
                .isUnalignedCheckpointsEnabled();
    }

    /** Which storage is used where the configuration asks for the file system. */
    private static Object storage(String name) throws Exception {
        Configuration settings = of(
                "state.backend.type", name, "execution.checkpointing.storage", "filesystem",
                "execution.checkpointing.dir", "file:///tmp/checkpoints");
        StateBackend backend = StateBackendLoader.loadStateBackendFromConfig(settings, LOADER, null);
        return CheckpointStorageLoader.load(
                        null, backend, settings, settings, LOADER, LoggerFactory.getLogger("checked"))
                .getClass().getSimpleName();
    }

    private static Object local(Configuration settings) {
        return settings.get(CheckpointingOptions.LOCAL_BACKUP_ENABLED)
                + " "
                + settings.get(StateRecoveryOptions.LOCAL_RECOVERY);
    }

    private static Object changelog(Configuration settings) throws Exception {
        settings.setString("state.changelog.storage", "filesystem");
        return new org.apache.flink.changelog.fs.FsStateChangelogStorageFactory()
                .createStorage(
                        new JobID(), settings, UnregisteredMetricGroups.createUnregisteredTaskManagerJobMetricGroup(),
                        LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED)
                .getClass().getSimpleName();
    }

    /** Whose memory RocksDB shares. */
    private static Object shared(Configuration settings) throws Exception {
        Object memory = call(null, "RocksDBMemoryConfiguration", "fromConfiguration", settings);
        for (Method method : Class.forName(ROCKSDB + "RocksDBSharedResourcesFactory").getDeclaredMethods()) {
            if (method.getName().equals("from")) {
                method.setAccessible(true);
                return method.invoke(null, memory, null);
            }
        }
        throw new NoSuchMethodException("from");
    }

    /** Whether a size of the block cache is heeded: a cache that Flink gives every state overrides it. */
    private static Object cache(boolean bounded) throws Exception {
        RocksDB.loadLibrary();
        Configuration settings = of("state.backend.rocksdb.block.cache-size", "512 mb");
        Object shared = null;
        if (bounded) {
            Cache all = new LRUCache(1 << 20);
            Object resources = made(
                    "RocksDBSharedResources", all, new WriteBufferManager(1 << 20, all), 1L << 20, false);
            shared = new OpaqueMemoryResource<>((AutoCloseable) resources, 1L << 20, () -> {});
        }
        Object options = Class.forName(ROCKSDB + "PredefinedOptions").getField("DEFAULT").get(null);
        Object container = made("RocksDBResourceContainer", settings, options, null, shared, null, false);
        ColumnFamilyOptions columns =
                (ColumnFamilyOptions) call(container, "RocksDBResourceContainer", "getColumnOptions");
        Field used = BlockBasedTableConfig.class.getDeclaredField("blockCache");
        used.setAccessible(true);
        return used.get(columns.tableFormatConfig()) == null ? "heeded" : "not heeded";
    }

    private static Object made(String name, Object... arguments) throws Exception {
        for (Constructor<?> one : Class.forName(ROCKSDB + name).getDeclaredConstructors()) {
            if (one.getParameterCount() == arguments.length) {
                one.setAccessible(true);
                return one.newInstance(arguments);
            }
        }
        throw new NoSuchMethodException(name);
    }

    private static Object backend(Configuration settings) throws Exception {
        Object factory = Class.forName(ROCKSDB + "EmbeddedRocksDBStateBackendFactory").getConstructor().newInstance();
        Object backend = factory.getClass().getMethod("createFromConfig", ReadableConfig.class, ClassLoader.class)
                .invoke(factory, settings, LOADER);
        return backend.getClass().getMethod("getPredefinedOptions").invoke(backend);
    }

    private static Object call(Object on, String owner, String name, Object... arguments) throws Exception {
        for (Method method : Class.forName(ROCKSDB + owner).getDeclaredMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
                method.setAccessible(true);
                return method.invoke(on, arguments);
            }
        }
        throw new NoSuchMethodException(name);
    }

    private static Configuration of(String... pairs) {
        Configuration settings = new Configuration();
        for (int i = 0; i < pairs.length; i += 2) {
            settings.setString(pairs[i], pairs[i + 1]);
        }
        return settings;
    }

    private static boolean isThere(String name) {
        try {
            return Class.forName(name) != null;
        } catch (ClassNotFoundException missing) {
            return false;
        }
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
