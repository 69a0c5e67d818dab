import java.io.File;
import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.configuration.Configuration;

/**
 * Builds what a process makes of its configuration before it serves, one part after another, for {@link Oracle}.
 *
 * <p>A whole process takes two seconds, most of which its RPC system needs; {@link Processes} starts one.
 */
final class Parts {
    private static final String RUNTIME = "org.apache.flink.runtime.";

    private Parts() {}

    private interface Part {
        void build() throws Exception;
    }

    /** Builds each part that the release has. */
    private static Object built(Part... parts) throws Exception {
        int count = 0;
        for (Part part : parts) {
            try {
                part.build();
                count++;
            } catch (Oracle.NotThere missing) {
                // another release has it
            }
        }
        return count + " parts";
    }

    static Object jobManager(Configuration given) throws Exception {
        Configuration settings = new Configuration(given);
        Processes.provide(settings, "jobmanager.rpc.address", "localhost");
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(1);
        try {
            return built(
                    () -> Oracle.call("org.apache.flink.core.fs.FileSystem", "initialize", settings),
                    () -> Oracle.call("org.apache.flink.core.fs.FileSystem", "getDefaultFsUri"),
                    () -> Oracle.call(RUNTIME + "entrypoint.ClusterEntrypointUtils", "getPoolSize", settings),
                    () -> ((AutoCloseable) blobServer(settings)).close(),
                    () -> jobStore(settings, threads),
                    () -> Oracle.call(RUNTIME + "heartbeat.HeartbeatServices", "fromConfiguration", settings),
                    () -> Oracle.call(RUNTIME + "rest.RestServerEndpointConfiguration", "fromConfiguration", settings),
                    () -> Oracle.call(RUNTIME + "rest.handler.RestHandlerConfiguration", "fromConfiguration", settings),
                    () -> Oracle.call(
                            RUNTIME + "rest.handler.legacy.metrics.MetricFetcherImpl", "fromConfiguration", settings,
                            retriever("MetricQueryServiceRetriever"), retriever("GatewayRetriever"), threads),
                    () -> Oracle.create(RUNTIME + "util.profiler.ProfilingService", settings),
                    () -> Oracle.call(
                            RUNTIME + "dispatcher.HistoryServerArchivist", "createHistoryServerArchivist", settings,
                            threads),
                    () -> classLoading(settings),
                    () -> Oracle.call(RUNTIME + "jobmaster.JobMasterConfiguration", "fromConfiguration", settings),
                    () -> security(settings));
        } finally {
            threads.shutdownNow();
        }
    }

    static Object taskManager(Configuration given) throws Exception {
        Configuration settings = new Configuration(given);
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(1);
        String package_ = RUNTIME + "taskexecutor.";
        try {
            Oracle.call(package_ + "TaskExecutorResourceUtils", "adjustForLocalExecution", settings);
            Object memory = Oracle.call(package_ + "TaskExecutorResourceUtils", "resourceSpecFromConfig", settings);
            Object name = Oracle.create(RUNTIME + "clusterframework.types.ResourceID", "oracle");
            return built(
                    () -> first(
                            package_ + "TaskManagerConfiguration", "fromConfiguration",
                            new Object[] {settings, memory, "localhost", new File(".")},
                            new Object[] {settings, memory, "localhost"}),
                    () -> services(settings, name, memory),
                    () -> shuffle(settings, name, threads),
                    () -> classLoading(settings));
        } finally {
            threads.shutdownNow();
        }
    }

    private static Object services(Configuration settings, Object name, Object memory) throws Exception {
        return first(
                RUNTIME + "taskexecutor.TaskManagerServicesConfiguration", "fromConfiguration",
                new Object[] {settings, name, "localhost", false, memory, workingDirectory()},
                new Object[] {settings, name, "localhost", false, memory});
    }

    /** Whether a TaskManager makes local copies of state, and restores from them. */
    static Object localRecovery(Configuration given) throws Exception {
        Configuration settings = new Configuration(given);
        String utils = RUNTIME + "taskexecutor.TaskExecutorResourceUtils";
        Oracle.call(utils, "adjustForLocalExecution", settings);
        Object memory = Oracle.call(utils, "resourceSpecFromConfig", settings);
        Object name = Oracle.create(RUNTIME + "clusterframework.types.ResourceID", "oracle");
        Object made = services(settings, name, memory);
        return "copies " + Oracle.on(made, "isLocalBackupEnabled") + ", restores " + Oracle.on(made, "isLocalRecoveryEnabled");
    }

    /** What each slot of a TaskManager has, with the memory that the start script derives. */
    static Object slot(Configuration given) throws Exception {
        Configuration settings = new Configuration(given);
        Processes.deriveMemory(settings);
        String utils = RUNTIME + "taskexecutor.TaskExecutorResourceUtils";
        Object memory = Oracle.call(utils, "resourceSpecFromConfig", settings);
        Object slots = Oracle.on(settings, "get", Oracle.option("TaskManagerOptions", "NUM_TASK_SLOTS"));
        return Oracle.call(utils, "generateDefaultSlotResourceProfile", memory, slots);
    }

