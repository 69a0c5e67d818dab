import org.apache.flink.streaming.api.datastream.AsyncDataStream;

class Job { void run() { AsyncDataStream.unorderedWait(in, new Service(), 24, TimeUnit.SECONDS, 250); AsyncDataStream.unorderedWait(in, new Service(), 24, TimeUnit.SECONDS, 250); } }
class Service extends RichAsyncFunction<String, String> {
    static ExecutorService pool = Executors.newFixedThreadPool(100);
    OkHttpClient http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build();
    
}
