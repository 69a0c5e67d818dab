"""A savepoint is written with the parallelism of a job as its maximum.

## What it does
Looks at `Savepoint.create` and `SavepointWriter.newSavepoint` of the State Processor API: where the argument for the
maximum parallelism is a variable of the name of a parallelism, or a number below 128.

## Why it matters
The argument is not a parallelism, it is the number of key groups, which is fixed for the life of the state. The job
that starts from the savepoint can never run with more subtasks: `The parallelism ... is larger than the max
parallelism`, or, where it sets a maximum itself, `The maximum parallelism (4) with which the latest checkpoint of the
execution job vertex has been taken and the current maximum parallelism (128) changed. This is not supported.`

## What to do
Choose one maximum, such as 1024, give it here, and set it in the job with `env.setMaxParallelism` or
`pipeline.max-parallelism`.

## Not when
The argument's name has `max` in it, or it is 128 or more.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/libs/state_processor_api/#writing-new-savepoints>: the
  maximum parallelism of a new savepoint
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/production_ready/#set-an-explicit-max-parallelism>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_DEFAULT = 128


@rule(
    code="FLK454",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:savepoint-writer"],
    flink=">=1.0",
    since="0.1",
)
def savepoint_max_parallelism(config: View) -> Iterator[Finding]:
    """a savepoint is written with the parallelism of a job as its maximum"""
    for writer in config.elements("savepoint-writer"):
        given, number = writer.text("given") or "", writer.number("max-parallelism")
        named = "parallelism" in given.lower() and "max" not in given.lower()
        if not named and (number is None or not 0 < number < _DEFAULT):
            continue
        value = f"{given} ({int(number)})" if named and number is not None else given
        yield writer.finding(
            f"{writer.name} takes the maximum parallelism and gets {value}: a job from this savepoint can never run"
            " with more, and one that sets another maximum is refused",
            help="give the maximum parallelism of the job, such as 1024, and set it there with setMaxParallelism",
            related=[writer.place("max-parallelism")],
        )


_SCALA = """import org.apache.flink.state.api._
object Bootstrap {
  def savepoint(backend: StateBackend, parallelism: Int, maxParallelism: Int): NewSavepoint =
    Savepoint.create(backend, %s).withOperator("orders", transformation)
}
"""
_JAVA = """import org.apache.flink.state.api.SavepointWriter;
public class Bootstrap {
  public static void main(String[] args) throws Exception {
    SavepointWriter.newSavepoint(env, new HashMapStateBackend(), %s).withOperator(id, data).write("s3://f/s");
  }
}
"""


def cases() -> list[Case]:
    return [
        bad(
            _SCALA % "parallelism", file="Bootstrap.scala", at="Savepoint.create", severity=Severity.WARNING,
            says="gets parallelism",
        ),
        bad(_JAVA % "4", file="Bootstrap.java", says="gets 4"),
        good(_SCALA % "maxParallelism", file="Bootstrap.scala"),
        good(_JAVA % "128", file="Bootstrap.java"),
    ]  # fmt: skip
