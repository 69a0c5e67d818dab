"""Statements of IAM policies about Kinesis and MSK, in programs, modules and templates that create them.

Reads the lists of actions, in whatever language: ``actions: ['kinesis:GetRecords']``, ``actions = [...]``, ``"Action":
[...]``, and the resources beside them, as text. Constants only: a list with anything else is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

MENTIONED = regex(r"kinesis:(?:Get|Subscribe|List|Describe|Put|\*)|kafka-cluster:[A-Z*]")
"""Matches an action that statements about Kinesis or MSK have."""
_ACTIONS = regex(
    r"""(?<![\w.])["']?(?:[aA]ctions?)["']?\s{0,10}[:=]\s{0,10}"""
    r"""(?:\[(?P<list>[^\[\]]{0,4000})\]"""
    r"""|(?P<lines>(?:\s{0,40}\n[ \t]{0,60}-[ \t]+["']?[\w-]{1,40}:[\w*]{1,60}["']?){1,100})"""
    r"""|(?P<one>["'][\w-]{1,40}:[\w*]{1,60}["']))"""
)
_RESOURCES = regex(
    r"""(?<![\w.])["']?[rR]esources?["']?\s{0,10}[:=]\s{0,10}(?:\[(?P<list>[^\[\]]{0,4000})\]|(?P<one>[^\s,\]}]{1,500}))"""
)
_ITEM = regex(r"""["'`]?([\w*-]{1,40}:[\w*]{1,60}|\*)["'`]?""")
_GRANTED = regex(r"\.grant\w*\(|\bgrant_(?:read|write|read_write)\(|ManagedPolic(?:y|ies)|managed_polic|policy_arn\b")
"""Matches what gives a role permissions that are not in a statement of the file."""
_CLUSTERS = (
    regex(
        r"""(?<!\w)(?:clusterName|cluster_name|ClusterName)["']?\s{0,10}[:=]\s{0,10}(?P<name>["']?[\w.!?-]{1,100}["']?)"""
    ),
    regex(r"""resource\s+"aws_msk_(?:serverless_)?cluster"\s+"(?P<name>[\w-]{1,100})\""""),
)
_TYPES = ("string", "str", "String", "null", "None", "undefined", "props", "any", "new")
"""What follows the name of a property where it is declared, or where it is not the name of a cluster."""
_MSK = regex(r"(?i)msk")
_WINDOW = 6_000
_MAX_STATEMENTS = 200


def policy_elements(text: str) -> list[Element]:
    """Return the statements about Kinesis and MSK in a file, and the MSK clusters that it creates."""
    if MENTIONED.search(text) is None:
        return []
    is_granted = _GRANTED.search(text) is not None
    found = list(_statements(text, is_granted=is_granted))
    if any(element.name == "kafka-cluster" for element in found):
        found += _clusters(text)
    return found


def _statements(text: str, *, is_granted: bool) -> Iterator[Element]:
    for number, match in enumerate(_ACTIONS.finditer(text)):
        if number >= _MAX_STATEMENTS:
            return
        kind = match.lastgroup or "one"
        span = Span(*match.span(kind))
        listed = match[kind]
        if MENTIONED.search(listed) is None:
            continue
        names = list(_ITEM.finditer(listed))
        key = Span(match.start(), match.start() + len(match[0]) - len(match[0].lstrip()))
        attributes = {
            f"actions[{place}]": Attribute(
                one[1], Span(span.start + one.start(1), span.start + one.end(1)), None, one[1]
            )
            for place, one in enumerate(names)
        }
        rest = _ITEM.sub("", listed)
        if is_granted or re.sub(r"[\s,\-]|(?://|#)[^\n]*", "", rest):
            attributes["actions"] = Attribute(None, span)
        service = next(one[1].partition(":")[0] for one in names if MENTIONED.match(one[1]) is not None)
        resources = _resources_beside(text, match.start(), match.end())
        if resources is not None:
            attributes["resources"] = Attribute(text[slice(*resources)], resources, None, text[slice(*resources)])
        first = attributes.get("actions[0]")
        yield Element("policy-statement", service, first.span if first is not None else key, attributes)


def _resources_beside(text: str, start: int, end: int) -> Span | None:
    """Return the span of the resources between the brackets that enclose a list of actions; None if there are none."""
    before = _bracket(text, range(start - 1, max(-1, start - _WINDOW), -1), ")}]", "({[")
    after = _bracket(text, range(end, min(len(text), end + _WINDOW)), "({[", ")}]")
    if before is None or after is None:
        return None
    for match in _RESOURCES.finditer(text, before + 1, after):
        return Span(*match.span(match.lastgroup or "one"))
    return None


def _bracket(text: str, places: range, opening: str, closing: str) -> int | None:
    """Return the first of the places with a bracket whose partner is not among them."""
    depth = 0
    for place in places:
        if text[place] in opening:
            depth += 1
        elif text[place] in closing:
            if depth == 0:
                return place
            depth -= 1
    return None


def _clusters(text: str) -> Iterator[Element]:
    seen: set[str] = set()
    for pattern in _CLUSTERS:
        for match in pattern.finditer(text):
            name = match["name"].strip("\"'").replace("!", "")
            if name in _TYPES:
                continue
            is_msk = "aws_msk" in match[0] or _MSK.search(text, max(0, match.start() - 600), match.start()) is not None
            if is_msk and name not in seen:
                seen.add(name)
                span = Span(*match.span("name"))
                yield Element("msk-cluster", name, span, {"name": Attribute(name, span, None, match["name"])})
