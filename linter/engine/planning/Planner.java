import java.io.File;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.GenericInMemoryCatalog;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.types.RowKind;

/**
 * Plans the statements of SQL scripts with the planner of the release on the class path, and runs nothing.
 *
 * <p>Arguments: a JSON file of questions and a file for the answers, a JSON object a line. Each statement has what to do
 * with it. Statements that declare are executed only if the planner's own parser takes them for one of {@link
 * #DECLARING}, in catalogs in memory; queries are planned as EXPLAIN does it. What differs between releases is found by
 * reflection.
 */
public final class Planner {
    private static final int SECONDS = 30;
    private static final Set<String> DECLARING = new HashSet<>(Arrays.asList(
            "CreateTableOperation", "CreateViewOperation", "CreateDatabaseOperation", "DropTableOperation",
            "DropViewOperation", "DropDatabaseOperation", "AlterTableOptionsOperation", "AlterTableRenameOperation",
            "AlterTableAddConstraintOperation", "AlterTableDropConstraintOperation", "AlterTableSchemaOperation",
            "AlterTableChangeOperation", "AlterViewAsOperation", "AlterViewRenameOperation", "AlterDatabaseOperation",
            "UseCatalogOperation", "UseDatabaseOperation"));
    /** Connectors that connect to nothing and read no file while queries are planned: their own code may answer. */
    private static final Set<String> QUIET = new HashSet<>(Arrays.asList(
            "datagen", "print", "blackhole", "kafka", "upsert-kafka", "kinesis", "firehose", "dynamodb", "jdbc",
            "elasticsearch-6", "elasticsearch-7", "opensearch", "opensearch-2", "mongodb"));
    private static final String[] FORMATS = {"format", "key.format", "value.format"};
    private static final String UTILS = "org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils";
    private static final String QUERY = "org.apache.flink.table.planner.plan.metadata.FlinkRelMetadataQuery";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Set<String> factories;

    private TableEnvironment tables;
    private Object planner;
    private final Set<String> stubbedCatalogs = new HashSet<>();
    /** The number of the text that is parsed, of those of a statement. */
    private int parsing;

    public static void main(String[] arguments) throws Exception {
        Map<?, ?> asked = JSON.readValue(new File(arguments[0]), Map.class);
        StubTables.traits = list(asked.get("connectors"));
        PrintStream answers = new PrintStream(Files.newOutputStream(new File(arguments[1]).toPath()), true, "UTF-8");
        for (Object script : (List<?>) asked.get("scripts")) {
            Map<?, ?> given = (Map<?, ?>) script;
            Planner one = new Planner();
            ExecutorService thread = Executors.newSingleThreadExecutor(Planner::thread);
            for (Map<String, Object> statement : Planner.<Map<String, Object>>list(given.get("statements"))) {
                Future<Map<String, Object>> planned = thread.submit(() -> one.answer(statement));
                Map<String, Object> answer = new LinkedHashMap<>();
                answer.put("script", given.get("name"));
                answer.put("statement", statement.get("number"));
                boolean isLate = false;
                try {
                    answer.putAll(planned.get(SECONDS, TimeUnit.SECONDS));
                } catch (TimeoutException late) {
                    planned.cancel(true);
                    answer.put("late", true);
                    isLate = true;
                }
                answers.println(JSON.writeValueAsString(answer));
                if (isLate) {
                    break; // the environment may be in use
                }
            }
            thread.shutdownNow();
        }
        answers.close();
        Runtime.getRuntime().halt(0);
    }

    /** A thread for a script: the planner keeps what it knows of a script in variables of the thread. */
    private static Thread thread(Runnable task) {
        Thread made = new Thread(null, task, "planner", 64 << 20);
        made.setDaemon(true);
        return made;
    }

    private Map<String, Object> answer(Map<String, Object> statement) {
        Map<String, Object> answer = new LinkedHashMap<>();
        try {
            answer.putAll(doWith(statement));
        } catch (Throwable refused) {
            answer.put("refused", causes(refused));
            answer.put("text", parsing);
        }
        return answer;
    }

