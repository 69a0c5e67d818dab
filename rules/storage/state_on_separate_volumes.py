"""JobManager and TaskManager have different volumes at the path of their checkpoints.

## What it does
Looks at containers of a Compose file that mount a configuration of the repository at a path of their own, from which a
script takes it (`./flink-conf.yaml:/tmp/flink-conf.yaml`). Follows the directories of its checkpoints, savepoints and
high availability to the volumes of the JobManager and the TaskManagers, and reports two that differ.

## Why it matters
TaskManagers write the state of a checkpoint, and the JobManager writes `_metadata` and deletes old checkpoints, each at
the same path on another volume. Old checkpoints of the TaskManager are never deleted and fill its volume, and a job
started from a checkpoint or savepoint does not find its files: `FileNotFoundException: ... (No such file or
directory)`.

## What to do
Mount one volume in both.

## Not when
Both mount the same source, or one has no volume there: what it then loses, and configurations that are mounted where
Flink reads them, are the business of `state-dir-on-local-disk`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/#directory-structure>: what is stored
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-dir>: every
  process must reach the directory
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.checkpoints._state_directories import (
    OF_STATE,
    HeldDirectory,
    LocalDirectory,
    held,
    local_directories,
)


@rule(
    code="FLK194",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:container/compose"],
    scope="project",
    compares=[(["element:container/compose"], OF_STATE)],
    since="0.1",
)
def state_on_separate_volumes(project: Project) -> Iterator[Finding]:
    """JobManager and TaskManager keep checkpoints on different volumes"""
    files: dict[str, list[View]] = {}
    for config in project.views:
        if config.document.is_configuration_file and not config.is_mounted:
            files.setdefault(os.path.abspath(config.document.path), []).append(config)
    if not files:
        return
    reported: set[object] = set()
    for config in project.views:
        if config.platform != "compose" or config.document.kind != "compose":
            continue
        containers = config.elements("container", "neighbor")
        for source in _mounted(containers):
            for found in files.get(source, ()):
                for directory in local_directories(found, OF_STATE[:2]):
                    yield from _judge(directory, containers, reported)


def _mounted(containers: Sequence[ElementView]) -> Iterator[str]:
    """Yield the paths of the files of the repository that containers mount."""
    seen: set[str] = set()
    for container in containers:
        for volume in container.items("volumes"):
            source = volume.text("source")
            if source is not None and source.startswith((".", "/")) and source not in seen:
                seen.add(source)
                yield os.path.abspath(container.document.absolute(source))


def _judge(directory: LocalDirectory, containers: Sequence[ElementView], reported: set[object]) -> Iterator[Finding]:
    places: dict[str, HeldDirectory] = {}
    for container in containers:
        role = container.text("role")
        place = held(container, container.items("volumes"), directory.location.path)
        if role in ("jobmanager", "taskmanager") and place is not None:
            places.setdefault(role, place)
    if len(places) < 2:
        return
    ours, theirs = places["jobmanager"], places["taskmanager"]
    if ours.volume is None or theirs.volume is None or None in (ours.source, theirs.source):
        return
    if ours.source == theirs.source or not (ours.is_lasting and theirs.is_lasting):
        return
    where = theirs.volume.document.path, theirs.volume.span("target")
    if where in reported:
        return
    reported.update((where, (ours.volume.document.path, ours.volume.span("target"))))
    setting = directory.setting.place(directory.what)
    names = [
        f"{one.container.name} has {one.volume.text('source')}" for one in (theirs, ours) if one.volume is not None
    ]
    yield theirs.volume.finding(
        f"{directory.what} go to {directory.location.path}, where {' and '.join(names)}: old state is never deleted,"
        " and no job starts from it (FileNotFoundException)",
        of="source",
        key=directory.setting.key,
        help="mount one volume in both",
        related=[ours.volume.place("source", f"of {ours.container.name}"), *([setting] if setting is not None else [])],
    )


_COMPOSE = """services:
  jobmanager:
    image: flink:1.20
    entrypoint: /flink-entrypoint.sh
    command: jobmanager
    volumes:
      - ./flink-conf.yaml:/tmp/flink-conf.yaml
      - {ours}:/data
  taskmanager:
    image: flink:1.20
    entrypoint: /flink-entrypoint.sh
    command: taskmanager
    volumes:
      - ./flink-conf.yaml:/tmp/flink-conf.yaml
      - {theirs}:/data
volumes: {{one: {{}}, other: {{}}}}
"""


def cases() -> list[Case]:
    conf = {"flink-conf.yaml": "state.checkpoints.dir: file:///data/checkpoints\nrest.port: 8081\n"}
    elsewhere = {"flink-conf.yaml": "state.checkpoints.dir: hdfs:///data/checkpoints\nrest.port: 8081\n"}
    return [
        bad(_COMPOSE.format(ours="one", theirs="other"), file="docker-compose.yaml", beside=conf, times=1,
            at="execution.checkpointing.dir", severity=Severity.WARNING, says="has other and jobmanager has one"),
        bad(_COMPOSE.format(ours="./jm", theirs="./tm"), file="docker-compose.yaml", beside=conf),
        good(_COMPOSE.format(ours="one", theirs="one"), file="docker-compose.yaml", beside=conf),
        good(_COMPOSE.format(ours="one", theirs="other"), file="docker-compose.yaml", beside=elsewhere),
        good(_COMPOSE.format(ours="one", theirs="other"), file="docker-compose.yaml"),
    ]  # fmt: skip
