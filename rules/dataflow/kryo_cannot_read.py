"""A record has a value that Kryo writes and cannot read back.

## What it does
Looks at functions that return or emit an object of a class of the program with a field of type `List`, `Set` or
`Map`, and give it `List.of(...)`, `Map.of(...)`, Guava's `ImmutableList.of(...)` or
`Collections.unmodifiableList(...)`. And at functions and streams of `GenericRecord` in programs that say nothing of its
type.

## Why it matters
The job fails at the first record that is copied or sent: `com.esotericsoftware.kryo.KryoException:
java.lang.UnsupportedOperationException`, with `Serialization trace` and the field. Flink leaves fields of collections
to Kryo (before 2.0), which makes an object of the same class and adds the elements one by one; such collections let
nobody add. Nothing shows it in tests that run in one chain with object reuse. Of an Avro `GenericRecord`, Kryo writes
the whole schema with each record where Avro's serializer would write the fields alone, or fails in it
(`Serialization trace: ... org.apache.avro.Schema$Field`).

## What to do
Copy into `new ArrayList<>(...)` or `new HashMap<>(...)`, in the class itself. Or describe the field with `@TypeInfo`
and a factory of `ListTypeInfo`. For Avro, `.returns(new GenericRecordAvroTypeInfo(schema))`, or classes that Avro
generates.

## Not when
The class copies what it gets, has `@TypeInfo`, or is in another file.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/dev/datastream/fault-tolerance/serialization/types_serialization/>
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/connectors/datastream/formats/avro/>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK483",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kryo-value"],
    flink=">=1.0",
    since="0.1",
)
def kryo_cannot_read(config: View) -> Iterator[Finding]:
    """a record has a value that Kryo writes and cannot read back"""
    for value in config.elements("kryo-value"):
        if value.text("kind") == "avro":
            yield value.finding(
                "the stream has no type information for GenericRecord: Kryo writes each record with its whole schema,"
                " or fails in it (KryoException)",
                help="call .returns(new GenericRecordAvroTypeInfo(schema)), or use classes that Avro generates",
            )
        elif not config.since("2.0"):
            yield value.finding(
                f"{value.text('of')} makes a collection that nobody can add to, which Kryo cannot read back in"
                f" {value.name}: the job fails (KryoException: UnsupportedOperationException)",
                help="copy it: new ArrayList<>(...) or new HashMap<>(...)",
            )


_CLASS = """  public static class Request {
    %sList<String> lines;
    public Request() { }
    public Request(List<String> lines) { this.lines = %s; }
  }"""
_STREAM = ".map(o -> new Request(%s)).returns(Request.class).keyBy(r -> r.lines.size()).print()"


def _job(made: str, kept: str = "lines", before: str = "public ") -> str:
    return java_job(_CLASS % (before, kept), stream=_STREAM % made)


def _avro(after: str, imports: str = "") -> str:
    stream = (
        f";\n    DataStream<GenericRecord> records = env.addSource(s).map(new ToRecord()){after};\n    records.print()"
    )
    return java_job("", stream=stream, imports=f"import org.apache.avro.generic.GenericRecord;\n{imports}")


def cases() -> list[Case]:
    return [
        bad(
            _job("List.of(o)"), file="Job.java", at="List.of(o)", flink="1.20", severity=Severity.WARNING,
            says="List.of makes a collection that nobody can add to, which Kryo cannot read back in Request",
        ),
        bad(_job("Collections.unmodifiableList(lines(o))"), file="Job.java", flink="1.18"),
        bad(_avro(""), file="Job.java", at="GenericRecord", says="Kryo writes each record with its whole schema"),
        good(_job("new ArrayList<>(List.of(o))"), file="Job.java", flink="1.20"),
        good(_job("List.of(o)", "new ArrayList<>(lines)"), file="Job.java", flink="1.20"),
        good(_job("List.of(o)", before="@TypeInfo(Lines.class) public "), file="Job.java", flink="1.20"),
        good(_job("List.of(o)"), file="Job.java", flink="2.0"),
        good(
            _avro(".returns(new GenericRecordAvroTypeInfo(schema))",
                  "import org.apache.flink.formats.avro.typeutils.GenericRecordAvroTypeInfo;\n"), file="Job.java",
        ),
    ]  # fmt: skip


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import java.util.*;
public class Job {
  public static class Request {
    public List<String> lines;
    public Request() { }
    public Request(List<String> lines) { this.lines = lines; }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements("a", "b").map(o -> new Request(%s)).returns(Request.class).keyBy(r -> r.lines.size()).print();
    env.execute();
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_fails("program", _CLAIMED % made, good=_CLAIMED % f"new ArrayList<>({made})", releases=">=1.19,<2.0")
        for made in ("List.of(o)", "Collections.unmodifiableList(new LinkedList<>(Arrays.asList(o)))")
    ]
