import org.apache.flink.streaming.api.datastream.AsyncDataStream;

class Job { void run() { AsyncDataStream.unorderedWait(in, new Service(), 5, TimeUnit.SECONDS, 500); } }
class Service extends RichAsyncFunction<String, String> {
    
    OkHttpClient http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build();
    
}
