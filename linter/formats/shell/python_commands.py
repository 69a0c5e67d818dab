"""Commands in Python programs that start Flink: Airflow operators, and calls of `subprocess` and `os.system`.

A command is a text that a shell runs (`bash_command="flink run ..."`) or a list of words. Airflow's operator for
Kubernetes is given a manifest instead (`application_file`). What is not a literal is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module

from flink_flint.linter.flink.file_loading import encode
from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS
from flink_flint.linter.formats.inner_document import InnerEdits, inner_documents
from flink_flint.linter.formats.job_config.flink_sections import read_text
from flink_flint.linter.formats.syntax.python_syntax import PythonPlaces, parse_python
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_TEXTS = {
    "bash_command": ("shell.shell_script", "command.sh"),
    "command": ("shell.shell_script", "command.sh"),
    "application_file": ("kubernetes.manifests", "application.yaml"),
}
"""Arguments that are a text of another format: the module of the format, and a name for the text."""
_RUNNERS = ("system", "popen", "run", "call", "check_call", "check_output", "Popen", "getoutput")
"""Functions whose first argument is a command."""
_LITERAL = regex(r"""(?P<prefix>[rRuU]?)(?P<quote>\"\"\"|'''|\"|')(?P<body>(?:(?!(?P=quote))[^\\])*+)(?P=quote)""")
_BETWEEN = regex(r"(?:[\s()\\]|#[^\n]*)*+")
_WORD = regex(r"[\w./:,@%+=-]+")
_UNQUOTABLE = regex(r"['\r\n]")
_MENTIONS = regex(r"(?i)flink")
_MAX_COMMANDS = 100


class PythonCommands(InnerEdits):
    """Python programs that run Flink commands."""

    kind = "shell"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a program runs a Flink command, or applies a manifest with a Flink resource."""
        return _MENTIONS.search(head) is not None and bool(self.parse(name, head.encode("utf-8", "surrogateescape")))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the documents for the commands in a program, in file order."""
        text = read_text(data)
        if len(text) > MAX_CHARACTERS:
            return []
        documents: list[Document] = []
        for module, name, extract in _Calls(text).texts():
            if _MENTIONS.search(extract.text) is None:
                continue
            inner: FileFormat = import_module(f"flink_flint.linter.formats.{module}").FILE_FORMAT
            documents += inner_documents(path, text, self, extract, inner, name)
            if len(documents) >= _MAX_COMMANDS:
                break
        return sorted(documents, key=lambda document: document.head.start)

    def write(self, text: str, like: bytes) -> bytes:
        """Return the bytes of an edited text in the encoding of the original file (`like`)."""
        return encode(text, like)


class _Calls:
    """The calls of a program, and the texts in their arguments."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._span = PythonPlaces(text).span
        tree = parse_python(text)
        found = ast.walk(tree) if tree is not None else ()
        self._calls = [node for node in found if isinstance(node, ast.Call)]

    def texts(self) -> Iterator[tuple[str, str, Extract]]:
        """Yield the texts that are commands or manifests, each with the module of its format and a name."""
        for call in self._calls:
            for keyword in call.keywords:
                if keyword.arg in _TEXTS and (extract := self._extract(keyword.value)) is not None:
                    yield *_TEXTS[keyword.arg], extract
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if name in _RUNNERS and call.args and (extract := self._extract(call.args[0])) is not None:
                yield *_TEXTS["command"], extract

    def _extract(self, node: ast.expr) -> Extract | None:
        """Return the text of a literal, or the words of a list as a command line; None if it is neither."""
        if isinstance(node, (ast.List, ast.Tuple)):
            pieces: list[Piece] = []
            for item in node.elts:
                span = self._span(item)
                pieces += [*_quoted(self._pieces(item), span), Piece(" ", Span(span.end, span.end))]
            return Extract(self._text, pieces) if pieces else None
        found = self._pieces(node)
        return None if found is None else Extract(self._text, found)

    def _pieces(self, node: ast.expr) -> list[Piece] | None:
        """Return the pieces of a text, which may consist of several literals in a row; None if it has escapes."""
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return None
        span = self._span(node)
        pieces: list[Piece] = []
        at = span.start
        while at < span.end:
            literal = _LITERAL.match(self._text, at, span.end)
            if literal is None:
                return None
            pieces.append(Piece(literal["body"], Span(*literal.span("body"))))
            between = _BETWEEN.match(self._text, literal.end(), span.end)
            at = between.end() if between is not None else literal.end()
        text = "".join(piece.text for piece in pieces)
        return pieces if text.replace("\r\n", "\n") == node.value else None  # Python reads line ends as \n


def _quoted(word: list[Piece] | None, span: Span) -> list[Piece]:
    """Return the pieces of a word as a shell writes it; of a word that is not known, those of a variable."""
    text = "".join(piece.text for piece in word or ())
    if _WORD.fullmatch(text) is not None:
        return word or []
    if not text or _UNQUOTABLE.search(text) is not None:
        return [Piece("$VALUE", span)]
    return [Piece("'", Span(span.start, span.start)), *(word or ()), Piece("'", Span(span.end, span.end))]


FILE_FORMAT = PythonCommands()
