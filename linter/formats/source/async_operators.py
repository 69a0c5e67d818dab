"""Calls of `AsyncDataStream`, and the functions passed to them: thread pools, clients, timeouts, overridden methods."""

from __future__ import annotations

from flink_flint.linter.formats.source.clients.remote_clients import CACHED, REMOTE
from flink_flint.linter.formats.source.constant_folding import Constant, Time, Unit, milliseconds
from flink_flint.linter.formats.source.environments import is_wrapped
from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_tree import Node, Scope
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.spans import Span

METHODS = ("orderedWait", "unorderedWait", "orderedWaitWithRetry", "unorderedWaitWithRetry")
DEFAULT_CAPACITY = 100
"""The capacity that ``AsyncDataStream`` uses if a call does not specify one."""

_POOLS = ("newFixedThreadPool", "newWorkStealingPool", "newScheduledThreadPool")
_ASYNCHRONOUS = frozenset({
    *("supplyAsync", "runAsync", "submit", "execute", "thenAccept", "thenApply", "thenAcceptAsync", "thenCompose"),
    *("whenComplete", "whenCompleteAsync", "handle", "handleAsync", "onComplete", "onSuccess", "addCallback"),
    *("addListener", "schedule", "thenApplyAsync", "exceptionally", "launch", "async", "future", "enqueue", "Future"),
    *("foreach", "map", "flatMap", "recover", "sendAsync", "subscribe", "executeBlocking", "forEach", "toFuture"),
    *("thenRun", "orTimeout", "completeOnTimeout", "executeAsync"),
})  # fmt: skip
"""Methods whose lambdas run later, or in another thread."""
_BLOCKING_ON = {
    "Thread": ("sleep",),
    "TimeUnit": ("sleep",),
    "Await": ("result", "ready"),
    "Futures": ("getUnchecked",),
    "Uninterruptibles": ("getUninterruptibly", "sleepUninterruptibly"),
}
_BLOCKING_CALLS = frozenset({"executeQuery", "executeUpdate", "getForObject", "getForEntity", "postForObject"})
_FUTURES = frozenset({"Future", "CompletableFuture", "ListenableFuture", "CompletionStage", "ResultSetFuture"})
_MAKES_FUTURE = frozenset({"supplyAsync", "sendAsync", "submit", "executeAsync", "runAsync", "thenApply", "toFuture"})

_TIMEOUTS = {
    # java.net.http, OkHttp
    "readTimeout": "read", "callTimeout": "call", "connectTimeout": "connect", "timeout": "call",
    # Apache HttpClient, Spring, AsyncHttpClient, JDBC, AWS
    "setSocketTimeout": "read", "setResponseTimeout": "read", "setConnectTimeout": "connect", "setReadTimeout": "read",
    "setRequestTimeout": "call", "setConnectionTimeout": "connect", "setQueryTimeout": "call-s",
    "apiCallTimeout": "call", "apiCallAttemptTimeout": "read", "withRequestTimeout": "call",
    "withSocketTimeout": "read", "withClientExecutionTimeout": "call", "setReadTimeoutMillis": "read",
    "setConnectionRequestTimeout": "", "responseTimeout": "read",
}  # fmt: skip
"""Setters of client timeouts, by what they limit: a call (``call-s``: in seconds), ``read``, or ``connect``."""


_FUNCTIONS = ("AsyncFunction", "RichAsyncFunction")


def async_elements(objects: Objects) -> list[Element]:
    """Return an ``async-call`` element for each call of `AsyncDataStream` in a program."""
    found = []
    for method in METHODS:
        for call in objects.program.calls.get(method, ()):
            of_flink = call.target is not None and call.target.name.endswith("AsyncDataStream")
            if of_flink and not is_wrapped(objects, call):
                found.append(_call(objects, call))
    return found


def function_elements(objects: Objects) -> list[Element]:
    """Return an ``async-function`` element for each class in a program that extends `AsyncFunction`."""
    found = []
    for name, body in objects.program.classes.items():
        if name and any(one.rpartition(".")[2] in _FUNCTIONS for one in body.supers):
            attributes: dict[str, Attribute] = {}
            describe(objects, attributes, body)
            found.append(Element("async-function", name, body.name_span, attributes))
    return found


