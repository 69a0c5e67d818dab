"""Programs that run: a job that asks a slow server through AsyncDataStream."""

from __future__ import annotations

_PROGRAM = """
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.*;

public class Job {
    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            try {
                Thread.sleep(500);
            } catch (InterruptedException stopped) {
                return;
            }
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        Lookup.port = server.getAddress().getPort();
        Lookup.open.set(0);
        Lookup.most = 0;
        try {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.setParallelism(1);
            DataStream<Integer> in = env.fromElements(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
            AsyncDataStream.CALL.print();
            env.execute();
        } finally {
            server.stop(0);
        }
        END
    }
}

class Lookup extends RichAsyncFunction<Integer, Integer> {
    static int port;
    static final AtomicInteger open = new AtomicInteger();
    static volatile int most;
    static final HttpClient http = HttpClient.newHttpClient();
    FIELDS

    private void answer(Integer in, ResultFuture<Integer> out) {
        open.decrementAndGet();
        out.complete(Collections.singleton(in));
    }

    public void asyncInvoke(Integer in, ResultFuture<Integer> out) throws Exception {
        most = Math.max(most, open.incrementAndGet());
        BODY
    }
}
"""


def running_program(call: str, body: str, *, fields: str = "", end: str = "") -> str:
    """Return a program whose function `Lookup` asks a server that answers after half a second, for 12 numbers."""
    texts = {"CALL": call, "BODY": body, "FIELDS": fields, "END": end}
    program = _PROGRAM
    for name, text in texts.items():
        program = program.replace(name, text)
    return program.lstrip()
