"""Elements for sinks other than Kafka and Kinesis, and for properties of the job itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flink_flint.linter.formats.source.builders import set_attributes
from flink_flint.linter.formats.source.constant_folding import Symbol, milliseconds
from flink_flint.linter.formats.source.environments import MAKERS, fields_that_make, is_wrapped
from flink_flint.linter.formats.source.program_objects import Objects, head_of, maker_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.spans import Span

_PRINTS = ("print", "printToErr")
_MAX_CHAIN = 40
_GONE = ("FlinkKinesis", "FlinkDynamoDBStreams")
"""The starts of the names of source and sink functions of which no release is for Flink 2."""
"""The maximum number of variables and chains of calls between a stream and its source."""
_RESULTS = frozenset({"execute", "executeSql", "executeInsert", "sqlQuery", "explainSql", "executeStatement"})
_ON_STREAMS = frozenset({
    *("fromsource", "addsource", "fromelements", "fromdata", "fromcollection", "fromparallelcollection"),
    *("fromsequence", "generatesequence", "sockettextstream", "readtextfile", "readfile", "readfilestream"),
    *("createinput", "todatastream", "tochangelogstream", "toretractstream", "toappendstream", "getsideoutput"),
    *("map", "filter", "reduce", "sum", "min", "max", "minby", "maxby", "aggregate", "apply", "window", "join"),
    *("flatmap", "keyby", "process", "windowall", "timewindow", "timewindowall", "countwindow", "countwindowall"),
    *("union", "connect", "comap", "coflatmap", "broadcast", "rebalance", "rescale", "partitioncustom", "shuffle"),
    *("assigntimestampsandwatermarks", "assigntimestamps", "assignascendingtimestamps", "returns", "uid"),
    *("unorderedwait", "orderedwait", "intervaljoin", "sideoutputlatedata", "allowedlateness", "setparallelism"),
    *("slotsharinggroup", "disablechaining", "startnewchain", "forward", "global", "iterate", "cogroup"),
})  # fmt: skip
"""Methods that return streams, in lower case and without underscores."""
_BUILT = {
    "CassandraSink": ("addSink",),
    "JdbcSink": ("sink", "exactlyOnceSink", "builder"),
    "StreamingFileSink": ("forRowFormat", "forBulkFormat"),
    "FileSink": ("forRowFormat", "forBulkFormat"),
    "BucketingSink": (),
    "OpensearchSinkBuilder": (),
    "MongoSink": ("builder",),
    "PulsarSink": ("builder",),
    "IcebergSink": ("forRowData", "forRow"),
    "FlinkSink": ("forRowData", "forRow", "builderFor"),
}
"""The methods that create each kind of sink; sinks without methods are created with ``new``."""
_OF_FILES = ("forRowFormat", "forBulkFormat")
"""Methods whose first argument is the folder of the files."""
_TTL_CLEANUPS = ("cleanupInBackground", "cleanupInRocksdbCompactFilter", "cleanupIncrementally")
"""Methods that configure the cleanup of expired state."""
_BOUNDED = (
    *("fromElements", "fromCollection", "fromData", "fromParallelCollection", "fromSequence", "generateSequence"),
    *("readTextFile", "readCsvFile"),
)
"""Methods of an environment that read something with an end."""
_SOURCES = (
    "addSource",
    "fromSource",
    "socketTextStream",
    "readFile",
    "readFileStream",
    "createInput",
    "createDataStream",
)
_TABLE_METHODS = ("executeSql", "sqlQuery", "sqlUpdate", "from", "fromPath", "toDataStream", "toChangelogStream")
_WINDOWS = ("window", "windowAll", "timeWindow", "timeWindowAll", "countWindow", "countWindowAll")
_LOCAL = ("createLocalEnvironment", "createLocalEnvironmentWithWebUI")
_MINI_CLUSTERS = ("MiniCluster", "Builder", "MiniClusterConfiguration")
_NEW = (
    *(
        "Elasticsearch6SinkBuilder",
        "Elasticsearch7SinkBuilder",
        "Elasticsearch8AsyncSinkBuilder",
        "OpensearchSinkBuilder",
    ),
    *("BucketingSink", "DiscardingSink", "PrintSinkFunction", "PrintSink", "RMQSink", "RedisSink", "InfluxDBSink"),
    *("FlinkPravegaWriter", "ElasticsearchSink", "AsyncSink"),
)
_UNFLUSHED = "disable-flush-on-checkpoint"
"""The attribute of a sink of Elasticsearch that checkpoints do not wait for; its builder may be out of sight."""


def sink_elements(objects: Objects) -> list[Element]:
    """Return the ``sink`` elements of a program, for sinks other than Kafka and Kinesis."""
    program = objects.program
    found = [
        Element("sink", name, call.name_span, _windowed(objects, call.target, call))
        for name in _PRINTS
        for call in program.calls.get(name, ())
        if _prints_a_stream(objects, call) and not is_wrapped(objects, call)
    ]
    for name, methods in _BUILT.items():
        for method in methods:
            for call in program.calls.get(method, ()):
                if call.target is not None and call.target.name == name:
                    found.append(_sink(objects, call, name))
    for name in _NEW:
        for made in program.news.get(name, ()):
            if made.parent is None or made.parent.kind != "class":
                found.append(_sink(objects, made, name))
        for call in program.calls.get(name, ()):
            if call.target is None:
                found.append(_sink(objects, call, name))
    known_calls = {one.attributes[_UNFLUSHED].span for one in found if _UNFLUSHED in one.attributes}
    for call in program.calls.get("disableFlushOnCheckpoint", ()):
        if call.target is not None and not call.args and call.name_span not in known_calls:
            attribute = Attribute(True, call.name_span, call.name_span, call.name)
            found.append(Element("sink", "ElasticsearchSink", call.name_span, {_UNFLUSHED: attribute}))
    return found


def _windowed(objects: Objects, stream: Node | None, call: Node) -> dict[str, Attribute]:
    """Return the attribute of a sink of what windows yield, if the stream that it is called on is that."""
    for _ in range(_MAX_CHAIN):
        if stream is not None and stream.kind in ("name", "member"):
            bound = objects.program.bound(stream)
            stream = None if bound is stream else bound
        if stream is None or stream.kind != "call":
            return {}
        if stream.name in _WINDOWS:
            return {"windowed": Attribute(True, call.name_span)}
        stream = stream.target
    return {}


def _prints_a_stream(objects: Objects, call: Node) -> bool:
    """Return whether a ``print`` call is on a stream, not on a table result, an output stream or something unknown."""
    target = call.target
    if target is None or len(call.args) > 1 or target.name in ("System", "this", "super", "Console", "Predef"):
        return False
    if target.name in ("out", "err") and (target.kind == "member" or objects.program.values(target) is None):
        return False
    if call.args and not isinstance(objects.fold(call.args[0]), str):
        return False
    if "Print" in objects.class_of(target) or objects.class_of(target) in ("TableResult", "Console", "StringWriter"):
        return False
    of_type = _declared_type(target)
    is_stream = _is_stream(of_type)
    if of_type and not is_stream:
        return False
    chain: Node | None = target
    for _ in range(_MAX_CHAIN):
        if chain is not None and chain.kind in ("name", "member"):
            is_stream = is_stream or _is_stream(_declared_type(chain))
            bound = objects.program.bound(chain)
            chain = None if bound is chain else bound
        if chain is None or chain.kind != "call":
            break
        if chain.name in _RESULTS:
            return False
        is_stream = is_stream or chain.name.replace("_", "").lower() in _ON_STREAMS
        chain = chain.target
    return is_stream


def _declared_type(node: Node) -> str:
    """Return the type that a variable is declared with; empty if it is inferred or the node is no variable."""
    holder = node.scope.holder(node.name) if node.kind == "name" else None
    return holder.types.get(node.name, "") if holder is not None else ""


def _is_stream(class_name: str) -> bool:
    """Return whether a class is one of Flink's streams: `DataStreamSource`, `SingleOutputStreamOperator` and so on."""
    return "Stream" in class_name and not class_name.endswith(("putStream", "PrintStream")) and class_name != "Stream"


