import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.File;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.client.deployment.ClusterSpecification;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.kubernetes.configuration.KubernetesConfigOptions;
import org.apache.flink.kubernetes.kubeclient.decorators.FlinkConfMountDecorator;
import org.apache.flink.kubernetes.kubeclient.parameters.KubernetesJobManagerParameters;
import org.apache.flink.kubernetes.operator.api.FlinkDeployment;
import org.apache.flink.kubernetes.operator.api.FlinkSessionJob;
import org.apache.flink.kubernetes.operator.api.spec.JobSpec;
import org.apache.flink.kubernetes.operator.config.FlinkConfigManager;
import org.apache.flink.kubernetes.operator.reconciler.deployment.ApplicationReconciler;
import org.apache.flink.kubernetes.operator.service.AbstractFlinkService;
import org.apache.flink.runtime.jobgraph.SavepointConfigOptions;
import org.apache.flink.runtime.webmonitor.handlers.JarRunRequestBody;

/**
 * Prints the configuration that one release of the Flink Kubernetes Operator makes of resources.
 *
 * <p>Arguments: a file of questions and a file for the answers, both a JSON object a line. A question has a "name", a
 * "deployment" (a FlinkDeployment as the API server has it), perhaps a "job" (a FlinkSessionJob of that deployment). An
 * answer has the "name", "builder" (the configuration of FlinkConfigManager), "file" and "written" (the name and the
 * text of the configuration file in the config map), "loaded" (what Flink reads from it), "jobManager" and
 * "taskManager" (the merged pod templates), "submitted" (the configuration of the job), or "error". What differs between
 * releases is called by reflection.
 */
