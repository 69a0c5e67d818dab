"""Volumes of directories that only some of the pods of a cluster can reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.model.finding import Confidence, Finding, Place, Severity
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.checkpoints._state_directories import READS, LocalDirectory, holders, local_directories
from flink_flint.rules.composites._places import links

if TYPE_CHECKING:
    from flink_flint.linter.model.processes.process_view import ProcessView

    _Pod = tuple[ProcessView | ElementView, ElementView]
    """A process or a container beside it, and the volume on which it has a directory."""

_ONE_MACHINE = ("ReadWriteOnce", "ReadWriteOncePod")


def volumes_out_of_reach(project: Project, in_pods: Sequence[View]) -> Iterator[Finding]:
    """Yield findings on local paths of processes in pods whose volume is not where all pods are."""
    claims: dict[str, list[ElementView]] = defaultdict(list)
    for config in project.views:
        for claim in config.elements("volume-claim"):
            claims[claim.name].append(claim)
    told: set[int] = set()
    folders: dict[tuple[int, str], list[tuple[LocalDirectory, list[_Pod]]]] = {}
    for config in in_pods:
        for directory in local_directories(config, READS):
            pods = [(place.container, place.volume) for place in holders(config, directory) or () if place.volume]
            if len(pods) < 2:
                continue
            restrict = _claim(pods, claims)
            if restrict is not None and id(restrict.element) not in told:
                told.add(id(restrict.element))
                yield _on_one_machine(restrict, directory, pods)
            elif {volume.text("kind") for _, volume in pods} == {"bind"}:
                target = pods[0][1].text("target") or ""
                folders.setdefault((id(config.document), target), []).append((directory, pods))
    for (first, pods), *more in folders.values():
        yield _on_each_machine(first, pods, [directory for directory, _ in more])


def _claim(pods: Sequence[_Pod], claims: dict[str, list[ElementView]]) -> ElementView | None:
    """The claim that all pods mount, where one machine alone may have it."""
    mounted = {(volume.text("kind"), volume.text("source")) for _, volume in pods}
    (kind, name), *others = mounted
    found = claims.get(name or "", [])
    if kind != "claim" or others or len(found) != 1:
        return None
    modes = [mode.text("") for mode in found[0].items("access")]
    return found[0] if modes and all(mode in _ONE_MACHINE for mode in modes) else None


def _on_one_machine(claim: ElementView, directory: LocalDirectory, pods: Sequence[_Pod]) -> Finding:
    setting, location, what = directory
    mode = claim.text("access[0]") or ""
    names = " and ".join(container.name for container, _ in pods[:2])
    where = "one pod may have it" if mode.endswith("Pod") else "one machine may have it"
    return claim.finding(
        f"{what} go to {location.path}, which {names} mount from the claim {claim.name}: it is {mode}, so {where} at a"
        " time, and the pods on others never start (Multi-Attach error)",
        of="access[0]",
        key=f"{claim.name}.accessModes",
        help="make the claim ReadWriteMany, or keep them in an object store",
        severity=None if mode.endswith("Pod") else Severity.WARNING,
        related=[*links((setting, what)), *_mounts(pods)],
        evidence={"directory": location.path, "mode": mode},
    )


def _on_each_machine(directory: LocalDirectory, pods: Sequence[_Pod], more: Sequence[LocalDirectory]) -> Finding:
    setting, location, what = directory
    return setting.finding(
        f"{what} go to {location.path}, a hostPath: each machine has a folder of its own there, and what a TaskManager"
        " writes on one the JobManager does not find on another",
        help="use a claim that is ReadWriteMany, or an object store",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        related=[*_mounts(pods), *links(*((one.setting, f"{one.what} too") for one in more))],
        evidence={"directory": location.path},
    )


def _mounts(pods: Sequence[_Pod]) -> list[Place]:
    """Where the pods mount it, each place once: a template may be that of both."""
    names: dict[Place, list[str]] = defaultdict(list)
    for container, volume in pods:
        names[volume.place("source" if volume.has("source") else "target")].append(container.name)
    return [place._replace(message=f"mounted in {' and '.join(found)}") for place, found in names.items()]
