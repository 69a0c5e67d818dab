"""Template functions for strings: trimming, quoting, indentation, replacement, splitting, printing."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.helm.rendering.functions.function_table import function
from flink_flint.linter.formats.helm.rendering.functions.number_functions import to_int
from flink_flint.linter.formats.helm.rendering.go_printing import formatted, printed, quoted, shown
from flink_flint.linter.formats.helm.rendering.go_values import List, Map, int_argument, text_argument, type_name
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotEvaluated, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import joined, mapped, replaced, sliced
from flink_flint.linter.text.lazy_regex import regex

_WORDS = regex(r"[a-z]*(?:[-_ ][a-z]+)*")
_SEPARATORS = regex(r"[-_ ]")
_SPACE = " \t\n\v\f\r\x85\xa0"


def _stripped(text: str, characters: str, *, left: bool = True, right: bool = True) -> str:
    start, end = 0, len(text)
    while left and start < end and text[start] in characters:
        start += 1
    while right and end > start and text[end - 1] in characters:
        end -= 1
    return sliced(text, start, end)


@function("trim", passes_unknown=True, least=1, most=1)
def trim(budget: Budget, text: object) -> object:
    """Return `text` without leading and trailing white space."""
    return _stripped(text_argument(text), _SPACE)


@function("trimAll", "trimall", passes_unknown=True, least=2, most=2)
def trim_all(budget: Budget, characters: object, text: object) -> object:
    """Return `text` without the leading and trailing characters that are in `characters`."""
    return _stripped(text_argument(text), text_argument(characters))


@function("trimPrefix", passes_unknown=True, least=2, most=2)
def trim_prefix(budget: Budget, prefix: object, text: object) -> object:
    """Return `text` without `prefix`, if it starts with it."""
    start, whole = text_argument(prefix), text_argument(text)
    return sliced(whole, len(start), len(whole)) if start and whole.startswith(start) else whole


@function("trimSuffix", passes_unknown=True, least=2, most=2)
def trim_suffix(budget: Budget, suffix: object, text: object) -> object:
    """Return `text` without `suffix`, if it ends with it."""
    end, whole = text_argument(suffix), text_argument(text)
    return sliced(whole, 0, len(whole) - len(end)) if end and whole.endswith(end) else whole


@function("upper", least=1, most=1)
def upper(budget: Budget, text: object) -> object:
    """Return `text` in uppercase."""
    return mapped(text_argument(text), str.upper)


@function("lower", least=1, most=1)
def lower(budget: Budget, text: object) -> object:
    """Return `text` in lowercase."""
    return mapped(text_argument(text), str.lower)


@function("title", least=1, most=1)
def title(budget: Budget, text: object) -> object:
    """Return `text` with the first letter of each word in uppercase."""
    whole = text_argument(text)
    edits = []
    for at, character in enumerate(whole):
        before = whole[at - 1] if at else " "
        if not (before.isalnum() or before == "_") and character.isalpha():
            edits.append((at, at + 1, mapped(sliced(whole, at, at + 1), str.upper)))
    return replaced(whole, edits)


@function("untitle", least=1, most=1)
def untitle(budget: Budget, text: object) -> object:
    """Return `text` with the first letter of each word in lowercase."""
    whole = text_argument(text)
    edits = []
    for at in range(len(whole)):
        if (at == 0 or whole[at - 1].isspace()) and whole[at].isalpha():
            edits.append((at, at + 1, mapped(sliced(whole, at, at + 1), str.lower)))
    return replaced(whole, edits)


@function("swapcase", least=1, most=1)
def swap_case(budget: Budget, text: object) -> object:
    """Return `text` with uppercase and lowercase letters swapped."""
    return mapped(text_argument(text), str.swapcase)


@function("nospace", least=1, most=1)
def no_space(budget: Budget, text: object) -> object:
    """Return `text` without any white space."""
    return mapped(text_argument(text), lambda part: "".join(part.split()))


@function("quote", passes_unknown=True)
def quote(budget: Budget, *values: object) -> object:
    """Return the values that are not nil, each escaped and in double quotes, joined by spaces."""
    kept = [quoted(shown(value, budget)) for value in values if value is not None]
    return joined(_between(kept, " "))


@function("squote", passes_unknown=True)
def squote(budget: Budget, *values: object) -> object:
    """Return the values that are not nil, each in single quotes, joined by spaces."""
    kept = [joined(["'", shown(value, budget), "'"]) for value in values if value is not None]
    return joined(_between(kept, " "))


def _between(texts: list[str], separator: str) -> Iterator[str]:
    for number, text in enumerate(texts):
        if number:
            yield separator
        yield text


@function("cat", passes_unknown=True)
def cat(budget: Budget, *values: object) -> object:
    """Return the values that are not nil, joined by spaces."""
    return joined(_between([shown(value, budget) for value in values if value is not None], " "))


def _indented(budget: Budget, spaces: object, text: object) -> str:
    width, whole = int_argument(spaces), text_argument(text)
    if width < 0:
        raise NotRendered("negative indentation")
    lines = whole.count("\n") + 1
    budget.text(len(whole) + width * lines)
    pad = " " * width
    edits = [(0, 0, pad)]
    at = whole.find("\n")
    while at >= 0:
        edits.append((at + 1, at + 1, pad))
        at = whole.find("\n", at + 1)
    return replaced(whole, edits)


@function("indent", passes_unknown=True, least=2, most=2)
def indent(budget: Budget, spaces: object, text: object) -> object:
    """Return `text` with each line indented by `spaces`."""
    return _indented(budget, spaces, text)


@function("nindent", passes_unknown=True, least=2, most=2)
def nindent(budget: Budget, spaces: object, text: object) -> object:
    """Return a line break followed by `text` with each line indented by `spaces`."""
    return joined(["\n", _indented(budget, spaces, text)])


@function("replace", passes_unknown=True, least=3, most=3)
def replace(budget: Budget, old: object, new: object, text: object) -> object:
    """Return `text` with all occurrences of `old` replaced by `new`."""
    search, insert, whole = text_argument(old), text_argument(new), text_argument(text)
    budget.text(len(whole) + len(insert) * (whole.count(search) if search else len(whole) + 1))
    edits = []
    if not search:
        edits = [(at, at, insert) for at in range(len(whole) + 1)]
    at = whole.find(search) if search else -1
    while at >= 0:
        edits.append((at, at + len(search), insert))
        at = whole.find(search, at + len(search))
    budget.spend(len(edits))
    return replaced(whole, edits)


@function("repeat", least=2, most=2)
def repeat(budget: Budget, number: object, text: object) -> object:
    """Return `text` repeated `number` times."""
    count, whole = int_argument(number), text_argument(text)
    if count < 0:
        raise NotRendered("negative repeat count")
    budget.text(count * len(whole))
    budget.items(count)
    return joined([whole] * count)


@function("trunc", least=2, most=2)
def trunc(budget: Budget, length: object, text: object) -> object:
    """Return the first `length` characters of `text`, or the last ones if `length` is negative."""
    count, whole = int_argument(length), text_argument(text)
    size = len(whole) if whole.isascii() else len(whole.encode())
    if size != len(whole) and abs(count) < size:
        raise NotEvaluated("trunc of a text that is not ASCII is not evaluated")
    if count < 0 and size + count > 0:
        return sliced(whole, size + count, size)
    return sliced(whole, 0, count) if 0 <= count < size else whole


@function("substr", least=3, most=3)
def substr(budget: Budget, start: object, end: object, text: object) -> object:
    """Return the characters of `text` from `start` to `end` (excluded)."""
    first, last, whole = int_argument(start), int_argument(end), text_argument(text)
    if not whole.isascii():
        raise NotEvaluated("substr of a text that is not ASCII is not evaluated")
    if first < 0:
        return sliced(whole, 0, last)
    return sliced(whole, first, len(whole) if last < 0 or last > len(whole) else last)


@function("abbrev", least=2, most=2)
def abbrev(budget: Budget, width: object, text: object) -> object:
    """Return `text` truncated to `width` characters, including an ellipsis."""
    count, whole = int_argument(width), text_argument(text)
    return whole if count < 4 or len(whole) <= count else joined([sliced(whole, 0, count - 3), "..."])


@function("contains", least=2, most=2)
def contains(budget: Budget, part: object, text: object) -> object:
    """Return whether `text` contains `part`."""
    return text_argument(part) in text_argument(text)


@function("hasPrefix", least=2, most=2)
def has_prefix(budget: Budget, prefix: object, text: object) -> object:
    """Return whether `text` starts with `prefix`."""
    return text_argument(text).startswith(text_argument(prefix))


@function("hasSuffix", least=2, most=2)
def has_suffix(budget: Budget, suffix: object, text: object) -> object:
    """Return whether `text` ends with `suffix`."""
    return text_argument(text).endswith(text_argument(suffix))


def _split(text: str, separator: str, budget: Budget, most: int = 0) -> list[str]:
    if not separator:
        budget.items(len(text))
        return [sliced(text, at, at + 1) for at in range(len(text))]
    budget.items(text.count(separator) + 1)
    parts: list[str] = []
    start = 0
    at = text.find(separator)
    while at >= 0 and (not most or len(parts) < most - 1):
        parts.append(sliced(text, start, at))
        start = at + len(separator)
        at = text.find(separator, start)
    return [*parts, sliced(text, start, len(text))]


@function("splitList", least=2, most=2)
def split_list(budget: Budget, separator: object, text: object) -> object:
    """Split `text` at each `separator`; return the parts as a list."""
    return List(_split(text_argument(text), text_argument(separator), budget))


@function("split", least=2, most=2)
def split(budget: Budget, separator: object, text: object) -> object:
    """Split `text` at each `separator`; return the parts as a map with the keys ``_0``, ``_1``, and so on."""
    parts = _split(text_argument(text), text_argument(separator), budget)
    return Map((f"_{number}", part) for number, part in enumerate(parts))


@function("splitn", least=3, most=3)
def splitn(budget: Budget, separator: object, number: object, text: object) -> object:
    """Split `text` into at most `number` parts; return them as a map with the keys ``_0``, ``_1``, and so on."""
    most = int_argument(number)
    parts = _split(text_argument(text), text_argument(separator), budget, most) if most else []
    return Map((f"_{place}", part) for place, part in enumerate(parts))


@function("join", passes_unknown=True, least=2, most=2)
def join(budget: Budget, separator: object, values: object) -> object:
    """Return the members of a list, converted to strings and joined by `separator`."""
    between = text_argument(separator)
    if values is None:
        return ""
    members = values if isinstance(values, list) else [values]
    shown_members = [shown(value, budget) for value in members if value is not None]
    budget.text(sum(map(len, shown_members)) + len(between) * len(shown_members))
    return joined(_between(shown_members, between))


@function("toString", passes_unknown=True, least=1, most=1)
def to_string(budget: Budget, value: object) -> object:
    """Convert a value to a string."""
    return shown(value, budget)


@function("toStrings", passes_unknown=True, least=1, most=1)
def to_strings(budget: Budget, values: object) -> object:
    """Convert the members of a list that are not nil to strings."""
    members = values if isinstance(values, list) else [values]
    return List(shown(value, budget) for value in members if value is not None)


@function("printf", passes_unknown=True, least=1)
def printf(budget: Budget, template: object, *values: object) -> object:
    """Return values formatted as Go's Sprintf formats them with `template`."""
    return formatted(text_argument(template), values, budget)


