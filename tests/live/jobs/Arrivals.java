import java.util.Collections;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.source.RichSourceFunction;

/**
 * Records that arrive at a steady rate, whoever reads them: record n is there n / rate seconds after the job was
 * submitted. In an outage none can be read, and after it all that came meanwhile are there at once. A restarted job
 * goes on where its last checkpoint was, and finds what came since.
 */
@SuppressWarnings("deprecation") // runs in a thread of its own, so that waiting holds up no checkpoint
final class Arrivals extends RichSourceFunction<Long> implements CheckpointedFunction {
    private final long records;
    private final double perMillisecond;
    private final long submitted;
    private final long outageStart;
    private final long outageEnd;
    private long next = 1;
    private transient ListState<Long> position;
    private volatile boolean running = true;

    Arrivals(long records, double rate, long outageAfterMs, long outageMs) {
        this.records = records;
        perMillisecond = rate / 1000;
        submitted = System.currentTimeMillis();
        outageStart = submitted + outageAfterMs;
        outageEnd = outageStart + outageMs;
    }

    @Override
    public void run(SourceContext<Long> context) throws InterruptedException {
        while (running && next <= records) {
            long there = submitted + (long) (next / perMillisecond);
            long now = System.currentTimeMillis();
            if (now >= outageStart && now < outageEnd) {
                there = outageEnd;
            }
            if (there > now) {
                Thread.sleep(Math.min(there - now, 100)); // cancelled soon
                continue;
            }
            synchronized (context.getCheckpointLock()) {
                context.collect(next++);
            }
        }
    }

    @Override
    public void cancel() {
        running = false;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        position.update(Collections.singletonList(next));
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        position = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("position", Long.class));
        for (long restored : position.get()) {
            next = restored;
        }
    }
}
