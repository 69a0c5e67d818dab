"""Parses Go templates (text/template) into nodes."""

from __future__ import annotations

import re

from flink_flint.linter.formats.helm.rendering.go_values import MarkedInt
from flink_flint.linter.formats.helm.rendering.limits import MAX_DEPTH, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText, decided_by, sliced
from flink_flint.linter.formats.helm.rendering.template_nodes import (
    Action,
    Branch,
    Call,
    Chain,
    Command,
    Dot,
    Field,
    Include,
    Jump,
    Literal,
    Operand,
    Part,
    Pipeline,
    Place,
    Template,
    Text,
    Variable,
)
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_SPACE = " \t\r\n"
_COMMENT = regex(r"\{\{(?:-[ \t\r\n]+)?/\*")
_TOKEN = regex(
    r"""(?P<space>[ \t\r\n]+)|(?P<text>"(?:[^"\\\n]|\\[^\n])*+")|(?P<raw>`[^`]*+`)|(?P<char>'(?:[^'\\\n]|\\[^\n])++')"""
    r"""|(?P<number>[-+]?(?:0[xX][0-9a-fA-F_]++|0[oO]?[0-7_]+(?![0-9.eE])|0[bB][01_]++|(?:\d[\d_]*+\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?)(?![A-Za-z_]))"""
    r"""|(?P<field>\.[A-Za-z_]\w*+)|(?P<variable>\$\w*+)|(?P<word>[A-Za-z_]\w*+)|(?P<sign>:=|[=|(),.])"""
)
_ESCAPE = regex(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)", re.DOTALL)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"'}
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "nil": None}


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class _Tag(NamedTuple):
    """An action with its tokens, or text between actions if there are none."""

    text: str | None
    tokens: list[_Token]
    place: Place


def parse(name: str, source: str) -> list[Template]:
    """Parse the source of a template; return the main template, called `name`, and the templates that it defines.

    Raises `NotRendered` if the text is not a valid template.
    """
    return _Parser(name, source).templates()


def _problem(source: str, at: int, reason: str) -> NotRendered:
    place = sliced(source, at, max(at + 1, min(len(source), at + 2)))
    return NotRendered(reason, place.origin() if isinstance(place, MarkedText) else None)


def _tags(source: str) -> list[_Tag]:
    """Return the texts and actions of a template, in order, with the white space around trimming actions removed."""
    found: list[_Tag] = []
    plain = str(source)
    done = 0
    trims = False
    while True:
        start = plain.find("{{", done)
        text_end = len(plain) if start < 0 else start
        text_start = done
        if trims:
            while text_start < text_end and plain[text_start] in _SPACE:
                text_start += 1
        if start < 0:
            if text_start < text_end:
                found.append(_Tag(sliced(source, text_start, text_end), [], Place(text_start, text_end)))
            return found
        trims_before = plain.startswith("-", start + 2) and plain[start + 3 : start + 4] in tuple(_SPACE)
        if trims_before:
            while text_end > text_start and plain[text_end - 1] in _SPACE:
                text_end -= 1
        if text_start < text_end:
            found.append(_Tag(sliced(source, text_start, text_end), [], Place(text_start, text_end)))
        if _COMMENT.match(plain, start):
            close = plain.find("*/", start)
            done = plain.find("}}", close) + 2 if close >= 0 else 1
            inside = plain[close + 2 : done - 2] if done > 1 else "?"
            if inside.strip(_SPACE) not in ("", "-") or len(inside) > 40:
                raise _problem(source, start, "comment ends before closing delimiter")
            trims = inside.endswith("-")
            continue
        tokens, done, trims = _tokens(source, start + (3 if trims_before else 2), start)
        found.append(_Tag(None, tokens, Place(start, done)))


def _tokens(source: str, at: int, start: int) -> tuple[list[_Token], int, bool]:
    """Return the tokens of an action, the offset after it, and whether it trims the text after it."""
    found: list[_Token] = []
    plain = str(source)
    while True:
        if plain.startswith("}}", at):
            return found, at + 2, False
        if plain.startswith("-}}", at) and plain[at - 1] in _SPACE:
            return found, at + 3, True
        match = _TOKEN.match(plain, at)
        if match is None:
            raise _problem(
                source,
                min(at, len(plain) - 1),
                "unclosed action" if at >= len(plain) else "unexpected character in an action",
            )
        kind = match.lastgroup or ""
        found.append(_Token(kind, match[0], at, match.end()))
        at = match.end()


