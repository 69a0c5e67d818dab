"""The lengths of lists in state, not their bytes, fill the JobManager's heap.

## What it does
Follows a chain over three files: the sequences of the datagen tables of a SQL script, the parallelism and the frame
that let their acknowledgements through, and the heap of the JobManager of the deployment that runs the script. It adds
up all sequences of the jobs of one JobManager and reports where the metadata of their checkpoints takes more than half
of its heap.

## Why it matters
Every element of operator list state is 8 bytes in the acknowledgement of its subtask: where the element begins in the
file. The JobManager collects them all, so that it does not matter over how many subtasks they are spread:

    acknowledgement = 8 bytes x elements / parallelism     must be below the RPC frame
    metadata        = 8 bytes x elements                   whatever the parallelism, the frame, the threshold
    heap held       = metadata x (retained + concurrent + 1)

The last factor counts the checkpoints that are retained, those in progress, and the one that a new one replaces until
its files are deleted: 3 by default. With 80,000,000 numbers over 16 subtasks an acknowledgement is 38 MiB. A frame of
64 MiB carries it, and every file for itself looks right. But the metadata is 610 MiB, and 1831 MiB lie on a heap of
1 GiB: the JobManager dies of `OutOfMemoryError: Java heap space` while it completes a checkpoint, comes back, restores,
and dies again.

More parallelism, a larger frame and a lower inline threshold (`execution.checkpointing.data-inline-threshold`), the
usual advice, change none of the last two lines: the threshold moves the elements into files, and the positions stay.

`datagen-sequence-state` (FLK380) judges one table's acknowledgement against the frame. This rule speaks of what comes
after it: the sum over all tables and scripts, against a heap that another file sets.

## What to do
Take `random` with the bounds as `min` and `max`, or number the rows in the query; in a program `DataGeneratorSource`
keeps bounds only. If the sequences must stay, give the JobManager the heap that the finding names, and retain fewer
checkpoints.

## Not when
Batch jobs have no checkpoints. A script that no deployment of the run belongs to has no heap to compare with
(`[[link]]` in the preferences tells which it is); neither has a JobManager whose memory a template fills in. Up to the
threshold `share` of the heap (one half by default) the metadata is borne; above it there is a warning, and an error
where it exceeds the whole heap. Whether a job has checkpoints at all a script need not say, hence medium confidence
unless each sets the interval.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/state/OperatorStateHandle.java>:
  `StateMetaInfo` holds a `long[]` of the positions of all elements
- <https://issues.apache.org/jira/browse/FLINK-31192>: the sequence is in the state, number by number
- measured on 1.20.5: 1,400,000 elements are a message of 11,204,868 bytes; with one retained checkpoint a JobManager
  died at 2.2 to 2.7 bytes of heap for each byte of metadata, beside 70 MiB
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.flink.values import MAX_LONG
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import (
    Case,
    Confidence,
    Finding,
    Severity,
    Threshold,
    bad,
    cases_in_folders,
    good,
    rule,
)
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.composites._places import first_set, links
from flink_flint.rules.inlining._frame import FRAME, frame_of
from flink_flint.rules.inlining._sequences import reader_of, sequences, subtasks_of
from flink_flint.rules.sql._queries import in_force, is_streaming, parallelism, tables

_INTERVAL = "execution.checkpointing.interval"
_RETAINED = "execution.checkpointing.num-retained"
_CONCURRENT = "execution.checkpointing.max-concurrent-checkpoints"
_STEP = 256 << 20
_SIZES = tuple(f"jobmanager.memory.{part}" for part in ("heap.size", "flink.size", "process.size"))


class _Source(NamedTuple):
    """A table with sequences that a job reads."""

    config: View
    table: ElementView
    field: str
    elements: int
    subtasks: int | None
    held: int
    """Bytes of the JobManager's heap."""
    has_interval: bool

    @property
    def end(self) -> str:
        """The attribute that says how long the longest sequence is."""
        return f"with.fields.{self.field}.end"

    @property
    def message(self) -> int | None:
        """The bytes of the acknowledgement of one subtask; None where the parallelism is not known."""
        return None if self.subtasks is None else ack.acknowledgement(-(-self.elements // self.subtasks))


@rule(
    code="FLK051",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    when=["element:table"],
    scope="project",
    compares=[],
    several=True,
    flink=">=1.11",
    since="0.1",
    thresholds={"share": Threshold(0.5, "part of the JobManager's heap that metadata of lists may take")},
)
def sequences_fill_jobmanager(project: Project) -> Iterator[Finding]:
    """the lengths of lists in state fill the JobManager's heap"""
    clusters: dict[int, tuple[View, list[_Source]]] = {}
    for config in project.views:
        found = list(_sources(config))
        cluster = project.base_of(config) if found else None
        if cluster is None:
            continue
        # An application has a JobManager for each script, a session one for all.
        of = config if _is_application(cluster) else cluster
        clusters.setdefault(id(of), (cluster, []))[1].extend(found)
    for cluster, found in clusters.values():
        yield from _judge(cluster, found)


def _is_application(cluster: View) -> bool:
    return any(resource.has("spec.job") for resource in cluster.elements("kubernetes-object"))


def _sources(config: View) -> Iterator[_Source]:
    """The tables of a script that give out sequences as a stream."""
    for table in tables(config, "datagen"):
        fields = sequences(table)
        reader = reader_of(config, table) if fields else None
        if reader is None or not is_streaming(config, reader):
            continue
        elements = sum(count for _, count in fields)
        longest, _ = max(fields, key=lambda field: field[1])
        retained, concurrent = in_force(config, reader, _RETAINED), in_force(config, reader, _CONCURRENT)
        if not isinstance(retained, int) or not isinstance(concurrent, int):
            continue
        held = ack.held(ack.BYTES_OF_AN_ELEMENT * elements, max(1, retained), max(1, concurrent))
        interval = in_force(config, reader, _INTERVAL) is not None
        yield _Source(config, table, longest, elements, subtasks_of(config, table, reader), held, interval)


def _judge(cluster: View, found: list[_Source]) -> Iterator[Finding]:
    memory = cluster.jobmanager_memory()
    held = sum(source.held for source in found)
    largest = max(found, key=lambda source: source.held)
    share = largest.config.threshold("share")
    if memory is None or held <= share * memory.heap:
        return
    metadata = ack.BYTES_OF_AN_ELEMENT * sum(source.elements for source in found)
    size = first_set(cluster, _SIZES)
    enough = max(ack.jobmanager_heap(held), math.ceil(min(held / max(share, 1e-9), MAX_LONG) / _STEP) * _STEP)
    has_interval = all(source.has_interval for source in found)
    yield largest.table.finding(
        f"{metadata // ack.BYTES_OF_AN_ELEMENT:,} numbers of sequences are {readable(metadata)} in the metadata of each"
        f" checkpoint, 8 bytes for each, and the JobManager holds {readable(held)} of that on a heap of"
        f" {readable(memory.heap)}" + (": it runs out of memory" if held > memory.heap else ""),
        of=largest.end,
        help="use kind 'random', or number the rows in the query; neither parallelism nor the frame nor the inline"
        f" threshold changes these bytes, only a heap of {readable(enough)} would hold them",
        severity=None if held > memory.heap and has_interval else Severity.WARNING,
        confidence=Confidence.HIGH if has_interval else None,
        related=[
            *(one.table.place(one.end, f"{one.elements:,} more numbers") for one in found if one is not largest),
            *_carried(cluster, largest),
            *links(
                (largest.config.get(_RETAINED), f"{largest.held // (8 * largest.elements)} checkpoints are held"),
                (size, f"a heap of {readable(memory.heap)}"),
            ),
        ],
        evidence={"elements": metadata // 8, "metadata": metadata, "held": held, "heap": memory.heap},
        measure=held / max(1, memory.heap),
    )


def _carried(cluster: View, source: _Source) -> list[Place]:
    """Where it is set that acknowledgements of a source get through."""
    message, frame = source.message, frame_of(cluster)
    if message is None or frame is None:
        return []
    _, spread = parallelism(source.config)
    carries = "carries" if message <= frame else "does not even carry"
    return links(
        (spread, f"{source.subtasks:,} subtasks acknowledge with {readable(message)} each"),
        (cluster.get(FRAME), f"a frame of {readable(frame)} {carries} that"),
    )


_SCRIPT = """SET 'execution.checkpointing.interval' = '1 min';
CREATE TABLE orders (
  id BIGINT,
  price DOUBLE
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '20000',
  'fields.id.kind' = 'sequence',
  'fields.id.start' = '1',
  'fields.id.end' = '%s'
);
CREATE TABLE sink (id BIGINT) WITH ('connector' = 'print');
INSERT INTO sink SELECT id FROM orders;
"""
_CLUSTER = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: load-test
spec:
  image: flink:1.20.4
  flinkVersion: v1_20
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "4"
    parallelism.default: "16"
    pekko.framesize: 67108864b
  jobManager:
    resource:
      memory: %s
      cpu: 1
  taskManager:
    resource:
      memory: 4g
      cpu: 2
"""
_BUILD = "[project]\nname = 'load-test'\n"


def _beside(memory: str = "1600m", **more: str) -> dict[str, str]:
    return {"pyproject.toml": _BUILD, "k8s/cluster.yaml": _CLUSTER % memory} | more


def cases() -> list[Case]:
    return [
        bad(
            _SCRIPT % 80_000_000,
            file="orders.sql",
            beside=_beside(),
            severity=Severity.ERROR,
            at="'80000000'",
            says="610.4 MiB in the metadata of each checkpoint, 8 bytes for each, and the JobManager holds 1831.1 MiB",
        ),
        bad(_SCRIPT % 30_000_000, file="orders.sql", beside=_beside(), severity=Severity.WARNING),
        good(_SCRIPT % 20_000_000, file="orders.sql", beside=_beside()),
        # An application has a JobManager of its own for each script.
        good(
            _SCRIPT % 20_000_000,
            file="orders.sql",
            beside={
                "pyproject.toml": _BUILD,
                "more.sql": _SCRIPT % 15_000_000,
                "cluster.yaml": _CLUSTER % "1600m" + "  job:\n    jarURI: local:///opt/flink/usrlib/runner.jar\n",
            },
        ),
        *cases_in_folders(__file__),
    ]
