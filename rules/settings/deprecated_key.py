"""The key is an old name of an option, or an option on its way out.

## What it does
Reports keys that the release still reads but no longer wants: old names of options (`akka.framesize` for
`pekko.framesize`), and options that are deprecated and gone from a later release.

## Why it matters
Flink logs a warning for an old name, at most. A later major release drops it, and from then on the line
does nothing, without a word: 2.0 dropped 89 keys.

## What to do
Write the new name. The fix is safe: it is the same option, and Flink reads the same value. Where another
option falls back to the new name only (`taskmanager.slot.timeout` to `pekko.ask.timeout`), the fix is unsafe,
because that option then gets the value too.

## Not when
- The release is unknown and the name is old in some of the candidates only; or the candidates, also those of a
  range somebody named, have no name of the option in common: then there is no spelling that would be right for all.
- The option is also set under its new name: then this line loses, and FLK006 says so.
- The release is unknown and the option has no other name; `jobmanager.heap.*` and `taskmanager.heap.*` are
  FLK209's everywhere.
- The key is an option of its own to which another one falls back (`rest.port` for `rest.bind-port`), or its
  Java field is deprecated only because another class declares the same key.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the names of today
- <https://issues.apache.org/jira/browse/FLINK-29372>: why keys that are prefixes of others were renamed in 1.17
"""

from collections.abc import Iterator

from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._keys import accepted_by_all, taken_by_all, target_name

TOLD_ELSEWHERE = ("jobmanager.heap.", "taskmanager.heap.")


@rule(
    code="FLK003",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    since="0.1",
    scope="key",
    every_release=True,
    when=["irregular-key"],
)
def deprecated_key(config: View, setting: Setting) -> Iterator[Finding]:
    """the key is an old name, or an option on its way out"""
    key = setting.written
    accepted = config.accept(key)
    if accepted is None or accepted.how in ("template", "map"):
        return
    if accepted.how == "primary" and not accepted.option.deprecated:
        return
    names = _names(config, setting)
    if any(config.configuration.resolve(name).written not in (None, key) for name in names):
        return
    if not names:
        yield from _on_its_way_out(config, setting)
        return
    name = _common(config, key, names[0])
    if name is None:
        return
    assert setting.entry is not None
    alone = len(names) == 1
    fits = taken_by_all(config, name, setting.entry.value)
    shown = name if alone else " and ".join(names)
    yield setting.finding(
        f"{key} is an old name of {shown}; a later release may ignore it without a word",
        at="key",
        help=f"write {shown}",
        fix=setting.rename(name, safe=_serves_the_same(config, key, name)) if alone and fits else None,
        evidence={"names": list(names)},
    )


def _names(config: View, setting: Setting) -> list[str]:
    """What the release calls the options the key is an old name of, itself left out."""
    names: dict[str, None] = {}
    for newest in config.catalogue.current_names(setting.written):
        resolution = config.configuration.resolve(newest)
        option = resolution.option
        if option is not None and not option.deprecated and setting.written in option.lookup_order:
            names[resolution.name] = None
    return list(names)


def _common(config: View, key: str, name: str) -> str | None:
    """A newer name of the option that every candidate release knows; `name` is the newest view's."""
    candidates = dict.fromkeys([name, *_earlier(config, key)])
    for candidate in candidates:
        if accepted_by_all(config, candidate):
            return candidate
    return None


def _serves_the_same(config: View, key: str, name: str) -> bool:
    """Whether all candidate releases read the new name for the very options that they read the old one for."""
    options = config.catalogue
    for index in config.target.indices:
        # The old name may be an option of its own still, which nothing reads any more.
        if options.readers(key, index) - {key} != options.readers(name, index) - {key}:
            return False
    return True


def _earlier(config: View, key: str) -> Iterator[str]:
    """What the candidate releases, the newest first, call the option that they read the key for."""
    for index in reversed(config.target.indices):
        accepted = config.catalogue.accept(key, index)
        if accepted is not None and accepted.how != "primary":
            yield accepted.option.key


