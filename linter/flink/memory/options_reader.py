"""Reads the memory options of one process as Flink does, with its errors and a trace of the derivation."""

from __future__ import annotations

from flink_flint.linter.flink.configuration import BadValue, Configuration
from flink_flint.linter.flink.memory.size_arithmetic import Share, flink_text, percent, readable
from flink_flint.linter.flink.values import MAX_LONG, text_of


class MemoryRefused(ValueError):  # noqa: N818 - it says what Flink does
    """Raised if Flink refuses to start a process; `str()` returns the message of Flink's exception."""

    def __init__(self, message: str, causes: tuple[str, ...] = (), keys: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.causes = causes
        """The messages of the underlying exceptions, outermost first."""
        self.keys = keys
        """The keys at fault (primary keys of the newest release), the most likely first.

        These are keys that are set if any is, otherwise those of which one should be set.
        """


class Inconsistent(MemoryRefused):
    """Raised for an error that Flink reports as a configuration error, prefixed with the name of the process."""


class MemoryUnknown(LookupError):  # noqa: N818 - it says what flint knows
    """Raised if memory is unknown: a value is a template expression, or the release has another memory model."""

    def __init__(self, message: str, keys: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.keys = keys


class Trace:
    """A record of the steps of a memory derivation; complete up to the error if the derivation fails."""

    __slots__ = ("steps", "warnings")

    def __init__(self) -> None:
        self.steps: list[str] = []
        """Plain sentences with their numbers, in the order of the derivation."""
        self.warnings: list[str] = []
        """What Flink would log at WARN."""


class Reader:
    """Reads the memory options of one process as Flink does, and records the derivation."""

    def __init__(self, config: Configuration, process: str, trace: Trace | None) -> None:
        self.config = config
        self.process = process
        self._trace = trace
        self.given: dict[str, tuple[int, str | None]] = {}
        """Sizes that replace the value of an option: bytes, and the key they came from (None: the environment)."""
        self.sizes: dict[str, int] = {}

    def step(self, sentence: str, *sizes: int) -> None:
        """Record a step in the trace, if there is one; `sizes` (bytes) replace the ``{}`` in `sentence`, in order."""
        if self._trace is not None:
            self._trace.steps.append(sentence.format(*map(readable, sizes)))

    def warn(self, warning: str) -> None:
        """Record a warning that Flink would log at WARN in the trace, if there is one."""
        if self._trace is not None:
            self._trace.warnings.append(warning)

    def key(self, name: str) -> str:
        return f"{self.process}.memory.{name}"

    def is_set(self, key: str) -> bool:
        return key in self.given or self.config.is_set(key)

    def at_fault(self, *keys: str) -> tuple[str, ...]:
        """Return the written keys that set the given options, or `keys` if none is set, for `MemoryRefused.keys`."""
        written: list[str] = []
        for key in dict.fromkeys(keys):
            source = self.given[key][1] if key in self.given else key if self.config.is_set(key) else None
            if source:
                written.append(source)
        return tuple(written) or keys

    def inconsistent(self, message: str, *keys: str, causes: tuple[str, ...] = ()) -> Inconsistent:
        return Inconsistent(message, causes, self.at_fault(*keys))

    def value(self, key: str) -> object:
        """Return the typed value of an option; raise `MemoryRefused` if Flink rejects it.

        Raises `MemoryUnknown` if a template provides the value.
        """
        try:
            value = self.config.value(key)
        except BadValue as bad:
            raise MemoryRefused(self._unparsable(key), (str(bad),), (key,)) from None
        if value is None and self.config.is_set(key):
            raise MemoryUnknown(f"the value of {key} is filled in by a template", (key,))
        return value

    def _unparsable(self, key: str) -> str:
        resolution = self.config.resolve(key)
        return f"Could not parse value '{text_of(resolution.raw)}' for key '{resolution.name}'."

    def size(self, key: str) -> int:
        """Return the value in bytes of a size option, which must be set or have a default."""
        if key in self.given:
            return self.given[key][0]
        try:
            value = self.value(key)
        except MemoryRefused as refused:
            name = self.config.resolve(key).name
            raise Inconsistent(
                f"Cannot read memory size from config option '{name}'.",
                (str(refused), *refused.causes),
                refused.keys,
            ) from None
        assert isinstance(value, int), key
        self.sizes[key] = int(value)
        return self.sizes[key]

    def integer(self, key: str) -> int:
        value = self.value(key)
        assert isinstance(value, int), key
        return int(value)

    def share(self, part: str) -> Share:
        """Return the fraction and bounds of a component such as ``network``; raise `Inconsistent` if they conflict."""
        minimum = self.size(self.key(f"{part}.min"))
        maximum = self.size(self.key(f"{part}.max"))
        return self._share(part, minimum, maximum)

    def unbounded_share(self, part: str) -> Share:
        """Return the fraction of a component that has no minimum or maximum option, such as ``managed``."""
        return self._share(part, 0, MAX_LONG)

    def _share(self, part: str, minimum: int, maximum: int) -> Share:
        key = self.key(f"{part}.fraction")
        fraction = self.value(key)
        assert isinstance(fraction, float), key
        if minimum > maximum:
            cause = "min value must be less or equal to max value"
            keys = [self.key(f"{part}.min"), self.key(f"{part}.max")]
        elif not 0 <= fraction < 1:
            cause = "fraction must be in range [0, 1)"
            keys = [key]
        else:
            return Share(fraction, minimum, maximum)
        from flink_flint.linter.flink.yaml.yaml_core_schema import double_text

        option = option_text(self.config, key)
        raise self.inconsistent(
            f"Inconsistently configured {option} ({double_text(fraction)}) and its min "
            f"({flink_text(minimum)}), max ({flink_text(maximum)}) value",
            *keys,
            causes=(cause,),
        )

    def bounded(self, label: str, share: Share, size: int, of: str) -> int:
        """Return the `size` of a component limited to the bounds of its `share`, and record the step."""
        result = share.bounded(size)
        if self._trace is not None:
            beyond = ""
            if size != result:
                beyond = f", {'above its maximum' if size > result else 'below its minimum'}, so {readable(result)}"
            self.step(f"{label}: {percent(share.fraction)} of {of} is {readable(size)}{beyond}.")
        return result


def option_text(config: Configuration, key: str) -> str:
    """Return the description of an option (key, default and fallback keys) that Flink's messages print."""
    resolution = config.resolve(key)
    option = resolution.option
    assert option is not None, key
    aliases = ", ".join(
        f"{{key={alias}, isDeprecated={'true' if alias in option.deprecated_keys else 'false'}}}"
        for alias in option.lookup_order
    )
    default = text_of(option.default) if option.default is not None else "null"
    return f"Key: '{resolution.name}' , default: {default} (fallback keys: [{aliases}])"