def _sink(objects: Objects, made: Node, name: str) -> Element:
    attributes = {"method": Attribute(made.name, made.name_span, None, made.name)}
    given_to = made.parent
    if given_to is not None and given_to.kind == "call" and given_to.name in ("addSink", "sinkTo"):
        attributes |= _windowed(objects, given_to.target, made)
    calls = [call for call in objects.calls_on(made) if call.kind == "call"]
    set_attributes(objects, attributes, calls)
    if made.name in _OF_FILES and made.args:
        path = objects.made(made.args[0])
        given = path.args[0] if path is not None and path.name == "Path" and path.args else made.args[0]
        text = objects.fold(given) if given is not made.args[0] else None
        bound = objects.program.bound(given) if given.kind in ("name", "member") else None
        where = bound if bound is not None and bound.kind == "text" else given
        attributes["path"] = objects.attribute(where, text if isinstance(text, str) else None)
    for call in calls:
        if call.name == "tableLoader" and call.args:
            attributes["table-loader"] = objects.attribute(call.args[0], _written(objects, call.args[0]), call)
    for node in [node for argument in [made, *calls] for child in argument.args for node in child.walk()]:
        if node.kind != "call" or len(node.args) != 1:
            continue
        if node.name in ("setConsistencyLevel", "withConsistencyLevel"):
            value = objects.fold(node.args[0])
            known = value.name if isinstance(value, Symbol) else None
            attributes["consistency-level"] = objects.attribute(node.args[0], known, node)
        elif name == "JdbcSink" and node.name.startswith("with"):
            set_attributes(objects, attributes, [node])
    return Element("sink", name, head_of(made), attributes)


