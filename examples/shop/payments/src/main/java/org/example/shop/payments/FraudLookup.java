package org.example.shop.payments;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;

/** Asks the fraud service for the score of a payment, with a client that waits in threads of its own. */
class FraudLookup extends RichAsyncFunction<String, String> {

    private transient HttpClient client;
    private transient ExecutorService threads;

    @Override
    public void open(OpenContext context) {
        client = HttpClient.newBuilder().connectTimeout(Duration.ofMillis(500)).build();
        threads = Executors.newFixedThreadPool(20);
    }

    @Override
    public void asyncInvoke(String payment, ResultFuture<String> result) {
        threads.submit(() -> {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create("https://fraud.example.org/score"))
                            .timeout(Duration.ofSeconds(2))
                            .POST(HttpRequest.BodyPublishers.ofString(payment))
                            .build();
            try {
                HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
                result.complete(List.of(answer.body()));
            } catch (Exception failure) {
                result.completeExceptionally(failure);
            }
        });
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
