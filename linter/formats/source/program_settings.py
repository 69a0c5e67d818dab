"""Flink options that a program sets with methods of environments and checkpoint configurations, or by key."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.source.constant_folding import (
    Constant,
    OptionKey,
    Symbol,
    Time,
    milliseconds,
    setting_text,
)
from flink_flint.linter.formats.source.option_constants import key_of
from flink_flint.linter.formats.source.program_objects import Objects, is_in_branch, result_of
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span


class Made(NamedTuple):
    """An option that a program sets: its key, its value, their nodes, and the method that sets it, if any."""

    key: str
    value: str | None
    key_node: Node
    value_node: Node | None
    layer: str
    chosen_by: Node | None = None
    """The node that selects the object, such as a restart strategy, that the option configures; otherwise None."""


_ENVIRONMENT = "env"
_CHECKPOINTS = "checkpointConfig"

_TIMES = {
    "enableCheckpointing": "execution.checkpointing.interval",
    "setCheckpointInterval": "execution.checkpointing.interval",
    "setMinPauseBetweenCheckpoints": "execution.checkpointing.min-pause",
    "setCheckpointTimeout": "execution.checkpointing.timeout",
    "setAlignedCheckpointTimeout": "execution.checkpointing.aligned-checkpoint-timeout",
    "setAlignmentTimeout": "execution.checkpointing.alignment-timeout",
    "setBufferTimeout": "execution.buffer-timeout",
    "setAutoWatermarkInterval": "pipeline.auto-watermark-interval",
    "setIdleStateRetention": "table.exec.state.ttl",
    "setTaskCancellationInterval": "task.cancellation.interval",
    "setTaskCancellationTimeout": "task.cancellation.timeout",
}
"""The options that methods with a time set; a number is in milliseconds."""
_NUMBERS = {
    "setMaxConcurrentCheckpoints": "execution.checkpointing.max-concurrent-checkpoints",
    "setTolerableCheckpointFailureNumber": "execution.checkpointing.tolerable-failed-checkpoints",
    "setLatencyTrackingInterval": "metrics.latency.interval",
}
_OF_ENVIRONMENT = {"setParallelism": "parallelism.default", "setMaxParallelism": "pipeline.max-parallelism"}
"""The options that methods set on an environment; operators have methods with the same names."""
_FLUENT = frozenset({
    *("setParallelism", "setMaxParallelism", "setRuntimeMode", "setBufferTimeout", "enableCheckpointing"),
    *("disableOperatorChaining", "setStateBackend", "enableChangelogStateBackend", "setDefaultSavepointDirectory"),
    "getConfig",
})  # fmt: skip
"""Methods of an environment that return it or its configuration; all others return streams."""
_MAKERS = ("Environment", "EnvironmentWithWebUI")
_MAX_CHAIN = 40
"""Maximum number of calls and variables between an expression and the creation of its environment."""
_ENUMS = {
    "setCheckpointingMode": "execution.checkpointing.mode",
    "setCheckpointingConsistencyMode": "execution.checkpointing.mode",
    "setExternalizedCheckpointCleanup": "execution.checkpointing.externalized-checkpoint-retention",
    "enableExternalizedCheckpoints": "execution.checkpointing.externalized-checkpoint-retention",
    "setExternalizedCheckpointRetention": "execution.checkpointing.externalized-checkpoint-retention",
    "setRuntimeMode": "execution.runtime-mode",
}
_FLAGS = {
    "enableUnalignedCheckpoints": ("execution.checkpointing.unaligned", "true"),
    "disableUnalignedCheckpoints": ("execution.checkpointing.unaligned", "false"),
    "setForceUnalignedCheckpoints": ("execution.checkpointing.unaligned.forced", "true"),
    "disableOperatorChaining": ("pipeline.operator-chaining", "false"),
    "enableObjectReuse": ("pipeline.object-reuse", "true"),
    "disableObjectReuse": ("pipeline.object-reuse", "false"),
    "disableGenericTypes": ("pipeline.generic-types", "false"),
    "enableGenericTypes": ("pipeline.generic-types", "true"),
    "enableChangelogStateBackend": ("state.backend.changelog.enabled", "true"),
}
"""Methods with one optional boolean, with the value that they set without it."""
_TYPED_SETTERS = frozenset({
    *("setString", "setInteger", "setLong", "setBoolean", "setFloat", "setDouble", "setBytes", "set"),
})  # fmt: skip
_CONFIGURATIONS = frozenset({"Configuration", "TableConfig", "StreamTableEnvironment", "TableEnvironment"})
_GETTERS = frozenset({"getConfiguration", "getConfig", "configuration", "config"})
_REPORTER = "metrics.reporter.<name>."
_PLAIN_TYPES = frozenset({"MemorySize", "Duration", "Integer", "Long", "Float", "Double", "Boolean"})
_STATE_BACKENDS = {
    "EmbeddedRocksDBStateBackend": "rocksdb", "RocksDBStateBackend": "rocksdb", "HashMapStateBackend": "hashmap",
    "FsStateBackend": "filesystem", "MemoryStateBackend": "jobmanager",
}  # fmt: skip
_RESTARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "noRestart": ("none", ()),
    "fixedDelayRestart": ("fixed-delay", ("attempts", "delay")),
    "failureRateRestart": ("failure-rate", ("max-failures-per-interval", "failure-rate-interval", "delay")),
    "exponentialDelayRestart": (
        "exponential-delay",
        ("initial-backoff", "max-backoff", "backoff-multiplier", "reset-backoff-threshold", "jitter-factor"),
    ),
}
"""The strategy that each method of ``RestartStrategies`` selects, and the options that its arguments set."""
_NO_TIMES = ("attempts", "max-failures-per-interval", "backoff-multiplier", "jitter-factor")


class Settings(NamedTuple):
    """The Flink options that a program sets: those with known values, and those with unknown values."""

    content: ConfigurationFile
    """The settings of the program as entries, except those whose values are unknown or differ by branch."""
    unknown: dict[str, Span]
    """The options that the program sets to unknown values: newest key -> span of a call that sets the option."""


def made_settings(objects: Objects) -> list[Made]:
    """Return the Flink options that a program sets, once for each place that sets one, in source order."""
    made: list[Made] = []
    for name, read in _READERS.items():
        for call in objects.program.calls.get(name, ()):
            made += read(objects, call)
    made += _in_configurations(objects)
    made.sort(key=lambda one: one.key_node.name_span if one.key_node.kind == "call" else one.key_node.span)
    return made


def settings(objects: Objects, made: Iterable[Made]) -> Settings:
    """Return the effective Flink options of a program, in source order, given the results of `made_settings`."""
    result = ConfigurationFile()
    made = list(made)
    by_key: dict[str, list[Made]] = {}
    for one in made:
        by_key.setdefault(one.key, []).append(one)
    effective = _drop_arguments({key: _effective(same) for key, same in by_key.items()})
    kept = {id(one) for same in effective.values() for one in same}
    result.entries = [_entry(objects, one) for one in made if id(one) in kept]
    result.mark_overridden()
    unknown = {
        name: by_key[key][0].key_node.span
        for key, same in effective.items()
        if not same
        for name in catalogue().current_names(key) or (key,)
    }
    return Settings(result, unknown)


def _effective(same: list[Made]) -> list[Made]:
    """Return the settings of one key that take effect, or nothing if it is unknown which value the key gets.

    A sequence of settings in one function counts completely; otherwise, all must have the same value.
    """
    if any(one.value is None for one in same):
        return []
    functions = {id(one.key_node.scope.enclosing("function")) for one in same}
    if len(functions) == 1 and not any(is_in_branch(one.key_node) for one in same):
        return same
    return same[-1:] if len({one.value for one in same}) == 1 else []


def _drop_arguments(effective: dict[str, list[Made]]) -> dict[str, list[Made]]:
    """Return the settings without the arguments of what is not chosen, such as a restart strategy that is replaced.

    Where it is unknown what is chosen, it is unknown whether its arguments are set.
    """
    choosing = {id(one.key_node): one for same in effective.values() for one in same if one.chosen_by is None}
    found: dict[str, list[Made]] = {}
    for key, same in effective.items():
        chosen = [(one, choosing.get(id(one.chosen_by))) for one in same]
        kept = [one for one, by in chosen if one.chosen_by is None or (by is not None and effective[by.key][-1] is by)]
        if kept or any(one.chosen_by is not None and by is None for one, by in chosen) or not same:
            found[key] = kept
    return found


def _entry(objects: Objects, made: Made) -> Entry:
    key = made.key_node
    value = made.value_node
    key_span = key.name_span if key.kind == "call" and key is not value else key.span
    value_span = key_span if value is None else value.span
    raw = objects.program.raw(value_span)
    assert made.value is not None
    style = "implied" if made.layer or value is None else "double" if value.kind == "text" else "plain"
    entry = Entry(
        made.key, made.value, made.value, (key_span.start, key_span.end), (value_span.start, value_span.end), raw, style
    )
    entry.layer = made.layer
    return entry


# -- methods of environments, their configurations and those of checkpoints


def _time(objects: Objects, call: Node) -> list[Made]:
    first = call.args[0] if call.args else None
    if first is None:
        return []
    value = milliseconds(objects.fold(first))
    key = _TIMES[call.name]
    made: list[Made] = []
    if call.name == "enableCheckpointing":
        if len(call.args) > 1:
            made.append(_symbol(objects, call, call.args[1], "execution.checkpointing.mode"))
        if value is not None and value < 1:
            return made  # Flink treats it as "off" in some places and refuses it in others
    if call.name == "setBufferTimeout" and value is not None and value < 0:
        return made  # a buffer is sent when it is full
    text = None if value is None else "-1" if value < 0 else f"{value} ms"
    return [Made(key, text, call, first, _layer(call)), *made]


def _number(objects: Objects, call: Node) -> list[Made]:
    if len(call.args) != 1:
        return []
    value = objects.fold(call.args[0])
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else None
    return [Made(_NUMBERS[call.name], text, call, call.args[0], _layer(call))]


def _of_environment(objects: Objects, call: Node) -> list[Made]:
    if len(call.args) != 1 or not is_environment(objects, call.target):
        return []
    value = objects.fold(call.args[0])
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else None
    return [Made(_OF_ENVIRONMENT[call.name], text, call, call.args[0], _layer(call))]


def _enum(objects: Objects, call: Node) -> list[Made]:
    return [_symbol(objects, call, call.args[0], _ENUMS[call.name])] if len(call.args) == 1 else []


def _symbol(objects: Objects, call: Node, node: Node, key: str) -> Made:
    value = objects.fold(node)
    return Made(key, value.name if isinstance(value, Symbol) else None, call, node, _layer(call))


def is_switch(made: Made) -> bool:
    """Return whether a program turns something on or off: with a boolean, or a method like ``enableObjectReuse()``."""
    if made.value in ("true", "false"):
        return True
    return made.value_node is None and made.key_node.kind == "call" and made.key_node.name in _FLAGS


def _flag(objects: Objects, call: Node) -> list[Made]:
    key, text = _FLAGS[call.name]
    if not call.args:
        return [Made(key, text, call, None, _layer(call))]
    value = objects.fold(call.args[0])
    made = setting_text(value) if isinstance(value, bool) else None
    return [Made(key, made, call, call.args[0], _layer(call))] if len(call.args) == 1 else []


def _restart(objects: Objects, call: Node) -> list[Made]:
    if len(call.args) != 1:
        return []
    strategy = objects.made(call.args[0])
    if strategy is None or strategy.kind != "call" or strategy.name not in _RESTARTS:
        return [Made("restart-strategy", None, call, call.args[0], _layer(call))]
    name, options = _RESTARTS[strategy.name]
    layer = f"RestartStrategies.{strategy.name}"
    made = [Made("restart-strategy", name, strategy, None, layer)]
    for option, argument in zip(options, strategy.args, strict=False):
        value = objects.fold(argument)
        if option in _NO_TIMES:
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            text = str(value) if number else None
        else:
            length = milliseconds(value)
            text = None if length is None else f"{length} ms"
        made.append(Made(f"restart-strategy.{name}.{option}", text, argument, argument, layer, strategy))
    return made


def _state_backend(objects: Objects, call: Node) -> list[Made]:
    if len(call.args) != 1:
        return []
    backend = objects.made(call.args[0])
    if backend is None or backend.kind not in ("new", "call") or backend.name not in _STATE_BACKENDS:
        return [Made("state.backend", None, call, call.args[0], _layer(call))]
    layer = f"new {backend.name}"
    made = [Made("state.backend", _STATE_BACKENDS[backend.name], backend, None, layer)]
    for argument in backend.args:
        value = objects.fold(argument)
        if isinstance(value, bool) and _STATE_BACKENDS[backend.name] == "rocksdb":
            made.append(Made("state.backend.incremental", setting_text(value), argument, argument, layer, backend))
        elif isinstance(value, str) and "StateBackend" in backend.name:
            made.append(Made("state.checkpoints.dir", value, argument, argument, layer, backend))
    return made


def _storage(objects: Objects, call: Node) -> list[Made]:
    first = call.args[0] if len(call.args) == 1 else None
    if first is None:
        return []
    value = objects.fold(first)
    made = objects.made(first)
    if made is not None and made.kind in ("new", "call"):
        if made.name == "JobManagerCheckpointStorage":
            return [Made("state.checkpoint-storage", "jobmanager", call, first, _layer(call))]
        if made.name == "FileSystemCheckpointStorage" and made.args:
            first, value = made.args[0], objects.fold(made.args[0])
    text = value if isinstance(value, str) else None
    if call.name == "setDefaultSavepointDirectory":
        return [Made("state.savepoints.dir", text, call, first, _layer(call))]
    storage = None if text is None else "filesystem"
    return [
        Made("state.checkpoint-storage", storage, call, None, _layer(call)),
        Made("state.checkpoints.dir", text, call, first, _layer(call)),
    ]


def _layer(call: Node) -> str:
    """Return the name of a method as reports show it: ``env.enableCheckpointing``."""
    of_checkpoints = "Checkpoint" in call.name and call.name != "enableCheckpointing"
    return f"{_CHECKPOINTS if of_checkpoints else _ENVIRONMENT}.{call.name}"


def is_environment(objects: Objects, node: Node | None) -> bool:
    """Return whether an expression is an execution environment, rather than a stream created from one."""
    for _ in range(_MAX_CHAIN):
        if node is None or not objects.class_of(node).endswith("ExecutionEnvironment"):
            return False
        if node.kind == "call":
            function = objects.program.function_of(node)
            if function is not None:
                node = result_of(function)
            elif node.name in _FLUENT:
                node = node.target
            else:
                return node.name.endswith(_MAKERS)
        elif node.kind in ("name", "member") and not _is_typed(node) and objects.program.bound(node) is not None:
            node = objects.program.bound(node)
        else:
            return True
    return False


def _is_typed(node: Node) -> bool:
    """Return whether the file declares the type of a variable."""
    holder = node.scope.holder(node.name) if node.kind == "name" else None
    return holder is not None and node.name in holder.types


_READERS: dict[str, Callable[[Objects, Node], list[Made]]] = {
    **dict.fromkeys(_TIMES, _time),
    **dict.fromkeys(_NUMBERS, _number),
    **dict.fromkeys(_OF_ENVIRONMENT, _of_environment),
    **dict.fromkeys(_ENUMS, _enum),
    **dict.fromkeys(_FLAGS, _flag),
    "setRestartStrategy": _restart,
    "setStateBackend": _state_backend,
    "setCheckpointStorage": _storage,
    "setDefaultSavepointDirectory": _storage,
}


# -- configurations


def _in_configurations(objects: Objects) -> list[Made]:
    """Return the settings that are put into configurations by key or option constant."""
    program = objects.program
    made: list[Made] = []
    foreign = any(name.startswith("org.apache.hadoop.conf") for name in program.imports)
    for name in _TYPED_SETTERS:
        for call in program.calls.get(name, ()):
            if len(call.args) != 2:
                continue
            one = _put(objects, call, call.args[0], call.args[1], foreign)
            if one is not None:
                made.append(one)
    seen = {id(one.key_node) for one in made}
    for call in program.calls.get("fromMap", ()):
        if call.target is not None and call.target.name == "Configuration" and not foreign:
            for put in objects.properties(call).puts:
                if id(put.key_node) in seen:
                    continue  # a setter that is called on what the map becomes
                text = setting_text(objects.fold(put.value))
                made.append(Made(put.key, text, put.key_node, put.value, ""))
    return made


def _put(objects: Objects, call: Node, key: Node, value: Node, foreign: bool) -> Made | None:
    folded = objects.fold(key)
    reporter = _reporter(objects, call)
    if reporter is not None:
        return _of_reporter(objects, reporter, folded, key, value)
    if isinstance(folded, str):
        if foreign or not _is_configuration(objects, call.target or _receiver(call)):
            return None
        name, layer = folded, ""
    elif isinstance(folded, OptionKey):
        name, layer = folded.key, "ConfigOptions.key"
    elif isinstance(folded, Symbol):
        found = key_of(folded, objects.program.imports)
        # A connector's properties are not Flink settings.
        if found is None or found.startswith(("flink.", "aws.", "source.")) or foreign:
            return None
        if not _is_configuration(objects, call.target) and "Option" not in folded.owner:
            return None
        name, layer = found, f"{folded.owner}.{folded.name}"
    else:
        return None
    constant = objects.fold(value)
    if isinstance(constant, Symbol) and layer and _is_plain(name):
        constant = None  # of another class, not of an enumeration
    return Made(name, _text(constant, by_option=bool(layer)), key, value, layer)


def _reporter(objects: Objects, call: Node) -> Node | None:
    """Return the call of ``MetricOptions.forReporter`` whose configuration a call changes, or None."""
    if call.target is None or "forReporter" not in objects.program.calls:
        return None
    made = objects.made(call.target)
    is_one = made is not None and made.kind == "call" and made.name == "forReporter" and len(made.args) == 2
    return made if is_one else None


def _of_reporter(objects: Objects, reporter: Node, folded: Constant | None, key: Node, value: Node) -> Made | None:
    """Return the setting of a reporter, whose options have keys without the reporter's name."""
    name = objects.fold(reporter.args[1])
    if not isinstance(name, str):
        return None
    if isinstance(folded, str):
        rest, layer = folded, ""
    elif isinstance(folded, Symbol):
        if folded.name == "REPORTER_FACTORY_CLASS":
            option = f"{_REPORTER}factory.class"
        else:
            option = key_of(folded, objects.program.imports) or ""
        rest, layer = option.removeprefix(_REPORTER), f"{folded.owner}.{folded.name}"
    else:
        return None
    text = _text(objects.fold(value), by_option=bool(layer))
    return Made(f"metrics.reporter.{name}.{rest}", text, key, value, layer) if rest else None


