import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Bills {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KafkaSource<String> source = KafkaSource.<String>builder()
            .setBootstrapServers("kafka.example.com:9092").setTopics("clicks").setGroupId("shop")
            .setStartingOffsets(OffsetsInitializer.committedOffsets()).build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "clicks").print();
        env.execute();
    }
}
