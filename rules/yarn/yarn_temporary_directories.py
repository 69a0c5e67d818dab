"""The setting keeps Flink from using the directories that YARN gives each container.

## What it does
Reports `io.tmp.dirs` in a configuration for YARN.

## Why it matters
YARN gives each container directories on the node's data disks (`yarn.nodemanager.local-dirs`), leaves out disks that
are full or broken, and empties them when the container ends. Flink uses these only where `io.tmp.dirs` is not set. With
the setting all containers of a node share one place, on every node: spilled data, RocksDB's files and blobs go there,
usually on one disk, and what a killed container leaves stays for ever.

## What to do
Delete it.

## Not when
The directories are meant to be other disks than YARN's (local SSDs): then suppress the finding, and clean up.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#io-tmp-dirs>: what they are for
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/clusterframework/BootstrapTools.java>:
  `updateTmpDirectoriesInConfiguration`: the setting wins over the directories of YARN
- <https://hadoop.apache.org/docs/stable/hadoop-yarn/hadoop-yarn-site/NodeManager.html>: how YARN checks its disks
"""

from collections.abc import Iterator

from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import View


@rule(
    code="FLK754",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=["io.tmp.dirs"],
    flink=">=1.5",
    of_scale=True,
    since="0.1",
)
def yarn_temporary_directories(config: View) -> Iterator[Finding]:
    """the directories that YARN gives each container are not used"""
    setting = config.get("io.tmp.dirs")
    if config.platform not in ("yarn", "emr") or not setting.is_set or not setting.is_known:
        return
    yield setting.finding(
        f"with {setting.written} every container of a node writes to {setting.text}, instead of the directories YARN"
        " gives it on healthy disks and empties when it ends",
        help=f"delete {setting.written}",
        fix=setting.remove(),
        at="entry",
    )


CASES = [
    bad(
        "io.tmp.dirs: /data/flink\nyarn.application.queue: a\n", at="io.tmp.dirs", flink="1.18",
        fixed="yarn.application.queue: a\n",
    ),
    bad("taskmanager.tmp.dirs: /data/flink\nyarn.application.queue: a\n", flink="1.9"),
    bad('[{"Classification": "flink-conf", "Properties": {"io.tmp.dirs": "/mnt/tmp"}}]\n', file="emr.json"),
    good("io.tmp.dirs: /data/flink\n", flink="1.18", platform="standalone"),
    good("io.tmp.dirs: ${TMP}\nyarn.application.queue: a\n", flink="1.18"),
    good("yarn.application.queue: a\n", flink="1.18"),
]  # fmt: skip