def _call(objects: Objects, call: Node) -> Element:
    """Return the element for a call ``(in, function, timeout, unit[, strategy][, capacity])``.

    A Duration may replace timeout and unit.
    """
    assert call.target is not None
    span = Span(call.target.span.start, call.name_span.end)
    attributes: dict[str, Attribute] = {}
    positional = [node for name, node in zip(call.names, call.args, strict=False) if not name]
    named = {name: node for name, node in zip(call.names, call.args, strict=False) if name}
    function = named.get("asyncFunction") or named.get("async_function")
    rest = positional[1:]
    if function is None and len(rest) > 1 and rest[-1].kind == "function" and _is_amount(objects, rest[0]):
        function, rest = rest[-1], rest[:-1]  # Scala's orderedWait(in, timeout, unit, capacity) { ... }
    elif function is None and rest:
        function, rest = rest[0], rest[1:]
    timeout = named.get("timeout")
    unit: Node | None = named.get("timeUnit")
    if timeout is None and rest and rest[0].kind != "function":
        timeout, rest = rest[0], rest[1:]
        if not _is_time(objects, timeout):
            unit, rest = (rest[0], rest[1:]) if rest else (None, [])
    strategy = named.get("asyncRetryStrategy") or named.get("async_retry_strategy")
    capacity = named.get("capacity")
    with_retry = call.name.endswith("WithRetry")
    for node in rest:
        if with_retry and strategy is None and _is_strategy(objects, node):
            strategy = node
        elif capacity is None and "output" not in objects.program.raw(node.span) and _may_be_number(objects, node):
            capacity = node
        elif with_retry and strategy is None:
            strategy = node
    if timeout is not None:
        value = objects.fold(timeout)
        given = objects.fold(unit) if unit is not None else None
        known = milliseconds(value, given) if isinstance(value, Time) or isinstance(given, Unit) else None
        end = timeout if unit is None or isinstance(value, Time) else unit
        attributes["timeout"] = Attribute(
            known, Span(timeout.span.start, max(timeout.span.end, end.span.end)), None,
            objects.program.raw(Span(timeout.span.start, max(timeout.span.end, end.span.end))),
        )  # fmt: skip
    if capacity is not None:
        size = objects.fold(capacity)
        is_whole = isinstance(size, int) and not isinstance(size, bool)
        attributes["capacity"] = objects.attribute(capacity, size if is_whole else None)
    else:
        attributes["capacity"] = Attribute(DEFAULT_CAPACITY, span, None, "")
        attributes["default-capacity"] = Attribute(True, span, None, "")
    if with_retry:
        _retries(objects, attributes, strategy, span)
    _function(objects, attributes, function)
    return Element("async-call", call.name, span, attributes)


def _is_amount(objects: Objects, node: Node) -> bool:
    return node.kind in ("number", "binary") or objects.fold(node) is not None or _is_time(objects, node)


def _is_time(objects: Objects, node: Node) -> bool:
    if isinstance(objects.fold(node), Time):
        return True
    made = objects.made(node)
    if (
        made is not None
        and made.kind == "call"
        and made.target is not None
        and made.target.name in ("Duration", "Time")
    ):
        return True
    return objects.class_of(node) in ("Duration", "FiniteDuration", "Time")


def _is_strategy(objects: Objects, node: Node) -> bool:
    made = objects.made(node)
    name = "" if made is None else f"{made.target.name if made.target else ''}{made.name}"
    return (
        "Strateg" in name or "trateg" in objects.class_of(node) or "strateg" in objects.program.raw(node.span).lower()
    )


def _may_be_number(objects: Objects, node: Node) -> bool:
    value = objects.fold(node)
    if value is not None:
        return isinstance(value, int) and not isinstance(value, bool)
    return node.kind in ("name", "member", "call", "binary", "index", "other")


# -- retries