def _on_its_way_out(config: View, setting: Setting) -> Iterator[Finding]:
    """A deprecated option that has no other name and is gone from a later release."""
    releases = config.catalogue.releases(setting.written)
    if releases[-1] == NEWEST or not config.target.certain or setting.written.startswith(TOLD_ELSEWHERE):
        return
    yield setting.finding(
        f"{setting.written} is deprecated, and Flink {MINORS[releases[-1] + 1]} ignores it without a word",
        at="key",
        help=f"plan for an upgrade beyond {target_name(config)} without it",
        confidence=Confidence.MEDIUM,
    )


def cases() -> list[Case]:
    return [
        bad(
            "akka.framesize: 20m\n",
            at="pekko.framesize",
            flink="1.20",
            file="flink-conf.yaml",
            fixed="pekko.framesize: 20m\n",
        ),
        bad("akka.framesize: 20m\nparallelism.default: 2\n", fixed="pekko.framesize: 20m\nparallelism.default: 2\n"),
        bad(
            "state.checkpoints.dir: s3://b/c\nrest.port: 8081\n",
            flink="1.20",
            file="flink-conf.yaml",
            fixed="execution.checkpointing.dir: s3://b/c\nrest.port: 8081\n",
        ),
        bad("high-availability: zookeeper\n", flink="1.17", fixed="high-availability.type: zookeeper\n"),
        bad("taskmanager.tmp.dirs: /data\n", file="flink-conf.yaml", fixed="io.tmp.dirs: /data\n"),
        bad("recovery.mode: zookeeper\n", file="flink-conf.yaml", fixed="high-availability: zookeeper\n"),
        bad("cluster.evenly-spread-out-slots: true\n", flink="1.20", file="flink-conf.yaml", says="2.0"),
        good("high-availability: zookeeper\nstate.backend: rocksdb\nstate.checkpoints.dir: s3://b/c\n", flink="1.16"),
        good("state.checkpoints.dir: s3://b/c\nparallelism.default: 2\n"),
        good("high-availability: zookeeper\nakka.framesize: 20m\n", file="flink-conf.yaml"),
        good("execution.checkpointing.interval: 1 min\nexecution.checkpointing.mode: AT_LEAST_ONCE\n", flink="1.20"),
        good("rest.port: 8081\njobmanager.rpc.address: jm\nparallelism.default: 2\n", flink="2.3"),
        good("akka.framesize: 20m\npekko.framesize: 20m\n", flink="1.20", file="flink-conf.yaml"),
        bad(
            "state.backend.local-recovery: true\n",
            flink="1.20",
            file="flink-conf.yaml",
            says="from-local",
            fixed="state.backend.local-recovery: true\n",
        ),
        bad("task.cancellation-interval: soon\n", flink="1.18", fixed="task.cancellation-interval: soon\n"),
        bad("task.cancellation-interval: ${T}\n", flink="1.18", fixed="task.cancellation.interval: ${T}\n"),
        bad("security.ssl.enabled: true\n", flink="1.18", says="2.0"),
        good("security.ssl.enabled: true\n", file="flink-conf.yaml"),
        good("security.ssl.verify-hostname: true\n", flink="2.3"),
        good(
            "no.such.key: 1\nmetrics.reporter.prom.class: x.Y\ntaskmanager.network.netty.transport: epoll\n",
            flink="1.18",
        ),
        good("jobmanager.heap.size: 1g\ntaskmanager.heap.size: 1g\n", flink="1.18"),
        good("state.checkpoints.dir: s3://b/c\n", flink=">=1.18,<2.1"),
        good("akka.framesize: 20m\n", flink=">=1.17,<1.20", file="flink-conf.yaml"),
        good("yarn.heap-cutoff-ratio: 0.25\n", file="flink-conf.yaml"),
    ]
