package org.example.shop.payments;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;

/** Payments as the shop takes them, each with the score of the fraud service. */
public class PaymentsJob {

    private static final String BROKERS = "kafka:9092";

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();

        KafkaSource<String> payments =
                KafkaSource.<String>builder()
                        .setBootstrapServers(BROKERS)
                        .setTopics("payments")
                        .setGroupId("payments-checking")
                        .setStartingOffsets(OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST))
                        .setValueOnlyDeserializer(new SimpleStringSchema())
                        .build();

        DataStream<String> taken =
                env.fromSource(
                        payments,
                        WatermarkStrategy.<String>forBoundedOutOfOrderness(Duration.ofSeconds(30))
                                .withIdleness(Duration.ofMinutes(1)),
                        "payments");

        DataStream<String> checked =
                AsyncDataStream.unorderedWait(
                        taken, new FraudLookup(), 5, TimeUnit.SECONDS, 1_000);

        KafkaSink<String> sink =
                KafkaSink.<String>builder()
                        .setBootstrapServers(BROKERS)
                        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                        .setTransactionalIdPrefix("payments-checked")
                        .setProperty("transaction.timeout.ms", "600000")
                        .setRecordSerializer(
                                KafkaRecordSerializationSchema.<String>builder()
                                        .setTopic("payments-checked")
                                        .setValueSerializationSchema(new SimpleStringSchema())
                                        .build())
                        .build();

        checked.sinkTo(sink);
        env.execute("payments");
    }
}
