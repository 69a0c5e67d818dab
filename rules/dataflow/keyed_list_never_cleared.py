"""A list that a function keeps for each key is never removed.

## What it does
Looks at lists in keyed state whose descriptor has no time to live and that nothing clears: neither `clear` nor a timer.
For Stateful Functions, at values that are lists, maps or sets, do not expire and are never removed. A map for each
key that is only added to is reported as a suggestion.

## Why it matters
State of a key stays until something removes it. A list that each record adds to grows for ever: reading it gets slower
with each record of the key, checkpoints grow, and the TaskManager runs out of memory or disk. A list that is trimmed
when the next record of its key comes keeps its last elements for each key that falls silent: state grows with the
number of keys ever seen.

## What to do
Call `enableTimeToLive` on the descriptor with a `StateTtlConfig` that is longer than the list is needed, or register a
timer that clears it. For Stateful Functions, `thatExpireAfterWrite`, or `storage().remove(...)` when the work is done.

## Not when
- The list is cleared, or the function sets timers.
- The state is one of a window, or of an operator without keys.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/state/#state-time-to-live-ttl>:
  state is kept until it is removed or expires
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK447",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:keyed-state"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def keyed_list_never_cleared(config: View) -> Iterator[Finding]:
    """a list that a function keeps for each key is never removed"""
    for state in config.elements("keyed-state"):
        if state.has("expires") or state.has("cleared") or state.has("timer") or config.is_bounded:
            continue
        kind = state.text("kind")
        yield state.finding(
            _message(state),
            help="let it expire with thatExpireAfterWrite, or remove it when the work is done"
            if kind == "specification"
            else "call enableTimeToLive(StateTtlConfig...) on the descriptor, or clear it by a timer",
            severity=Severity.INFO if kind == "map" else None,
        )


def _message(state: ElementView) -> str:
    name = f"the state {state.name}"
    if state.text("kind") == "specification":
        return f"{name} collects values for each address and neither expires nor is removed: state grows for ever"
    if state.text("kind") == "map":
        return f"{name} only gets entries, without a time to live: it grows with each new entry and key"
    if state.has("replaced"):
        return (
            f"{name} is trimmed only by its key's next record, without a time to live: keys that fall silent keep"
            " their list for ever, and state grows with every key"
        )
    return f"{name} gets an element with each record and is never cleared, without a time to live: it grows for ever"


_FUNCTION = """  static class Recent extends KeyedProcessFunction<String, Order, Order> {
    private transient ListState<Order> recent;
    @Override public void open(Configuration c) {
      ListStateDescriptor<Order> descriptor = new ListStateDescriptor<>("recent", Order.class);
      %s
      recent = getRuntimeContext().getListState(descriptor);
    }
    @Override public void processElement(Order order, Context context, Collector<Order> out) throws Exception {
      %s
    }
  }"""
_STREAM = '.keyBy(o -> o.shop).process(new Recent()).uid("recent").addSink(sink)'
_TTL = "descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofDays(1)).build());"
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment, KeyedProcessFunction
from pyflink.datastream.state import ListStateDescriptor

class Recent(KeyedProcessFunction):
    def open(self, runtime_context):
        self.recent = runtime_context.get_list_state(ListStateDescriptor("recent", Types.STRING()))

    def process_element(self, value, ctx):
        self.recent.add(value)
        %s

env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(source).key_by(lambda o: o[0]).process(Recent()).print()
env.execute("orders")
"""
_STATEFUL = """import org.apache.flink.statefun.sdk.java.*;
public class Orders implements StatefulFunction {
  private static final ValueSpec<ArrayList<Order>> ORDERS =
      ValueSpec.named("orders")%s.withCustomType(Types.ORDERS);
  public CompletableFuture<Void> apply(Context context, Message message) {
    ArrayList<Order> orders = context.storage().get(ORDERS).orElse(new ArrayList<>());
    orders.add(message.as(Types.ORDER));
    context.storage().set(ORDERS, orders);
    return context.done();
  }
}
"""


def cases() -> list[Case]:
    return [
        bad(
            java_job(_FUNCTION % ("", "recent.add(order);"), stream=_STREAM), file="Job.java",
            severity=Severity.WARNING, says="never cleared",
        ),
        bad(_PYTHON % "pass", file="job.py", at="ListStateDescriptor", says="recent"),
        bad(
            java_job(_FUNCTION % ("", "recent.update(trimmed(recent.get(), order));"), stream=_STREAM),
            file="Job.java", says="keys that fall silent",
        ),
        bad(_STATEFUL % "", file="Orders.java", says="for each address"),
        bad(
            java_job(
                (_FUNCTION % ("", "recent.put(order.id, order);")).replace("ListState", "MapState"), stream=_STREAM
            ),
            file="Job.java", severity=Severity.INFO,
        ),
        good(java_job(_FUNCTION % (_TTL, "recent.add(order);"), stream=_STREAM), file="Job.java"),
        good(
            java_job(_FUNCTION % ("", "recent.add(order); if (order.last) { recent.clear(); }"), stream=_STREAM),
            file="Job.java",
        ),
        good(
            java_job(
                _FUNCTION % ("", "recent.add(order); context.timerService().registerEventTimeTimer(order.end);"),
                stream=_STREAM,
            ),
            file="Job.java",
        ),
        good(_STATEFUL % ".thatExpireAfterWrite(Duration.ofHours(1))", file="Orders.java"),
        good(_PYTHON % "self.recent.clear()", file="job.py"),
    ]  # fmt: skip
