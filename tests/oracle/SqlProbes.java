import java.io.File;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;

/** Asks what Flink makes of SQL scripts, with the connectors on a class path that nothing else sees. */
final class SqlProbes {
    private static final String API = "org.apache.flink.table.api.";
    private static final Pattern SET = Pattern.compile("(?i)set\\s+'([^']+)'\\s*=\\s*'([^']*)'");

    /** The folder that scripts name for what they write, in place of which each has one of its own. */
    private static final String OUTPUT = "file:///output";

    /** How long a job without an end runs. */
    private static final int SECONDS = 6;

    private static final int MAX_OBJECTS = 20_000;

    private static ClassLoader connectors;

    private SqlProbes() {}

    private interface Statements {
        /** Takes a statement with a query. */
        void query(Object tables, String statement) throws Exception;
    }

    /** How many statements are planned. */
    static Object planned(Configuration settings) throws Exception {
        int[] count = {0};
        script(FileProbes.textOf(settings), (tables, statement) -> {
            explained(tables, statement);
            count[0]++;
        });
        return count[0] + " planned";
    }

    /** The operators that the planner makes of the statements, with what it gives to each. */
    static Object plan(Configuration settings) throws Exception {
        List<String> plans = new ArrayList<>();
        script(FileProbes.textOf(settings), (tables, statement) -> {
            String[] parts = explained(tables, statement).split("(?m)^== Optimized (Execution|Logical) Plan ==$");
            plans.add(parts[parts.length - 1].split("(?m)^== ")[0]);
        });
        return String.join(" ", plans);
    }

    private static String explained(Object tables, String statement) throws Exception {
        return (String) Oracle.on(
                tables, "explainSql", statement, Array.newInstance(Oracle.type(API + "ExplainDetail"), 0));
    }

    /** What the operators of the job are set to, connectors first: the plain fields of all objects that they hold. */
    static Object job(Configuration settings) throws Exception {
        Set<String> found = new TreeSet<>();
        script(FileProbes.textOf(settings), (tables, statement) -> {
            List<?> operations = (List<?>) Oracle.on(Oracle.on(tables, "getParser"), "parse", statement);
            addFields(Oracle.on(Oracle.on(tables, "getPlanner"), "translate", operations), found);
        });
        return String.join(" ", found);
    }

    /** The rows of the queries, and the files that were written; a statement without an end is cancelled. */
    static Object run(Configuration settings) throws Exception {
        Path folder = Files.createTempDirectory("output");
        Collection<String> rows = new TreeSet<>();
        script(FileProbes.textOf(settings).replace(OUTPUT, folder.toUri().toString()), (tables, statement) -> {
            Object result = Oracle.on(tables, "executeSql", statement);
            FutureTask<Void> collected = new FutureTask<>(() -> {
                for (Iterator<?> given = (Iterator<?>) Oracle.on(result, "collect"); given.hasNext(); ) {
                    rows.add(String.valueOf(given.next()));
                }
                return null;
            });
            new Thread(collected).start();
            await(collected, Oracle.on(result, "getJobClient"));
        });
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                String name = folder.relativize(file).toString().replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}|-\\d+-\\d+", "");
                if (!name.endsWith(".crc")) {
                    rows.add(name + ":" + new String(Files.readAllBytes(file), StandardCharsets.UTF_8).trim());
                }
            }
        }
        return rows;
    }

    private static void await(Future<?> job, Object client) throws Exception {
        try {
            job.get(SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException endless) {
            Object cancelled = Oracle.on(((java.util.Optional<?>) client).get(), "cancel");
            ((Future<?>) cancelled).get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception ? (Exception) failed.getCause() : failed;
        }
    }

    // -- what they share

    /** Sets the options of a script, creates its tables, and hands on its queries. */
    private static void script(String text, Statements queries) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(connectors());
        try {
            statements(text, queries);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static void statements(String text, Statements queries) throws Exception {
        if (!Oracle.isThere(API + "TableEnvironment") || !Oracle.isThere(API + "config.ExecutionConfigOptions")) {
            throw new Oracle.NotThere("no planner");
        }
        Object mode = Oracle.on(Oracle.call(API + "EnvironmentSettings", "newInstance"), "inStreamingMode");
        Object tables = Oracle.call(API + "TableEnvironment", "create", Oracle.on(mode, "build"));
        Object given = Oracle.on(Oracle.on(tables, "getConfig"), "getConfiguration");
        for (String statement : text.split(";[ \\t]*(?:\n|$)")) {
            Matcher set = SET.matcher(statement.trim());
            if (set.matches()) {
                ((Configuration) given).setString(set.group(1), set.group(2));
            } else if (statement.trim().matches("(?is)set\\b.*")) {
                Oracle.on(Oracle.on(tables, "getParser"), "parse", statement.trim());
            } else if (statement.trim().matches("(?is)(insert|select|with)\\b.*")) {
                queries.query(tables, statement.trim());
            } else if (!statement.trim().isEmpty()) {
                Oracle.on(tables, "executeSql", statement);
            }
        }
    }

    static synchronized ClassLoader connectors() throws Exception {
        if (connectors == null) {
            List<URL> jars = new ArrayList<>();
            for (String path : System.getProperty("flint.connectors", "").split(File.pathSeparator)) {
                if (!path.isEmpty()) {
                    jars.add(new File(path).toURI().toURL());
                }
            }
            connectors = new URLClassLoader(jars.toArray(new URL[0]), Oracle.LOADER);
        }
        return connectors;
    }

    /** Adds the fields of all objects of Flink that can be reached, as <code>Class.field=value</code>. */
    static void addFields(Object root, Set<String> found) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> left = new ArrayDeque<>(Collections.singletonList(root));
        while (!left.isEmpty() && seen.size() < MAX_OBJECTS) {
            Object owner = left.pop();
            if (!seen.add(owner)) {
                continue;
            }
            if (owner instanceof Collection) {
                ((Collection<?>) owner).stream().filter(one -> one != null).forEach(left::push);
            } else if (owner instanceof Object[]) {
                Arrays.stream((Object[]) owner).filter(one -> one != null).forEach(left::push);
            } else if (owner instanceof Map) {
                left.push(new ArrayList<>(((Map<?, ?>) owner).values()));
            } else if (owner.getClass().getName().startsWith("org.apache.flink.") && !(owner instanceof Class)) {
                addFields(owner, left, found);
            }
        }
    }

    private static void addFields(Object owner, Deque<Object> left, Set<String> found) {
        for (Class<?> type = owner.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                Object value = Modifier.isStatic(field.getModifiers()) ? null : valueOf(field, owner);
                boolean isPlain = value instanceof Number || value instanceof Boolean || value instanceof Enum
                        || value instanceof String || value instanceof Duration;
                if (isPlain && String.valueOf(value).length() < 80 && type.getName().contains(".connector")) {
                    found.add(type.getSimpleName() + "." + field.getName() + "=" + value);
                } else if (value == null && type.getName().contains(".connector")) {
                    found.add(type.getSimpleName() + "." + field.getName() + "=null");
                } else if (value != null && !isPlain) {
                    left.push(value);
                }
            }
        }
    }

    private static Object valueOf(Field field, Object owner) {
        try {
            field.setAccessible(true);
            return field.get(owner);
        } catch (ReflectiveOperationException | RuntimeException closed) {
            return ""; // of the JDK
        }
    }
}
