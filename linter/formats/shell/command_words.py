"""Splits a shell command into words, with quotes removed and the position of each character kept."""

from __future__ import annotations

from flink_flint.linter.model.limits import leave_out
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_GAP = regex(r"(?:[ \t]+|\\(?:\r\n|\r|\n))+")
_PLAIN = regex(r"(?:[^\s\\'\"`$;|&()<>{]|\{(?!\{))+")
_SINGLE = regex(r"'([^']{0,20000})'")
_IN_DOUBLE = regex(r'[^"\\$`\r\n]+')
_VARIABLE = regex(r"\$(?:\{[^}\r\n]{0,200}\}|\([A-Za-z_]\w*\)|\$?[A-Za-z_]\w*|[0-9@*#?$!-])")
_COMMAND = regex(r"\$\([^()\r\n]{0,500}(?:\([^()\r\n]{0,500}\)[^()\r\n]{0,500}){0,5}\)|`[^`\r\n]{0,500}`")
_REDIRECTION = regex(r"\d?(?:<<-?|>>|>&|<&|[<>])[ \t]*&?[^\s;|&()<>]*")
_TEMPLATE = regex(r"\$?\{\{[^{}\r\n]{0,200}\}\}|<%[^<%\r\n]{0,200}%>")
_ARGUMENT = regex(r"\$[0-9@*#?$!-]")
_OPTION = regex(r"--?y?D(?=['\"])")
_MAX_LENGTH = 64 * 1024
_MAX_WORDS = 2_000


class ScriptWord:
    """A word of a shell command: its text with variables as written, its span, and whether its value is known."""

    def __init__(self, extract: Extract, span: Span, quote: str, *, is_known: bool) -> None:
        self.extract = extract
        self.text = extract.text
        self.span = span
        self.quote = quote
        """The quote around the whole word, or around all of it after ``-D``; otherwise empty."""
        self.is_known = is_known


def read_words(text: str, at: int) -> tuple[list[ScriptWord], int]:
    """Return the words from an offset to the end of the command, and the offset where the command ends.

    A quote that is not closed on its line ends the command: it belongs to the surrounding text (a string in a CI file).
    """
    words: list[ScriptWord] = []
    limit = min(len(text), at + _MAX_LENGTH)
    while at < limit:
        if len(words) == _MAX_WORDS:
            leave_out(f"the first {_MAX_WORDS:,} words of a command are read")
            break
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        if at >= limit or text[at] in "\r\n;|&()`" or (text[at] == "#" and gap):
            break
        if (redirection := _REDIRECTION.match(text, at)) is not None:
            at = max(redirection.end(), at + 1)
            continue
        word, end = _word(text, at)
        if word is None or end <= at:
            break
        words.append(word)
        at = end
    return words, at


def _word(text: str, start: int) -> tuple[ScriptWord | None, int]:
    pieces: list[Piece] = []
    at, known, ended = start, True, False
    while at < len(text) and not ended:
        char = text[at]
        if (template := _TEMPLATE.match(text, at)) is not None:
            pieces.append(Piece(template[0], Span(*template.span())))
            at = template.end()
        elif char == "'":
            single = _SINGLE.match(text, at)
            if single is None:
                break
            pieces.append(Piece(single[1], Span(*single.span(1))))
            at = single.end()
        elif char == '"':
            end, inner = _double(text, at)
            if end == at:
                break
            pieces += [piece for piece, _ in inner]
            known = known and all(known for _, known in inner)
            at = end
        elif char == "\\":
            if text[at + 1 : at + 2] in ("\r", "\n", ""):
                break
            pieces.append(Piece(text[at + 1], Span(at, at + 2)))
            at += 2
        elif (variable := _VARIABLE.match(text, at)) is not None:
            known = known and not _ARGUMENT.fullmatch(variable[0])
            pieces.append(Piece(variable[0], Span(*variable.span())))
            at = variable.end()
        elif (command := _COMMAND.match(text, at)) is not None:
            pieces.append(Piece(command[0], Span(*command.span())))
            known, at = False, command.end()
        elif (plain := _PLAIN.match(text, at)) is not None:
            pieces.append(Piece(plain[0], Span(*plain.span())))
            at = plain.end()
        elif char in "${":
            pieces.append(Piece(char, Span(at, at + 1)))
            at += 1
        else:
            ended = True
    if at == start:
        return None, start
    option = _OPTION.match(text, start, at)
    begin = option.end() if option else start
    first = text[begin]
    whole = first in "'\"" and text[at - 1] == first and text.find(first, begin + 1) == at - 1
    return ScriptWord(Extract(text, pieces), Span(start, at), first if whole else "", is_known=known), at


def _double(text: str, start: int) -> tuple[int, list[tuple[Piece, bool]]]:
    """Return where a double-quoted string ends and its contents, or where it starts if it is not closed on its line."""
    pieces: list[tuple[Piece, bool]] = []
    at = start + 1
    while at < len(text):
        char = text[at]
        if char == '"':
            return at + 1, pieces
        if char == "\\" and at + 1 < len(text):
            following = text[at + 1]
            if following in "\r\n":
                at += 3 if text[at + 1 : at + 3] == "\r\n" else 2
                continue
            made = following if following in '"\\$`' else char + following
            pieces.append((Piece(made, Span(at, at + 2)), True))
            at += 2
        elif (variable := _VARIABLE.match(text, at)) is not None:
            pieces.append((Piece(variable[0], Span(*variable.span())), not _ARGUMENT.fullmatch(variable[0])))
            at = variable.end()
        elif (command := _COMMAND.match(text, at)) is not None:
            pieces.append((Piece(command[0], Span(*command.span())), False))
            at = command.end()
        elif (run := _IN_DOUBLE.match(text, at)) is not None:
            pieces.append((Piece(run[0], Span(*run.span())), True))
            at = run.end()
        elif char in "\r\n":
            break
        else:
            pieces.append((Piece(char, Span(at, at + 1)), True))
            at += 1
    return start, []
