"""A platform's spelling of an option wins over a team's, now or after the next upgrade.

## What it does
Where a document lies upon others (a deployment upon the operator's defaults, a patch upon its base, an environment's
values upon the chart's, a service upon the file it mounts, a script upon its cluster), looks for options that two of
the layers spell differently, with different values. Reports the upper layer's line that

- loses to the lower layer's in the release in use, as an error;
- wins in the release in use and loses from a later release on, as a warning that names the release.

## Why it matters
Layers are merged key by key, as texts: the upper one replaces a line only if it has the very same key. Which spelling
counts is decided afterwards, inside Flink, and there the primary key of the running release comes first, then the old
names in the option's order. No layer counts any more. Take the directory of checkpoints, which was called
`state.checkpoints.dir` up to 1.19:

    layer                       key                           1.19            1.20
    defaults of the platform    execution.checkpointing.dir   not known       wins
    deployment of the team      state.checkpoints.dir         wins            loses

Up to 1.19 the team's checkpoints go where the team says. The change of one line, `flinkVersion: v1_20`, moves them to
the platform's bucket: Flink logs nothing, the retention and the access rights of the one bucket hold no longer, and who
restores from the usual place finds the checkpoints of the day before the upgrade.

`alias-conflict` (FLK006) finds two spellings in one file. Here each file is right in itself.

## What to do
Write the spelling of the lower layer, so that the layers meet in one key; the first fix renames the line. Where the
release in use does not know that spelling yet, write both with the same value: the second fix adds the line, which does
nothing until the upgrade. Better still, let the platform keep to the oldest spelling that all its releases know.

## Not when
- Both layers give the same value, or a template decides on one.
- A typed field stands for the key (`spec.image`): the operator writes the spelling of the release.
- The release is unknown and not all candidates agree.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-core/src/main/java/org/apache/flink/configuration/Configuration.java>:
  `getRawValueFromOption`: the key, then the fallback keys in order
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/configuration/#default-configuration>:
  defaults beneath every deployment
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/release-notes/flink-1.20/>: the checkpointing options got
  new names
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.composites._places import links, release_place
from flink_flint.rules.settings._keys import same_value, shown


class _Defeat(NamedTuple):
    """A line of the upper layer that loses, and what it loses to."""

    loser: Setting
    winner: Setting
    since: int | None
    """The first minor (index) in which it loses; None: in every release that the document is judged for."""


@rule(
    code="FLK052",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["irregular-key"],
    scope="project",
    compares=[],
    several=True,
    since="0.1",
)
def platform_spelling_wins(project: Project) -> Iterator[Finding]:
    """a platform's spelling of an option wins over a team's"""
    for config in project.views:
        for defeat in _defeats(config):
            yield _now(config, defeat) if defeat.since is None else _later(config, defeat, defeat.since)


def _now(config: View, defeat: _Defeat) -> Finding:
    loser, winner, _ = defeat
    return loser.finding(
        f"{winner.written}: {shown(winner.text)} of the layer beneath is another spelling of the same option and wins"
        f" in {config.releases_text}; {shown(loser.text)} here does nothing",
        help=f"write {winner.written} here too, so that this layer replaces that one's line",
        at="entry",
        fix=loser.rename(winner.written, safe=False),
        related=[*links((winner, "wins, though it is the lower layer")), *_today(config)],
        evidence={"wins": winner.written},
    )


def _later(config: View, defeat: _Defeat, since: int) -> Finding:
    loser, winner, _ = defeat
    is_judged = since <= config.target.indices[-1]
    return loser.finding(
        f"{shown(loser.text)} counts up to Flink {MINORS[since - 1]}; from {MINORS[since]} on"
        f" {winner.written}: {shown(winner.text)} of the layer beneath wins, and nothing is logged",
        help=f"write {winner.written} with the same value beside it"
        + ("" if is_judged else f": up to {MINORS[since - 1]} that does nothing"),
        at="entry",
        severity=None if is_judged else Severity.WARNING,
        fix=loser.document.add(
            winner.written, loser.text, f"add {winner.written}: {shown(loser.text)}", safe=not is_judged
        ),
        related=[
            *links((winner, f"wins from {MINORS[since]} on, though it is the lower layer")),
            *_today(config),
        ],
        evidence={"wins": winner.written, "since": MINORS[since]},
    )


def _today(config: View) -> list[Place]:
    """Where the document names the release in use."""
    return [release_place(config, f"Flink {config.target.version} today")] if config.document.release_span else []


def _defeats(config: View) -> Iterator[_Defeat]:
    """The document's own lines that lose to another spelling of a lower layer, with another value."""
    indices = config.target.indices
    for mine, theirs in _rivals(config):
        loser, winner = config.written(mine), config.written(theirs)
        if not (loser.is_known and winner.is_known) or same_value(config, loser, winner):
            continue
        lost = [index for index in range(indices[0], NEWEST + 1) if _at(config, index).overridden_by(mine) == theirs]
        if set(indices) <= set(lost):
            yield _Defeat(loser, winner, None)
        elif config.target.certain and lost and _counts(config, lost[0] - 1, mine):
            yield _Defeat(loser, winner, lost[0])


