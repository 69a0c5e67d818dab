"""Lifecycle rules of buckets that let objects expire which jobs still need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.finding import Confidence, Finding
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.checkpoints._checkpointing import is_on_disk
from flink_flint.rules.composites._durable import CHECKPOINTS, HIGH_AVAILABILITY, MAX_NAMED, RESULTS, Durable
from flink_flint.rules.composites._places import links

_INCREMENTAL = "execution.checkpointing.incremental"


def expiring_objects(expiries: Sequence[ElementView], used: Sequence[tuple[View, list[Durable]]]) -> Iterator[Finding]:
    """Yield findings on lifecycle rules of buckets, with the directories below their prefix that must not expire."""
    for expiry in expiries:
        days, prefix = expiry.value("days"), expiry.text("prefix") or ""
        if not isinstance(days, int) or not expiry.is_known("prefix"):
            continue
        struck: dict[object, tuple[View, Durable]] = {}
        for config, found in used:
            for durable in found:
                if _is_struck(config, durable, expiry.name, prefix):
                    struck.setdefault(id(durable.setting.entry), (config, durable))
        if struck:
            yield _expiring(expiry, days, prefix, list(struck.values()))


def _is_struck(config: View, durable: Durable, bucket: str, prefix: str) -> bool:
    """Whether old files in a directory are still needed, and a rule of the bucket lets them expire."""
    key, location = durable.setting.key, durable.location
    name, _, path = location.path.removeprefix("//").partition("/")
    if location.scheme not in ("s3", "s3a", "s3p") or name != bucket or not _contains(prefix, path):
        return False
    return key in (HIGH_AVAILABILITY, RESULTS) or (key == CHECKPOINTS and _is_incremental(config))


def _is_incremental(config: View) -> bool:
    return config.boolean(_INCREMENTAL) is True and is_on_disk(config)


def _expiring(expiry: ElementView, days: int, prefix: str, struck: Sequence[tuple[View, Durable]]) -> Finding:
    named = " and ".join(dict.fromkeys(f"{durable.setting.text}" for _, durable in struck[:2]))
    shared = any(durable.setting.key == CHECKPOINTS for _, durable in struck)
    why = (
        "incremental checkpoints still consist of older files"
        if shared
        else "the job graphs there are as old as the jobs"
    )
    return expiry.finding(
        f"objects of s3://{expiry.name}/{prefix} expire after {days} day{'s' if days != 1 else ''}, which concerns"
        f" {named}: {why}, so that jobs that have run for longer do not come back after a failure",
        of="days",
        key=f"{expiry.name}/{prefix}",
        help="leave these paths out of the rule's prefix, and let Flink delete old checkpoints",
        confidence=Confidence.MEDIUM,
        related=[
            expiry.place("prefix", "what expires"),
            *(place for _, durable in struck[:MAX_NAMED] for place in durable.place()),
            *links(
                *(
                    (config.get(_INCREMENTAL), "files are shared among checkpoints")
                    for config, _ in struck[:1]
                    if shared
                )
            ),
        ],
        evidence={"bucket": expiry.name, "days": days},
        measure=-days,
    )


def _contains(prefix: str, path: str) -> bool:
    """Return whether a prefix of a bucket includes objects below `path`, at least partly."""
    path = f"{path.strip('/')}/"
    return path.startswith(prefix) or prefix.startswith(path)
