"""What the functions of a job do for each record: calls that wait, clients made, records kept or emitted elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.async_operators import blocks, program_text
from flink_flint.linter.formats.source.clients.remote_clients import CACHED, REMOTE
from flink_flint.linter.formats.source.dataflow.captured_objects import unserializable
from flink_flint.linter.formats.source.program_objects import Objects, maker_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_METHODS = frozenset({
    *("map", "flatMap", "filter", "processElement", "processElement1", "processElement2", "map1", "map2"),
    *("flatMap1", "flatMap2", "processBroadcastElement"),
})  # fmt: skip
"""Methods of functions that Flink calls with each record."""
_WRITES = frozenset({"invoke", "eval"})
"""Methods that are called with each record, too, where a client must not be made; a sink may wait."""
_NO_FUNCTION = ("AsyncFunction", "SinkFunction", "SourceFunction", "WindowFunction")
_PYTHON_REMOTE = {
    "requests": ("get", "post", "put", "request", "patch", "delete"),
    "httpx": ("get", "post", "put", "request"),
    "urllib.request": ("urlopen",),
    "session": ("get", "post"),
    "cursor": ("execute",),
    "cur": ("execute",),
}
_WAITS = ("executeQuery", "result", "ready", "get", "join", "await", "getForObject", "getForEntity", "postForObject")
CLIENTS = frozenset({
    *("DriverManager.getConnection", "HttpClients.createDefault", "HttpClient.newHttpClient", "MongoClients.create"),
    *("ConnectionFactory.createConnection", "CqlSession.builder", "Cluster.builder", "InfluxDBFactory.connect"),
    *("InfluxDBClientFactory.create", "HttpClientBuilder.create", "RedisClient.create", "ClickHouseClient.newInstance"),
    *("DynamoDbClient.create", "DynamoDbClient.builder", "S3Client.create", "S3Client.builder", "HttpClients.custom"),
    *("psycopg2.connect", "pymysql.connect", "boto3.client", "boto3.resource", "connector.connect", "redis.from_url"),
    *("sqlite3.connect", "aioredis.from_url", "cx_Oracle.connect", "oracledb.connect", "pyodbc.connect"),
})  # fmt: skip
"""Static methods that connect to a service, or make what does."""
CLIENT_CLASSES = frozenset({
    *("KafkaProducer", "KafkaConsumer", "OkHttpClient", "RestTemplate", "Jedis", "JedisPool", "JedisCluster"),
    *("RestHighLevelClient", "MongoClient", "HikariDataSource", "DruidDataSource", "InfluxDBClient"),
    *("HttpSolrClient", "StrictRedis", "BulkProcessor"),
})  # fmt: skip
_THREADS = ("Runnable", "Callable", "Thread", "TimerTask")
_LATER = frozenset({
    *("submit", "execute", "runAsync", "supplyAsync", "thenAccept", "thenAcceptAsync", "thenApply", "thenApplyAsync"),
    *("whenComplete", "whenCompleteAsync", "handle", "handleAsync", "schedule", "scheduleAtFixedRate", "addListener"),
    *("addCallback", "onComplete", "onSuccess", "onFailure", "enqueue", "subscribe", "scheduleWithFixedDelay"),
})  # fmt: skip
"""Methods whose lambdas run in other threads."""
_OUTPUTS = ("Collector", "SourceContext")
_EMITS = ("collect", "collectWithTimestamp")
_LOCKED = regex(r"\bsynchronized\b|\.lock\(\)|getCheckpointLock|checkpointLock|\bAtomicReference\b")
_JOINED = regex(r"\.(?:join|get|await|invokeAll|awaitTermination|allOf)\(")
_COLLECTIONS = frozenset({
    *("List", "ArrayList", "LinkedList", "Vector", "Queue", "Deque", "ArrayDeque", "Set", "HashSet", "Map", "HashMap"),
    *("ConcurrentLinkedQueue", "CopyOnWriteArrayList", "LinkedBlockingQueue", "BlockingQueue", "Collection"),
    *("ListBuffer", "ArrayBuffer", "MutableList", "ConcurrentLinkedDeque"),
})  # fmt: skip
_ADDS = ("add", "addLast", "offer", "append", "plusAssign", "+=", "put")
_SINKS = ("SinkFunction", "RichSinkFunction")
_SNAPSHOTS = frozenset({
    *("CheckpointedFunction", "ListCheckpointed", "CheckpointListener", "TwoPhaseCommitSinkFunction"),
    "GenericWriteAheadSink",
})  # fmt: skip
_TRY = regex(r"try\b|for\b|while\b")
_SLEEPERS = {"Thread": 1, "time": 1_000, "SECONDS": 1_000, "MILLISECONDS": 1, "MINUTES": 60_000}
"""What sleeps, and the milliseconds in its unit."""
_LONG = 1_000
_PLAIN = ("HashMap", "ArrayList", "HashSet", "LinkedList", "TreeMap", "LinkedHashMap", "TreeSet", "ArrayDeque")
"""Collections that two threads must not change at a time."""
_CHANGES = ("put", "add", "addAll", "putAll", "remove", "clear", "computeIfAbsent", "merge", "offer", "poll")
_ENDLESS = regex(r"\bwhile\s*\(\s*true\s*\)|\bfor\s*\(\s*;\s*;\s*\)")
_ENDS = regex(r"\b(?:break|return)\b|isInterrupted|interrupted\(\)|InterruptedException|\bthrow\b")
POOLS = ("newFixedThreadPool", "newCachedThreadPool", "newSingleThreadExecutor", "newScheduledThreadPool")
_JAVA_MODIFIERS = frozenset({"private", "public", "protected", "final"})
_MAX_CLASSES = 400


def record_elements(objects: Objects) -> Iterator[Element]:
    """Yield the ``record-work``, ``emission`` and ``buffer`` elements of a program's functions."""
    seen: set[int] = set()
    for body in _classes(objects):
        yield from _of_class(objects, body, seen)
    yield from _python_functions(objects, seen)