@function("print", passes_unknown=True)
def print_values(budget: Budget, *values: object) -> object:
    """Return values as Go's Sprint formats them."""
    return printed(values, budget)


@function("println", passes_unknown=True)
def print_line(budget: Budget, *values: object) -> object:
    """Return values joined by spaces and followed by a line break."""
    return joined([*_between([shown(value, budget) for value in values], " "), "\n"])


def _words(name: str, text: object) -> list[str]:
    """Return the words of a text in lower case; what the library does with other texts is not reproduced here."""
    whole = text_argument(text)
    if not _WORDS.fullmatch(whole):
        raise NotEvaluated(f"{name} of a text with capitals, digits or signs is not evaluated")
    return _SEPARATORS.split(whole)


@function("snakecase", least=1, most=1)
def snake_case(budget: Budget, text: object) -> object:
    """Convert lowercase words to snake case."""
    return "_".join(_words("snakecase", text))


@function("kebabcase", least=1, most=1)
def kebab_case(budget: Budget, text: object) -> object:
    """Convert lowercase words to kebab case, with hyphens between the words."""
    return "-".join(_words("kebabcase", text))


@function("camelcase", least=1, most=1)
def camel_case(budget: Budget, text: object) -> object:
    """Convert lowercase words to camel case, with each word capitalized."""
    return "".join(word[:1].upper() + word[1:] for word in _words("camelcase", text))