    private static Object workingDirectory() throws Exception {
        String owner = RUNTIME + "entrypoint.WorkingDirectory";
        return Oracle.isThere(owner) ? Oracle.call(owner, "create", new File("working")) : null;
    }

    /** The server, client and buffers of a TaskManager's data. */
    private static void shuffle(Configuration settings, Object name, ScheduledExecutorService threads) throws Exception {
        Object configuration = Oracle.call(
                RUNTIME + "taskmanager.NettyShuffleEnvironmentConfiguration", "fromConfiguration", settings,
                Oracle.call("org.apache.flink.configuration.MemorySize", "parse", "64mb"), false,
                java.net.InetAddress.getLoopbackAddress());
        Object events = Oracle.create(RUNTIME + "io.network.TaskEventDispatcher");
        Object metrics = Oracle.create("org.apache.flink.metrics.groups.UnregisteredMetricsGroup");
        ExecutorService plain = Executors.newFixedThreadPool(1);
        try {
            Object made = first(
                    RUNTIME + "io.network.NettyShuffleServiceFactory", "createNettyShuffleEnvironment",
                    new Object[] {configuration, name, events, metrics, plain, scheduled(threads), 1, new String[] {"/tmp"}},
                    new Object[] {configuration, name, events, metrics, plain, 1, new String[] {"/tmp"}},
                    new Object[] {configuration, name, events, metrics, plain},
                    new Object[] {configuration, name, events, metrics});
            Oracle.on(made, "start");
            ((AutoCloseable) made).close();
        } finally {
            plain.shutdownNow();
        }
    }

    /** Calls the first of the forms that a static method has had in the releases. */
    private static Object first(String owner, String name, Object[]... forms) throws Exception {
        for (Object[] given : forms) {
            for (Method method : Oracle.type(owner).getDeclaredMethods()) {
                Object[] fitting = method.getName().equals(name) ? Oracle.fitting(method, given) : null;
                if (fitting != null && fitting.length == given.length) {
                    method.setAccessible(true);
                    return method.invoke(null, fitting);
                }
            }
        }
        throw new Oracle.NotThere("no method " + owner + "." + name);
    }

    private static Object retriever(String name) throws Exception {
        return Processes.proxy(RUNTIME + "webmonitor.retriever." + name, (self, method, arguments) -> null);
    }

    private static Object scheduled(ScheduledExecutorService threads) throws Exception {
        String package_ = "org.apache.flink.";
        String adapter = "ScheduledExecutorServiceAdapter";
        boolean isNew = Oracle.isThere(package_ + "util.concurrent." + adapter);
        return Oracle.create(package_ + (isNew ? "" : "runtime.") + (isNew ? "util." : "") + "concurrent." + adapter, threads);
    }

    private static Object blobServer(Configuration settings) throws Exception {
        Object store = Oracle.create(RUNTIME + "blob.VoidBlobStore");
        try {
            return Oracle.create(RUNTIME + "blob.BlobServer", settings, store);
        } catch (Oracle.NotThere since115) {
            return Oracle.create(RUNTIME + "blob.BlobServer", settings, new File("blobs"), store);
        }
    }

    private static void jobStore(Configuration settings, ScheduledExecutorService threads) throws Exception {
        Object process = Oracle.create(RUNTIME + "entrypoint.StandaloneSessionClusterEntrypoint", settings);
        Object store;
        try {
            store = Oracle.on(process, "createSerializableExecutionGraphStore", settings, scheduled(threads));
        } catch (Oracle.NotThere since23) {
            store = Oracle.on(process, "createArchivedApplicationStore", settings, scheduled(threads));
        }
        ((AutoCloseable) store).close();
    }

    private static void classLoading(Configuration settings) throws Exception {
        String order = settings.toMap().getOrDefault("classloader.resolve-order", "child-first");
        String owner = "FlinkUserCodeClassLoaders$ResolveOrder";
        boolean isOld = Oracle.isThere(RUNTIME + "execution.librarycache." + owner);
        Oracle.call((isOld ? RUNTIME + "execution.librarycache." : "org.apache.flink.util.") + owner, "fromString", order);
    }

    private static void security(Configuration settings) throws Exception {
        Object configuration = Oracle.create(RUNTIME + "security.SecurityConfiguration", settings);
        Oracle.call(RUNTIME + "security.SecurityUtils", "installModules", configuration);
        Oracle.call(RUNTIME + "security.SecurityUtils", "installContext", configuration);
        Oracle.call(RUNTIME + "security.SecurityUtils", "uninstall");
    }
}
