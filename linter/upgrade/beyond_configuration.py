"""Requirements of an upgrade beyond changes to configuration files: Java, state, programs, connectors."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.releases import MINORS, Release, nearest_index, parse_release
from flink_flint.linter.upgrade.upgrade_report import Note

_DOCS = "https://nightlies.apache.org/flink/flink-docs-"
_UPGRADING = f"{_DOCS}stable/docs/ops/upgrading/"
_OLDER_UPGRADING = f"{_DOCS}release-1.18/docs/ops/upgrading/"
"""The last page whose table includes the releases before 1.17."""
_NOTES_OF_2 = f"{_DOCS}release-2.0/release-notes/flink-2.0/"
_MAJOR = (2, 0)
_JAVA_11_IMAGES = (1, 15)
_TABLE = (1, 17)
"""The first release in the table of savepoint compatibility, which goes back to savepoints of 1.8."""
_FIRST_WITH_FOLDERS = (1, 13)
"""The first release whose documentation pages are folders."""


def unseen(before: Release, to: Release) -> Iterator[Note]:
    """Yield notes on what an upgrade requires beyond changes to configuration files."""
    crosses_major = before[:2] < _MAJOR <= to[:2]
    yield _state(before, to, crosses_major=crosses_major)
    if before[:2] == (1, 15) and before.patch in (0, 1):
        yield Note(
            "SQL state",
            f"the names of Table API operators are not stable in {before}: their state may not be found again unless "
            "`table.exec.uid.generation` is ALWAYS",
            "https://issues.apache.org/jira/browse/FLINK-28861",
        )
    yield Note(
        "SQL",
        "a minor release may plan a query differently, and the state of a SQL job only fits its own plan: test the "
        "upgrade with a savepoint before you change the cluster",
        f"{_UPGRADING}#table-api--sql",
    )
    yield _java(before, to, crosses_major=crosses_major)
    yield _programs(to, crosses_major=crosses_major)
    for minor in MINORS[nearest_index(before) + 1 : nearest_index(to) + 1]:
        yield Note(f"Release notes of {minor}", "", _release_notes(parse_release(minor)))


def _state(before: Release, to: Release, *, crosses_major: bool) -> Note:
    if crosses_major:
        text = (
            "2.x is not guaranteed to read the state of 1.x (it has Kryo 5 and other serializers of collections), and "
            "upgrading through releases in between does not help: test the savepoints of each job on a copy, and be "
            "prepared to start without them, or to rebuild the state"
        )
        return Note("State", text, _NOTES_OF_2)
    if to[:2] >= _MAJOR:
        text = (
            "take a savepoint with the old release, start from it, and keep it until the new one has completed "
            "checkpoints; you may skip releases in between if a test shows that it works"
        )
        return Note("State", text, _UPGRADING)
    if to[:2] >= _TABLE:
        text = f"{to} reads savepoints of every release from 1.8 on, so you may skip releases in between; start"
        source = _UPGRADING
    else:
        text = f"the table shows which savepoints {to} reads; start"
        source = _OLDER_UPGRADING
    text += " from a savepoint and not from a checkpoint"
    if before[:2] <= (1, 12) and to[:2] >= (1, 13):
        text += ", above all not from an unaligned one of 1.12"
    return Note("State", text, f"{source}#compatibility-table")


def _java(before: Release, to: Release, *, crosses_major: bool) -> Note:
    if crosses_major:
        text = "Java 11 or later is required, not Java 8; images have Java 17 unless the tag says otherwise"
        return Note("Java", text, _NOTES_OF_2)
    if before[:2] < _JAVA_11_IMAGES <= to[:2]:
        text = "Java 8 is deprecated from 1.15 on; images have Java 11 unless the tag says otherwise"
        return Note("Java", text, "https://issues.apache.org/jira/browse/FLINK-25247")
    oldest = "11" if to[:2] >= _MAJOR else "8 (deprecated) or 11" if to[:2] >= _JAVA_11_IMAGES else "8"
    return Note(
        "Java",
        f"{to} runs on Java {oldest} or later, as {before} does",
        f"{_DOCS}stable/docs/deployment/java_compatibility/",
    )


def _programs(to: Release, *, crosses_major: bool) -> Note:
    if crosses_major:
        text = (
            "2.0 has no DataSet API, no Scala API, no SourceFunction, SinkFunction and TableSource, and no per-job "
            "mode: rewrite programs, and use connectors built for 2.x"
        )
        return Note("Programs", text, _NOTES_OF_2)
    return Note(
        "Programs",
        f"compile jobs with {to} and use connectors built for it: a JAR built for another minor release may not run",
        f"{_UPGRADING}#api-compatibility-guarantees",
    )


def _release_notes(release: Release) -> str:
    page = f"{_DOCS}release-{release.name}/release-notes/flink-{release.name}"
    return f"{page}/" if release[:2] >= _FIRST_WITH_FOLDERS else f"{page}.html"
