"""Conversion of lists and maps back to YAML text, as Flink does for lists in `config.yaml`.

Flink does not keep a list of `config.yaml` as a list: it stores one line of flow-style YAML and parses that again when
an option is read. That line is the text that users see in the web interface and that a string option gets.
"""

from __future__ import annotations

from flink_flint.linter.flink.yaml.yaml_core_schema import BINARY, STR, made_of, resolve, scalar_text
from flink_flint.linter.flink.yaml.yaml_nodes import YamlSet

_ESCAPES = {
    "\0": "0", "\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", "\x1b": "e",
    '"': '"', "\\": "\\", "\x85": "N", "\xa0": "_", "\u2028": "L", "\u2029": "P",
}  # fmt: skip
_MAX_SIMPLE_KEY = 128
_BEST_WIDTH = 80


class _Analysis:
    """The styles that a scalar allows, as determined by the library's emitter."""

    __slots__ = ("flow_plain", "multiline", "single_quoted")

    def __init__(self, text: str) -> None:
        self.multiline = "\n" in text
        self.flow_plain = bool(text)
        self.single_quoted = True
        if not text:
            return
        flow_indicator = text.startswith(("---", "...")) or text[0] in "#,[]{}&*!|>'\"%@`?:"
        flow_indicator = flow_indicator or (text[0] == "-" and (len(text) == 1 or text[1] in "\0 \t\r\n"))
        special = space_break = break_space = False
        before = ""
        for index, char in enumerate(text):
            if index and (char in ",?[]{}:" or (char == "#" and before in "\0 \t\n")):
                flow_indicator = True
            if not (char == "\n" or " " <= char <= "~" or _printable_unicode(char)):
                special = True
            if char == " " and before == "\n":
                break_space = True
            elif char == "\n" and before == " ":
                space_break = True
            before = char
        if text[0] in " \n" or text[-1] in " \n" or self.multiline or flow_indicator or special:
            self.flow_plain = False
        if break_space or space_break or special:
            self.flow_plain = self.single_quoted = False


def _printable_unicode(char: str) -> bool:
    return (
        char == "\x85"
        or "\xa0" <= char <= "\ud7ff"
        or "\ue000" <= char <= "\ufffd"
        or "\U00010000" <= char <= "\U0010ffff"
    )


class _Writer:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.anchors: dict[int, str] = {}
        self.written: set[int] = set()

    def count(self, root: object) -> None:
        """Find the collections that occur twice; they get anchors in the order in which they are found."""
        met: set[int] = set()
        shared: list[int] = []
        pending: list[object] = [root]
        order: list[int] = []
        while pending:
            value = pending.pop()
            if not isinstance(value, (list, dict)):
                continue
            if id(value) in met:
                if id(value) not in shared:
                    shared.append(id(value))
                continue
            met.add(id(value))
            order.append(id(value))
            children = (
                list(value)
                if isinstance(value, list)
                else [part for pair in value.items() for part in (made_of(pair[0]), pair[1])]
            )
            pending += reversed(children)
        for number, found in enumerate(shared, 1):
            self.anchors[found] = f"id{number:03}"

    def write(self, root: object) -> str:
        """Return the text, written depth first with an explicit stack, so that depth needs no recursion."""
        self.count(root)
        pending: list[tuple[str, object, int]] = [("value", root, 0)]
        while pending:
            action, value, depth = pending.pop()
            if action == "text":
                self.parts.append(str(value))
            elif action == "colon":
                # the one place where the library breaks a long line although line breaking is off
                column = len("".join(self.parts).rpartition("\n")[2])
                self.parts.append(f"\n{'  ' * depth}: " if column > _BEST_WIDTH else " : ")
            elif isinstance(value, (list, dict)):
                self.collection(value, depth + 1, pending)
            else:
                self.parts.append(_scalar(value))
        return "".join(self.parts)

    def collection(
        self, value: list[object] | dict[object, object], depth: int, pending: list[tuple[str, object, int]]
    ) -> None:
        anchor = self.anchors.get(id(value))
        if anchor is not None:
            if id(value) in self.written:
                self.parts.append(f"*{anchor}")
                return
            self.written.add(id(value))
            self.parts.append(f"&{anchor} ")
        todo: list[tuple[str, object, int]] = []
        if isinstance(value, list):
            todo.append(("text", "[", 0))
            for number, item in enumerate(value):
                if number:
                    todo.append(("text", ", ", 0))
                todo.append(("value", item, depth))
            todo.append(("text", "]", 0))
        else:
            if isinstance(value, YamlSet):
                self.parts.append("!!set ")
            todo.append(("text", "{", 0))
            for number, (key, item) in enumerate(value.items()):
                name = made_of(key)
                if number:
                    todo.append(("text", ", ", 0))
                if _is_simple_key(name):
                    todo += (("value", name, depth), ("text", ": ", 0))
                else:
                    todo += (("text", "? ", 0), ("value", name, depth), ("colon", None, depth))
                todo.append(("value", item, depth))
            todo.append(("text", "}", 0))
        pending += reversed(todo)


def _is_simple_key(value: object) -> bool:
    if isinstance(value, (list, dict)):
        return not value
    text, _ = scalar_text(value)
    return bool(text) and "\n" not in text and len(text) < _MAX_SIMPLE_KEY


def _scalar(value: object) -> str:
    text, tag = scalar_text(value)
    analysis = _Analysis(text)
    # the library requests the literal style here, which becomes double quotes in flow context
    literal = tag == BINARY or (tag == STR and any(char in text for char in "\n\x85\u2028\u2029"))
    if not literal and analysis.flow_plain and resolve(text) == tag:
        return text
    if not literal and analysis.single_quoted:
        return "'" + text.replace("'", "''") + "'"
    return (f"!!{tag.rpartition(':')[2]} " if tag != STR else "") + _double_quoted(text)


def _double_quoted(text: str) -> str:
    parts = ['"']
    for char in text:
        if " " <= char <= "~" and char not in '"\\':
            parts.append(char)
        elif char in _ESCAPES:
            parts.append("\\" + _ESCAPES[char])
        elif _printable_unicode(char) and char != "\ufeff":
            parts.append(char)
        elif char <= "\xff":
            parts.append(f"\\x{ord(char):02x}")
        else:  # all characters beyond \uffff are printable
            parts.append(f"\\u{ord(char):04x}")
    return "".join(parts) + '"'


def flow_text(value: list[object] | dict[object, object]) -> str:
    """Return a list or map as YAML text, the way Flink writes it: in flow style, on one line if possible."""
    return _Writer().write(value)
