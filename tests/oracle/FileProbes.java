import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.apache.flink.configuration.Configuration;

/** Asks what Flink makes of whole files: configurations, programs, commands, the configuration of the log. */
final class FileProbes {
    /** The key under which a question has the text of a file. */
    static final String TEXT = "text";

    /** The key of the jars that a program needs beside those of Flink, each behind a separator of paths. */
    private static final String JARS = "jars";

    /** What the lines begin with that a program prints as its answer. */
    private static final String SHOWS = "shows ";

    private static final String CLASS = "Job";
    private static final String NOTHING = "public class Job { public static void main(String[] a) {} }";
    private static final String COUNTING = "count.jar";
    private static final String COUNT = "import org.apache.flink.streaming.api.environment.*;"
            + "public class Job { public static void main(String[] a) throws Exception {"
            + " StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();"
            + " env.fromElements(1, 2).print(); env.execute(); } }";

    private FileProbes() {}

    /** The settings that a process finds in its configuration folder. */
    static Object configuration(String name, Configuration question) throws Exception {
        Path folder = Files.createTempDirectory("conf");
        Files.write(folder.resolve(name), textOf(question).getBytes(StandardCharsets.UTF_8));
        Object loaded = Oracle.call(
                "org.apache.flink.configuration.GlobalConfiguration", "loadConfiguration", folder.toString());
        return new TreeMap<>(((Configuration) loaded).toMap());
    }

    /** The loggers and appenders that log4j 2 finds in a file of properties. */
    static Object log4j(Configuration question) throws Exception {
        Path file = Files.createTempFile("log4j", ".properties");
        Files.write(file, textOf(question).getBytes(StandardCharsets.ISO_8859_1));
        Object context = Oracle.create("org.apache.logging.log4j.core.LoggerContext", "claims");
        Oracle.on(context, "setConfigLocation", file.toUri());
        Oracle.on(context, "start");
        Object root = Oracle.on(Oracle.on(context, "getConfiguration"), "getRootLogger");
        String appenders = new TreeSet<>(((Map<?, ?>) Oracle.on(root, "getAppenders")).keySet()).toString();
        return Oracle.on(root, "getLevel") + " to " + appenders.replaceAll("-[0-9]+", "");
    }

    /** What log4j 2 makes of its files while a process logs for some seconds. */
    static Object logFiles(Configuration question) throws Exception {
        Path folder = Files.createTempDirectory("logs");
        Path file = folder.resolve("log4j.properties");
        Files.write(file, textOf(question).getBytes(StandardCharsets.ISO_8859_1));
        System.setProperty("log.file", folder.resolve("flink.log").toString());
        Object context = Oracle.create("org.apache.logging.log4j.core.LoggerContext", "files");
        Oracle.on(context, "setConfigLocation", file.toUri());
        Oracle.on(context, "start");
        Object logger = Oracle.on(context, "getLogger", "claims");
        for (int second = 0; second < 4; second++) {
            for (int line = 0; line < 200; line++) {
                Oracle.on(logger, "info", "a line of a log that is some hundred characters long, as most lines of a log are");
            }
            Thread.sleep(1_000);
        }
        Oracle.on(context, "stop");
        File[] found = folder.toFile().listFiles((in, name) -> name.startsWith("flink.log"));
        long bytes = Arrays.stream(found).mapToLong(File::length).sum();
        return found.length < 3 && bytes < 40_000 ? "old lines are gone" : "all lines are there";
    }

    /** What a command of the script `flink` ends with; `job.jar` does nothing, `count.jar` runs a job. */
    static Object command(Configuration question) throws Exception {
        Path folder = Files.createTempDirectory("command");
        Files.write(folder.resolve("flink-conf.yaml"), "rest.port: 1\n".getBytes(StandardCharsets.UTF_8));
        Files.write(folder.resolve("config.yaml"), "rest.port: 1\n".getBytes(StandardCharsets.UTF_8));
        List<String> words = new ArrayList<>(Arrays.asList(textOf(question).trim().split("\\s+")));
        words.remove(0);
        Path jar = jarOf(folder, words.contains(COUNTING) ? COUNT : NOTHING);
        words.replaceAll(word -> word.equals("job.jar") || word.equals(COUNTING) ? jar.toString() : word);
        Configuration settings = new Configuration();
        String frontend = "org.apache.flink.client.cli.CliFrontend";
        Object lines = Oracle.call(frontend, "loadCustomCommandLines", settings, folder.toString());
        Object made = Oracle.create(frontend, settings, lines);
        PrintStream output = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        int status;
        try {
            System.setOut(new PrintStream(printed, true, "UTF-8"));
            Method parse = Oracle.type(frontend).getDeclaredMethod(
                    Oracle.hasMethod(frontend, "parseAndRun") ? "parseAndRun" : "parseParameters", String[].class);
            parse.setAccessible(true);
            status = (Integer) parse.invoke(made, (Object) words.toArray(new String[0]));
        } finally {
            System.setOut(output);
        }
        if (status != 0) {
            throw new IllegalArgumentException("status " + status + " " + firstWords(printed.toString("UTF-8"), jar));
        }
        return "status 0";
    }

