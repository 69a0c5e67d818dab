"""A directory for recovery is a URI that no file system takes.

## What it does
Reports, among the directories of checkpoints, savepoints and high availability:

- a path without a scheme for checkpoints or savepoints (`/data/checkpoints`, `checkpoints/`), from 1.13 on;
- a URI without a path below its root (`hdfs://checkpoints`, where `checkpoints` is a host, or `file:///`);
- `file://` with two slashes before the path (`file://data/checkpoints`);
- a URI of an object store with one slash or three, which names no bucket (`s3:/bucket/checkpoints`, `s3:///checkpoints`);
- `gcs://`, which is called `gs://`, schemes in capitals, and schemes that are one letter from a known one (`s4://`).

## Why it matters
Flink reads the value when it starts a job. Then the job fails, with `The scheme (hdfs://, file://, etc) is null`,
`Cannot use the root directory for checkpoints`, `Found local file path with authority` or `Could not find a file system
implementation for scheme`. `fs.default-scheme` does not help: the check comes before it.

## What to do
Write the whole URI: `file:///data/checkpoints`, `s3://bucket/checkpoints`, `hdfs://namenode:8020/checkpoints`.

## Not when
A variable or template fills the value in; a scheme that is unlike all that Flink and Hadoop know, since a plugin may
bring it; `hdfs:///path` and `hdfs:/path`, whose name node Hadoop's configuration
names; a path without scheme for `high-availability.storageDir`, which Flink takes.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/state/filesystem/AbstractFileStateBackend.java>:
  `validatePath`
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/overview/>: the schemes
"""

import re
from collections.abc import Iterator

from flink_flint.linter.flink.uris import STORES, locate, scheme_meant
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.checkpoints._state_directories import READS

