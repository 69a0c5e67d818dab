"""The program sets its own parallelism, and nothing else can.

## What it does
Finds a call of `setParallelism` on the environment in the source of a job, and tells what it overrides where a
deployment that runs the program is among the files. The rule is opt-in: many programs do so on purpose.

## Why it matters
What the environment is told wins over `-p` on the command line, `spec.job.parallelism` of a resource, and
`parallelism.default`. To give a job more subtasks it has to be built and released anew, and the number in the manifest,
which is what people look at when there is a backlog, means nothing.

## What to do
Leave the call out, and set the parallelism where the job is started. Operators that need another one may still say so.

## Not when
The program runs a local environment, or works out the number itself.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/execution/parallel/#setting-the-parallelism>:
  the levels, from operators to the system
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Span
from flink_flint.rules.kubernetes._examples import deployment

_PARALLELISM = "parallelism.default"


@rule(
    code="FLK638",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[_PARALLELISM],
    only=["element:job"],
    pedantic=True,
    since="0.1",
)
def parallelism_in_code(config: View) -> Iterator[Finding]:
    """the program sets its own parallelism, and nothing else can"""
    entry = config.document.effective.get(_PARALLELISM)
    if entry is None or any(job.has("local-environment") for job in config.elements("job")):
        return
    lower = next((one for one in reversed(config.below) if _PARALLELISM in one.effective), None)
    if lower is not None:
        overridden = lower.effective[_PARALLELISM]
        said = f"the {overridden.text} of {lower.path} has no effect"
        place = [Place(lower.path, Span(overridden.key_span.start, overridden.value_span.end), "overridden")]
    else:
        said, place = "neither -p nor a manifest can change it", []
    yield config.finding(
        f"the program sets the parallelism {entry.text} itself: {said}",
        span=entry.value_span,
        key=_PARALLELISM,
        help="leave the call out, and set the parallelism where the job is started",
        related=place,
    )


def _program(call: str, environment: str = "getExecutionEnvironment") -> str:
    return (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Orders {\n  public static void main(String[] args) throws Exception {\n"
        f"    StreamExecutionEnvironment env = StreamExecutionEnvironment.{environment}();\n"
        f"    {call}\n    env.execute();\n  }}\n}}\n"
    )


_CALL = "env.setParallelism(4);"
_JAVA = {"file": "Orders.java"}


def cases() -> list[Case]:
    return [
        bad(_program(_CALL), **_JAVA, severity=Severity.INFO, at=_PARALLELISM, says="parallelism 4 itself: neither -p"),
        bad(_program(_CALL), **_JAVA, beside={"deployment.yaml": deployment(job="entryClass: Orders\nparallelism: 8")},
            says="the 8 of "),
        good(_program("env.enableCheckpointing(60000);"), **_JAVA,
             beside={"deployment.yaml": deployment(job="entryClass: Orders\nparallelism: 8")}),
        good(_program(_CALL, "createLocalEnvironment"), **_JAVA),
        good(_program("env.setMaxParallelism(4);"), **_JAVA),
        good("parallelism.default: 4\nrest.port: 8081\n"),
        *cases_in_folders(__file__),
    ]  # fmt: skip
