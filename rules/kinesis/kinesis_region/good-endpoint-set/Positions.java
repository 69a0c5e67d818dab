package fleet;

import java.util.Properties;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kinesis.sink.KinesisStreamsSink;
import org.apache.flink.connector.kinesis.source.KinesisStreamsSource;
import org.apache.flink.connector.kinesis.source.config.KinesisSourceConfigOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisConsumer;
import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisProducer;
import org.apache.flink.streaming.connectors.kinesis.config.AWSConfigConstants;
import org.apache.flink.streaming.connectors.kinesis.config.ConsumerConfigConstants;

public class Positions {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Properties sinkProperties = new Properties();
        sinkProperties.put("aws.endpoint", "http://local");
        sinkProperties.put("aws.region", "us-east-1");
        KinesisStreamsSink<String> sink = KinesisStreamsSink.<String>builder()
            .setKinesisClientProperties(sinkProperties)
            .setStreamArn("arn:aws:kinesis:eu-west-1:123456789012:stream/enriched")
            .build();
        stream.sinkTo(sink);
        env.execute("positions");
    }
}
