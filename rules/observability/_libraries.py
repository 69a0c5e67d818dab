"""The libraries whose loggers Flink's own logging files keep at a higher level than the root."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.view import ElementView
from flink_flint.rules.observability._logging import DEBUGGING, Log, level

_LIBRARIES = (
    (("akka", "org.apache.pekko"), "Akka or Pekko"), (("org.apache.kafka",), "Kafka"),
    (("org.apache.hadoop",), "Hadoop"), (("org.apache.zookeeper", "org.apache.flink.shaded.zookeeper"), "ZooKeeper"),
)  # fmt: skip


def unlimited(log: Log) -> list[str]:
    """The libraries that no logger of a configuration keeps above DEBUG."""
    limited = [logger.name for logger in log.loggers if logger.has("level") and level(logger) not in DEBUGGING]
    return [
        library
        for names, library in _LIBRARIES
        if not any(one.startswith(names) or one in ("org", "org.apache") for one in limited)
    ]


def at_debug(log: Log) -> Iterator[tuple[ElementView, str]]:
    """The loggers of libraries that write everything from DEBUG up, each with the library."""
    for logger in log.loggers:
        if level(logger) in DEBUGGING:
            for names, library in _LIBRARIES:
                if logger.name.startswith(names):
                    yield logger, library


def listed(words: Sequence[str]) -> str:
    """Words in one phrase."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
