"""Applications with high availability have the same job ID and write into one folder of checkpoints.

## What it does
Looks for two commands `flink run-application`, for different jobs on YARN or Kubernetes, that have high availability
and the same `state.checkpoints.dir`, before Flink 1.16.

## Why it matters
With high availability an application has a fixed job ID, which is `00000000000000000000000000000000` for all of them
before 1.16. Checkpoints go to a folder named after it: both jobs write
`<dir>/00000000000000000000000000000000/chk-42`. The second gets `Target file .../chk-42/_metadata already exists` and
its checkpoints fail, or one job deletes the checkpoints of the other when it has newer ones, and a restore takes the
state of another job.

## What to do
Give each application its own folder: `-Dstate.checkpoints.dir=hdfs:///flink/checkpoints/orders`. Flink 1.16 and newer
make the ID of the cluster ID, which differs.

## Not when
- The commands run the same job under one name: they are for different environments or days.
- The folders differ, or are not known, or the commands set another job ID.
- One of them switches high availability off.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-19358>: the ID is the same in all applications
- <https://nightlies.apache.org/flink/flink-docs-release-1.15/docs/ops/state/checkpoints/#directory-structure>
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode

_DIRECTORY = "execution.checkpointing.dir"
_JOB_ID = "internal.pipeline.job-id"
_NAMES = ("yarn.application.name", "kubernetes.cluster-id", "pipeline.name")


@rule(
    code="FLK425",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=[_DIRECTORY],
    when=["element:command"],
    scope="project",
    compares=[([_DIRECTORY], ["element:command"]), (["element:command"], ["element:command"])],
    flink=">=1.11,<1.16",
    since="0.1",
)
def applications_share_job_id(project: Project) -> Iterator[Finding]:
    """applications with high availability share a job ID and a folder of checkpoints"""
    commands = [(config, part) for config in project.views for part in _applications(config)]
    if len(commands) < 2:
        return
    files = [config for config in project.views if config.document.is_configuration_file and config.is_set(_DIRECTORY)]
    shared = files[0] if len(files) == 1 else None
    groups: dict[str, list[tuple[View, ElementView, Setting]]] = defaultdict(list)
    for config, part in commands:
        own = config.get(_DIRECTORY)
        setting = own if own.is_set else shared.get(_DIRECTORY) if shared is not None else own
        if setting.is_set and setting.is_known and _is_available(config, shared):
            groups[setting.text.rstrip("/")].append((config, part, setting))
    for directory, group in groups.items():
        config, part, setting = group[0]
        other = next((one for one in group[1:] if _is_another_job(config, part, one[0], one[1])), None)
        if other is not None:
            yield setting.finding(
                "before Flink 1.16 high availability gives each application the job ID"
                f" 00000000000000000000000000000000: {_job(config, part)} and {_job(*other[:2])} write over"
                f" each other's checkpoints in {directory}",
                help=f"give each its own: -D{setting.written}={directory}/NAME",
                related=[part.place("action", "one application"), other[1].place("action", "another")],
            )


def _applications(config: View) -> list[ElementView]:
    if config.document.kind != "shell" or _JOB_ID in config.document.text:
        return []
    return [one for one in config.elements("command") if one.text("action") == "run-application"]


def _is_available(config: View, shared: View | None) -> bool:
    """Return whether an application has high availability, of its own or by the configuration of all."""
    if not config.is_set("high-availability.type") and shared is not None:
        config = shared
    return mode(config) not in (NONE, UNKNOWN)


def _is_another_job(config: View, part: ElementView, other: View, another: ElementView) -> bool:
    jars = part.text("arguments[0]"), another.text("arguments[0]")
    classes = part.text("options.class"), another.text("options.class")
    if None not in jars and jars[0] != jars[1]:
        return True
    if None not in classes and classes[0] != classes[1]:
        return True
    return any(
        config.get(name).is_set
        and other.get(name).is_set
        and config.is_known(name)
        and other.is_known(name)
        and config.get(name).text != other.get(name).text
        for name in _NAMES
    )


def _job(config: View, part: ElementView) -> str:
    names = (config.get(name).text for name in _NAMES if config.get(name).is_set and config.is_known(name))
    return next(names, None) or part.text("arguments[0]") or "a job"


_CONF = """high-availability: zookeeper
high-availability.storageDir: hdfs:///flink/ha
high-availability.zookeeper.quorum: zk-1:2181
state.checkpoints.dir: hdfs:///flink/checkpoints
"""
_RUN = "flink run-application -t yarn-application -Dyarn.application.name={0}{1} {0}.jar\n"


def _submit(first: str = "", second: str = "", name: str = "users") -> dict[str, str]:
    return {"submit.sh": _RUN.format("orders", first) + _RUN.format(name, second)}


def cases() -> list[Case]:
    return [
        bad(
            _CONF, file="flink-conf.yaml", flink="1.14", beside=_submit(), at=_DIRECTORY,
            severity=Severity.ERROR, says="orders and users write over each other's",
        ),
        bad(
            _submit(" -Dhigh-availability=zookeeper -Dstate.checkpoints.dir=hdfs:///c",
                    " -Dhigh-availability=zookeeper -Dstate.checkpoints.dir=hdfs:///c/")["submit.sh"],
            file="submit.sh", flink="1.15", at=_DIRECTORY,
        ),
        good(_CONF, file="flink-conf.yaml", flink="1.16", beside=_submit()),
        good(_CONF, file="flink-conf.yaml", flink="1.14",
             beside=_submit(" -Dstate.checkpoints.dir=hdfs:///a", " -Dstate.checkpoints.dir=hdfs:///b")),
        good(_CONF, file="flink-conf.yaml", flink="1.14", beside=_submit(name="orders")),
        good(_CONF, file="flink-conf.yaml", flink="1.14", beside=_submit(" -Dhigh-availability=NONE")),
        good(_CONF.replace("zookeeper\n", "NONE\n", 1), file="flink-conf.yaml", flink="1.14", beside=_submit()),
        good(_CONF, file="flink-conf.yaml", flink="1.14", beside=_submit(" '-D$internal.pipeline.job-id=1'")),
        good(_CONF, file="flink-conf.yaml", flink="1.14",
             beside={"submit.sh": "flink run -t yarn-session a.jar\nflink run -t yarn-session b.jar\n"}),
    ]  # fmt: skip
