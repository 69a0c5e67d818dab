"""A state is declared by a class that only Kryo can serialize.

## What it does
Looks at state descriptors that are given a class (`List.class`, `Order.class`, Scala's `classOf[Order]`) for which
Flink certainly has no serializer: collections and `Object` without type arguments, interfaces, classes without a
constructor that has no arguments, and, as `TypeInformation.of` knows nothing of Scala, its traits and case classes.

## Why it matters
Kryo writes the classes of what is in the state, and its fields without their names. With a field more, the savepoint of
the old version cannot be read: `StateMigrationException: The new state serializer cannot be incompatible`, or Kryo
fails in the middle (`Buffer underflow`, `Encountered unregistered class ID`). Only the State Processor API gets the
state out then. Each access costs several times what a serializer of Flink's costs.

## What to do
Describe the state with its elements: `Types.LIST(Types.POJO(Order.class))`, `new TypeHint<List<Order>>() {}`, a
`ListStateDescriptor` or `MapStateDescriptor`; of Avro classes or POJOs, whose state may evolve; in Scala with
a serializer of one's own.

## Not when
The class is a POJO, or not known, or the project has a serializer for it or registers it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/serialization/schema_evolution/>:
  POJOs and Avro evolve, Kryo does not
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.rules.dataflow._programs import java_job
from flink_flint.rules.dataflow._types import GENERIC, classes


@rule(
    code="FLK459",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:state-type"],
    scope="project",
    compares=[(["element:state-type"], ["element:record-class"]), (["element:state-type"], ["element:stream-types"])],
    flink=">=1.0",
    since="0.1",
)
def state_left_to_kryo(project: Project) -> Iterator[Finding]:
    """a state is declared by a class that only Kryo can serialize"""
    states = [one for view in project.views for one in view.elements("state-type")]
    known = classes(project) if states else {}
    served = _served(project) if states else set()
    for state in states:
        name = state.text("class") or ""
        if name in served or (name not in GENERIC and name not in known):
            continue
        why = known[name].text("why") or "" if name in known else ""
        article = "an" if why.startswith("i") else "a"
        what = f"{name}, {article} {why}," if why in ("interface", "trait", "case class") else name
        yield state.finding(
            f"the state {state.name} is declared by the class {what} which only Kryo can serialize: with a field more,"
            " a new version cannot read the savepoint",
            of="class",
            help="describe it by a POJO or Avro class, or with Types.LIST and Types.MAP of its elements",
            related=[known[name].place(None, "the class")] if name in known else (),
        )


def _served(project: Project) -> set[str]:
    """Return the classes that a program of the project has a serializer for."""
    return {
        name
        for view in project.views
        for types in view.elements("stream-types")
        for name, attribute in types.element.attributes.items()
        if attribute.value is False
    }


_STATE = """  static class Recent extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<%s> recent;
    @Override public void open(Configuration c) {
      recent = getRuntimeContext().getState(new ValueStateDescriptor<>("recent", %s));
    }
    @Override public void processElement(String in, Context context, Collector<String> out) { }
  }"""
_STREAM = '.keyBy(o -> o.shop).process(new Recent()).uid("recent").addSink(sink)'
_SCALA = """import org.apache.flink.api.common.state.ListStateDescriptor
%s
object States {
  def events(): ListStateDescriptor[Event] = new ListStateDescriptor[Event]("events", %s)
}
"""


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements("a").keyBy(o -> o).process(new Recent()).uid("recent").print();
    env.execute();
  }
  static class Recent extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<List<String>> recent;
    @SuppressWarnings("unchecked")
    @Override public void open(Configuration c) {
      ValueStateDescriptor descriptor = new ValueStateDescriptor<>("recent", %s);
      recent = getRuntimeContext().getState(descriptor);
      System.out.println("shows " + descriptor.getSerializer().getClass().getSimpleName());
    }
    @Override public void processElement(String in, Context context, Collector<String> out) { }
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_uses(
            "program",
            _CLAIMED % "List.class",
            "KryoSerializer",
            good=_CLAIMED % "Types.LIST(Types.STRING)",
            releases=">=1.19,<2.0",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(
            java_job(_STATE % ("List<String>", "List.class"), stream=_STREAM), file="Job.java", at="List",
            severity=Severity.WARNING, says="only Kryo can serialize",
        ),
        bad(
            _SCALA % ("sealed trait Event", "TypeInformation.of(classOf[Event])"), file="States.scala",
            says="Event, a trait,",
        ),
        bad(
            _SCALA % ("", "TypeInformation.of(classOf[Event])"), file="States.scala",
            beside={"Event.scala": "import org.apache.flink.api.scala._\ncase class Event(shop: String)\n"},
        ),
        good(java_job(_STATE % ("Order", "Order.class"), stream=_STREAM), file="Job.java"),
        good(
            java_job(_STATE % ("List<String>", "Types.LIST(Types.STRING)"), stream=_STREAM), file="Job.java"
        ),
        good(_SCALA % ("", "TypeInformation.of(classOf[Event])"), file="States.scala"),
        good(
            _SCALA % ("case class Event(shop: String)\nclass EventSerializer", "classOf[Event]"), file="States.scala"
        ),
    ]  # fmt: skip
