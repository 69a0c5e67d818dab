"""Objects that Java cannot serialize and a function takes with it: fields, and variables of the method around it."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.source.dataflow.streams import task_functions
from flink_flint.linter.formats.source.program_objects import Objects, maker_of
from flink_flint.linter.formats.source.program_tree import Node, Scope
from flink_flint.linter.model.elements import Attribute, Element

_ENVIRONMENTS = ("StreamTableEnvironment", "TableEnvironment", "StreamExecutionEnvironment")
_UNSERIALIZABLE = frozenset({
    *_ENVIRONMENTS, "Gson", "GsonBuilder", "DateTimeFormatter", "MessageDigest", "KafkaProducer", "OkHttpClient",
    "ExecutorService", "ScheduledExecutorService", "JedisPool", "Jedis", "RestHighLevelClient", "CloseableHttpClient",
    "HikariDataSource", "MongoClient", "DynamoDbClient", "S3Client", "CqlSession", "RedisClient",
})  # fmt: skip
"""Classes without `Serializable`, of the JDK and of libraries that jobs use."""
_MAPPERS = ("ObjectMapper", "JsonMapper")
_OF_SCALA = ("DefaultScalaModule", "ScalaObjectMapper")
_LINE = 120


def captured_elements(objects: Objects) -> Iterator[Element]:
    """Yield a ``serialized-client`` for each variable of a method that a function in it uses and cannot serialize."""
    if objects.program.language == "python" or "flink" not in objects.program.text:
        return
    seen: set[tuple[int, str]] = set()
    for function, body in task_functions(objects):
        if body is not None and body.name:
            continue  # a class with a name has fields alone
        outside = function if body is None else body
        for node in function.walk():
            holder = node.scope.holder(node.name) if node.kind == "name" else None
            if holder is None or holder.kind != "function" or (id(holder), node.name) in seen:
                continue
            if holder.node is None or not _is_around(holder, outside):
                continue
            made = unserializable(objects, node)
            if made is not None and not _is_lazy(objects, node):
                seen.add((id(holder), node.name))
                yield Element("serialized-client", node.name, node.span, {
                    "made": Attribute(made, node.span), "captured": Attribute(True, node.span),
                })  # fmt: skip


def unserializable(objects: Objects, node: Node) -> str | None:
    """Return the class of an expression's object if Java certainly cannot serialize it; None otherwise."""
    name = objects.class_of(node)
    if name in _UNSERIALIZABLE:
        return name
    made = objects.made(node)
    if made is None:
        return None
    name = maker_of(made).partition(".")[0]
    if name in _UNSERIALIZABLE:
        return name
    return f"{name} with Scala's module" if name in _MAPPERS and _knows_scala(objects, made) else None


def _knows_scala(objects: Objects, mapper: Node) -> bool:
    """Return whether a mapper of Jackson has the module for Scala, whose modifiers are not serializable."""
    return any(
        call.name in ("registerModule", "registerModules", "addModule")
        and any(one in objects.program.raw(argument.span) for argument in call.args for one in _OF_SCALA)
        for call in objects.calls_on(mapper)
    )


def _is_around(holder: Scope, function: Node) -> bool:
    node = holder.node
    return node is not None and node is not function and node.span.start <= function.span.start < node.span.end


def _is_lazy(objects: Objects, node: Node) -> bool:
    """Return whether a variable is only made where it is used first."""
    value = objects.program.bound(node)
    if value is None:
        return False
    before = objects.program.text[max(0, value.span.start - _LINE) : value.span.start].rpartition("\n")[2]
    return "lazy" in before
