import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.configuration.Configuration;

/** Asks how Flink takes checkpoints of a job, keeps its state, and restores it, for {@link Oracle}. */
public final class StateProbes {
    private static final String CHECKPOINT = Oracle.RUNTIME + "checkpoint.";

    private StateProbes() {}

    /** A type that Flink has a serializer of its own for. */
    public static final class Order {
        public long id;
        public String user;
    }

    /** How the JobManager takes the checkpoints of a job. */
    static Object checkpoints(Configuration settings) throws Exception {
        Object made = coordinator(graphOf(settings));
        return "every " + Oracle.on(made, "getCheckpointInterval") + " ms for " + Oracle.on(made, "getCheckpointTimeout")
                + " ms, " + Oracle.on(made, "getCheckpointRetentionPolicy") + ", "
                + Oracle.on(made, "getTolerableCheckpointFailureNumber") + " may fail";
    }

    /** What the barriers of a job's checkpoints say about alignment. */
    static Object barriers(Configuration settings) throws Exception {
        Object made = coordinator(graphOf(settings));
        Object place = Oracle.call(Oracle.RUNTIME + "state.CheckpointStorageLocationReference", "getDefault");
        Object options = Oracle.call(
                CHECKPOINT + "CheckpointOptions", "forConfig", Oracle.constant(CHECKPOINT + "CheckpointType", "CHECKPOINT"),
                place, Oracle.on(made, "isExactlyOnce"), Oracle.on(made, "isUnalignedCheckpointsEnabled"),
                Oracle.on(made, "getAlignedCheckpointTimeout"));
        return Oracle.on(options, "getAlignment") + " for " + Oracle.on(options, "getAlignedCheckpointTimeout") + " ms";
    }

    /** From what and how a job that is submitted is restored. */
    static Object restore(Configuration settings) throws Exception {
        return Oracle.on(graphOf(settings), "getSavepointRestoreSettings");
    }

    /** How many completed checkpoints the JobManager keeps. */
    static Object retained(Configuration settings) throws Exception {
        String utils = CHECKPOINT + "DefaultCompletedCheckpointStoreUtils";
        if (Oracle.isThere(utils) && Oracle.hasMethod(utils, "getMaximumNumberOfRetainedCheckpoints")) {
            return Oracle.call(utils, "getMaximumNumberOfRetainedCheckpoints", settings, Oracle.LOGGER) + " kept";
        }
        Object store = Oracle.call(
                Oracle.RUNTIME + "scheduler.SchedulerUtils", "createCompletedCheckpointStore", settings, Oracle.LOADER,
                Oracle.create(CHECKPOINT + "StandaloneCheckpointRecoveryFactory"), Oracle.LOGGER,
                Oracle.create("org.apache.flink.api.common.JobID"));
        return Oracle.on(store, "getMaxNumberOfRetainedCheckpoints") + " kept";
    }

    /** The serializer of a type that Flink knows how to take apart. */
    static Object serializer(Configuration settings) throws Exception {
        Object type = Oracle.call("org.apache.flink.api.common.typeinfo.TypeInformation", "of", Order.class);
        Object config = Oracle.on(Oracle.environmentOf(settings), "getConfig");
        Object made;
        try {
            made = Oracle.on(type, "createSerializer", config);
        } catch (Oracle.NotThere since2) {
            made = Oracle.on(type, "createSerializer", Oracle.on(config, "getSerializerConfig"));
        }
        return made.getClass().getSimpleName();
    }

    /** Where a TaskManager keeps the changelog of the state. */
    static Object changelog(Configuration settings) throws Exception {
        String loader = Oracle.RUNTIME + "state.changelog.StateChangelogStorageLoader";
        Oracle.call(loader, "initialize", Oracle.call(
                "org.apache.flink.core.plugin.PluginUtils", "createPluginManagerFromRootFolder", settings));
        Object job = Oracle.create("org.apache.flink.api.common.JobID");
        Object metrics = Oracle.call(
                Oracle.RUNTIME + "metrics.groups.UnregisteredMetricGroups", "createUnregisteredTaskManagerJobMetricGroup");
        Object made;
        try {
            List<Object> given = new ArrayList<>(Arrays.asList(job, settings, metrics));
            String local = Oracle.RUNTIME + "state.LocalRecoveryConfig";
            if (Oracle.hasMethod(local, "isLocalBackupEnabled")) {
                given.add(Oracle.constant(local, "BACKUP_AND_RECOVERY_DISABLED"));
            }
            made = Oracle.call(loader, "load", given.toArray());
        } catch (Oracle.NotThere before116) {
            made = Oracle.call(loader, "load", settings, metrics);
        }
        ((AutoCloseable) made).close();
        return made.getClass().getSimpleName();
    }

    /** Whether the state backend takes managed memory. */
    static Object managedMemory(Configuration settings) throws Exception {
        return (Boolean) Oracle.on(backend(settings), "useManagedMemory") ? "managed memory" : "no managed memory";
    }

    /** Where RocksDB keeps timers and files, and what bounds its memory. */
    static Object rocksDb(Configuration settings) throws Exception {
        Object made = Oracle.on(backend(settings), "configure", settings, Oracle.LOADER);
        return "timers " + Oracle.on(made, "getPriorityQueueStateType") + ", files in "
                + Arrays.toString((Object[]) Oracle.on(made, "getDbStoragePaths")) + ", " + memory(made, settings);
    }

