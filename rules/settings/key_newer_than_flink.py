"""The key came with a later Flink release than the one at hand, which ignores it.

## What it does
Reports keys that only releases newer than the target accept: `execution.checkpointing.dir` (from 1.20 on),
`pekko.*` (1.18), `state.backend.type`, `high-availability.type` and `restart-strategy.type` (1.17), and so on.

## Why it matters
Flink ignores the key and logs nothing: checkpoints go to the JobManager's heap, high availability is off,
the restart strategy is the default.

## What to do
Write the name the option has in this release; the finding names it, and the fix writes it, where there is
one. Otherwise the release lacks the option: delete the line, or upgrade.

## Not when
- The option is also set under its old name with the same value (a file shared by several releases): advice.
- Older releases read the key though they declare no option for it: `env.pid.dir` and others that the start
  scripts read, `taskmanager.log.path`, and in 1.9 `restart-strategy` and what belongs to it.
- The release is unknown and one of the candidates knows the key.
- Images of several releases read the file and one of them knows the key: then `shared-key-not-read-by-all` (FLK053)
  says which do.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-master/release-notes/flink-1.20/>:
  the checkpointing options renamed in 1.20
- <https://nightlies.apache.org/flink/flink-docs-master/release-notes/flink-1.18/>: Pekko in place of Akka
"""

from collections.abc import Iterator

from linter.flink.releases import MINORS
from linter.relations import SEVERAL_IMAGES
from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import Setting, View
from rules.settings._keys import fits_all, lifetime, target_name


@rule(
    code="FLK004",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    since="0.1",
    scope="key",
    every_release=True,
    when=["irregular-key"],
)
def key_newer_than_flink(config: View, setting: Setting) -> Iterator[Finding]:
    """the key came with a later release, and this one ignores it"""
    key, options = setting.written, config.catalogue
    if config.accept(key) is not None or options.passes_through(key):
        return
    releases = options.releases(key)
    if not releases or releases[0] <= config.index:
        return
    if config.target.evidence == SEVERAL_IMAGES and releases[0] <= config.target.indices[-1]:
        return
    config.configuration.narrow(0, releases[0] - 1)
    name, other = _name_here(config, setting), config.get(setting.key)
    same = other.is_set and other.text == setting.text
    if other.is_set:
        remedy = f"delete the line; {other.written} sets the option here"
        if same:
            remedy = f"nothing now: the line waits for Flink {MINORS[releases[0]]}, with the value of {other.written}"
        consequence = f"{target_name(config)} reads {other.written} instead"
    elif name is not None:
        remedy = f"write {name}, its name in {target_name(config)}"
        consequence = f"{target_name(config)} ignores the line without a word"
    else:
        remedy = _entry_of_map(config, key) or f"delete the line, or upgrade to Flink {MINORS[releases[0]]} or later"
        consequence = f"{target_name(config)} ignores the line without a word"
    fits = name is not None and setting.entry is not None and fits_all(config, name, setting.entry.value)
    # A release before the name "hashmap" refuses to start on it.
    fits = fits and (setting.key != "state.backend.type" or setting.text.lower() != "hashmap" or config.since("1.13"))
    yield setting.finding(
        f"{key} exists in {lifetime(config, key)}; {consequence}",
        at="key",
        help=remedy,
        severity=Severity.INFO if same else None,
        fix=setting.rename(name) if fits and name is not None and not other.is_set else None,
        related=[other] if other.is_set else [],
        evidence={"first_release": MINORS[releases[0]]},
    )


def _name_here(config: View, setting: Setting) -> str | None:
    """What the release calls the option; None where it has no such option."""
    resolution = config.configuration.resolve(setting.key)
    return resolution.name if resolution.option is not None and resolution.name != setting.written else None


def _entry_of_map(config: View, key: str) -> str | None:
    """How to write an entry of a map option, which releases before 1.14 do not take as a key of its own."""
    options = config.catalogue
    accepted = options.accept(key, options.releases(key)[0])
    if accepted is None or accepted.how != "map" or config.accept(accepted.option.key) is None:
        return None
    parent = accepted.option.key
    return f"write the entry into the map: `{parent}: {key[len(parent) + 1 :]}:<value>`"


CASES = [
    bad(
        "execution.checkpointing.dir: s3://b/c\n",
        at="execution.checkpointing.dir",
        flink="1.18",
        severity=Severity.ERROR,
        fixed="state.checkpoints.dir: s3://b/c\n",
    ),
    bad("pekko.framesize: 20m\n", flink="1.17", fixed="akka.framesize: 20m\n"),
    bad("high-availability.type: zookeeper\n", flink="1.15.2", fixed="high-availability: zookeeper\n"),
    bad("state.backend.type: hashmap\n", flink="1.12", fixed="state.backend.type: hashmap\n"),
    bad("heartbeat.rpc-failure-threshold: 3\nparallelism.default: 2\n", flink="1.13", severity=Severity.ERROR),
    bad("pekko.framesize: 20m\nakka.framesize: 20m\n", flink="1.17", severity=Severity.INFO, at="pekko.framesize"),
    bad(
        "pekko.framesize: 30m\nakka.framesize: 20m\n",
        flink="1.17",
        severity=Severity.ERROR,
        says="reads akka.framesize",
    ),
    bad("state.backend.forst.cache.dir: /data\nrest.port: 8081\n", file="flink-conf.yaml", severity=Severity.ERROR),
    bad("kubernetes.jobmanager.labels.app: a\n", flink="1.13", severity=Severity.ERROR),
    good("execution.checkpointing.dir: s3://b/c\nparallelism.default: 2\n"),
    good("pekko.framesize: 20m\nstate.backend.type: rocksdb\n", file="flink-conf.yaml"),
    good("state.backend.type: rocksdb\nrestart-strategy.type: fixed-delay\n", flink="1.17"),
    good(
        "env.pid.dir: /run/flink\nrestart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 3\n",
        flink="1.9",
    ),
    good("taskmanager.memory.fraction: 0.7\nno.such.key: 1\n", flink="1.18"),
]