    private static String firstWords(String printed, Path jar) {
        String text = printed.replace(jar.toString(), "job.jar").replaceAll("(?m)^-+$|^\\s*at .*$", "").trim();
        return text.length() > 200 ? text.substring(0, 200) : text;
    }

    /** Compiles a program against the release, and runs it in a process of its own, where its classes are known. */
    static Object program(Configuration question) throws Exception {
        Path folder = Files.createTempDirectory("program");
        String path = System.getProperty("java.class.path") + question.toMap().getOrDefault(JARS, "");
        compile(folder, textOf(question), path);
        List<String> words = new ArrayList<>();
        words.add(System.getProperty("java.home") + "/bin/java");
        words.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        words.addAll(Arrays.asList("-cp", folder + File.pathSeparator + path, CLASS));
        Path printed = folder.resolve("printed");
        Process process = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(printed.toFile()).start();
        List<String> lines;
        try {
            int status = process.waitFor();
            lines = Files.readAllLines(printed, StandardCharsets.UTF_8);
            if (status != 0) {
                throw new IllegalStateException(thrown(lines));
            }
        } finally {
            process.destroyForcibly();
        }
        lines.removeIf(line -> !line.startsWith(SHOWS));
        return "the program ends " + String.join(" ", lines);
    }

    /** The first and the last exception of a stack trace. */
    private static String thrown(List<String> printed) {
        String first = "";
        String last = "";
        for (String line : printed) {
            if (line.startsWith("Exception in thread \"main\" ")) {
                first = line.substring("Exception in thread \"main\" ".length());
            } else if (line.startsWith("Caused by: ")) {
                last = line.substring("Caused by: ".length());
            }
        }
        return last.isEmpty() ? first : first + " <- " + last;
    }

    private static Path jarOf(Path folder, String source) throws Exception {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        compile(classes, source, System.getProperty("java.class.path"));
        Path jar = folder.resolve("job.jar");
        java.util.jar.Manifest manifest = new java.util.jar.Manifest();
        manifest.getMainAttributes().put(java.util.jar.Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(java.util.jar.Attributes.Name.MAIN_CLASS, CLASS);
        try (OutputStream sink = new FileOutputStream(jar.toFile()); JarOutputStream made = new JarOutputStream(sink, manifest)) {
            made.putNextEntry(new JarEntry(CLASS + ".class"));
            made.write(Files.readAllBytes(classes.resolve(CLASS + ".class")));
        }
        return jar;
    }

    private static void compile(Path folder, String source, String path) throws Exception {
        Path file = folder.resolve(CLASS + ".java");
        Files.write(file, source.getBytes(StandardCharsets.UTF_8));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, null, StandardCharsets.UTF_8)) {
            List<String> options = Arrays.asList(
                    "-nowarn", "-Xlint:none", "-cp", path, "-d", folder.toString());
            Iterable<? extends JavaFileObject> sources = files.getJavaFileObjects(file.toFile());
            if (!compiler.getTask(null, files, problems, options, null, sources).call()) {
                for (Diagnostic<? extends JavaFileObject> one : problems.getDiagnostics()) {
                    if (one.getKind() == Diagnostic.Kind.ERROR) {
                        throw new IllegalArgumentException(
                                "line " + one.getLineNumber() + ": " + one.getMessage(java.util.Locale.ROOT));
                    }
                }
            }
        }
    }

    static String textOf(Configuration question) {
        return question.toMap().get(TEXT);
    }
}
