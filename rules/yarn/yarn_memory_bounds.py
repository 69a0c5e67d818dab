"""A process is larger than a container of YARN may be.

## What it does
Compares the process memory of TaskManager and JobManager, derived as Flink derives it, with
`yarn.scheduler.maximum-allocation-mb` and `yarn.nodemanager.resource.memory-mb`, where the `yarn-site` classification
of the same EMR cluster sets them.

## Why it matters
Flink asks YARN for the largest container before it deploys and stops with "The cluster does not have the requested
resources for the TaskManagers available!"; nothing is started.

## What to do
Lower the memory of the process, or use larger nodes; a YARN limit below what the nodes have can be raised.

## Not when
YARN's limits are not in the same file, or Flink would refuse the memory anyway.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_setup/>:
  the process size is the container's
- <https://hadoop.apache.org/docs/stable/hadoop-yarn/hadoop-yarn-common/yarn-default.xml>: YARN's limits
- <https://docs.aws.amazon.com/emr/latest/ReleaseGuide/emr-hadoop-task-config.html>: what EMR sets by instance type
"""

import json
from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.yarn._limits import Limit, lowest

_NAMES = ("yarn.scheduler.maximum-allocation-mb", "yarn.nodemanager.resource.memory-mb")
_MEBIBYTE = 1 << 20


@rule(
    code="FLK756",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["taskmanager.memory.", "jobmanager.memory."],
    only=["platform:yarn", "platform:emr"],
    flink=">=1.11",
    since="0.1",
)
def yarn_memory_bounds(config: View) -> Iterator[Finding]:
    """a process is larger than a container of YARN may be"""
    limit = lowest(config, _NAMES)
    if limit is None:
        return
    for process, name in (("taskmanager", "TaskManager"), ("jobmanager", "JobManager")):
        written = list(config.under(f"{process}.memory."))
        size = _process_size(config, process) if written else None
        if size is None or -(-size // _MEBIBYTE) <= limit.amount:
            continue
        total = config.get(f"{process}.memory.process.size")
        yield (total if total.is_set else written[0]).finding(
            _message(name, size, limit),
            help=_HELP,
            related=[limit.part.place(limit.attribute, f"the limit of {limit.amount} MB")],
        )


_HELP = "lower the memory of the process, or raise YARN's limit as far as the nodes have memory"


def _message(name: str, size: int, limit: Limit) -> str:
    return (
        f"the {name} needs a container of {-(-size // _MEBIBYTE)} MB, but {limit.name} allows {limit.amount} MB, so"
        " nothing is deployed"
    )


def _process_size(config: View, process: str) -> int | None:
    derived = config.taskmanager_memory() if process == "taskmanager" else config.jobmanager_memory()
    return None if derived is None else derived.process_size


def _emr(flink: dict[str, str], yarn: dict[str, str]) -> str:
    listed = [
        {"Classification": "flink-conf", "Properties": flink},
        {"Classification": "yarn-site", "Properties": yarn},
    ]
    return json.dumps({"ReleaseLabel": "emr-6.15.0", "Configurations": listed}, indent=2) + "\n"


_SIZE = "taskmanager.memory.process.size"


def cases() -> list[Case]:
    return [
        bad(
            _emr({_SIZE: "16g"}, {_NAMES[0]: "12288"}),
            file="emr.json",
            at=_SIZE,
            says="the TaskManager needs a container of 16384 MB",
        ),
        bad(
            _emr({"jobmanager.memory.process.size": "8g"}, {_NAMES[1]: "6144"}),
            file="emr.json",
            says="the JobManager needs",
        ),
        good(_emr({_SIZE: "12g"}, {_NAMES[0]: "12288"}), file="emr.json"),
        good(_emr({_SIZE: "16g"}, {"yarn.nodemanager.vmem-check-enabled": "false"}), file="emr.json"),
        good(_emr({_SIZE: "${SIZE}"}, {_NAMES[0]: "12288"}), file="emr.json"),
        bad(
            _emr({"taskmanager.memory.flink.size": "16g"}, {_NAMES[0]: "12288"}),
            file="emr.json",
            at="taskmanager.memory.flink.size",
        ),
        bad(
            _emr({"taskmanager.memory.managed.fraction": "0.4", _SIZE: "12289m"}, {_NAMES[0]: "12288"}),
            file="emr.json",
            at=_SIZE,
            says="12289 MB",
        ),
        good(_emr({_SIZE: "1g"}, {_NAMES[0]: "1024"}), file="emr.json"),
        good(_emr({_SIZE: "16g"}, {_NAMES[0]: "{{ most }}"}), file="emr.json"),
        good(_emr({_SIZE: "16g"}, {_NAMES[0]: "9" * 5000}), file="emr.json"),
        good(_emr({_SIZE: "1g", "jobmanager.heap.size": "2g"}, {_NAMES[0]: "1024"}), file="emr.json"),
        good(_emr({_SIZE: "16g"}, {_NAMES[0]: "12 GB"}), file="emr.json"),
    ]