def _retries(objects: Objects, attributes: dict[str, Attribute], strategy: Node | None, span: Span) -> None:
    made = objects.made(strategy) if strategy is not None else None
    at = Attribute(None, strategy.span if strategy is not None else span, None, "")
    attributes["retries"] = attributes["retry-delay"] = at
    if strategy is None:
        return
    maker = "" if made is None else made.name
    if maker == "noRetry" or "NO_RETRY" in objects.program.raw(strategy.span):
        attributes["retries"] = attributes["retry-delay"] = at._replace(value=0)
        return
    if made is None or made.kind not in ("call", "new") or len(made.args) < 2:
        return
    if maker in ("FixedDelayRetryStrategyBuilder", "fixedDelay", "fixed_delay"):
        attempts, delay = objects.fold(made.args[0]), milliseconds(objects.fold(made.args[1]))
        attributes["retry-delay"] = objects.attribute(made.args[1], delay)
        attributes["retries"] = _retries_of(objects, made.args[0], attempts)
    elif maker in ("ExponentialBackoffDelayRetryStrategyBuilder", "exponentialBackoff"):
        attempts = objects.fold(made.args[0])
        attributes["retries"] = _retries_of(objects, made.args[0], attempts)
        numbers = [objects.fold(argument) for argument in made.args[1:4]]
        first, longest = milliseconds(numbers[0]), milliseconds(numbers[1]) if len(numbers) > 1 else None
        factor = numbers[2] if len(numbers) > 2 else None
        average: int | None = None
        if first is not None and longest is not None and isinstance(factor, (int, float)) and isinstance(attempts, int):
            pauses = _pauses(first, longest, float(factor), attempts)
            average = round(sum(pauses) / len(pauses)) if pauses else 0
        attributes["retry-delay"] = objects.attribute(made.args[1], average)


def _retries_of(objects: Objects, node: Node, attempts: Constant | None) -> Attribute:
    """Return the number of retries as an attribute: ``maxAttempts``, which does not count the first attempt."""
    whole = isinstance(attempts, int) and not isinstance(attempts, bool)
    return objects.attribute(node, attempts if whole else None)


def _pauses(first: int, longest: int, factor: float, attempts: int) -> list[float]:
    pauses, pause = [], float(first)
    for _ in range(min(attempts, 1_000)):
        pauses.append(pause)
        pause = min(pause * factor, float(longest))
    return pauses


# -- the function


def _function(objects: Objects, attributes: dict[str, Attribute], node: Node | None) -> None:
    """Add the attributes of a call's function if its class is defined in this file."""
    if node is None:
        return
    program = objects.program
    bound = program.bound(node) if node.kind == "name" else None
    made = next((one for one in (node, bound) if one is not None and one.kind == "function"), None) or objects.made(
        node
    )
    name = ""
    body: Node | None = None
    if made is not None and made.kind == "new":
        name = made.name
        body = made.parts[0] if made.parts else program.classes.get(name)
    elif made is not None and made.kind == "call":
        name = made.name if made.target is None else made.target.name if made.name in ("apply", "create") else made.name
        body = program.classes.get(name)
        if body is None and made.name in program.classes:
            body = program.classes[made.name]
    elif made is not None and made.kind == "function":
        body = made
    attributes["function"] = objects.attribute(node, name or None)
    if body is None:
        return
    describe(objects, attributes, body)