    private Map<String, Object> doWith(Map<String, Object> statement) throws Throwable {
        String text = (String) statement.get("text");
        switch ((String) statement.get("do")) {
            case "begin":
                return begin((Boolean) statement.get("batch"));
            case "set":
                settings().setString((String) statement.get("key"), (String) statement.get("value"));
                break;
            case "reset":
                Object removed = statement.get("key");
                if (removed != null) {
                    on(settings(), "removeKey", removed);
                }
                break;
            case "catalog":
                String database = (String) statement.get("database");
                tables.registerCatalog(text, new GenericInMemoryCatalog(text, database == null ? "default" : database));
                stubbedCatalogs.add(text);
                break;
            case "declare":
                return declare(text);
            case "fill":
                Table filling = tables.sqlQuery(text);
                Map<String, Object> plan = plan(Collections.singletonList(text));
                tables.createTemporaryView((String) statement.get("table"), filling);
                return plan;
            case "plan":
                return plan(list(statement.get("texts")));
            default:
                throw new IllegalArgumentException(String.valueOf(statement));
        }
        return Collections.emptyMap();
    }

    private Map<String, Object> begin(boolean isBatch) throws Throwable {
        EnvironmentSettings.Builder mode = EnvironmentSettings.newInstance();
        StubTables.isBatch = isBatch;
        tables = TableEnvironment.create((isBatch ? mode.inBatchMode() : mode.inStreamingMode()).build());
        planner = on(tables, "getPlanner");
        return Collections.emptyMap();
    }

    private Configuration settings() throws Throwable {
        return (Configuration) on(tables.getConfig(), "getConfiguration");
    }

    // -- declarations

    private Map<String, Object> declare(String text) throws Throwable {
        Map<String, Object> found = new LinkedHashMap<>();
        Object operation = parsed(text);
        String name = operation.getClass().getSimpleName();
        if (!DECLARING.contains(name)) {
            found.put("skipped", name);
            return found;
        }
        if (name.equals("CreateTableOperation")) {
            stub(operation);
        }
        execute(operation);
        return found;
    }

    private void execute(Object operation) throws Throwable {
        Class<?> type = Class.forName("org.apache.flink.table.operations.Operation");
        Method method = Class.forName("org.apache.flink.table.api.internal.TableEnvironmentInternal")
                .getMethod("executeInternal", type);
        invoke(method, tables, operation);
    }

    private Object parsed(String text) throws Throwable {
        Object parser = on(tables, "getParser");
        return ((List<?>) on(parser, "parse", text)).get(0);
    }

    /** Replaces the connector of a table that is to be created, unless its code and that of its formats is there. */
    private void stub(Object operation) throws Throwable {
        CatalogTable table = (CatalogTable) on(operation, "getCatalogTable");
        Map<String, String> options = new LinkedHashMap<>(table.getOptions());
        String connector = options.get("connector");
        String catalog = (String) on(on(operation, "getTableIdentifier"), "getCatalogName");
        if (connector == null && stubbedCatalogs.contains(catalog)) {
            connector = "";
        }
        if (connector == null || connector.equals(StubTables.IDENTIFIER) || isThere(connector, options)) {
            return;
        }
        options.put("connector", StubTables.IDENTIFIER);
        options.put(StubTables.CONNECTOR, connector);
        Field field = operation.getClass().getDeclaredField("catalogTable");
        field.setAccessible(true);
        field.set(operation, table.copy(options));
    }

    private static boolean isThere(String connector, Map<String, String> options) {
        if (!QUIET.contains(connector)) {
            return false;
        }
        if (factories == null) {
            factories = new HashSet<>();
            for (Factory factory : ServiceLoader.load(Factory.class, Planner.class.getClassLoader())) {
                factories.add(factory.factoryIdentifier());
            }
        }
        if (!factories.contains(connector)) {
            return false;
        }
        for (String key : FORMATS) {
            if (options.containsKey(key) && !factories.contains(options.get(key))) {
                return false;
            }
        }
        return true;
    }

