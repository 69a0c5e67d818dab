"""A TaskManager asks YARN for more virtual cores than a container may have.

## What it does
Compares the cores of a TaskManager, `yarn.containers.vcores` or else its number of slots, with
`yarn.scheduler.maximum-allocation-vcores` and `yarn.nodemanager.resource.cpu-vcores`, where the `yarn-site`
classification of the same EMR cluster sets them.

## Why it matters
Flink asks YARN for the cores of its nodes before it starts and stops with "The number of requested virtual cores per
node … exceeds the maximum number of virtual cores … available in the Yarn Cluster". Above the scheduler's limit YARN
refuses the request.

## What to do
Lower `taskmanager.numberOfTaskSlots`, or set `yarn.containers.vcores` to what a node has.

## Not when
YARN's limits are not in the same file.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#yarn-containers-vcores>:
  as many cores as slots by default
- <https://hadoop.apache.org/docs/stable/hadoop-yarn/hadoop-yarn-common/yarn-default.xml>: YARN's limits
"""

import json
from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.yarn._limits import lowest

_CORES = "yarn.containers.vcores"
_SLOTS = "taskmanager.numberOfTaskSlots"
_NAMES = ("yarn.scheduler.maximum-allocation-vcores", "yarn.nodemanager.resource.cpu-vcores")


@rule(
    code="FLK755",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_CORES, _SLOTS],
    only=["platform:yarn", "platform:emr"],
    flink=">=1.5",
    since="0.1",
)
def yarn_vcores(config: View) -> Iterator[Finding]:
    """a TaskManager asks YARN for more cores than a container may have"""
    limit = lowest(config, _NAMES)
    if limit is None:
        return
    cores = config.integer(_CORES)
    setting = config.get(_CORES)
    if cores is not None and cores < 1:
        setting, cores = config.get(_SLOTS), config.integer(_SLOTS)
    if cores is None or cores <= limit.amount:
        return
    yield setting.finding(
        f"each TaskManager asks YARN for {cores} cores, but {limit.name} allows {limit.amount}, so none is started",
        help=f"lower {_SLOTS}, or set {_CORES}: {limit.amount}",
        related=[limit.part.place(limit.attribute, f"the limit of {limit.amount}")],
    )


def _emr(flink: dict[str, str], yarn: dict[str, str]) -> str:
    listed = [
        {"Classification": "flink-conf", "Properties": flink},
        {"Classification": "yarn-site", "Properties": yarn},
    ]
    return json.dumps({"ReleaseLabel": "emr-6.15.0", "Configurations": listed}, indent=2) + "\n"


def cases() -> list[Case]:
    return [
        bad(_emr({_SLOTS: "16"}, {_NAMES[1]: "8"}), file="emr.json", at=_SLOTS, says="16 cores"),
        bad(_emr({_SLOTS: "2", _CORES: "12"}, {_NAMES[0]: "8", _NAMES[1]: "16"}), file="emr.json", at=_CORES),
        good(_emr({_SLOTS: "16", _CORES: "4"}, {_NAMES[1]: "8"}), file="emr.json"),
        good(_emr({_SLOTS: "8"}, {_NAMES[1]: "8"}), file="emr.json"),
        good(_emr({_SLOTS: "16"}, {"yarn.nodemanager.vmem-check-enabled": "false"}), file="emr.json"),
        good(_emr({_SLOTS: "16"}, {_NAMES[1]: "²"}), file="emr.json"),
        bad(_emr({_CORES: "12"}, {_NAMES[0]: "8"}), file="emr.json", at=_CORES),
        bad(_emr({_SLOTS: "9", _CORES: "0"}, {_NAMES[0]: "8"}), file="emr.json", at=_SLOTS),
        good(_emr({_SLOTS: "16", _CORES: "1"}, {_NAMES[0]: "8"}), file="emr.json"),
        good(_emr({_SLOTS: "16", _CORES: "${CORES}"}, {_NAMES[0]: "8"}), file="emr.json"),
        good(_emr({_SLOTS: "${SLOTS}"}, {_NAMES[0]: "8"}), file="emr.json"),
    ]  # fmt: skip
