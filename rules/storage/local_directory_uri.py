"""A URI stands where Flink wants directories of the local disk.

## What it does
Reports a URI (`file:///data`) in a list of local directories: `io.tmp.dirs`, and the directories for copies of state
(`execution.checkpointing.local-backup.dirs`, `taskmanager.state.local.root-dirs` before 1.20).

## Why it matters
Flink splits these lists at commas and colons. Of `file:///data` it makes two directories: `file`, in whatever
directory the process was started, and `///data`. With `s3://bucket/x` both are local as well. Half of what is written
fills a disk that nobody watches, or the process fails because it may not create `file`.

## What to do
Write the path alone: `/data`. The fix does so for `file:`.

## Not when
The list is not known. Options that take a URI (`execution.checkpointing.dir`) want one.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-core/src/main/java/org/apache/flink/configuration/ConfigurationUtils.java>:
  `splitPaths`, `parseTempDirectories` and `parseLocalStateDirectories`
"""

import re
from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_LISTS = ("io.tmp.dirs", "execution.checkpointing.local-backup.dirs")
_URI = regex(r"(?:^|[,:])\s*(file(?=:/)|[A-Za-z][A-Za-z0-9+.-]+(?=://))")
_FILES = regex(r"(?:^|(?<=,))(\s*)file:(?://(?=/)|(?=/))")


@rule(
    code="FLK119",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=_LISTS,
    since="0.1",
)
def local_directory_uri(config: View) -> Iterator[Finding]:
    """a URI stands where directories of the local disk are expected"""
    for key in _LISTS:
        setting = config.get(key)
        if not setting.is_set or not setting.is_known or (found := _URI.search(setting.text)) is None:
            continue
        path = re.sub(r"/+", "/", _FILES.sub(r"\1", setting.text))
        is_file = _URI.search(path) is None
        yield setting.finding(
            f"Flink splits {setting.written} at colons: one of the directories is '{found[1]}' below the directory that"
            " the process was started in",
            help=f"write {path}" if is_file else "write paths of the local disk, without a scheme",
            fix=setting.replace(path) if is_file else None,
        )


def cases() -> list[Case]:
    return [
        bad("io.tmp.dirs: file:///data/tmp\n", at="file:///data/tmp", flink="1.20", severity=Severity.WARNING,
            says="'file' below", fixed="io.tmp.dirs: /data/tmp\n"),
        bad("taskmanager.state.local.root-dirs: file:///flink_state/local\n", file="flink-conf.yaml", flink="1.11",
            at="file:///flink_state/local", fixed="taskmanager.state.local.root-dirs: /flink_state/local\n"),
        bad("execution.checkpointing.local-backup.dirs: /a,file:/b\n", flink="2.1",
            fixed='execution.checkpointing.local-backup.dirs: "/a,/b"\n'),
        bad("io.tmp.dirs: s3://bucket/tmp\n", flink="1.20", at="s3://bucket/tmp", says="'s3' below"),
        good("io.tmp.dirs: /data/a:/data/b,/tmp\n", flink="1.20"),
        good("io.tmp.dirs: ${DIRS}\n", flink="1.20"),
        good("execution.checkpointing.dir: file:///data\n", flink="1.20"),
        good("io.tmp.dirs: tmp:other\n", flink="1.20"),
        good("io.tmp.dirs: tmp:/other\n", flink="1.20"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    probe, state = "temporary directories", "taskmanager.state.local.root-dirs"
    return [
        flink_uses(probe, "io.tmp.dirs: file:///data\n", "temporary [file,", good="io.tmp.dirs: /data\n"),
        flink_uses(probe, f"{state}: file:///data\n", "local state [file,", good=f"{state}: /data\n"),
        flink_uses(probe, "io.tmp.dirs: s3://bucket/x\n", "temporary [s3,", good="io.tmp.dirs: /data\n"),
    ]
