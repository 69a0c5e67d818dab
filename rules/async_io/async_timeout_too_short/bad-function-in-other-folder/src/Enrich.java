import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;

class Enrich extends RichAsyncFunction<String, String> {
    ExecutorService pool = Executors.newFixedThreadPool(25);
    OkHttpClient http = new OkHttpClient.Builder().readTimeout(2, TimeUnit.SECONDS).build();
    
}
