"""The jobs of a session cluster need more Kubernetes requests at a time than its client makes.

## What it does
Counts the `FlinkSessionJob` objects of a session cluster with Kubernetes high availability, and compares the requests
they hold with the limit of the JobManager's Kubernetes client. Speaks about Flink 1.12 and 1.13.

## Why it matters
In these releases every job has a leader election and a ConfigMap of its own, and holds three requests for as long as it
runs: to watch the ConfigMap for the election, for the retrieval and to renew the lock. The client makes at most 64 at
a time. What does not fit waits: a job sits in `INITIALIZING` for minutes, or for good, and the log fills with
"Creating a new watch on ConfigMap".

## What to do
Raise the limit by the JobManager's environment: `containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS`, at three
for each job and some to spare (`flint size kubernetes-ha --jobs N`). The first patches of 1.12 do not read it: go to
1.12.3 first. From 1.14 on one watch serves all jobs, and the question is gone.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-22006>: the limit, and how many jobs fit under it
- <https://github.com/apache/flink/pull/15501>: one shared watch from 1.14 on
- <https://github.com/fabric8io/kubernetes-client#configuring-the-client>: how the limit is set
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.api_server_requests import (
    DEFAULT_LIMIT,
    jobs_within,
    reads_limit,
    recommended_limit,
    requests,
)
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.high_availability._mode import KUBERNETES, mode

_VARIABLE = "KUBERNETES_MAX_CONCURRENT_REQUESTS"
_OF_MASTER = f"containerized.master.env.{_VARIABLE}"
_PROPERTY = regex(r"-Dkubernetes\.max\.concurrent\.requests=(\d+)")


@rule(
    code="FLK405",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["high-availability.type"],
    scope="project",
    compares=[],
    flink=">=1.12,<1.14",
    since="0.1",
)
def kubernetes_ha_many_jobs(project: Project) -> Iterator[Finding]:
    """the jobs of a session cluster need more Kubernetes requests than are made"""
    for config in project.views:
        if mode(config) != KUBERNETES:
            continue
        jobs = [job for other in project.overriding(config) for job in other.elements("kubernetes-object")
                if job.name == "FlinkSessionJob" and job.value("spec.job.state") != "suspended"]  # fmt: skip
        limit, setting = _limit(config)
        if limit is None:
            continue
        held = requests(len(jobs), config.release)
        if held <= limit:
            continue
        ha = config.get("high-availability.type")
        wanted = recommended_limit(len(jobs), config.release)
        upgrade = "" if reads_limit(config.release) else "upgrade to 1.12.3 or later, then "
        yield (setting or ha).finding(
            f"{len(jobs)} jobs hold {held} Kubernetes requests under {config.releases_text}, and the client makes at"
            f" most {limit} at a time, enough for {jobs_within(limit, config.release)}: the others hang while they"
            " initialise",
            help=f"{upgrade}set {_OF_MASTER}: {wanted}, or go to Flink 1.14 or later, where one request serves all"
            " jobs",
            related=[job.place("spec.deploymentName", f"job {number}") for number, job in enumerate(jobs, 1)],
            evidence={"jobs": len(jobs), "requests": held, "limit": limit},
            measure=held / max(1, limit),
        )


def _limit(config: View) -> tuple[int | None, Setting | None]:
    """The limit of the JobManager's client and the setting it comes from; None where it is not known."""
    if not reads_limit(config.release):
        return DEFAULT_LIMIT, None
    if config.is_set(_OF_MASTER):
        setting = config.get(_OF_MASTER)
        count = whole(setting.text)
        return (None, None) if count is None else (count, setting)
    for key in ("env.java.opts.jobmanager", "env.java.opts.all"):
        setting = config.get(key)
        if setting.is_set and (match := _PROPERTY.search(setting.text)):
            return whole(match[1]), setting
        if setting.is_set and not setting.is_known:
            return None, None
    for part in config.elements("kubernetes-object"):
        found = _of_pods(part)
        if found is not None:
            return whole(found), None
    return DEFAULT_LIMIT, None


def _of_pods(part: ElementView) -> str | None:
    """The variable in a pod template; the empty string where it is set to something that is not known."""
    for name, attribute in part.element.attributes.items():
        if name.endswith(".name") and attribute.value == _VARIABLE:
            return str(part.value(f"{name[:-5]}.value") or "")
    return None


