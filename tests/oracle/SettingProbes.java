import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.flink.configuration.Configuration;

/** Asks what a single part of a process makes of its settings: how it names, counts, logs in or gives up. */
final class SettingProbes {
    private static final int MANY = 20;

    private SettingProbes() {}

    /** The names under which a TaskManager and a JobManager report their metrics. */
    static Object scopes(Configuration settings) throws Exception {
        Object formats = Oracle.call(Oracle.RUNTIME + "metrics.scope.ScopeFormats", "fromConfig", settings);
        String[] worker = (String[]) Oracle.on(Oracle.on(formats, "getTaskManagerFormat"), "formatScope", "host", "id");
        String[] master = (String[]) Oracle.on(Oracle.on(formats, "getJobManagerFormat"), "formatScope", "host");
        return String.join(".", worker) + " and " + String.join(".", master);
    }

    /** How many histograms an operator keeps for the markers of three subtasks of a source. */
    static Object latency(Configuration settings) throws Exception {
        Object every = Oracle.on(settings, "get", Oracle.option("MetricOptions", "LATENCY_INTERVAL"));
        Object kind = Oracle.on(settings, "get", Oracle.option("MetricOptions", "LATENCY_SOURCE_GRANULARITY"));
        String stats = "org.apache.flink.streaming.util.LatencyStats";
        Object granularity = Oracle.call(stats + "$Granularity", "valueOf", kind.toString().toUpperCase());
        int[] count = {0};
        InvocationHandler group = (proxy, method, given) -> {
            count[0] += method.getName().equals("histogram") ? 1 : 0;
            return method.getName().equals("histogram") ? given[1] : proxy;
        };
        Object metrics = proxy("org.apache.flink.metrics.MetricGroup", group);
        Object made = Oracle.create(stats, metrics, 128, 0, operator(), granularity);
        Object source = operator();
        for (int subtask = 0; subtask < 3; subtask++) {
            Oracle.on(made, "reportLatency", Oracle.create(
                    "org.apache.flink.streaming.runtime.streamrecord.LatencyMarker", 0L, source, subtask));
        }
        return count[0] + " histograms, every " + every;
    }

    private static Object operator() throws Exception {
        return Oracle.type(Oracle.RUNTIME + "jobgraph.OperatorID").getConstructor().newInstance();
    }

    /** The classes of failure enrichers that are looked for. */
    static Object enrichers(Configuration settings) throws Exception {
        return Oracle.call(
                Oracle.RUNTIME + "failure.FailureEnricherUtils", "getIncludedFailureEnrichers", settings);
    }

    /** How many calls fail until a process counts as dead. */
    static Object failedCalls(Configuration settings) throws Exception {
        Object services = Oracle.call(Oracle.RUNTIME + "heartbeat.HeartbeatServices", "fromConfiguration", settings);
        Object threshold = field(services, "failedRpcRequestsUntilUnreachable").get(services);
        boolean[] isDead = {false};
        InvocationHandler listener = (proxy, method, given) -> {
            isDead[0] |= method.getName().equals("notifyTargetUnreachable");
            return null;
        };
        Object monitor = Oracle.create(
                Oracle.RUNTIME + "heartbeat.HeartbeatMonitorImpl",
                Oracle.call(Oracle.RUNTIME + "clusterframework.types.ResourceID", "generate"),
                proxy(Oracle.RUNTIME + "heartbeat.HeartbeatTarget", (proxy, method, given) -> null),
                proxy(scheduledExecutor(), (proxy, method, given) -> null),
                proxy(Oracle.RUNTIME + "heartbeat.HeartbeatListener", listener), 50_000L, threshold);
        int calls = 0;
        while (!isDead[0] && calls < MANY) {
            Oracle.on(monitor, "reportHeartbeatRpcFailure");
            calls++;
        }
        return isDead[0] ? "dead after " + calls + " calls" : "alive";
    }

    private static String scheduledExecutor() {
        String now = "org.apache.flink.util.concurrent.ScheduledExecutor";
        return Oracle.isThere(now) ? now : Oracle.RUNTIME + "concurrent.ScheduledExecutor";
    }