def _classes(objects: Objects) -> list[Node]:
    """Return the classes of a program, anonymous ones too."""
    return [node for node in objects.program.nodes if node.kind == "class"][:_MAX_CLASSES]


def _of_class(objects: Objects, body: Node, seen: set[int]) -> Iterator[Element]:
    supers = [one.rpartition(".")[2] for one in body.supers]
    is_function = any(one.endswith("Function") and not one.endswith(_NO_FUNCTION) for one in supers)
    methods = [one for one in body.parts if one.kind == "function" and one.name]
    if is_function:
        for method in methods:
            if method.name in _METHODS or (method.name == "eval" and "ScalarFunction" in supers):
                yield from _waiting(objects, body, method, seen)
                yield from _sleeping(objects, body, method, seen)
                yield from _emitted_later(objects, method)
    if any(one.endswith("Function") for one in supers):
        yield from _shared(objects, body, methods)
        yield from _serialized(objects, body)
    if any(one.endswith("SourceFunction") for one in supers):
        yield from _endless(objects, methods)
    if is_function or any(one.endswith("SinkFunction") for one in supers):
        for method in methods:
            if method.name in _METHODS or method.name in _WRITES:
                yield from _connecting(objects, body, method, seen)
    if any(one in _THREADS for one in supers):
        yield from _emitted_by_thread(objects, body)
    if any(one in _SINKS for one in supers) and not _SNAPSHOTS.intersection(supers):
        yield from _kept(objects, body, methods)


def _python_functions(objects: Objects, seen: set[int]) -> Iterator[Element]:
    """Yield what functions with the decorator ``@udf`` wait for and make."""
    text = objects.program.text
    if "@udf" not in text:
        return
    for functions in objects.program.functions.values():
        for one in functions:
            start = text.rfind("\n@", 0, one.span.start)
            if start >= 0 and text.startswith("@udf", start + 1) and text.find("\ndef", start, one.span.start) < 0:
                yield from _waiting(objects, one, one, seen)
                yield from _connecting(objects, one, one, seen)


# -- work for each record


def _waiting(objects: Objects, body: Node, method: Node, seen: set[int]) -> Iterator[Element]:
    if CACHED.search(objects.program.raw(body.span)):
        return
    for node in _unconditional(objects, method):
        if node.kind == "call" and id(node) not in seen and _waits(objects, node):
            seen.add(id(node))
            yield _work(objects, body, method, node, "waits")
            return


def _waits(objects: Objects, node: Node) -> bool:
    """Return whether a call waits for the answer of a service."""
    target = node.target
    if target is None:
        return False
    if node.name in REMOTE.get(objects.class_of(target), ()):
        return True
    if target.kind in ("name", "member") and node.name in _PYTHON_REMOTE.get(target.name, ()):
        owner = target.name if target.name in ("cursor", "cur", "session") else ""
        return bool(owner) or any(one.partition(".")[0] == target.name for one in objects.program.imports)
    return node.name in _WAITS and blocks(objects, node)


