package shop;

import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        // env.enableCheckpointing(60_000);
        AsyncDataStream.unorderedWait(in, new Service(), 240, TimeUnit.SECONDS, 10);
        env.execute("orders");
    }
}
