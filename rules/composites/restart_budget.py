"""What restarts may take is more than what waits for them allows.

## What it does
Adds up, over the program or script, its deployment and the operator's defaults, what a restart takes at worst, and
compares it with two clocks that run meanwhile:

- the `transaction.timeout.ms` of an exactly-once Kafka writer, where it bears the checkpoints alone, but not the
  checkpoints and a restart;
- the window in which the operator's health check wants a checkpoint to complete, where the program sets a longer
  interval than the deployment knows of.

## Why it matters
A transaction is open from one checkpoint until the next one is complete, once more for each failure that is tolerated,
and, when the job fails before the commit, until it runs again:

    checkpoints   (max(interval, min-pause) + timeout) x (tolerable + 1)
    restart     + the longest delay of the restart strategy
    pods        + slot.request.timeout, if that delay is above slot.idle.timeout + resourcemanager.taskmanager-timeout

The last line is where files meet. While a job waits for its restart its slots are idle. After 50 s to 100 s they go
back (the JobManager looks every 50 s), after another 30 s the TaskManager is released, and a job that returns later
waits for new pods, for `slot.request.timeout` (5 min) at most. With checkpoints every minute, their timeout of 10 min
and exponential delays of up to 5 min (as by default up to 1.18) that is 11 min + 5 min + 5 min = 21 min. A transaction
timeout of 15 min, which is all that brokers allow by default, bears the 11 min, and every file for itself looks right.
In a long outage the broker aborts what a completed checkpoint has recorded as written: the records are lost.

The health check of the operator reckons with the configuration of the deployment, and cannot see what a program sets.
Its window is `checkpoint-progress.window`, but at least `max(interval, timeout) x (tolerable + 2)`. With an interval of
5 min, which `upgradeMode: last-state` implies, and a timeout of 10 min it waits for 20 min. A program with
`enableCheckpointing(1_800_000)` completes its first checkpoint after 30 min: every 20 min the operator deletes a
healthy cluster and starts it anew.

`kafka-transaction-too-short` (FLK802) compares a transaction with checkpoints alone, and speaks of what fails there.

## What to do
Raise `transaction.timeout.ms` to what the finding names, and `transaction.max.timeout.ms` of the brokers with it. Or
shorten the chain: a smaller `max-backoff`; a `resourcemanager.taskmanager-timeout` that keeps TaskManagers through the
longest delay; a shorter checkpoint timeout. `flint size kafka-transactions` and `flint size restart` reckon with them.

For the health check, set `execution.checkpointing.interval` in `flinkConfiguration` to what the program sets (or there
alone), or the window above it.

## Not when
- The program sets the restart strategy or the interval to what nobody can tell, or a template does.
- TaskManagers stay: outside the operator, YARN and EMR, with `mode: standalone`, the adaptive scheduler or
  `slotmanager.number-of-slots.min`. Then the line of the pods counts nothing.
- `kubernetes.operator.cluster.health-check.checkpoint-progress.enabled` is false; before operator 1.10 that was its
  default, hence medium confidence where nothing sets it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>: the timeout
  must exceed the longest checkpoint and the longest restart
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#advanced-scheduling-options>:
  `slot.idle.timeout`, `slot.request.timeout`, `resourcemanager.taskmanager-timeout`
- <https://github.com/apache/flink/pull/5048>: slots that are idle go back; <https://github.com/apache/flink/pull/12958>:
  what new TaskManagers take; tried on 1.20.5: a slot of a job that waited for its restart went back after 90 s, and
  with the adaptive scheduler none did
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/observer/ClusterHealthEvaluator.java>:
  the window and its least length
- <https://issues.apache.org/jira/browse/FLINK-37354>: the health check and an interval set in the program
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.calculators.formulas.quantity import spell_duration
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import parse_duration
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.composites._outages import SLOT_IDLE, SLOT_REQUEST, TASKMANAGER_IDLE, Outage, longest_outage
from flink_flint.rules.composites._places import links
from flink_flint.rules.kafka._cases import EXACTLY_ONCE, PREFIX, program, sink
from flink_flint.rules.kafka._clients import INTERVAL, exactly_once, is_batch
from flink_flint.rules.kafka._transactions import timeout_of

_TIMEOUT = "execution.checkpointing.timeout"
_PAUSE = "execution.checkpointing.min-pause"
_TOLERABLE = "execution.checkpointing.tolerable-failed-checkpoints"
_HEALTH = "kubernetes.operator.cluster.health-check"
_CHECK = f"{_HEALTH}.enabled"
_PROGRESS = f"{_HEALTH}.checkpoint-progress.enabled"
_WINDOW = f"{_HEALTH}.checkpoint-progress.window"


_RUN = ("source", "sql")
"""Kinds of documents that run in a cluster of another one."""


class _Checkpoints(NamedTuple):
    """How checkpoints follow each other, in seconds."""

    gap: float
    timeout: float
    tolerable: int

    def open_for(self, outage: float = 0.0) -> float:
        """How long a transaction is open at worst."""
        from flink_flint.calculators.formulas.transactions import longest_open

        return longest_open(self.gap, self.timeout, self.tolerable, outage)


@rule(
    code="FLK054",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kafka-sink"],
    reads=[_CHECK],
    scope="project",
    compares=[],
    several=True,
    flink=">=1.12",
    since="0.1",
)
def restart_budget(project: Project) -> Iterator[Finding]:
    """what restarts may take is more than what waits for them allows"""
    for config in project.views:
        for writer in exactly_once(config):
            yield from _transactions(config, writer)
        if config.document.kind in _RUN and (cluster := project.base_of(config)) is not None:
            yield from _health(config, cluster)


# -- transactions


def _transactions(config: View, writer: ElementView) -> Iterator[Finding]:
    checkpoints, outage, allowed = _checkpoints(config), longest_outage(config), timeout_of(writer)
    if checkpoints is None or outage is None or allowed is None:
        return
    if checkpoints.open_for() <= allowed.seconds < checkpoints.open_for(outage.seconds):
        yield _aborted(config, writer, allowed.seconds, allowed.attribute, checkpoints, outage)


def _checkpoints(config: View) -> _Checkpoints | None:
    """The checkpoints of a job; None where it takes none, or their interval or timeout is not known."""
    interval, timeout, pause = (config.duration(key) for key in (INTERVAL, _TIMEOUT, _PAUSE))
    if not interval or timeout is None or pause is None or is_batch(config):
        return None
    if not all(job.is_known(f"sets.{INTERVAL}") for job in config.elements("job")):
        return None
    return _Checkpoints(max(interval, pause).seconds, timeout.seconds, max(config.integer(_TOLERABLE) or 0, 0))


def _aborted(
    config: View, writer: ElementView, allowed: float, attribute: str | None, checkpoints: _Checkpoints, outage: Outage
) -> Finding:
    from flink_flint.calculators.formulas.transactions import transaction_timeout

    enough = transaction_timeout(checkpoints.gap, checkpoints.timeout, checkpoints.tolerable, outage.seconds)
    delay, alone = spell_duration(outage.delay.seconds), spell_duration(checkpoints.open_for())
    wait, longest = spell_duration(outage.new_taskmanagers), checkpoints.open_for(outage.seconds)
    pods = f" and up to {wait} for new TaskManagers" if outage.new_taskmanagers else ""
    return writer.finding(
        f"the broker aborts a transaction of this sink after {spell_duration(allowed)}, which bears {alone} of"
        f" checkpoints, but not a restart after {delay}{pods} on top, {spell_duration(longest)} in all: what a"
        " completed checkpoint covers is lost",
        of=attribute,
        help=f"raise transaction.timeout.ms to {round(enough * 1000)} ({spell_duration(enough)}), and the broker's"
        " transaction.max.timeout.ms if need be, or shorten the delay"
        + (f", or set {TASKMANAGER_IDLE} above {delay} so that TaskManagers stay" if outage.new_taskmanagers else ""),
        related=links(
            (config.get(INTERVAL), f"checkpoints {spell_duration(checkpoints.gap)} apart"),
            (config.get(_TIMEOUT), f"each may take {spell_duration(checkpoints.timeout)}"),
            (config.get(_TOLERABLE), f"{checkpoints.tolerable} may fail in a row"),
            (outage.delay.setting, f"a restart waits for {delay} at most"),
            (config.get(SLOT_IDLE), f"idle TaskManagers may go after {spell_duration(outage.kept)}"),
            (config.get(TASKMANAGER_IDLE), f"idle TaskManagers may go after {spell_duration(outage.kept)}"),
            (config.get(SLOT_REQUEST) if outage.new_taskmanagers else None, f"new ones may take {wait}"),
        ),
        evidence={
            "transaction_timeout_s": allowed,
            "checkpoints_s": checkpoints.open_for(),
            "delay_s": outage.delay.seconds,
            "new_taskmanagers_s": outage.new_taskmanagers,
        },
        measure=longest / max(1.0, allowed),
    )


# -- the operator's health check


def _health(config: View, cluster: View) -> Iterator[Finding]:
    """Whether the operator expects checkpoints sooner than the program takes them."""
    own = config.get(INTERVAL)
    checkpoints, window = _checkpoints(config), _window(cluster)
    if checkpoints is None or window is None or checkpoints.gap < window:
        return
    if _flag(cluster, _CHECK) is not True or _flag(cluster, _PROGRESS) is False:
        return
    seen = cluster.get(INTERVAL)
    told = (*(cluster.written(key) for key in (_WINDOW, _CHECK) if key in cluster.effective), seen)
    at = next((one for one in told if one.is_set and one.document is cluster.document), own)
    every = spell_duration(window)
    reckoned = (
        (own, f"checkpoints {spell_duration(checkpoints.gap)} apart"),
        (seen, "the interval that the operator reckons with"),
        (cluster.get(_TIMEOUT), "the timeout that the operator reckons with"),
        (cluster.get(_TOLERABLE), "the failures that the operator reckons with"),
        (cluster.written(_CHECK), "the health check"),
    )
    yield at.finding(
        f"the health check wants a checkpoint every {every}, and the program takes one every"
        f" {spell_duration(checkpoints.gap)}, which the operator cannot see: it restarts a healthy cluster each time",
        help=f"set {INTERVAL} to {spell_duration(checkpoints.gap)} in flinkConfiguration too, or {_WINDOW} above that",
        severity=Severity.ERROR,
        confidence=Confidence.HIGH if _flag(cluster, _PROGRESS) else None,
        related=links(*((one, message) for one, message in reckoned if one is not at)),
        evidence={"interval_s": checkpoints.gap, "window_s": window},
        measure=checkpoints.gap / window,
    )


def _window(cluster: View) -> float | None:
    """Seconds within which the operator wants a checkpoint; None where it asks for none, or nobody knows."""
    interval, timeout, tolerable = cluster.duration(INTERVAL), cluster.duration(_TIMEOUT), cluster.integer(_TOLERABLE)
    if timeout is None or not cluster.is_known(INTERVAL) or not cluster.is_known(_TOLERABLE):
        return None
    least = max(interval or timeout, timeout).seconds * (max(tolerable or 0, 0) + 2)
    entry = cluster.effective.get(_WINDOW)
    if entry is None:
        return least if interval else None
    try:
        return max(least, parse_duration(entry.text, cluster.index).seconds)
    except BadValue:
        return None


def _flag(cluster: View, key: str) -> bool | None:
    """Whether an option of the operator is on; None where nothing tells."""
    entry = cluster.effective.get(key)
    if entry is None or is_templated(entry.text):
        return None
    return {"true": True, "false": False}.get(entry.text.lower())


_DEFAULTS = """defaultConfiguration:
  create: true
  append: true
  flink-conf.yaml: |+
    %s
