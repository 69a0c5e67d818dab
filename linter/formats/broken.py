"""Reports the parts of a file that cannot be parsed, instead of treating them as valid.

flint's own parsers skip lines with syntax errors, but the program that finally reads the file refuses it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import decode, has_placeholder
from flink_flint.linter.flink.invalid_config_yaml import template_tags
from flink_flint.linter.flink.parsed_file import CONFIG_YAML, MAX_CHARACTERS, ConfigurationFile, Refusal
from flink_flint.linter.formats.recognition import TEMPLATE_ENDINGS, is_rendered, is_template
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.model.limits import leave_out
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Lines, Span

CONFLICT = regex(r"^(?:<{7}|={7}|>{7})(?= |\r?$)", re.MULTILINE)
"""A regular expression for the conflict markers of an unfinished git merge."""
_VARIABLE = regex(r"\$\{|\$\(|@[A-Za-z_][\w.]*@|\$[A-Z_]{2}")
"""Variables that may be replaced before the line is parsed."""
_MALFORMED = regex(r"[\udc80-\udcff]+")
"""Lone surrogates, to which `decode` maps bytes that are not UTF-8."""
_SEPARATING_TAB = regex(r"(?<=\S)([ ]*)\t")
_TOO_DEEP = "its collections are nested too deeply to be read"
_REASONS = ("syntax", "tab", "undefined-alias", "reserved-indicator", "binary")


class Grammatical(FileFormat):
    """Base class of formats with a strict syntax: the program that reads the file refuses it if any part is invalid."""

    grammar = "tree"
    """The syntax of the file: ``tree`` (YAML or JSON), ``xml`` (XML, YAML or JSON, by the file name), or ``toml``."""

    def refuser(self, name: str) -> str:
        """Return a clause for reports of a file that cannot be parsed, such as ``kubectl refuses the object``.

        It names the program that reads files with this name; it is empty if that program is unknown.
        """
        return ""

    def with_refusals(self, path: str, data: bytes, documents: list[Document]) -> list[Document]:
        """Return the documents of a file with a refusal added for each part that cannot be parsed."""
        made = _add_refusals(self, path, data, documents)
        if documents or not made or not path.endswith((".yaml", ".yml")):
            return made
        from flink_flint.linter.formats.excerpts import excerpt_documents

        return [*made, *excerpt_documents(self, path, made[0].text)]


class _Fault(NamedTuple):
    """A syntax error in a part of a file."""

    language: str
    part: Span
    span: Span
    problem: str


def _add_refusals(file_format: Grammatical, path: str, data: bytes, documents: list[Document]) -> list[Document]:
    """Return the documents of a file with a refusal for each part with Flink settings that cannot be parsed.

    A part without a document gets one if the file format recognizes it. Templates and lines that contain a variable
    are not checked, because their content is known only after rendering.
    """
    text, _ = decode(data, kind=CONFIG_YAML)
    name = path.replace("\\", "/").rpartition("/")[2]
    if len(text) > MAX_CHARACTERS or name.endswith(TEMPLATE_ENDINGS):
        return documents
    made = list(documents)
    for fault in _FAULTS[file_format.grammar](path, text):
        part = text[fault.part.start : fault.part.end]
        line = _line(text, fault.span.start)
        if _is_template(part, path) or _VARIABLE.search(line) or has_placeholder(line):
            continue
        own = [one for one in documents if fault.part.start <= one.head.start < fault.part.end]
        if any(refusal.reason in ("syntax", "unparsed") for one in own for refusal in one.refusals):
            continue
        refusal = _refusal(file_format.refuser(name), text, fault)
        holder = next((one for one in own if one.syntax == "map"), None)
        if holder is not None:
            holder.refusals = [*holder.refusals, refusal]
        elif own or file_format.recognize(name, part):
            content = ConfigurationFile()
            content.refusals = [refusal]
            made.append(Document(path, text, file_format, content, syntax="map", span=refusal.span, whole=False))
    return made


def is_broken(text: str) -> bool:
    """Return whether YAML text is not empty and cannot be parsed at all."""
    from flink_flint.linter.formats.syntax.yaml_tree import read_trees

    trees = read_trees(text)
    return bool(trees) and all(tree.root is None and tree.error is not None for tree in trees)


def _is_template(part: str, path: str) -> bool:
    if not is_template(part):
        return False
    if is_rendered(path) or not path.endswith((".yaml", ".yml")):
        return True
    # In a file that no template engine renders, a tag in a comment does not make the file a template.
    return any(not _is_commented(part, tag.start) for tag in template_tags(part, is_rendered=False))


def _is_commented(text: str, at: int) -> bool:
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return before.startswith("#") or " #" in before or "\t#" in before


def _tree_faults(name: str, text: str) -> Iterator[_Fault]:
    whole = Span(0, len(text))
    malformed = _MALFORMED.search(text)
    if malformed is not None:
        language = "JSON" if name.endswith(".json") else "YAML"
        yield _Fault(language, whole, Span(*malformed.span()), "bytes that are not UTF-8")
        return
    if name.endswith(".json"):
        try:
            json.loads(text.removeprefix("\ufeff"))
        except json.JSONDecodeError as error:
            at = min(error.pos + text.startswith("\ufeff"), max(0, len(text) - 1))
            yield _Fault("JSON", whole, Span(at, at + 1), error.msg[:1].lower() + error.msg[1:])
            return
        except (ValueError, RecursionError):
            pass  # a number or nesting depth that only Python rejects
    from flink_flint.linter.formats.syntax.yaml_tree import read_trees

    for tree in read_trees(text, is_rendered=is_rendered(name)):
        fault = tree.error
        if fault is not None and fault.reason == "nesting":
            leave_out(_TOO_DEEP)
        if fault is None or fault.reason not in _REASONS or name.endswith(".json"):
            continue
        start, end = tree.span
        if fault.reason == "tab" or "\\t" in fault.problem:
            # Only Flink's YAML library refuses a tab between a key and its value.
            relaxed = read_trees(_SEPARATING_TAB.sub(r"\1 ", text[start:end]), is_rendered=is_rendered(name))
            if all(one.error is None for one in relaxed):
                continue
        at = min(start + fault.at, end)
        yield _Fault("YAML", tree.span, Span(at, max(at, min(start + fault.end, end))), fault.problem)


def _xml_faults(name: str, text: str) -> Iterator[_Fault]:
    if not name.endswith(".xml"):
        yield from _tree_faults(name, text)
        return
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return  # an external definition may declare what is missing here
    from xml.parsers import expat

    parser = expat.ParserCreate("utf-8")
    try:
        parser.Parse(text.removeprefix("\ufeff").encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        lines = Lines(text)
        line = lines.span(min(error.lineno, lines.position(len(text)).line))
        at = min(line.start + error.offset, line.end)
        yield _Fault("XML", Span(0, len(text)), Span(at, at), expat.ErrorString(error.code) or "an error")


def _toml_faults(name: str, text: str) -> Iterator[_Fault]:
    import tomllib

    try:
        tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).partition(" (at ")
        lines = Lines(text)
        found = re.fullmatch(r"line (\d+), column (\d+)\)", place)
        line = lines.span(int(found[1])) if found else lines.span(lines.position(len(text)).line)
        at = min(line.start + int(found[2]) - 1, line.end) if found else line.end
        yield _Fault("TOML", Span(0, len(text)), Span(at, at), problem[:1].lower() + problem[1:])
    except RecursionError:
        leave_out(_TOO_DEEP)


_FAULTS = {"tree": _tree_faults, "xml": _xml_faults, "toml": _toml_faults}


def _refusal(refuser: str, text: str, fault: _Fault) -> Refusal:
    conflict = CONFLICT.search(text, *fault.part)
    if conflict is not None:
        message, span = "a merge conflict was left in the file", Span(*conflict.span())
    else:
        message, span = f"this is not {fault.language} ({fault.problem})", fault.span
    reason = "syntax" if refuser else "unparsed"
    return Refusal(reason, f"{message}, so {refuser or 'Flink does not get its settings'}", span, error=fault.problem)


def _line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : len(text) if end < 0 else end]
