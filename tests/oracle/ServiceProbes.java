import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.flink.configuration.Configuration;

/** Asks for the objects that processes of Flink build of their configuration. */
final class ServiceProbes {
    private static final String KUBERNETES = "org.apache.flink.kubernetes.";

    private ServiceProbes() {}

    /** Where the checkpoints of a job go, and up to which size state goes into their metadata. */
    static Object checkpointStorage(Configuration settings) throws Exception {
        String package_ = Oracle.RUNTIME + "state.";
        Object backend = Oracle.call(
                package_ + "StateBackendLoader", "loadStateBackendFromConfig", settings, Oracle.LOADER, Oracle.LOGGER);
        Object made = backend;
        if (Oracle.isThere(package_ + "CheckpointStorageLoader")) {
            if (backend == null) {
                backend = Oracle.create(package_ + "hashmap.HashMapStateBackend");
            }
            Class<?> loader = Oracle.type(package_ + "CheckpointStorageLoader");
            made = load(loader, Oracle.type(package_ + "StateBackend"), backend, settings);
        }
        if (made == null) {
            return "the default";
        }
        StringBuilder shown = new StringBuilder(made.getClass().getSimpleName());
        for (String part : new String[] {"getCheckpointPath", "getSavepointPath", "getMinFileSizeThreshold"}) {
            try {
                shown.append(' ').append(Oracle.on(made, part));
            } catch (Oracle.NotThere none) {
                // of the JobManager's storage
            }
        }
        return shown;
    }

    /** Calls `load`, without what an application may bring: some backends are storage, too. */
    private static Object load(Class<?> loader, Class<?> stateBackend, Object backend, Configuration settings)
            throws Exception {
        Method load = Arrays.stream(loader.getDeclaredMethods())
                .filter(method -> method.getName().equals("load")).findFirst().get();
        Class<?>[] types = load.getParameterTypes();
        Object[] given = new Object[types.length];
        for (int place = 0; place < types.length; place++) {
            given[place] = types[place] == stateBackend ? backend
                    : types[place] == Configuration.class ? settings
                    : types[place] == ClassLoader.class ? Oracle.LOADER
                    : types[place].isInstance(Oracle.LOGGER) ? Oracle.LOGGER : null;
        }
        return load.invoke(null, given);
    }

    /** The names of the reporters that are loaded; `TestReporter` is one that a user could have. */
    static Object reporters(Configuration settings) throws Exception {
        String package_ = Oracle.RUNTIME + "metrics.ReporterSetup";
        List<?> made;
        if (Oracle.isThere(package_ + "Builder")) {
            Function<Configuration, Object> all = given -> null;
            Object builder = Oracle.constant(package_ + "Builder", "METRIC_SETUP_BUILDER");
            Method from = Arrays.stream(builder.getClass().getMethods())
                    .filter(method -> method.getName().equals("fromConfiguration")).findFirst().get();
            made = (List<?>) from.invoke(builder, settings, all, null);
        } else {
            made = (List<?>) Oracle.call(package_, "fromConfiguration", settings);
        }
        List<String> names = new ArrayList<>();
        for (Object one : made) {
            Object reporter = Oracle.on(one, "getReporter");
            names.add(Oracle.on(one, "getName") + "=" + reporter.getClass().getSimpleName());
            Oracle.on(reporter, "close"); // what it serves has a port
        }
        return new TreeSet<>(names);
    }

    /** Creates the reporters as a process does, which only logs why it has none; fails if one is missing. */
    static Object reporter(Configuration settings) throws Exception {
        Set<String> wanted = new TreeSet<>();
        for (String key : settings.toMap().keySet()) {
            String[] parts = key.split("\\.");
            if (parts.length > 3 && key.startsWith("metrics.reporter.")) {
                wanted.add(parts[2]);
            }
        }
        Set<?> made = (Set<?>) reporters(settings);
        for (String name : wanted) {
            if (made.stream().noneMatch(one -> one.toString().startsWith(name + "="))) {
                throw new IllegalStateException("the process runs without the reporter " + name);
            }
        }
        return made;
    }

