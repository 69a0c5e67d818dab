"""Memory is configured with the heap options of releases before 1.10.

## What it does
Reports `taskmanager.heap.size`, `taskmanager.heap.mb` (on 1.10 and later), `jobmanager.heap.size` and
`jobmanager.heap.mb` (on 1.11 and later).

## Why it matters
Up to 1.20 they still count where the new option is not set, but for something else than their name says: on plain
machines the TaskManager's stands for its whole Flink memory (heap, managed and network memory), the JobManager's
for its heap; on YARN and native Kubernetes both stand for the process size. Containers that manifests or Docker Compose
start count as plain machines: Flink's scripts do the same in them. With 4 GB a TaskManager has 3.6 GB of heap on 1.9
and 1.9 GB on 1.20. From 2.0 on they are ignored without a word: a process that has no other memory option does not
start, one that has uses that alone.

## What to do
Plain machines and what counts as such: write `taskmanager.memory.flink.size` and `jobmanager.memory.heap.size`. YARN
and native Kubernetes: write `taskmanager.memory.process.size` and `jobmanager.memory.process.size`. Where one of these
is set already, delete the old line.

## Not when
The releases whose options they are: the TaskManager's up to 1.9, the JobManager's up to 1.10. A file for an unknown
release that gives memory in these options alone is more likely one of those, and the finding is advice. A value that
Flink cannot read, or a size without its unit, is told by its own rule.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/mem_migration/>:
  what the old options stand for
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: options removed in 2.0
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores, flink_refuses
from flink_flint.linter.model.finding import Fix, joined
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.memory._old_model import may_predate_the_model
from flink_flint.rules.settings._amounts import lacks_unit

_KEYS = ("taskmanager.heap.size", "taskmanager.heap.mb", "jobmanager.heap.size", "jobmanager.heap.mb")
_NEW = {
    ("taskmanager", False): "taskmanager.memory.flink.size",
    ("taskmanager", True): "taskmanager.memory.process.size",
    ("jobmanager", False): "jobmanager.memory.heap.size",
    ("jobmanager", True): "jobmanager.memory.process.size",
}
_SIZING = ("memory.process.size", "memory.flink.size", "memory.heap.size", "memory.task.heap.size")


@rule(
    code="FLK209",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    flink=">=1.10",
    reads=list(_KEYS),
    scope="key",
    since="0.1",
)
def legacy_heap_size(config: View, setting: Setting) -> Iterator[Finding]:
    """memory is configured with the heap options of old releases"""
    if setting.error is not None or lacks_unit(setting):
        return
    process = setting.written.partition(".")[0]
    if process == "jobmanager" and not config.since("1.11"):
        return
    name = "TaskManager" if process == "taskmanager" else "JobManager"
    new = _NEW[process, config.is_in_containers]
    sized = next((key for key in _sizing(process) if config.is_set(key)), None)
    if config.since("2.0"):
        if sized:
            yield setting.finding(
                f"Flink 2 ignores {setting.written}: {config.get(sized).written} alone sizes the {name}",
                help="delete the line",
                fix=setting.remove(safe=True),
                related=[config.get(sized)],
                at="key",
            )
        else:
            yield setting.finding(
                f"Flink 2 ignores {setting.written}, and nothing else sizes the {name}, which therefore does not start",
                help=f"write {new}: {_value(setting)}",
                severity=Severity.ERROR if config.target.certain else None,
                fix=_renamed(setting, new, safe=False),
                at="key",
            )
    elif config.is_set(new) or _outdone(config, setting):
        yield setting.finding(
            f"{setting.written} has no effect: {_winner(config, setting, new)} comes first",
            help="delete the line",
            fix=setting.remove(safe=True),
            at="key",
        )
    elif (
        setting.entry is None or setting.entry.style != "implied"
    ):  # what an operator writes is not the user's to rename
        whole = "the whole process" if config.is_in_containers else "all of its Flink memory"
        meaning = "its heap alone" if new.endswith("heap.size") else f"{whole}, not the heap"
        yield setting.finding(
            f"{setting.written} is an option of old releases: it now gives the {name} {meaning},"
            " and Flink 2 ignores it",
            help=f"write {new}: {_value(setting)}",
            severity=Severity.INFO if may_predate_the_model(config) else None,
            fix=_renamed(setting, new, safe=config.target.certain and config.platform in _ONE_MEANING),
            at="key",
        )


_ONE_MEANING = ("yarn", "emr", "standalone", "compose", "local")
"""Platforms that leave no doubt which total the old option stands for: on Kubernetes, Flink may run natively or not."""


def _sizing(process: str) -> list[str]:
    return [f"{process}.{part}" for part in _SIZING]


def _outdone(config: View, setting: Setting) -> bool:
    """Whether the option is in megabytes and the one with a unit is set too, which Flink prefers."""
    return setting.written.endswith(".mb") and config.is_set(setting.written[:-2] + "size")


def _winner(config: View, setting: Setting, new: str) -> str:
    return config.get(new).written if config.is_set(new) else setting.written[:-2] + "size"


def _value(setting: Setting) -> str:
    return f"{setting.text}m" if setting.written.endswith(".mb") else setting.text


def _renamed(setting: Setting, key: str, *, safe: bool) -> Fix | None:
    renamed = setting.rename(key, safe=safe) if setting.is_known else None
    if renamed is None or not setting.written.endswith(".mb"):
        return renamed
    replaced = setting.replace(_value(setting))
    return joined(renamed.title, (renamed, replaced), safe=safe) if setting.text.isdecimal() else None


_CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata:
  name: flink-config
data:
  flink-conf.yaml: |
    {}
"""