def describe(objects: Objects, attributes: dict[str, Attribute], body: Node) -> None:
    """Add the attributes of an async function: thread pool, client timeouts, and overridden methods."""
    nodes = list(body.walk())
    _pool(objects, attributes, nodes)
    _client(objects, attributes, nodes)
    methods = {node.name: node for node in nodes if node.kind == "function" and node.name}
    at = body.name_span if body.name else Span(body.span.start, body.span.start)
    attributes["timeout-handled"] = Attribute("timeout" in methods, at, None, "")
    if "timeout" in methods:
        attributes["timeout-handled"] = Attribute(True, methods["timeout"].name_span, None, "timeout")
    failing = [node for node in nodes if node.kind == "call" and node.name in ("completeExceptionally", "onFailure")]
    attributes["fails-exceptionally"] = Attribute(bool(failing), failing[0].name_span if failing else at, None, "")
    if "threads" not in attributes:
        invoke = methods.get("asyncInvoke") or (body if body.kind == "function" else None)
        if invoke is not None and (blocking := _blocking(objects, invoke)) is not None:
            attributes["blocking"] = Attribute(program_text(objects, blocking), blocking.name_span, None, "")
    state = next((node for node in nodes if node.kind == "call" and node.name in _STATE and _is_context(node)), None)
    if state is not None and "RichAsyncFunction" in body.supers:
        attributes["state"] = Attribute(state.name, state.name_span, None, state.name)


_STATE = frozenset({
    *("getState", "getListState", "getMapState", "getReducingState", "getAggregatingState", "addAccumulator"),
    *("getAccumulator", "getIntCounter", "getLongCounter", "getDoubleCounter", "getHistogram", "getBroadcastVariable"),
    *("getBroadcastVariableWithInitializer", "hasBroadcastVariable"),
})  # fmt: skip
"""Methods of the runtime context that are not supported in a RichAsyncFunction."""


def _is_context(node: Node) -> bool:
    """Return whether a call's target is ``getRuntimeContext()``."""
    target = node.target
    return target is not None and target.name in ("getRuntimeContext", "runtimeContext")


def program_text(objects: Objects, node: Node) -> str:
    """Return a call in the short form used in reports, such as ``future.get``."""
    start = node.target.span.start if node.target is not None and node.target.kind in ("name", "member") else None
    return objects.program.raw(Span(node.name_span.start if start is None else start, node.name_span.end))


def _pool(objects: Objects, attributes: dict[str, Attribute], nodes: list[Node]) -> None:
    """Add the number of threads in the pool that a function creates, and whether a process's subtasks share it."""
    pools: list[tuple[Node, Node | None]] = []
    for node in nodes:
        if node.kind == "call" and node.name in _POOLS and node.target is not None and node.target.name == "Executors":
            pools.append((node, node.args[0] if node.args else None))
        elif node.kind == "call" and node.name in ("newSingleThreadExecutor", "newCachedThreadPool"):
            pools.append((node, None))
        elif node.kind == "new" and node.name in ("ThreadPoolExecutor", "ForkJoinPool", "ThreadPoolTaskExecutor"):
            pools.append((node, _threads_of(objects, node)))
        elif node.kind == "call" and node.name == "ThreadPoolExecutor":
            pools.append((node, node.argument(0, "max_workers")))
    if len(pools) != 1:
        return
    made, count = pools[0]
    if made.name == "newCachedThreadPool":
        return  # as many threads as calls
    if made.name == "newSingleThreadExecutor":
        attributes["threads"] = Attribute(1, made.name_span, None, made.name)
    elif count is None:
        attributes["threads"] = Attribute(None, made.name_span, None, made.name)
    else:
        value = objects.fold(count)
        whole = isinstance(value, int) and not isinstance(value, bool)
        attributes["threads"] = objects.attribute(count, value if whole else None)
    attributes["threads-shared"] = Attribute(_is_static(made), made.name_span, None, "")


def _threads_of(objects: Objects, node: Node) -> Node | None:
    """Return the argument that limits a pool: the maximum size, or the core size if the queue is unbounded."""
    if node.name == "ForkJoinPool" or len(node.args) < 2:
        return node.args[0] if node.args else None
    queue = node.args[4] if len(node.args) > 4 else None
    unbounded = queue is not None and queue.kind == "new" and queue.name == "LinkedBlockingQueue" and not queue.args
    one, maximum = objects.fold(node.args[0]), objects.fold(node.args[1])
    return node.args[0] if unbounded or one == maximum else node.args[1]


