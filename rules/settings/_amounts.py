"""Sizes and durations as people write them: plain numbers with an implied unit, and values that Flink rejects."""

from __future__ import annotations

import re

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, NEWEST
from flink_flint.linter.flink.values import MILLISECOND, SECOND, MemorySize, parse_duration
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.lazy_regex import regex

# Compiled where they are used: few runs meet a value that Flink refuses.
_SIZE = r"(?i)\+?([0-9]+(?:_[0-9]+)*)(?:\.([0-9]+))?\s*(?:([kmgt])i?b?|(b|bytes?))"
_SPELLED_SIZE = r"(?i)([0-9]{1,15})\s*(kibi|mebi|gibi|tebi)bytes?"
_TIME = r"(?i)([0-9]+(?:_[0-9]+)*)(?:\.([0-9]+))?\s*([a-zµμ]+)(?:\s*(?:,|and)\s*|\s*)"
_QUOTED = regex(r"""(['"]).*\1""", re.DOTALL)
_MAX_DIGITS = 29
_POWERS = {"k": 10, "m": 20, "g": 30, "t": 40}
_NANOSECONDS = {
    name: size
    for size, names in (
        (604_800_000_000_000, "w wk wks week weeks"),
        (86_400_000_000_000, "d day days"),
        (3_600_000_000_000, "h hr hrs hour hours"),
        (60_000_000_000, "m min mins minute minutes"),
        (1_000_000_000, "s sec secs second seconds"),
        (1_000_000, "ms msec msecs milli millis millisecond milliseconds"),
        (1_000, "us µs μs usec usecs micro micros microsecond microseconds"),
        (1, "ns nsec nano nanos nanosecond nanoseconds"),
    )
    for name in names.split()
}
_SPELLINGS = (
    *((86_400_000_000_000, "d"), (3_600_000_000_000, "h"), (60_000_000_000, "min"), (1_000_000_000, "s")),
    *((1_000_000, "ms"), (1_000, "micros"), (1, "ns")),
)

_ALWAYS_MILLISECONDS = frozenset(
    (
        *("akka.retry-gate-closed-for", "blob.client.connect.timeout", "blob.client.socket.timeout"),
        *("events.reporter.<name>.export-completion-timeout-millis", "execution.async-state.active-buffer-timeout"),
        *("execution.async-state.buffer-timeout", "fs.<scheme>.limit.stream-timeout", "fs.<scheme>.limit.timeout"),
        *("metrics.reporter.<name>.export-completion-timeout-millis", "pekko.retry-gate-closed-for"),
        *("python.fn-execution.bundle.time", "security.ssl.internal.close-notify-flush-timeout"),
        *("security.ssl.internal.handshake-timeout", "security.ssl.internal.session-timeout"),
        *("slotmanager.request-timeout", "slotmanager.taskmanager-timeout", "source.reader.close.timeout"),
        "taskmanager.network.memory.exclusive-buffers-request-timeout-ms",
        *("taskmanager.network.request-backoff.initial", "taskmanager.network.request-backoff.max"),
        *("traces.reporter.<name>.export-completion-timeout-millis", "web.backpressure.cleanup-interval"),
        *("web.backpressure.delay-between-samples", "web.backpressure.refresh-interval"),
        "yarn.application-attempt-failures-validity-interval",
    )
)
"""Options that count milliseconds and never became durations."""
_SIZES_SPOKEN_FOR = ("taskmanager.memory.segment-size",)
"""Sizes whose bounds are another rule's business."""
USUAL_SECONDS = {
    "blob.service.cleanup.interval": 3600,
    "jobstore.expiration-time": 3600,
    "taskmanager.network.netty.client.connectTimeoutSec": 120,
    "taskmanager.network.netty.client.tcp.keepIdleSec": 7200,
    "taskmanager.network.netty.client.tcp.keepIntervalSec": 75,
    "yarn.heartbeat.interval": 5,
}
"""The default in seconds of each option that counts seconds, set by Flink or (``tcp.``) by Linux."""


def counted_unit(config: View, setting: Setting) -> int | None:
    """Return the nanoseconds that 1 stands for in an option with a plain number of milliseconds or seconds.

    None for durations and for numbers that are no time.
    """
    option = setting.option
    if option is None or option.type not in ("Long", "Integer"):
        return None
    if setting.key in USUAL_SECONDS:
        return int(SECOND)
    return int(MILLISECOND) if option.key in _ALWAYS_MILLISECONDS or is_duration_later(config, setting) else None


