package fleet;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Positions {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        FileSink<String> sink = FileSink.forRowFormat(new Path(path), new SimpleStringEncoder<String>()).build();
        env.execute("positions");
    }
}
