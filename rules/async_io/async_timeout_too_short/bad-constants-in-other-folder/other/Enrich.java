import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;

class Enrich extends RichAsyncFunction<String, String> {
    ExecutorService pool = Executors.newFixedThreadPool(n);
    OkHttpClient http = new OkHttpClient.Builder().readTimeout(n, TimeUnit.SECONDS).build();
    
}