    private static String memory(Object backend, Configuration settings) throws Exception {
        Object given = Oracle.on(backend, "getMemoryConfiguration");
        String factory = backend.getClass().getPackage().getName() + ".RocksDBSharedResourcesFactory";
        if (Oracle.isThere(factory)) {
            Object process = Processes.proxy(
                    Oracle.RUNTIME + "taskmanager.TaskManagerRuntimeInfo", (self, method, arguments) -> settings);
            Object task = Processes.proxy(Oracle.RUNTIME + "execution.Environment", (self, method, arguments) -> process);
            Object made = Oracle.call(factory, "from", given, task);
            return made == null ? "UNBOUNDED" : made.toString();
        }
        return (Boolean) Oracle.on(given, "isUsingFixedMemoryPerSlot") ? "SLOT_SHARED_UNMANAGED"
                : (Boolean) Oracle.on(given, "isUsingManagedMemory") ? "SLOT_SHARED_MANAGED" : "UNBOUNDED";
    }

    /** The cache of a state in RocksDB whose memory is bounded. */
    static Object rocksDbCache(Configuration settings) throws Exception {
        Object made = Oracle.on(backend(settings), "configure", settings, Oracle.LOADER);
        String package_ = made.getClass().getPackage().getName() + ".";
        Oracle.type("org.rocksdb.RocksDB").getMethod("loadLibrary").invoke(null);
        Object resource = null;
        if (!memory(made, settings).equals("UNBOUNDED")) {
            List<Object> sizes = new ArrayList<>(Arrays.asList(256L << 20, 0.5, 0.1));
            String utils = package_ + "RocksDBMemoryControllerUtils";
            if (Oracle.isThere(utils + "$RocksDBMemoryFactory")) {
                sizes.add(false);
                sizes.add(Oracle.constant(utils + "$RocksDBMemoryFactory", "DEFAULT"));
            }
            Object shared;
            try {
                shared = Oracle.call(utils, "allocateRocksDBSharedResources", sizes.toArray());
            } catch (Oracle.NotThere since114) {
                sizes.add(false);
                shared = Oracle.call(utils, "allocateRocksDBSharedResources", sizes.toArray());
            }
            Object nothing = Processes.proxy(
                    "org.apache.flink.util.function.ThrowingRunnable", (self, method, arguments) -> null);
            resource = Oracle.create(Oracle.RUNTIME + "memory.OpaqueMemoryResource", shared, 256L << 20, nothing);
        }
        Object table = Oracle.on(Oracle.on(container(made, resource), "getColumnOptions"), "tableFormatConfig");
        for (Field field : table.getClass().getDeclaredFields()) {
            if (field.getName().matches("blockCache_?")) {
                field.setAccessible(true);
                return field.get(table) == null ? "its own of " + Oracle.on(table, "blockCacheSize") : "that of all states";
            }
        }
        throw new Oracle.NotThere("no cache of blocks");
    }

    private static Object container(Object backend, Object resource) throws Exception {
        for (Method method : backend.getClass().getDeclaredMethods()) {
            if (method.getName().equals("createOptionsAndResourceContainer") && method.getParameterCount() != 0
                    && method.getParameterTypes()[0].getSimpleName().equals("OpaqueMemoryResource")) {
                method.setAccessible(true);
                return method.getParameterCount() == 1
                        ? method.invoke(backend, resource) : method.invoke(backend, resource, null, false);
            }
        }
        throw new Oracle.NotThere("no memory that is shared");
    }

    /** Whether RocksDB's share of a slot's memory has room for a write buffer. */
    static Object writeBuffers(Configuration settings) throws Exception {
        Object made = Oracle.on(backend(settings), "configure", settings, Oracle.LOADER);
        String package_ = made.getClass().getPackage().getName() + ".";
        String utils = package_ + "RocksDBMemoryControllerUtils";
        Object size = Oracle.on(settings, "get", Oracle.constant(package_ + "RocksDBConfigurableOptions", "WRITE_BUFFER_SIZE"));
        Object ratio = Oracle.on(Oracle.on(made, "getMemoryConfiguration"), "getWriteBufferRatio");
        Object memory = Oracle.on(Parts.slot(settings), "getManagedMemory");
        Object capacity = Oracle.call(
                utils, "calculateWriteBufferManagerCapacity", Oracle.on(memory, "getBytes"), ratio);
        Object bytes = size == null ? (Object) (64L << 20) : Oracle.on(size, "getBytes"); // the default of RocksDB
        Object block = Oracle.call(utils, "calculateRocksDBDefaultArenaBlockSize", bytes);
        Object limit = Oracle.call(utils, "calculateRocksDBMutableLimit", capacity);
        return (Boolean) Oracle.call(utils, "validateArenaBlockSize", block, limit) ? "it fits" : "flushes all the time";
    }

    private static Object backend(Configuration settings) throws Exception {
        return Oracle.call(
                Oracle.RUNTIME + "state.StateBackendLoader", "loadStateBackendFromConfig", settings, Oracle.LOADER,
                Oracle.LOGGER);
    }

    private static Object graphOf(Configuration settings) throws Exception {
        return Oracle.on(Oracle.on(Oracle.jobOf(settings), "getStreamGraph"), "getJobGraph");
    }

    private static Object coordinator(Object graph) throws Exception {
        return Oracle.on(Oracle.on(graph, "getCheckpointingSettings"), "getCheckpointCoordinatorConfiguration");
    }
}