    // -- plans

    private Map<String, Object> plan(List<String> texts) throws Throwable {
        Map<String, Object> answer = new LinkedHashMap<>();
        List<Object> operations = new ArrayList<>();
        for (parsing = 0; parsing < texts.size(); parsing++) {
            operations.add(parsed(texts.get(parsing)));
        }
        parsing = 0;
        for (Object operation : operations) {
            boolean isQuery = type("org.apache.flink.table.operations.QueryOperation").isInstance(operation);
            boolean isWrite = type("org.apache.flink.table.operations.ModifyOperation").isInstance(operation);
            if (!(isQuery || isWrite) || operation.getClass().getSimpleName().matches("Create.*|Replace.*")) {
                answer.put("skipped", operation.getClass().getSimpleName());
                return answer;
            }
        }
        ExplainDetail[] details = {ExplainDetail.CHANGELOG_MODE, ExplainDetail.JSON_EXECUTION_PLAN};
        String text = (String) on(tables, "explainInternal", operations, details);
        answer.put("explained", part(text, "== Optimized Execution Plan =="));
        answer.putAll(facts(operations));
        answer.put("state", state(operations));
        return answer;
    }

    private static String part(String text, String title) {
        int start = text.indexOf(title);
        if (start < 0) {
            return "";
        }
        start += title.length();
        int end = text.indexOf("\n== ", start);
        return text.substring(start, end < 0 ? text.length() : end).trim();
    }

