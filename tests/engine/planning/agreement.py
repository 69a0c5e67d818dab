"""How far flint's own reading of queries agrees with the planner, over scripts.

`python -m tests.engine.planning.agreement RELEASE [FOLDER]` prints figures and differences: over the scripts beside
this module, or over all Flink SQL scripts below a folder.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.planning.planned_documents import is_script
from flink_flint.linter.engine.planning.planned_statements import MATERIALIZER
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.formats.sql.sql_script import FILE_FORMAT
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.text.named_tuple import NamedTuple
from tests.engine.planning.golden import add_plans, script, script_names

OF_FEATURES = {
    "regular-join": ("join",),
    "group-by": ("aggregation",),
    "aggregate": ("aggregation",),
    "count-distinct": ("aggregation",),
    "distinct": ("aggregation",),
    "deduplicate": ("deduplication",),
    "top-n": ("Top-N",),
    "top-n-of-all": ("Top-N",),
    "over": ("OVER aggregation",),
    "window": ("window",),
    "interval-join": ("interval join",),
    "window-join": ("window join",),
    "match-recognize": ("pattern",),
    "set-operation": ("aggregation", "join"),
}
"""What the features that flint reads keep in state, in the words for operators of a plan."""
_NOT_READ = {MATERIALIZER, "normalization of a changelog", "temporal join", "LIMIT", "sorting", "lookup join"}
"""State that is not of a feature of the query's text."""


class Compared(NamedTuple):
    """A query of a script: what flint reads and what the planner says."""

    script: str
    line: int
    own: frozenset[str]
    planned: frozenset[str] | None
    """What operators keep in state; None if the planner refuses the query."""
    is_error: bool
    """Whether flint reports an error in the statement without the planner."""
    message: str


def compared(texts: Mapping[str, str], release: str) -> Iterator[Compared]:
    """Yield the queries of scripts that the planner of a release plans or refuses."""
    sources = [Source(f"{name}.sql", text.encode(), FILE_FORMAT) for name, text in texts.items()]
    report = check(sources, Options(flink_version=release, include_tests=True))
    errors = {
        (finding.path, finding.where.start.line)
        for finding in report.findings if finding.severity == Severity.ERROR and finding.where is not None
    }  # fmt: skip
    found = {one.document.path.removesuffix(".sql"): one.document for one in report.documents}
    planning = add_plans(found, release)
    assert not planning.notes, planning.notes
    for name, document in found.items():
        yield from _of_document(name, document, errors)


def _of_document(name: str, document: Document, errors: set[tuple[str, int]]) -> Iterator[Compared]:
    lines = document.lines
    plans = document.elements_of(("plan",))
    for query in document.elements_of(("query",)):
        plan = _plan_of(query, plans)
        if plan is None or plan.name == "passed over":
            continue
        is_batch = not any(one.value("changes") for one in plan.items("operators")) and plan.name == "planned"
        if query.value("statement-set") or is_batch:
            continue  # the plan is of the whole set, or keeps no state
        kept = {one for feature in OF_FEATURES if query.has(feature) for one in OF_FEATURES[feature]}
        whole = plan.attributes["release"].span
        first, last = lines.position(whole.start).line, lines.position(whole.end).line
        is_error = any(path == document.path and first <= line <= last for path, line in errors)
        planned = None if plan.name == "refused" else frozenset(str(one.value) for one in plan.listed("state"))
        yield Compared(name, first, frozenset(kept), planned, is_error, str(plan.value("message") or ""))


def _plan_of(query: Element, plans: Sequence[Element]) -> Element | None:
    for plan in plans:
        whole = plan.attributes["release"].span
        if whole.start <= query.span.start < whole.end or query.span.start < whole.start < query.span.end:
            return plan
    return None


def figures(found: list[Compared]) -> Counter[str]:
    """Return how many queries flint and the planner agree on, by what."""
    count: Counter[str] = Counter()
    for one in found:
        count["queries"] += 1
        if one.planned is None:
            count["refused"] += 1
            count["refused, an error without the planner"] += one.is_error
            continue
        count["planned"] += 1
        count["planned, but an error without the planner"] += one.is_error
        count["state as read"] += one.planned - _NOT_READ == one.own
        count["a sink is materialized"] += MATERIALIZER in one.planned
    return count


def main(arguments: list[str]) -> None:
    """Print the figures, and what flint and the planner differ in."""
    release, *folders = arguments
    texts = {name: script(name) for name in script_names()}
    if folders:
        texts = {
            str(Path(one.path).relative_to(folders[0])).removesuffix(".sql"): one.data.decode("utf-8", "replace")
            for one in find(folders) if isinstance(one, Source) and is_script(one.file_format)
        }  # fmt: skip
    found = list(compared(texts, release))
    for one in found:
        if one.planned is None:
            print(f"{one.script}:{one.line}: refused{' (also an error)' if one.is_error else ''}: {one.message}")
        elif one.is_error:
            print(f"{one.script}:{one.line}: an error, but planned")
        if one.planned is not None and one.planned - _NOT_READ != one.own:
            print(f"{one.script}:{one.line}: read {sorted(one.own)}, planned {sorted(one.planned)}")
    print(f"{len(texts)} scripts", dict(figures(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
