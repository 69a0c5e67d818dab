"""Compares how two Flink releases read the files of a run, document by document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Problem, Source
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.make_edits import resolve_fixes
from flink_flint.linter.flink.releases import KNOWN, Release, nearest_index, parse_release
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.model.target import Target
from flink_flint.linter.output.memory.derived_memory import Derived, derive
from flink_flint.linter.output.repository_paths import documents_of
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.upgrade.beyond_configuration import unseen
from flink_flint.linter.upgrade.defaults import unset_defaults
from flink_flint.linter.upgrade.setting_effects import (
    REMOVED,
    RENAMED,
    Sides,
    lost,
    newly_effective,
    renamed,
    split,
    values,
    where,
    winners,
)
from flink_flint.linter.upgrade.upgrade_report import Broken, Crossing, Level, Upgrade
from flink_flint.linter.upgrade.version_bound_files import files, named

_MAX_NAMED = 5

_ABOUT_THE_RUN = ("image-version-mismatch", "unknown-key", "unused-suppression")
"""Rules whose findings are irrelevant to an upgrade: the files still name the old release, no release knows a key."""
_ABOUT_FILES = ("both-config-files", "wrong-config-file")
_ABOUT_MEMORY = "memory-does-not-add-up"
_ABOUT_SPELLINGS = ("alias-conflict", "key-newer-than-flink", RENAMED)


class UnknownRelease(ValueError):  # noqa: N818 - the name says what is unknown
    """Raised for files whose current Flink release is unknown or not in the option catalogue."""


def known_release(text: str, option: str) -> Release:
    """Parse the release given for the command-line option `option`; raise ValueError if the catalogue lacks it."""
    try:
        release = parse_release(text)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None
    if release.place is None:
        raise ValueError(f"{option}: Flink {release} is not in the option catalogue, which has {KNOWN}")
    return release


def compare(sources: Sequence[Source | Problem], options: Options, to: Release) -> Upgrade:
    """Compare how files are read by their current release (from `options` or detected) and by the release `to`.

    Raises `UnknownRelease` if the release of a file with settings is unknown, and ValueError for invalid options.
    """
    options = options._replace(leaves_out_void=False)  # a file that the later release does not read may be converted
    before = check(sources, options, processes=None)
    starts = _starts(before)
    later = options._replace(flink_version=str(to))
    after = check(sources, later, processes=None)
    # Renamed and removed keys are reported here with their fixes, even if flint's configuration ignores those rules.
    spelled = check(sources, later._replace(select=(RENAMED, REMOVED), ignores=False), processes=None)
    old, new = _by_document(before), _by_document(after)
    found = (*spelled.findings, *after.findings)
    resolve_fixes((one for one in found if one.rule in (RENAMED, REMOVED)), documents_of(spelled))
    in_file: dict[str, list[Finding]] = {}
    for finding in found:
        in_file.setdefault(finding.path, []).append(finding)
    crossings: list[Crossing] = []
    level = []
    reported: set[tuple[str, int]] = set()
    for was, now in zip(before.documents, after.documents, strict=True):
        document = was.document
        release = starts.get(id(document))
        if release is None:
            continue
        evidence = "--from" if options.flink_version else was.target.evidence
        if release[:2] >= to[:2]:
            level.append(Level(document, release, evidence))
            continue
        identity = (document.path, document.name)
        sides = _sides(was, release, to, in_file.get(document.path, []))
        crossing = _crossing(sides, now.target, old.get(identity, []), new.get(identity, []))
        # A build file names the release of many programs.
        names = [one for one in named(document, release, evidence, to) if one.where[:2] not in reported]
        reported.update(one.where[:2] for one in names)
        crossings.append(crossing._replace(evidence=evidence, named=tuple(names)))
    oldest = min((one.before for one in crossings), key=nearest_index, default=None)
    return Upgrade(
        to,
        tuple(crossings),
        tuple(level),
        tuple(unseen(oldest, to)) if oldest else (),
        tuple(before.problems),
        before.files,
        before.crashed or after.crashed,
    )


def _starts(report: Report) -> dict[int, Release]:
    """Return the current release of each document, by its `id`, except for documents without settings and release."""
    found = {}
    unknown: dict[str, str] = {}
    for one in report.documents:
        target = one.target
        if target.certain and len(target.indices) == 1:
            release = target.release or target.release_at(target.indices[0])
            if release.place is not None:
                found[id(one.document)] = release
            else:
                unknown[one.document.path] = f"it is for Flink {release}, but the option catalogue has {KNOWN}"
        elif one.document.entries:
            several = f"it may be for Flink {target.version}" if target.certain else "its release is unknown"
            unknown[one.document.path] = several
    if unknown:
        raise UnknownRelease(_which(unknown))
    return found


def _which(unknown: dict[str, str]) -> str:
    listed = [f"{path}: {why}" for path, why in unknown.items()]
    more = f"\nand {len(listed) - _MAX_NAMED} more" if len(listed) > _MAX_NAMED else ""
    return (
        "unknown current release: give it with --from, as in --from 1.18, or in flint's configuration (flink-version)\n"
        + "\n".join(listed[:_MAX_NAMED])
        + more
    )


def _by_document(report: Report) -> dict[tuple[str, str | None], list[Finding]]:
    found: dict[tuple[str, str | None], list[Finding]] = {}
    for finding in report.findings:
        found.setdefault((finding.path, finding.document), []).append(finding)
    return found


class _Both(NamedTuple):
    """A document as both releases read it, with the memory of its processes."""

    sides: Sides
    before: Derived
    after: Derived


def _sides(judged: Judged, release: Release, to: Release, findings: Sequence[Finding]) -> _Both:
    document, target, relation = judged.document, judged.target, judged.relation
    before = derive(document, _target(target, release), relation)
    after = derive(document, _target(target, to), relation)
    return _Both(Sides(document, before.settings, before.configuration, after.configuration, findings), before, after)


def _crossing(both: _Both, target: Target, old: Sequence[Finding], new: Sequence[Finding]) -> Crossing:
    sides, before, after = both
    document = sides.document
    broken = [*files(sides), *lost(sides), *values(sides), *split(sides), *_memory_refused(document, before, after)]
    renames, wins = tuple(renamed(sides)), tuple(winners(sides))
    winning = {one.after.where for one in wins}
    broken += [one for one in newly_effective(sides) if one.where not in winning]
    reported = {one.where[:2] for one in broken if one.key is not None}
    spellings = {one.where[:2] for one in renames} | {side.where[:2] for one in wins for side in one[1:]}
    kinds = {one.kind for one in broken}

    def is_reported(finding: Finding) -> bool:
        """Return whether a finding repeats what the comparison reports already."""
        if finding.rule in _ABOUT_THE_RUN:
            return True
        if ("file" in kinds and finding.rule in _ABOUT_FILES) or ("memory" in kinds and finding.rule == _ABOUT_MEMORY):
            return True
        place = finding.path, finding.where.start.line
        return finding.key is not None and (
            place in reported or (place in spellings and finding.rule in _ABOUT_SPELLINGS)
        )

    memory = {name: (process, after.processes[name]) for name, process in before.processes.items()}
    stays = frozenset(name for name, (one, other) in memory.items() if one.derived and one.derived == other.derived)
    return Crossing(
        document,
        sides.before.release,
        "",
        tuple(sorted(broken, key=lambda one: (-one.severity, one.where.line, one.where.column))),
        renames,
        wins,
        tuple(unset_defaults(sides.before, sides.after, target, stays)) if document.whole else (),
        memory,
        tuple(one for one in _unlike(new, old) if not is_reported(one)),
        tuple(
            one for one in _unlike(old, new) if not (is_reported(one) or ("file" in kinds and one.family == "settings"))
        ),
        (),
    )


def _target(target: Target, release: Release) -> Target:
    """Return a document's target for one release."""
    index = nearest_index(release)
    return Target(
        (index,), release=release, evidence=target.evidence, platform=target.platform, profile=target.profile
    )  # fmt: skip


