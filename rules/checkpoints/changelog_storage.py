"""The changelog of the state has no lasting place to go to.

## What it does
Looks at `state.changelog.enabled: true` (`state.backend.changelog.enabled` before 1.20). With
`state.changelog.storage: filesystem` an error where `state.changelog.dstl.dfs.base-path` (`dstl.dfs.base-path` before
1.20) is not set; a warning where the storage is `memory`, its default.

## Why it matters
Without a base path no task of any job starts: `Can not create a Path from a null string`. With `memory` the changes
are kept in the heap of the TaskManager and sent with each checkpoint through the JobManager, which is meant for tests.

## What to do
Set `state.changelog.storage: filesystem` and a base path that every process reaches, such as `s3://bucket/changelog`.

## Not when
The changelog is off, or a template decides. A file that is only a part of a configuration is not told what it lacks. On
a development machine `memory` is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/#enabling-changelog>: the options,
  and what `memory` is for
- <https://github.com/apache/flink/blob/release-1.20/flink-dstl/flink-dstl-dfs/src/main/java/org/apache/flink/changelog/fs/FsStateChangelogStorage.java>:
  the base path is made a path whether it is there or not
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_ENABLED = "state.changelog.enabled"
_STORAGE = "state.changelog.storage"
_BASE = "state.changelog.dstl.dfs.base-path"


@rule(
    code="FLK324",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_ENABLED],
    flink=">=1.15",
    of_scale=True,
    since="0.1",
)
def changelog_storage(config: View) -> Iterator[Finding]:
    """the changelog of the state has no lasting place to go to"""
    enabled, storage = config.get(_ENABLED), config.get(_STORAGE)
    if not config.boolean(_ENABLED) or not config.document.whole:
        return
    new = config.since("1.20")
    base = _BASE if new else "dstl.dfs.base-path"
    kind = (config.string(_STORAGE) or "").lower()
    if kind == "filesystem" and not config.is_set(_BASE):
        yield storage.finding(
            f"the changelog goes to the file system and has no path there: every task fails without {base}",
            help=f"set {base} to a directory that every process reaches, such as s3://bucket/changelog",
            severity=Severity.ERROR,
            related=[enabled],
        )
    elif kind == "memory":
        key = _STORAGE if new else "state.backend.changelog.storage"
        yield (storage if storage.is_set else enabled).finding(
            "the changelog stays in the memory of TaskManagers and passes through the JobManager, which is for tests",
            help=f"set {key}: filesystem, and {base}: s3://bucket/changelog",
            related=[enabled] if storage.is_set else [],
        )


_ON = f"{_ENABLED}: true\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_ON}{_STORAGE}: filesystem\n", at=_STORAGE, flink="2.0", severity=Severity.ERROR, says="every task fails"
        ),
        bad(f"{_ON}{_STORAGE}: filesystem\n", at=_STORAGE, flink="1.20", file="config.yaml", says=_BASE),
        bad(f"parallelism.default: 2\n{_ON}", at=_ENABLED, severity=Severity.WARNING, says="is for tests"),
        bad(
            "state.backend.changelog.enabled: true\nstate.backend.changelog.storage: memory\n",
            at=_STORAGE,
            flink="1.15",
        ),
        bad(
            "state.backend.changelog.enabled: true\nstate.backend.changelog.storage: FileSystem\n",
            at=_STORAGE,
            flink="1.16",
            says="without dstl.dfs.base-path",
        ),
        bad(_ON, profile="development", severity=Severity.INFO),
        good(f"{_ON}{_STORAGE}: filesystem\n{_BASE}: s3://bucket/changelog\n"),
        good(
            "state.backend.changelog.enabled: true\nstate.backend.changelog.storage: filesystem\n"
            "dstl.dfs.base-path: s3://bucket/changelog\n",
            flink="1.16",
        ),
        good(f"{_ON}{_STORAGE}: filesystem\n{_BASE}: '{{{{ changelog }}}}'\n"),
        good("state.backend.changelog.enabled: true\n", flink="1.14"),
        good(f"{_ENABLED}: false\n{_STORAGE}: memory\n"),
        good(f"{_STORAGE}: filesystem\n"),
        good(f"{_ENABLED}: '{{{{ changelog }}}}'\n{_STORAGE}: filesystem\n"),
        good(f"{_ON}{_STORAGE}: '{{{{ storage }}}}'\n"),
        good(f"{_ON}{_STORAGE}: com.example.Changelog\n"),
        good("SET 'state.backend.changelog.enabled' = 'true';\nINSERT INTO a SELECT * FROM b;\n", file="job.sql"),
    ]


def claims() -> list[Claim]:
    on = "state.backend.changelog.enabled: true\n"
    stored = f"{on}state.backend.changelog.storage: filesystem\n"
    return [
        flink_uses(
            "changelog", on, "InMemoryStateChangelogStorage", good=f"{stored}dstl.dfs.base-path: file:///changelog\n"
        ),
        flink_refuses("changelog", stored, good=f"{stored}dstl.dfs.base-path: file:///changelog\n"),
    ]
