import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import org.apache.flink.client.ClientUtils;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.kubernetes.configuration.KubernetesLeaderElectionConfiguration;
import org.apache.flink.kubernetes.kubeclient.resources.KubernetesLeaderElector;
import org.apache.flink.kubernetes.utils.KubernetesUtils;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.highavailability.HighAvailabilityServicesUtils;
import org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.client.ConnectStringParser;

/** Prints what a release of Flink makes of hazardous settings of networks and high availability: a name, a tab, what came of it. */
public class NetworkHazards {
    public static void main(String[] arguments) throws Exception {
        for (String quorum : new String[] {"a:1,b", "a:1 , b:2", "a:1,,b:2", "a:1;b:2", "a:1 b:2", "a:1/flink,b:2", "a:1,b:2/flink", "a:1,b:x"}) {
            report("quorum " + quorum, () -> servers(quorum));
        }
        for (String times : new String[] {"15s 15s 5s", "10s 30s 5s", "15s 5s 15s"}) {
            report("election " + times, () -> election(times.split(" ")));
        }
        for (String mode : new String[] {"none", "zookeeper", "kubernetes", "org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory"}) {
            report("port under " + mode, () -> port(mode));
        }
        report("storage", () -> HighAvailabilityServicesUtils.getClusterHighAvailableStoragePath(
                of("high-availability.storageDir", "file:///ha", "high-availability.cluster-id", "orders")));
        report("storage by default", () -> HighAvailabilityServicesUtils.getClusterHighAvailableStoragePath(
                of("high-availability.storageDir", "file:///ha")));
        for (ConfigOption<String> option : List.of(
                TaskManagerOptions.RPC_PORT, BlobServerOptions.PORT, RestOptions.BIND_PORT,
                HighAvailabilityOptions.HA_JOB_MANAGER_PORT_RANGE)) {
            for (String value : new String[] {"0", "6200", "6200-6210"}) {
                report(option.key() + " " + value, () -> fixed(option, value));
            }
        }
        for (long interval : new long[] {10, 30, 40}) {
            report("client " + interval, () -> heartbeat(interval, 30));
        }
        System.exit(0); // elections go on
    }

    private static Object servers(String quorum) {
        ConnectStringParser read = new ConnectStringParser(quorum);
        return read.getServerAddresses().stream().map(server -> server.getHostString() + "|" + server.getPort())
                .collect(Collectors.joining(" ")) + " " + read.getChrootPath();
    }

    /** Whether a JobManager stands for election with a lease duration, a deadline of renewal and a retry period. */
    private static Object election(String[] times) throws Exception {
        String prefix = "high-availability.kubernetes.leader-election.";
        KubernetesLeaderElectionConfiguration settings = new KubernetesLeaderElectionConfiguration(
                "orders", "jobmanager", of(
                        prefix + "lease-duration", times[0], prefix + "renew-deadline", times[1],
                        prefix + "retry-period", times[2]));
        KubernetesLeaderElector.LeaderCallbackHandler handler = new KubernetesLeaderElector.LeaderCallbackHandler() {
            @Override
            public void isLeader() {}

            @Override
            public void notLeader() {}
        };
        Class<?> elector = KubernetesLeaderElector.class;
        Class<?> client = elector.getConstructors()[0].getParameterTypes()[0];
        Object stands = elector.getConstructor(client, settings.getClass(), KubernetesLeaderElector.LeaderCallbackHandler.class)
                .newInstance(silent(client), settings, handler);
        elector.getMethod("run").invoke(stands);
        return "stands";
    }

    /** An object of an interface whose methods all do nothing, and return "default" or null. */
    private static Object silent(Class<?> type) {
        return Proxy.newProxyInstance(
                NetworkHazards.class.getClassLoader(), new Class<?>[] {type},
                (on, method, given) -> method.getReturnType() == String.class ? "default" : null);
    }

    /** Where a JobManager that was started by hand listens. */
    private static Object port(String mode) throws Exception {
        Configuration settings = of("high-availability.type", mode, "high-availability", mode, "jobmanager.rpc.port", "6200");
        Method range = ClusterEntrypoint.class.getDeclaredMethod("getRPCPortRange", Configuration.class);
        range.setAccessible(true);
        return range.invoke(new StandaloneSessionClusterEntrypoint(settings), settings);
    }

    /** The port that native Kubernetes makes of one. */
    private static Object fixed(ConfigOption<String> option, String value) {
        Configuration settings = of(option.key(), value);
        KubernetesUtils.checkAndUpdatePortConfigOption(settings, option, 7777);
        return settings.get(option);
    }

    private static Object heartbeat(long interval, long timeout) {
        ScheduledExecutorService beats = ClientUtils.reportHeartbeatPeriodically(
                (JobClient) silent(JobClient.class), interval, timeout);
        beats.shutdownNow();
        return "taken";
    }

    private static Configuration of(String... pairs) {
        Configuration settings = new Configuration();
        for (int i = 0; i < pairs.length; i += 2) {
            settings.setString(pairs[i], pairs[i + 1]);
        }
        return settings;
    }

    private static void report(String name, Callable<Object> question) {
        String answer;
        try {
            answer = String.valueOf(question.call());
        } catch (Throwable error) {
            Throwable cause = error instanceof InvocationTargetException ? error.getCause() : error;
            answer = "!" + cause.getMessage();
        }
        System.out.println(name + "\t" + answer.replace("\n", " "));
    }
}
