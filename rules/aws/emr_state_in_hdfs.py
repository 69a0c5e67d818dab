"""Checkpoints and savepoints lie in the HDFS of an EMR cluster, which ends with it.

## What it does
Reports a directory of checkpoints or savepoints of an EMR cluster that is in the cluster's own HDFS: `hdfs:///…`, or a
path without scheme where `fs.default-scheme` is HDFS.

## Why it matters
That HDFS is on the disks of the core nodes. It goes with the cluster, and a new release of EMR, and so of Flink, always
means a new cluster: then there is nothing to start the jobs from. Until then savepoints and retained
checkpoints, three copies of each, fill the disks that YARN needs for its containers; nodes that are too full become
unhealthy, and no container starts.

## What to do
Use S3 (`s3://bucket/checkpoints`), which EMR reaches without further setup.

## Not when
The directory is in the HDFS of another cluster (`hdfs://namenode:8020/…`), or a template fills it in.

## Sources
- <https://docs.aws.amazon.com/emr/latest/ManagementGuide/UsingEMR_TerminateJobFlow.html>: HDFS ends with the cluster
- <https://docs.aws.amazon.com/emr/latest/ManagementGuide/emr-cluster-NO_SLAVE_LEFT-FAILED_BY_MASTER.html>:
  full disks make nodes unhealthy, one after the other
"""

from collections.abc import Iterator

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.aws._emr_cases import emr

_DIRECTORIES = (
    ("execution.checkpointing.dir", "checkpoints"),
    ("execution.checkpointing.savepoint-dir", "savepoints"),
)


@rule(
    code="FLK762",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[key for key, _ in _DIRECTORIES],
    only=["platform:emr"],
    flink=">=1.0",
    of_scale=True,
    since="0.1",
)
def emr_state_in_hdfs(config: View) -> Iterator[Finding]:
    """checkpoints or savepoints lie in an HDFS that ends with the cluster"""
    scheme = config.get("fs.default-scheme")
    default = locate(scheme.text).scheme if scheme.is_set else ""
    for key, what in _DIRECTORIES:
        setting = config.get(key)
        if not setting.is_set or not setting.is_known:
            continue
        location = locate(setting.text)
        authority = location.path.startswith("//") and not location.path.startswith("///")
        if (location.scheme == "hdfs" and not authority) or (not location.scheme and default == "hdfs"):
            yield setting.finding(
                f"{what} go to {setting.text}, the HDFS of this EMR cluster, which ends with it: the cluster that"
                " replaces it has nothing to start from",
                help="use S3, such as s3://bucket/flink",
                evidence={"directory": setting.text},
            )


def cases() -> list[Case]:
    return [
        bad(
            emr(("flink-conf", {"state.checkpoints.dir": "hdfs:///flink/checkpoints"}), label="emr-6.15.0"),
            file="cluster.json",
            at="execution.checkpointing.dir",
            says="hdfs:///flink/checkpoints",
        ),
        bad(emr(("flink-conf", {"state.savepoints.dir": "hdfs:/savepoints"}), label="emr-5.15.0"), file="cluster.json"),
        good(emr(("flink-conf", {"state.checkpoints.dir": "s3://bucket/c"}), label="emr-6.15.0"), file="cluster.json"),
        good(
            emr(("flink-conf", {"state.checkpoints.dir": "hdfs://other:8020/c"}), label="emr-6.15.0"),
            file="cluster.json",
        ),
        good("state.checkpoints.dir: hdfs:///flink/checkpoints\n", flink="1.17", platform="yarn"),
        bad(
            emr(
                ("flink-conf", {"fs.default-scheme": "hdfs:///", "state.checkpoints.dir": "/flink/checkpoints"}),
                label="emr-6.15.0",
            ),
            file="cluster.json",
            profile="development",
            severity=Severity.INFO,
            says="checkpoints go to",
        ),
        bad(
            emr(
                ("flink-conf", {"state.checkpoints.dir": "${DIR}", "state.savepoints.dir": "hdfs:///savepoints"}),
                label="emr-6.15.0",
            ),
            file="cluster.json",
            at="execution.checkpointing.savepoint-dir",
            says="savepoints go to",
        ),
        good(
            emr(
                ("flink-conf", {"fs.default-scheme": "hdfs:///", "state.checkpoints.dir": "s3:///flink/checkpoints"}),
                label="emr-6.15.0",
            ),
            file="cluster.json",
        ),
        good(
            emr(("flink-conf", {"state.checkpoints.dir": "/flink/checkpoints"}), label="emr-6.15.0"),
            file="cluster.json",
        ),
        good(
            emr(
                ("flink-conf", {"fs.default-scheme": "s3://bucket", "state.checkpoints.dir": "/flink/checkpoints"}),
                label="emr-6.15.0",
            ),
            file="cluster.json",
        ),
        good(
            emr(
                ("flink-conf", {"fs.default-scheme": "hdfs:///", "state.checkpoints.dir": "${DIR}"}), label="emr-6.15.0"
            ),
            file="cluster.json",
        ),
        good(emr(("flink-conf", {"fs.default-scheme": "hdfs:///"}), label="emr-6.15.0"), file="cluster.json"),
    ]
