import org.apache.flink.streaming.api.datastream.AsyncDataStream;

class Job { void run(int n) { AsyncDataStream.unorderedWait(in, new Enrich(), 4, TimeUnit.SECONDS, Sizes.CAPACITY); } }
class Sizes { static final int CAPACITY = 10_000; }

class Enrich extends RichAsyncFunction<String, String> {
    ExecutorService pool = Executors.newFixedThreadPool(25);
    OkHttpClient http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build();
    
}