def _written(objects: Objects, node: Node) -> str | None:
    """Return what an argument is made of, as written; None for what comes from elsewhere or is made anew."""
    if node.kind not in ("name", "member"):
        return objects.program.raw(node.span)
    bound = objects.program.bound(node)
    return None if bound is None else objects.program.raw(bound.span)


def reads_bounded(objects: Objects, counts: Callable[[Node], bool]) -> bool:
    """Return whether a job reads only from bounded sources, so that the amount of data it writes is bounded too.

    Only what counts belongs to the job.
    """
    calls = objects.program.calls

    def number(*names: str) -> int:
        return sum(1 for name in names for call in calls.get(name, ()) if counts(call))

    others = number(*_SOURCES)
    return not number(*_TABLE_METHODS) and (
        (others == 0 and number(*_BOUNDED) > 0)
        or (others > 0 and others == number("fromSource") == number("setBounded"))
    )


def _is_given_kafka(objects: Objects, call: Node) -> bool:
    """Return whether the argument of ``addSource`` or ``addSink`` is an object of the old Kafka classes."""
    made = objects.made(call.args[0]) if call.args else None
    return made is not None and maker_of(made).startswith(("FlinkKafkaConsumer", "FlinkKafkaProducer"))


def _whence(objects: Objects, call: Node, what: str) -> str:
    """Return whether the functions of a program are for Flink 2 (``imported``), for Flink 1 (``old``), or ``unknown``.

    A class in another file may be for either.
    """
    package = f"org.apache.flink.streaming.api.functions.{what}."
    imports = [name.removeprefix(package) for name in objects.program.imports if name.startswith(package)]
    made = objects.made(call.args[0]) if call.args else None
    if any(name.startswith("legacy") for name in imports):
        return "imported"
    is_gone = made is not None and maker_of(made).startswith(_GONE)
    return "old" if is_gone or any(name.endswith(("SourceFunction", "SinkFunction")) for name in imports) else "unknown"


def job_element(
    objects: Objects, main: Node | None, unknown: Mapping[str, Span], counts: Callable[[Node], bool]
) -> list[Element]:
    """Return a list with the ``job`` element of a job: its main class, and properties that are not settings.

    `main` is its main function, if it has one; `unknown` contains the keys that it sets to unknown values. Only what
    counts belongs to the job.
    """
    program = objects.program

    def calls(*names: str) -> list[Node]:
        return [call for name in names for call in program.calls.get(name, ()) if counts(call)]

    attributes: dict[str, Attribute] = {}
    made = calls(*MAKERS) or [node for node in fields_that_make(objects) if counts(node)]
    local = [call for call in made if call.name in _LOCAL]
    if local and len(local) == len(made):
        attributes["local-environment"] = Attribute(True, local[-1].name_span, None, local[-1].name)
    for call in calls("newBuilder"):
        if call.target is not None and call.target.name == "StateTtlConfig":
            first = call.args[0] if call.args else None
            if first is not None:
                attributes["state-ttl"] = objects.attribute(first, milliseconds(objects.fold(first)), call)
    for is_on, names in ((False, ("disableCleanupInBackground",)), (True, _TTL_CLEANUPS)):
        for call in calls(*names):
            attributes["state-ttl-cleanup"] = Attribute(is_on, call.name_span, None, call.name)
    for what, method in (("source", "addSource"), ("sink", "addSink")):
        legacy = [call for call in calls(method) if call.target is None or call.target.name != "CassandraSink"]
        others = [call for call in legacy if not _is_given_kafka(objects, call)]
        for call in others[:1] or legacy[:1]:
            whose = _whence(objects, call, what) if others else "kafka"
            attributes[f"legacy-{what}"] = Attribute(whose, call.name_span, None, call.name)
    clusters = [new for name in _MINI_CLUSTERS for new in program.news.get(name, ()) if counts(new)]
    cluster = next((new for new in clusters if "MiniCluster" in program.raw(new.span)), None)
    if cluster is not None:
        attributes["mini-cluster"] = Attribute(True, cluster.name_span, None, cluster.name)
    for key, span in unknown.items():
        attributes[f"sets.{key}"] = Attribute(None, span)
    # The environment, or its settings, may be from elsewhere.
    is_given = not made or any(call.args for call in made) or bool(calls("configure"))
    if main is None and not attributes:
        return []
    if reads_bounded(objects, counts):
        attributes["bounded"] = Attribute(
            True, next((one.span for one in attributes.values()), objects.program.root.span)
        )
    if main is None:
        if is_given:
            attributes["sets"] = Attribute(None, next(iter(attributes.values())).span)
        top = next(iter(program.classes.values()), None)
        return [Element("job", "" if top is None else top.name, next(iter(attributes.values())).span, attributes)]
    if is_given:
        attributes["sets"] = Attribute(None, main.name_span)
    owner = main.scope.enclosing("class")
    name = owner.name if owner is not None else program.class_of_functions
    return [Element("job", name, main.name_span, attributes)]
