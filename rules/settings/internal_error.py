"""A rule of flint failed, so nothing can be said about what it looks for.

## What it does
Stands in for a rule that raised an exception. The run goes on with all other rules and ends with exit
status 2, because the result is not complete.

## Why it matters
A linter that swallows its own faults reports a configuration as sound that it never judged.

## What to do
Report it with the message and, where you can, the configuration that sets it off. Until it is mended,
`--ignore` the rule that the message names.

## Sources
- <https://github.com/flink-flint/flint/issues>: where to report it
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Confidence, Finding, Severity, rule
from flink_flint.linter.model.view import View


@rule(code="FLK000", severity=Severity.ERROR, confidence=Confidence.HIGH, since="0.1", scope="crash")
def internal_error(config: View, code: str, error: Exception) -> Iterator[Finding]:
    """a rule of flint failed"""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f" in {frame.tb_frame.f_code.co_name}, line {frame.tb_lineno}" if frame is not None else ""
    yield config.finding(
        f"the rule {code} failed on this file: {type(error).__name__}: {error}{where}",
        help=f"please report this; `--ignore {code}` leaves the rule out until it is mended",
        evidence={"rule": code, "exception": type(error).__name__},
    )
