package fleet;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Positions {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Properties properties = new Properties();
        properties.put("aws.region", "eu-west-1");
        properties.put("flink.shard.getrecords.maxrecordcount", "200");
        properties.put("flink.shard.getrecords.intervalmillis", "1000");
        DataStream<Position> stream = env.addSource(
            new FlinkKinesisConsumer<>("positions", new PositionSchema(), properties));
        Properties more = new Properties();
        more.put("aws.region", "eu-west-1");
        DataStream<Position> other = env.addSource(
            new FlinkKinesisConsumer<>("positions", new PositionSchema(), more));
        CassandraSink.addSink(stream)
            .setQuery("INSERT INTO fleet.positions (id, speed) VALUES (?, ?);")
            .setClusterBuilder(new ClusterBuilder() {
                @Override
                protected Cluster buildCluster(Cluster.Builder builder) {
                    return builder.addContactPoint(host).withQueryOptions(
                        new QueryOptions().setConsistencyLevel(ConsistencyLevel.QUORUM)).build();
                }
            })
            .build();
        env.execute("positions");
    }
}
