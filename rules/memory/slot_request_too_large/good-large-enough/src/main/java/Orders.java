import org.apache.flink.api.common.operators.SlotSharingGroup;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    SlotSharingGroup large = SlotSharingGroup.newBuilder("large").setCpuCores(1.0)
        .setTaskHeapMemory(MemorySize.ofMebiBytes(64)).build();
    env.fromSource(orders(), marks(), "orders").slotSharingGroup(large).sinkTo(sums());
    env.execute("orders");
  }
}