def _memory_refused(document: Document, before: Derived, after: Derived) -> Iterable[Broken]:
    """Yield memory sizes that were consistent and no longer are."""
    for name, process in after.processes.items():
        if before.processes[name].derived is None or process.error is None:
            continue
        keys = [key for key in document.effective if key.startswith((f"{name}.memory.", f"{name}.heap."))]
        span = document.effective[keys[0]].key_span if keys else document.head
        title = {"taskmanager": "TaskManager", "jobmanager": "JobManager"}[name]
        yield Broken(
            "memory",
            Severity.ERROR,
            where(document, span),
            None,
            f"the {title}'s memory adds up in Flink {before.configuration.release} but not in"
            f" {after.configuration.release}: {process.error.rstrip('.')}",
            f"run flint show {document.path} --flink-version {after.configuration.release.name}",
        )


def _unlike(findings: Sequence[Finding], others: Sequence[Finding]) -> list[Finding]:
    """Return the findings that the other release lacks, or has with a lower severity."""
    known = {_identity(other): other.severity for other in others}
    return [one for one in findings if known.get(_identity(one), Severity.INFO - 1) < one.severity]


def _identity(finding: Finding) -> tuple[object, ...]:
    """Return the identity of a finding across releases: a value refused by its type is the same for any type."""
    if finding.rule.startswith("bad-"):
        return ("bad", finding.path, finding.document, finding.span)
    return (finding.fingerprint,)
