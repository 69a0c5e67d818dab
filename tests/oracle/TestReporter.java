import java.util.Properties;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** A reporter of metrics as users write them: with a constructor, and with a factory. */
public final class TestReporter implements MetricReporter, MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return new TestReporter();
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {}

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {}

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {}
}