def _sleeping(objects: Objects, body: Node, method: Node, seen: set[int]) -> Iterator[Element]:
    for node in _unconditional(objects, method):
        if node.kind != "call" or node.name != "sleep" or node.target is None or len(node.args) != 1:
            continue
        value, owner = objects.fold(node.args[0]), node.target.name
        if not isinstance(value, (int, float)) or isinstance(value, bool) or owner not in _SLEEPERS:
            continue
        if id(node) not in seen and value * _SLEEPERS[owner] >= _LONG:
            seen.add(id(node))
            yield _work(objects, body, method, node, "sleeps")
            return


def _connecting(objects: Objects, body: Node, method: Node, seen: set[int]) -> Iterator[Element]:
    for node in _unconditional(objects, method):
        if id(node) in seen or node.kind not in ("call", "new"):
            continue
        made = node.kind == "new" or node.target is None
        if (made and node.name in CLIENT_CLASSES) or (not made and maker_of(node) in CLIENTS):
            if maker_of(node) == "ConnectionFactory.createConnection" and not _has_hbase(objects):
                continue
            seen.add(id(node))
            yield _work(objects, body, method, node, "connects")
            return


def _has_hbase(objects: Objects) -> bool:
    return any(one.startswith("org.apache.hadoop.hbase") for one in objects.program.imports)


def _work(objects: Objects, body: Node, method: Node, node: Node, kind: str) -> Element:
    text = f"new {node.name}" if node.kind == "new" else program_text(objects, node)
    if node.kind == "call" and node.target is None:
        text = node.name
    at = Span(node.span.start, node.name_span.end)
    return Element(
        "record-work", method.name, at,
        {
            "kind": Attribute(kind, at),
            "call": Attribute(text, at),
            "function": Attribute(body.name or "", body.name_span if body.name else at),
        },
    )  # fmt: skip


def _unconditional(objects: Objects, method: Node, depth: int = 0) -> Iterator[Node]:
    """Yield the nodes of a method that run for each record, and those of functions of the file that it calls."""
    stack = list(reversed(method.parts))
    while stack:
        node = stack.pop()
        if node.kind in ("function", "class"):
            continue
        if node.kind == "branch" and not _TRY.match(objects.program.text, node.span.start):
            if node.init is not None:
                stack.append(node.init)
            continue
        yield node
        if depth < 2 and node.kind == "call":
            called = objects.program.function_of(node)
            if called is not None and called is not method:
                yield from _unconditional(objects, called, depth + 1)
        stack.extend(reversed(list(node.children())))


# -- emission by other threads


def _emitted_by_thread(objects: Objects, body: Node) -> Iterator[Element]:
    """Yield the emissions of a class that a thread runs, to a collector that it was given."""
    if _LOCKED.search(objects.program.raw(body.span)) or not _imports_output(objects):
        return
    for node in body.walk():
        target = node.target
        if node.kind != "call" or node.name not in _EMITS or target is None:
            continue
        holder = body.scope if target.kind == "member" else target.scope.holder(target.name)
        if holder is body.scope and holder.types.get(target.name) in _OUTPUTS:
            yield _emission(objects, node, body.name)
            return


def _emitted_later(objects: Objects, method: Node) -> Iterator[Element]:
    """Yield the emissions of lambdas that other threads run after the method has returned."""
    raw = objects.program.raw(method.span)
    if _LOCKED.search(raw) or _JOINED.search(raw) or not _imports_output(objects):
        return
    for node in method.walk():
        target = node.target
        if node.kind != "call" or node.name not in _EMITS or target is None or target.kind != "name":
            continue
        holder = target.scope.holder(target.name)
        if holder is None or holder.node is not method or holder.types.get(target.name) not in _OUTPUTS:
            continue
        later = _runs_later(node, method)
        if later:
            yield _emission(objects, node, later)
            return


def _runs_later(node: Node, method: Node) -> str:
    """Return the method whose lambda a node is in, if other threads run it; an empty string otherwise."""
    inner = node
    ancestor = node.parent
    while ancestor is not None and inner is not method:
        if inner.kind == "function" and ancestor.kind in ("call", "new"):
            is_later = ancestor.name in _LATER if ancestor.kind == "call" else ancestor.name == "Thread"
            if is_later:
                return ancestor.name
        inner, ancestor = ancestor, ancestor.parent
    return ""


def _imports_output(objects: Objects) -> bool:
    return (
        any(
            one.startswith("org.apache.flink") and one.endswith((".Collector", ".util._", ".util.*", "SourceContext"))
            for one in objects.program.imports
        )
        or "SourceFunction" in objects.program.text
    )


