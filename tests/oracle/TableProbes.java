import java.lang.reflect.Array;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;

/** Plans and translates queries with settings of tables, for {@link Oracle}. */
final class TableProbes {
    private static final String API = "org.apache.flink.table.api.";

    private static final Pattern PARALLELISM = Pattern.compile("\"parallelism\" : (\\d+)");

    private static final String[] TABLES = {
        "CREATE TABLE orders (k INT, v BIGINT, t TIMESTAMP(3), WATERMARK FOR t AS t)"
                + " WITH ('connector' = 'datagen', 'number-of-rows' = '10')",
        "CREATE TABLE results (k INT, a BIGINT, b BIGINT) WITH ('connector' = 'blackhole')",
    };

    private static final String[] QUERIES = {
        "INSERT INTO results SELECT k, COUNT(DISTINCT v), SUM(v) FROM orders GROUP BY k",
        "INSERT INTO results SELECT l.k, l.v, r.v AS w FROM orders l JOIN orders r ON l.k = r.k",
        "INSERT INTO results SELECT k, v, n FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS n"
                + " FROM orders) WHERE n <= 3",
        "INSERT INTO results SELECT k, v, v + 1 FROM orders ORDER BY v LIMIT 5",
        "INSERT INTO results SELECT k, HOUR(LOCALTIMESTAMP), SUM(v) FROM orders"
                + " GROUP BY k, TUMBLE(t, INTERVAL '1' HOUR)",
    };

    private TableProbes() {}

    /** Translates an aggregation, a join, a ranking, a sort and a window to operators, in the mode that is set. */
    static Object query(Configuration settings) throws Exception {
        Object tables = tables(settings);
        for (String statement : QUERIES) {
            explained(tables, statement);
        }
        return QUERIES.length + " translated";
    }

    /** The parallelism of the operators of an aggregation, in a job that is submitted with the configuration. */
    static Object parallelism(Configuration settings) throws Exception {
        String owner = API + "bridge.java.StreamTableEnvironment";
        if (!Oracle.isThere(owner)) {
            throw new Oracle.NotThere("no planner");
        }
        Object mode = Oracle.on(Oracle.call(API + "EnvironmentSettings", "newInstance"), "inStreamingMode");
        Object tables = Oracle.call(owner, "create", Oracle.environmentOf(settings), Oracle.on(mode, "build"));
        Matcher found = PARALLELISM.matcher(explained(filled(tables), QUERIES[0]));
        Set<String> all = new TreeSet<>();
        while (found.find()) {
            all.add(found.group(1));
        }
        return "parallelism " + all;
    }

    private static String explained(Object tables, String statement) throws Exception {
        Object details = Array.newInstance(Oracle.type(API + "ExplainDetail"), 1);
        Array.set(details, 0, Oracle.constant(API + "ExplainDetail", "JSON_EXECUTION_PLAN"));
        return (String) Oracle.on(tables, "explainSql", statement, details);
    }

    private static Object tables(Configuration settings) throws Exception {
        if (!Oracle.isThere(API + "TableEnvironment") || !Oracle.isThere(API + "config.ExecutionConfigOptions")) {
            throw new Oracle.NotThere("no planner");
        }
        boolean isBatch = "BATCH".equalsIgnoreCase(settings.toMap().get("execution.runtime-mode"));
        Object builder = Oracle.call(API + "EnvironmentSettings", "newInstance");
        builder = Oracle.on(builder, isBatch ? "inBatchMode" : "inStreamingMode");
        try {
            builder = Oracle.on(builder, "withConfiguration", settings);
        } catch (Oracle.NotThere before115) {
            // they are added below
        }
        Object tables = Oracle.call(API + "TableEnvironment", "create", Oracle.on(builder, "build"));
        ((Configuration) Oracle.on(Oracle.on(tables, "getConfig"), "getConfiguration")).addAll(settings);
        return filled(tables);
    }

    private static Object filled(Object tables) throws Exception {
        for (String statement : TABLES) {
            Oracle.on(tables, "executeSql", statement);
        }
        return tables;
    }
}
