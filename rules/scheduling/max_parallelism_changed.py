"""The maximum parallelism changes, and the state does not fit any more.

## What it does
Compares `pipeline.max-parallelism` with what it was at the revision that the check compares with. It reports another
value, and one that is set where none was: then the job's state has the maximum that Flink chose at its first start
(128 for a parallelism of up to 85, and a power of two above that).

## Why it matters
State is divided into as many key groups as the maximum parallelism says, once and for all. A job that asks for another
number is refused when it restores its checkpoint or savepoint, so that the upgrade stops with the job down. Only a
maximum that nothing sets adapts to what the state has.

## What to do
Take the change back. Where the maximum really is to change, write the state anew: with the State Processor API, or by
starting without it.

## Not when
- The check compares with no revision (`--diff-base`).
- The setting goes: Flink then takes the maximum from the state.
- The job is a batch job, or its resource is `upgradeMode: stateless`.
- The maximum that is set is the one that Flink chose for the parallelism of then.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/production_ready/#set-an-explicit-max-parallelism>:
  it cannot be changed without dropping the state
- <https://github.com/apache/flink/blob/master/flink-runtime/src/main/java/org/apache/flink/runtime/checkpoint/StateAssignmentOperation.java>:
  `checkParallelismPreconditions` compares the two, and adapts one that was chosen automatically
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.calculators.formulas.key_groups import LARGEST, default_max_parallelism
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import resources

_MAXIMUM = "pipeline.max-parallelism"


@rule(
    code="FLK623",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_MAXIMUM],
    flink=">=1.10",
    scope="change",
    since="0.1",
)
def max_parallelism_changed(before: View, after: View) -> Iterator[Finding]:
    """the maximum parallelism changes, and state cannot be restored"""
    setting, was, now = after.get(_MAXIMUM), before.integer(_MAXIMUM), after.integer(_MAXIMUM)
    if now is None or now < 1 or not setting.is_set or not before.is_known(_MAXIMUM) or _keeps_no_state(after):
        return
    if was is not None and was >= 1:
        if was != now:
            yield setting.finding(
                f"the maximum parallelism was {was} and becomes {now}: state that was written with {was} key groups"
                " cannot be restored",
                help=f"leave it at {was}; another number wants the state written anew",
                evidence={"before": was, "after": now},
            )
        return
    chosen = _chosen(before)
    if chosen != now:
        written = f"{chosen} key groups at the parallelism of then" if chosen else "the number that Flink chose"
        yield setting.finding(
            f"the maximum parallelism was not set and becomes {now}: state that has {written} cannot be restored",
            help=f"set it to the number that the job has ({chosen or '128 up to a parallelism of 85'}; the web"
            " interface and the metadata of a checkpoint tell it), or set it for new jobs alone",
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
            evidence={"after": now},
        )


def _chosen(config: View) -> int | None:
    """The maximum that Flink chose for the job's parallelism; None where no file says that."""
    parallelism = config.integer("parallelism.default")
    if parallelism is None or not config.is_set("parallelism.default") or not 1 <= parallelism <= LARGEST:
        return None
    return default_max_parallelism(parallelism)


def _keeps_no_state(config: View) -> bool:
    if (config.string("execution.runtime-mode") or "").upper() == "BATCH":
        return True
    return any(resource.upgrade_mode == "stateless" for resource in resources(config))


_WITH = f"{_MAXIMUM}: 360\n"
_SAVEPOINT = "upgradeMode: savepoint"


def cases() -> list[Case]:
    return [
        bad(f"{_MAXIMUM}: 720\n", before=_WITH, at=_MAXIMUM, severity=Severity.ERROR,
            says="was 360 and becomes 720"),
        bad(f"{_MAXIMUM}: 720\n", before="parallelism.default: 86\n", severity=Severity.WARNING, says="256 key groups"),
        bad(f"{_MAXIMUM}: 720\n", before="rest.port: 8081\n", flink="1.18", says="the number that Flink chose"),
        bad(deployment("pipeline.max-parallelism: '720'", job=_SAVEPOINT), at=_MAXIMUM, file="deployment.yaml",
            before=deployment("pipeline.max-parallelism: '128'", job=_SAVEPOINT)),
        good(f"{_MAXIMUM}: 360\n", before=_WITH),
        good(f"{_MAXIMUM}: 720\n"),
        good("rest.port: 8081\n", before=_WITH),
        good(f"{_MAXIMUM}: 256\n", before="parallelism.default: 86\n"),
        good(f"{_MAXIMUM}: -1\n", before=_WITH, flink="1.18"),
        good(f"{_MAXIMUM}: {{{{ max }}}}\n", before=_WITH),
        good(f"{_MAXIMUM}: 720\n", before=f"{_MAXIMUM}: {{{{ max }}}}\n"),
        good(f"{_MAXIMUM}: 720\nexecution.runtime-mode: BATCH\n", before=_WITH),
        good(deployment("pipeline.max-parallelism: '720'", job="upgradeMode: stateless"), file="deployment.yaml",
             before=deployment("pipeline.max-parallelism: '128'", job="upgradeMode: stateless")),
        bad(f"{_MAXIMUM}: 1\n", before=_WITH, says="becomes 1"),
        bad(_WITH, before=f"{_MAXIMUM}: 1\n", says="was 1 and becomes 360"),
        bad(_WITH, before="parallelism.default: ${P}\n", says="the number that Flink chose"),
        bad(_WITH, before="parallelism.default: 1\n", says="128 key groups"),
        bad(_WITH, before="parallelism.default: 32768\n", says="32768 key groups"),
        bad(_WITH, before="parallelism.default: 32769\n", says="the number that Flink chose"),
        bad(f"{_WITH}execution.runtime-mode: ${{MODE}}\n", before=f"{_MAXIMUM}: 720\n"),
    ]  # fmt: skip
