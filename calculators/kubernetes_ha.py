"""Kubernetes high availability: the JobManager's concurrent requests, ConfigMaps and watches for a number of jobs.

## The formula
Flink 1.12 and 1.13 watch each ConfigMap through a separate connection, and a watch occupies one of the client's
concurrent requests for as long as it is open: three per job (the JobMaster's election, the resource manager's view of
the JobMaster, the JobMaster's view of the resource manager) and a handful for the cluster. So
`need = 3 x jobs + 4`, which is why 64, the client's default, supports 20 jobs: further jobs hang in INITIALIZING. The
limit to set is `1.25 x need`, and at least 64.

The limit is a system property or an environment variable of the JobManager, read from 1.12.3 and 1.13.0 on; as an
entry of Flink's configuration it has no effect. From 1.14 on one shared watch serves all jobs, and the number of jobs
has no effect; from 1.18 on the client has no such limit.

ConfigMaps: up to 1.14 one for each job and three for the cluster, each with its own election whose lease is
renewed every 5 s; from 1.15 on one election for the whole JobManager, one ConfigMap for the cluster and one for the
checkpoints of each job. ConfigMaps of canceled jobs that were left behind count too.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-22006>: no more than 20 jobs in a session
- <https://github.com/apache/flink/pull/15480>: the property, and three requests a job
- <https://github.com/apache/flink/pull/15501>: FLINK-22054, one shared watch from 1.14 on
- <https://nightlies.apache.org/flink/flink-docs-stable/release-notes/flink-1.15/>: FLINK-24038, one election
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.api_server_requests import (
    DEFAULT_LIMIT,
    FIRST_WITH_KUBERNETES_HA,
    MARGIN,
    REQUESTS_OF_A_JOB,
    REQUESTS_OF_THE_CLUSTER,
    config_maps,
    elections,
    jobs_within,
    needs_requests_per_job,
    reads_limit,
    recommended_limit,
    requests,
    watches,
)
from flink_flint.calculators.formulas.quantity import COUNT, PER_SECOND, counted, spell_count, spell_rate
from flink_flint.linter.flink.releases import Release, nearest_index

VARIABLE = "containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS"


_FIRST_CURE = "1.12.3"
_RENEWAL = 5.0
"""Seconds between renewals of a lease (high-availability.kubernetes.leader-election.retry-period)."""


# -- inputs


@dataclass(frozen=True, kw_only=True)
class KubernetesHa(Inputs):
    """Inputs for sizing the limit on concurrent requests for a number of jobs."""

    jobs: int = ask(
        COUNT,
        "jobs that run or are being submitted at once, at most",
        least=1,
        metric="numRunningJobs",
        statistic="max",
    )
    leftovers: int = ask(COUNT, "ConfigMaps of canceled jobs that were not deleted", default=0, assumed="none", least=0)
    taskmanagers: int = ask(
        COUNT,
        "TaskManagers, for the watches",
        default=1,
        assumed="one",
        least=0,
        metric="numRegisteredTaskManagers",
        statistic="max",
    )
    jobs_of_a_taskmanager: int = ask(
        COUNT,
        "jobs that share a TaskManager, at most (its slots)",
        default=1,
        assumed="one slot",
        least=1,
        option="taskmanager.numberOfTaskSlots",
    )
    limit: int | None = ask(COUNT, "current concurrent requests (else the client's 64)", default=None, least=1)


@dataclass(frozen=True, kw_only=True)
class CurrentKubernetesHa(Inputs):
    """Inputs for computing how many jobs the current limit on concurrent requests allows."""

    limit: int = ask(
        COUNT, "current concurrent requests", default=DEFAULT_LIMIT, assumed="the client's default", least=1
    )


# -- answers


def _refuse_old(release: Release) -> None:
    if nearest_index(release) < FIRST_WITH_KUBERNETES_HA:
        raise BadInput("flink_version", f"{release} has no Kubernetes high availability, which is available since 1.12")


def size_kubernetes_ha(inputs: KubernetesHa, release: Release) -> Answer:
    """Compute the concurrent requests, ConfigMaps and watches that a number of jobs needs."""
    _refuse_old(release)
    need, jobs = requests(inputs.jobs, release), inputs.jobs
    # A limit that the release does not read has no effect.
    current = DEFAULT_LIMIT if inputs.limit is None or not reads_limit(release) else inputs.limit
    maps = config_maps(jobs, release) + inputs.leftovers
    elected = elections(jobs, release)
    open_watches = watches(jobs, inputs.taskmanagers, min(jobs, inputs.jobs_of_a_taskmanager), release)
    steps, errors, warnings = [], [], []
    settings: dict[str, object] = {}
    values: list[Value] = []
    if needs_requests_per_job(release):
        limit = recommended_limit(jobs, release)
        binding = f"each of {counted(jobs, 'job')} holds {REQUESTS_OF_A_JOB} requests for as long as it runs"
        most = jobs_within(current, release) or 0
        if not reads_limit(release):
            values.append(
                Value(
                    "jobs_carried",
                    most,
                    COUNT,
                    f"jobs within the client's {DEFAULT_LIMIT} requests, which Flink {release} cannot raise",
                )
            )
            binding += f", and the remedy is Flink {_FIRST_CURE}, the first that reads a limit: {spell_count(limit)}"
        steps.append(
            f"Requests: {REQUESTS_OF_A_JOB} x {spell_count(jobs)} + {REQUESTS_OF_THE_CLUSTER} = {spell_count(need)}."
        )
        steps.append(f"Limit: {MARGIN} x {spell_count(need)} = {spell_count(limit)}, {DEFAULT_LIMIT} at least.")
        values.append(Value("limit", limit, COUNT, "kubernetes.max.concurrent.requests of the JobManager", current))
        if need > current:
            errors.append(
                f"{counted(jobs, 'job')} {'needs' if jobs == 1 else 'need'} {spell_count(need)} requests and "
                f"{spell_count(current)} {'is' if current == 1 else 'are'} allowed: from job {spell_count(most + 1)} "
                "on they hang in INITIALIZING"
            )
        if limit > DEFAULT_LIMIT or inputs.limit is not None:
            settings[VARIABLE] = str(limit)
        if not reads_limit(release):
            if settings:
                warnings.append(
                    f"Flink {release} cannot set the limit, and {_FIRST_CURE} is the first that can: upgrade to "
                    f"that patch, then set {VARIABLE.removeprefix('containerized.master.env.')} to "
                    f"{spell_count(limit)} for the JobManager"
                )
            settings = {}
    else:
        steps.append(f"Flink {release} watches all ConfigMaps of the cluster through one request, whatever the jobs.")
        values.append(Value("jobs_carried", math.inf, COUNT, "jobs that concurrent requests allow"))
        served = "the only job" if jobs == 1 else f"all {spell_count(jobs)} jobs"
        binding = f"Flink {release} serves {served} with one shared watch"
        if not reads_limit(release):
            binding += ", and its client has no limit of concurrent requests"
            steps.append(f"The Kubernetes client of Flink {release} has no limit of concurrent requests.")
        if inputs.limit is not None:
            warnings.append(f"a limit of concurrent requests has no effect in Flink {release}")
        warnings.append(_elsewhere(release))
    steps.append(f"ConfigMaps: {spell_count(maps)}{_leftovers(inputs)}.")
    steps.append(
        f"Elections: {spell_count(elected)}, each lease renewed every 5 s: {spell_rate(elected / _RENEWAL)} renewals."
    )
    if inputs.leftovers > jobs:
        warnings.append(
            f"{counted(inputs.leftovers, 'ConfigMap')} of canceled jobs {'is' if inputs.leftovers == 1 else 'are'} "
            "left behind: delete those whose jobs are gone, or a restart resurrects them"
        )
    values += [
        Value("requests", need, COUNT, "concurrent requests the JobManager holds all the time"),
        Value("config_maps", maps, COUNT, "ConfigMaps of the cluster"),
        Value("watches", open_watches, COUNT, "watches the API server keeps open"),
        Value("renewals", elected / _RENEWAL, PER_SECOND, "lease renewals that the API server handles"),
    ]
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        settings=settings,
        errors=tuple(errors),
        warnings=tuple(warnings),
        chart=_chart(jobs, current, release),
    )


def _elsewhere(release: Release) -> str:
    """Return a warning with other causes of hanging jobs, for releases whose requests cannot be the cause."""
    return (
        f"if jobs hang in INITIALIZING with Flink {release}, concurrent requests are not the cause: look in the "
        "JobManager's log for an election that is not won (a throttling API server, a service account without rights "
        "to ConfigMaps, two clusters with one cluster-id, leftover ConfigMaps) and for slow reading of a checkpoint "
        "or of HA storage; jobs that wait for slots are in CREATED or RUNNING"
    )


def _leftovers(inputs: KubernetesHa) -> str:
    return f", {spell_count(inputs.leftovers)} of them left behind" if inputs.leftovers else ""


def _chart(jobs: int, current: int, release: Release) -> Chart | None:
    if not needs_requests_per_job(release):
        return None
    most = max(2 * jobs, 30)
    counts = sorted({most * step // 40 for step in range(41)})
    return Chart(
        "Concurrent requests against jobs",
        "jobs",
        COUNT,
        "requests",
        COUNT,
        (
            Series("held", tuple((float(count), float(requests(count, release))) for count in counts)),
            Series("current limit", ((0.0, float(current)), (float(most), float(current)))),
        ),
        (
            Point("now", float(jobs), float(requests(jobs, release))),
            Point("recommended", float(jobs), float(recommended_limit(jobs, release))),
        ),
    )


def load_of_kubernetes_ha(inputs: CurrentKubernetesHa, release: Release) -> Answer:
    """Compute how many jobs the current limit on concurrent requests allows."""
    _refuse_old(release)
    most = jobs_within(inputs.limit, release)
    if most is None:
        step = f"Flink {release} watches all ConfigMaps through one request, so jobs hold none."
        return Answer(
            values=(Value("jobs", math.inf, COUNT, "jobs that the limit allows"),),
            binding=f"jobs hold no requests in Flink {release}",
            steps=(step,),
        )
    errors: tuple[str, ...] = ()
    if most == 0:
        errors = (f"a limit of {counted(inputs.limit, 'request')} allows no job",)
    return Answer(
        values=(Value("jobs", most, COUNT, "jobs that the limit allows"),),
        binding=f"each job holds {REQUESTS_OF_A_JOB} of {counted(inputs.limit, 'request')}",
        steps=(
            (
                f"Jobs: ({spell_count(inputs.limit)} - {REQUESTS_OF_THE_CLUSTER}) / {REQUESTS_OF_A_JOB} = "
                f"{spell_count(most)}."
            ),
        ),
        errors=errors,
    )


CALCULATOR = Calculator(
    name="kubernetes-ha",
    title="Kubernetes high availability: requests, ConfigMaps and watches",
    question="My jobs hang in INITIALIZING on Kubernetes",
    forward=Way(KubernetesHa, size_kubernetes_ha, {"jobs": "60", "taskmanagers": "20"}, "1.13"),
    reverse=Way(CurrentKubernetesHa, load_of_kubernetes_ha, {"limit": "64"}, "1.13"),
)
