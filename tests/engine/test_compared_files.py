"""A rule that compares documents finds the same for a named file if it only gets the files that it says it compares."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from flink_flint.linter.commands.rule_cases import kind_of_case, place
from flink_flint.linter.engine import compared_files
from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.compared_files import ComparedFiles
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.project_files import Named
from flink_flint.linter.engine.registry import Declaration, comparisons, registry
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.rule import Case, Comparison
from tests.marks import mostly_slow

PROJECT_RULES = [one for one in registry().declarations if one.scope == "project"]

OTHERS = {
    "elsewhere/old/flink-conf.yaml": "parallelism.default: 2\nhigh-availability: zookeeper\n",
    "elsewhere/new/config.yaml": "parallelism:\n  default: 2\nhigh-availability:\n  type: kubernetes\n",
    "elsewhere/docker-compose.yaml": "services:\n  one:\n    image: flink:1.17\n    command: taskmanager\n",
}
"""Files that take no part in what a rule finds; the releases of two of them are not known."""


@pytest.mark.parametrize("declaration", mostly_slow(PROJECT_RULES, every=8), ids=lambda one: one.name)
def test_findings_of_a_named_file_are_those_of_all_files(declaration: Declaration, tmp_path: Path) -> None:
    cases = [case for case in importlib.import_module(declaration.module).cases() if case.before is None]
    for number, case in enumerate(cases):
        folder = tmp_path / str(number)
        sources = _sources(case, folder)
        options = Options(
            flink_version=case.flink, platform=case.platform, profile=case.profile, select=(declaration.code,)
        )
        whole = check(sources, options).findings
        for path in _named(sources, case, folder, also_others=not number):
            named = Named(frozenset([path]))
            expected = [_shown(one) for one in whole if named.takes_part(one)]
            found = check(sources, options._replace(named=frozenset([path]))).findings
            assert [_shown(one) for one in found] == expected, (number, case.title, path)


def _sources(case: Case, folder: Path) -> list[Source]:
    folder.mkdir()
    for name, text in OTHERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    place(case, case.text, str(folder))
    return [one for one in find([str(folder)], kind_of=kind_of_case) if isinstance(one, Source)]


def _named(sources: Sequence[Source], case: Case, folder: Path, *, also_others: bool) -> list[str]:
    """Return the file under test, some of those beside it and, if `also_others`, the others."""
    paths = [source.path for source in sources]
    others = [path for path in paths if Path(path).is_relative_to(folder / "elsewhere")]
    beside = [path for path in paths if path not in others and path != str(folder / case.name)]
    return [str(folder / case.name), *beside[:3], *(others if also_others else ())]


def _shown(finding: Finding) -> tuple[object, ...]:
    return (
        finding.path, finding.document, finding.span, finding.message, finding.help, finding.severity, finding.note,
        finding.related, finding.confidence,
    )  # fmt: skip


def test_every_rule_of_flint_says_what_it_compares() -> None:
    assert {one.identity for one in PROJECT_RULES if comparisons().get(one.identity) is None} == set()


def test_what_rules_compare_is_up_to_date() -> None:
    declared = {one.identity: one.load().compares for one in PROJECT_RULES}
    assert {identity: row for identity, row in declared.items() if row is not None} == comparisons()


def _compared(monkeypatch: pytest.MonkeyPatch, compares: Comparison | None, near: Mapping[str, str] = {}) -> str:
    """Return the files that a rule compares with `a/1`, among files with triggers; `near` relates files to others."""
    triggers = {"a/1": ["x"], "a/2": ["z"], "b/3": ["y"], "b/4": [], "c/5": ["x"], "c/6": []}
    documents = [SimpleNamespace(path=path, project_triggers=found) for path, found in triggers.items()]
    relations = {
        place: Relation(below=tuple(one for one in documents if one.path == near[document.path]))  # type: ignore[misc]
        for place, document in enumerate(documents)
        if document.path in near
    }
    monkeypatch.setattr(compared_files, "comparisons", lambda: {"FLK000": compares})
    return " ".join(sorted(ComparedFiles(documents, relations, ["a/1"]).of("FLK000")))  # type: ignore[arg-type]


def test_files_are_reached_by_triggers_folders_and_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _compared(monkeypatch, ()) == "a/1"
    assert _compared(monkeypatch, ("folder",)) == "a/1 a/2"
    assert _compared(monkeypatch, ((("x",), ("y",)),)) == "a/1 b/3 c/5"
    assert _compared(monkeypatch, ((("y",), ("x",)),)) == "a/1 b/3 c/5"
    assert _compared(monkeypatch, ((("x",), ("y",)),), {"b/4": "b/3"}) == "a/1 b/3 b/4 c/5"
    assert _compared(monkeypatch, ((("z",), ("y",)),), {"a/1": "a/2"}) == "a/1 a/2 b/3"
    assert _compared(monkeypatch, (), {"a/1": "a/2", "b/3": "a/2", "b/4": "b/3"}) == "a/1 a/2 b/3"


def test_a_rule_that_says_nothing_compares_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _compared(monkeypatch, None) == "a/1 a/2 b/3 b/4 c/5 c/6"
