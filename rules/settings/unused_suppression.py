"""A comment suppresses a finding that is not there.

## What it does
Reports `# flint: ignore[...]` and `# flint: file-ignore[...]` comments, or single names in them, that
silence nothing: the hazard is gone, the name is misspelt, or the comment covers another line.

## Why it matters
A stale comment hides the next real finding on its line, and a misspelt one gives false comfort.

## What to do
Delete the comment, or the name in it that is no longer needed.

## Not when
The rule it names does not run (because of `--select`, `--ignore` or the preferences).

## Sources
- <https://docs.astral.sh/ruff/rules/unused-noqa/>: the same idea in a linter for Python
"""

from collections.abc import Callable, Iterator

from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.suppressions import Suppression
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit, Span


@rule(code="FLK044", severity=Severity.WARNING, confidence=Confidence.HIGH, since="0.1", scope="suppressions")
def unused_suppression(
    config: View, suppressions: list[Suppression], meant: Callable[[str], set[str]], running: frozenset[str]
) -> Iterator[Finding]:
    """a suppression comment silences nothing"""
    for suppression in suppressions:
        stale = [s for s in suppression.unused if not meant(s) or meant(s) & running]
        if not stale:
            continue
        unknown = [selector for selector in stale if not meant(selector)]
        names = ", ".join(stale)
        message = f"this comment suppresses {names}, but there is no such finding here"
        if unknown:
            message = f"this comment suppresses {', '.join(unknown)}, which is no rule, family or code of flint"
        whole = stale == list(suppression.selectors)
        yield config.finding(
            message,
            span=suppression.span,
            help="delete the comment" if whole else f"take {names} out of the brackets",
            fix=_delete(config, suppression.span) if whole and not suppression.reason else None,
        )


def _delete(config: View, comment: Span) -> Fix:
    """Take the comment out, with its line if it stands alone and with the blanks before it if it does not."""
    lines, text = config.document.lines, config.document.text
    number = lines.position(comment.start).line
    before = text[lines.span(number).start : comment.start]
    if not before.strip():
        return Fix("delete the comment", [Edit(lines.full_span(number), "")])
    return Fix("delete the comment", [Edit(Span(comment.start - len(before) + len(before.rstrip()), comment.end), "")])


def cases() -> list[Case]:
    return [
        bad(
            "parallelism.default: 2  # flint: ignore[blob-storage-tmp]\n",
            at="# flint: ignore[blob-storage-tmp]",
            fixed="parallelism.default: 2\n",
        ),
        bad(
            "# flint: ignore[no-such-rule] because\nparallelism.default: 2\n",
            says="no rule",
            fixed="# flint: ignore[no-such-rule] because\nparallelism.default: 2\n",
        ),
        good("parallelism.default: 2  # a comment\n"),
        bad("# flint: ignore[no-such-rule]\nparallelism.default: 2\n", fixed="parallelism.default: 2\n"),
        bad(
            "rest.port: 1 # flint: ignore[FLK101]\nrest.address: a # flint: ignore[no-such-rule]\n",
            fixed="rest.port: 1 # flint: ignore[FLK101]\nrest.address: a\n",
        ),
        bad(
            "parallelism.default: 2  # flint: ignore[FLK101, no-such-rule]\n",
            says="suppresses no-such-rule, which",
            fixed="parallelism.default: 2  # flint: ignore[FLK101, no-such-rule]\n",
        ),
        good("parallelism.default: 2  # flint: ignore[FLK101]\n"),
    ]
