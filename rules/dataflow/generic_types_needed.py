"""Generic types are switched off, and the job has one.

## What it does
Looks at programs under `pipeline.generic-types: false` (`disableGenericTypes()`) that write with Iceberg's `FlinkSink`,
or declare a state by a class that is a generic type for Flink: `List.class`, `Map.class`, `JsonNode.class`.

## Why it matters
The job fails: `java.lang.UnsupportedOperationException: Generic types have been disabled in the ExecutionConfig and
type org.apache.iceberg.flink.sink.FlinkWriteResult is treated as a generic type.` The sink passes its results between
its own operators as such a type, and nothing in the program can change that. A state fails where it is opened, on the
cluster.

## What to do
Write with Iceberg's `IcebergSink` (1.7 and later), which has type information of its own. Describe a state by its
elements (`Types.LIST(Types.STRING)`, `ListStateDescriptor`). Otherwise leave generic types on.

## Not when
The option is true, its default, or the sink is `IcebergSink`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#pipeline-generic-types>
- <https://github.com/apache/iceberg/issues/10710>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job
from flink_flint.rules.dataflow._types import GENERIC

_GENERIC_TYPES = "pipeline.generic-types"


@rule(
    code="FLK484",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_GENERIC_TYPES],
    when=["element:state-type", "element:sink"],
    flink=">=1.0",
    since="0.1",
)
def generic_types_needed(config: View) -> Iterator[Finding]:
    """generic types are switched off, and the job has one"""
    setting = config.get(_GENERIC_TYPES)
    if not setting.is_set or config.boolean(_GENERIC_TYPES) is not False:
        return
    needs = [
        (one, "FlinkWriteResult, which FlinkSink passes between its operators")
        for one in config.elements("sink")
        if one.name == "FlinkSink" and config.document.mentions("org.apache.iceberg")
    ]
    needs += [
        (one, f"{one.text('class')}, which the state {one.name} is declared by")
        for one in config.elements("state-type")
        if one.text("class") in GENERIC and not config.since("2.0")
    ]
    for one, what in needs:
        switched = setting.place("switched off")
        yield one.finding(
            f"generic types are off, and {what}, is one: the job fails (Generic types have been disabled)",
            help="write with IcebergSink, or leave generic types on"
            if one.name == "FlinkSink"
            else "describe the state by its elements (Types.LIST, Types.MAP), or leave generic types on",
            related=[switched] if switched is not None else (),
        )
        return


_ICEBERG = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.iceberg.flink.sink.%s;
public class Job {
  static void wire(StreamExecutionEnvironment env, DataStream<RowData> rows) {
    env.getConfig().%s();
    %s.forRowData(rows).tableLoader(loader).uidPrefix("orders").append();
  }
}
"""
_STATE = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.getConfig().disableGenericTypes();
    env.fromElements("a").keyBy(o -> o).process(new Recent()).uid("recent").print();
    env.execute();
  }
  static class Recent extends KeyedProcessFunction<String, String, String> {
    @Override public void processElement(String in, Context context, Collector<String> out) throws Exception {
      ValueStateDescriptor descriptor = new ValueStateDescriptor<>("recent", %s);
      getRuntimeContext().getState(descriptor).value();
    }
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_fails(
            "program", _STATE % "List.class", good=_STATE % "Types.LIST(Types.STRING)", releases=">=1.20,<2.0",
        ),
    ]  # fmt: skip


def cases() -> list[Case]:
    return [
        bad(
            _ICEBERG % ("FlinkSink", "disableGenericTypes", "FlinkSink"), file="Job.java",
            at="FlinkSink.forRowData", severity=Severity.ERROR, flink="1.20",
            says="FlinkWriteResult, which FlinkSink passes between its operators, is one",
        ),
        bad(_STATE % "List.class", file="Job.java", flink="1.20", says="List, which the state recent is declared by"),
        good(_ICEBERG % ("IcebergSink", "disableGenericTypes", "IcebergSink"), file="Job.java"),
        good(_ICEBERG % ("FlinkSink", "enableGenericTypes", "FlinkSink"), file="Job.java"),
        good(_STATE % "Types.LIST(Types.STRING)", file="Job.java"),
        good(_STATE % "List.class", file="Job.java", flink="2.0"),
        good(java_job("", stream=".print()"), file="Job.java"),
    ]  # fmt: skip
