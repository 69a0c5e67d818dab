import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Asks one release of the Flink Kubernetes Operator whether its validator accepts resources.
 *
 * <p>Arguments: a file of questions and a file for the answers. A question is a line of JSON with the resource, the
 * resource that it refers to ("other"), the spec that the operator reconciled last ("last") and the operator's default
 * configuration ("defaults"). An answer is a line of JSON: null, the message of the refusal, or an exception's class
 * and message in a list. The classes of the operator are found by reflection, since one compiled program serves all
 * releases; resources are read by the mapper of the operator's Kubernetes client.
 */
public final class Validator {
    private static final String OPERATOR = "org.apache.flink.kubernetes.operator.";
    private static final String API = OPERATOR + "api.";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<JsonNode, Object> VALIDATORS = new HashMap<>();

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name);
    }

    private static Object validator(JsonNode defaults) throws Exception {
        Object known = VALIDATORS.get(defaults);
        if (known == null) {
            Class<?> configuration = type("org.apache.flink.configuration.Configuration");
            Map<String, String> settings = new HashMap<>();
            defaults.fields().forEachRemaining(one -> settings.put(one.getKey(), one.getValue().asText()));
            Object conf = configuration.getMethod("fromMap", Map.class).invoke(null, settings);
            Class<?> manager = type(OPERATOR + "config.FlinkConfigManager");
            Object created = manager.getConstructor(configuration).newInstance(conf);
            known = type(OPERATOR + "validation.DefaultValidator").getConstructor(manager).newInstance(created);
            VALIDATORS.put(defaults, known);
        }
        return known;
    }

    private static Object read(JsonNode resource) throws Exception {
        Class<?> target = type(API + resource.get("kind").asText());
        // As the webhook and the informers of the client read them: what the mapper refuses never reaches a validator.
        return JSON.convertValue(resource, target);
    }

    private static Object resource(JsonNode question) throws Exception {
        ObjectNode text = (ObjectNode) question.get("resource");
        Object resource = read(text);
        JsonNode last = question.get("last");
        if (last != null && !last.isNull()) {
            Object before = read(((ObjectNode) text.deepCopy()).set("spec", last));
            Object spec = before.getClass().getMethod("getSpec").invoke(before);
            Object status = resource.getClass().getMethod("getStatus").invoke(resource);
            Object reconciled = status.getClass().getMethod("getReconciliationStatus").invoke(status);
            for (Method one : reconciled.getClass().getMethods()) {
                if (one.getName().equals("serializeAndSetLastReconciledSpec")) {
                    one.invoke(reconciled, spec, resource);
                    break;
                }
            }
        }
        return resource;
    }

    private static Object ask(JsonNode question) throws Exception {
        JsonNode defaults = question.has("defaults") ? question.get("defaults") : JSON.createObjectNode();
        Object validator = validator(defaults);
        Object resource = resource(question);
        JsonNode other = question.get("other");
        Optional<?> referred = other == null || other.isNull() ? Optional.empty() : Optional.of(read(other));
        String kind = question.get("resource").get("kind").asText();
        for (Method one : validator.getClass().getMethods()) {
            if (kind.equals("FlinkDeployment") && one.getName().equals("validateDeployment")) {
                return one.invoke(validator, resource);
            } else if (kind.equals("FlinkSessionJob") && one.getName().equals("validateSessionJob")
                    || kind.equals("FlinkStateSnapshot") && one.getName().equals("validateStateSnapshot")) {
                return one.invoke(validator, resource, referred);
            }
        }
        throw new ClassNotFoundException("no validator of " + kind);
    }

    public static void main(String[] arguments) throws Exception {
        try (BufferedReader questions = Files.newBufferedReader(Paths.get(arguments[0]));
                PrintWriter answers = new PrintWriter(Files.newBufferedWriter(Paths.get(arguments[1])))) {
            for (String line = questions.readLine(); line != null; line = questions.readLine()) {
                Object answer;
                try {
                    answer = ((Optional<?>) ask(JSON.readTree(line))).orElse(null);
                } catch (InvocationTargetException e) {
                    Throwable cause = e.getCause();
                    answer = new String[] {cause.getClass().getName(), String.valueOf(cause.getMessage())};
                } catch (ClassNotFoundException | IllegalArgumentException e) {
                    answer = new String[] {e.getClass().getName(), String.valueOf(e.getMessage())};
                }
                answers.println(JSON.writeValueAsString(answer));
            }
        }
        System.exit(0);
    }
}
