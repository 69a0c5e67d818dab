"""A file is larger than flint judges, so only its first part was judged.

## What it does
Reports a file of which flint left something out, with the limit that was reached: bytes that are read, documents,
settings and elements that are judged, findings of one rule that are reported, keys that are compared to find what a
misspelled one was meant to be. All limits are counts, so that a file has the same findings on every machine. Files
that are read in part get no fixes, and nothing is said to be missing in them.

No comment, annotation, baseline, or setting of `flint.toml` silences it; `--ignore` on the command line does.

## Why it matters
Without limits a file of a few megabytes could keep a commit hook or a build busy for minutes, or fill its memory. With
limits that nobody sees, a pull request could hide a setting behind a million others.

## What to do
Split the file, or name it in `exclude` of `flint.toml` if it is generated and judged elsewhere. The other files of the
run are judged in full.

## Sources
- <https://github.com/flink-flint/flint/blob/main/docs/files.md>: the limits
"""

from collections.abc import Iterable, Iterator

from flink_flint.linter.model.rule import Confidence, Finding, Severity, rule
from flink_flint.linter.model.view import View


@rule(code="FLK047", severity=Severity.WARNING, confidence=Confidence.HIGH, since="0.1", scope="crash")
def judged_in_part(config: View, reasons: Iterable[str]) -> Iterator[Finding]:
    """the file is too large to be judged in full"""
    yield config.finding(
        f"the file is not judged in full: {'; '.join(reasons)}",
        help="split the file, or exclude it in flint.toml if it is generated",
    )
