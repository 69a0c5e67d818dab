"""A Python job gets no share of managed memory.

## What it does
Looks, where an option `python.*` is set, at `taskmanager.memory.managed.consumer-weights` without a weight for
`PYTHON`, or with a weight of 0, and at a managed memory of nothing.

## Why it matters
The processes that run Python functions live on managed memory (`python.fn-execution.memory.managed`, true by default),
of which they get their weight's share. Weights that are set replace the default ones as a whole: those that name
`OPERATOR` and `STATE_BACKEND` alone leave Python a share of 0, and each Python operator fails when it opens: "The
configured managed memory fraction for Python worker process must be within (0, 1], was: 0.0." Without any managed
memory there is nothing to share.

## What to do
Write `OPERATOR:70,STATE_BACKEND:70,PYTHON:30`, the default, or delete the line. Give managed memory back where it was
taken away.

## Not when
`python.fn-execution.memory.managed` is false: then the processes take memory of their own, for which the container
needs room (`taskmanager.memory.task.off-heap.size`). No option of Python is set: other jobs do without the weight. The
functions run in Flink's own process (`python.execution-mode: thread`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/#consumer-weights>: the
  weights
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/python/python_config/>: Python and managed memory
- <https://github.com/apache/flink/blob/release-1.20/flink-python/src/main/java/org/apache/flink/streaming/api/runners/python/beam/BeamPythonFunctionRunner.java>:
  the check
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_WEIGHTS = "taskmanager.memory.managed.consumer-weights"
_SIZE = "taskmanager.memory.managed.size"
_FRACTION = "taskmanager.memory.managed.fraction"
_MANAGED = "python.fn-execution.memory.managed"
_PYTHON = "PYTHON"


@rule(
    code="FLK219",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_WEIGHTS, _SIZE, _FRACTION],
    flink=">=1.12",
    since="0.1",
)
def python_without_memory(config: View) -> Iterator[Finding]:
    """a Python job gets no share of managed memory"""
    used = next((setting for setting in config.under("python.") if setting.option is not None), None)
    if used is None or config.boolean(_MANAGED) is not True or config.value("python.execution-mode") == "thread":
        return
    weights, size, fraction = config.get(_WEIGHTS), config.get(_SIZE), config.get(_FRACTION)
    shares = config.value(_WEIGHTS)
    if weights.is_set and isinstance(shares, dict) and shares.get(_PYTHON, "0").strip() == "0":
        yield weights.finding(
            "Python has no weight among the consumers of managed memory, so its share is 0 and each Python operator"
            " fails when it opens",
            help=f"set {_WEIGHTS}: OPERATOR:70,STATE_BACKEND:70,PYTHON:30, or delete it",
            related=[used],
        )
        return
    nothing = size if size.is_set else fraction
    if nothing.is_set and nothing.value == 0:
        yield nothing.finding(
            "there is no managed memory, which is what the processes that run Python functions live on",
            help=f"delete {nothing.written}, or set {_MANAGED}: false and leave room outside of Flink's memory",
            severity=Severity.WARNING,
            fix=nothing.remove(),
            at="entry",
            related=[used],
        )


_JOB = "python.fn-execution.bundle.size: 1000\n"


def cases() -> list[Case]:
    return [
        bad(f"{_JOB}{_WEIGHTS}: OPERATOR:70,STATE_BACKEND:70\n", at=_WEIGHTS, flink="1.18", severity=Severity.ERROR,
            says="its share is 0"),
        bad(f"{_JOB}{_WEIGHTS}: 'OPERATOR:70,STATE_BACKEND:70,PYTHON:0'\n", at=_WEIGHTS, flink="1.20"),
        bad(f"{_JOB}{_SIZE}: 0\n", at=_SIZE, severity=Severity.WARNING, says="no managed memory", fixed=_JOB),
        bad(f"{_JOB}{_FRACTION}: 0\n", at=_FRACTION, flink="1.13"),
        good(f"{_JOB}{_WEIGHTS}: OPERATOR:70,STATE_BACKEND:70,PYTHON:30\n", flink="1.18"),
        good(f"{_JOB}{_WEIGHTS}: '{{{{ weights }}}}'\n", flink="1.18"),
        good(f"{_JOB}{_WEIGHTS}: OPERATOR:70\n{_MANAGED}: false\n", flink="1.18"),
        good(f"{_JOB}{_WEIGHTS}: OPERATOR:70\n{_MANAGED}: '{{{{ managed }}}}'\n", flink="1.18"),
        good(f"{_JOB}{_WEIGHTS}: OPERATOR:70\npython.execution-mode: thread\n", flink="1.18"),
        good(f"{_WEIGHTS}: OPERATOR:70,STATE_BACKEND:70\n", flink="1.18"),
        good(f"python.acme: 1\n{_SIZE}: 0\n", flink="1.18"),
        good(f"{_JOB}{_SIZE}: 1g\n{_FRACTION}: 0\n"),
        good(f"{_JOB}{_SIZE}: '{{{{ size }}}}'\n{_FRACTION}: 0\n"),
        good(f"{_JOB}{_FRACTION}: 0.3\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses(
            "Python memory",
            "taskmanager.memory.managed.consumer-weights: OPERATOR:70,STATE_BACKEND:70\n",
            "0.0",
            good="taskmanager.memory.managed.consumer-weights: OPERATOR:70,STATE_BACKEND:70,PYTHON:30\n",
            both="python.fn-execution.bundle.size: 1000\n",
            releases=">=1.12",
        ),
    ]
