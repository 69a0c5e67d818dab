import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.runtime.util.bash.FlinkConfigLoader;

/**
 * Loads many configuration directories in one JVM, and runs Flink's own migration on those with a flink-conf.yaml.
 *
 * <p>Arguments: a folder of numbered folders, each with legacy/flink-conf.yaml and any number of others with a
 * config.yaml; whether this Flink reads the former; and the file to write, with a line for each: number, name, then
 * the contents of Configuration.toMap(), as base64 of keys and values, or "!" and the error. The name "tool" is the
 * result of Flink's own migration of the legacy file.
 */
public final class Migrations {
    private static PrintStream out;

    public static void main(String[] arguments) throws Exception {
        out = new PrintStream(arguments[2], StandardCharsets.UTF_8);
        boolean readsLegacy = Boolean.parseBoolean(arguments[1]);
        File[] cases = new File(arguments[0]).listFiles();
        for (File one : cases) {
            for (File folder : one.listFiles()) {
                boolean isLegacy = folder.getName().equals("legacy");
                if (!isLegacy || readsLegacy) {
                    report(one.getName(), folder.getName(), () -> load(folder));
                }
                if (isLegacy) {
                    report(one.getName(), "tool", () -> migrate(folder));
                }
            }
        }
        out.close();
    }

    private interface Loading {
        Map<String, String> load() throws Exception;
    }

    private static void report(String number, String name, Loading loading) {
        String found;
        try {
            found = new TreeMap<>(loading.load()).entrySet().stream()
                    .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
                    .collect(Collectors.joining(" "));
        } catch (Throwable error) {
            found = "! " + error.toString().replace('\n', ' ').replace('\r', ' ');
        }
        out.println(number + "\t" + name + "\t" + found);
    }

    private static Map<String, String> load(File folder) {
        return GlobalConfiguration.loadConfiguration(folder.getPath()).toMap();
    }

    private static Map<String, String> migrate(File folder) throws Exception {
        List<String> lines =
                FlinkConfigLoader.migrateLegacyConfigurationToStandardYaml(
                        new String[] {"--configDir", folder.getPath()});
        Path made = Files.createTempDirectory("tool");
        Files.write(made.resolve("config.yaml"), lines, StandardCharsets.UTF_8);
        try {
            return load(made.toFile());
        } finally {
            Files.delete(made.resolve("config.yaml"));
            Files.delete(made);
        }
    }

    private static String encoded(String text) {
        return "u" + Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
