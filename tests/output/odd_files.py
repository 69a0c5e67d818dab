"""Files whose locations are easy to get wrong, and their reports."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.output import Context, report_format
from tests import fix_edits

SECRET = "hush-7f3a"

_ZOOKEEPER = "high-availability: zookeeper\nhigh-availability.storageDir: s3://bucket/ha\n"
_QUORUM = "high-availability.zookeeper.quorum: zk1.example.com:2181\n"
_DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: {name}
spec:
  flinkVersion: v1_20
  flinkConfiguration:
    "blob.storage.directory": "/tmp/{name}" # 数据
    akka.framesize: 20971520b
"""

ODD: dict[str, bytes] = {
    # Non-ASCII text, also outside of the basic plane, before the finding; Windows line ends; a space in the path.
    "wide letters/config.yaml": (
        'execution: {"ключ 😀": "é", checkpointing: {incremental: yes}}\r\n'
        'blob: {"имя": "😀", storage: {directory: /tmp/réseau}}\r\n'
    ).encode(),
    "wide letters/run.sh": (
        "#!/bin/sh\r\n# 😀\r\n"
        './bin/flink run -Dpipeline.name="数据 😀" -Dakka.framesize=10485760b -Dstate.backend.incremental=yes x.jar\r\n'
    ).encode(),
    # The last line is deleted, with and without a line end; the first file begins with a byte order mark.
    "last line/flink-conf.yaml": b"pekko.framesize: 20971520b\nakka.framesize: 20971520b\n",
    "marked/config.yaml": b"\xef\xbb\xbfakka.framesize: 20971520b\nblob.storage.directory: /tmp/a\n",
    # Several documents in one file.
    "manifest.yaml": "---\n".join(_DEPLOYMENT.format(name=name) for name in ("orders", "pagos-ñ")).encode(),
    # A finding with a related location in another file.
    "east/flink-conf.yaml": (_ZOOKEEPER + _QUORUM + "state.checkpoints.dir: s3://bucket/a\n").encode(),
    "west/flink-conf.yaml": (_ZOOKEEPER + _QUORUM + "state.checkpoints.dir: s3://bucket/b\n").encode(),
    # A secret, and the same text elsewhere; an edit next to it.
    "secret/flink-conf.yaml": (
        f"s3.secret-key: {SECRET}\nblob.storage.directory: /tmp/{SECRET}\nakka.framesize: 10485760b\n"
    ).encode(),
}
"""The contents of the files by path."""

RULES = (
    "blob-storage-in-tmp", "deprecated-key", "alias-conflict", "duplicate-key", "bad-number-or-boolean",
    "plaintext-secret", "zk-cluster-id-collision",
)  # fmt: skip
"""The selected rules, so that new rules do not change the reports."""

MACHINES = ("json", "github", "gitlab", "sarif", "junit", "rdjson", "checkstyle", "markdown")


def write(folder: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def checked(folder: Path, *rules: str, flink_version: str | None = "1.20") -> Report:
    """Return the report on a folder as checking `.` in it does, with the edits of fixes."""
    with inside(folder):
        return fix_edits.checked(find(["."]), Options(flink_version=flink_version, select=rules or RULES))


def rendered(name: str, report: Report, folder: Path, context: Context = Context()) -> str:  # noqa: B008
    """Return a report in an output format, rendered in a folder."""
    with inside(folder):
        return "".join(report_format(name).render(report, context))
