import java.io.Serializable;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;

/**
 * Subtasks that hold operator list state of a known size until they are cancelled.
 *
 * <p>Arguments: --parallelism, --elements (of one list in one subtask), --bytes (of an element: a byte array; a Long
 * without it), --operators (with list state, chained), --lists (of one operator), --interval-ms and --timeout-ms of
 * checkpoints. A source of the old kind and a sink of the new one are not chained, so that the sink is a task without
 * state.
 */
public final class StateJob {
    private StateJob() {}

    public static void main(String[] arguments) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(arguments);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(parameters.getInt("parallelism", 1));
        environment.enableCheckpointing(parameters.getLong("interval-ms", 500));
        environment.getCheckpointConfig().setCheckpointTimeout(parameters.getLong("timeout-ms", 60_000));

        Lists lists = new Lists(parameters);
        DataStream<Long> stream = environment.addSource(new Source(lists));
        for (int operator = 1; operator < parameters.getInt("operators", 1); operator++) {
            stream = stream.map(new Pass(lists));
        }
        stream.sinkTo(new DiscardingSink<>());
        environment.execute("state");
    }

    /** How many list states an operator has, and what is in each. */
    private static final class Lists implements Serializable {
        private final int count;
        private final int elements;
        private final int bytes;

        Lists(ParameterTool parameters) {
            count = parameters.getInt("lists", 1);
            elements = parameters.getInt("elements");
            bytes = parameters.getInt("bytes", 0);
        }

        void fill(FunctionInitializationContext context) throws Exception {
            for (int number = 0; number < count; number++) {
                String name = "list" + number;
                if (bytes > 0) {
                    ListState<byte[]> list =
                            context.getOperatorStateStore()
                                    .getListState(
                                            new ListStateDescriptor<>(name, TypeInformation.of(byte[].class)));
                    for (int element = 0; element < elements; element++) {
                        list.add(new byte[bytes]);
                    }
                } else {
                    ListState<Long> list =
                            context.getOperatorStateStore()
                                    .getListState(new ListStateDescriptor<>(name, Long.class));
                    for (long element = 0; element < elements; element++) {
                        list.add(element);
                    }
                }
            }
        }
    }

    private static final class Source extends RichParallelSourceFunction<Long> implements CheckpointedFunction {
        private final Lists lists;
        private volatile boolean running = true;

        Source(Lists lists) {
            this.lists = lists;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            lists.fill(context);
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {}

        @Override
        public void run(SourceContext<Long> context) throws Exception {
            while (running) {
                Thread.sleep(20);
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    private static final class Pass extends RichMapFunction<Long, Long> implements CheckpointedFunction {
        private final Lists lists;

        Pass(Lists lists) {
            this.lists = lists;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            lists.fill(context);
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {}

        @Override
        public Long map(Long value) {
            return value;
        }
    }
}
