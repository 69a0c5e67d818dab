"""The positions of secrets in any text: values after the name of a secret, and anything that looks like a secret.

No parser is involved, because secrets are as often in a comment, in a line that Flink drops, or in one that no reader
understands. A name (`s3.secret-key`, `DB_PASSWORD`, `setPassword`) is found by its words. The text after it decides
whether there is a value: a separator, an opening parenthesis, a quote, or only blanks.

The work is linear in the length of the text: names are found in one pass and are at most `_LONGEST_NAME` long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from flink_flint.linter.flink.secrets import HIDDEN, hints_at_a_secret, looks, may_be_secret
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_LONGEST_NAME = 200
"""The maximum number of characters of a name on either side of a word that hints at a secret."""

_LETTERS = regex(r"[A-Za-z]{2,}")
_NAME_END = regex(rf"[\w.\-]{{0,{_LONGEST_NAME}}}")
_NEEDS_A_WORD_BEFORE = frozenset(("key", "keys", "Key", "KEY"))
_JOINS = ("-", "_", ".")
OF_A_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
"""The characters that may occur in configuration keys and other names."""

_NAMES = r"(?-i:secret(?:KeyRef|Ref|Name))[\"']?[ \t]*+:"
"""A Kubernetes field with the name of a Secret, which is not secret; Flink's own such keys are longer."""
_QUOTED = r"\\?\"(?:[^\"\\\r\n]|\\[^\r\n]){0,4000}+\"|\\?'(?:[^'\\\r\n]|\\[^\r\n]|''){0,4000}+'"
_LINE = r"[^\s][^\r\n]{0,4000}+[^\s,;]*+"
"""The rest of a line, up to a length that no line written by hand has."""
_BELOW = r"(?:(?:[|>][-+0-9]{0,2}[ \t]*+)?\r?\n[ \t]++(?:-[ \t]++)?)?+"
"""From the colon to a value on the next line: a block of text, a list item, an indented word."""

_ASSIGNED = regex(
    r"(?:\\?[\"'])?+[)\]]?[ \t]*+(?:\r?\n[ \t]*+)?(?:[:=]=?>?|->)[ \t]*+"
    rf"{_BELOW}(?!\{{?[ \t]*+[\"']?{_NAMES})"
    rf"(?P<value>(?:{_QUOTED})(?=[ \t]*+(?:[,;)\]}}\"'#\r\n]|$))|{_LINE})"
)
"""`key: value`, `key=value`, `"key" -> "value"`, and a value on the next line."""
_ENTRY = regex(
    r"[\"']?[ \t]*+,?[ \t]*+(?:\r?\n[ \t]*+)?[\"']?(?i:value)[\"']?[ \t]*+[:=][ \t]*+"
    rf"(?:(?:[|>][-+0-9]{{0,2}}[ \t]*+)?\r?\n[ \t]++)?+(?P<value>{_LINE})"
)
"""`name: KEY` followed by its `value: ...`, in containers and XML."""
_ELEMENT = regex(r"[\"']?[ \t]{0,9}>(?P<value>[^<\r\n]{1,4000}+)<")
"""`<password>value</password>`"""
_NEXT_ARGUMENT = regex(rf"(?:\\?[\"'])?+[ \t]*+(?:,|\bto\b)?[ \t]*+[fbru]?(?P<value>{_QUOTED})")
"""`"key", "value"`; `'key' 'value'`; `"key" to "value"`."""
_ARGUMENTS = regex(
    rf"[\"']?\([ \t\r\n]*+(?P<value>[fbru]?(?:{_QUOTED})(?:[ \t\r\n]*+,[ \t\r\n]*+(?:{_QUOTED})){{0,3}})"
)
"""`setPassword("value")`, `new BasicAWSCredentials("user", "value")`"""
_WORD_AFTER = regex(r"[\"']?[ \t]++(?P<value>[^\s\"',;]{2,4000})")
"""`--password value`"""
_REST_OF_LINE = regex(rf"[\"']?[ \t]++(?![:=])(?P<value>{_LINE})")
_TYPE_NAMES = (
    r"(?i:(?:var)?char(?:acter)?|string|text|bytes|(?:var)?binary|u?(?:big|small|tiny)?int(?:eger)?|boolean|double"
    r"|float|decimal|timestamp(?:_ltz)?|date|time|(?:not )?null)"
)
_TYPE = regex(_TYPE_NAMES)
_SIZED = rf"{_TYPE_NAMES}\([\d, ]{{1,9}}\)(?![^\s,;)])"
"""The type of a column with its length."""
_SIZED_TYPE = regex(_SIZED)
_OPAQUE_AFTER = regex(
    rf"[\"']?[ \t]++[\"']?(?!{_SIZED})"
    r"(?P<value>(?=[^\s,;\"'}\])\d]*\d)(?=\S*?[A-Za-z])[^\s,;\"'}\])]{6,4000})"
)
"""`key value` anywhere, if the value is a mix of letters and digits, which is not a word of a sentence."""
_IN_LITERAL = regex(r"[\w)\]>]\([ \t]*\"[^\"\\\r\n]*\Z")
"""The text before a name in a string literal that is the argument of a call: `print("csv `."""
_VARIABLES_AFTER = regex(
    r"\"(?:[ \t]*+\+[ \t]*+[A-Za-z_$][\w$]*+(?:\.[A-Za-z_$][\w$]*+|\(\))*+)++[ \t]*+\)[ \t)]*+;?[ \t]*+"
)
"""The end of such a literal and variables appended to it: no value in the text, `" + row)`."""
_OPTION = regex(r"--?D?")
_LINE_START = regex(r"(?:^|[\r\n\"'`|{,=:])[ \t]*(?:[-#>]+[ \t]*|//[ \t]*)?[\"']?\Z")
_PROSE = regex(r"[a-z]++[.,;:)]?(?:[ \t]|$)|(?:[A-Z]{3,}+|[a-z]++\d?)[ \t]*+(?:\([\d, ]*+\)[ \t]*+)?[,;(){}]")
"""Text after a word in a sentence of a comment or in a column of a table, which is not a value."""