    /** The operators of the optimized plan, each with the changes that it yields and the keys that these have. */
    private Map<String, Object> facts(List<Object> operations) throws Throwable {
        if (has(planner, "beforeTranslation")) {
            on(planner, "beforeTranslation");
        }
        List<Object> nodes = new ArrayList<>();
        for (Object operation : operations) {
            nodes.add(translated(operation));
        }
        Object optimized = on(planner, "optimize", sequence(nodes));
        Map<Object, Integer> numbers = new java.util.IdentityHashMap<>();
        List<Map<String, Object>> found = new ArrayList<>();
        for (Object root : elements(optimized)) {
            walk(root, numbers, found);
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("operators", found);
        answer.put("execution", executed(optimized));
        return answer;
    }

    private Object translated(Object operation) throws Throwable {
        if (type("org.apache.flink.table.operations.ModifyOperation").isInstance(operation)) {
            return on(planner, "translateToRel", operation);
        }
        Object builder = on(planner, has(planner, "createRelBuilder") ? "createRelBuilder" : "getRelBuilder");
        return on(on(builder, "queryOperation", operation), "build");
    }

    private int walk(Object node, Map<Object, Integer> numbers, List<Map<String, Object>> found) throws Throwable {
        if (numbers.containsKey(node)) {
            return numbers.get(node);
        }
        List<Integer> inputs = new ArrayList<>();
        for (Object input : (List<?>) on(node, "getInputs")) {
            inputs.add(walk(input, numbers, found));
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("type", node.getClass().getSimpleName().replaceFirst("^(Stream|Batch)Physical", ""));
        facts.put("inputs", inputs);
        facts.put("changes", changes(node));
        facts.put("keys", keys(node));
        facts.put("details", details(node));
        numbers.put(node, found.size());
        found.add(facts);
        return found.size() - 1;
    }

    private static String changes(Object node) throws Throwable {
        if (!node.getClass().getSimpleName().startsWith("Stream")) {
            return "";
        }
        Object mode = null;
        for (Method method : node.getClass().getClassLoader().loadClass(UTILS).getMethods()) {
            if (method.getName().equals("getChangelogMode")) {
                mode = invoke(method, null, node);
            }
        }
        if (mode == null || (Boolean) on(mode, "isEmpty")) {
            return "";
        }
        return kinds((ChangelogMode) on(mode, "get"));
    }

    private static String kinds(ChangelogMode mode) {
        List<String> shown = new ArrayList<>();
        String[] names = {"I", "UB", "UA", "D"};
        for (RowKind kind : RowKind.values()) {
            if (mode.contains(kind)) {
                shown.add(names[kind.ordinal()]);
            }
        }
        return String.join(",", shown);
    }

    private static List<List<String>> keys(Object node) throws Throwable {
        Object cluster = on(node, "getCluster");
        Class<?> type = node.getClass().getClassLoader().loadClass(QUERY);
        Object query = null;
        for (Method method : type.getMethods()) {
            if (method.getName().equals("reuseOrCreate")) {
                query = invoke(method, null, on(cluster, "getMetadataQuery"));
            }
        }
        Object keys = on(query, "getUpsertKeys", node);
        List<List<String>> found = new ArrayList<>();
        if (keys == null) {
            return found;
        }
        List<?> names = (List<?>) on(on(node, "getRowType"), "getFieldNames");
        for (Object key : (Collection<?>) keys) {
            List<String> columns = new ArrayList<>();
            for (Object place : (Iterable<?>) key) {
                columns.add((String) names.get((Integer) place));
            }
            found.add(columns);
        }
        found.sort((one, other) -> one.toString().compareTo(other.toString()));
        return found;
    }

    /** What an operator says of itself, by the names that the planner has for it. */
    private static Map<String, String> details(Object node) throws Throwable {
        Map<String, String> found = new TreeMap<>();
        ClassLoader loader = node.getClass().getClassLoader();
        Class<?> writer = loader.loadClass("org.apache.calcite.rel.RelWriter");
        Object level = Class.forName("org.apache.calcite.sql.SqlExplainLevel", true, loader)
                .getField("EXPPLAN_ATTRIBUTES").get(null);
        Object proxy = Proxy.newProxyInstance(loader, new Class<?>[] {writer}, (self, method, given) -> {
            switch (method.getName()) {
                case "item":
                    found.put((String) given[0], String.valueOf(given[1]));
                    return self;
                case "itemIf":
                    if ((Boolean) given[2]) {
                        found.put((String) given[0], String.valueOf(given[1]));
                    }
                    return self;
                case "getDetailLevel":
                    return level;
                case "nest":
                case "expand":
                    return false;
                default:
                    return method.getReturnType().isInstance(self) ? self : null;
            }
        });
        for (Class<?> type = node.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals("explainTerms") && method.getParameterCount() == 1) {
                    invoke(method, node, proxy);
                    found.remove("input");
                    return found;
                }
            }
        }
        return found;
    }

    /** The kinds of the nodes that are executed, which differ from those of the plan where one of these is merged. */
    private List<String> executed(Object optimized) throws Throwable {
        Object graph = null;
        for (Method method : planner.getClass().getMethods()) {
            if (method.getName().equals("translateToExecNodeGraph")) {
                graph = method.getParameterCount() == 1
                        ? invoke(method, planner, optimized)
                        : invoke(method, planner, optimized, false);
            }
        }
        List<String> found = new ArrayList<>();
        List<Object> open = new ArrayList<>((List<?>) on(graph, "getRootNodes"));
        Set<Object> seen = Collections.newSetFromMap(new java.util.IdentityHashMap<>());
        while (!open.isEmpty()) {
            Object node = open.remove(open.size() - 1);
            if (seen.add(node)) {
                found.add(node.getClass().getSimpleName().replaceFirst("^(Stream|Batch|Common)Exec", ""));
                for (Object edge : (List<?>) on(node, "getInputEdges")) {
                    open.add(on(edge, "getSource"));
                }
            }
        }
        Collections.sort(found);
        return found;
    }

