from pyflink.datastream import SlotSharingGroup, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
large = SlotSharingGroup.builder("large").set_cpu_cores(1.0).set_managed_memory_mb(4096).build()
env.from_source(orders, marks, "orders").slot_sharing_group(large).sink_to(sums)
env.execute("orders")