def is_duration_later(config: View, setting: Setting) -> bool:
    """Return whether an option is a duration in the newest release, so that a plain number means milliseconds."""
    option = setting.option
    assert option is not None  # of what a release does not know nobody asks
    key = option.key if option.templated else setting.key
    newest = config.catalogue.option(key, NEWEST)
    return newest is not None and newest.type == "Duration"


def hardly_older(config: View) -> bool:
    """Return whether the release is unknown and Flink 1.19 is the only old candidate, as for a `config.yaml`.

    About 40 options are plain milliseconds up to 1.19 and durations from 1.20 on. Of what 1.19 alone would refuse
    nothing is said then.
    """
    return not config.target.certain and config.target.indices[0] >= FIRST_CONFIG_YAML


def told_as_a_number(config: View, setting: Setting) -> bool:
    """Return whether an older candidate release reads a duration as a plain number, which other rules report."""
    if hardly_older(config):
        return False
    candidates = (config.catalogue.accept(setting.written, index) for index in config.target.indices)
    return any(accepted is not None and accepted.option.type in ("Long", "Integer") for accepted in candidates)


def is_quoted(config: View, setting: Setting) -> bool:
    """Return whether quotes are part of the value, as in flink-conf.yaml, which is a mistake of its own."""
    return config.document.is_flink_conf and _QUOTED.fullmatch(setting.text) is not None


def lacks_unit(setting: Setting) -> bool:
    """Return whether a memory size is only a few bytes because its unit is missing.

    Few is below `least_size` of the option. A frame size and the size of segments have rules of their own.
    """
    option, text = setting.option, setting.text.strip()
    if option is None or option.type != "MemorySize" or setting.key in _SIZES_SPOKEN_FOR or not setting.is_read:
        return False
    number = whole(text) if len(text) <= _MAX_DIGITS else None
    return number is not None and 0 < number < least_size(setting)


def least_size(setting: Setting) -> int:
    """Return the bytes below which a number without a unit is implausible: 1 MiB, 1 KiB or 0, by the default."""
    default = setting.default
    if not isinstance(default, MemorySize) or default >= 1 << 20:
        return 1 << 20
    return 1 << 10 if default >= 1 << 10 else 0


def meant_size(text: str) -> int | None:
    """Return the bytes that people mean by a size with a unit; None if in doubt.

    Units are binary, as all of Flink's are; Kubernetes' ``Gi``, decimals, ``_`` and ``+`` are understood.
    """
    trimmed = text.strip()
    if spelled := re.fullmatch(_SPELLED_SIZE, trimmed):
        return int(spelled[1]) << _POWERS[spelled[2][0].lower()]
    match = re.fullmatch(_SIZE, trimmed)
    if match is None:
        return None
    whole, fraction, letter, _ = match.groups()
    return _exact(whole, fraction, 1 << _POWERS[letter.lower()] if letter else 1)


def meant_duration(text: str) -> int | None:
    """Return the nanoseconds that people mean by a duration with units; None if in doubt.

    Understands what the newest Flink does, and ``1.5s``, ``2h30m``, ``3 mins``, ``1w``. A number alone is
    in doubt.
    """
    trimmed = text.strip()
    if not trimmed or trimmed.isdecimal():
        return None
    try:
        return int(parse_duration(trimmed, NEWEST))
    except BadValue:
        pass
    time = regex(_TIME)
    total = position = 0
    while position < len(trimmed):
        match = time.match(trimmed, position)
        if match is None or (size := _NANOSECONDS.get(match[3].lower())) is None:
            return None
        part = _exact(match[1], match[2], size)
        if part is None:
            return None
        total += part
        position = match.end()
    return total


def _exact(whole: str, fraction: str | None, unit: int) -> int | None:
    """``whole.fraction`` units as a whole number; None where it is none, or of no sensible length."""
    digits = whole + (fraction or "")
    if len(digits) > 18:
        return None
    value, rest = divmod(int(digits) * unit, 10 ** len(fraction or ""))
    return None if rest else value


def spell_size(size: int) -> str:
    """Format bytes exactly in the largest possible unit, as every Flink release reads it."""
    for letter in "tgmk":
        if size and size % (1 << _POWERS[letter]) == 0:
            return f"{size >> _POWERS[letter]}{letter}"
    return f"{size}b"


def spell_duration(nanoseconds: int) -> str:
    """Format nanoseconds exactly in the largest possible unit, as every Flink release reads it."""
    for size, unit in _SPELLINGS:
        if nanoseconds and nanoseconds % size == 0:
            return f"{nanoseconds // size} {unit}"
    return "0 ms"
