import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Prints every ConfigOption in the classes of one Flink distribution, one JSON object per line.
 *
 * <p>Arguments: a scratch directory, then groups of jars "name=path,path". The first group is the class
 * path of the cluster; every other one (an optional jar, a plugin) is loaded by a child of it, as Flink
 * does, because plugins may hold classes of the same name. Jars inside the jars of the first group whose
 * name says they are Flink's (the planner, the RPC system) become groups of their own.
 */
public final class Reflect {
    private static final String OPTION = "org.apache.flink.configuration.ConfigOption";
    private static final String DESCRIPTOR = "L" + OPTION.replace('.', '/') + ";";
    private static final String SUFFIX_ANNOTATION = "Documentation$SuffixOption";

    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    private final Set<String> seenClasses = new HashSet<>();

    public static void main(String[] arguments) throws Exception {
        // Classes of Flink may log to standard output while they load; the JSON must stay clean.
        Reflect reflect = new Reflect();
        System.setOut(System.err);
        reflect.run(Path.of(arguments[0]), Arrays.asList(arguments).subList(1, arguments.length));
        reflect.out.flush();
    }

    private void run(Path scratch, List<String> groups) throws Exception {
        ClassLoader cluster = null;
        for (String group : groups) {
            int equals = group.indexOf('=');
            String name = group.substring(0, equals);
            List<File> jars = new ArrayList<>();
            for (String path : group.substring(equals + 1).split(",")) {
                jars.add(new File(path));
            }
            ClassLoader parent = cluster == null ? ClassLoader.getPlatformClassLoader() : cluster;
            ClassLoader loader = new URLClassLoader(urls(jars), parent);
            scan(name, jars, loader);
            if (cluster == null) {
                cluster = loader;
                for (File nested : nestedJars(jars, scratch)) {
                    List<File> one = List.of(nested);
                    String label = nested.getName().contains("planner") ? "planner" : "nested";
                    scan(label, one, new URLClassLoader(urls(one), cluster));
                }
            }
        }
    }