class _Parser:
    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source
        self.tags = _tags(source)
        self.at = 0
        self.defined: list[Template] = []
        self.depth = 0

    def templates(self) -> list[Template]:
        """Return all templates in the text, the text's own first."""
        parts, end = self._parts(in_loop=False)
        if end:
            raise _problem(self.source, self.tags[self.at - 1].place.start, f"unexpected {{{{{end}}}}}")
        return [Template(self.name, self.source, parts), *self.defined]

    def _parts(self, *, in_loop: bool) -> tuple[list[Part], str]:
        """Return the parts up to an ``end``, an ``else``, or the end of the text, and the keyword that ended them."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotRendered("blocks are nested too deeply")
        parts: list[Part] = []
        ended = ""
        while self.at < len(self.tags):
            tag = self.tags[self.at]
            self.at += 1
            if tag.text is not None:
                parts.append(Text(tag.text))
                continue
            tokens = _Tokens(self.source, tag)
            keyword = tokens.keyword()
            if keyword in ("end", "else"):
                ended = keyword
                break
            part = self._part(keyword, tokens, tag, in_loop)
            if part is not None:
                parts.append(part)
        self.depth -= 1
        return parts, ended

    def _part(self, keyword: str, tokens: _Tokens, tag: _Tag, in_loop: bool) -> Part | None:
        if keyword in ("if", "with", "range"):
            return self._branch(keyword, tokens, tag.place, in_loop)
        if keyword in ("define", "block"):
            return self._definition(keyword, tokens, tag.place)
        if keyword == "template":
            name = tokens.string()
            return Include(name, tokens.pipeline() if tokens.more() else None, tag.place)
        if keyword:
            if not in_loop:
                raise _problem(self.source, tag.place.start, f"{{{{{keyword}}}}} outside {{{{range}}}}")
            return Jump(keyword)
        if not tokens.more():
            raise _problem(self.source, tag.place.start, "missing value for command")
        return Action(tokens.pipeline(), tag.place)

    def _branch(self, keyword: str, tokens: _Tokens, place: Place, in_loop: bool) -> Branch:
        pipeline = tokens.pipeline()
        body, ended = self._parts(in_loop=in_loop or keyword == "range")
        otherwise: list[Part] = []
        if ended == "else":
            tag = self.tags[self.at - 1]
            following = _Tokens(self.source, tag)
            following.keyword()
            nested = following.keyword()
            if nested:  # {{ else if }} and {{ else with }} share the end of the first
                self.depth += 1
                if self.depth > MAX_DEPTH:
                    raise NotRendered("blocks are nested too deeply")
                otherwise = [self._branch(nested, following, tag.place, in_loop)]
                self.depth -= 1
                return Branch(keyword, pipeline, body, otherwise, place)
            otherwise, ended = self._parts(in_loop=in_loop)
        if ended != "end":
            raise _problem(self.source, place.start, f"{{{{{keyword}}}}} without {{{{end}}}}")
        return Branch(keyword, pipeline, body, otherwise, place)

    def _definition(self, keyword: str, tokens: _Tokens, place: Place) -> Include | None:
        name = tokens.string()
        pipeline = tokens.pipeline() if keyword == "block" else None
        parts, ended = self._parts(in_loop=False)
        if ended != "end":
            raise _problem(self.source, place.start, f"{{{{{keyword}}}}} without {{{{end}}}}")
        self.defined.append(Template(name, self.source, parts))
        return Include(name, pipeline, place) if keyword == "block" else None


_KEYWORDS = ("if", "else", "end", "range", "with", "define", "block", "template", "break", "continue")


class _Tokens:
    """The tokens of one action."""

    def __init__(self, source: str, tag: _Tag) -> None:
        self.source, self.tokens, self.place = source, tag.tokens, tag.place
        self.at = self.depth = 0

    def keyword(self) -> str:
        """Return the keyword that comes next, and pass it; an empty string if there is none."""
        token = self._peek()
        if token.kind == "word" and token.text in _KEYWORDS:
            self.at += 1
            return token.text
        return ""

    def more(self) -> bool:
        """Return whether there are more tokens."""
        return self._peek().kind != "end"

    def string(self) -> str:
        """Return the constant string that comes next."""
        token = self._next()
        if token.kind not in ("text", "raw"):
            raise self._unexpected(token)
        return _string(self.source, token)

    def _peek(self) -> _Token:
        at = self.at
        while at < len(self.tokens) and self.tokens[at].kind == "space":
            at += 1
        self.at = at
        return self.tokens[at] if at < len(self.tokens) else _Token("end", "", self.place.end - 2, self.place.end - 2)

    def _next(self) -> _Token:
        token = self._peek()
        self.at += 1
        return token

    def _unexpected(self, token: _Token) -> NotRendered:
        return _problem(
            self.source, token.start, f"unexpected {token.text!r} in an action" if token.text else "unclosed command"
        )

    def pipeline(self, closing: str = "") -> Pipeline:
        """Return the pipeline that comes next, which ends with `closing` or with the action."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotRendered("parentheses are nested too deeply")
        start = self._peek().start
        variables, is_declaration = self._variables()
        commands: list[Command] = []
        while True:
            commands.append(self._command())
            token = self._next()
            if token.text == "|" and token.kind == "sign":
                continue
            if (token.text == closing and token.kind == "sign") if closing else token.kind == "end":
                break
            raise self._unexpected(token)
        self.depth -= 1
        return Pipeline(variables, is_declaration, commands, Place(start, token.start))

    def _variables(self) -> tuple[list[str], bool]:
        """Return the variables that are assigned at the beginning of a pipeline, and whether it declares them."""
        before = self.at
        names: list[str] = []
        while True:
            token = self._next()
            if token.kind != "variable":
                break
            names.append(token.text)
            token = self._next()
            if token.kind == "sign" and token.text in (":=", "="):
                return names, token.text == ":="
            if token.text != ",":
                break
        self.at = before
        return [], False

    def _command(self) -> Command:
        operands: list[Operand | Pipeline] = []
        start = self._peek().start
        end = start
        while True:
            token = self._peek()
            if token.kind == "end" or (token.kind == "sign" and token.text in "|)"):
                break
            operands.append(self._operand())
            end = self.tokens[self.at - 1].end
        if not operands:
            raise self._unexpected(self._peek())
        return Command(operands, Place(start, end))

    def _operand(self) -> Operand | Pipeline:
        token = self._next()
        if token.kind == "sign" and token.text == "(":
            inner = self.pipeline(")")
            names = self._fields()
            return Chain(inner, names) if names else inner
        if token.kind == "sign" and token.text == ".":
            return Dot()
        if token.kind == "field":
            return Field([token.text[1:], *self._fields()])
        if token.kind == "variable":
            return Variable(token.text, self._fields())
        if token.kind == "word":
            return (
                Literal(_CONSTANTS[token.text])
                if token.text in _CONSTANTS
                else Call(token.text, Place(token.start, token.end))
            )
        if token.kind in ("text", "raw"):
            return Literal(_string(self.source, token))
        if token.kind == "number":
            return Literal(_number(token.text))
        if token.kind == "char":
            return Literal(MarkedInt(ord(_unescaped(token.text[1:-1])[:1] or "\0")))
        raise self._unexpected(token)

    def _fields(self) -> list[str]:
        """Return the fields that directly follow an operand."""
        names: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at].kind == "field":
            names.append(self.tokens[self.at].text[1:])
            self.at += 1
        return names


def _string(source: str, token: _Token) -> str:
    if token.kind == "raw" or "\\" not in token.text:
        return sliced(source, token.start + 1, token.end - 1)
    text = _unescaped(token.text[1:-1])
    written = sliced(source, token.start, token.end)
    if isinstance(written, MarkedText):
        return decided_by(text, written.origin())
    return text


def _unescaped(text: str) -> str:
    def character(match: object) -> str:
        escape: str = match[1]  # type: ignore[index]
        if escape[0] in "xuU" and len(escape) > 1:
            return chr(min(int(escape[1:], re.DOTALL), 0x10FFFF))
        if escape[0].isdigit():
            return chr(int(escape, 8)) if len(escape) == 3 else escape
        return _ESCAPES.get(escape, escape)

    return _ESCAPE.sub(character, text)


def _number(text: str) -> int | float:
    plain = text.replace("_", "")
    digits = plain.lstrip("+-")
    sign = -1 if plain.startswith("-") else 1
    if len(digits) > 40:
        raise NotRendered("a number is too long")
    if digits.isdigit() and len(digits) > 1 and digits[0] == "0":
        return sign * int(digits, 8)
    try:
        return sign * int(digits, 0)
    except ValueError:
        return sign * float(digits)