def _cluster(flink: str, settings: str = "", name: str = "shared", ha: str = "kubernetes") -> str:
    return f"""\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: {name}
spec:
  flinkVersion: {flink}
  flinkConfiguration:
    high-availability: {ha}
    high-availability.storageDir: s3://bucket/ha
{settings}"""


def _jobs(count: int, of: str = "shared") -> dict[str, str]:
    return {
        f"job-{number}.yaml": f"""\
apiVersion: flink.apache.org/v1beta1
kind: FlinkSessionJob
metadata:
  name: job-{number}
spec:
  deploymentName: {of}
  job:
    jarURI: https://example.com/job.jar
"""
        for number in range(count)
    }


_VARIABLES = """\
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - name: KUBERNETES_MAX_CONCURRENT_REQUESTS
              %s
"""


def cases() -> list[Case]:
    return [
        bad(
            _cluster("v1_13"),
            file="cluster.yaml",
            beside=_jobs(22),
            at="high-availability.type",
            says="22 jobs hold 70 Kubernetes requests",
        ),
        bad(
            _cluster("v1_13", f'    {_OF_MASTER}: "80"\n'),
            file="cluster.yaml",
            beside=_jobs(30),
            at=_OF_MASTER,
            says="at most 80",
        ),
        bad(
            _cluster("v1_13", f"    {_OF_MASTER}: 200\n"),
            file="cluster.yaml",
            flink="1.12.1",
            beside=_jobs(22),
            says="at most 64",
        ),
        good(_cluster("v1_13", f"    {_OF_MASTER}: 200\n"), file="cluster.yaml", beside=_jobs(22)),
        good(
            _cluster("v1_13", "    env.java.opts.jobmanager: -Xss2m -Dkubernetes.max.concurrent.requests=100\n"),
            file="cluster.yaml",
            beside=_jobs(22),
        ),
        good(_cluster("v1_13"), file="cluster.yaml", beside=_jobs(20)),
        good(_cluster("v1_14"), file="cluster.yaml", beside=_jobs(60)),
        good(_cluster("v1_13"), file="cluster.yaml", beside=_jobs(60, of="another")),
        good(_cluster("v1_13", ha="zookeeper"), file="cluster.yaml", beside=_jobs(22)),
        good(_cluster("v1_13", ha="${HA}"), file="cluster.yaml", beside=_jobs(22)),
        good(
            _cluster("v1_13"),
            file="cluster.yaml",
            beside={name: text + "    state: suspended\n" for name, text in _jobs(22).items()},
        ),
        good(_cluster("v1_13", f"    {_OF_MASTER}: ${{LIMIT}}\n"), file="cluster.yaml", beside=_jobs(22)),
        good(_cluster("v1_13", "    env.java.opts.jobmanager: ${OPTS}\n"), file="cluster.yaml", beside=_jobs(22)),
        bad(_cluster("v1_13", "    env.java.opts.jobmanager: -Xss2m\n"), file="cluster.yaml", beside=_jobs(22)),
        good(
            _cluster("v1_13", "    env.java.opts: -Dkubernetes.max.concurrent.requests=100\n"),
            file="cluster.yaml",
            beside=_jobs(22),
        ),
        bad(_cluster("v1_13") + _VARIABLES % 'value: "65"', file="cluster.yaml", beside=_jobs(22), says="at most 65"),
        good(_cluster("v1_13") + _VARIABLES % 'value: "200"', file="cluster.yaml", beside=_jobs(22)),
        good(_cluster("v1_13") + _VARIABLES % "valueFrom: {}", file="cluster.yaml", beside=_jobs(22)),
        bad(
            _cluster("v1_13"),
            file="cluster.yaml",
            beside={
                **_jobs(22),
                "a.yaml": _cluster("v1_13", name="first", ha="zookeeper"),
                "b.yaml": _cluster("v1_13", f"    {_OF_MASTER}: ${{LIMIT}}\n", name="second"),
                "c.yaml": _cluster("v1_13", name="third"),
            },
            says="22 jobs hold 70 Kubernetes requests",
        ),
    ]
