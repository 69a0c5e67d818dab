"""The state of running tasks is in a volume that is memory.

## What it does
With the state backend `rocksdb` (or `forst`) it looks for a volume `emptyDir` with `medium: Memory` whose mount holds
`state.backend.rocksdb.localdir` (or `io.tmp.dirs`).

## Why it matters
Such a volume is a tmpfs: what is written to it counts as memory of the pod. A state backend whose purpose is to keep
state on disk then fills the container's memory beside heap and managed memory, and the kernel kills the TaskManager
(exit code 137). After the restart the state is restored to the same place.

## What to do
Take `medium: Memory` away, or mount a disk (a generic ephemeral volume, a local SSD), and request
`ephemeral-storage` for about two and a half times the state of a TaskManager.

## Not when
The directory is elsewhere; the heap backend is used; the values are templates.

## Sources
- <https://kubernetes.io/docs/concepts/storage/volumes/#emptydir>: what is in such a volume counts as memory
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/state_backends/>: where RocksDB keeps its files
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.storage._memory_volumes import memory_volumes, state_directories


@rule(
    code="FLK112",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["state.backend.type"],
    flink=">=1.9",
    since="0.1",
)
def state_in_memory_volume(config: View) -> Iterator[Finding]:
    """the state of running tasks is in a volume that is memory"""
    found = state_directories(config)
    if found is None:
        return
    setting, directories = found
    for resource in config.elements("kubernetes-object"):
        for volume in memory_volumes(resource):
            if volume.holds(directories):
                yield resource.finding(
                    f"the state in {setting.text} is in memory (a tmpfs), which the pod's limit counts: as it grows,"
                    " the TaskManager is killed",
                    of=volume.medium,
                    help="take medium: Memory away, or mount a disk",
                    related=[setting],
                )


_CR = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_20
  flinkConfiguration:
    state.backend.type: {backend}
    state.backend.rocksdb.localdir: {directory}
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          volumeMounts:
            - name: state
              mountPath: /opt/state
      volumes:
        - name: state
          emptyDir: {volume}
"""


def cases() -> list[Case]:
    return [
        bad(
            _CR.format(backend="rocksdb", directory="/opt/state", volume="{medium: Memory}"),
            file="deployment.yaml",
            at="Memory",
        ),
        bad(
            _CR.format(backend="rocksdb", directory="/opt/state/db", volume="{medium: Memory, sizeLimit: 4Gi}"),
            file="deployment.yaml",
            says="/opt/state/db",
        ),
        good(_CR.format(backend="rocksdb", directory="/opt/state", volume="{sizeLimit: 4Gi}"), file="deployment.yaml"),
        good(_CR.format(backend="hashmap", directory="/opt/state", volume="{medium: Memory}"), file="deployment.yaml"),
        good(
            _CR.format(backend="rocksdb", directory="/opt/stateful", volume="{medium: Memory}"), file="deployment.yaml"
        ),
    ]
