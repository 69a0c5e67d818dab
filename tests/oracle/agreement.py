"""Compares what a rule reports with what real releases of Flink answered to its claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, source_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.engine.verdicts import Verdict
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, nearest_index, parse_release
from flink_flint.linter.model.claim import DOCUMENTS, REFUSES, Claim
from flink_flint.linter.model.finding import Severity


def disagreements(code: str, claim: Claim, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield where a rule says of a release what the release does not do, or does not say what it does."""
    for verdict in verdicts:
        if not verdict.is_asked:
            continue
        # What Flink refuses is an error, and nothing else is.
        least = Severity.ERROR if claim.kind == REFUSES else Severity.INFO
        says, does = reports(code, claim.probe, claim.bad, verdict.release, least), verdict.confirms(claim)
        if says != does:
            what = "does not report" if does else "reports"
            yield f"{code} {what} in {verdict.release} {_shown(claim.bad)}: Flink answers {verdict.bad}"
        if reports(code, claim.probe, claim.good, verdict.release, least):
            yield f"{code} reports in {verdict.release} {_shown(claim.good)}: Flink answers {verdict.good}"


def reports(code: str, probe: str, text: str, release: str, least: Severity) -> bool:
    """Return whether a rule reports settings, in the file of a release, or a whole file, with a severity at least."""
    name = file_name(release)
    path, content = (DOCUMENTS[probe], text) if probe in DOCUMENTS else (f"conf/{name}", spelled_for(name, text))
    source = source_of(path, content.encode())
    if not isinstance(source, Source):
        return False  # not a file of Flink's
    report = check([source], Options(flink_version=release, select=(code,), profile="production"))
    return any(finding.severity >= least for finding in report.findings)


def file_name(release: str) -> str:
    """Return the name of the configuration file that a release reads."""
    return CONFIG_YAML if nearest_index(parse_release(release)) >= FIRST_CONFIG_YAML else FLINK_CONF


def spelled_for(name: str, text: str) -> str:
    """Return settings as a file spells them: in YAML, values are quoted that would be something else."""
    if name != CONFIG_YAML:
        return text
    pairs = (line.partition(": ") for line in text.splitlines())
    return "".join(f"{key}: {_plain_or_quoted(value)}\n" for key, _, value in pairs)


def _plain_or_quoted(value: str) -> str:
    return f"'{value}'" if not value or value[0] in _SPECIAL or ": " in value or value[-1] == ":" else value


_SPECIAL = "*&!|>%@`\"'{}[]#,?"


def _shown(text: str) -> str:
    return "; ".join(text.splitlines())
