import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.GlobalConfiguration;

/**
 * Loads many configurations in one JVM, with any release of Flink from 1.9 on.
 *
 * <p>Arguments: a file that names a folder a line, and the file to write, with a line for each: the folder, then the
 * contents of Configuration.toMap(), as base64 of keys and values, or "!" and the error. A folder has a flink-conf.yaml, a
 * config.yaml, or "settings", pairs that the program writes to a config.yaml first, as Flink does for the operator and
 * for the entrypoint of its image.
 */
public final class Loads {
    public static void main(String[] arguments) throws Exception {
        try (PrintStream out = new PrintStream(arguments[1], StandardCharsets.UTF_8)) {
            for (String folder : Files.readAllLines(Path.of(arguments[0]))) {
                out.println(folder + "\t" + found(Path.of(folder)));
            }
        }
    }

    private static String found(Path folder) {
        try {
            Path settings = folder.resolve("settings");
            Map<String, String> loaded = Files.exists(settings) ? written(settings) : load(folder);
            return new TreeMap<>(loaded).entrySet().stream()
                    .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
                    .collect(Collectors.joining(" "));
        } catch (Throwable error) {
            return "! " + error.toString().replaceAll("\\s+", " ");
        }
    }

    private static Map<String, String> load(Path folder) {
        return GlobalConfiguration.loadConfiguration(folder.toString()).toMap();
    }

    private static Map<String, String> written(Path settings) throws Exception {
        Configuration given = new Configuration();
        for (String pair : Files.readString(settings).split(" ")) {
            given.setString(decoded(pair.split("=")[0]), decoded(pair.split("=")[1]));
        }
        // Only releases that read config.yaml have the method.
        Method lines =
                ConfigurationUtils.class.getMethod("convertConfigToWritableLines", Configuration.class, boolean.class);
        Path folder = Files.createTempDirectory("written");
        Path file = Files.createFile(folder.resolve("config.yaml"));
        try {
            Configuration all = GlobalConfiguration.loadConfiguration(folder.toString(), given);
            Files.write(file, (List<String>) lines.invoke(null, all, false), StandardCharsets.UTF_8);
            return load(folder);
        } finally {
            Files.delete(file);
            Files.delete(folder);
        }
    }

    private static String encoded(String text) {
        return "u" + Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String code) {
        return new String(Base64.getUrlDecoder().decode(code.substring(1)), StandardCharsets.UTF_8);
    }
}
