"""What the planner says of the statements of a script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

from flink_flint.linter.engine.planning.script_steps import Step
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Lines, Span

Answer = Mapping[str, Any]

_REFUSING = ("org.apache.flink.table.api.", "org.apache.flink.sql.parser.", "org.apache.calcite.")
"""The beginnings of the names of exceptions with which a planner refuses; others may be due to the stubs."""
_ALSO_REFUSING = ("java.lang.IllegalArgumentException", "java.lang.UnsupportedOperationException")
_PLANNERS = ("org.apache.flink.table.planner.", "org.apache.flink.util.Preconditions")
"""The beginnings of the names of the classes in which those are refusals, too."""
_UNKNOWN = regex(
    r"(?i)object '[^']*'(?: within '[^']*')* not found|no match found for function signature|could not find any factory"
    r"|cannot find (?:table|function)|\b(?:table|view|catalog|database|function|module|model)\b.{0,200}\b"
    r"(?:does(?: not|n't) exist|not found|is not registered)|already exists|unsupported options found"
    r"|flint-(?:stub|connector)|could not instantiate|class not found|classnotfound"
)
"""Parts of messages about things that may be declared elsewhere, or that the stubs do not have."""
_PLACE = regex(
    r"(?:from line (?P<line>\d+), column (?P<column>\d+) to line (?P<end_line>\d+), column (?P<end_column>\d+)"
    r"|at line (?P<at_line>\d+), column (?P<at_column>\d+))", re.IGNORECASE,
)  # fmt: skip
_LEADING = regex(
    r"\s*(?:SQL validation failed\.|SQL parse failed\.|"
    r"(?:From line \d+, column \d+ to line \d+, column \d+|At line \d+, column \d+):)\s*"
)
_ENDS = ("\nWas expecting", "\nTable options are", "\n\nQuery schema", "Was expecting one of", "Was expecting:")
_OWN = regex(r"`?default_catalog`?(?:\.|, )`?default_database`?(?:\.|, )")
_LONGEST = 300

STATE = {
    "GroupAggregate": "aggregation", "GlobalGroupAggregate": "aggregation", "IncrementalGroupAggregate": "aggregation",
    "GroupTableAggregate": "aggregation", "PythonGroupAggregate": "aggregation", "Join": "join", "MultiJoin": "join",
    "IntervalJoin": "interval join", "TemporalJoin": "temporal join", "WindowJoin": "window join",
    "Deduplicate": "deduplication", "WindowDeduplicate": "window", "Rank": "Top-N", "WindowRank": "window",
    "OverAggregate": "OVER aggregation", "ChangelogNormalize": "normalization of a changelog",
    "WindowAggregate": "window", "GlobalWindowAggregate": "window", "GroupWindowAggregate": "window",
    "GroupWindowTableAggregate": "window", "Match": "pattern", "Limit": "LIMIT", "SortLimit": "Top-N",
    "TemporalSort": "sorting", "ProcessTableFunction": "table function",
}  # fmt: skip
"""What the operators of a streaming plan keep in state, by their kinds; others keep nothing."""
MATERIALIZER = "materialization of a sink"


def plan_elements(text: str, release: str, steps: Sequence[Step], answers: Mapping[int, Answer]) -> Iterator[Element]:
    """Yield an element for each statement that the planner was given or that is passed over for a reason."""
    lines = Lines(text)
    for step in steps:
        answer = answers.get(step.number)
        if not step.question:
            if step.reason:
                yield _element("passed over", release, step.spans[0], {"reason": step.reason})
        elif answer is None:
            if step.is_query:
                yield _element("passed over", release, step.spans[0], {"reason": "the time for planning is over"})
        elif "refused" in answer:
            if step.spans:
                yield _refused(text, lines, release, step, answer)
        elif answer.get("late"):
            yield _element("passed over", release, step.spans[0], {"reason": "planning it takes too long"})
        elif answer.get("skipped"):
            yield _element("passed over", release, step.spans[0], {"reason": "it would run, not be planned"})
        elif step.is_query:
            for span in step.spans:
                yield _element("planned", release, span, _facts(answer))


def _element(outcome: str, release: str, span: Span, facts: Mapping[str, object], whole: Span | None = None) -> Element:
    whole = whole or span
    attributes = {"release": Attribute(release, whole)}
    attributes |= {name: Attribute(value, whole) for name, value in facts.items()}
    return Element("plan", outcome, span, attributes)


def _facts(answer: Answer) -> dict[str, object]:
    facts: dict[str, object] = {}
    for number, operator in enumerate(answer["operators"]):
        place = f"operators[{number}]"
        facts[f"{place}.type"] = operator["type"]
        facts[f"{place}.changes"] = operator["changes"]
        facts[f"{place}.keys"] = "; ".join(", ".join(key) for key in operator["keys"])
        for name, value in operator["details"].items():
            facts[f"{place}.details.{name}"] = value
    for number, kept in enumerate(states_of(answer)):
        facts[f"state[{number}]"] = kept
    for operator, states in answer.get("state", {}).items():
        facts |= {f"ttl.{operator}.{name}": ttl for name, ttl in states.items()}
    return facts


def states_of(answer: Answer) -> list[str]:
    """Return what the operators of a plan keep in state, each once."""
    found = [STATE[kind] for kind in answer["execution"] if kind in STATE]
    for operator in answer["operators"]:
        if "upsertMaterialize" in operator["details"]:
            found.append(MATERIALIZER if operator["type"] == "Sink" else "lookup join")
    if "upsertMaterialize=[true]" in answer.get("explained", "") and MATERIALIZER not in found:
        found.append(MATERIALIZER)
    return sorted(set(found))


# -- refusals


def _refused(text: str, lines: Lines, release: str, step: Step, answer: Answer) -> Element:
    causes = answer["refused"]
    statement = step.spans[min(answer.get("text", 0), len(step.spans) - 1)]
    messages = [cause["message"] for cause in causes]
    message = plain_message(causes)
    if message is None or not step.is_certain or any(_UNKNOWN.search(one) for one in messages):
        reason = plain_text(messages[-1]) or "the planner failed"
        return _element("passed over", release, statement, {"reason": reason})
    whole = Span(statement.start, statement.end)
    first = text[whole.start : whole.end].split(None, 1)[0]
    span = _place(text, lines, statement, messages) or Span(whole.start, whole.start + len(first))
    return _element("refused", release, span, {"message": message, "verb": first.upper()}, whole)


def plain_message(causes: Sequence[Mapping[str, str]]) -> str | None:
    """Return the planner's own message, without the texts around it; None if it is no refusal of the planner's."""
    refusals = list(map(_is_refusal, causes))
    if any(not is_refusal and _is_foreign(cause) for is_refusal, cause in zip(refusals, causes, strict=True)):
        return None
    said = [plain_text(cause["message"]) for cause in compress(causes, refusals)]
    return next(filter(None, reversed(said)), None)


def _is_refusal(cause: Mapping[str, str]) -> bool:
    """Return whether an exception is one with which a planner refuses what it is given."""
    is_thrown_by_planner = cause["type"] in _ALSO_REFUSING and cause["at"].startswith(_PLANNERS)
    return cause["message"] not in ("null", "") and (cause["type"].startswith(_REFUSING) or is_thrown_by_planner)


def _is_foreign(cause: Mapping[str, str]) -> bool:
    """Return whether an exception may be due to what the planner is given in place of the real parts."""
    return "StubTables" in cause["at"] or cause["type"].startswith("java.lang.N") or "Linkage" in cause["type"]


def plain_text(message: str) -> str:
    """Return a message of the planner in one line, without its position and what follows the first sentences."""
    while (leading := _LEADING.match(message)) is not None:
        message = message[leading.end() :]
    for end in _ENDS:
        message = message.partition(end)[0]
    line = re.sub(r"\s+", " ", _OWN.sub("", message)).strip().rstrip(".")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _place(text: str, lines: Lines, statement: Span, messages: Sequence[str]) -> Span | None:
    """Return the span that the message names by line and column within the statement."""
    found = next((place for message in messages if (place := _PLACE.search(message)) is not None), None)
    if found is None:
        return None
    line, column = int(found["line"] or found["at_line"]), int(found["column"] or found["at_column"])
    start = _offset(lines, statement, line, column)
    end = start + 1
    if found["end_line"]:
        end = _offset(lines, statement, int(found["end_line"]), int(found["end_column"])) + 1
    else:
        while end < statement.end and (text[end].isalnum() or text[end] == "_"):
            end += 1
    return Span(start, end) if statement.start <= start < end <= statement.end else None


def _offset(lines: Lines, statement: Span, line: int, column: int) -> int:
    """Return the offset of a line and column of a statement's text, both counted from 1."""
    if line == 1:
        return statement.start + column - 1
    at = lines.position(statement.start).line + line - 1
    return lines.span(at).start + column - 1 if at <= len(lines.starts) else len(lines.text)
