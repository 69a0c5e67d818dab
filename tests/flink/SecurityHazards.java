import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SecurityOptions;
import org.apache.flink.kubernetes.configuration.KubernetesConfigOptions;
import org.apache.flink.kubernetes.kubeclient.resources.KubernetesSecretEnvVar;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.failure.FailureEnricherUtils;
import org.apache.flink.runtime.rest.RestServerEndpointConfiguration;
import org.apache.flink.runtime.security.SecurityConfiguration;
import org.apache.flink.runtime.security.modules.JaasModule;
import org.apache.flink.runtime.security.token.DefaultDelegationTokenManagerFactory;
import org.apache.flink.util.concurrent.ScheduledExecutorServiceAdapter;

/** Prints what a release of Flink makes of hazardous settings of security: a name, a tab, what came of it. */
public class SecurityHazards {
    private static final String AUTHENTICATED = "security.ssl.rest.authentication-enabled";

    public static void main(String[] arguments) throws Exception {
        report("certificates without TLS", () -> SecurityOptions.isRestSSLAuthenticationEnabled(of(AUTHENTICATED, "true")));
        report("certificates with TLS", () -> SecurityOptions.isRestSSLAuthenticationEnabled(
                of(AUTHENTICATED, "true", "security.ssl.rest.enabled", "true")));
        report("certificates with TLS of all", () -> SecurityOptions.isRestSSLAuthenticationEnabled(
                of(AUTHENTICATED, "true", "security.ssl.enabled", "true")));
        report("origins", () -> new TreeMap<>(RestServerEndpointConfiguration.fromConfiguration(
                of("rest.address", "localhost", "rest.bind-port", "0")).getResponseHeaders()));
        report("login without keytab", () -> logins(of("security.kerberos.login.contexts", "KafkaClient")));
        report("login without anything", () -> logins(of(
                "security.kerberos.login.contexts", "KafkaClient",
                "security.kerberos.login.use-ticket-cache", "false")));
        report("tokens", () -> tokens(new Configuration()));
        report("no tokens", () -> tokens(of("security.delegation.tokens.enabled", "false")));
        report("no tokens by the old name", () -> tokens(of("security.kerberos.fetch.delegation-token", "false")));
        report("jobs kept", () -> kept("File"));
        report("jobs kept in memory", () -> kept("Memory"));
        for (String one : new String[] {
            "env:A,secret:s,key:k", "env:A,secret:s", "env:A;secret:s;key:k", "name:A,secret:s,key:k", "A=s/k",
            "env:A,secret:s,key:k;env:B,secret:s", "env: A, secret: s, key: k", "ENV:A,secret:s,key:k"
        }) {
            report("secret " + one, () -> environment(of("kubernetes.env.secretKeyRef", one)));
        }
        for (String one : new String[] {"s:/etc/s", "s", "s:/etc/s,t:/etc/t", "s=/etc/s", "s:etc/s"}) {
            report("mount " + one, () -> new TreeMap<>(
                    of("kubernetes.secrets", one).get(KubernetesConfigOptions.KUBERNETES_SECRETS)));
        }
        for (String one : new String[] {"a.B,c.D", "a.B;c.D", "a.B, c.D", "[a.B, c.D]"}) {
            report("enrichers " + one, () -> enrichers(of("jobmanager.failure-enrichers", one)));
        }
        System.exit(0);
    }

    /** Where the logins of Kafka and ZooKeeper take their tickets from. */
    private static Object logins(Configuration settings) {
        List<String> found = new ArrayList<>();
        AppConfigurationEntry[] entries = JaasModule.getAppConfigurationEntries(new SecurityConfiguration(settings));
        for (AppConfigurationEntry one : entries == null ? new AppConfigurationEntry[0] : entries) {
            found.add("ticket cache " + one.getOptions().get("useTicketCache") + ", keytab "
                    + one.getOptions().get("keyTab"));
        }
        return found;
    }

    private static Object tokens(Configuration settings) throws Exception {
        var executor = Executors.newSingleThreadScheduledExecutor();
        try {
            return DefaultDelegationTokenManagerFactory.create(
                            settings, null, new ScheduledExecutorServiceAdapter(executor), executor)
                    .getClass().getSimpleName();
        } finally {
            executor.shutdown();
        }
    }

    /** Where a session cluster keeps jobs that are done, and how many of them at most. */
    private static Object kept(String type) throws Exception {
        Configuration settings = of("jobstore.type", type);
        var executor = Executors.newSingleThreadScheduledExecutor();
        try {
            for (Class<?> owner = StandaloneSessionClusterEntrypoint.class; ; owner = owner.getSuperclass()) {
                for (Method method : owner.getDeclaredMethods()) {
                    if (method.getName().matches("createSerializableExecutionGraphStore|createArchivedApplicationStore")
                            && method.getParameterCount() == 2) {
                        method.setAccessible(true);
                        return method.invoke(
                                        new StandaloneSessionClusterEntrypoint(settings), settings,
                                        new ScheduledExecutorServiceAdapter(executor))
                                .getClass().getSimpleName();
                    }
                }
            }
        } finally {
            executor.shutdown();
        }
    }

    private static Object environment(Configuration settings) {
        List<String> found = new ArrayList<>();
        for (Map<String, String> one : settings.get(KubernetesConfigOptions.KUBERNETES_ENV_SECRET_KEY_REF)) {
            var made = KubernetesSecretEnvVar.fromMap(one).getInternalResource();
            var from = made.getValueFrom().getSecretKeyRef();
            found.add(made.getName() + "=" + from.getName() + "/" + from.getKey());
        }
        return found;
    }

    private static Object enrichers(Configuration settings) throws Exception {
        Method method = FailureEnricherUtils.class.getDeclaredMethod("getIncludedFailureEnrichers", Configuration.class);
        method.setAccessible(true);
        return new TreeSet<Object>((Set<?>) method.invoke(null, settings));
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