def places(text: str, values: Iterable[tuple[str, Span, str]]) -> list[Span]:
    """Return the spans of secrets in `text`, neither sorted nor merged (see `secret_spans`).

    Spans may overlap: an assignment may cover another credential on its line.

    `values` are the keys of the text with the spans of their values and the values as read.
    """
    spans = looks(text)
    spans += [
        span for key, span, value in values if span.end > span.start and may_be_secret(key) and not is_class_name(value)
    ]
    spans += _named(text)
    return spans


def secret_spans(text: str, values: Iterable[tuple[str, Span, str]]) -> list[Span]:
    """Return the spans of secrets in `text`, sorted and merged."""
    return merged(places(text, values))


def name_without_secrets(name: str) -> str:
    """Return the name of a document, an object or a job with any secrets in it hidden."""
    parts = name.replace("/", " ")  # a namespace before a name
    spans = [*looks(name), *(places(parts, ()) if any(sign in name for sign in "=:\"'") else ())]
    for span in reversed(merged(spans)):
        name = name[: span.start] + HIDDEN + name[span.end :]
    return name


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, with those that overlap or touch merged."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def _named(text: str) -> Iterator[Span]:
    """Yield the spans of values after names of secrets."""
    hints = {word for word in set(_LETTERS.findall(text)) if hints_at_a_secret(word[-_LONGEST_NAME:])}
    if not hints:
        return
    done = 0
    # Word by word: an expression of all such words would take longer the more there are.
    for match in _LETTERS.finditer(text):
        word = match[0]
        start = match.end() - min(len(word), _LONGEST_NAME)
        if start < done or word not in hints:
            continue
        if word in _NEEDS_A_WORD_BEFORE and text[start - 1 : start] not in _JOINS:
            continue  # `key: value`
        before = text[max(done, start - _LONGEST_NAME) : start]
        start -= len(before) - len(before.rstrip(OF_A_NAME))
        found = _NAME_END.match(text, match.end())
        assert found is not None
        end = found.end()
        while end > match.end() and text[end - 1] in ".-":  # `token->`, `password.`
            end -= 1
        if (dashes := _OPTION.match(text, start, end)) is not None:
            start = dashes.end()
        name = text[start:end]
        if not may_be_secret(name) or re.fullmatch(r"secret(?:KeyRef|Ref|Name)", name):
            continue
        done = end
        if (value := _value_after(text, start, end, name)) is not None:
            yield value