@function("initials", "wrap", "wrapWith", "abbrevboth", "html", "js", "urlquery", "urlParse", "urlJoin", "toToml")
def not_evaluated(budget: Budget, *values: object) -> object:
    """Raise `NotEvaluated`, for functions that flint does not evaluate."""
    raise NotEvaluated("the function is not evaluated by flint")


@function("plural", least=3, most=3)
def plural(budget: Budget, one: object, many: object, number: object) -> object:
    """Return `one` if `number` is one, otherwise `many`."""
    return text_argument(one) if to_int(number) == 1 else text_argument(many)


@function("base", "osBase", least=1, most=1)
def base(budget: Budget, path: object) -> object:
    """Return the last component of a path."""
    text = text_argument(path)
    if not text:
        return "."
    stripped = _stripped(text, "/", left=False)
    return sliced(stripped, stripped.rfind("/") + 1, len(stripped)) if stripped else "/"


@function("ext", "osExt", least=1, most=1)
def ext(budget: Budget, path: object) -> object:
    """Return the file name extension of a path, including the dot."""
    text = text_argument(path)
    at = text.rfind(".")
    return sliced(text, at, len(text)) if at > text.rfind("/") else ""


@function("dir", "osDir", least=1, most=1)
def directory(budget: Budget, path: object) -> object:
    """Return a path without its last component."""
    import posixpath

    text = str(text_argument(path))
    return posixpath.normpath(text[: text.rfind("/") + 1]) if "/" in text else "."


@function("clean", "osClean", least=1, most=1)
def clean(budget: Budget, path: object) -> object:
    """Return the shortest path that is equivalent to a path."""
    import posixpath

    return posixpath.normpath(str(text_argument(path)) or ".")


@function("typeOf", least=1, most=1)
def type_of(budget: Budget, value: object) -> object:
    """Return the name of a value's type."""
    return type_name(value)