public final class EffectiveConfiguration {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        List<ObjectNode> answers = new ArrayList<>();
        FlinkConfigManager manager = manager();
        for (String line : Files.readAllLines(Paths.get(arguments[0]), StandardCharsets.UTF_8)) {
            JsonNode question = JSON.readTree(line);
            ObjectNode answer = JSON.createObjectNode().put("name", question.get("name").asText());
            try {
                answer(manager, question, answer);
            } catch (Throwable thrown) {
                answer.put("error", String.valueOf(root(thrown)));
            }
            answers.add(answer);
        }
        // Loading sets a flag of Flink that later configurations inherit, so that it comes last.
        for (ObjectNode answer : answers) {
            if (answer.has("written")) {
                load(answer);
            }
        }
        try (PrintStream out = new PrintStream(arguments[1], "UTF-8")) {
            for (ObjectNode answer : answers) {
                out.println(answer);
            }
        }
        System.exit(0); // the manager has threads
    }

    private static FlinkConfigManager manager() throws Exception {
        // The operator's chart mounts an empty or nearly empty flink-conf.yaml.
        Path folder = Files.createTempDirectory("operator");
        Files.write(folder.resolve("flink-conf.yaml"), new byte[0]);
        Configuration base = GlobalConfiguration.loadConfiguration(folder.toString());
        return FlinkConfigManager.class.getConstructor(Configuration.class).newInstance(base);
    }

    private static void answer(FlinkConfigManager manager, JsonNode question, ObjectNode answer) throws Exception {
        FlinkDeployment deployment =
                Serialization.unmarshal(question.get("deployment").toString(), FlinkDeployment.class);
        if (question.has("job")) {
            FlinkSessionJob job = Serialization.unmarshal(question.get("job").toString(), FlinkSessionJob.class);
            Configuration sent = sessionJob(manager, deployment, job);
            answer.set("submitted", sorted(submitted(sent, job.getSpec().getJob())));
        }
        Configuration made = manager.getDeployConfig(deployment.getMetadata(), deployment.getSpec());
        answer.set("builder", sorted(made));
        answer.set("jobManager", template(made.get(KubernetesConfigOptions.JOB_MANAGER_POD_TEMPLATE)));
        answer.set("taskManager", template(made.get(KubernetesConfigOptions.TASK_MANAGER_POD_TEMPLATE)));
        if (deployment.getSpec().getJob() != null) {
            firstDeployment(deployment, made);
        }
        Method removal = AbstractFlinkService.class.getDeclaredMethod("removeOperatorConfigs", Configuration.class);
        removal.setAccessible(true);
        Configuration deployed = (Configuration) removal.invoke(null, made);
        for (Map.Entry<String, String> one : configMap(deployed).entrySet()) {
            if (one.getKey().endsWith(".yaml")) {
                answer.put("file", one.getKey());
                answer.put("written", one.getValue());
            }
        }
    }

    /** What ApplicationReconciler.deploy changes in the configuration of a resource that is deployed first. */
    private static void firstDeployment(FlinkDeployment deployment, Configuration made) throws Exception {
        String savepoint = deployment.getSpec().getJob().getInitialSavepointPath();
        if (savepoint != null) {
            made.set(SavepointConfigOptions.SAVEPOINT_PATH, savepoint);
        } else {
            made.removeConfig(SavepointConfigOptions.SAVEPOINT_PATH);
        }
        Method paths = ApplicationReconciler.class.getDeclaredMethod("setRandomJobResultStorePath", Configuration.class);
        paths.setAccessible(true);
        paths.invoke(null, made);
    }

    /** The data of the config map that the JobManager mounts. */
    private static Map<String, String> configMap(Configuration deployed) throws Exception {
        ClusterSpecification size =
                new ClusterSpecification.ClusterSpecificationBuilder()
                        .setMasterMemoryMB(1024)
                        .setTaskManagerMemoryMB(1024)
                        .setSlotsPerTaskManager(1)
                        .createClusterSpecification();
        FlinkConfMountDecorator decorator =
                new FlinkConfMountDecorator(new KubernetesJobManagerParameters(deployed, size));
        // Of classes that Flink relocates.
        Object map = ((List<?>) decorator.buildAccompanyingKubernetesResources()).get(0);
        @SuppressWarnings("unchecked")
        Map<String, String> data = (Map<String, String>) map.getClass().getMethod("getData").invoke(map);
        return data;
    }

    private static Configuration sessionJob(FlinkConfigManager manager, FlinkDeployment deployment, FlinkSessionJob job)
            throws Exception {
        Class<?> status = Class.forName("org.apache.flink.kubernetes.operator.api.status.ReconciliationStatus");
        Object reconciliation = deployment.getStatus().getReconciliationStatus();
        for (Method method : status.getMethods()) {
            if (method.getName().equals("serializeAndSetLastReconciledSpec")) {
                method.invoke(reconciliation, deployment.getSpec(), deployment);
            } else if (method.getName().equals("setState")) {
                method.invoke(reconciliation, method.getParameterTypes()[0].getField("DEPLOYED").get(null));
            }
        }
        for (Method method : FlinkConfigManager.class.getMethods()) {
            if (method.getName().equals("getSessionJobConfig")) {
                Object[] given = {job.getMetadata().getName(), deployment, job.getSpec()};
                return (Configuration)
                        (method.getParameterCount() == 3
                                ? method.invoke(manager, given)
                                : method.invoke(manager, given[1], given[2]));
            }
        }
        throw new NoSuchMethodException("getSessionJobConfig");
    }

    /** The configuration of a session job with the fields of the request by which AbstractFlinkService runs its JAR. */
    private static Configuration submitted(Configuration configured, JobSpec job) {
        Configuration made = hasConfiguration() ? configured : new Configuration();
        if (job.getParallelism() > 0) {
            made.set(CoreOptions.DEFAULT_PARALLELISM, job.getParallelism());
        }
        if (job.getInitialSavepointPath() != null) {
            made.set(SavepointConfigOptions.SAVEPOINT_PATH, job.getInitialSavepointPath());
        }
        if (job.getAllowNonRestoredState() != null) {
            made.set(SavepointConfigOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, job.getAllowNonRestoredState());
        }
        return made;
    }

    /** Whether a request to run a JAR has a configuration, in the Flink that the operator is built with. */
    private static boolean hasConfiguration() {
        return Arrays.stream(JarRunRequestBody.class.getConstructors())
                .anyMatch(one -> Arrays.asList(one.getParameterTypes()).contains(Map.class));
    }

    private static void load(ObjectNode answer) {
        try {
            Path folder = Files.createTempDirectory("conf");
            Files.write(
                    folder.resolve(answer.get("file").asText()),
                    answer.get("written").asText().getBytes(StandardCharsets.UTF_8));
            answer.set("loaded", sorted(GlobalConfiguration.loadConfiguration(folder.toString())));
        } catch (Throwable thrown) {
            answer.put("error", "loading: " + root(thrown));
        }
    }

    private static ObjectNode sorted(Configuration configuration) {
        ObjectNode found = JSON.createObjectNode();
        new TreeMap<>(configuration.toMap()).forEach(found::put);
        return found;
    }

    /** A merged pod template, or the path of one that the resource names instead, in the operator's file system. */
    private static JsonNode template(String file) throws Exception {
        if (file == null) {
            return JSON.nullNode();
        }
        if (!new File(file).exists()) {
            return JSON.valueToTree(file);
        }
        String text = new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.UTF_8);
        return JSON.valueToTree(Serialization.unmarshal(text, Map.class));
    }

    private static Throwable root(Throwable thrown) {
        Throwable found = thrown;
        while (found.getCause() != null) {
            found = found.getCause();
        }
        return found;
    }
}
