"""Hardly any heap is left for the tasks.

## What it does
Derives the memory of the TaskManager as Flink does and reports it where the task heap, the part of the heap that
user code, the heap state backend and connectors live in, is below 128 MB a slot: a warning below half of that.

An image that is built elsewhere may bring a configuration of its own. If its name shows which Flink it is built on, and
nothing in the repository sizes the memory, the memory of Flink's own image is assumed: the finding says so, and is a
suggestion.

## Why it matters
Metaspace (256 MB), JVM overhead (192 MB at least), framework memory (256 MB), 40 % managed memory and network
memory come first; the task heap gets the rest. Of a process of 1 GB that is 26 MB, of the 1728 MB of the stock
configuration 384 MB. A starved heap shows as garbage collection for most of the time, heartbeat timeouts and
OutOfMemoryError under the first load.

## What to do
Raise the total to what the finding proposes: the smallest size, in steps of 64 MB, that leaves 128 MB a slot with all
other options as they are; `flint size taskmanager-memory` finds the one for needs that are known. Give a TaskManager
of one or two slots 2 GB or more, reduce `taskmanager.numberOfTaskSlots`, or lower
`taskmanager.memory.managed.fraction` where neither RocksDB nor batch or SQL operators need managed memory.

## Not when
Development: a playground runs with little. Slots that stay empty, as an application of a smaller parallelism leaves
them, take no heap (`slots-idle` names them). A file for an unknown release that gives memory only in the options of
1.9 and before.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup_tm/#detailed-memory-model>:
  the parts and their defaults
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.slot_heap import MIN_TASK_HEAP
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources
from flink_flint.rules.memory._old_model import may_predate_the_model
from flink_flint.rules.scheduling._autoscaler import is_elastic

_DECIDING = (
    "taskmanager.memory.task.heap.size", "taskmanager.memory.flink.size", "taskmanager.memory.process.size",
    "taskmanager.heap.size", "taskmanager.heap.mb",
)  # fmt: skip


_TOTAL = "taskmanager.memory.process.size"
_OF_MEMORY = ("taskmanager.memory.", "taskmanager.heap.")
_ROUNDING = 1 << 20
"""Bytes by which fractions may miss a round size."""


@rule(
    code="FLK207",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    flink=">=1.10",
    reads=["taskmanager.memory.", "taskmanager.numberOfTaskSlots", "taskmanager.heap.size", "taskmanager.heap.mb"],
    of_scale=True,
    since="0.1",
)
def tiny_task_heap(config: View) -> Iterator[Finding]:
    """hardly any heap is left for the tasks"""
    memory = config.taskmanager_memory()
    slots = config.integer("taskmanager.numberOfTaskSlots")
    if memory is None and slots is not None and slots > 1:
        yield from _in_an_image_of_unknown_memory(config, slots)
    if memory is None or slots is None:
        return
    slots = _used(config, slots)
    if memory.task_heap + _ROUNDING >= MIN_TASK_HEAP * slots:
        return
    if may_predate_the_model(config):
        return
    from flink_flint.rules.memory._proposals import proposed

    setting = _deciding(config)
    wanted = proposed(config, "taskmanager", setting, "task_heap", MIN_TASK_HEAP * slots)
    shared = f", {readable(memory.task_heap // slots)} for each of the {slots} slots" if slots > 1 else ""
    yield setting.finding(
        f"of {readable(memory.process_size)} of process only {readable(memory.task_heap)} is left as task heap{shared};"
        " below 128 MiB a slot tasks spend their time in garbage collection or run out of memory",
        help=_remedy(setting.written, wanted, memory.task_heap, slots),
        fix=None if wanted is None else setting.replace(wanted),
        severity=Severity.INFO if memory.task_heap >= MIN_TASK_HEAP * slots // 2 else None,
        related=[config.get("taskmanager.numberOfTaskSlots")] if slots > 1 else (),
        evidence={"task_heap": memory.task_heap, "process_size": memory.process_size, "slots": slots},
        measure=-memory.task_heap,
    )


def _used(config: View, slots: int) -> int:
    """Return how many of a TaskManager's slots hold tasks: the job of an application fills as many as its parallelism.

    Operators with slot sharing groups of their own may fill more.
    """
    parallelism = config.integer("parallelism.default")
    if parallelism is None or not 0 < parallelism < slots or is_elastic(config):
        return slots
    return parallelism if any(one.is_application for one in resources(config, *CLUSTERS)) else slots


def _in_an_image_of_unknown_memory(config: View, slots: int) -> Iterator[Finding]:
    """A TaskManager whose image is built on Flink's somewhere else, and most likely keeps the memory of that one."""
    if config.platform not in ("compose", "kubernetes") or config.document.whole or config.document.release is None:
        return
    if config.below or any(True for prefix in _OF_MEMORY for _ in config.under(prefix)):
        return
    workers = [one for one in config.elements("container") if one.text("role") == "taskmanager"]
    image = workers[0].text("image") if len(workers) == 1 else None
    if image is None or not workers[0].is_known("environment") or _has_own_configuration(workers[0]):
        return
    from flink_flint.linter.flink.deployment.docker_image import stock_settings
    from flink_flint.rules.memory._proposals import tried

    shipped = stock_settings(config.index).get(_TOTAL)
    memory = tried(config, "taskmanager").accepted({_TOTAL: shipped}) if shipped else None
    if shipped is None or memory is None or memory.task_heap + _ROUNDING >= MIN_TASK_HEAP * slots:
        return
    yield config.get("taskmanager.numberOfTaskSlots").finding(
        f"nothing here sizes the memory: if {image} keeps the {shipped} of Flink's own image, {slots} slots share"
        f" {readable(memory.task_heap)} of task heap, {readable(memory.task_heap // slots)} each",
        help=f"set {_TOTAL}, or fewer slots",
        severity=Severity.INFO,
        confidence=Confidence.MEDIUM,
        evidence={"task_heap": memory.task_heap, "slots": slots, "assumed process size": shipped},
    )