    /** The states of operators by their names, from the compiled plan of the releases that declare them there. */
    private Map<String, Object> state(List<Object> operations) {
        Map<String, Object> found = new TreeMap<>();
        try {
            Class<?> writes = type("org.apache.flink.table.operations.ModifyOperation");
            if (!has(tables, "compilePlan") || !operations.stream().allMatch(writes::isInstance)) {
                return found;
            }
            Object plan = on(tables, "compilePlan", operations);
            Map<?, ?> read = JSON.readValue((String) on(plan, "asJsonString"), Map.class);
            for (Object node : (List<?>) read.get("nodes")) {
                Object states = ((Map<?, ?>) node).get("state");
                if (states == null) {
                    continue;
                }
                Map<String, String> names = new LinkedHashMap<>();
                for (Object state : (List<?>) states) {
                    names.put((String) ((Map<?, ?>) state).get("name"), (String) ((Map<?, ?>) state).get("ttl"));
                }
                found.put(String.valueOf(((Map<?, ?>) node).get("type")), names);
            }
        } catch (Throwable unsupported) {
            // what cannot be compiled still runs
        }
        return found;
    }

    // -- Scala's collections

    private Object sequence(List<Object> nodes) throws Throwable {
        ClassLoader loader = planner.getClass().getClassLoader();
        Class<?> conversions = loader.loadClass("scala.collection.JavaConverters");
        for (Method method : conversions.getMethods()) {
            if (method.getName().equals("asScalaBuffer") && method.getParameterTypes()[0] == List.class) {
                return invoke(method, null, nodes);
            }
        }
        Method method = conversions.getMethod("asScalaBufferConverter", List.class);
        return on(invoke(method, null, nodes), "asScala");
    }

    private static List<Object> elements(Object sequence) throws Throwable {
        List<Object> found = new ArrayList<>();
        Object iterator = on(sequence, "iterator");
        while ((Boolean) on(iterator, "hasNext")) {
            found.add(on(iterator, "next"));
        }
        return found;
    }

    // -- reflection

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name);
    }

    private static boolean has(Object owner, String name) {
        return Arrays.stream(owner.getClass().getMethods()).anyMatch(method -> method.getName().equals(name));
    }

    /** Calls the public method that takes the given values. */
    private static Object on(Object owner, String name, Object... given) throws Throwable {
        for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
            List<Method> methods = new ArrayList<>(Arrays.asList(type.getDeclaredMethods()));
            methods.addAll(Arrays.asList(type.getMethods()));
            for (Method method : methods) {
                if (method.getName().equals(name) && !method.isBridge() && fits(method, given)) {
                    return invoke(method, owner, given);
                }
            }
        }
        throw new NoSuchMethodException(owner.getClass().getName() + "." + name);
    }

    private static boolean fits(Method method, Object[] given) {
        Class<?>[] types = method.getParameterTypes();
        if (types.length != given.length) {
            return false;
        }
        for (int place = 0; place < types.length; place++) {
            if (given[place] != null && !types[place].isInstance(given[place])) {
                return false;
            }
        }
        return true;
    }

    private static Object invoke(Method method, Object owner, Object... given) throws Throwable {
        method.setAccessible(true);
        try {
            return method.invoke(owner, given);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static List<Map<String, String>> causes(Throwable thrown) {
        List<Map<String, String>> found = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new java.util.IdentityHashMap<>());
        for (Throwable cause = thrown; cause != null && seen.add(cause); cause = cause.getCause()) {
            Map<String, String> one = new LinkedHashMap<>();
            one.put("type", cause.getClass().getName());
            one.put("message", String.valueOf(cause.getMessage()));
            StackTraceElement[] trace = cause.getStackTrace();
            one.put("at", trace.length == 0 ? "" : trace[0].toString());
            found.add(one);
        }
        return found;
    }

    @SuppressWarnings("unchecked")
    private static <T> List<T> list(Object given) {
        return given == null ? Collections.emptyList() : (List<T>) given;
    }
}