def _rivals(config: View) -> Iterator[tuple[str, str]]:
    """Written keys of the document, each with another spelling of its option that stands in a lower layer."""
    options = config.catalogue
    written = {key: config.owner(key) for key, entry in config.effective.items() if entry.style != "implied"}
    below: dict[str, list[str]] = {}
    for key, owner in written.items():
        if owner is not config.document:
            for name in options.current_names(key):
                below.setdefault(name, []).append(key)
    for key, owner in written.items():
        if owner is config.document:
            for name in options.current_names(key):
                yield from ((key, other) for other in below.get(name, ()))


def _counts(config: View, index: int, key: str) -> bool:
    """Whether a release reads a written key, and no other spelling of the layers comes before it."""
    return config.catalogue.accept(key, index) is not None and _at(config, index).overridden_by(key) is None


def _at(config: View, index: int) -> Configuration:
    """What a release makes of the layers."""
    release = config.target.release_at(index)
    return Configuration(config.configuration.settings, release, yaml=config.document.yaml_in(index), sole=True)


_PLATFORM = """defaultConfiguration:
  create: true
  append: true
  flink-conf.yaml: |+
    %s
"""
_TEAM = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:%s
  flinkVersion: %s
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    %s
  job:
    jarURI: local:///opt/flink/usrlib/orders.jar
    parallelism: 2
"""
_OURS = "state.checkpoints.dir: s3://orders/checkpoints"
_THEIRS = "execution.checkpointing.dir: s3://platform/checkpoints"
_NEW = "execution.checkpointing.dir: s3://orders/checkpoints"
_DEFAULTS = {"operator/values.yaml": _PLATFORM % _THEIRS}


def cases() -> list[Case]:
    return [
        bad(
            _TEAM % ("1.20.4", "v1_20", _OURS),
            file="orders.yaml",
            beside=_DEFAULTS,
            severity=Severity.ERROR,
            at="state.checkpoints.dir: s3://orders/checkpoints",
            says="wins in Flink 1.20.4",
            fixed=_TEAM % ("1.20.4", "v1_20", _NEW),
        ),
        bad(
            _TEAM % ("1.19.3", "v1_19", _OURS),
            file="orders.yaml",
            beside=_DEFAULTS,
            severity=Severity.WARNING,
            at="state.checkpoints.dir: s3://orders/checkpoints",
            says="counts up to Flink 1.19; from 1.20 on",
            fixed=_TEAM % ("1.19.3", "v1_19", f"{_OURS}\n    {_NEW}"),
        ),
        good(
            _TEAM % ("1.20.4", "v1_20", "execution.checkpointing.dir: s3://orders/checkpoints"),
            file="orders.yaml",
            beside=_DEFAULTS,
        ),
        good(
            _TEAM % ("1.19.3", "v1_19", _OURS + "\n    execution.checkpointing.dir: s3://orders/checkpoints"),
            file="orders.yaml",
            beside=_DEFAULTS,
        ),
        *cases_in_folders(__file__),
    ]
