"""A configuration pins every SQL operator to parallelism 1.

## What it does
Reports `table.exec.resource.default-parallelism: 1` in a configuration of a cluster, a deployment or a package of jobs,
unless `parallelism.default` (or the deployment's own field) is 1 as well.

## Why it matters
SQL jobs run with parallelism 1, whatever the cluster, `flink run -p` or `spec.job.parallelism` says: the option comes
before all of them. It looks like a harmless default of a local run, and is compiled or deployed with everything else;
the job does not keep up, and more slots and TaskManagers change nothing.

Where both are options of the table environment itself, not of the cluster, only the sources follow this one: the
operators behind them have `parallelism.default`.

## What to do
Delete it, so that `parallelism.default` and the deployment decide, and set it only where a local run needs it.

## Not when
`parallelism.default` is 1 too; a script or program sets it, for its own job.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-resource-default-parallelism>:
  it comes before the parallelism of the environment
- <https://github.com/DataSQRL/sqrl/issues/1657>: packages whose jobs stayed at 1
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_OF_SQL = "table.exec.resource.default-parallelism"
_OF_ALL = "parallelism.default"
_OF_ONE_JOB = ("source", "sql", "shell")


@rule(code="FLK158", severity=Severity.WARNING, confidence=Confidence.MEDIUM, reads=[_OF_SQL], since="0.1")
def sql_parallelism_pinned(config: View) -> Iterator[Finding]:
    """a configuration pins every SQL operator to parallelism 1"""
    setting = config.get(_OF_SQL)
    if config.integer(_OF_SQL) != 1 or not setting.is_set or setting.document.kind in _OF_ONE_JOB:
        return
    general = config.get(_OF_ALL)
    if general.is_set and config.integer(_OF_ALL) in (None, 1):
        return
    if setting.document.is_jobs_own and "flink" not in (setting.document.name or "").lower():
        return
    found = setting.finding(
        f"every SQL operator runs with parallelism 1: {_OF_SQL} comes before {_OF_ALL}, -p and the deployment's"
        " parallelism",
        help=f"delete {_OF_SQL}, and let {_OF_ALL} or the deployment decide",
        related=[general] if general.is_set else [],
    )
    found.anywhere = True  # it acts in whatever runs with the configuration
    yield found


_PACKAGE = """\
{
  "engines": {
    "flink": {
      "config": {
        "state.backend.type": "rocksdb",
        "table.exec.resource.default-parallelism": %s,
        "taskmanager.memory.network.max": "800m"
      }
    }
  }
}
"""


def claims() -> list[Claim]:
    return [
        flink_uses(
            "parallelism of SQL",
            "table.exec.resource.default-parallelism: 1\n",
            "parallelism [1]",
            good="table.exec.resource.default-parallelism: 8\n",
            both="parallelism.default: 4\n",
            releases=">=1.15",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(
            "table.exec.resource.default-parallelism: 1\ntaskmanager.numberOfTaskSlots: 4\n",
            at="table.exec.resource.default-parallelism",
            flink="1.19",
            severity=Severity.WARNING,
            says="every SQL operator runs with parallelism 1",
        ),
        bad(_PACKAGE % 1, file="package.json", at="1", flink="1.19", severity=Severity.WARNING),
        bad("table.exec.resource.default-parallelism: 1\nparallelism.default: 4\n", flink="1.16"),
        good("table.exec.resource.default-parallelism: 1\nparallelism.default: 1\n", flink="1.16"),
        good("table.exec.resource.default-parallelism: 8\n", flink="1.16"),
        good(_PACKAGE % 4, file="package.json", flink="1.19"),
        good(_PACKAGE.replace("flink", "local") % 1, file="package.json", flink="1.19"),
        good("SET 'table.exec.resource.default-parallelism' = '1';\n", file="job.sql", flink="1.18"),
    ]
