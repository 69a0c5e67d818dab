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

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.target import SEVERAL_IMAGES
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._keys import fits_all, lifetime, target_name


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
    if config.accept(key) is not None:
        return
    releases = options.releases(key)
    if not releases or releases[0] <= config.index:
        return
    if config.target.evidence == SEVERAL_IMAGES and releases[0] <= config.target.indices[-1]:
        return
    name, other = _name_here(config, setting), config.get(setting.key)
    same = other.text == setting.text
    if other.is_set:
        consequence = f"{target_name(config)} reads {other.written} instead"
    else:
        consequence = f"{target_name(config)} ignores the line without a word"
    yield setting.finding(
        f"{key} exists in {lifetime(config, key)}; {consequence}",
        at="key",
        help=_remedy(config, key, name, other, is_same=same),
        severity=Severity.INFO if same else None,
        fix=None if name is None or other.is_set else _rename(config, setting, name),
        related=[other] if other.is_set else [],
        evidence={"first_release": MINORS[releases[0]]},
    )


def _remedy(config: View, key: str, name: str | None, other: Setting, *, is_same: bool) -> str:
    came = f"Flink {MINORS[config.catalogue.releases(key)[0]]}"
    if other.is_set and is_same:
        return f"nothing now: the line waits for {came}, with the value of {other.written}"
    if other.is_set:
        return f"delete the line; {other.written} sets the option here"
    if name is not None:
        return f"write {name}, its name in {target_name(config)}"
    return _entry_of_map(config, key) or f"delete the line, or upgrade to {came} or later"


def _rename(config: View, setting: Setting, name: str) -> Fix | None:
    assert setting.entry is not None
    if not fits_all(config, name, setting.entry.value):
        return None
    is_hashmap = (setting.key, setting.text.lower()) == ("state.backend.type", "hashmap")
    if is_hashmap and not config.since("1.13"):
        return None  # a release before the name refuses to start on it
    return setting.rename(name, safe=False)  # it would switch on what Flink has ignored so far


def _name_here(config: View, setting: Setting) -> str | None:
    """What the release calls the option; None where it has no such option."""
    resolution = config.configuration.resolve(setting.key)
    return None if resolution.option is None else resolution.name


def _entry_of_map(config: View, key: str) -> str | None:
    """How to write an entry of a map option, which releases before 1.14 do not take as a key of its own."""
    options = config.catalogue
    accepted = options.accept(key, options.releases(key)[0])
    if accepted is None or accepted.how != "map" or config.accept(accepted.option.key) is None:
        return None
    parent = accepted.option.key
    return f"write the entry into the map: `{parent}: {key[len(parent) + 1 :]}:<value>`"


def cases() -> list[Case]:
    return [
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
        bad(
            "pekko.framesize: 20m\nakka.framesize: 20m\n",
            flink="1.17",
            severity=Severity.INFO,
            at="pekko.framesize",
            fixed="pekko.framesize: 20m\nakka.framesize: 20m\n",
        ),
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
        bad(
            "execution.checkpointing.num-retained: many\n",
            flink="1.18",
            fixed="execution.checkpointing.num-retained: many\n",
        ),
        bad(
            "execution.checkpointing.num-retained: 3\n",
            flink=">=1.18,<2",
            file="flink-conf.yaml",
            at="execution.checkpointing.num-retained",
        ),
        bad("execution.checkpointing.num-retained: 3\n", flink="1.19", fixed="state.checkpoints.num-retained: 3\n"),
        bad("state.backend.type: hashmap\n", flink="1.15", fixed="state.backend: hashmap\n"),
        bad("state.backend.type: rocksdb\n", flink="1.12", fixed="state.backend: rocksdb\n"),
        bad("pekko.framesize: 20m\n", flink=">=1.17,<1.19", file="flink-conf.yaml"),
        *cases_in_folders(__file__),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores("restart strategy", "restart-strategy.type: none\n", releases="<1.17"),
        flink_ignores("state backend", "state.backend.type: rocksdb\n", releases="<1.17"),
        flink_ignores("checkpoint storage", "execution.checkpointing.dir: file:///data/c\n", releases="<1.20"),
        flink_ignores(
            "job",
            "execution.buffer-timeout.interval: 5 s\n",
            releases=">=1.10,<1.16",
            also="1.16.0 1.17.0",
        ),
    ]