def _is_static(made: Node) -> bool:
    """Return whether an object is assigned to a static field, or to a field of a Scala object."""
    ancestor: Node | None = made.parent
    while ancestor is not None and ancestor.kind != "class":
        if ancestor.kind == "declare":
            return "static" in ancestor.flags or _in_object(ancestor.scope)
        if ancestor.kind == "assign" and ancestor.target is not None:
            holder = ancestor.target.scope.holder(ancestor.target.name)
            return holder is not None and holder.kind == "class" and _declared_static(holder, ancestor.target.name)
        if ancestor.kind == "function" and ancestor.name:
            return False
        ancestor = ancestor.parent
    return False


def _in_object(scope: Scope) -> bool:
    return scope.kind == "class" and scope.node is not None and "object" in scope.node.flags


def _declared_static(holder: Scope, name: str) -> bool:
    node = holder.node
    if node is None:
        return False
    return any(
        part.kind == "declare" and part.name == name and "static" in part.flags
        for top in node.parts
        for part in top.walk()
    )


def _client(objects: Objects, attributes: dict[str, Attribute], nodes: list[Node]) -> None:
    """Add how long the client waits for a response: the call timeout, otherwise the connect and read timeouts."""
    found: dict[str, tuple[Node, int | None]] = {}
    for node in nodes:
        if node.kind != "call" or node.name not in _TIMEOUTS or not node.args or node.target is None:
            continue
        what = _TIMEOUTS[node.name]
        if not what:
            continue
        value = objects.fold(node.args[0])
        unit = objects.fold(node.args[1]) if len(node.args) > 1 else None
        if node.name == "timeout" and not isinstance(value, Time):
            continue
        plain = len(node.args) == 1 or isinstance(value, Time)
        known = milliseconds(value, unit) if plain or unit is not None else None
        if what == "call-s" and known is not None and not isinstance(value, Time):
            what, known = "call", known * 1_000
        what = what.removesuffix("-s")
        if what in found and found[what][1] != known:
            known = None
        found[what] = (node.args[0], known)
    if "call" in found:
        node, known = found["call"]
        attributes["request-timeout"] = objects.attribute(node, known)
        return
    if "read" in found:
        node, known = found["read"]
        attributes["request-timeout"] = objects.attribute(node, known)
        if "connect" in found:
            place, connect = found["connect"]
            attributes["connect-timeout"] = objects.attribute(place, connect)


def _blocking(objects: Objects, invoke: Node) -> Node | None:
    """Return a call in ``asyncInvoke`` that blocks the task's thread, or None."""
    stack = list(reversed(invoke.parts))
    while stack:
        node = stack.pop()
        if node.kind in ("function", "class"):
            continue  # runs later, or elsewhere
        if node.kind == "call":
            if blocks(objects, node) or _asks(objects, node, invoke):
                return node
            if node.name in _ASYNCHRONOUS:
                stack.extend(child for child in (node.target,) if child is not None)
                continue
        stack.extend(reversed(list(node.children())))
    return None


def _asks(objects: Objects, node: Node, invoke: Node) -> bool:
    """Return whether a call waits for a service, and nothing in the function looks like a cache of its answers."""
    if node.target is None or node.name not in REMOTE.get(objects.class_of(node.target), ()):
        return False
    return CACHED.search(objects.program.raw(invoke.span)) is None


def blocks(objects: Objects, node: Node) -> bool:
    """Return whether a call makes its thread wait for an answer."""
    target = node.target
    if target is None:
        return False
    if node.name in _BLOCKING_ON.get(target.name, ()) and target.kind in ("name", "member"):
        return True
    if node.name in _BLOCKING_CALLS:
        return True
    if node.name == "execute" and not node.args and target.kind == "call" and target.name == "newCall":
        return True  # OkHttp's synchronous call
    if node.name not in ("get", "join", "getUninterruptibly", "await"):
        return False
    if len(node.args) not in (0, 2):
        return False
    made = objects.made(target)
    if objects.class_of(target) in _FUTURES:
        return True
    chain: Node | None = target if target.kind == "call" else made
    while chain is not None and chain.kind == "call":
        if chain.name in _MAKES_FUTURE:
            return True
        chain = chain.target
    return False
