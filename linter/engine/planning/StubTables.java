import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.io.DefaultInputSplitAssigner;
import org.apache.flink.api.common.io.RichInputFormat;
import org.apache.flink.api.common.io.statistics.BaseStatistics;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.GenericInputSplit;
import org.apache.flink.core.io.InputSplit;
import org.apache.flink.core.io.InputSplitAssigner;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsOverwrite;
import org.apache.flink.table.connector.sink.abilities.SupportsPartitioning;
import org.apache.flink.table.connector.sink.abilities.SupportsWritingMetadata;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.InputFormatProvider;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.RowKind;

/**
 * Stands in for connectors whose code is not there: tables of the declared schema that connect to nothing.
 *
 * <p>Which changes a table of a connector has, as a source and as a sink, is declared by the program that asks
 * ({@link #traits}); what is not declared is a source of new rows, and a sink that accepts all changes.
 */
public final class StubTables implements DynamicTableSourceFactory, DynamicTableSinkFactory {
    static final String IDENTIFIER = "flint-stub";
    /** The option that has the connector that a table declares. */
    static final String CONNECTOR = "flint-connector";
    /** What is known of connectors, the first row that fits: patterns and kinds of changes, by their names. */
    static List<Map<String, Object>> traits = Collections.emptyList();
    /** Whether queries run in batch mode, in which a table of which nothing is known is bounded. */
    static boolean isBatch;

    private static final String[] FORMATS = {"value.format", "format"};

    @Override
    public String factoryIdentifier() {
        return IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Collections.emptySet();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Collections.emptySet();
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        Table table = new Table(context);
        String mode = table.trait("source", "insert");
        if (mode.equals("none")) {
            throw new ValidationException(
                    "Connector '" + table.connector + "' can only be used as a sink. It cannot be used as a source.");
        }
        boolean isLookup = Boolean.TRUE.equals(table.traits.getOrDefault("lookup", table.traits.isEmpty()));
        if (mode.equals("lookup")) {
            return new LookupSource(table);
        }
        return isLookup ? new ScanAndLookupSource(table) : new ScanSource(table);
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        Table table = new Table(context);
        if (table.trait("sink", "all").equals("none")) {
            throw new ValidationException(
                    "Connector '" + table.connector + "' can only be used as a source. It cannot be used as a sink.");
        }
        return new Sink(table);
    }

    /** A declared table, and what is known of its connector. */
    static final class Table {
        final String connector;
        final Map<String, Object> traits;
        private final boolean isKeyed;
        private final Map<String, String> options;
        private final Map<String, DataType> read = new LinkedHashMap<>();
        private final Map<String, DataType> written = new LinkedHashMap<>();

        Table(Context context) {
            CatalogTable declared = context.getCatalogTable();
            ResolvedSchema schema = context.getCatalogTable().getResolvedSchema();
            options = declared.getOptions();
            connector = options.getOrDefault(CONNECTOR, "");
            isKeyed = schema.getPrimaryKey().isPresent();
            traits = known();
            for (Column column : schema.getColumns()) {
                if (column instanceof Column.MetadataColumn) {
                    Column.MetadataColumn metadata = (Column.MetadataColumn) column;
                    String key = metadata.getMetadataKey().orElse(column.getName());
                    read.put(key, column.getDataType());
                    if (!metadata.isVirtual()) {
                        written.put(key, column.getDataType());
                    }
                }
            }
        }

        private Map<String, Object> known() {
            String format = "";
            for (String key : FORMATS) {
                format = format.isEmpty() ? options.getOrDefault(key, "") : format;
            }
            Map<String, Object> found = new HashMap<>();
            for (Map<String, Object> row : StubTables.traits) {
                if (connector.matches((String) row.getOrDefault("connector", ".*"))
                        && format.matches((String) row.getOrDefault("format", ".*"))
                        && hasOptions(row)) {
                    row.forEach(found::putIfAbsent);
                }
            }
            return found;
        }

        private boolean hasOptions(Map<String, Object> row) {
            Object required = row.get("option");
            if (required == null) {
                return true;
            }
            String[] pair = ((String) required).split("=");
            return pair[1].equals(options.get(pair[0]));
        }

        String trait(String name, String otherwise) {
            return (String) traits.getOrDefault(name, otherwise);
        }

        boolean isBounded() {
            return (Boolean) traits.getOrDefault("bounded", isBatch);
        }

        ChangelogMode sourceMode() {
            return mode(trait("source", "insert"));
        }

        /** What the sink takes of the changes that the planner would like to write. */
        ChangelogMode sinkMode(ChangelogMode requested) {
            String name = trait("sink", "all");
            if (name.equals("keyed")) {
                return mode(isKeyed ? "upsert" : "insert");
            }
            if (name.equals("without update-before")) {
                ChangelogMode.Builder made = ChangelogMode.newBuilder();
                requested.getContainedKinds().stream()
                        .filter(kind -> kind != RowKind.UPDATE_BEFORE)
                        .forEach(made::addContainedKind);
                return made.build();
            }
            return name.equals("all") ? requested : mode(name);
        }

        private static ChangelogMode mode(String name) {
            switch (name) {
                case "all":
                    return ChangelogMode.all();
                case "upsert":
                    return ChangelogMode.upsert();
                default:
                    return ChangelogMode.insertOnly();
            }
        }
    }