def _has_own_configuration(container: ElementView) -> bool:
    """Whether something is mounted as the configuration of a container, copied into it, or said by its command."""
    from flink_flint.linter.flink.file_loading import CONF_FOLDERS
    from flink_flint.rules.settings._clusters import arguments

    targets = [volume.text("target") or "" for volume in container.items("volumes")]
    return (
        container.has("copies")
        or container.has("dockerfile")
        or any(target.rstrip("/").startswith(CONF_FOLDERS) for target in targets)
        or any("memory" in word or " " in word for word in arguments(container))
    )


def _deciding(config: View) -> Setting:
    """The setting the task heap follows from."""
    settings = [config.get(key) for key in _DECIDING]
    return next((setting for setting in settings if setting.is_set), settings[0])


def _remedy(total: str, wanted: str | None, task_heap: int, slots: int) -> str:
    fitting = task_heap // MIN_TASK_HEAP
    fewer = f" or use at most {fitting} slot{'s' if fitting > 1 else ''} a TaskManager" if 0 < fitting < slots else ""
    more = f"set {total}: {wanted} at least" if wanted else f"raise {total}"
    return f"{more}{fewer}; a TaskManager of one or two slots wants a process of 2 GiB or more"


def _worker(image: str, properties: str, volume: str = "jars:/jars") -> str:
    return (
        f"services:\n  taskmanager:\n    image: {image}\n    command: taskmanager\n    volumes: ['{volume}']\n"
        "    environment:\n      FLINK_PROPERTIES: |\n        jobmanager.rpc.address: jobmanager\n"
        f"        {properties}\n"
    )


def _application(slots: int, job: str, more: str = "") -> str:
    return deployment(
        f"taskmanager.numberOfTaskSlots: '{slots}'\n{more}",
        image="flink:1.20",
        job=job,
        spec="taskManager:\n  resource: {memory: 1728m, cpu: 1}",
    )


