import org.apache.flink.streaming.api.datastream.AsyncDataStream;

class Job { void run(int n) { AsyncDataStream.unorderedWait(in, new Enrich(), 3, TimeUnit.SECONDS, 26); } }