def cases() -> list[Case]:
    return [
        bad(
            "taskmanager.heap.size: 4096m\n",
            at="taskmanager.heap.size",
            flink="1.18",
            severity=Severity.WARNING,
            says="all of its Flink memory",
            fixed="taskmanager.memory.flink.size: 4096m\n",
        ),
        bad(
            "jobmanager.heap.mb: 1024\n",
            at="jobmanager.heap.mb",
            flink="1.12",
            platform="yarn",
            fixed="jobmanager.memory.process.size: 1024m\n",
        ),
        bad(
            "jobmanager.heap.size: 1024m\n",
            at="jobmanager.heap.size",
            flink="2.0",
            severity=Severity.ERROR,
            fixed="jobmanager.memory.heap.size: 1024m\n",
        ),
        bad(
            "taskmanager.heap.size: 4g\ntaskmanager.memory.process.size: 6g\n",
            at="taskmanager.heap.size",
            flink="2.1",
            severity=Severity.WARNING,
            fixed="taskmanager.memory.process.size: 6g\n",
        ),
        bad(
            "taskmanager.heap.size: 4g\ntaskmanager.memory.flink.size: 6g\n",
            at="taskmanager.heap.size",
            flink="1.18",
            says="has no effect",
            fixed="taskmanager.memory.flink.size: 6g\n",
        ),
        bad(
            "taskmanager.heap.mb: 4096\ntaskmanager.heap.size: 6g\n",
            flink="1.18",
            times=2,
            fixed="taskmanager.memory.flink.size: 6g\n",
        ),
        bad("taskmanager.heap.size: 1024m\n", file="flink-conf.yaml", severity=Severity.INFO),
        bad(
            "taskmanager.heap.size: 1024m\njobmanager.memory.process.size: 1600m\n",
            file="flink-conf.yaml",
            severity=Severity.WARNING,
        ),
        bad(
            _CONFIG_MAP.format("jobmanager.heap.size: 1024m"),
            file="flink.yaml",
            flink="1.18",
            says="its heap alone",
            fixed=_CONFIG_MAP.format("jobmanager.memory.heap.size: 1024m"),
        ),
        bad(
            _CONFIG_MAP.format("taskmanager.heap.size: 1024m"),
            file="flink.yaml",
            flink="1.18",
            fixed=_CONFIG_MAP.format("taskmanager.memory.flink.size: 1024m"),
        ),
        bad(
            _CONFIG_MAP.format("kubernetes.container.image: acme/flink:1.18\n    taskmanager.heap.size: 1024m"),
            file="flink.yaml",
            flink="1.18",
            fixed=_CONFIG_MAP.format(
                "kubernetes.container.image: acme/flink:1.18\n    taskmanager.memory.process.size: 1024m"
            ),
        ),
        good("jobmanager.heap.size: 1024\n", flink="1.13"),
        good("jobmanager.heap.mb: jm_heap\n", flink="1.13"),
        bad("taskmanager.heap.size: 1024m\n", severity=Severity.WARNING),
        good("taskmanager.heap.size: 1024m\njobmanager.heap.size: 1024m\n", flink="1.9"),
        good("jobmanager.heap.size: 1024m\ntaskmanager.memory.process.size: 1728m\n", flink="1.10"),
        good("jobmanager.memory.heap.size: 1024m\n", flink="1.18"),
        bad("taskmanager.heap.size: 1024m\n", flink="1.10", at="taskmanager.heap.size"),
        bad("taskmanager.heap.size: ${HEAP}\n", flink="1.18", fixed="taskmanager.heap.size: ${HEAP}\n"),
        bad("taskmanager.heap.mb: ${HEAP}\n", flink="1.18", fixed="taskmanager.heap.mb: ${HEAP}\n"),
    ]


def claims() -> list[Claim]:
    taskmanager, jobmanager = "taskmanager.heap.size: 4g\n", "jobmanager.heap.size: 1g\n"
    flink, heap = "taskmanager.memory.flink.size: 4g\n", "jobmanager.memory.heap.size: 1g\n"
    process = "taskmanager.memory.process.size: 6g\n"
    return [
        # It stands for another option, or for nothing.
        flink_ignores("taskmanager memory", taskmanager, good=flink, releases=">=1.10,<2.0"),
        flink_ignores("jobmanager memory", jobmanager, good=heap, releases=">=1.11,<2.0"),
        flink_ignores("taskmanager memory", taskmanager, both=process, releases=">=2.0"),
        flink_ignores("taskmanager memory", taskmanager, both="taskmanager.memory.flink.size: 6g\n"),
        flink_refuses("taskmanager memory", taskmanager, good=flink, releases=">=2.0"),
        flink_refuses("jobmanager memory", jobmanager, good=heap, releases=">=2.0"),
    ]
