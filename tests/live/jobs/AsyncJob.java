import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.flink.api.common.accumulators.IntCounter;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.AsyncRetryStrategy;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.util.retryable.AsyncRetryStrategies;
import org.apache.flink.streaming.util.retryable.RetryPredicates;

/**
 * A backlog that is there at once, enriched by calls that block the threads of a fixed pool: the shape of a job
 * after an outage. With a rate, records arrive one by one, and the backlog comes from an outage.
 *
 * <p>Arguments: --records, --rate (a second), --outage-after-ms, --outage-ms, --pool (threads), --capacity,
 * --timeout-ms, --call-ms and --spread-ms (a call takes call-ms plus or minus up to spread-ms), --ordered,
 * --skip-timeouts (go on after a timeout instead of failing), --attempts (the calls one record needs, all but the last
 * of them fail), --retry-delay-ms between them and --retry-timeouts (the strategy takes any exception for a reason to
 * call again, so a timeout as well).
 * Accumulators: answers, timeouts.
 */
public final class AsyncJob {
    private static final long TIMEOUT = -1;

    private AsyncJob() {}

    public static void main(String[] arguments) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(arguments);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(1);
        long records = parameters.getLong("records");
        DataStream<Long> backlog =
                parameters.has("rate")
                        ? environment.addSource(
                                new Arrivals(
                                        records,
                                        parameters.getDouble("rate"),
                                        parameters.getLong("outage-after-ms", 0),
                                        parameters.getLong("outage-ms", 0)),
                                "arrivals")
                        : environment.fromSequence(1, records);
        long timeout = parameters.getLong("timeout-ms");
        int capacity = parameters.getInt("capacity");
        boolean ordered = parameters.getBoolean("ordered", false);
        int attempts = parameters.getInt("attempts", 1);
        Enrichment calls = new Enrichment(parameters, attempts);
        DataStream<Long> enriched;
        if (attempts > 1) {
            AsyncRetryStrategy<Long> retries =
                    new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder<Long>(
                                    attempts, parameters.getLong("retry-delay-ms", 1))
                            .ifException(
                                    parameters.getBoolean("retry-timeouts", false)
                                            ? RetryPredicates.HAS_EXCEPTION_PREDICATE
                                            : (Predicate<Throwable> & Serializable) NotYet.class::isInstance)
                            .build();
            enriched =
                    ordered
                            ? AsyncDataStream.orderedWaitWithRetry(
                                    backlog, calls, timeout, TimeUnit.MILLISECONDS, capacity, retries)
                            : AsyncDataStream.unorderedWaitWithRetry(
                                    backlog, calls, timeout, TimeUnit.MILLISECONDS, capacity, retries);
        } else {
            enriched =
                    ordered
                            ? AsyncDataStream.orderedWait(backlog, calls, timeout, TimeUnit.MILLISECONDS, capacity)
                            : AsyncDataStream.unorderedWait(backlog, calls, timeout, TimeUnit.MILLISECONDS, capacity);
        }
        enriched.map(new Count()).sinkTo(new DiscardingSink<>());
        environment.execute("async");
    }

    /** What a call that is to be made again ends with. */
    private static final class NotYet extends Exception {}

    /** Counts what comes out: an asynchronous function itself may have no accumulators. */
    private static final class Count extends RichMapFunction<Long, Long> {
        private final IntCounter answers = new IntCounter();
        private final IntCounter timeouts = new IntCounter();

        @Override
        public void open(Configuration unused) {
            getRuntimeContext().addAccumulator("answers", answers);
            getRuntimeContext().addAccumulator("timeouts", timeouts);
        }

        @Override
        public Long map(Long answer) {
            (answer == TIMEOUT ? timeouts : answers).add(1);
            return answer;
        }
    }

    private static final class Enrichment extends RichAsyncFunction<Long, Long> {
        private final int pool;
        private final long shortest;
        private final long longest;
        private final boolean skipTimeouts;
        private final int attempts;
        private transient ExecutorService threads;
        private transient Map<Long, Integer> failures;

        Enrichment(ParameterTool parameters, int attempts) {
            pool = parameters.getInt("pool");
            long call = parameters.getLong("call-ms");
            long spread = parameters.getLong("spread-ms", 0);
            shortest = call - spread;
            longest = call + spread;
            skipTimeouts = parameters.getBoolean("skip-timeouts", false);
            this.attempts = attempts;
        }

        @Override
        public void open(Configuration unused) {
            threads = Executors.newFixedThreadPool(pool);
            failures = new ConcurrentHashMap<>();
        }

        @Override
        public void asyncInvoke(Long record, ResultFuture<Long> result) {
            threads.submit(
                    () -> {
                        Thread.sleep(ThreadLocalRandom.current().nextLong(shortest, longest + 1));
                        if (attempts > 1 && failures.merge(record, 1, Integer::sum) < attempts) {
                            result.completeExceptionally(new NotYet());
                        } else {
                            result.complete(Collections.singleton(record));
                        }
                        return null;
                    });
        }

        @Override
        public void timeout(Long record, ResultFuture<Long> result) throws Exception {
            if (skipTimeouts) {
                result.complete(Collections.singleton(TIMEOUT));
            } else {
                super.timeout(record, result);
            }
        }

        @Override
        public void close() {
            if (threads != null) {
                threads.shutdownNow();
            }
        }
    }
}