    /** Creates the file system of a bucket, as a process does that first writes to it. */
    static Object fileSystem(Configuration settings) throws Exception {
        ClassLoader plugin = SqlProbes.connectors();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(plugin);
        try {
            Object factory = plugin.loadClass("org.apache.flink.fs.s3hadoop.S3FileSystemFactory").newInstance();
            Oracle.on(factory, "configure", settings);
            return Oracle.on(factory, "create", java.net.URI.create("s3://bucket/path")).getClass().getSimpleName();
        } catch (ClassNotFoundException absent) {
            throw new Oracle.NotThere("no file system of S3");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** What keyed state backends measure. */
    static Object stateLatency(Configuration settings) throws Exception {
        String owner = Oracle.RUNTIME + "state.metrics.LatencyTrackingStateConfig";
        Object builder = Oracle.on(Oracle.call(owner, "newBuilder"), "configure", settings);
        Oracle.on(builder, "setMetricGroup", Oracle.create("org.apache.flink.metrics.groups.UnregisteredMetricsGroup"));
        return Oracle.on(builder, "build").getClass().getSimpleName();
    }

    static Object restTls(Configuration settings) throws Exception {
        return Oracle.call(Oracle.RUNTIME + "net.SSLUtils", "createRestServerSSLEngineFactory", settings);
    }

    /** The ports that a pod and its service name. */
    static Object kubernetesPorts(Configuration settings) throws Exception {
        Set<String> found = new LinkedHashSet<>();
        Object[] options = {
            Oracle.option("TaskManagerOptions", "RPC_PORT"), Oracle.option("BlobServerOptions", "PORT"),
            Oracle.option("RestOptions", "BIND_PORT"),
        };
        for (Object option : options) {
            // As KubernetesClusterDescriptor does before it asks for anything.
            Oracle.call(KUBERNETES + "utils.KubernetesUtils", "checkAndUpdatePortConfigOption", settings, option, 6122);
            found.add(String.valueOf(Oracle.call(KUBERNETES + "utils.KubernetesUtils", "parsePort", settings, option)));
        }
        return found;
    }

    /** What native Kubernetes asks for, for the JobManager. */
    static Object kubernetesJobManager(Configuration settings) throws Exception {
        Object builder = Oracle.create(
                "org.apache.flink.client.deployment.ClusterSpecification$ClusterSpecificationBuilder");
        Object size = Oracle.on(builder, "createClusterSpecification");
        String name = KUBERNETES + "kubeclient.parameters.KubernetesJobManagerParameters";
        Object made = Oracle.create(name, settings, size);
        Object pod = Oracle.on(Oracle.create(KUBERNETES + "kubeclient.FlinkPod$Builder"), "build");
        Object decorator = Oracle.create(KUBERNETES + "kubeclient.decorators.EnvSecretsDecorator", made);
        Object decorated = Oracle.on(decorator, "decorateFlinkPod", pod);
        Object variables = Oracle.on(Oracle.on(decorated, "getMainContainer"), "getEnv");
        return Oracle.on(made, "getReplicas") + " JobManagers " + variables;
    }

    /** How many requests at a time the client makes to the server of Kubernetes. */
    static Object kubernetesClient(Configuration settings) throws Exception {
        Object made = clientOf(settings);
        Field client = made.getClass().getDeclaredField("internalClient");
        client.setAccessible(true);
        Object configuration = Oracle.on(client.get(made), "getConfiguration");
        return Oracle.on(configuration, "getMaxConcurrentRequests") + " requests";
    }

    private static Object clientOf(Configuration settings) throws Exception {
        String package_ = KUBERNETES + "kubeclient.";
        if (Oracle.isThere(package_ + "FlinkKubeClientFactory")) {
            Object factory = Oracle.call(package_ + "FlinkKubeClientFactory", "getInstance");
            return Oracle.on(factory, "fromConfiguration", settings, "client");
        }
        return Oracle.call(package_ + "KubeClientFactory", "fromConfiguration", settings);
    }

    /** The times with which a JobManager stands for election. */
    static Object leaderElection(Configuration settings) throws Exception {
        Object given =
                Oracle.create(KUBERNETES + "configuration.KubernetesLeaderElectionConfiguration", "map", "me", settings);
        Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        Object leader = Oracle.on(unsafe.get(null), "allocateInstance", Oracle.type(
                KUBERNETES + "highavailability.KubernetesLeaderElectionDriver$LeaderCallbackHandlerImpl"));
        Object elector = Oracle.on(clientOf(settings), "createLeaderElector", given, leader);
        Object made = fieldOf(elector, "leaderElectionConfig");
        if (made == null) { // before 1.18.2
            made = fieldOf(fieldOf(elector, "internalLeaderElector"), "leaderElectionConfig");
        }
        return "lease " + Oracle.on(made, "getLeaseDuration") + ", deadline " + Oracle.on(made, "getRenewDeadline")
                + ", retries every " + Oracle.on(made, "getRetryPeriod");
    }

    private static Object fieldOf(Object owner, String name) throws Exception {
        for (Field field : owner.getClass().getDeclaredFields()) {
            if (field.getName().equals(name)) {
                field.setAccessible(true);
                return field.get(owner);
            }
        }
        return null;
    }

    /** Whether a SQL gateway looks for sessions that nobody uses. */
    static Object sessions(Configuration settings) throws Exception {
        ClassLoader loader = SqlProbes.connectors();
        String package_ = "org.apache.flink.table.gateway.service.";
        try {
            Object context = null;
            for (Constructor<?> one : loader.loadClass(package_ + "context.DefaultContext").getConstructors()) {
                if (one.getParameterTypes()[0] == Configuration.class) {
                    context = one.newInstance(settings, new ArrayList<>());
                }
            }
            Class<?> type = loader.loadClass(package_ + "session.SessionManagerImpl");
            Object made = type.getConstructors()[0].newInstance(context);
            Oracle.on(made, "start");
            Object cleanup = fieldOf(made, "cleanupService");
            Oracle.on(made, "stop");
            return cleanup == null ? "sessions stay" : "sessions end";
        } catch (ClassNotFoundException absent) {
            throw new Oracle.NotThere("no SQL gateway");
        }
    }

    /** What submits a job. */
    static Object executor(Configuration settings) throws Exception {
        Object loader = Oracle.create("org.apache.flink.core.execution.DefaultExecutorServiceLoader");
        return Oracle.on(loader, "getExecutorFactory", settings).getClass().getSimpleName();
    }

    /** The share of a slot's managed memory that Python gets in a job with state. */
    static Object pythonMemory(Configuration settings) throws Exception {
        Class<?> type = Oracle.type("org.apache.flink.core.memory.ManagedMemoryUseCase");
        List<Object> uses = Arrays.asList(type.getEnumConstants());
        Object python = uses.stream().filter(one -> one.toString().equals("PYTHON")).findFirst().get();
        Set<Object> all = new LinkedHashSet<>(Arrays.asList(uses.get(0), python));
        return Oracle.call(
                Oracle.RUNTIME + "util.config.memory.ManagedMemoryUtils", "convertToFractionOfSlot", python, 1.0, all,
                settings, settings, Optional.empty(), Oracle.LOADER);
    }
}
