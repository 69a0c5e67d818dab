"""More jobs run than the Kubernetes client's requests carry.

## What it does
For Kubernetes high availability in 1.12 and 1.13, compares the most jobs that ran at once (`numRunningJobs`) with the
limit of concurrent requests of the Kubernetes client (64, unless the JobManager's environment or JVM options say
otherwise).

## Why it matters
Each job holds three watches on ConfigMaps for as long as it runs, the cluster four more. At the limit further jobs
wait minutes in INITIALIZING, or hang, and so does the recovery of all of them after a failover.

## What to do
`containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS` as proposed, `-Dkubernetes.max.concurrent.requests` in
`env.java.opts.jobmanager` outside of native Kubernetes, or Flink 1.14, where one watch serves all jobs.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-22006>: jobs that hang at the limit
- <https://github.com/apache/flink/pull/15501>: one shared watch from 1.14 on
"""

import re
from collections.abc import Iterator

from flink_flint.calculators.formulas.api_server_requests import DEFAULT_LIMIT, jobs_within, recommended_limit, requests
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.high_availability._mode import KUBERNETES, mode
from flink_flint.rules.observed._wording import evidence

RUNNING = "jobmanager/numRunningJobs"
VARIABLE = "containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS"
_OPTIONS = ("env.java.opts.jobmanager", "env.java.opts.all")
_FLAG = r"-Dkubernetes\.max\.concurrent\.requests=(\d+)"


@rule(
    code="FLK687",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{RUNNING}"],
    flink=">=1.12,<1.14",
    since="0.1",
)
def kubernetes_requests_observed(config: View) -> Iterator[Finding]:
    """more jobs run than the Kubernetes client's requests carry"""
    running = config.observed(RUNNING)
    if running is None or mode(config) != KUBERNETES:
        return
    setting, limit = _limit(config)
    if limit is None:
        return
    jobs = int(running)
    carried = jobs_within(limit, config.release)
    if carried is None or jobs <= carried:
        return
    wanted = recommended_limit(jobs, config.release)
    place = setting or config.get("high-availability.type")
    yield place.finding(
        f"{jobs} jobs ran at once ({running.basis}) and hold {requests(jobs, config.release)} requests to Kubernetes,"
        f" of which {limit} may be open: {carried} jobs",
        help=f"set {VARIABLE}: {wanted}",
        fix=setting.replace(str(wanted)) if setting is not None and setting.written == VARIABLE else None,
        evidence=evidence(running, limit=limit, requests=requests(jobs, config.release)),
    )


def _limit(config: View) -> tuple[Setting | None, int | None]:
    """What sets the client's limit, and to how many requests; None where a template hides it."""
    for setting in config.under(VARIABLE):
        return setting, whole(setting.text) if setting.is_known else None
    for key in _OPTIONS:
        options = config.get(key)
        if not options.is_known:
            return options, None
        if found := re.search(_FLAG, options.text):
            return options, int(found[1])
    return None, DEFAULT_LIMIT


_HA = "high-availability: org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory\n"


def cases() -> list[Case]:
    return [
        bad(_HA, at="high-availability.type", flink="1.12", observed={RUNNING: {"p50": 40, "max": 60}},
            says="60 jobs ran at once (max of 14 days to 2025-11-20) and hold 184 requests"),
        bad(f"{_HA}{VARIABLE}: 100\n", at=VARIABLE, flink="1.13", observed={RUNNING: 60},
            fixed=f"{_HA}{VARIABLE}: 230\n"),
        bad(f"{_HA}env.java.opts.jobmanager: -Dkubernetes.max.concurrent.requests=80\n", flink="1.13",
            at="env.java.opts.jobmanager", observed={RUNNING: 60},
            fixed=f"{_HA}env.java.opts.jobmanager: -Dkubernetes.max.concurrent.requests=80\n"),
        bad(f"{_HA}env.java.opts: -Dkubernetes.max.concurrent.requests=80\n", flink="1.13", at="env.java.opts.all",
            observed={RUNNING: 60}),
        bad(_HA, flink="1.13", observed={RUNNING: 21}),
        good(_HA, flink="1.13", observed={RUNNING: 20}),
        good(_HA, flink="1.14", observed={RUNNING: 60}),
        good(f"{_HA}{VARIABLE}: ${{MOST}}\n", flink="1.13", observed={RUNNING: 60}),
        good(f"{_HA}{VARIABLE}: many\n", flink="1.13", observed={RUNNING: 60}),
        good(f"{_HA}env.java.opts.jobmanager: -Dkubernetes.max.concurrent.requests=80 ${{MORE}}\n", flink="1.13",
             observed={RUNNING: 60}),
        good(f"{_HA}{VARIABLE}: 230\n", flink="1.13", observed={RUNNING: 60}),
        good(_HA, flink="1.12", observed={RUNNING: 20}),
        good("high-availability: kubernetes\n", flink="1.16", observed={RUNNING: 60}),
        good("parallelism.default: 2\n", flink="1.12", observed={RUNNING: 60}),
    ]  # fmt: skip
