"""The marker for random characters in S3 paths stays in them as it is.

## What it does
Compares `s3.entropy.key` with the directories. Reports

- a key that is not in the directory of checkpoints, so that nothing is replaced;
- a key in the directory of savepoints or of high availability, whose files never get random characters;
- `_entropy_` in the directory of checkpoints while nothing sets the key.

## Why it matters
S3 serves a number of requests per prefix. Random characters in the path spread the files of checkpoints over many
prefixes, but only where the marker is a part of the checkpoint directory. A key that is written differently replaces
nothing, so all files share one prefix, which shows as `503 Slow Down` at large scale; a marker that nobody replaces
ends up in the names.

## What to do
Use one marker in both: `s3.entropy.key: _entropy_` and
`execution.checkpointing.dir: s3://bucket/_entropy_/checkpoints`. Keep savepoints and high availability without it.

## Not when
Directory or key are filled in by a template; the checkpoint directory is set elsewhere, or is not on S3.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/s3/#entropy-injection-for-s3-file-systems>:
  what is replaced, and in which files
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import DIRECTORY

_KEY = "s3.entropy.key"
_USUAL = "_entropy_"
_NEVER = {
    "execution.checkpointing.savepoint-dir": "savepoints",
    "high-availability.storageDir": "high availability",
}
_S3 = ("s3:", "s3a:", "s3p:")


@rule(
    code="FLK329",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=[_KEY, DIRECTORY],
    since="0.1",
)
def entropy_not_injected(config: View) -> Iterator[Finding]:
    """the marker for random characters in S3 paths is not where it is replaced"""
    directory = config.get(DIRECTORY)
    if _KEY not in config.effective:
        if directory.text.startswith(_S3) and _USUAL in directory.text and config.document.whole:
            yield directory.finding(
                f"nothing sets {_KEY}, so {_USUAL} stays in the path as it is, and no random characters come in",
                help=f"set {_KEY}: {_USUAL}, or take it out of the path",
            )
        return
    key = config.written(_KEY)
    if not key.is_known or not key.text:
        return
    if directory.is_known and directory.text.startswith(_S3) and key.text not in directory.text:
        yield key.finding(
            f"{key.text} is not in the directory of checkpoints, so that nothing is replaced there",
            help=f"write it where random characters are wanted: s3://bucket/{key.text}/checkpoints",
            related=[directory],
        )
    for name, what in _NEVER.items():
        setting = config.get(name)
        if key.text in setting.text:
            yield setting.finding(
                f"paths of {what} get no random characters: {key.text} is only left out of them",
                help=f"take {key.text} out of the path",
                related=[key],
            )


_PLAIN = f"{DIRECTORY}: s3://bucket/checkpoints\n"
_MARKED = f"{DIRECTORY}: s3://bucket/_entropy_/checkpoints\n"


def cases() -> list[Case]:
    return [
        bad(f"{_KEY}: _entropy_\n{_PLAIN}", at=_KEY, severity=Severity.INFO, says="nothing is replaced"),
        bad(f"{_KEY}: ENTROPY\nstate.checkpoints.dir: s3a://bucket/_entropy_/c\n", at=_KEY, flink="1.14"),
        bad(_MARKED, at=DIRECTORY, says="nothing sets s3.entropy.key"),
        bad(
            f"{_KEY}: _entropy_\n{_MARKED}execution.checkpointing.savepoint-dir: s3://bucket/_entropy_/savepoints\n",
            at="execution.checkpointing.savepoint-dir", says="paths of savepoints",
        ),
        bad(
            f"{_KEY}: _entropy_\nhigh-availability.storageDir: s3://bucket/_entropy_/ha\n",
            at="high-availability.storageDir", flink="1.20",
        ),
        good(f"{_KEY}: _entropy_\n{_MARKED}"),
        good(f"{_KEY}: _entropy_\n"),
        bad(f"{DIRECTORY}: s3p://bucket/_entropy_/checkpoints\n", at=DIRECTORY),
        good(f"{_KEY}: ''\nexecution.checkpointing.savepoint-dir: s3://bucket/savepoints\n"),
        good(_PLAIN),
        good(f"{DIRECTORY}: hdfs:///_entropy_/checkpoints\n"),
        good(f"{_KEY}: _entropy_\n{DIRECTORY}: hdfs:///checkpoints\n"),
        good(f"{_KEY}: _entropy_\n{DIRECTORY}: 's3://{{{{ bucket }}}}/checkpoints'\n"),
        good(f"{_KEY}: '{{{{ marker }}}}'\n{_PLAIN}"),
        good(f"{_KEY}: _entropy_\n{_MARKED}high-availability.storageDir: s3://bucket/ha\n"),
        good(f"SET '{DIRECTORY}' = 's3://bucket/_entropy_/c';\n", file="job.sql"),
    ]  # fmt: skip
