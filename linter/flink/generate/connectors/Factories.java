import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints the factories of table connectors, formats, catalogs, modules and pipeline connectors, with the options that
 * they declare and the keys that they turn out to take, one JSON object a line.
 *
 * <p>Arguments: a file of sample values ("identifier TAB key TAB value"), then groups of jars "name=path,path". The
 * first group is Flink itself (called "base" if it is not asked itself), the one called "host" is the Kafka connector,
 * whose tables have the formats that are asked; every other one is a connector, which a child of Flink's class loader
 * loads. A factory is asked to create its table with samples of what it requires and, besides, with many keys that it
 * may take or not: it names those that it does not support. So keys below a prefix are found that no set of options
 * declares.
 */
public final class Factories {
    private static final String TABLE = "org.apache.flink.table.";
    private static final String FACTORY = TABLE + "factories.Factory";
    private static final String PIPELINE_FACTORY = "org.apache.flink.cdc.common.factories.Factory";
    private static final String PROBE = "zz-flint";
    private static final String OTHER = "zzflint";
    /** A value that no option takes whose values are words. */
    private static final String NUMBER = "5400";
    private static final String COLUMN = "name";
    private static final Pattern WORD = Pattern.compile("[A-Za-z][\\w-]{1,30}");
    /** Values that no message names; the factory is asked whether it takes them. */
    private static final String GUESSES = " random sequence big-endian little-endian ";
    private static final Pattern LIST = Pattern.compile("\\[[^\\[\\]]*,[^\\[\\]]*\\]");
    private static final int SECONDS = 120;
    private static final int ATTEMPTS = 12;
    private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9_-]*(\\.[a-z0-9_-]+)*\\.");
    private static final Pattern UNSUPPORTED =
            Pattern.compile("Unsupported options:\\s*\n\n(.*?)\n\nSupported options:", Pattern.DOTALL);
    private static final Pattern MISSING =
            Pattern.compile("Missing required options are:\\s*\n\n(.*?)(\n\n|$)", Pattern.DOTALL);

    /** The kinds of factories by the interfaces below which a factory of this kind is. */
    private static final Map<String, String> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put(TABLE + "factories.DynamicTableSourceFactory", "source");
        KINDS.put(TABLE + "factories.DynamicTableSinkFactory", "sink");
        KINDS.put(TABLE + "factories.DeserializationFormatFactory", "decoding");
        KINDS.put(TABLE + "factories.SerializationFormatFactory", "encoding");
        KINDS.put(TABLE + "factories.FileSystemFormatFactory", "bulk");
        KINDS.put(TABLE + "factories.BulkReaderFormatFactory", "bulk");
        KINDS.put(TABLE + "factories.BulkWriterFormatFactory", "bulk");
        KINDS.put("org.apache.flink.connector.file.table.factories.BulkReaderFormatFactory", "bulk");
        KINDS.put("org.apache.flink.connector.file.table.factories.BulkWriterFormatFactory", "bulk");
        KINDS.put(TABLE + "factories.CatalogFactory", "catalog");
        KINDS.put(TABLE + "factories.ModuleFactory", "module");
        KINDS.put("org.apache.flink.cdc.common.factories.DataSourceFactory", "pipeline source");
        KINDS.put("org.apache.flink.cdc.common.factories.DataSinkFactory", "pipeline sink");
    }

    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    private final Map<String, Map<String, String>> samples = new LinkedHashMap<>();
    private final Set<String> common = new TreeSet<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread made = new Thread(task);
        made.setDaemon(true);
        return made;
    });
    private URLClassLoader flink;
    private URL[] host;
    private final Map<ClassLoader, ClassLoader> hosts = new java.util.concurrent.ConcurrentHashMap<>();

    public static void main(String[] arguments) throws Exception {
        // Classes may log to standard output while they load; the JSON must stay clean.
        Factories factories = new Factories();
        System.setOut(System.err);
        factories.run(Path.of(arguments[0]), Arrays.asList(arguments).subList(1, arguments.length));
        factories.out.flush();
        Runtime.getRuntime().halt(0); // a factory may have started threads
    }

    private void run(Path sampleFile, List<String> groups) throws Exception {
        for (String line : Files.readAllLines(sampleFile)) {
            String[] fields = line.split("\t", -1);
            samples.computeIfAbsent(fields[0], name -> new LinkedHashMap<>()).put(fields[1], fields[2]);
        }
        for (String group : groups) {
            int equals = group.indexOf('=');
            String name = group.substring(0, equals);
            List<URL> jars = new ArrayList<>();
            for (String path : group.substring(equals + 1).split(",")) {
                jars.add(new File(path).toURI().toURL());
            }
            if (name.equals("host")) {
                host = jars.toArray(new URL[0]);
                continue;
            }
            ClassLoader parent = flink == null ? ClassLoader.getPlatformClassLoader() : flink;
            URLClassLoader loader = new URLClassLoader(jars.toArray(new URL[0]), parent);
            if (flink == null) {
                flink = loader;
                readCommon(name);
                if (name.equals("base")) {
                    continue;
                }
            }
            Thread.currentThread().setContextClassLoader(loader);
            Set<String> prefixes = null;
            for (String service : Arrays.asList(FACTORY, PIPELINE_FACTORY)) {
                for (String factory : providers(loader, service)) {
                    if (prefixes == null) {
                        prefixes = loader == flink ? Collections.emptySet() : prefixes(jars);
                    }
                    try {
                        describe(name, loader, factory, prefixes);
                    } catch (Throwable problem) {
                        System.err.println(name + ": cannot read " + factory + ": " + problem);
                    }
                }
            }
        }
    }

    /** The options that Flink itself reads of every table. */
    private void readCommon(String group) throws Exception {
        for (Field field : flink.loadClass(TABLE + "factories.FactoryUtil").getDeclaredFields()) {
            if (field.getType().getName().endsWith(".ConfigOption") && Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                Object option = field.get(null);
                common.add((String) Reflect.call(option, "key"));
                Map<String, Object> record = new LinkedHashMap<>();
                record.put("group", group);
                record.put("kinds", List.of("common"));
                record.putAll(option(option));
                out.println(Reflect.json(record));
            }
        }
        common.removeAll(Arrays.asList("connector", "property-version", "format", "key.format", "value.format"));
    }

    private static Set<String> providers(URLClassLoader loader, String service) throws IOException {
        Set<String> found = new LinkedHashSet<>();
        for (Enumeration<URL> files = loader.findResources("META-INF/services/" + service); files.hasMoreElements(); ) {
            try (BufferedReader lines = new BufferedReader(
                    new InputStreamReader(files.nextElement().openStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    String name = line.replaceAll("#.*", "").trim();
                    if (!name.isEmpty()) {
                        found.add(name);
                    }
                }
            }
        }
        return found;
    }

    /** The constants in the classes of a connector that may be prefixes of its keys. */
    private static Set<String> prefixes(List<URL> jars) throws Exception {
        Set<String> found = new TreeSet<>();
        for (URL url : jars) {
            try (JarFile jar = new JarFile(new File(url.toURI()))) {
                for (JarEntry entry : Collections.list(jar.entries())) {
                    String name = entry.getName();
                    boolean isOwn = name.contains("/flink/") || name.contains("/cdc/");
                    if (isOwn && !name.contains("shaded") && name.endsWith(".class")) {
                        try (InputStream in = jar.getInputStream(entry)) {
                            addConstants(new DataInputStream(new BufferedInputStream(in)), found);
                        }
                    }
                }
            }
        }
        return found;
    }

    private static void addConstants(DataInputStream data, Set<String> found) throws IOException {
        for (String text : Reflect.constants(data)) {
            if (text != null && text.length() < 60 && PREFIX.matcher(text).matches()) {
                found.add(text);
            }
        }
    }

    private void describe(String group, ClassLoader loader, String name, Set<String> prefixes) throws Exception {
        Class<?> type = Class.forName(name, true, loader);
        Set<String> kinds = kinds(type);
        if (kinds.isEmpty()) {
            return;
        }
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object factory = constructor.newInstance();
        boolean isPipeline = kinds.iterator().next().startsWith("pipeline");
        Object identifier = Reflect.call(factory, isPipeline ? "identifier" : "factoryIdentifier");
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("group", group);
        record.put("identifier", identifier);
        record.put("class", name);
        record.put("kinds", kinds);
        Map<String, Object> declared = new LinkedHashMap<>();
        List<Object> required = options(factory, "requiredOptions");
        List<Object> optional = options(factory, "optionalOptions");
        record.put("required", texts(required));
        record.put("optional", texts(optional));
        for (Object option : optional) {
            declared.put((String) Reflect.call(option, "key"), option);
        }
        for (Object option : required) {
            declared.put((String) Reflect.call(option, "key"), option);
        }
        Map<String, Object> answers = new LinkedHashMap<>();
        for (String kind : kinds) {
            if (!kind.equals("bulk")) {
                Map<String, String> probes = probes(declared, prefixes, kind);
                answers.put(kind, new Question(loader, factory, (String) identifier, kind, declared, probes).ask(required));
            }
        }
        record.put("answers", answers);
        out.println(Reflect.json(record));
    }

    private static Set<String> kinds(Class<?> type) {
        Set<String> found = new LinkedHashSet<>();
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            for (Class<?> face : one.getInterfaces()) {
                if (KINDS.containsKey(face.getName())) {
                    found.add(KINDS.get(face.getName()));
                }
                found.addAll(kinds(face));
            }
        }
        return found;
    }

    private static List<Object> options(Object factory, String method) throws Exception {
        Collection<?> found = (Collection<?>) Reflect.call(factory, method);
        return found == null ? Collections.emptyList() : new ArrayList<>(found);
    }

    private static List<Object> texts(List<Object> options) throws Exception {
        Map<String, Object> found = new java.util.TreeMap<>();
        for (Object option : options) {
            found.put((String) Reflect.call(option, "key"), option(option));
        }
        return new ArrayList<>(found.values());
    }

    private static Map<String, Object> option(Object option) throws Exception {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("key", Reflect.call(option, "key"));
        record.putAll(Reflect.facts(option));
        return record;
    }

    /** The keys that a factory may take or not, with values of the type of their option. */
    private Map<String, String> probes(Map<String, Object> declared, Set<String> constants, String kind)
            throws Exception {
        Map<String, String> found = new LinkedHashMap<>();
        found.put(PROBE, "1");
        Set<String> prefixes = new TreeSet<>(constants);
        for (Map.Entry<String, Object> entry : declared.entrySet()) {
            String key = entry.getKey();
            prefixes.add(key + ".");
            for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
                prefixes.add(key.substring(0, dot + 1));
            }
            for (Object alias : (Iterable<?>) Reflect.call(entry.getValue(), "fallbackKeys")) {
                found.put((String) Reflect.call(alias, "getKey"), sample(entry.getValue()));
            }
        }
        for (String prefix : prefixes) {
            found.put(prefix + PROBE, "1");
        }
        if (kind.equals("source") || kind.equals("sink")) {
            for (String key : common) {
                found.put(key, key.contains("parallelism") ? "1" : key.contains("strategy") ? "on-event"
                        : key.contains("group") ? "g" : "1 min");
            }
        }
        found.keySet().removeAll(declared.keySet());
        return found;
    }

    private static String sample(Object option) throws Exception {
        Class<?> type = (Class<?>) Reflect.privateField(option, "clazz");
        if (((String) Reflect.call(option, "key")).endsWith("format")) {
            return "json";
        }
        if ((Boolean) Reflect.call(option, "hasDefaultValue")) {
            Object value = Reflect.plain(Reflect.call(option, "defaultValue"));
            if (!(value instanceof Collection) && !(value instanceof Map)) {
                return String.valueOf(value);
            }
        }
        if (type == null) {
            return "a";
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0].toString();
        }
        return switch (type.getSimpleName()) {
            case "Boolean" -> "true";
            case "Integer", "Long", "Float", "Double" -> "1";
            case "Duration" -> "1 min";
            case "MemorySize" -> "1 mb";
            case "Map" -> "a:b";
            default -> "a";
        };
    }

    /** What a factory makes of samples of its options, with keys besides that it may support or not. */
    private final class Question {
        private final ClassLoader loader;
        private final Object factory;
        private final String identifier;
        private final String kind;
        private final Map<String, Object> declared;
        private final Map<String, String> probes;
        private final Map<String, String> given = new LinkedHashMap<>();

        Question(ClassLoader loader, Object factory, String identifier, String kind, Map<String, Object> declared,
                Map<String, String> probes) {
            this.loader = loader;
            this.factory = factory;
            this.identifier = identifier;
            this.kind = kind;
            this.declared = declared;
            this.probes = probes;
        }

        Map<String, Object> ask(List<Object> required) throws Exception {
            Map<String, Object> answer = new LinkedHashMap<>();
            for (Object option : required) {
                given.put((String) Reflect.call(option, "key"), sample(option));
            }
            String prefix = isFormat() ? identifier + "." : "";
            given.putAll(samples.getOrDefault(kind.startsWith("pipeline") ? kind + " " + identifier : identifier,
                    Collections.emptyMap()));
            given.forEach((key, value) -> {
                if (key.endsWith("format")) {
                    probes.put(key.substring(0, key.length() - "format".length()) + value + "." + PROBE, "1");
                }
            });
            String why = null;
            for (Shape shape : Shape.values()) {
                for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                    String refusal = refusal(shape, prefix, probes);
                    if (refusal == null) {
                        answer.put("open", true);
                        answer.put("choices", choices(prefix));
                        return answer;
                    }
                    Matcher unsupported = UNSUPPORTED.matcher(refusal);
                    if (unsupported.find()) {
                        Set<String> taken = new TreeSet<>();
                        Set<String> refused = new LinkedHashSet<>(Arrays.asList(unsupported.group(1).split("\n")));
                        for (String key : probes.keySet()) {
                            if (!refused.contains(prefix + key)) {
                                taken.add(key);
                            }
                        }
                        answer.put("open", taken.contains(PROBE));
                        answer.put("taken", taken);
                        answer.put("choices", choices(prefix));
                        return answer;
                    }
                    Matcher missing = MISSING.matcher(refusal);
                    boolean isMore = false;
                    if (missing.find()) {
                        for (String key : missing.group(1).split("\n")) {
                            isMore |= given.put(key, declared.containsKey(key) ? sample(declared.get(key)) : "a") == null;
                        }
                    }
                    if (!isMore) {
                        why = refusal;
                        break;
                    }
                }
            }
            answer.put("open", null);
            answer.put("why", why.length() > 300 ? why.substring(0, 300) : why);
            return answer;
        }

        private boolean isFormat() {
            return kind.equals("decoding") || kind.equals("encoding");
        }

        /**
         * The values that the factory takes of options that are texts for Flink: those of the words of its refusal of
         * another value that it does not refuse likewise.
         */
        private Map<String, Object> choices(String prefix) throws Exception {
            Map<String, Object> found = new java.util.TreeMap<>();
            Shape shape = null;
            for (Shape one : Shape.values()) {
                if (shape == null && refusal(one, prefix, Collections.emptyMap()) == null) {
                    shape = one;
                }
            }
            if (shape == null) {
                return found;
            }
            for (Map.Entry<String, Object> entry : declared.entrySet()) {
                String key = entry.getKey().replace("#", COLUMN);
                if (Reflect.privateField(entry.getValue(), "clazz") != String.class || key.endsWith("format")) {
                    continue;
                }
                String kept = given.get(key);
                String refused = refused(shape, prefix, key, OTHER);
                boolean isOfWords = refused != null && refused(shape, prefix, key, NUMBER) != null;
                if (isOfWords) {
                    Set<String> taken = new TreeSet<>();
                    Matcher words = WORD.matcher(listed(refused) + GUESSES);
                    while (words.find()) {
                        String word = words.group();
                        if (!word.equals(OTHER) && !refused.equals(refused(shape, prefix, key, word, refused))) {
                            taken.add(word);
                        }
                    }
                    if (taken.size() > 1) {
                        String one = taken.iterator().next();
                        String other = one.equals(one.toUpperCase()) ? one.toLowerCase() : one.toUpperCase();
                        boolean isExact = refused.equals(refused(shape, prefix, key, other, refused));
                        found.put(entry.getKey(), Map.of("values", taken, "exact", isExact));
                    }
                }
                given.remove(key);
                if (kept != null) {
                    given.put(key, kept);
                }
            }
            return found;
        }

        /** The lists in a message, in brackets or after a colon. */
        private String listed(String message) {
            StringBuilder found = new StringBuilder();
            for (Matcher lists = LIST.matcher(message); lists.find(); ) {
                found.append(lists.group()).append(' ');
            }
            return found.toString();
        }

        private String refused(Shape shape, String prefix, String key, String value) {
            given.put(key, value);
            return refusal(shape, prefix, Collections.emptyMap());
        }

        /** The refusal of a value, or the other one if it differs from that only in the value. */
        private String refused(Shape shape, String prefix, String key, String value, String other) {
            String text = refused(shape, prefix, key, value);
            boolean isSame = text != null && without(text, value).equals(without(without(other, OTHER), value));
            return isSame ? other : text;
        }

        /** A message without a value, however the factory spells it. */
        private String without(String message, String value) {
            return plain(message).replace(plain(value), "");
        }

        private String plain(String text) {
            return text.toLowerCase().replaceAll("[_-]", "");
        }

        /** The messages with which the factory refuses the options; null if it takes all of them. */
        private String refusal(Shape shape, String prefix, Map<String, String> more) {
            Map<String, String> options = new LinkedHashMap<>();
            Map<String, String> own = new LinkedHashMap<>(more);
            own.putAll(given);
            own.forEach((key, value) -> options.put(prefix + key, value));
            Future<?> created = threads.submit(() -> {
                Thread.currentThread().setContextClassLoader(loader);
                create(shape, options);
                return null;
            });
            try {
                created.get(SECONDS, TimeUnit.SECONDS);
                return null;
            } catch (TimeoutException late) {
                created.cancel(true);
                return "no answer";
            } catch (Exception refused) {
                StringBuilder text = new StringBuilder();
                for (Throwable one = refused.getCause(); one != null; one = one.getCause()) {
                    if (!(one instanceof java.lang.reflect.InvocationTargetException)) {
                        String message = String.valueOf(one.getMessage());
                        // The outermost message of Flink repeats all options of the table.
                        text.append(one.getClass().getSimpleName()).append(": ")
                                .append(message.replaceAll("(?s)Table options are:.*", "")).append("\n\n");
                    }
                }
                return text.toString();
            }
        }

        private void create(Shape shape, Map<String, String> options) throws Exception {
            Object settings = flink.loadClass("org.apache.flink.configuration.Configuration")
                    .getDeclaredConstructor().newInstance();
            switch (kind) {
                case "source", "sink" -> {
                    options.put("connector", identifier);
                    table(kind, shape, options, settings, loader, factory);
                }
                case "decoding", "encoding" -> {
                    Map<String, String> hosted = new LinkedHashMap<>(samples.get("kafka"));
                    hosted.put("connector", "kafka");
                    hosted.put("topic", "t");
                    hosted.put("format", identifier);
                    hosted.putAll(options);
                    ClassLoader hosting = hosts.computeIfAbsent(loader, parent -> new URLClassLoader(host, parent));
                    Thread.currentThread().setContextClassLoader(hosting);
                    table(kind.equals("decoding") ? "source" : "sink", shape, hosted, settings, hosting, null);
                }
                case "catalog" -> {
                    options.put("type", identifier);
                    util("createCatalog", "c", options, settings, loader);
                }
                case "module" -> util("createModule", identifier, options, settings, loader);
                default -> pipeline(options);
            }
        }

        private void pipeline(Map<String, String> options) throws Exception {
            String package_ = "org.apache.flink.cdc.common.";
            Class<?> configuration = loader.loadClass(package_ + "configuration.Configuration");
            Object given = configuration.getMethod("fromMap", Map.class).invoke(null, options);
            Object empty = configuration.getDeclaredConstructor().newInstance();
            Class<?> type = loader.loadClass(package_ + "factories.FactoryHelper$DefaultContext");
            Object context = type.getConstructors()[0].newInstance(given, empty, loader);
            String method = kind.equals("pipeline source") ? "createDataSource" : "createDataSink";
            for (Method one : factory.getClass().getMethods()) {
                if (one.getName().equals(method) && !one.isBridge()) {
                    one.setAccessible(true);
                    one.invoke(factory, context);
                }
            }
        }
    }

    /** The tables that a factory is asked to create: some require a key, some only one column. */
    private enum Shape {
        KEYED, PLAIN, SINGLE
    }

    private void table(String kind, Shape shape, Map<String, String> options, Object settings, ClassLoader loader,
            Object factory) throws Exception {
        Object name = flink.loadClass(TABLE + "catalog.ObjectIdentifier")
                .getMethod("of", String.class, String.class, String.class).invoke(null, "c", "d", "t");
        Object table = table(shape, options);
        try {
            util(kind.equals("source") ? "createDynamicTableSource" : "createDynamicTableSink",
                    factory, name, table, settings, loader, Collections.emptyMap());
        } catch (NoSuchMethodException upTo114) {
            util(kind.equals("source") ? "createTableSource" : "createTableSink", name, table, settings, loader);
        }
    }

    private Object table(Shape shape, Map<String, String> options) throws Exception {
        Class<?> types = flink.loadClass(TABLE + "api.DataTypes");
        Object number = on(types.getMethod("BIGINT").invoke(null), "notNull");
        Object text = types.getMethod("STRING").invoke(null);
        try {
            Object schema = flink.loadClass(TABLE + "api.Schema").getMethod("newBuilder").invoke(null);
            List<Object> columns = new ArrayList<>();
            Class<?> column = flink.loadClass(TABLE + "catalog.Column");
            Class<?> type = flink.loadClass(TABLE + "types.DataType");
            Method physical = column.getMethod("physical", String.class, type);
            if (shape != Shape.SINGLE) {
                columns.add(physical.invoke(null, "id", number));
            }
            columns.add(physical.invoke(null, "name", text));
            Object key = shape != Shape.KEYED ? null : flink.loadClass(TABLE + "catalog.UniqueConstraint")
                    .getMethod("primaryKey", String.class, List.class).invoke(null, "k", List.of("id"));
            Object resolved = flink.loadClass(TABLE + "catalog.ResolvedSchema")
                    .getConstructor(List.class, List.class, key == null
                            ? flink.loadClass(TABLE + "catalog.UniqueConstraint") : key.getClass())
                    .newInstance(columns, List.of(), key);
            Object origin = built(schema, options);
            Class<?> interface_ = flink.loadClass(TABLE + "catalog.CatalogTable");
            return flink.loadClass(TABLE + "catalog.ResolvedCatalogTable")
                    .getConstructor(interface_, resolved.getClass()).newInstance(origin, resolved);
        } catch (ClassNotFoundException upTo112) {
            Object builder = flink.loadClass(TABLE + "api.TableSchema").getMethod("builder").invoke(null);
            Class<?> type = flink.loadClass(TABLE + "types.DataType");
            Method field = builder.getClass().getMethod("field", String.class, type);
            if (shape != Shape.SINGLE) {
                field.invoke(builder, "id", number);
            }
            field.invoke(builder, "name", text);
            if (shape == Shape.KEYED) {
                builder.getClass().getMethod("primaryKey", String[].class).invoke(builder, (Object) new String[] {"id"});
            }
            Object schema = on(builder, "build");
            return flink.loadClass(TABLE + "catalog.CatalogTableImpl")
                    .getConstructor(schema.getClass(), Map.class, String.class).newInstance(schema, options, "");
        }
    }

    private Object built(Object schema, Map<String, String> options) throws Exception {
        Class<?> table = flink.loadClass(TABLE + "catalog.CatalogTable");
        Object empty = on(schema, "build");
        try {
            return table.getMethod("of", empty.getClass(), String.class, List.class, Map.class)
                    .invoke(null, empty, "", List.of(), options);
        } catch (NoSuchMethodException since2) {
            Object builder = table.getMethod("newBuilder").invoke(null);
            builder.getClass().getMethod("schema", empty.getClass()).invoke(builder, empty);
            builder.getClass().getMethod("options", Map.class).invoke(builder, options);
            return on(builder, "build");
        }
    }

    /** Calls a static method of FactoryUtil with those of the given values that each parameter takes. */
    private Object util(String method, Object... given) throws Exception {
        Method[] methods = flink.loadClass(TABLE + "factories.FactoryUtil").getMethods();
        Arrays.sort(methods, (one, other) -> Integer.compare(one.getParameterCount(), other.getParameterCount()));
        for (Method found : methods) {
            if (found.getName().equals(method) && Modifier.isStatic(found.getModifiers())) {
                return found.invoke(null, fitting(found, given));
            }
        }
        throw new NoSuchMethodException(method);
    }

    private static Object[] fitting(Executable method, Object[] given) {
        Class<?>[] types = method.getParameterTypes();
        Object[] found = new Object[types.length];
        for (int place = 0; place < types.length; place++) {
            if (types[place] == boolean.class) {
                found[place] = false;
                continue;
            }
            for (Object one : given) {
                if (types[place].isInstance(one)) {
                    found[place] = one;
                }
            }
        }
        return found;
    }

    private static Object on(Object owner, String method) throws Exception {
        Method found = owner.getClass().getMethod(method);
        found.setAccessible(true);
        return found.invoke(owner);
    }
}
