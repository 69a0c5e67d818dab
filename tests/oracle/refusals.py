"""Values that Flink's own messages say it refuses, with what real releases made of each: `refusals.json`.

Each line is a candidate: the part of Flink that is asked, what is set besides, an option, a value that a message in the
classes that read it speaks against, one that is taken, and the answers by release. Nothing says that Flink does refuse
the value: that is what the releases answer. `python -m tests.oracle.refusals` asks them, and prints the table of what
they refuse and flint reports.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, source_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.engine.verdicts import Verdict
from flink_flint.linter.filesystem.writing import write_whole
from flink_flint.linter.flink.file_loading import FLINK_CONF
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.claim import PROBES, Claim
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.text.named_tuple import NamedTuple
from tests.oracle.agreement import file_name, spelled_for
from tests.oracle.asking import answers

RELEASES = ("1.13.6", "1.17.2", "1.20.5", "2.3.0")
"""The releases that are asked."""

_RECORDED = Path(__file__).with_name("refusals.json")
_EXPLAINED = Path(__file__).with_name("refusals.toml")
_LONGEST = 100
"""How much of an answer is kept."""

_OF_SOMETHING_ELSE = ("FLK002", "FLK004", "FLK314")
"""Errors that do not say that a value is refused: that the release does not know the key, or that a folder is local."""

REFUSED, TAKEN, NOT_ASKED = "!", "+", "-"
"""What an answer begins with: the release refuses the value, it takes it, or its code could not be asked about it."""


class Candidate(NamedTuple):
    """A value that a message of Flink speaks against."""

    probe: str
    both: str
    key: str
    bad: str
    good: str
    """The value that is taken; empty where the option is left out."""

    @property
    def claim(self) -> Claim:
        """The question that is put to real releases."""
        return Claim(self.probe, self.with_value(self.bad), self.with_value(self.good) if self.good else self.both)

    def with_value(self, value: str) -> str:
        return f"{self.both}{self.key}: {value}\n"

    @property
    def shown(self) -> str:
        return f"{self.key}: {self.bad}"


Recorded = dict[Candidate, dict[str, str]]
"""What each release that was asked answers to the bad value of a candidate."""


@cache
def recorded() -> Recorded:
    """Return the candidates with the answers of the releases."""
    lines = json.loads(_RECORDED.read_text("utf-8"))
    return {
        Candidate(*fields): {release: answer for releases, answer in given.items() for release in releases.split()}
        for *fields, given in lines
    }


def spelled(found: Recorded) -> str:
    """Return what is recorded as the content of the file: a line for each candidate."""
    lines = []
    for candidate, given in found.items():
        alike: dict[str, list[str]] = {}
        for release in sorted(given, key=parse_release):
            alike.setdefault(given[release], []).append(release)
        shown = {" ".join(releases): answer for answer, releases in alike.items()}
        lines.append(json.dumps([*candidate, shown], ensure_ascii=False))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def explained(what: str) -> dict[str, str]:
    """Return why candidates are `unreported` or `reported`, by option and value."""
    reasons = tomllib.loads(_EXPLAINED.read_text("utf-8"))[what]
    return {one: reason["text"] for reason in reasons for one in reason["values"]}


def asked(candidates: Iterable[Candidate], releases: Iterable[str]) -> Recorded:
    """Put candidates to real releases; return their answers in the form that is recorded."""
    by_claim = {candidate.claim: candidate for candidate in candidates}
    return {
        by_claim[claim]: {verdict.release: _short(by_claim[claim], verdict) for verdict in verdicts}
        for claim, verdicts in answers(by_claim, releases).items()
    }


def _short(candidate: Candidate, verdict: Verdict) -> str:
    """Return what is recorded of an answer: what was built of a value that is taken does not matter."""
    # A flink-conf.yaml has no empty values: Flink skips such lines.
    if not verdict.is_asked or (not candidate.bad and file_name(verdict.release) == FLINK_CONF):
        return NOT_ASKED
    if not verdict.bad.startswith(REFUSED):
        return TAKEN if verdict.bad.startswith(TAKEN) else "~"
    refused = verdict.bad.partition("/files/")[0] if "/tmp/tmp" in verdict.bad else verdict.bad
    return refused if len(refused) <= _LONGEST else f"{refused[:_LONGEST]}…"


def errors(candidate: Candidate, value: str, release: str) -> list[str]:
    """Return the codes of the errors that say of a value in a release's configuration file that Flink refuses it."""
    name = file_name(release)
    text = candidate.with_value(value) if value or value == candidate.bad else candidate.both
    source = source_of(f"conf/{name}", spelled_for(name, text).encode())
    if not isinstance(source, Source):
        return []  # nothing shows that it is a file of Flink
    report = check([source], Options(flink_version=release, profile="production"))
    return [
        finding.code
        for finding in report.findings
        if finding.severity == Severity.ERROR and finding.code not in _OF_SOMETHING_ELSE
    ]


def covered(found: Recorded, release: str) -> tuple[list[Candidate], list[Candidate]]:
    """Return the candidates that a release refuses, and those of them that are errors of flint."""
    refused = [candidate for candidate, given in found.items() if given.get(release, "").startswith(REFUSED)]
    return refused, [candidate for candidate in refused if errors(candidate, candidate.bad, release)]


def disagreements(candidate: Candidate, given: Mapping[str, str], releases: Iterable[str]) -> Iterator[str]:
    """Yield where flint reports, or does not report, an error otherwise than a release refuses a value."""
    for release in releases:
        answer = given[release]
        found = errors(candidate, candidate.bad, release)
        if answer.startswith(REFUSED) and not found and candidate.shown not in explained("unreported"):
            yield f"{release} refuses {candidate.shown} ({candidate.probe}): {answer}"
        if answer.startswith(TAKEN) and found and candidate.shown not in explained("reported"):
            yield f"{release} takes {candidate.shown} ({candidate.probe}): {', '.join(found)}"
        if not answer.startswith(NOT_ASKED) and (wrong := errors(candidate, candidate.good, release)):
            yield f"{release} takes {candidate.key}: {candidate.good} ({candidate.probe}): {', '.join(wrong)}"


def main() -> int:
    """Ask, record, and print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.refusals")
    parser.add_argument("--new", action="store_true", help="ask only about what has not been asked")
    parser.add_argument("--table", action="store_true", help="ask about nothing")
    parser.add_argument("--releases", nargs="*", default=RELEASES, metavar="RELEASE")
    parser.add_argument("--parts", nargs="*", default=PROBES, metavar="PROBE", help="ask only these parts of Flink")
    arguments = parser.parse_args()
    found = {candidate: dict(given) for candidate, given in recorded().items()}
    for release in () if arguments.table else arguments.releases:
        chosen = [
            candidate
            for candidate, given in found.items()
            if candidate.probe in arguments.parts and not (arguments.new and release in given)
        ]
        given_now = asked(chosen, [release])
        recorded.cache_clear()  # another run may have recorded other parts meanwhile
        found = {candidate: {**given, **given_now.get(candidate, {})} for candidate, given in recorded().items()}
        write_whole(str(_RECORDED), spelled(found).encode())
    print(f"{len(found)} values that messages speak against")
    problems: list[str] = []
    for release in arguments.releases:
        refused, reported = covered(found, release)
        share = 100 * len(reported) / max(1, len(refused))
        print(f"{release} refuses {len(refused)}; {len(reported)} are errors of flint, {share:.1f} %")
        for candidate, given in found.items():
            problems += disagreements(candidate, given, [release] if release in given else [])
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