    private static URL[] urls(List<File> jars) throws IOException {
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = jars.get(i).toURI().toURL();
        }
        return urls;
    }

    private static List<File> nestedJars(List<File> jars, Path scratch) throws IOException {
        List<File> nested = new ArrayList<>();
        for (File jar : jars) {
            try (JarFile file = new JarFile(jar)) {
                for (Enumeration<JarEntry> e = file.entries(); e.hasMoreElements(); ) {
                    JarEntry entry = e.nextElement();
                    String base = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
                    if (base.startsWith("flink-") && base.endsWith(".jar")) {
                        Path copy = scratch.resolve(base);
                        try (InputStream in = file.getInputStream(entry)) {
                            Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
                        }
                        nested.add(copy.toFile());
                    }
                }
            }
        }
        return nested;
    }

    private void scan(String group, List<File> jars, ClassLoader loader) throws IOException {
        Set<String> names = new TreeSet<>();
        for (File jar : jars) {
            try (JarFile file = new JarFile(jar)) {
                for (Enumeration<JarEntry> e = file.entries(); e.hasMoreElements(); ) {
                    JarEntry entry = e.nextElement();
                    String name = entry.getName();
                    if (name.startsWith("org/apache/flink/") && name.endsWith(".class")) {
                        try (InputStream in = file.getInputStream(entry)) {
                            if (declaresOption(new BufferedInputStream(in))) {
                                names.add(name.substring(0, name.length() - 6).replace('/', '.'));
                            }
                        }
                    }
                }
            }
        }
        for (String name : names) {
            if (seenClasses.add(name)) {
                try {
                    emit(group, Class.forName(name, false, loader));
                } catch (Throwable problem) {
                    System.err.println("cannot read " + name + ": " + problem);
                }
            }
        }
    }

    /** The texts in the constants of a class file, by their places; what follows the constants is read next. */
    static String[] constants(DataInputStream data) throws IOException {
        data.skipNBytes(8); // magic and version
        int poolSize = data.readUnsignedShort();
        String[] texts = new String[poolSize];
        for (int i = 1; i < poolSize; i++) {
            int tag = data.readUnsignedByte();
            switch (tag) {
                case 1 -> texts[i] = data.readUTF();
                case 7, 8, 16, 19, 20 -> data.skipNBytes(2);
                case 15 -> data.skipNBytes(3);
                case 5, 6 -> {
                    data.skipNBytes(8);
                    i++; // longs and doubles take two places
                }
                default -> data.skipNBytes(4);
            }
        }
        return texts;
    }

    /**
     * Whether a class declares a field of type ConfigOption, according to its class file: loading every class
     * that merely mentions one would fail on those that need Hadoop.
     */
    private static boolean declaresOption(InputStream in) throws IOException {
        DataInputStream data = new DataInputStream(in);
        String[] texts = constants(data);
        data.skipNBytes(6); // access, this, super
        data.skipNBytes(2L * data.readUnsignedShort()); // interfaces
        for (int fields = data.readUnsignedShort(); fields > 0; fields--) {
            data.skipNBytes(4);
            if (DESCRIPTOR.equals(texts[data.readUnsignedShort()])) {
                return true;
            }
            for (int attributes = data.readUnsignedShort(); attributes > 0; attributes--) {
                data.skipNBytes(2);
                data.skipNBytes(data.readInt());
            }
        }
        return false;
    }

    private void emit(String group, Class<?> holder) throws Exception {
        Object module = null;
        for (Field field : holder.getDeclaredFields()) {
            if (!field.getType().getName().equals(OPTION) || field.isSynthetic()) {
                continue;
            }
            field.setAccessible(true);
            Object option;
            if (Modifier.isStatic(field.getModifiers())) {
                option = field.get(null);
            } else {
                // Scala objects keep their values in instance fields of the one instance MODULE$.
                if (module == null) {
                    try {
                        Field instance = holder.getDeclaredField("MODULE$");
                        instance.setAccessible(true);
                        module = instance.get(null);
                    } catch (NoSuchFieldException e) {
                        continue;
                    }
                }
                option = field.get(module);
            }
            if (option != null) {
                out.println(json(describe(group, holder, field, option)));
            }
        }
    }

    private static Map<String, Object> describe(String group, Class<?> holder, Field field, Object option)
            throws Exception {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("key", call(option, "key"));
        record.put("class", holder.getName());
        record.put("field", field.getName());
        record.put("group", group);
        record.put("generic", generic(field.getGenericType()));
        record.putAll(facts(option));
        record.put("deprecated", field.isAnnotationPresent(Deprecated.class)
                || holder.isAnnotationPresent(Deprecated.class));
        for (Annotation annotation : field.getAnnotations()) {
            if (annotation.annotationType().getName().endsWith(SUFFIX_ANNOTATION)) {
                record.put("prefix", call(annotation, "value"));
            }
        }
        return record;
    }

    /** What an option itself says: its type, default and other keys. */
    static Map<String, Object> facts(Object option) throws Exception {
        Map<String, Object> record = new LinkedHashMap<>();
        Class<?> type = (Class<?>) privateField(option, "clazz");
        record.put("type", type == null ? null : type.getName());
        record.put("list", Boolean.TRUE.equals(privateField(option, "isList")));
        if (type != null && type.isEnum()) {
            List<Object> values = new ArrayList<>();
            for (Object constant : type.getEnumConstants()) {
                values.add(constant.toString());
            }
            record.put("enum", values);
        }
        boolean hasDefault = (Boolean) call(option, "hasDefaultValue");
        record.put("has_default", hasDefault);
        record.put("default", hasDefault ? plain(call(option, "defaultValue")) : null);
        List<Object> aliases = new ArrayList<>();
        for (Object alias : (Iterable<?>) call(option, "fallbackKeys")) {
            aliases.add(List.of(call(alias, "getKey"), call(alias, "isDeprecated")));
        }
        record.put("aliases", aliases);
        return record;
    }

    static Object call(Object target, String method) throws Exception {
        java.lang.reflect.Method found = target.getClass().getMethod(method);
        ((AccessibleObject) found).setAccessible(true);
        return found.invoke(target);
    }

    /** The value of a private field; null where this release has no such field (1.9 has no types). */
    static Object privateField(Object target, String name) throws Exception {
        try {
            Field field = target.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(target);
        } catch (NoSuchFieldException e) {
            return null;
        }
    }

    private static String generic(Type type) {
        if (type instanceof ParameterizedType) {
            return ((ParameterizedType) type).getActualTypeArguments()[0].getTypeName();
        }
        return null;
    }

    /** A default value as JSON; sizes and durations in their largest exact unit. */
    static Object plain(Object value) throws Exception {
        if (value == null || value instanceof String || value instanceof Boolean || value instanceof Number) {
            return value;
        }
        if (value instanceof Duration) {
            return duration((Duration) value);
        }
        if (value.getClass().getSimpleName().equals("MemorySize")) {
            return size((Long) call(value, "getBytes"));
        }
        if (value instanceof Iterable) {
            List<Object> items = new ArrayList<>();
            for (Object item : (Iterable<?>) value) {
                items.add(plain(item));
            }
            return items;
        }
        if (value instanceof Map) {
            Map<String, Object> entries = new LinkedHashMap<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                entries.put(entry.getKey().toString(), plain(entry.getValue()));
            }
            return entries;
        }
        return value.toString();
    }

    private static String duration(Duration value) {
        long nanos = value.toNanos();
        String[] units = {"d", "h", "min", "s", "ms", "µs", "ns"};
        long[] lengths = {86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L,
            1_000_000L, 1_000L, 1L};
        if (nanos == 0) {
            return "0 ms";
        }
        int unit = 0;
        while (nanos % lengths[unit] != 0) {
            unit++;
        }
        return nanos / lengths[unit] + " " + units[unit];
    }

    private static String size(long bytes) {
        String[] units = {"tb", "gb", "mb", "kb", "bytes"};
        int unit = 0;
        while (unit < 4 && (bytes == 0 || bytes % (1L << (10 * (4 - unit))) != 0)) {
            unit++;
        }
        return (bytes >> (10 * (4 - unit))) + " " + units[unit];
    }

    static String json(Object value) {
        if (value == null || value instanceof Boolean) {
            return String.valueOf(value);
        }
        if (value instanceof Float || value instanceof Double) {
            double number = Double.parseDouble(value.toString());
            return Double.isFinite(number) ? value.toString() : quote(value.toString());
        }
        if (value instanceof Number) {
            return value.toString();
        }
        StringBuilder text = new StringBuilder();
        if (value instanceof Map) {
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                text.append(text.length() == 0 ? "{" : ",");
                text.append(quote(entry.getKey().toString())).append(":").append(json(entry.getValue()));
            }
            return text.length() == 0 ? "{}" : text.append("}").toString();
        }
        if (value instanceof Iterable) {
            for (Object item : (Iterable<?>) value) {
                text.append(text.length() == 0 ? "[" : ",").append(json(item));
            }
            return text.length() == 0 ? "[]" : text.append("]").toString();
        }
        return quote(value.toString());
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
