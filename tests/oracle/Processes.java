import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.configuration.Configuration;

/** Starts the processes of a cluster with configurations, or has them deployed, for {@link Oracle}. */
final class Processes {
    private static final String RUNTIME = "org.apache.flink.runtime.";
    private static final String KUBERNETES = "org.apache.flink.kubernetes.";

    /** How long a process that has started may take to serve, and to end. */
    private static final int SECONDS = 5;

    private Processes() {}

    /** Starts a JobManager as its start script does, and waits until it serves. */
    static Object jobManager(Configuration given) throws Exception {
        Configuration settings = new Configuration(given);
        provide(settings, "jobmanager.rpc.address", "localhost");
        provide(settings, "jobmanager.rpc.port", "0");
        if (!settings.containsKey("rest.bind-port") && !settings.containsKey("web.port")) {
            provide(settings, "rest.port", "0");
        }
        Object process = Oracle.create(RUNTIME + "entrypoint.StandaloneSessionClusterEntrypoint", settings);
        try {
            Oracle.on(process, "startCluster");
            return serves(process) ? "serves" : "runs";
        } finally {
            close(process);
        }
    }

    /** Starts a TaskManager as its start script does, with the memory that the script derives. */
    static Object taskManager(Configuration given) throws Exception {
        Configuration settings = new Configuration(given);
        provide(settings, "jobmanager.rpc.address", "localhost");
        provide(settings, "taskmanager.host", "localhost");
        String[] sizes = {"process.size", "flink.size", "task.heap.size"};
        if (Arrays.stream(sizes).noneMatch(size -> settings.containsKey("taskmanager.memory." + size))) {
            settings.setString("taskmanager.memory.flink.size", "640m");
        }
        deriveMemory(settings);
        Object process = runner(settings);
        try {
            Oracle.on(process, "start");
            Object end = terminated(process);
            if (end != null) {
                throw new IllegalStateException("the TaskManager ends with " + end);
            }
            return "runs";
        } finally {
            close(process);
        }
    }

    /** Sets the sizes that the start script derives. */
    static void deriveMemory(Configuration settings) throws Exception {
        String utils = RUNTIME + "clusterframework.TaskExecutorProcessUtils";
        if (Oracle.isThere(utils)) {
            Object memory = Oracle.call(utils, "processSpecFromConfig", settings);
            String derived = (String) Oracle.call(utils, "generateDynamicConfigsStr", memory);
            for (String pair : derived.split("-D ")) {
                if (pair.contains("=")) {
                    settings.setString(pair.split("=")[0], pair.split("=", 2)[1].trim());
                }
            }
        }
    }

    private static Object runner(Configuration settings) throws Exception {
        String runner = RUNTIME + "taskexecutor.TaskManagerRunner";
        Object name = Oracle.create(RUNTIME + "clusterframework.types.ResourceID", "oracle");
        if (!Oracle.isThere(runner + "$TaskExecutorServiceFactory")) {
            return Oracle.create(runner, settings, name);
        }
        Object factory = proxy(runner + "$TaskExecutorServiceFactory", (self, method, arguments) ->
                Oracle.call(runner, "createTaskExecutorService", arguments));
        if (!Oracle.isThere("org.apache.flink.core.plugin.PluginUtils")) {
            return Oracle.create(runner, settings, name, factory);
        }
        Object plugins =
                Oracle.call("org.apache.flink.core.plugin.PluginUtils", "createPluginManagerFromRootFolder", settings);
        Oracle.call("org.apache.flink.core.fs.FileSystem", "initialize", settings, plugins);
        for (Object[] arguments : new Object[][] {
            {settings, plugins, factory}, {settings, name, plugins, factory}, {settings, name, factory}
        }) {
            try {
                return Oracle.create(runner, arguments);
            } catch (Oracle.NotThere other) {
                // the constructor of another release
            }
        }
        throw new Oracle.NotThere("no constructor of " + runner);
    }

    /** Starts a history server as its start script does. */
    static Object historyServer(Configuration given) throws Exception {
        Configuration settings = new Configuration(given);
        provide(settings, "historyserver.archive.fs.dir", "file:///tmp");
        provide(settings, "historyserver.web.port", "0");
        Object server = Oracle.create(RUNTIME + "webmonitor.history.HistoryServer", settings);
        try {
            Oracle.on(server, "start");
        } finally {
            Oracle.on(server, "stop");
        }
        return "runs";
    }

