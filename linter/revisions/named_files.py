"""Restricts the report on a whole project to the files that the user named.

Both revisions are checked as a whole, since a file may take part in a finding in one of them only.
"""

from __future__ import annotations

from flink_flint.linter.engine.check_run import EXCLUDED, NOT_RENDERED, TESTS, Report
from flink_flint.linter.engine.project_files import EVERYTHING, Named


def restricted(report: Report, named: Named) -> Report:
    """Return the report on a project, restricted to the files in `named`."""
    if named is EVERYTHING:
        return report
    findings = [finding for finding in report.findings if named.takes_part(finding)]
    left_out = {one.document.path for one in report.documents if one.document.is_left_out}
    return report._replace(
        findings=findings,
        silenced=[one for one in report.silenced if named.takes_part(one.finding)],
        documents=[one for one in report.documents if one.document.path in named],
        around=[one for one in report.documents if one.document.path not in named],
        files=report.files - len(named.others) + sum(path not in named for path in left_out),
        skipped=[
            one for one in report.skipped if one.reason not in (TESTS, EXCLUDED, NOT_RENDERED) or one.path in named
        ],
        crashed=any(finding.rule == "internal-error" for finding in findings),
    )
