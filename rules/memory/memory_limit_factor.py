"""A pod may use far more memory than it asks for.

## What it does
Reports `kubernetes.jobmanager.memory.limit-factor` and `kubernetes.taskmanager.memory.limit-factor` above 1.5, as
advice. Below 1 Flink refuses them; that is `cpu-limit-factor`.

## Why it matters
Flink derives the JVM's sizes from the request and never uses what lies between it and the limit. Only what is outside
its accounts grows into it: RocksDB without managed memory, glibc's arenas, native libraries. Kubernetes has not
reserved that memory. Several pods that grow on one node exhaust it, and the kubelet evicts those first that are
furthest above their request.

## What to do
Keep to 1.0 to 1.2, and give what the process needs to `*.memory.process.size` and `*.memory.jvm-overhead.max`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#kubernetes-taskmanager-memory-limit-factor>:
  the limit is the request times the factor
- <https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#pod-selection-for-kubelet-eviction>:
  whom the kubelet evicts
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_FACTORS = ("kubernetes.jobmanager.memory.limit-factor", "kubernetes.taskmanager.memory.limit-factor")


@rule(
    code="FLK220",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=_FACTORS,
    flink=">=1.15",
    since="0.1",
    thresholds={"most": Threshold(1.5, "largest factor")},
)
def memory_limit_factor(config: View) -> Iterator[Finding]:
    """a pod may use far more memory than it asks for"""
    most = config.threshold("most")
    for key in _FACTORS:
        setting, factor = config.get(key), config.number(key)
        if setting.is_set and factor is not None and factor > most:
            yield setting.finding(
                f"Flink sizes the JVM by the request and leaves the {(factor - 1) * 100:.0f} % above it unused; what"
                " leaks into it is memory that the node has promised to others",
                help=f"set it to {min(1.2, most):g} at most, and raise the process size instead",
            )


def cases() -> list[Case]:
    return [
        bad(f"{_FACTORS[1]}: 2.0\n", at=_FACTORS[1], flink="1.18", severity=Severity.INFO, says="the 100 % above it"),
        bad(f"{_FACTORS[0]}: 3\n", at=_FACTORS[0], flink="1.20"),
        good(f"{_FACTORS[1]}: 1.2\n", flink="1.18"),
        good("kubernetes.taskmanager.cpu.limit-factor: 4.0\n", flink="1.18"),
        good(f"{_FACTORS[1]}: {{{{ factor }}}}\n", flink="1.18"),
        good(f"{_FACTORS[1]}: 1.5\n", flink="1.18"),
        bad(f"{_FACTORS[0]}: 1.6\n", flink="1.15", says="the 60 % above it"),
        good(f"{_FACTORS[0]}: 3\n", flink="1.14"),
    ]  # fmt: skip