    /** A table that can be read from its beginning on. */
    static class ScanSource implements ScanTableSource, SupportsReadingMetadata {
        protected final Table table;

        ScanSource(Table table) {
            this.table = table;
        }

        @Override
        public ChangelogMode getChangelogMode() {
            return table.sourceMode();
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            boolean isBounded = table.isBounded();
            return proxied(InputFormatProvider.class, (proxy, method, given) -> {
                switch (method.getName()) {
                    case "createInputFormat":
                        return new NoRows();
                    case "isBounded":
                        return isBounded;
                    default:
                        return other(proxy, method, given);
                }
            });
        }

        @Override
        public Map<String, DataType> listReadableMetadata() {
            return table.read;
        }

        @Override
        public void applyReadableMetadata(List<String> keys, DataType produced) {}

        @Override
        public DynamicTableSource copy() {
            return new ScanSource(table);
        }

        @Override
        public String asSummaryString() {
            return table.connector;
        }
    }

    /** A table that can also be asked for the rows of a key. */
    static final class ScanAndLookupSource extends ScanSource implements LookupTableSource {
        ScanAndLookupSource(Table table) {
            super(table);
        }

        @Override
        public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
            return lookups();
        }

        @Override
        public DynamicTableSource copy() {
            return new ScanAndLookupSource(table);
        }
    }

    /** A table that can only be asked for the rows of a key. */
    static final class LookupSource implements LookupTableSource {
        private final Table table;

        LookupSource(Table table) {
            this.table = table;
        }

        @Override
        public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
            return lookups();
        }

        @Override
        public DynamicTableSource copy() {
            return new LookupSource(table);
        }

        @Override
        public String asSummaryString() {
            return table.connector;
        }
    }

    /** A table that can be written. */
    static final class Sink
            implements DynamicTableSink, SupportsPartitioning, SupportsOverwrite, SupportsWritingMetadata {
        private final Table table;

        Sink(Table table) {
            this.table = table;
        }

        @Override
        public ChangelogMode getChangelogMode(ChangelogMode requested) {
            return table.sinkMode(requested);
        }

        @Override
        public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
            return proxied(DataStreamSinkProvider.class, (proxy, method, given) ->
                    method.getName().equals("consumeDataStream")
                            ? ((DataStream<?>) given[given.length - 1]).print()
                            : other(proxy, method, given));
        }

        @Override
        public Map<String, DataType> listWritableMetadata() {
            return table.written;
        }

        @Override
        public void applyWritableMetadata(List<String> keys, DataType consumed) {}

        @Override
        public void applyStaticPartition(Map<String, String> partition) {}

        @Override
        public void applyOverwrite(boolean overwrite) {}

        @Override
        public DynamicTableSink copy() {
            return new Sink(table);
        }

        @Override
        public String asSummaryString() {
            return table.connector;
        }
    }

    // -- what would run, if anything did

    private static LookupTableSource.LookupRuntimeProvider lookups() {
        try {
            Class<?> provider = Class.forName("org.apache.flink.table.connector.source.lookup.LookupFunctionProvider");
            Class<?> function = Class.forName("org.apache.flink.table.functions.LookupFunction");
            Class<?> caching =
                    Class.forName("org.apache.flink.table.runtime.functions.table.lookup.CachingLookupFunction");
            Class<?> cache = Class.forName("org.apache.flink.table.connector.source.lookup.cache.LookupCache");
            Object made = caching.getConstructor(cache, function).newInstance(null, null);
            return (LookupTableSource.LookupRuntimeProvider) provider.getMethod("of", function).invoke(null, made);
        } catch (ClassNotFoundException before116) {
            return olderLookups();
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static LookupTableSource.LookupRuntimeProvider olderLookups() {
        try {
            Class<?> provider = Class.forName("org.apache.flink.table.connector.source.TableFunctionProvider");
            return (LookupTableSource.LookupRuntimeProvider)
                    provider.getMethod("of", TableFunction.class).invoke(null, new NoMatches());
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxied(Class<T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(StubTables.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static Object other(Object proxy, java.lang.reflect.Method method, Object[] given) {
        switch (method.getName()) {
            case "getParallelism":
                return java.util.Optional.empty();
            case "equals":
                return proxy == given[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            default:
                return "a stub";
        }
    }

    /** The function that finds no rows, for releases before 1.16. */
    public static final class NoMatches extends TableFunction<RowData> {
        public void eval(Object... keys) {}
    }

    /** The source that has no rows. */
    static final class NoRows extends RichInputFormat<RowData, InputSplit> {
        @Override
        public void configure(Configuration parameters) {}

        @Override
        public BaseStatistics getStatistics(BaseStatistics cached) {
            return cached;
        }

        @Override
        public InputSplit[] createInputSplits(int number) {
            return new InputSplit[] {new GenericInputSplit(0, 1)};
        }

        @Override
        public InputSplitAssigner getInputSplitAssigner(InputSplit[] splits) {
            return new DefaultInputSplitAssigner(splits);
        }

        @Override
        public void open(InputSplit split) {}

        @Override
        public boolean reachedEnd() {
            return true;
        }

        @Override
        public RowData nextRecord(RowData reuse) {
            return null;
        }

        @Override
        public void close() {}
    }
}
