"""Reads and edits the Flink settings of AWS resources: EMR classifications and Managed Service for Apache Flink.

The files that contain the resources are JSON, YAML, or HCL.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.deployment.aws import MANAGED_INTERVAL, MANAGED_PAUSE, emr_release, managed_release
from flink_flint.linter.flink.file_loading import decode, encode
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.editing.insertion import line_end_at, promises, removed_lines, shared_words
from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, SCALAR, UNKNOWN, Node
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.model.limits import SETTINGS
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Span

_CLASSIFICATION = ("Classification", "classification")
_PROPERTIES = ("Properties", "properties", "ConfigurationProperties", "configuration_properties")
_NESTED = ("Configurations", "configurations")
_LABEL = ("ReleaseLabel", "releaseLabel", "release_label")
_LOGGING = {
    "flink-log4j": "log4j.properties", "flink-log4j-cli": "log4j-cli.properties",
    "flink-log4j-session": "log4j-session.properties", "flink-log4j-yarn-session": "log4j-yarn-session.properties",
}  # fmt: skip
_MAX_ENTRIES = SETTINGS + 1


# -- EMR


class Configurations(NamedTuple):
    """The EMR classifications and the release label of one cluster."""

    classifications: Sequence[Node]
    label: Node | None


def configurations_in(root: Node) -> Iterator[Configurations]:
    """Yield the lists of EMR classifications that configure Flink, each with the nearest release label above it."""
    stack: list[tuple[Node, Node | None]] = [(root, None)]
    while stack:
        node, label = stack.pop()
        if node.kind == MAPPING:
            found = node.entry(*_LABEL)
            label = found[1] if found is not None else label
            if node.entry(*_CLASSIFICATION) is not None:
                if _is_of_flink([node]):
                    yield Configurations([node], label)
                continue
            stack += reversed([(child, label) for _, _, child in node.pairs])
        elif node.kind == LIST:
            classified = [item for item in node.items if item.entry(*_CLASSIFICATION) is not None]
            if classified:
                if _is_of_flink(classified):
                    yield Configurations(classified, label)
                continue
            stack += reversed([(child, label) for child in node.items])


def _is_of_flink(classifications: Sequence[Node]) -> bool:
    return any(name.startswith("flink") for name, _ in _all_classifications(classifications))


def _all_classifications(nodes: Sequence[Node]) -> Iterator[tuple[str, Node]]:
    """Yield each classification with its name, before the classifications nested in it."""
    stack = [*reversed(nodes)]
    while stack:
        node = stack.pop()
        found = node.entry(*_CLASSIFICATION)
        if found is not None and found[1].text is not None:
            yield found[1].text, node
        inner = node.entry(*_NESTED)
        if inner is not None:
            stack += reversed(inner[1].items)


def emr_document(
    path: str,
    text: str,
    file_format: FileFormat,
    found: Configurations,
    *,
    name: str,
    head: Span,
    coerces: bool = False,
) -> Document:
    """Return the document for the EMR configurations of one cluster.

    With `coerces`, values in Properties that are not strings are converted (as CloudFormation does), not refused.
    """
    content = ConfigurationFile()
    attributes: dict[str, Attribute] = {}
    loggers: list[Element] = []
    label = found.label.text if found.label is not None else None
    if found.label is not None:
        attributes["release"] = Attribute(label, found.label.span, None, found.label.raw)
    whole = True
    for number, (classification, node) in enumerate(_all_classifications(found.classifications)):
        named = node.entry(*_CLASSIFICATION)
        assert named is not None
        where = f"configurations[{number}]"
        attributes[f"{where}.classification"] = Attribute(classification, named[1].span, named[0], named[1].raw)
        properties = node.entry(*_PROPERTIES)
        if properties is None:
            continue
        for key, key_span, value in properties[1].pairs:
            if (wrong := _what_is_wrong(value, coerces=coerces)) is not None:
                attributes[f"{where}.malformed.{key}"] = Attribute(wrong, value.span, key_span, value.raw)
            if classification not in ("flink-conf", *_LOGGING):
                attributes[f"{classification}.{key}"] = Attribute(value.text, value.span, key_span, value.raw)
        if classification == "flink-conf":
            content.entries += list(_entries(properties[1]))
            whole = whole and properties[1].kind == MAPPING and not properties[1].is_open
        elif classification in _LOGGING:
            loggers += _logging(text, properties[1], _LOGGING[classification])
    content.mark_overridden()
    cluster = Element("emr-cluster", label or "", head, attributes)
    release = emr_release(label) if label else None
    return Document(
        path, text, file_format, content, syntax="map", kind="emr", name=name, span=head, platform="emr", whole=whole,
        elements=[cluster, *loggers], release=(release, f"release label {label}") if release else None,
        release_span=found.label.span if release and found.label is not None else None,
    )  # fmt: skip


def _what_is_wrong(value: Node, *, coerces: bool) -> str | None:
    """Return the type of a property that EMR refuses because it is not a string, or None if EMR accepts it."""
    if value.kind == MAPPING:
        return "mapping"
    if value.kind == LIST:
        return "list"
    if value.kind == SCALAR and value.is_literal and "${" not in value.raw and not coerces:
        if isinstance(value.value, bool):
            return "boolean"
        if isinstance(value.value, (int, float)):
            return "number"
    return None


def _entries(properties: Node) -> Iterator[Entry]:
    for key, key_span, value in properties.pairs[:_MAX_ENTRIES]:
        if value.kind in (MAPPING, LIST):
            continue
        known = value.text if value.kind == SCALAR else value.placeholder()
        if known is not None and "%{" in known:  # EMR itself resolves ``%{hiera('hadoop::zk')}``
            known, value = "${" + known + "}", Node(UNKNOWN, value.span, value.raw)
        style = "double" if value.is_literal and value.kind == SCALAR and "${" not in value.raw else "reference"
        if known is not None:
            yield Entry(key, known, known, key_span, value.span, value.raw, style)


def _logging(text: str, properties: Node, file: str) -> list[Element]:
    """Return the loggers and appenders of a classification, which EMR writes as lines of a properties file."""
    from flink_flint.linter.formats.logging.logging_properties import elements_of

    pieces: list[Piece] = []
    for key, key_span, value in properties.pairs[:_MAX_ENTRIES]:
        if value.kind in (MAPPING, LIST):
            continue
        known = value.text if value.kind == SCALAR else value.placeholder()
        pieces += [
            Piece(key.replace("\n", " "), _inside(text, key_span, key)),
            Piece("=", Span(key_span.end, key_span.end)),
            Piece((known or "").replace("\\", "\\\\").replace("\n", " "), _inside(text, value.span, known or "")),
            Piece("\n", Span(value.span.end, value.span.end)),
        ]
    extract = Extract(text, pieces)
    found = []
    for element in elements_of(extract.text, file):
        attributes = {
            name: Attribute(
                a.value, extract.span(a.span), None if a.key_span is None else extract.span(a.key_span), a.raw
            )
            for name, a in element.attributes.items()
        }
        found.append(Element(element.kind, element.name, extract.span(element.span), attributes))
    return found


def _inside(text: str, span: Span, value: str) -> Span:
    """Return the span of a string without its quotes if it is written unescaped, otherwise the whole span."""
    inner = Span(span.start + 1, span.end - 1)
    return inner if text[inner.start : inner.end] == value else span


# -- Managed Service for Apache Flink

_KINESIS_SOURCE = (
    "flink.stream.", "flink.shard.", "flink.list.shards.", "flink.describe.", "source.init.", "source.shard.",
    "source.reader.type", "source.efo.", "source.describestream.",
)  # fmt: skip
_KAFKA_SOURCE = ("group.id", "auto.offset.reset", "fetch.", "max.poll.", "isolation.level", "partition.discovery")
_KAFKA_SINK = ("acks", "transactional.id", "transaction.timeout.ms", "linger.ms", "batch.size", "enable.idempotence")
_READS = regex(r"(?i)consumer|source|input|\bin\b")
_WRITES = regex(r"(?i)producer|sink|output|\bout\b")
_STREAM = ("stream.arn", "stream.name", "input.stream.name", "output.stream.name", "input.stream", "output.stream")


def managed_document(
    path: str, text: str, file_format: FileFormat, application: Node, *, name: str, head: Span
) -> Document | None:
    """Return the document for a Managed Service for Apache Flink application; None if it does not run Flink.

    `application` has the field names of CloudFormation.
    """
    runtime = application.get("RuntimeEnvironment")
    release = managed_release(runtime.text) if runtime is not None and runtime.text else None
    if runtime is not None and runtime.text and release is None:
        return None
    content = ConfigurationFile()
    flink = application.get("ApplicationConfiguration", "FlinkApplicationConfiguration")
    content.entries += _checkpointing(flink.get("CheckpointConfiguration") if flink is not None else None, head)
    content.entries += _parallelism(flink.get("ParallelismConfiguration") if flink is not None else None)
    element = Element("application", name, head, application.attributes())
    return Document(
        path, text, file_format, content, syntax="map", kind="msf", name=name, span=head, platform="msf", whole=False,
        elements=[element, *_connectors(application)],
        release=(release, f"runtime environment {runtime.text}") if runtime is not None and release else None,
        release_span=runtime.span if runtime is not None and release else None,
    )  # fmt: skip


def _implied(key: str, value: str, key_span: Span, span: Span, layer: str) -> Entry:
    """Return the entry for an option that is set through a field of the resource."""
    entry = Entry(key, value, value, key_span, span, "", "implied")
    entry.layer = layer
    return entry


def _checkpointing(configuration: Node | None, head: Span) -> Iterator[Entry]:
    """Yield the checkpointing entries: the defaults of the service unless the configuration type is CUSTOM."""
    layer = "CheckpointConfiguration"
    kind = configuration.entry("ConfigurationType") if configuration is not None else None
    is_custom = kind is not None and kind[1].text == "CUSTOM"
    if kind is not None and kind[1].kind == UNKNOWN:
        return
    fields = (
        ("execution.checkpointing.interval", "CheckpointInterval", MANAGED_INTERVAL),
        ("execution.checkpointing.min-pause", "MinPauseBetweenCheckpoints", MANAGED_PAUSE),
    )
    if is_custom and configuration is not None:
        enabled = configuration.get("CheckpointingEnabled")
        if enabled is not None and (enabled.text or "").lower() == "false":
            return
    for key, field, default in fields:
        found = configuration.entry(field) if is_custom and configuration is not None else None
        if found is not None:
            span, node = found
            value = f"{node.text} ms" if node.kind == SCALAR and node.text else node.placeholder()
            yield _implied(key, value, span, node.span, f"{layer}.{field}")
        elif kind is not None:
            yield _implied(key, f"{default} ms", kind[0], kind[1].span, layer)
        else:
            yield _implied(key, f"{default} ms", head, head, layer)


def _parallelism(configuration: Node | None) -> Iterator[Entry]:
    if configuration is None:
        return
    kind = configuration.get("ConfigurationType")
    found = configuration.entry("Parallelism")
    if kind is not None and kind.text == "CUSTOM" and found is not None:
        span, node = found
        value = node.text if node.kind == SCALAR and node.text else node.placeholder()
        layer = "ParallelismConfiguration.Parallelism"
        yield _implied("parallelism.default", value, span, node.span, layer)


def _connectors(application: Node) -> Iterator[Element]:
    """Yield an element for each property group that configures a connector."""
    groups = application.get("ApplicationConfiguration", "EnvironmentProperties", "PropertyGroups")
    for group in groups.items if groups is not None else ():
        properties = group.get("PropertyMap")
        identifier = group.entry("PropertyGroupId")
        if properties is None:
            continue
        known = {key: node for key, _, node in properties.pairs}
        name = identifier[1].text if identifier is not None else None
        kind = _connector(name or "", known)
        if kind is None:
            continue
        place = identifier[1].span if identifier is not None else properties.span
        attributes = {"api": Attribute("property-group", place)}
        for key, span, node in properties.pairs:
            value = node.text if node.kind == SCALAR else None
            attributes[f"properties.{key}"] = Attribute(value, node.span, span, node.raw)
        if properties.is_open or properties.kind != MAPPING:
            attributes["properties"] = Attribute(None, properties.span, None, properties.raw)
        streams = ("topic", "topics") if kind.startswith("kafka") else _STREAM
        stream = next((known[key].text for key in streams if key in known), None)
        yield Element(kind, stream or "", place, attributes)


def _connector(name: str, known: dict[str, Node]) -> str | None:
    """Return the kind of connector that a group configures, from its keys or, if they are ambiguous, from its name."""
    if any(key.startswith(_KINESIS_SOURCE) for key in known):
        return "kinesis-source"
    if "bootstrap.servers" in known:
        if any(key.startswith(_KAFKA_SOURCE) for key in known):
            return "kafka-source"
        if any(key.startswith(_KAFKA_SINK) for key in known):
            return "kafka-sink"
        return "kafka-source" if _READS.search(name) else "kafka-sink" if _WRITES.search(name) else None
    if "aws.region" in known and any(key in known for key in _STREAM):
        return "kinesis-source" if _READS.search(name) else "kinesis-sink" if _WRITES.search(name) else None
    return None


# -- Kinesis streams


def stream_element(stream: Node, head: Span) -> Element:
    """Return the element for a Kinesis stream that is defined in Terraform or CloudFormation."""
    attributes: dict[str, Attribute] = {}
    name = stream.entry("name", "Name")
    shards = stream.entry("shard_count", "ShardCount")
    if shards is not None:
        text = shards[1].text or ""
        count = whole(text) if len(text) < 9 else None
        attributes["shards"] = Attribute(count, shards[1].span, shards[0], shards[1].raw)
    details = stream.entry("stream_mode_details", "StreamModeDetails")
    if details is not None:
        inner = details[1].items[0] if details[1].kind == LIST and details[1].items else details[1]
        mode = inner.entry("stream_mode", "StreamMode")
        span, node = mode if mode is not None else details
        attributes["mode"] = Attribute(node.text, node.span, span, node.raw)
    return Element("kinesis-stream", (name[1].text if name is not None else None) or "", head, attributes)


# -- expiration of objects in S3 buckets

BUCKET, LIFECYCLE = "aws_s3_bucket", "aws_s3_bucket_lifecycle_configuration"
"""The Terraform resource types for an S3 bucket and for its lifecycle rules."""


def expiries(rules: Sequence[Node], bucket: str, head: Span) -> Iterator[Element]:
    """Yield an element for each S3 lifecycle rule (in Terraform or CloudFormation) that expires objects.

    Disabled rules and rules restricted to certain tags or sizes are left out.
    """
    for rule in rules:
        if any(
            (status := rule.get(name)) is not None and status.text not in _ON
            for name in ("status", "Status", "enabled")
        ):
            continue
        chosen = rule.get("filter") or rule
        if any(one.get(name) is not None for one in (rule, chosen) for name in _RESTRICTIONS):
            continue
        days = next((found for path in _DAYS if (found := _entry(rule, *path)) is not None), None)
        if days is None:
            continue
        text = days[1].text or ""
        count = whole(text) if len(text) < 9 else None
        attributes = {"days": Attribute(count, days[1].span, days[0], days[1].raw)}
        prefix = next((one for holder in (chosen, rule) if (one := holder.entry("prefix", "Prefix")) is not None), None)
        if prefix is not None:
            attributes["prefix"] = Attribute(prefix[1].text, prefix[1].span, prefix[0], prefix[1].raw)
        yield Element("expiry", bucket, head, attributes)


_ON = ("Enabled", "true")
_RESTRICTIONS = (
    "and", "tag", "tags", "TagFilters", "object_size_greater_than", "object_size_less_than", "ObjectSizeGreaterThan",
    "ObjectSizeLessThan",
)  # fmt: skip
_DAYS = (("expiration", "days"), ("ExpirationInDays",))


def _entry(node: Node, *path: str) -> tuple[Span, Node] | None:
    holder = node.get(*path[:-1]) if len(path) > 1 else node
    return holder.entry(path[-1]) if holder is not None else None


_NAMES = {"kinesis-stream": "streams", "policy-statement": "policies"}
"""The names of documents without an application, by what they contain."""


def with_streams(
    path: str, text: str, file_format: FileFormat, documents: list[Document], streams: Sequence[Element]
) -> list[Document]:
    """Add a file's streams and buckets to its first document, or to a new one if it has none; return the documents."""
    if not streams:
        return documents
    if documents:
        documents[0].elements = [*documents[0].elements, *streams]
        return documents
    name = _NAMES.get(streams[0].kind, "buckets")
    return [
        Document(
            path, text, file_format, ConfigurationFile(), syntax="map", kind="msf", name=name, span=streams[0].span,
            whole=False, elements=streams,
        )
    ]  # fmt: skip


