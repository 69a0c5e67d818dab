"""Libraries whose loggers have a higher level than the root logger in Flink's own logging files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.view import ElementView
from flink_flint.rules.observability._logging import DEBUGGING, Log, level

_LIBRARIES = (
    (("akka", "org.apache.pekko"), "Akka or Pekko"), (("org.apache.kafka",), "Kafka"),
    (("org.apache.hadoop",), "Hadoop"), (("org.apache.zookeeper", "org.apache.flink.shaded.zookeeper"), "ZooKeeper"),
)  # fmt: skip


def unlimited(log: Log) -> list[str]:
    """Return the libraries for which no logger of a configuration has a level above DEBUG."""
    limited = [logger.name for logger in log.loggers if logger.has("level") and level(logger) not in DEBUGGING]
    return [
        library
        for names, library in _LIBRARIES
        if not any(one.startswith(names) or one in ("org", "org.apache") for one in limited)
    ]


def at_debug(log: Log) -> Iterator[tuple[ElementView, str]]:
    """Yield the loggers of libraries with the level DEBUG or lower, each with the library's name."""
    for logger in log.loggers:
        if level(logger) in DEBUGGING:
            for names, library in _LIBRARIES:
                if logger.name.startswith(names):
                    yield logger, library


def listed(words: Sequence[str]) -> str:
    """Return words as one phrase: ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
