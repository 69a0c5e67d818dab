"""A value that Flink refuses is reported once, as an error, whatever rules read it."""

from __future__ import annotations

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, source_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.engine.verdicts import recorded
from flink_flint.linter.model.claim import DOCUMENTS, IGNORES, USES, Claim
from flink_flint.linter.model.finding import Severity
from tests.oracle.agreement import file_name, spelled_for

CODES = sorted(recorded())


def errors_at(claim: Claim, release: str) -> list[tuple[tuple[str, int, int], str]]:
    """The place and the code of each error in the bad settings of a claim."""
    name = file_name(release)
    source = source_of(f"conf/{name}", spelled_for(name, claim.bad).encode())
    assert isinstance(source, Source)
    report = check([source], Options(flink_version=release, profile="production"))
    return [
        ((finding.path, finding.span.start, finding.span.end), finding.code)
        for finding in report.findings
        if finding.severity == Severity.ERROR
    ]


@pytest.mark.parametrize("code", CODES)
def test_no_value_is_an_error_of_two_rules(code: str) -> None:
    found: dict[tuple[str, str], list[str]] = {}
    for claim, verdicts in recorded()[code]:
        refused = [one.release for one in verdicts if one.confirms(claim)]
        if claim.probe in DOCUMENTS or claim.kind in (IGNORES, USES) or not refused:
            continue
        for release in dict.fromkeys((refused[0], refused[-1])):
            errors = errors_at(claim, release)
            places = [place for place, _ in errors]
            if len(set(places)) < len(places):
                found[claim.bad, release] = [which for _, which in errors]
    assert found == {}