# -- edits

_KEY = regex(r"[A-Za-z_][\w./<>-]*")
_BARE_KEY = regex(r"[A-Za-z_][\w-]*")
_BLANK = regex(r"\s*")


class NodeFormat(FileFormat):
    """Base class of formats whose settings are entries of mappings in JSON, YAML, or HCL."""

    def write(self, text: str, like: bytes) -> bytes:
        """Return the bytes of an edited text in the encoding of the original file (`like`)."""
        return encode(text, like)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return the edit that changes the key of an entry and keeps its quotes."""
        if entry.style == "implied" or not _KEY.fullmatch(key):
            return ()
        edits = [Edit(entry.key_span, _key_like(key, _cut(document, entry.key_span), document.path))]
        return promises(document, edits, document.changes(entry, (key, entry.text)))

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return the edit that replaces a value written as a string; references to variables are not edited."""
        if entry.style != "double" or not _is_writable(value):
            return ()
        edits = [Edit(entry.value_span, _value_like(value, entry, document))]
        return promises(document, edits, document.changes(entry, (entry.key, value)))

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return the edit that adds a line below the entry with the most closely related key, in the same style.

        The most closely related key is the one that shares the most leading segments with `key`.
        """
        candidates = [entry for entry in document.entries if entry.style == "double"]
        if not candidates or key in document.effective or not _KEY.fullmatch(key) or not _is_writable(value):
            return ()
        sibling = max(candidates, key=lambda entry: (shared_words(entry.key, key), entry.value_span.start))
        text, lines = document.text, document.lines
        number = lines.position(sibling.value_span.end).line
        start = lines.span(lines.position(sibling.key_span.start).line).start
        margin = text[start : sibling.key_span.start]
        sign = text[sibling.key_span.end : sibling.value_span.start].strip()
        between = " = " if "=" in sign else ": "
        new = (
            _key_like(key, _cut(document, sibling.key_span), document.path)
            + between
            + _value_like(value, sibling, document)
        )
        line = lines.span(number)
        behind = text[sibling.value_span.end : line.end].lstrip()
        if margin.strip():
            edit = Edit(Span(sibling.value_span.end, sibling.value_span.end), f", {new}")
        elif behind[:1] in ("", "#") or behind[:2] == "//" or (behind[:1] == "," and sign == "="):
            if _is_flow(document, sibling) and sign == ":":
                comma = f",{line_end_at(document, number)}{margin}"
                edit = Edit(Span(sibling.value_span.end, sibling.value_span.end), f"{comma}{new}")
            else:
                tail = "," if behind[:1] == "," else ""
                edit = Edit(Span(line.end, line.end), f"{line_end_at(document, number)}{margin}{new}{tail}")
        else:
            comma = f",{line_end_at(document, number)}{margin}"
            edit = Edit(Span(sibling.value_span.end, sibling.value_span.end), f"{comma}{new}")
        return promises(document, [edit], {key: value})

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return the edits that remove an entry with its comma, or with the preceding comma if it is the last entry."""
        if entry.style == "implied":
            return ()
        text, lines = document.text, document.lines
        begin, end = entry.key_span.start, entry.value_span.end
        after = _after_blanks(text, end)
        if text[after : after + 1] == ",":
            end = after + 1
        elif _is_flow(document, entry) and (comma := len(text[:begin].rstrip())) and text[comma - 1] == ",":
            return promises(document, [Edit(Span(comma - 1, end), "")], document.changes(entry, None))
        first, last = lines.position(begin).line, lines.position(max(end - 1, begin)).line
        line, tail = lines.span(first), lines.full_span(last)
        rest = text[end : tail.end].strip()
        if text[line.start : begin].strip() or (rest and not rest.startswith(document.file_format.comments)):
            while text[end : end + 1] == " ":
                end += 1
            edits = [Edit(Span(begin, end), "")]
        else:
            edits = removed_lines(document, first, last, [end])
        return promises(document, edits, document.changes(entry, None))