def _value_after(text: str, start: int, end: int, name: str) -> Span | None:
    """Return the span of the value after a name; None if there is none."""
    before = text[max(0, start - 80) : start]
    if before.endswith(("-", "-D")) and (found := _WORD_AFTER.match(text, end)):
        return Span(*found.span("value"))
    for match in (_ENTRY.match, _ARGUMENTS.match, _ASSIGNED.match, _ELEMENT.match, _NEXT_ARGUMENT.match):
        if (found := match(text, end)) is not None:
            if _VARIABLES_AFTER.fullmatch(found["value"]) is not None and _IN_LITERAL.search(before) is not None:
                return None
            return Span(*found.span("value"))
    if _LINE_START.search(before) and (found := _REST_OF_LINE.match(text, end)) is not None:
        rest = found["value"].rstrip()
        is_type = _TYPE.fullmatch(rest.rstrip(",;) ")) or _SIZED_TYPE.match(rest)
        if "." in name.strip(".-") or not (is_type or (_PROSE.match(rest) and " " in rest)):
            return Span(*found.span("value"))
    found = _OPAQUE_AFTER.match(text, end)
    return None if found is None else Span(*found.span("value"))


# -- what to search for in other texts

MIN_DISTINCTIVE = 8
"""The minimum length of secret text that is hidden even within other words; shorter text may match by chance."""
WELL_KNOWN = frozenset((
    "admin", "airflow", "default", "demo", "example", "flink", "grafana", "guest", "hadoop", "hive", "kafka", "minio",
    "mysql", "nessie", "oracle", "postgres", "public", "redis", "root", "spark", "test", "user",
))  # fmt: skip
"""Words that are no secret although they serve as passwords: in names and paths they are something else.

They are hidden where they stand for themselves, so that no text says which of them is a password.
"""
_NO_SECRET = regex(r"(?i:true|false|null)|\$\$?\{?[A-Z_][A-Z0-9_]*\}?")
_HARMLESS = regex(
    r"(?i)(?:[\w.-]{1,200}:[ \t]+)?(?:true|false|null|none)|\d{1,4}|.{0,2}|\*+|[\W_]+"
    r"|pass(?:word|wd|phrase)?|pwd|secrets?|tokens?|credentials?"
    r"|\$\{[\w.:-]*\}|\{\{.*\}\}|\$\w+|\$\([\w.-]*\)"
)
"""A switch, also one in a block of its own (`enabled: false`), a reference, or a word that names secrets itself."""
_IS_A_NAME = regex(r"[\"']?[ \t]*+(?:[:=]|->)")
"""The text after the name of a value, which ends its quotes first."""
_CLASS = regex(r"(?:org|com|io|net|java|javax|scala|software|de|ch|eu)(?:\.[a-z_]\w*)+\.[A-Za-z_$][\w$]*")
_PLAIN_WORD = regex(r"[A-Za-z]+[;:,)]*")
_CODE = regex(r"[A-Za-z_]\w*(?:\.\w+)*\(|(?:[A-Z][a-z]+){2,}(?:\.\w+)*")
"""A call or the name of a class instead of a value: the value is computed by a program."""
_DELIMITERS = "\\\"' \t;"


def is_class_name(text: str) -> bool:
    """Return whether `text` is the fully qualified name of a class or package, which is never secret."""
    return _CLASS.fullmatch(text) is not None


def words_of(value: str) -> Iterator[str]:
    """Yield the strings to search for when hiding a value: the value unquoted, and its significant parts."""
    whole = value.strip(_DELIMITERS)
    if not _HARMLESS.fullmatch(whole):
        yield whole
    member = re.match(r"[\s\"'\[({]*([^\s\"',;{}()\[\]]*)", value)  # of a list or mapping that continues after it
    parts = [match[0] for match in re.finditer(_QUOTED, value)]
    if member is not None and not _CODE.match(value) and not _is_name(member[1], value, member.end()):
        parts.append(member[1])
    before, _, after = value.partition("#")
    first = value.split(maxsplit=1)[0] if value.strip() else ""
    parts += [part for part in (before, after, first) if not _PLAIN_WORD.fullmatch(part.strip(_DELIMITERS))]
    for part in parts:
        bare = part.strip(_DELIMITERS)
        if len(bare) >= MIN_DISTINCTIVE and not (bare == whole or _HARMLESS.fullmatch(bare) or is_class_name(bare)):
            yield bare


def _is_name(word: str, text: str, end: int) -> bool:
    """Return whether a word that ends at `end` is a name whose value follows: `'password' = 'x'`, `enabled: false`."""
    if word.endswith(":"):
        return _PLAIN_WORD.fullmatch(word) is not None
    return _IS_A_NAME.match(text, end) is not None and may_be_secret(word)


def cannot_be_secret(value: str) -> bool:
    """Return whether a value cannot be secret because it is a boolean, null, or a reference to a variable."""
    return _NO_SECRET.fullmatch(value) is not None


def is_harmless(value: str) -> bool:
    """Return whether a value is too common to be searched for and hidden in other texts."""
    return _HARMLESS.fullmatch(value) is not None
