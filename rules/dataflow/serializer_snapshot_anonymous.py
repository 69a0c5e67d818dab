"""The snapshot of a serializer is an anonymous class, and no savepoint can be read again.

## What it does
Looks at `snapshotConfiguration` of type serializers that return an anonymous class
(`new SimpleTypeSerializerSnapshot<>(...) {}`).

## Why it matters
A checkpoint names the class of the snapshot, which Flink makes by its constructor without arguments as it restores. An
anonymous class inside a method has none, and is not static. Checkpoints succeed; each restore from them fails:
`RuntimeException: The class 'MoneySerializer$1' is not instantiable: The class is not a public class`, `The class is an
inner class, but not statically accessible`.

## What to do
Make it a public static nested class with a constructor without arguments.

## Not when
The class has a name.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/serialization/custom_serialization/>:
  avoid anonymous or nested classes for snapshots
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK475",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:anonymous-snapshot"],
    flink=">=1.7",
    since="0.1",
)
def serializer_snapshot_anonymous(config: View) -> Iterator[Finding]:
    """the snapshot of a serializer is an anonymous class: no savepoint is readable"""
    for snapshot in config.elements("anonymous-snapshot"):
        yield snapshot.finding(
            f"this anonymous {snapshot.name} has no public constructor: checkpoints succeed, and every restore fails"
            ' with "The class is not instantiable"',
            help="make it a public static nested class with a constructor without arguments",
        )


_SERIALIZER = """  public static class MoneySerializer extends TypeSerializerSingleton<Money> {
    public TypeSerializerSnapshot<Money> snapshotConfiguration() { return %s; }
    public static class Snapshot extends SimpleTypeSerializerSnapshot<Money> {
      public Snapshot() { super(MoneySerializer::new); }
    }
  }"""


def cases() -> list[Case]:
    return [
        bad(
            java_job(_SERIALIZER % "new SimpleTypeSerializerSnapshot<Money>(MoneySerializer::new) {}"),
            file="Job.java", at="new SimpleTypeSerializerSnapshot", severity=Severity.ERROR,
            says="every restore fails",
        ),
        bad(
            "import org.apache.flink.api.common.typeutils._\n"
            "class MoneySerializer extends TypeSerializerSingleton[Money] {\n"
            "  override def snapshotConfiguration(): TypeSerializerSnapshot[Money] =\n"
            "    new SimpleTypeSerializerSnapshot[Money](() => new MoneySerializer) {}\n}\n",
            file="Money.scala",
        ),
        good(java_job(_SERIALIZER % "new Snapshot()"), file="Job.java"),
        good(java_job(_SERIALIZER % "new MoneySnapshot(this)"), file="Job.java"),
    ]  # fmt: skip


_CLAIMED = """import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.*;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.*;
public class Job {
  public static class Named extends SimpleTypeSerializerSnapshot<String> {
    public Named() { super(() -> StringSerializer.INSTANCE); }
  }
  TypeSerializerSnapshot<String> snapshotConfiguration() { return %s; }
  public static void main(String[] args) throws Exception {
    DataOutputSerializer out = new DataOutputSerializer(64);
    TypeSerializerSnapshot.writeVersionedSnapshot(out, new Job().snapshotConfiguration());
    DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
    TypeSerializerSnapshot.readVersionedSnapshot(in, Job.class.getClassLoader());
  }
}
"""


def claims() -> list[Claim]:
    anonymous = "new SimpleTypeSerializerSnapshot<String>(() -> StringSerializer.INSTANCE) {}"
    return [flink_fails("program", _CLAIMED % anonymous, good=_CLAIMED % "new Named()", releases=">=1.20")]
