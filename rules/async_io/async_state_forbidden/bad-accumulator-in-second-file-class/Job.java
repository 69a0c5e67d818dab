import org.apache.flink.streaming.api.datastream.AsyncDataStream;

class Job { void run(int n) { AsyncDataStream.unorderedWait(in, new Lookup(), 5, TimeUnit.SECONDS); } }
class Lookup extends RichAsyncFunction<String, String> {
    public void open(Configuration c) {
        order = machine.getState();
    }
}
class Other extends RichAsyncFunction<String, String> {
    public void open(Configuration c) {
        getRuntimeContext().addAccumulator("calls", calls);
    }
}
