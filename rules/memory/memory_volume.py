"""A volume that is memory takes from what the container has for Flink.

## What it does
Tells where a pod template of a custom resource has a volume `emptyDir` with `medium: Memory` and without a `sizeLimit`
that is mounted into Flink's own container.

## Why it matters
Such a volume is a tmpfs, and what lies in it counts as memory of the container. Flink's memory model knows nothing of
it: the process is given the whole limit, and each file beside it, a downloaded jar, a spilled sort, a heap dump, brings
the container nearer to being killed (exit code 137).

## What to do
Take `medium: Memory` away, so that the volume is on the node's disk. If it is to be memory (secrets, a few files), give
it a small `sizeLimit`, and raise the JVM overhead by as much.

## Not when
The volume has a `sizeLimit`. It holds RocksDB's files: `state-in-memory-volume` speaks about that. It belongs to
another container of the pod.

## Sources
- <https://kubernetes.io/docs/concepts/storage/volumes/#emptydir>: what is in such a volume counts as memory
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/>: the whole process size is
  shared out
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import MAIN_CONTAINER
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources
from flink_flint.rules.storage._memory_volumes import memory_volumes, state_directories


@rule(
    code="FLK226",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=[f"element:kubernetes-object/{kind}" for kind in CLUSTERS],
    flink=">=1.0",
    of_scale=True,
    since="0.1",
)
def memory_volume(config: View) -> Iterator[Finding]:
    """a volume that is memory takes from what the container has for Flink"""
    for resource in resources(config, *CLUSTERS):
        for volume in memory_volumes(resource.part):
            mount = next((one for one in volume.mounts if one.container == MAIN_CONTAINER), None)
            if mount is None or resource.part.has(volume.medium.removesuffix("medium") + "sizeLimit"):
                continue
            state = state_directories(config)
            if state is not None and volume.holds(state[1]):
                continue
            yield resource.part.finding(
                f"each file in {mount.path} is memory of the container, all of which Flink's process is given as well",
                of=volume.medium,
                help="take medium: Memory away, or give the volume a small sizeLimit and the JVM overhead as much more",
            )


def _resource(volume: str, container: str = MAIN_CONTAINER, configuration: str = "", of: str = "containers") -> str:
    return deployment(
        configuration,
        spec=f"podTemplate:\n  spec:\n    {of}:\n"
        f"      - name: {container}\n        volumeMounts:\n          - {{name: disk, mountPath: /opt/disk}}\n"
        "          - {name: scratch, mountPath: /opt/scratch}\n"
        f"    volumes:\n      - name: disk\n        emptyDir: {{}}\n      - name: scratch\n        emptyDir: {volume}",
    )


_ROCKSDB = "state.backend.type: rocksdb\nstate.backend.rocksdb.localdir: /opt/{}"


def cases() -> list[Case]:
    return [
        bad(
            _resource("{medium: Memory}"),
            file="deployment.yaml",
            at="Memory",
            severity=Severity.INFO,
            says="each file in /opt/scratch",
        ),
        bad(_resource("{medium: Memory}", configuration=_ROCKSDB.format("state")), file="deployment.yaml"),
        good(_resource("{medium: Memory}", configuration=_ROCKSDB.format("scratch/db")), file="deployment.yaml"),
        bad(_resource("{medium: Memory}", configuration="state.backend.type: rocksdb"), file="deployment.yaml"),
        bad(_resource("{medium: Memory}", configuration=_ROCKSDB.format("{{ folder }}")), file="deployment.yaml"),
        bad(
            _resource("{medium: Memory}", configuration="state.backend.type: hashmap\nio.tmp.dirs: /opt/scratch"),
            file="deployment.yaml",
        ),
        good(
            _resource(
                "{medium: Memory}", configuration="state.backend.type: rocksdb\nio.tmp.dirs: /data,/opt/scratch/a"
            ),
            file="deployment.yaml",
        ),
        good(_resource("{medium: HugePages}"), file="deployment.yaml"),
        good(_resource("{medium: Memory}", of="initContainers"), file="deployment.yaml"),
        good(_resource("{medium: Memory, sizeLimit: 64Mi}"), file="deployment.yaml"),
        good(_resource("{sizeLimit: 4Gi}"), file="deployment.yaml"),
        good(_resource("{medium: Memory}", "sidecar"), file="deployment.yaml"),
        *cases_in_folders(__file__),
    ]
