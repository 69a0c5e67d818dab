import org.apache.flink.streaming.api.datastream.AsyncDataStream;

class Job { void run() { AsyncDataStream.unorderedWait(in, new Service(), 5, TimeUnit.SECONDS, 1000); } }
class Service extends RichAsyncFunction<String, String> {
    ExecutorService pool = Executors.newFixedThreadPool(500);
    OkHttpClient http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build();
    
}