def _cut(document: Document, span: Span) -> str:
    return document.text[span.start : span.end]


def _after_blanks(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()


def _is_flow(document: Document, entry: Entry) -> bool:
    """Return whether an entry is between braces, where commas separate entries."""
    text = document.text
    before = text[: entry.key_span.start].rstrip()[-1:]
    return before in ("{", ",") or text[_after_blanks(text, entry.value_span.end) :][:1] in (",", "}")


def _is_writable(value: str) -> bool:
    """Return whether a value can be written unescaped in every format without starting a template expression."""
    return "\n" not in value and "${" not in value and "%{" not in value and "{{" not in value


def _key_like(key: str, written: str, path: str) -> str:
    """Return a key quoted like another one; HCL accepts unquoted keys only without dots."""
    quote = written[:1] if written[:1] in ("'", '"') else ""
    if not quote and path.endswith((".tf", ".hcl")) and not _BARE_KEY.fullmatch(key):
        quote = '"'
    return f"{quote}{key}{quote}"


def _value_like(value: str, sibling: Entry, document: Document) -> str:
    from flink_flint.linter.formats.flink_files.settings_map import scalar

    if sibling.raw[:1] == "'" or (sibling.raw[:1] != '"' and document.path.endswith((".yaml", ".yml", ".template"))):
        return scalar(value, sibling.raw)
    return json.dumps(value, ensure_ascii=False)


def read_text(data: bytes) -> str:
    """Return the text of a file; bytes that are not valid UTF-8 become lone surrogates."""
    return decode(data, kind="flink-conf.yaml")[0]
