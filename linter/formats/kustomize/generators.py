"""ConfigMaps and Secrets that are generated from literals and files, and the hashes in their names."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator

from flink_flint.linter.formats.kustomize.fields import flag, string, string_map, strings, submapping
from flink_flint.linter.formats.kustomize.object_tree import Mapping, Node, Scalar, made_scalar
from flink_flint.linter.formats.kustomize.problems import NotKnown, Refused
from flink_flint.linter.formats.kustomize.resources import Resource, ResourceList
from flink_flint.linter.formats.kustomize.scalar_types import BOOLEAN, NULL, STRING, as_written
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, Origin
from flink_flint.linter.text.spans import Span

GENERATOR_FIELDS = ("name", "namespace", "behavior", "literals", "files", "envs", "env", "options", "type")
OPTION_FIELDS = ("labels", "annotations", "disableNameSuffixHash", "immutable")

Read = Callable[[Scalar], tuple[str, bytes]]
"""A function that returns the path and contents of the repository's file that a scalar names."""

_KEY = regex(r"[-._a-zA-Z0-9]{1,253}")
_VARIABLE = regex(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
_BASE64_LINE = 70
_LONGEST_LINE = 64 * 1024
_HASH_LETTERS = str.maketrans({"0": "g", "1": "h", "3": "k", "a": "m", "e": "t"})
_JSON_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


class _Pair(NamedTuple):
    key: Scalar
    value: Scalar
    data: bytes | None = None
    """The value if it is not UTF-8."""


def generated(kind: str, args: Mapping, global_options: Mapping | None, read: Read) -> Resource:
    """Return a generated ConfigMap or Secret; raise `Refused` if kustomize refuses the generator's arguments."""
    name = string(args, "name")
    if name is None:
        raise Refused("a generator has no name", args.origin)
    origin = name.origin
    root = Mapping(args.origin)
    root.set("apiVersion", made_scalar("v1", origin))
    root.set("kind", made_scalar(kind, origin))
    metadata = root.made("metadata", origin)
    metadata.set("name", name)
    if namespace := string(args, "namespace"):
        metadata.set("namespace", namespace)
    if kind == "Secret":
        root.set("type", string(args, "type") or made_scalar("Opaque", origin))
        root.set("data", Mapping(origin))
    _add_data(root, kind, _pairs(args, read), origin)
    options = submapping(args, "options", OPTION_FIELDS)
    for field in ("labels", "annotations"):
        texts = string_map(options, field) if options is not None else {}
        for key, pair in string_map(global_options, field).items():
            texts.setdefault(key, pair)
        for key in sorted(texts):
            metadata.made(field, origin).set(key, texts[key][1].with_kind(STRING), texts[key][0])
    if flag(options, "immutable") or flag(global_options, "immutable"):
        root.set("immutable", made_scalar("true", origin, BOOLEAN))
    made = Resource(root)
    made.gives_hash = not (flag(options, "disableNameSuffixHash") or flag(global_options, "disableNameSuffixHash"))
    behavior = string(args, "behavior")
    made.behavior = behavior.text if behavior is not None else ""
    return made


def _add_data(root: Mapping, kind: str, pairs: Iterator[_Pair], origin: Origin) -> None:
    seen: dict[str, _Pair] = {}
    for pair in pairs:
        if not _KEY.fullmatch(pair.key.text):
            raise Refused("the key of a generator is not valid", pair.key.origin)
        if pair.key.text in seen:
            raise Refused(f"the key {pair.key.text} is repeated", pair.key.origin)
        seen[pair.key.text] = pair
    for key in sorted(seen):
        pair = seen[key]
        data = pair.data if pair.data is not None else pair.value.text.encode() if kind == "Secret" else None
        field = "binaryData" if pair.data is not None and kind == "ConfigMap" else "data"
        value = pair.value if data is None else made_scalar(_base64(data), pair.value.origin)
        root.made(field, origin).set(key, value, pair.key)


def _base64(data: bytes) -> str:
    text = base64.b64encode(data).decode()
    if len(text) < _BASE64_LINE:
        return text
    return "".join(text[start : start + _BASE64_LINE] + "\n" for start in range(0, len(text), _BASE64_LINE))


# -- sources


def _pairs(args: Mapping, read: Read) -> Iterator[_Pair]:
    single = string(args, "env")
    for source in (*strings(args, "envs"), *((single,) if single is not None else ())):
        yield from _of_environment(source, read)
    for literal in strings(args, "literals"):
        yield _of_literal(literal)
    for source in strings(args, "files"):
        yield _of_file(source, read)


def _of_literal(literal: Scalar) -> _Pair:
    key, equals, value = literal.text.partition("=")
    if not key or not equals:
        raise Refused("a literal must be key=value", literal.origin)
    start = len(key) + 1
    end = len(literal.text)
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        start, end = start + 1, end - 1
    return _Pair(literal.part(0, len(key)), literal.part(start, end))


def _of_file(source: Scalar, read: Read) -> _Pair:
    name, equals, path = source.text.rpartition("=")
    if "=" in name or (equals and not (name and path)):
        raise Refused("a file must be path or key=path", source.origin)
    named = source.part(len(name) + 1, len(source.text)) if equals else source
    key = source.part(0, len(name)) if equals else made_scalar(path.rstrip("/").rpartition("/")[2], source.origin)
    where, data = read(named)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _Pair(key, made_scalar("", source.origin), data)
    # The byte order mark is a character of the value, but not of the text that places refer to.
    mark = 1 if text.startswith("\ufeff") else 0
    whole = Origin(where, Span(0, len(text) - mark))
    pieces = (Fragment(text[:mark], Origin(where, Span(0, 0))), Fragment(text[mark:], whole))
    return _Pair(key, Scalar(text, STRING, whole, lambda: pieces))


def _of_environment(source: Scalar, read: Read) -> Iterator[_Pair]:
    where, data = read(source)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Refused("an environment file is not UTF-8", source.origin) from error
    mark = 1 if text.startswith("\ufeff") else 0
    text = text[mark:]
    at = 0
    for raw in text.split("\n"):
        if len(raw) >= _LONGEST_LINE:
            raise NotKnown("a line of an environment file is too long", source.origin)
        line = raw.removesuffix("\r").lstrip()
        start = at + len(raw) - len(raw.lstrip())
        at += len(raw) + 1
        if not line or line.startswith("#"):
            continue
        key, _, value = line.partition("=")
        if not _VARIABLE.fullmatch(key):
            raise Refused("the name of a variable is not valid", Origin(where, Span(start, start + len(key))))
        end = start + len(line)
        yield _Pair(
            made_scalar(key, Origin(where, Span(start, start + len(key)))),
            made_scalar(value, Origin(where, Span(end - len(value), end))),
        )


# -- behavior


def absorb(resources: ResourceList, made: Resource) -> None:
    """Add a generated object to `resources`, or merge or replace the existing object, depending on its `behavior`."""
    matches = resources.with_any_id(made.id())
    if not matches:
        if made.behavior in ("merge", "replace"):
            raise Refused(f"there is no {made.kind} {made.name} to {made.behavior}", made.origin)
        resources.append(made)
        return
    if len(matches) > 1:
        raise Refused(f"there are several {made.kind} {made.name}", made.origin)
    if made.behavior not in ("merge", "replace"):
        raise Refused(f"{made.kind} {made.name} exists already", made.origin)
    old = matches[0]
    if made.behavior == "merge":
        for field in ("data", "binaryData"):
            _merge_data(made.root, old.root, field)
    _take_metadata(made, old)
    resources.replace(old, made)


def _take_metadata(made: Resource, old: Resource) -> None:
    metadata = made.root.made("metadata", made.origin)
    for field in ("labels", "annotations"):
        ours = old.root.mapping("metadata", field)
        theirs = metadata.mapping(field)
        for key, value in ours.values.items() if ours is not None else ():
            if ours is not None and isinstance(value, Scalar) and (theirs is None or key not in theirs.values):
                metadata.made(field, value.origin).set(key, value.with_kind(STRING), ours.keys[key])
    name, namespace = old.root.get("metadata", "name"), old.root.get("metadata", "namespace")
    assert isinstance(name, Scalar)
    made.set_metadata("name", name)
    made.set_metadata("namespace", namespace if isinstance(namespace, Scalar) else None)
    made.previous, made.prefixes, made.suffixes = old.previous, old.prefixes, old.suffixes
    made.problems += old.problems
    made.gives_hash = made.gives_hash and old.gives_hash
    made.behavior = old.behavior


def _merge_data(made: Mapping, old: Mapping, field: str) -> None:
    both: dict[str, tuple[Scalar, Node]] = {}
    for source in (old.mapping(field), made.mapping(field)):
        for key, value in source.values.items() if source is not None else ():
            if source is not None and isinstance(value, Scalar):
                text = value.with_kind(STRING) if value.kind != NULL else made_scalar("", value.origin)
                both[key] = (source.keys[key], text)
    made.remove(field)
    for key in sorted(both):
        made.made(field, both[key][1].origin).set(key, both[key][1], both[key][0])


# -- hash


def name_hash(resource: Resource) -> str:
    """Return the hash that kustomize appends to the name of a ConfigMap or Secret; raise `NotKnown` for other kinds."""
    root = resource.root
    if resource.kind == "ConfigMap":
        contents: dict[str, object] = {"kind": "ConfigMap", "name": "", "data": _plain(root.get("data"))}
        binary = root.get("binaryData")
        if isinstance(binary, Mapping):
            contents["binaryData"] = _plain(binary)
    elif resource.kind == "Secret":
        contents = {"kind": "Secret", "type": root.text("type"), "name": "", "data": _plain(root.get("data"))}
        texts = root.get("stringData")
        if isinstance(texts, Mapping):
            contents["stringData"] = _plain(texts)
    else:
        raise NotKnown("the hash of the name", resource.origin)
    text = json.dumps(contents, ensure_ascii=False, sort_keys=True, separators=(",", ":")).translate(_JSON_ESCAPES)
    import hashlib  # loads OpenSSL, which most runs do not need

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10].translate(_HASH_LETTERS)


def _plain(node: Node | None) -> object:
    if node is None:
        return ""
    if isinstance(node, Mapping):
        return {key: _plain(value) for key, value in node.values.items()}
    if not isinstance(node, Scalar):
        return [_plain(item) for item in node.items]
    if node.kind in (STRING, NULL):
        return node.text if node.kind == STRING else None
    return json.loads(as_written(node.text, node.kind))