_SAVEPOINTS = "execution.checkpointing.savepoint-dir"
"""Its file system is looked for when a savepoint is taken: the job starts."""
_URI = regex(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<slashes>/*)(?P<rest>.*)", re.DOTALL)
_HOST = regex(r"[\w.-]+:\d+|[\w-]+(?:\.[\w-]+)*\.(?:svc|local|com|org|net|io|amazonaws)(?:\.[\w.-]+)?")
"""The host of a store, which stands in front of the bucket in other products' addresses."""


@rule(
    code="FLK317",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=READS,
    since="0.1",
)
def state_dir_scheme(config: View) -> Iterator[Finding]:
    """a directory for recovery is a URI that no file system takes"""
    for place, key in enumerate(READS):
        setting = config.get(key)
        text = setting.text.strip()
        if not setting.is_set or not setting.is_known or not text:
            continue
        found = _wrong(text, of_a_job=place < 2 and config.since("1.13"))
        if found is None:
            continue
        why, instead = found
        yield setting.finding(
            f"{setting.written} is {text!r}, {why}",
            help=f"write {instead}" if instead else "write the whole URI, such as s3://bucket/path or file:///path",
            fix=setting.replace(instead) if instead and not instead.endswith("...") else None,
            severity=Severity.WARNING if key == _SAVEPOINTS and scheme_meant(locate(text).scheme) else None,
        )


def _wrong(text: str, *, of_a_job: bool) -> tuple[str, str | None] | None:
    """What is wrong with a URI, and what to write instead; None where nothing is."""
    match = _URI.fullmatch(text)
    if match is None:
        if not of_a_job:
            return None
        instead = f"file://{text}" if text.startswith("/") and text.strip("/") else None
        return "which has no scheme: every job fails with 'The scheme (hdfs://, file://, etc) is null'", instead
    scheme, slashes, rest = match["scheme"], match["slashes"], match["rest"]
    if scheme.lower() in (*STORES, "gcs", "file", "hdfs") and scheme != scheme.lower():
        return f"and no file system is called {scheme}", f"{scheme.lower()}:{slashes}{rest}"
    if scheme == "gcs":
        return "and no file system is called gcs; Google's is gs", f"gs:{slashes}{rest}"
    if meant := scheme_meant(scheme):
        return f"and no file system is called {scheme}", f"{meant}:{slashes}{rest}"
    if not slashes and rest and len(scheme) > 1:
        whole = f"{scheme}:///{rest}" if scheme in ("file", "hdfs") else f"{scheme}://{rest}"
        return "whose path has no / at its start: Flink fails with 'Relative path in absolute URI'", whole
    if scheme == "file" and len(slashes) == 2 and rest:
        return "where Flink takes the first word for a host and refuses it", f"file:///{rest}"
    if scheme in STORES and len(slashes) in (1, 3) and rest:
        host, _, below = rest.partition("/")
        if below and _HOST.fullmatch(host):
            return f"which names no bucket: {host} is a host, which is for {scheme}.endpoint", f"{scheme}://{below}"
        return "which names no bucket", f"{scheme}://{rest}"
    if of_a_job and len(slashes) == 2 and scheme in STORES and "/" not in rest.rstrip("/"):
        where = f"which is the whole bucket {rest.rstrip('/')}" if rest else "which names no bucket"
        return f"{where}: Flink refuses the root directory", f"{scheme}://{rest.rstrip('/')}/..." if rest else None
    if of_a_job and len(slashes) == 2 and scheme == "hdfs" and "/" not in rest.rstrip("/"):
        return f"where {rest.rstrip('/') or 'nothing'} is the host: Flink refuses the root directory", None
    if of_a_job and scheme == "file" and not rest:
        return "and Flink refuses the root directory", None
    return None


def cases() -> list[Case]:
    return [
        bad(
            "state.checkpoints.dir: /data/checkpoints\n",
            at="execution.checkpointing.dir",
            flink="1.18",
            severity=Severity.ERROR,
            says="no scheme",
            fixed="state.checkpoints.dir: file:///data/checkpoints\n",
        ),
        bad("execution.checkpointing.savepoint-dir: savepoints\n", at="execution.checkpointing.savepoint-dir"),
        bad(
            "state.checkpoints.dir: file://data/checkpoints\n",
            flink="1.14",
            says="host",
            fixed="state.checkpoints.dir: file:///data/checkpoints\n",
        ),
        bad("state.checkpoints.dir: s3:/bucket/checkpoints\n", flink="1.17", says="bucket"),
        bad("high-availability.storageDir: s3:///ha\n", at="high-availability.storageDir", flink="1.17"),
        bad(
            "state.checkpoints.dir: s3:///minio:9000/flink/checkpoints\n",
            flink="1.20",
            says="minio:9000 is a host",
            fixed="state.checkpoints.dir: s3://flink/checkpoints\n",
        ),
        bad("high-availability.storageDir: s3:///a.b.c/ha\n", flink="1.17", says="names no bucket"),
        bad(
            "high-availability.storageDir: gcs://bucket/ha\n",
            flink="1.17",
            says="gs",
            fixed="high-availability.storageDir: gs://bucket/ha\n",
        ),
        bad(
            "high-availability.storageDir: s4://bucket/ha\n",
            flink="1.20",
            says="no file system is called s4",
            fixed="high-availability.storageDir: s3://bucket/ha\n",
        ),
        bad("state.checkpoints.dir: hdsf://namenode:8020/c\n", flink="1.20", says="called hdsf"),
        bad("state.checkpoints.dir: s3://bucket/\n", flink="1.18", says="the whole bucket"),
        bad("state.checkpoints.dir: s3:bucket/c\n", flink="1.18", fixed="state.checkpoints.dir: s3://bucket/c\n"),
        bad("high-availability.storageDir: ofs:volume/ha\n", flink="1.18", says="Relative path"),
        good("state.checkpoints.dir: ofs://bucket/c\nstate.savepoints.dir: acme://bucket/s\n", flink="1.18"),
        bad("state.savepoints.dir: hdfs://savepoints\n", flink="1.14", says="root"),
        bad(
            "state.checkpoints.dir: ' '\nstate.savepoints.dir: S3://Bucket/s\n",
            flink="1.20",
            says="called S3",
            fixed="state.checkpoints.dir: ' '\nstate.savepoints.dir: s3://Bucket/s\n",
        ),
        bad("state.savepoints.dir: hdfs://namenode/\n", flink="1.14", says="namenode is the host"),
        bad("state.checkpoints.dir: file:///\n", flink="1.18", says="root"),
        bad("state.checkpoints.dir: /\n", flink="1.18", fixed="state.checkpoints.dir: /\n"),
        bad(
            "state.checkpoints.dir: state/checkpoints\n",
            flink="1.18",
            fixed="state.checkpoints.dir: state/checkpoints\n",
        ),
        good("state.checkpoints.dir: /data/checkpoints\n", flink="1.12"),
        good("high-availability.storageDir: hdfs://namenode\n", flink="1.18"),
        good("high-availability.storageDir: file:///\n", flink="1.18"),
        good("state.checkpoints.dir: Custom://bucket/c\n", flink="1.18"),
        good("state.checkpoints.dir: s3:///\n", flink="1.18"),
        good("state.checkpoints.dir: file://\n", flink="1.12"),
        good("state.checkpoints.dir: hdfs:/checkpoints\n", flink="1.18"),
        good("state.checkpoints.dir: viewfs://checkpoints\n", flink="1.18"),
        good("high-availability.storageDir: /nfs/ha\n", flink="1.18"),
        good("state.checkpoints.dir: hdfs:///flink/checkpoints\n", flink="1.18"),
        good("state.checkpoints.dir: hdfs://nameservice1/flink\n", flink="1.18"),
        good("state.checkpoints.dir: file:/data/checkpoints\n", flink="1.18"),
        good("state.checkpoints.dir: ${CHECKPOINTS}\n", flink="1.18"),
        good("state.checkpoints.dir: wasbs://container@account.blob.core.windows.net/x\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "high availability",
            "high-availability.storageDir: s4://bucket/ha\n",
            good="high-availability.storageDir: file:///tmp/ha\n",
            both="high-availability: zookeeper\nhigh-availability.zookeeper.quorum: localhost:1\n",
        ),
        flink_refuses(
            "run",
            "state.checkpoints.dir: s4://bucket/c\n",
            good="state.checkpoints.dir: file:///tmp/flink/c\n",
            both="execution.checkpointing.interval: 1 min\n",
        ),
        flink_refuses(
            "checkpoint storage",
            "state.checkpoints.dir: /data/checkpoints\n",
            good="state.checkpoints.dir: file:///data/checkpoints\n",
            releases=">=1.13",
        ),
        flink_refuses(
            "checkpoint storage",
            "state.savepoints.dir: savepoints\n",
            good="state.savepoints.dir: file:///savepoints\n",
            both="state.checkpoints.dir: file:///data/checkpoints\n",
            releases=">=1.13",
        ),
        flink_refuses(
            "checkpoint storage",
            "state.checkpoints.dir: hdfs://namenode/\n",
            good="state.checkpoints.dir: hdfs://namenode/c\n",
            releases=">=1.13",
        ),
        flink_refuses(
            "checkpoint storage",
            "state.checkpoints.dir: file:///\n",
            good="state.checkpoints.dir: file:///c\n",
            releases=">=1.13",
        ),
    ]
