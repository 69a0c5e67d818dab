"""The limit of concurrent Kubernetes requests is set where nobody reads it.

## What it does
Reports `kubernetes.max.concurrent.requests` and `kubernetes.max.concurrent.requests.per.host` as entries of the Flink
configuration.

## Why it matters
They are settings of the Kubernetes client inside Flink, which reads them from Java system properties and environment
variables. No Flink release knows them as options, so the limit stays at 64 requests. Under the Kubernetes high
availability of 1.12 and 1.13 each job of a session holds three of them for as long as it runs, which ends at about 20
jobs: further ones hang or wait minutes to initialise, and raising the limit this way changes nothing. From 1.14 on one
request serves all jobs; from 1.18 on the client has no limit, and reads the settings from nowhere.

## What to do
Up to 1.17 give it to the JobManager as the environment variable
`containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS: 200` (native Kubernetes), or as
`-Dkubernetes.max.concurrent.requests=200` in `env.java.opts.jobmanager`; `flint size kubernetes-ha --jobs N` tells what
number of jobs wants what limit. From 1.18 on delete it.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-22006>: jobs that hang at the limit
- <https://github.com/apache/flink/pull/15501>: one shared watch from 1.14 on
- <https://github.com/fabric8io/kubernetes-client#configuring-the-client>: system properties and environment variables
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.api_server_requests import UNLIMITED_SINCE
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_LIMIT = "kubernetes.max.concurrent.requests"


@rule(
    code="FLK406",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_LIMIT, f"{_LIMIT}.per.host"],
    scope="key",
    since="0.1",
)
def concurrent_requests_not_an_option(config: View, setting: Setting) -> Iterator[Finding]:
    """the limit of concurrent Kubernetes requests is no option of Flink"""
    if config.since(UNLIMITED_SINCE):
        yield setting.finding(
            f"{setting.written} is no option of Flink, and since {UNLIMITED_SINCE} the Kubernetes client has no such"
            " limit: it does nothing",
            help="delete it",
            fix=setting.remove(safe=True),
            severity=Severity.WARNING,
            at="entry",
        )
        return
    variable = f"containerized.master.env.{setting.written.upper().replace('.', '_')}"
    value = setting.text if setting.is_known else "200"
    there = any(other.written == variable for other in config.under("containerized.master.env."))
    yield setting.finding(
        f"{setting.written} is no option of Flink but one of its Kubernetes client, which reads Java system properties"
        " and environment variables: set here it does nothing and the limit stays as it is",
        help=f"set {variable}: {value}, or add -D{setting.written}={value} to env.java.opts.jobmanager",
        fix=None if there else setting.rename(variable, safe=False),
        at="entry",
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{_LIMIT}: 200\n",
            at=_LIMIT,
            flink="1.14",
            severity=Severity.ERROR,
            fixed="containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS: 200\n",
        ),
        bad(f"{_LIMIT}.per.host: 20\n", at=f"{_LIMIT}.per.host", flink="1.17"),
        bad(f"{_LIMIT}: 200\n", at=_LIMIT, flink="1.18", severity=Severity.WARNING, says="has no such limit", fixed=""),
        bad(f"{_LIMIT}: 200\n", at=_LIMIT),
        good(f"env.java.opts.jobmanager: -D{_LIMIT}=200\n", flink="1.14"),
        good("containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS: 200\n"),
        bad(
            f"{_LIMIT}: 200\ncontainerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS: 100\n",
            flink="1.14",
            fixed=f"{_LIMIT}: 200\ncontainerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS: 100\n",
        ),
        bad(
            f"{_LIMIT}: 200\ncontainerized.master.env.TZ: UTC\n",
            flink="1.14",
            fixed="containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS: 200\n"
            "containerized.master.env.TZ: UTC\n",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "Kubernetes client",
            "kubernetes.max.concurrent.requests: 200\n",
            both="kubernetes.cluster-id: a\n",
            releases=">=1.10",
        ),
    ]
