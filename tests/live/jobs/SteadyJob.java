import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** A hundred records a second through a shuffle, with nothing that Flink 2 has taken away. */
public final class SteadyJob {
    private SteadyJob() {}

    public static void main(String[] arguments) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(1);
        environment.fromSequence(1, Long.MAX_VALUE).map(new Slow()).rebalance().sinkTo(new DiscardingSink<>());
        environment.execute("steady");
    }

    private static final class Slow implements MapFunction<Long, Long> {
        @Override
        public Long map(Long record) throws InterruptedException {
            Thread.sleep(10);
            return record;
        }
    }
}