def _emission(objects: Objects, node: Node, by: str) -> Element:
    at = Span(node.span.start, node.name_span.end)
    return Element("emission", program_text(objects, node), at, {"by": Attribute(by or "a thread", at)})


# -- records that a sink keeps


def _kept(objects: Objects, body: Node, methods: list[Node]) -> Iterator[Element]:
    """Yield the collection in which a sink keeps records that no checkpoint waits for."""
    invoke = next((one for one in methods if one.name == "invoke"), None)
    if invoke is None or not any(one.startswith("org.apache.flink") for one in objects.program.imports):
        return
    fields = {
        node.name: node
        for node in body.parts
        for node in ([node] if node.kind == "declare" else [one for one in node.parts if one.kind == "declare"])
    }
    for node in invoke.walk():
        target = node.target
        if node.kind != "call" or node.name not in _ADDS or target is None or target.kind not in ("name", "member"):
            continue
        field = fields.get(target.name)
        kind = body.scope.types.get(target.name, "") or objects.class_of(target)
        if field is None or kind not in _COLLECTIONS or target.scope.holder(target.name) not in (body.scope, None):
            continue
        if kind in ("Map", "HashMap") or _is_local(target, invoke):
            continue
        if _emptied(objects, invoke, target.name):
            return  # each call writes what it has
        at = Span(node.span.start, node.name_span.end)
        yield Element("buffer", target.name, at, {"function": Attribute(body.name or "", body.name_span)})
        return


def _is_local(target: Node, method: Node) -> bool:
    holder = target.scope.holder(target.name)
    return target.kind == "name" and holder is not None and holder.node is method


def _emptied(objects: Objects, invoke: Node, name: str) -> bool:
    """Return whether each call of ``invoke`` empties its collection, whatever its size."""
    return any(
        node.kind == "call" and node.name == "clear" and node.target is not None and node.target.name == name
        for node in _unconditional(objects, invoke)
    )


# -- fields of functions


def fields_of(body: Node) -> Iterator[Node]:
    for part in body.parts:
        many = [part] if part.kind == "declare" else part.parts if part.kind == "other" else []
        yield from (one for one in many if one.kind == "declare")


def _shared(objects: Objects, body: Node, methods: list[Node]) -> Iterator[Element]:
    """Yield the static collections that a function changes with each record."""
    fields = {
        one.name: one
        for one in fields_of(body)
        if "static" in one.flags and one.init is not None and one.init.kind == "new" and one.init.name in _PLAIN
    }
    if not fields or _LOCKED.search(objects.program.raw(body.span)):
        return
    for method in methods:
        if method.name not in _METHODS and method.name not in _WRITES:
            continue
        for node in method.walk():
            target = node.target
            if node.kind != "call" or node.name not in _CHANGES or target is None or target.name not in fields:
                continue
            at = Span(node.span.start, node.name_span.end)
            field = fields[target.name]
            assert field.init is not None
            yield Element("shared-field", target.name, at, {
                "class": Attribute(field.init.name, field.name_span), "method": Attribute(method.name, at),
            })  # fmt: skip
            return


def _serialized(objects: Objects, body: Node) -> Iterator[Element]:
    """Yield the fields of a function with a client that is made before the function is sent to the cluster."""
    for field in fields_of(body):
        made = field.init
        if made is None or "static" in field.flags or "transient" in field.flags:
            continue
        if not _JAVA_MODIFIERS.intersection(field.flags):
            continue  # of another language, where a field may be made late
        is_client = made.kind == "new" and made.name in CLIENT_CLASSES and not made.parts
        if made.kind == "call" and made.target is not None:
            is_client = maker_of(made) in CLIENTS or (made.name in POOLS and made.target.name == "Executors")
        is_client = is_client or (made.kind in ("call", "new") and unserializable(objects, made) is not None)
        if is_client:
            text = f"new {made.name}" if made.kind == "new" else maker_of(made)
            yield Element("serialized-client", field.name, field.name_span, {"made": objects.attribute(made, text)})


def _endless(objects: Objects, methods: list[Node]) -> Iterator[Element]:
    """Yield the ``run`` of a source that nothing ends."""
    run = next((one for one in methods if one.name == "run"), None)
    cancel = next((one for one in methods if one.name == "cancel"), None)
    if run is None or cancel is None or cancel.parts:
        return
    raw = objects.program.raw(run.span)
    loop = _ENDLESS.search(raw)
    if loop is not None and not _ENDS.search(raw, loop.end()):
        start = run.span.start + loop.start()
        yield Element("endless-source", run.name, Span(start, run.span.start + loop.end()), {
            "cancel": Attribute(True, cancel.name_span),
        })  # fmt: skip