"""
_DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:1.18.1
  flinkVersion: v1_18
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    %s
  job:
    jarURI: local:///opt/flink/usrlib/orders.jar
    entryClass: shop.Orders
    parallelism: 2
    upgradeMode: %s
"""
_BACKOFF = "restart-strategy: exponential-delay"
_WRITER = sink(EXACTLY_ONCE, PREFIX, 'setProperty("transaction.timeout.ms", "%d")')


def _program(milliseconds: int, every: str = "60000") -> str:
    return program(f"env.enableCheckpointing({every});", _WRITER % milliseconds)


def _beside(*configuration: str, defaults: str = _BACKOFF, mode: str = "stateless") -> dict[str, str]:
    lines = "\n    ".join(configuration or ("parallelism.default: 2",))
    return {"k8s/orders.yaml": _DEPLOYMENT % (lines, mode), "operator/values.yaml": _DEFAULTS % defaults}


_MINUTE = 60_000


def cases() -> list[Case]:
    return [
        bad(
            _program(15 * _MINUTE),
            file="Orders.java",
            beside=_beside(),
            severity=Severity.WARNING,
            at='"900000"',
            says="which bears 11 min of checkpoints, but not a restart after 5 min and up to 5 min for new "
            "TaskManagers",
        ),
        bad(
            _program(15 * _MINUTE),
            file="Orders.java",
            says="a restart after 5 min on top, 16 min in all: ",
            beside=_beside("resourcemanager.taskmanager-timeout: 600000"),
        ),
        good(_program(21 * _MINUTE), file="Orders.java", beside=_beside()),
        good(_program(16 * _MINUTE), file="Orders.java", beside=_beside("resourcemanager.taskmanager-timeout: 600000")),
        *cases_in_folders(__file__),
    ]
