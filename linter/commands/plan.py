"""`flint plan`: shows what the planner of a Flink release makes of SQL scripts, and downloads the planners."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from flink_flint.linter.commands.errors import EXIT_ERROR, PrintMessage
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.engine.planning.planned_statements import plain_text
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.masking import Mask
from flink_flint.linter.model.safe_text import neutral
from flink_flint.linter.text.named_tuple import NamedTuple

_SHOWN = ("joinType", "groupBy", "where", "upsertMaterialize", "table", "partitionBy", "key", "keep", "strategy")
"""The details of operators that are shown."""


class PlanArguments(NamedTuple):
    """The arguments of `flint plan`."""

    paths: tuple[str, ...]
    install: str | None
    flink_version: str | None
    output_format: str


def run_plan(arguments: PlanArguments, print_message: PrintMessage) -> int:
    """Download a planner or plan scripts, and return the exit status; raise ValueError for unusable input."""
    if arguments.install is not None:
        return _install(arguments.install, print_message)
    documents = _planned(arguments, print_message)
    if arguments.output_format == "json":
        import json

        found = [_json_of(document) for document in documents]
        sys.stdout.write(neutral(json.dumps({"version": 1, "scripts": found}, indent=1)) + "\n")
    else:
        sys.stdout.writelines(neutral(line) + "\n" for document in documents for line in _lines(document))
    refused = any(element.name == "refused" for one in documents for element in one.elements_of(("plan",)))
    return 1 if refused else 0


def _install(release: str, print_message: PrintMessage) -> int:
    from flink_flint.linter.engine.planning.flink_libraries import install, patch_to_install

    version = patch_to_install(release)
    print_message(f"downloading the libraries of Flink {version} with pip (300 MB), unless they are there", kind="info")
    try:
        libraries = install(version)
    except (OSError, subprocess.CalledProcessError) as error:
        print_message(
            f"the download failed ({error}); unpack Flink {version} and name its folder in flink-homes of your own "
            "configuration"
        )
        return EXIT_ERROR
    print_message(f"Flink {libraries.release} is in {libraries.folder}", kind="info")
    return 0


def _planned(arguments: PlanArguments, print_message: PrintMessage) -> list[Document]:
    from flink_flint.linter.config.user_config import user_config
    from flink_flint.linter.engine.check_run import check
    from flink_flint.linter.engine.discovery import Source, find
    from flink_flint.linter.engine.planning.isolated_planner import PlanningError
    from flink_flint.linter.engine.planning.planned_documents import find_planning, is_script
    from flink_flint.linter.engine.run_options import Options
    from flink_flint.linter.filesystem.repository import trees_of

    paths = list(arguments.paths) or ["."]
    sources = [one for one in find(paths) if isinstance(one, Source) and is_script(one.file_format)]
    if not sources:
        raise ValueError("no Flink SQL script found in " + ", ".join(paths))
    trees = trees_of(one.path for one in sources)
    try:
        planning = find_planning(user_config(trees).flink_homes, sorted(trees))
    except PlanningError as error:
        raise ValueError(str(error)) from None
    options = Options(flink_version=arguments.flink_version, rules=False, planning=planning, include_tests=True)
    report = check(sources, options)
    for note in planning.notes:
        print_message(note, kind="warning")
    return [one.document for one in report.documents]


def _lines(document: Document) -> Iterator[str]:
    mask = mask_of(document)
    plans = document.elements_of(("plan",))
    release = next((element.value("release") for element in plans), None)
    yield document.path + (f" (Flink {release})" if release is not None else "")
    for element in plans:
        line = document.lines.position(element.span.start).line
        text = document.text[element.span.start : element.span.end].split("\n")[0].strip()
        if element.name == "refused":
            yield f"  line {line}: refused: {mask(str(element.value('message')))}"
        elif element.name == "passed over":
            yield f"  line {line}: not planned: {mask(str(element.value('reason')))}"
        else:
            yield f"  line {line}: {mask(text[:80])}"
            state = ", ".join(str(one.value) for one in element.listed("state"))
            yield f"    state: {state or 'none'}"
            yield from _operators(element, mask)


def _operators(element: Element, mask: Mask) -> Iterator[str]:
    for operator in reversed(element.items("operators")):
        if operator.value("type") == "Exchange":
            continue
        changes, keys = operator.value("changes"), operator.value("keys")
        details = [
            f"{name} {plain_text(str(value.value))}" for name, value in operator.under("details")
            if name in _SHOWN and value.value not in ("", "true")
        ]  # fmt: skip
        words = [str(operator.value("type")), *details]
        words += [f"changes {changes}"] if changes else []
        words += [f"upsert keys {keys}"] if keys else []
        yield mask(f"    {'; '.join(words)}"[:200])


def _json_of(document: Document) -> dict[str, object]:
    mask = mask_of(document)
    statements = []
    for element in document.elements_of(("plan",)):
        position = document.lines.position(element.span.start)
        found: dict[str, object] = {"outcome": element.name, "line": position.line, "column": position.column}
        for name in ("release", "message", "reason"):
            if element.has(name):
                found[name] = mask(str(element.value(name)))
        if element.name == "planned":
            found["state"] = [one.value for one in element.listed("state")]
            found["ttl"] = {name: one.value for name, one in element.under("ttl")}
            found["operators"] = [_operator_json(one, mask) for one in element.items("operators")]
        statements.append(found)
    return {"path": document.path, "statements": statements}


def _operator_json(operator: Element, mask: Mask) -> dict[str, object]:
    keys = str(operator.value("keys"))
    return {
        "type": operator.value("type"),
        "changes": operator.value("changes"),
        "upsert_keys": [key.split(", ") for key in keys.split("; ")] if keys else [],
        "details": {name: mask(str(one.value)) for name, one in operator.under("details")},
    }
