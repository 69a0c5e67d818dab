import java.util.Properties;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Properties properties = new Properties();
        properties.put("bootstrap.servers", "kafka.example.com:9092");
        FlinkKafkaProducer<String> producer = new FlinkKafkaProducer<>(
            "bids", new Schema(), properties, FlinkKafkaProducer.Semantic.EXACTLY_ONCE);
        producer.setTransactionalIdPrefix("shop-");
        stream.addSink(producer);
        env.execute();
    }
}
