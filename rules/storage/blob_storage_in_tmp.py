"""The blob server keeps job jars where the system cleans up.

## What it does
Works out where the blob server stores the jars and files of running jobs: `blob.storage.directory`; else,
from 1.15 on, the folder `blobStorage` of the process's working directory; else a folder below the first of
`io.tmp.dirs`, which is the JVM's temporary directory (`/tmp`) by default. Reports it when that is under
`/tmp` or `/var/tmp`.

## Why it matters
tmpreaper, tmpwatch and systemd-tmpfiles delete what nobody touched for some days. A job that then restarts
asks the blob server for its jar and fails with `FileNotFoundException: Local file … does not exist and failed
to copy from blob store`, weeks after the deployment and far from the cause.

## What to do
Set `blob.storage.directory` to a folder on a disk of the JobManager that nothing cleans, for example
`/var/lib/flink/blobs`.

## Not when
Containers (Kubernetes, Docker) have nothing that cleans their `/tmp`, so there only `blob.storage.directory` itself is
reported. YARN gives each container temporary directories of its own, but Flink uses them only where `io.tmp.dirs` is
not set; without any setting there is nothing to report from Flink 1.5 on (`emr-blobs-in-tmp` speaks about older
ones). On plain machines a finding without any setting is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#blob-storage-directory>: where blobs go
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#basic-setup>:
  `io.tmp.dirs` should not be a directory that is purged from time to time
- <https://systemd.io/TEMPORARY_DIRECTORIES/>: what systemd deletes, and after how many days
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/clusterframework/BootstrapTools.java>:
  `updateTmpDirectoriesInConfiguration`: on YARN `io.tmp.dirs` wins over the container's directories
"""

from collections.abc import Iterator

from flink_flint.linter.flink.uris import locate, split_directories
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

HELP = "set blob.storage.directory to a folder that nothing cleans, such as /var/lib/flink/blobs"


@rule(
    code="FLK101",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["blob.storage.directory", "process.jobmanager.working-dir", "process.working-dir", "io.tmp.dirs"],
    always=True,
    flink=">=1.0",
    of_scale=True,
    since="0.1",
)
def blob_storage_in_tmp(config: View) -> Iterator[Finding]:
    """the blob server stores job jars where the system cleans up"""
    setting, directory = _effective(config)
    if not setting.is_known or not locate(directory).is_temporary:
        return
    explicit = setting.key == "blob.storage.directory"
    on_machines = setting.is_set and config.platform in (None, "yarn", "emr")
    if not (explicit or on_machines or config.platform == "standalone"):
        return
    yield setting.finding(
        f"job jars are stored under {directory}, which systems clean of files unused for days; a job that"
        " restarts later cannot load its classes",
        help=HELP,
        severity=None if setting.is_set else Severity.INFO,
        confidence=None if explicit else Confidence.MEDIUM,
        evidence={"directory": directory},
    )


def _effective(config: View) -> tuple[Setting, str]:
    """The setting that decides, and the directory it leads to."""
    blobs = config.get("blob.storage.directory")
    if blobs.is_set:
        return blobs, blobs.text
    working = config.get("process.jobmanager.working-dir")  # falls back to process.working-dir
    if working.is_set:
        return working, f"{working.text.rstrip('/')}/blobStorage"
    temporary = config.get("io.tmp.dirs")
    directories = split_directories(temporary.text) if temporary.is_set else []
    return temporary, directories[0] if directories else "/tmp"


def cases() -> list[Case]:
    return [
        bad("blob.storage.directory: /tmp/blobs\n", at="blob.storage.directory"),
        bad("io.tmp.dirs: /tmp\nrest.port: 8081\n", at="io.tmp.dirs", flink="1.14"),
        bad("parallelism.default: 4\n", platform="standalone", severity=Severity.INFO),
        good("blob.storage.directory: /var/lib/flink/blobs\nio.tmp.dirs: /tmp\n"),
        good("process.working-dir: /var/lib/flink\nio.tmp.dirs: /tmp\n", flink="1.18"),
        bad("io.tmp.dirs: /tmp\n", at="io.tmp.dirs", flink="1.18", platform="yarn"),
        bad(
            '[{"Classification": "flink-conf", "Properties": {"blob.storage.directory": "/tmp/blobs"}}]\n',
            file="emr.json",
            at="blob.storage.directory",
        ),
        bad("blob.storage.directory: /tmp/blobs\n", at="blob.storage.directory", flink="1.4.2"),
        good("io.tmp.dirs: /tmp\n", platform="kubernetes"),
        good('[{"Classification": "flink-conf", "Properties": {"rest.port": "8081"}}]\n', file="emr.json"),
        good("parallelism.default: 4\n"),
        good("blob.storage.directory: '{{ blob_dir }}'\n"),
        bad("process.working-dir: /tmp/flink\nio.tmp.dirs: /data\n", at="/tmp/flink", flink="1.18"),
        bad(
            "process.jobmanager.working-dir: /tmp/flink\nprocess.working-dir: /data\n",
            flink="1.18",
            at="process.jobmanager.working-dir",
            severity=Severity.WARNING,
        ),
        good("process.jobmanager.working-dir: /data/\nprocess.working-dir: /tmp\n", flink="1.18"),
        good("process.working-dir: /tmp/${HOST}\n", flink="1.18"),
        bad(
            "process.working-dir: /\nblob.storage.directory: /tmp\n",
            at="blob.storage.directory",
            flink="1.18",
            platform="kubernetes",
        ),
        bad("blob.storage.directory: /tmp\n", profile="development", severity=Severity.INFO),
        bad("io.tmp.dirs: /tmp\n", platform="emr", severity=Severity.WARNING),
        good("io.tmp.dirs: /data,/tmp\n", flink="1.18"),
        good("io.tmp.dirs: /data\n", platform="standalone"),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "JAR directory", "blob.storage.directory: /tmp/flink-jars\n", "/tmp/flink-jars",
            good="blob.storage.directory: jars\n",
        ),
        flink_uses(
            "JAR directory", "", "/tmp/flink-jars", good="blob.storage.directory: jars\n",
            both="io.tmp.dirs: /tmp/flink-jars\n",
        ),
        flink_uses(
            "JAR directory", "", "/tmp/flink-jars/jm_", good="blob.storage.directory: jars\n",
            both="process.working-dir: /tmp/flink-jars\n", releases=">=1.15",
        ),
    ]  # fmt: skip
