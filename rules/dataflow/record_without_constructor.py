"""The class of a stream's records has no constructor without arguments, and is left to Kryo.

## What it does
Looks at classes that streams and functions have as the type of their records, anywhere in the project: whether all
their constructors have parameters, though they have setters; whether Lombok makes only such a constructor (`@Value`,
`@Builder`, `@AllArgsConstructor` without `@NoArgsConstructor`); and at data classes of Kotlin without default values.

## Why it matters
Flink serializes a class as a POJO only if it has a public constructor without arguments. Otherwise it logs `Class ...
cannot be used as a POJO type because not all fields are valid POJO fields, and must be processed as GenericType`, or
`must have a default constructor to be used as a POJO`, and gives each record to Kryo. That takes several times as long,
fails for immutable collections in the record (`UnsupportedOperationException` at `ImmutableCollection.add`), and state
of such a class cannot be read any more once a field is added.

## What to do
Add a public constructor without arguments, with setters or public fields that are not final; `@NoArgsConstructor` with
Lombok. Or register a serializer, or make the type one of Avro. `pipeline.generic-types: false` finds all such types.

## Not when
The project has a serializer or type information for the class or registers it, or the class is one of Avro, Protobuf
or Thrift.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/serialization/types_serialization/#pojos>:
  what a POJO is
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.dataflow._programs import java_job
from flink_flint.rules.dataflow._types import classes, stream_types

_OF_STREAMS = regex(r"\bStreamExecutionEnvironment\b|\bStreamTableEnvironment\b|\bDataStream\b")
"""What a program of streams names; records of a batch job have no state."""


@rule(
    code="FLK458",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:record-class"],
    scope="project",
    compares=[(["element:record-class"], ["element:stream-types"])],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def record_without_constructor(project: Project) -> Iterator[Finding]:
    """the class of a stream's records is no POJO, and is left to Kryo"""
    found = classes(project)
    used = stream_types(project) if found else {}
    for name, one in found.items():
        why = one.text("why") or ""
        is_meant = why.startswith("@") or why == "data class" or (why == "constructor" and one.flag("setters"))
        if name not in used or not is_meant:
            continue
        types = used[name]
        cause = f"{why} gives {name}" if why.startswith("@") else f"{name} has"
        yield one.finding(
            f"{cause} no constructor without arguments, so it is no POJO for Flink but left to Kryo: slower, fails on"
            " immutable collections in it, and its state cannot evolve",
            of="why",
            severity=None if _OF_STREAMS.search(types.document.text) else Severity.INFO,
            help="add @NoArgsConstructor" if why.startswith("@") else "add a public constructor without arguments",
            related=[types.place(name, f"a stream of {name}")],
        )


_CLASS = """  %s
  public static class Order extends Base {
    private String shop;
    %s
    public String getShop() { return shop; }
    public void setShop(String shop) { this.shop = shop; }
  }
  static class Parse implements MapFunction<String, %s> {
    public Order map(String line) { return new Order(line); }
  }"""
_ARGUMENTS = "public Order(String shop) { this.shop = shop; }"
_STREAM = ".map(new Parse()).addSink(sink)"
_KOTLIN = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
data class Order(%s)
class Parse : MapFunction<String, Order> { override fun map(line: String) = Order(line) }
fun main() {
  val env = StreamExecutionEnvironment.getExecutionEnvironment()
  env.addSource(Orders()).map(Parse()).print()
  env.execute("orders")
}
"""


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Order> orders = env.fromElements("a").map(new Parse());
    orders.print();
    System.out.println("shows " + orders.getType());
  }
  public static class Order {
    private String shop;
    %s
    public Order(String shop) { this.shop = shop; }
    public String getShop() { return shop; }
    public void setShop(String shop) { this.shop = shop; }
  }
  static class Parse implements MapFunction<String, Order> {
    public Order map(String line) { return new Order(line); }
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_uses(
            "program", _CLAIMED % "", "shows GenericType", good=_CLAIMED % "public Order() {}", releases=">=1.20"
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(
            java_job(_CLASS % ("", _ARGUMENTS, "Order"), stream=_STREAM), file="Job.java", at="Order",
            severity=Severity.WARNING, says="left to Kryo",
        ),
        bad(java_job(_CLASS % ("@Value", "", "Order"), stream=_STREAM), file="Job.java", says="@Value gives Order"),
        bad(java_job(_CLASS % ("@Data @Builder", "", "Order"), stream=_STREAM), file="Job.java", says="@Builder"),
        bad(_KOTLIN % "val shop: String", file="Job.kt"),
        good(java_job(_CLASS % ("", f"public Order() {{}} {_ARGUMENTS}", "Order"), stream=_STREAM), file="Job.java"),
        good(java_job(_CLASS % ("@Data", "", "Order"), stream=_STREAM), file="Job.java"),
        good(java_job(_CLASS % ("@Value @NoArgsConstructor", "", "Order"), stream=_STREAM), file="Job.java"),
        good(java_job(_CLASS % ("", _ARGUMENTS, "Other"), stream=_STREAM), file="Job.java"),
        good(
            java_job(
                _CLASS % ("", _ARGUMENTS, "Order")
                + "\n  static class OrderSerializer extends TypeSerializer<Order> {}", stream=_STREAM,
            ),
            file="Job.java",
        ),
        good(_KOTLIN % 'var shop: String = ""', file="Job.kt"),
    ]  # fmt: skip
