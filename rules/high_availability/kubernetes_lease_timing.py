"""The times of the Kubernetes leader election do not fit each other.

## What it does
Looks at `lease-duration`, `renew-deadline` and `retry-period` of `high-availability.kubernetes.leader-election` where
one of them is set and Kubernetes high availability is on. Reports a deadline longer than the lease; a retry period that
is not shorter than the deadline; and a lease below a threshold, 10 s unless set otherwise.

## Why it matters
The leader renews its lease every retry period, and gives up once no attempt has succeeded for the deadline. Another
JobManager may take the lease when it is older than the lease duration.

- With a deadline longer than the lease two JobManagers believe to lead for the difference.
- With a retry period as long as the deadline one slow answer of the API server ends the leadership, and every job
  restarts.
- A short lease is lost to a garbage collection, a rolling upgrade of the control plane or a throttled client.

The Kubernetes client has a check for such times, which Flink goes round: nothing refuses them.

## What to do
Keep lease and deadline the same and the retry period at a third of them: 15 s, 15 s and 5 s are the defaults; 30 s,
30 s and 5 s suit a busy API server.

## Not when
High availability is none of Kubernetes.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#high-availability-kubernetes-leader-election-lease-duration>:
  what the three mean, and their defaults
- <https://github.com/apache/flink/pull/24132>: the election is made without the builder that checks its times
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import SECOND, Duration
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import KUBERNETES, mode

_DEFAULT = Duration(15 * SECOND)
_ELECTION = "high-availability.kubernetes.leader-election."
_LEASE, _DEADLINE, _RETRY = f"{_ELECTION}lease-duration", f"{_ELECTION}renew-deadline", f"{_ELECTION}retry-period"


@rule(
    code="FLK416",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_LEASE, _DEADLINE, _RETRY],
    flink=">=1.12",
    since="0.1",
    thresholds={"lease": Threshold("10 s", "shortest lease that is no hazard")},
)
def kubernetes_lease_timing(config: View) -> Iterator[Finding]:
    """the times of the Kubernetes leader election do not fit each other"""
    lease, deadline, retry = (config.duration(key) for key in (_LEASE, _DEADLINE, _RETRY))
    if lease is None or deadline is None or retry is None or mode(config) != KUBERNETES:
        return
    evidence = {"lease_s": lease.seconds, "deadline_s": deadline.seconds, "retry_s": retry.seconds}
    lease_setting, deadline_setting, retry_setting = (config.get(key) for key in (_LEASE, _DEADLINE, _RETRY))
    if deadline > lease:
        setting, other = deadline_setting, lease_setting
        if not setting.is_set:
            setting, other = other, setting
        yield setting.finding(
            f"a leader tries for {deadline} to renew a lease of {lease}: for the difference another JobManager may"
            " lead, too",
            help=f"set {_LEASE} and {_DEADLINE} to the same, such as {max(lease, deadline)}",
            related=[other],
            evidence=evidence,
        )
    if retry >= deadline:
        setting, other = retry_setting, deadline_setting
        if not setting.is_set:
            setting, other = other, setting
        yield setting.finding(
            f"with {retry} between attempts to renew and a deadline of {deadline} one failed attempt ends the"
            " leadership, and every job restarts",
            help=f"keep {_RETRY} at a third of {_DEADLINE} or less",
            related=[other],
            evidence=evidence,
        )
    if lease_setting.is_set and lease < config.threshold("lease"):
        yield lease_setting.finding(
            f"a lease of {lease} is lost in one garbage collection or one slow moment of the API server, and every job"
            " restarts",
            help=f"set it to {_DEFAULT} (the default) or more"
            if config.threshold("lease") <= _DEFAULT
            else f"set it to {config.threshold('lease')} or more",
            evidence=evidence,
        )


_HA = "high-availability.type: kubernetes\nkubernetes.cluster-id: orders\n"


def cases() -> list[Case]:
    return [
        bad(f"{_HA}{_DEADLINE}: 30 s\n", at=_DEADLINE, says="for 30 s to renew a lease of 15 s"),
        bad(f"{_HA}{_LEASE}: 14 s\n", at=_LEASE, says="for 15 s to renew a lease of 14 s"),
        bad(f"{_HA}{_RETRY}: 15 s\n", at=_RETRY, says="one failed attempt"),
        bad(f"{_HA}{_DEADLINE}: 5 s\n", at=_DEADLINE, says="one failed attempt"),
        bad(f"{_HA}{_LEASE}: 9 s\n{_DEADLINE}: 9 s\n", at=_LEASE, flink="1.17", says="a lease of 9 s"),
        bad(
            f"high-availability: org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory\n"
            f"{_LEASE}: 5 s\n"
            f"{_DEADLINE}: 5 s\n{_RETRY}: 5 s\n",
            flink="1.12",
            times=2,
        ),
        good(f"{_HA}{_LEASE}: 10 s\n{_DEADLINE}: 10 s\n"),
        good(f"{_HA}{_RETRY}: 14 s\n"),
        good(f"{_HA}{_LEASE}: 30 s\n{_DEADLINE}: 30 s\n"),
        good(f"{_HA}{_DEADLINE}: 15 s\n"),
        good(f"high-availability.type: zookeeper\n{_DEADLINE}: 30 s\n"),
        good(f"{_HA}{_DEADLINE}: ${{DEADLINE}}\n{_LEASE}: 5 s\n"),
    ]


def claims() -> list[Claim]:
    probe = "Kubernetes leader election"
    deadline, retries = "lease PT15S, deadline PT30S", "deadline PT15S, retries every PT15S"
    return [
        flink_uses(probe, f"{_DEADLINE}: 30 s\n", deadline, good=f"{_DEADLINE}: 15 s\n", both=_HA, releases=">=1.17"),
        flink_uses(probe, f"{_RETRY}: 15 s\n", retries, good=f"{_RETRY}: 5 s\n", both=_HA, releases=">=1.17"),
    ]
