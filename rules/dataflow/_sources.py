"""Sources that took another's place, and the IDs of operators under which their state is."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View

_SUCCESSORS = {
    "FlinkKafkaConsumer": "KafkaSource",
    "FlinkPulsarSource": "PulsarSource",
    "FlinkKinesisConsumer": "KinesisStreamsSource",
}


def named_sources(config: View) -> dict[str, ElementView]:
    """Return the sources of a program with a known ID and class, by ID."""
    return {
        uid: one
        for one in config.elements("operator")
        if one.name in ("addSource", "fromSource") and one.text("made") and (uid := one.text("uid"))
    }


def replaced(before: View, after: View) -> Iterator[tuple[ElementView, ElementView]]:
    """Yield pairs of an old and a new source that have the same ID in two versions of a program."""
    old, new = named_sources(before), named_sources(after)
    for uid in old.keys() & new.keys():
        successor = _successor(old[uid])
        if successor is not None and new[uid].name == "fromSource" and new[uid].text("made") == successor:
            yield old[uid], new[uid]


def _successor(source: ElementView) -> str | None:
    made = source.text("made") or ""
    return next((new for name, new in _SUCCESSORS.items() if made.startswith(name)), None)


def message(old: ElementView, new: ElementView) -> str:
    """Return what becomes of the state of the old source."""
    return (
        f"{new.text('made')} has the uid of {old.text('made')}, {new.text('uid')}: from its savepoint the old union"
        " list state stays in every checkpoint and piles up, until the JobManager is out of memory or framesize"
    )


HELP = "give the new source a uid of its own, and restore once with --allowNonRestoredState"
