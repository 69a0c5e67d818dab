"""On old releases of EMR the jars of running jobs lie in /tmp, which the machines clean.

## What it does
Reports an EMR cluster with Flink 1.4 or older (up to `emr-5.15`) whose configuration sets no `blob.storage.directory`.

## Why it matters
Up to 1.4 the blob server falls back to the JVM's temporary directory, `/tmp`, whatever `io.tmp.dirs` says, and so
YARN's own directories do not help. Amazon Linux deletes what nobody touched for some days from `/tmp`. A job of a
long running session that then restarts fails with `Local file … does not exist and failed to copy from blob store`.

## What to do
Set `blob.storage.directory` to a folder on a data disk, for example `/mnt/flink/blobs`.

## Not when
The setting is there (`blob-storage-in-tmp` looks at its value), or `-Djava.io.tmpdir` moves the temporary directory.
Newer releases put blobs into `io.tmp.dirs`, which YARN fills with the container's own directories; there only a
setting that leads to `/tmp` is a hazard, and `blob-storage-in-tmp` speaks about it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.4/ops/config.html>: `blob.storage.directory`
- <https://docs.aws.amazon.com/emr/latest/ReleaseGuide/Flink-release-history.html>: the Flink of each release of EMR
- <https://man7.org/linux/man-pages/man8/systemd-tmpfiles.8.html>: how Linux cleans `/tmp`
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.aws._emr_cases import emr


@rule(
    code="FLK760",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:emr-cluster"],
    flink=">=1.0,<1.5",
    of_scale=True,
    since="0.1",
)
def emr_blobs_in_tmp(config: View) -> Iterator[Finding]:
    """the jars of running jobs lie in /tmp, which the machines of EMR clean"""
    if not config.document.whole or config.is_set("blob.storage.directory"):
        return
    if any("java.io.tmpdir" in setting.text or not setting.is_known for setting in config.under("env.java.opts")):
        return
    for cluster in config.elements("emr-cluster"):
        yield cluster.finding(
            f"{config.releases_text} stores job jars under /tmp, where Amazon Linux deletes what was unused for days:"
            " a job that restarts later cannot load its classes",
            key="blob.storage.directory",
            help="set blob.storage.directory to a folder on a data disk, such as /mnt/flink/blobs",
        )


def cases() -> list[Case]:
    return [
        bad(
            emr(("flink-conf", {"taskmanager.numberOfTaskSlots": "2"}), label="emr-5.15.0"),
            file="cluster.json",
            says="1.4.2",
        ),
        bad(
            'resource "aws_emr_cluster" "flink" '
            '{\n  release_label = "emr-5.8.0"\n  configurations_json = jsonencode([\n'
            '    { Classification = "flink-conf", Properties = { "parallelism.default" = "4" } },\n  ])\n}\n',
            file="main.tf",
            at="blob.storage.directory",
        ),
        good(
            emr(("flink-conf", {"blob.storage.directory": "/mnt/flink/blobs"}), label="emr-5.15.0"), file="cluster.json"
        ),
        good(
            emr(("flink-conf", {"env.java.opts": "-Djava.io.tmpdir=/mnt/tmp"}), label="emr-5.15.0"), file="cluster.json"
        ),
        good(emr(("flink-conf", {"taskmanager.numberOfTaskSlots": "2"}), label="emr-6.15.0"), file="cluster.json"),
        good(
            'variable "conf" {}\nresource "aws_emr_cluster" "flink" {\n  release_label = "emr-5.8.0"\n'
            '  configurations_json = jsonencode([{ Classification = "flink-conf", Properties = var.conf }])\n}\n',
            file="main.tf",
        ),
        bad(
            emr(("flink-conf", {"env.java.opts": "-Xss2m"}), label="emr-5.15.0"),
            file="cluster.json",
            profile="development",
            severity=Severity.INFO,
        ),
    ]
