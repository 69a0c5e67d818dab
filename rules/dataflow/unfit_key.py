"""The key of a stream is not the same for all who compute it.

## What it does
Looks at `keyBy` and its key selector for keys that are made of random numbers or the clock, and for keys that are
arrays, enums or messages of Protocol Buffers.

## Why it matters
Flink computes the key of a record several times: where it is sent, to choose the subtask, and where it arrives, to
find its state. Both must agree, in all processes and after each restart. A random key is another one the second time.
The hash code of an enum or a Protobuf message comes from the identity of an object (of the descriptor), and differs
between JVMs; that of an array is its address. The record arrives at a subtask that does not have its key group, and
the job fails with `IllegalArgumentException: Key group 42 is not in KeyGroupRange{startKeyGroup=0, endKeyGroup=31}`,
`ArrayIndexOutOfBoundsException` in `KeyGroupPartitionedPriorityQueue`, or its state is not found again. Arrays, and
enums in later releases, are refused: `Type ... cannot be used as key`.

## What to do
Key by fields with a stable hash code: strings, numbers, or a tuple of them. To spread a hot key, add a field to the
record once, before `keyBy`, and key by that. Of an enum use `name()`.

## Not when
The key is a field of the record, or of a class whose kind is not in the file.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/overview/#keyby>: types that
  cannot be keys
- <https://github.com/apache/flink/blob/release-1.20/flink-streaming-java/src/main/java/org/apache/flink/streaming/api/datastream/KeyedStream.java>:
  the validation of key types
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job

_WHY = {
    "random": "is another one each time the key of a record is computed",
    "array": "is an array, whose hash code is its address",
    "enum": "is an enum, whose hash code differs between JVMs",
    "protobuf": "is a Protobuf message, whose hash code differs between JVMs",
}
_HELP = {
    "random": "put the random part into a field of the record before keyBy, and key by the field",
    "array": "key by a string or a tuple made of the array",
    "enum": "key by its name()",
    "protobuf": "key by a string, or a tuple of the message's fields",
}


@rule(
    code="FLK448",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:key"],
    flink=">=1.0",
    since="0.1",
)
def unfit_key(config: View) -> Iterator[Finding]:
    """the key of a stream is not the same for all who compute it"""
    for key in config.elements("key"):
        kind = key.text("kind") or ""
        if kind not in _WHY:
            continue
        what = "the key" if kind != "random" else f"{key.text('of')} in the key"
        end = (
            "Flink refuses it as a key"
            if kind == "array"
            else 'records reach subtasks without their key group, and the job fails ("not in KeyGroupRange")'
        )
        yield key.finding(f"{what} {_WHY[kind]}: {end}", help=_HELP[kind], related=[key.place("of", "makes the key")])


_STREAM = '.keyBy(%s).process(new Count()).uid("count").addSink(sink)'
_PROTO = """  static class ByAd implements KeySelector<Ad, AdProto.AdKey> {
    public AdProto.AdKey getKey(Ad ad) { return AdProto.AdKey.newBuilder().setId(ad.id).build(); }
  }"""
_ARRAY = """  static class ByHash implements KeySelector<Ad, byte[]> {
    public byte[] getKey(Ad ad) { return ad.hash; }
  }"""
_ENUM = """  enum Kind { SHOWN, CLICKED }
  static class ByKind implements KeySelector<Ad, Kind> {
    public Kind getKey(Ad ad) { return ad.kind; }
  }"""
_STRING = """  static class ById implements KeySelector<Ad, String> {
    public String getKey(Ad ad) { return ad.id; }
  }"""
_AVRO = """  static class ByAd implements KeySelector<Ad, AdKey> {
    public AdKey getKey(Ad ad) { return AdKey.newBuilder().setId(ad.id).build(); }
  }"""
_PYTHON = """import random
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.add_source(source).key_by(lambda x: %s).process(Count()).print()
env.execute("orders")
"""


def cases() -> list[Case]:
    return [
        bad(
            java_job("", stream=_STREAM % "ad -> ThreadLocalRandom.current().nextInt(8)"), file="Job.java", at="keyBy",
            severity=Severity.WARNING, says="not in KeyGroupRange",
        ),
        bad(java_job(_PROTO, stream=_STREAM % "new ByAd()"), file="Job.java", says="Protobuf"),
        bad(java_job(_ARRAY, stream=_STREAM % "new ByHash()"), file="Job.java", says="refuses it"),
        bad(java_job(_ENUM, stream=_STREAM % "new ByKind()"), file="Job.java", says="enum"),
        bad(_PYTHON % "random.randint(0, 8)", file="job.py"),
        good(java_job(_STRING, stream=_STREAM % "new ById()"), file="Job.java"),
        good(java_job(_AVRO, stream=_STREAM % "new ByAd()"), file="Job.java"),
        good(java_job("", stream=_STREAM % "ad -> ad.salt"), file="Job.java"),
        good(_PYTHON % "x[0]", file="job.py"),
    ]  # fmt: skip


_PROGRAM = """import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
  static class Key implements KeySelector<String, %s> {
    public %s getKey(String value) { return %s; }
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements("a", "b").keyBy(new Key()).reduce((a, b) -> a + b).print();
    env.execute();
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_fails(
            "program",
            _PROGRAM % ("byte[]", "byte[]", "value.getBytes()"),
            good=_PROGRAM % ("String", "String", "value"),
            releases=">=1.20",
        ),
    ]
