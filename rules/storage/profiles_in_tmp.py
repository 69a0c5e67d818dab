"""Profiles, downloaded jars or the history server's cache are where the system cleans up.

## What it does
On plain machines it reports, under `/tmp` or `/var/tmp`:
- `rest.profiling.dir` where `rest.profiling.enabled` is true (its default is `/tmp`);
- `historyserver.web.tmpdir`;
- `table.resources.download-dir`.

## Why it matters
A profile taken during an incident is gone when somebody looks for it; jars of functions vanish under a session that
still uses them; the history server downloads all archives again after each start.

## What to do
Name a directory that lasts.

## Not when
Containers, which nothing cleans; profiling is off.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#rest-profiling-dir>: the profiler
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/historyserver/>: its directories
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.storage._temporary import on_machines, temporary_of

_PROFILES, _PROFILING = "rest.profiling.dir", "rest.profiling.enabled"
_OTHERS = {
    "historyserver.web.tmpdir": "the history server downloads all archives again",
    "table.resources.download-dir": "jars of functions vanish under sessions that use them",
}


@rule(
    code="FLK107",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_PROFILING, *_OTHERS],
    of_scale=True,
    since="0.1",
)
def profiles_in_tmp(config: View) -> Iterator[Finding]:
    """profiles, downloaded jars or cached archives are where the system cleans up"""
    if not on_machines(config):
        return
    if config.boolean(_PROFILING) is True:
        profiles = config.get(_PROFILES)
        directory = temporary_of(profiles) if profiles.is_set else "the JVM's temporary directory (the default)"
        if directory is not None:
            yield (profiles if profiles.is_set else config.get(_PROFILING)).finding(
                f"profiles are kept in {directory} and gone when somebody looks for them",
                help=f"set {_PROFILES} to a directory that lasts",
            )
    for key, what in _OTHERS.items():
        setting = config.get(key)
        directory = temporary_of(setting)
        if directory is not None:
            yield setting.finding(f"when {directory} is cleaned up, {what}", help="name a directory that lasts")


def cases() -> list[Case]:
    return [
        bad(f"{_PROFILING}: true\n", at=_PROFILING, flink="1.20", says="the default"),
        bad("historyserver.web.tmpdir: /tmp/history\n", at="historyserver.web.tmpdir", flink="1.18"),
        bad("table.resources.download-dir: /var/tmp\n", at="table.resources.download-dir", flink="1.18"),
        good(f"{_PROFILING}: true\n{_PROFILES}: /var/lib/flink/profiles\n", flink="1.20"),
        good(f"{_PROFILING}: false\n{_PROFILES}: /tmp\n", flink="1.20"),
        good("historyserver.web.tmpdir: /tmp/history\n", flink="1.18", platform="kubernetes"),
    ]