    /**
     * Deploys a session cluster to Kubernetes, up to the request that would create it, and a pod of a TaskManager.
     *
     * <p>No API server is asked: what the descriptor wants of it is empty, and its last request ends the deployment.
     */
    static Object kubernetes(Configuration given) throws Exception {
        Configuration settings = new Configuration(given);
        provide(settings, "execution.target", "kubernetes-session");
        provide(settings, "kubernetes.cluster-id", "oracle");
        provide(settings, "$internal.deployment.config-dir", ".");
        provide(settings, "jobmanager.memory.process.size", "1600m");
        provide(settings, "taskmanager.memory.process.size", "1728m");
        String name = KUBERNETES + "KubernetesClusterDescriptor";
        boolean[] isRequested = {false};
        Object client = proxy(KUBERNETES + "kubeclient.FlinkKubeClient", (self, method, arguments) -> {
            if (method.getName().equals("createJobManagerComponent")) {
                isRequested[0] = true;
                throw new IllegalStateException("requested");
            }
            return method.getReturnType() == Optional.class ? Optional.empty() : null;
        });
        Object descriptor;
        try {
            descriptor = Oracle.create(name, settings, client);
        } catch (Oracle.NotThere since118) { // its constructor connects
            Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
            unsafe.setAccessible(true);
            descriptor = Oracle.on(unsafe.get(null), "allocateInstance", Oracle.type(name));
            set(descriptor, "flinkConfig", settings);
            set(descriptor, "client", client);
            set(descriptor, "clusterId", "oracle");
        }
        Object builder = Oracle.create("org.apache.flink.client.deployment.ClusterSpecification$ClusterSpecificationBuilder");
        Object cluster = Oracle.on(builder, "createClusterSpecification");
        try {
            Oracle.on(descriptor, "deploySessionCluster", cluster);
        } catch (Exception failed) {
            if (!isRequested[0]) {
                throw failed;
            }
        }
        taskManagerPod(settings);
        return "deployed";
    }

    private static void taskManagerPod(Configuration settings) throws Exception {
        String factory = KUBERNETES + "kubeclient.factory.KubernetesTaskManagerFactory";
        String name = KUBERNETES + "kubeclient.parameters.KubernetesTaskManagerParameters";
        String containered = RUNTIME + "clusterframework.ContaineredTaskManagerParameters";
        Object memory = Oracle.call(
                RUNTIME + "clusterframework.TaskExecutorProcessUtils", "processSpecFromConfig", settings);
        Object resources = Oracle.call(containered, "create", settings, memory);
        java.util.Map<?, ?> none = java.util.Collections.emptyMap();
        java.util.Set<?> free = java.util.Collections.emptySet();
        Object parameters = null;
        for (Object[] arguments : new Object[][] {
            {settings, "pod", "", "", resources, none, free}, {settings, "pod", "", "", resources, none},
            {settings, "pod", "", resources, none}
        }) {
            try {
                parameters = Oracle.create(name, arguments);
                break;
            } catch (Oracle.NotThere other) {
                // the constructor of another release
            }
        }
        if (parameters == null) {
            throw new Oracle.NotThere("no constructor of " + name);
        }
        String pods = KUBERNETES + "kubeclient.FlinkPod$Builder";
        if (Oracle.isThere(pods)) {
            Object template = Oracle.on(Oracle.create(pods), "build");
            try {
                Oracle.call(factory, "buildTaskManagerKubernetesPod", template, parameters);
                return;
            } catch (Oracle.NotThere before113) {
                // it has no template
            }
        }
        Oracle.call(factory, "buildTaskManagerKubernetesPod", parameters);
    }

    // -- what they share

    static void provide(Configuration settings, String key, String value) {
        if (!settings.containsKey(key)) {
            settings.setString(key, value);
        }
    }

    static Object proxy(String face, InvocationHandler handler) throws Oracle.NotThere {
        Class<?> type = Oracle.type(face);
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    /** Whether the JobManager answers requests, for which its dispatcher must lead. */
    private static boolean serves(Object process) throws Exception {
        Object component = field(process, "clusterComponent");
        String address = (String) Oracle.on(field(component, "webMonitorEndpoint"), "getRestBaseUrl");
        if (!address.startsWith("http:")) {
            return false;
        }
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS); System.nanoTime() < end; ) {
            HttpURLConnection request = (HttpURLConnection) new URL(address + "/overview").openConnection();
            request.setConnectTimeout(1_000);
            request.setReadTimeout(1_000);
            try {
                if (request.getResponseCode() == 200) {
                    return true;
                }
            } catch (java.io.IOException early) {
                // it is asked again
            }
            Thread.sleep(20);
        }
        return false;
    }

    private static void set(Object owner, String name, Object value) throws Exception {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(owner, value);
    }

    private static Object field(Object owner, String name) throws Exception {
        for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field.get(owner);
            } catch (NoSuchFieldException inherited) {
                // a class above has it
            }
        }
        throw new Oracle.NotThere("no field " + owner.getClass().getName() + "." + name);
    }

    /** How a TaskManager has ended, which it does when its parts cannot start; null if it runs. */
    private static Object terminated(Object process) throws Exception {
        CompletableFuture<?> end = (CompletableFuture<?>) Oracle.on(process, "getTerminationFuture");
        try {
            return end.get(200, TimeUnit.MILLISECONDS);
        } catch (TimeoutException running) {
            return null;
        }
    }

    private static void close(Object process) throws Exception {
        try {
            ((CompletableFuture<?>) Oracle.on(process, "closeAsync")).get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException ended) {
            // what it was asked is answered
        }
    }
}
