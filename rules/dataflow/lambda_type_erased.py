"""Java erases the type arguments of a lambda's result, and Flink refuses the job.

## What it does
Looks at lambdas in Java that `map` or `flatMap` of a stream get: whose result is a tuple (`Tuple2.of(...)`), and those
of `flatMap`, which emit to a `Collector`, where no `returns(...)` follows.

## Why it matters
Flink takes the type of a stream from the function's class. Of a lambda, the compiler keeps `Tuple2` and `Collector`
without their arguments. The next operator fails as the job is built: `InvalidTypesException: The return type of
function 'main(Job.java:7)' could not be determined automatically, due to type erasure`, `The generic type
parameters of 'Tuple2' are missing`.

## What to do
Add `.returns(Types.TUPLE(Types.STRING, Types.INT))` right behind it, or use an anonymous class.

## Not when
`returns` follows, or the type information is an argument.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/java_lambdas/>: which lambdas need it
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK472",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:erased-type"],
    flink=">=1.0",
    since="0.1",
)
def lambda_type_erased(config: View) -> Iterator[Finding]:
    """Java erases the type arguments of a lambda's result, and Flink refuses the job"""
    for call in config.elements("erased-type"):
        yield call.finding(
            f"this lambda's {call.text('type')} has lost its type arguments: the job fails with InvalidTypesException:"
            f" \"The generic type parameters of '{call.text('type')}' are missing\"",
            of="type",
            help=f"add .returns(Types.…) behind {call.method(call.name)}, or use an anonymous class",
        )


_PAIRS = ".map(line -> Tuple2.of(line, 1))%s.keyBy(pair -> pair.f0).sum(1)"


def cases() -> list[Case]:
    return [
        bad(
            java_job("", _PAIRS % ""), file="Job.java", at="Tuple2.of", severity=Severity.ERROR,
            says="The generic type parameters of 'Tuple2' are missing",
        ),
        bad(
            java_job("", ".flatMap((line, out) -> { for (String word : split(line)) out.collect(word); }).print()"),
            file="Job.java", says="'Collector'",
        ),
        bad(java_job("", '.map(line -> { return new Tuple2<>(line, 1); }).name("pairs").print()'), file="Job.java"),
        good(java_job("", _PAIRS % ".returns(Types.TUPLE(Types.STRING, Types.INT))"), file="Job.java"),
        good(java_job("", _PAIRS % '.name("pairs").returns(Types.TUPLE(Types.STRING, Types.INT))'), file="Job.java"),
        good(java_job("", ".map(line -> line.length()).keyBy(n -> n)"), file="Job.java"),
        good(
            java_job("  static void plain(List<String> lines) { lines.stream().map(l -> Tuple2.of(l, 1)).toList(); }"),
            file="Job.java",
        ),
        good(
            java_job("", ".map(line -> Tuple2.of(line, 1), Types.TUPLE(Types.STRING, Types.INT)).keyBy(p -> p.f0)"),
            file="Job.java",
        ),
    ]  # fmt: skip


_CLAIMED = """import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements("a").%s.print();
    env.execute();
  }
}
"""


def claims() -> list[Claim]:
    pairs = "map(line -> Tuple2.of(line, 1))"
    words = "flatMap((String line, Collector<String> out) -> out.collect(line))"
    return [
        flink_fails(
            "program", _CLAIMED % pairs, good=_CLAIMED % f"{pairs}.returns(Types.TUPLE(Types.STRING, Types.INT))",
            releases=">=1.20",
        ),
        flink_fails(
            "program", _CLAIMED % words, good=_CLAIMED % f"{words}.returns(Types.STRING)", releases=">=1.20"
        ),
    ]  # fmt: skip