    /** Whether a strategy ever gives up a job that fails as soon as it is restarted. */
    static Object restarts(Configuration settings) throws Exception {
        String package_ = Oracle.RUNTIME + "executiongraph.failover.flip1.";
        if (!Oracle.isThere(package_ + "FailureRateRestartBackoffTimeStrategy")) {
            package_ = Oracle.RUNTIME + "executiongraph.failover.";
        }
        String name = package_ + "FailureRateRestartBackoffTimeStrategy";
        Object strategy = Oracle.on(Oracle.call(name, "createFactory", settings), "create");
        Field times = field(strategy, "failureTimestamps");
        for (int failure = 1; failure <= MANY; failure++) {
            Oracle.on(strategy, "notifyFailure", new RuntimeException("failure"));
            if (!(Boolean) Oracle.on(strategy, "canRestart")) {
                return "gives up at failure " + failure;
            }
            // The time of the delay is over: what happened lies further back.
            long delay = (Long) Oracle.on(strategy, "getBackoffTime");
            Deque<Object> earlier = new ArrayDeque<>();
            for (Object time : (Deque<?>) times.get(strategy)) {
                earlier.add((Long) time - delay);
            }
            times.set(strategy, earlier);
        }
        return "restarts after " + MANY + " failures";
    }

    /** How a process logs in where a library asks for `KafkaClient`. */
    static Object logins(Configuration settings) throws Exception {
        Object security = Oracle.create(Oracle.RUNTIME + "security.SecurityConfiguration", settings);
        Object module = Oracle.create(Oracle.RUNTIME + "security.modules.JaasModule", security);
        Oracle.on(module, "install");
        try {
            AppConfigurationEntry[] entries = javax.security.auth.login.Configuration.getConfiguration()
                    .getAppConfigurationEntry("KafkaClient");
            return entries == null || entries.length == 0 ? "no login" : "first by " + new TreeSet<>(
                    entries[0].getOptions().keySet());
        } finally {
            Oracle.on(module, "uninstall");
        }
    }

    /** What fetches delegation tokens. */
    static Object tokens(Configuration settings) throws Exception {
        Object plugins = Oracle.call(
                "org.apache.flink.core.plugin.PluginUtils", "createPluginManagerFromRootFolder", settings);
        return Oracle.call(
                Oracle.RUNTIME + "security.token.DefaultDelegationTokenManagerFactory", "create", settings, plugins,
                proxy(scheduledExecutor(), (proxy, method, given) -> null), Executors.newSingleThreadExecutor());
    }

    /** The classes that a job gets from the cluster. */
    static Object parentFirst(Configuration settings) throws Exception {
        return Arrays.asList((String[]) Oracle.call(
                "org.apache.flink.configuration.CoreOptions", "getParentFirstLoaderPatterns", settings));
    }

    /** What slows down the ResourceManager when TaskManagers do not start. */
    static Object workerStarts(Configuration settings) throws Exception {
        return Oracle.call(
                Oracle.RUNTIME + "resourcemanager.active.ActiveResourceManagerFactory", "createStartWorkerFailureRater",
                settings);
    }

    /** What the JobManager's container may use of CPU. */
    static Object kubernetesLimits(Configuration settings) throws Exception {
        String kubernetes = "org.apache.flink.kubernetes.";
        Object builder = Oracle.create(
                "org.apache.flink.client.deployment.ClusterSpecification$ClusterSpecificationBuilder");
        Object size = Oracle.on(Oracle.on(builder, "setMasterMemoryMB", 1024), "createClusterSpecification");
        Object parameters = Oracle.create(
                kubernetes + "kubeclient.parameters.KubernetesJobManagerParameters", settings, size);
        Object decorator = Oracle.create(kubernetes + "kubeclient.decorators.InitJobManagerDecorator", parameters);
        Object pod = Oracle.on(Oracle.create(kubernetes + "kubeclient.FlinkPod$Builder"), "build");
        Object container = Oracle.on(Oracle.on(decorator, "decorateFlinkPod", pod), "getMainContainer");
        Object limits = Oracle.on(Oracle.on(container, "getResources"), "getLimits");
        Object cpu = ((java.util.Map<?, ?>) limits).get("cpu");
        return "at most " + Oracle.on(cpu, "getAmount") + " CPU";
    }

    private static Field field(Object owner, String name) throws Exception {
        for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
            for (Field one : type.getDeclaredFields()) {
                if (one.getName().equals(name)) {
                    one.setAccessible(true);
                    return one;
                }
            }
        }
        throw new Oracle.NotThere("no field " + name);
    }

    private static Object proxy(String face, InvocationHandler handler) throws Exception {
        return Proxy.newProxyInstance(Oracle.LOADER, new Class<?>[] {Oracle.type(face)}, handler);
    }
}
