import org.apache.flink.streaming.api.datastream.AsyncDataStream;

class Job { void run() { AsyncDataStream.unorderedWait(in, new Service(), 400, TimeUnit.SECONDS, 10); } }
class Service extends RichAsyncFunction<String, String> {
    static ExecutorService pool = Executors.newFixedThreadPool(100);
    OkHttpClient http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build();
    
}