def _is_plain(key: str) -> bool:
    """Return whether an option's value is a number, size, time or boolean."""
    releases = catalogue().releases(key)
    option = catalogue().option(key, releases[-1]) if releases else None
    return option is not None and option.type in _PLAIN_TYPES


def _text(value: Constant | None, *, by_option: bool) -> str | None:
    """Return a value as the text of a setting (an enum constant by its name, if set by option), or None."""
    if isinstance(value, Symbol) and by_option and value.owner:
        return value.name
    if isinstance(value, Time) and value.ms != int(value.ms):
        return None
    return setting_text(value)


def _receiver(call: Node) -> Node | None:
    """Return the lambda whose receiver a call without a target may use, or None."""
    scope = call.scope.enclosing("function")
    return scope.node if scope is not None and scope.node is not None and not scope.node.name else None


def _is_configuration(objects: Objects, node: Node | None) -> bool:
    """Return whether an expression is a Flink configuration, created by the program or returned by an environment."""
    if node is not None and node.kind == "function":  # in Kotlin's Configuration().apply { ... }
        call = node.parent
        node = call.target if call is not None and call.kind == "call" else None
    if node is None or node.kind == "function":  # the latter: a lambda that is called immediately
        return False
    if objects.class_of(node) in _CONFIGURATIONS:
        return True
    last = node if node.kind in ("call", "member") else objects.program.bound(node)
    if last is None or last.kind not in ("call", "member") or last.name not in _GETTERS:
        return False
    return last.target is not None