def cases() -> list[Case]:
    return [
        bad(
            "taskmanager.memory.process.size: 1g\n",
            at="taskmanager.memory.process.size",
            flink="1.18",
            severity=Severity.WARNING,
            says="only 25.6 MiB is left",
            fixed="taskmanager.memory.process.size: 1280mb\n",
        ),
        bad(
            "taskmanager.memory.process.size: 1728m\ntaskmanager.numberOfTaskSlots: 4\n",
            at="taskmanager.memory.process.size",
            flink="1.20",
            severity=Severity.INFO,
            says="96 MiB for each of the 4 slots",
            fixed="taskmanager.memory.process.size: 2gb\ntaskmanager.numberOfTaskSlots: 4\n",
        ),
        bad("taskmanager.memory.process.size: 1g\n", flink="1.18", profile="development", severity=Severity.INFO),
        bad(
            "taskmanager.memory.flink.size: 1g\ntaskmanager.memory.managed.fraction: 0.6\n",
            at="taskmanager.memory.flink.size",
            flink="1.16",
            fixed="taskmanager.memory.flink.size: 1344mb\ntaskmanager.memory.managed.fraction: 0.6\n",
        ),
        good("taskmanager.memory.process.size: 1728m\ntaskmanager.numberOfTaskSlots: 1\n", flink="1.18"),
        good("taskmanager.memory.process.size: 4g\ntaskmanager.numberOfTaskSlots: {{ slots }}\n", flink="1.18"),
        good("taskmanager.memory.process.size: 600m\n", flink="1.18"),
        good("taskmanager.memory.process.size: 1728m\ntaskmanager.numberOfTaskSlots: 3\n", flink="1.20"),
        good("taskmanager.heap.size: 1g\ntaskmanager.numberOfTaskSlots: 8\n", file="flink-conf.yaml"),
        bad("taskmanager.heap.size: 1g\ntaskmanager.numberOfTaskSlots: 8\n", at="taskmanager.heap.size", flink="1.18"),
        bad("taskmanager.heap.mb: 1024\ntaskmanager.numberOfTaskSlots: 8\n", at="taskmanager.heap.mb", flink="1.18"),
        good("taskmanager.memory.task.heap.size: 127m\ntaskmanager.memory.managed.size: 128m\n", flink="1.18"),
        bad(
            "taskmanager.memory.task.heap.size: 130047kb\ntaskmanager.memory.managed.size: 128m\n",
            at="taskmanager.memory.task.heap.size",
            flink="1.18",
            severity=Severity.INFO,
            fixed="taskmanager.memory.task.heap.size: 128mb\ntaskmanager.memory.managed.size: 128m\n",
        ),
        bad(
            "taskmanager.memory.task.heap.size: 64m\ntaskmanager.memory.managed.size: 128m\n",
            flink="1.18",
            severity=Severity.INFO,
            fixed="taskmanager.memory.task.heap.size: 128mb\ntaskmanager.memory.managed.size: 128m\n",
        ),
        bad(
            "taskmanager.memory.task.heap.size: 63m\ntaskmanager.memory.managed.size: 128m\n",
            flink="1.18",
            severity=Severity.WARNING,
        ),
        bad(
            "taskmanager.memory.task.heap.size: 200m\ntaskmanager.memory.managed.size: 128m\n"
            "taskmanager.numberOfTaskSlots: 4\n",
            flink="1.18",
            severity=Severity.WARNING,
            fixed="taskmanager.memory.task.heap.size: 512mb\ntaskmanager.memory.managed.size: 128m\n"
            "taskmanager.numberOfTaskSlots: 4\n",
        ),
        good("taskmanager.memory.process.size: 1g\ntaskmanager.numberOfTaskSlots: 0\n", flink="1.18"),
        bad(
            deployment("rest.port: 8081", image="flink:1.20", spec="taskManager:\n  resource: {memory: 1g, cpu: 1}"),
            file="deployment.yaml",
            fixed=deployment(
                "rest.port: 8081", image="flink:1.20", spec="taskManager:\n  resource: {memory: 1280mb, cpu: 1}"
            ),
        ),
        good(_application(4, "parallelism: 1"), file="deployment.yaml"),
        good(_application(4, "parallelism: 1", "jobmanager.scheduler: default"), file="deployment.yaml"),
        bad(_application(4, "parallelism: 4"), file="deployment.yaml", says="for each of the 4 slots"),
        bad(_application(4, "parallelism: ${P}"), file="deployment.yaml"),
        bad(_application(4, "parallelism: 1", "jobmanager.scheduler: adaptive"), file="deployment.yaml"),
        bad(_application(4, "parallelism: 1", "job.autoscaler.enabled: 'true'"), file="deployment.yaml"),
        bad(_application(4, "-"), file="deployment.yaml"),  # a session: its jobs may fill all slots
        bad(
            _worker("acme/flink-taskmanager:1.19.1-python3.11", "taskmanager.numberOfTaskSlots: 16"),
            file="docker-compose.yml",
            at="16",
            severity=Severity.INFO,
            says="if acme/flink-taskmanager:1.19.1-python3.11 keeps the 1728m of Flink's own image, 16 slots share"
            " 384 MiB of task heap, 24 MiB each",
        ),
        bad(
            _worker("flink:1.19.1", "taskmanager.numberOfTaskSlots: 16"),
            file="docker-compose.yml",
            severity=Severity.WARNING,
            says="of 1728 MiB of process only 384 MiB is left as task heap",
        ),
        good(_worker("acme/flink-taskmanager:1.19.1", "taskmanager.numberOfTaskSlots: 3"), file="docker-compose.yml"),
        good(_worker("acme/orders:1.19.1", "taskmanager.numberOfTaskSlots: 16"), file="docker-compose.yml"),
        good(
            _worker("acme/flink-taskmanager:1.19.1", "taskmanager.numberOfTaskSlots: 16", "./conf:/opt/flink/conf"),
            file="docker-compose.yml",
        ),
        good(
            _worker(
                "acme/flink-taskmanager:1.19.1",
                "taskmanager.numberOfTaskSlots: 16\n        taskmanager.memory.process.size: ${SIZE}",
            ),
            file="docker-compose.yml",
        ),
    ]


def claims() -> list[Claim]:
    return [flink_uses("sizes of memory", f"{_TOTAL}: 1g\n", "TaskHeap 25 MB", good=f"{_TOTAL}: 2g\n")]
