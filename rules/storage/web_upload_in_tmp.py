"""Uploaded jars are where the system cleans up.

## What it does
Reports `web.upload.dir` under `/tmp` or `/var/tmp`, and `web.tmpdir` there without it, unless `web.submit.enable` is
false.

## Why it matters
Jars uploaded to a session cluster are on the disk of the JobManager that took them. A cleaner deletes them after some
days, and a container forgets them when it restarts; running jobs go on, but nobody can start the jar again. Without
`web.upload.dir` the directory has a random name, so that even a JobManager on the same disk does not find it again.

## What to do
Set `web.upload.dir` to a directory that lasts; with standby JobManagers one that they share.

## Not when
Uploads are off; the jobs are started in application mode.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#web-upload-dir>: where jars go
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.storage._temporary import temporary_of

_UPLOADS, _TEMPORARY, _SWITCH = "web.upload.dir", "web.tmpdir", "web.submit.enable"


@rule(
    code="FLK104",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_UPLOADS, _TEMPORARY],
    of_scale=True,
    since="0.1",
)
def web_upload_in_tmp(config: View) -> Iterator[Finding]:
    """uploaded jars are where the system cleans up"""
    if config.boolean(_SWITCH) is False or not config.is_known(_SWITCH):
        return
    if config.get("execution.target").text.endswith("-application"):
        return
    setting = config.get(_UPLOADS)
    if not setting.is_set:
        setting = config.get(_TEMPORARY)
    directory = temporary_of(setting)
    if directory is not None:
        yield setting.finding(
            f"jars uploaded to the cluster are in {directory} and gone after some days or with the JobManager's"
            " container",
            help=f"set {_UPLOADS} to a directory that lasts, or {_SWITCH}: false",
        )


def cases() -> list[Case]:
    return [
        bad(f"{_UPLOADS}: /tmp/jars\n", at=_UPLOADS, flink="1.18"),
        bad(f"{_TEMPORARY}: /tmp/flink-web\n", at=_TEMPORARY, flink="1.18"),
        good(f"{_UPLOADS}: /data/jars\n{_TEMPORARY}: /tmp\n", flink="1.18"),
        good(f"{_UPLOADS}: /tmp/jars\n{_SWITCH}: false\n", flink="1.18"),
        good(f"{_UPLOADS}: /tmp/jars\nexecution.target: kubernetes-application\n", flink="1.18"),
        good("rest.port: 8081\n", flink="1.18"),
        bad(f"{_UPLOADS}: /tmp/jars\nexecution.target: kubernetes-session\n", flink="1.18"),
        bad(f"{_UPLOADS}: /tmp/jars\n", flink="1.18", profile="development", severity=Severity.INFO),
        good(f"{_UPLOADS}: /tmp/jars\n{_SWITCH}: ${{SUBMIT}}\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    kept = f"{_UPLOADS}: /data/jars\n"
    return [
        flink_uses("upload directory", f"{_UPLOADS}: /tmp/jars\n", "/tmp/jars/", good=kept),
        flink_uses("upload directory", f"{_TEMPORARY}: /tmp/web\n", "/tmp/web/", good=kept),
    ]
