"""Settings for S3 that the file system does not read, or does not work without.

## What it does
Reports

- an endpoint inside one's own network (a name without a dot, `minio`, a service of Kubernetes) while
  nothing sets `s3.path.style.access: true` or another spelling of it;
- keys that start with `presto.s3.` where a container enables `flink-s3-fs-hadoop` alone, and `fs.s3a.` or `s3a.` where
  it enables `flink-s3-fs-presto` alone, and any of them with `flink-s3-fs-native`, which reads `s3.` alone.

## Why it matters
Clients for S3 put the name of the bucket before that of the host: `http://minio:9000` becomes
`http://bucket.minio:9000`, which no name server knows, so that every access fails with `UnknownHostException`. And each
file system reads `s3.` and its own prefix: under the other's a key is not heeded, without a word in the log.

## What to do
Set `s3.path.style.access: true` for MinIO and its like. Use the prefix `s3.`, which both read.

## Not when
- The endpoint is of Amazon or another public host, whose names of buckets resolve; a template fills it in.
- The endpoint is an IP address, which clients never put the name of a bucket before.
- Both file systems are enabled, or nothing says which; the file is only a part of a configuration.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/s3/#configure-path-style-access>:
  what MinIO needs
- <https://github.com/apache/flink/blob/release-1.20/flink-filesystems/flink-s3-fs-presto/src/main/java/org/apache/flink/fs/s3presto/S3FileSystemFactory.java>,
  <https://github.com/apache/flink/blob/release-1.20/flink-filesystems/flink-s3-fs-hadoop/src/main/java/org/apache/flink/fs/s3hadoop/S3FileSystemFactory.java>:
  the prefixes that each reads
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.checkpoints.s3_plugins import plugins

_PREFIXES = ("s3.", "s3a.", "fs.s3a.", "presto.s3.")
_PATH_STYLE = tuple(prefix + name for prefix in _PREFIXES for name in ("path.style.access", "path-style-access"))
_NATIVE = "flink-s3-fs-native"
_READ_BY_OTHER = {
    _NATIVE: ("fs.s3a.", "s3a.", "presto.s3."),
    "flink-s3-fs-hadoop": ("presto.s3.",),
    "flink-s3-fs-presto": ("fs.s3a.", "s3a."),
}
"""File system -> the prefixes of keys that it does not read and the other one does."""
_OWN_NETWORK = regex(
    r"(?:https?://)?(?:[^./:\s]+|(?=[^/:\s]*minio)[^/:\s]++|[^/:\s]+\.svc(?:\.cluster\.local)?)(?::\d+)?/?",
    re.IGNORECASE,
)


@rule(
    code="FLK330",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=_PREFIXES,
    since="0.1",
)
def s3_client_settings(config: View) -> Iterator[Finding]:
    """settings for S3 are not read, or the one for path style is missing"""
    if not config.document.whole:
        return
    endpoint = next((one for prefix in _PREFIXES for one in _written(config, f"{prefix}endpoint")), None)
    if endpoint is not None and endpoint.is_known and _OWN_NETWORK.fullmatch(endpoint.text.strip()):
        styles = [one for key in _PATH_STYLE for one in _written(config, key)]
        if all(one.text.strip().lower() == "false" for one in styles):
            yield endpoint.finding(
                "the client puts the bucket before this host's name, which no name server then knows",
                help="set s3.path.style.access: true",
                related=styles,
            )
    enabled = {jar for container in config.elements("container") for jar in plugins(container)}
    if len(enabled) == 1:
        yield from _unread(config, enabled.pop())


def _written(config: View, key: str) -> list[Setting]:
    return [config.written(key)] if key in config.effective else []


def _unread(config: View, jar: str) -> Iterator[Finding]:
    found = [one for prefix in _READ_BY_OTHER[jar] for one in config.under(prefix)]
    if found:
        others = f" and {len(found) - 1} more" if len(found) > 1 else ""
        name = f"s3.{found[0].written.partition('s3a.' if 's3a.' in found[0].written else 's3.')[2]}"
        yield found[0].finding(
            f"{jar} is the file system for S3 here, and does not read {found[0].written}{others}",
            help="write its own option for it, which starts with s3." if jar == _NATIVE else f"write {name}",
            at="key",
        )


_COMPOSE = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment:
      ENABLE_BUILT_IN_PLUGINS: {}
      FLINK_PROPERTIES: |
        {}: 50
"""


def cases() -> list[Case]:
    return [
        bad(
            "s3.endpoint: http://minio:9000\n",
            at="s3.endpoint",
            severity=Severity.WARNING,
            says="puts the bucket before",
        ),
        bad("s3.endpoint: http://minio:9000/\ns3.path.style.access: false\n", at="s3.endpoint", flink="1.14"),
        good("s3.endpoint: http://10.0.0.7:9000/\ns3.path.style.access: false\n", flink="1.14"),
        bad("fs.s3a.endpoint: storage.flink.svc.cluster.local:9000\n", at="fs.s3a.endpoint"),
        bad("parallelism.default: 2\npresto.s3.endpoint: https://minio.example.com\n", at="presto.s3.endpoint"),
        bad(
            _COMPOSE.format("flink-s3-fs-hadoop-1.18.1.jar", "presto.s3.max-connections"),
            at="presto.s3.max-connections",
            file="docker-compose.yml",
            says="flink-s3-fs-hadoop is the file system",
        ),
        bad(
            _COMPOSE.format("flink-s3-fs-presto-1.18.1.jar", "fs.s3a.connection.maximum"),
            at="fs.s3a.connection.maximum",
            file="docker-compose.yml",
            says="does not read fs.s3a.connection.maximum",
        ),
        bad(_COMPOSE.format("flink-s3-fs-presto-1.18.1.jar", "s3a.connection.maximum"), file="docker-compose.yml"),
        good("s3.endpoint: http://minio:9000\ns3.path.style.access: true\n"),
        good("s3.endpoint: http://minio:9000\ns3.path-style-access: true\n"),
        good("s3.endpoint: http://minio:9000\nfs.s3a.path.style.access: '{{ style }}'\n"),
        good("s3.endpoint: s3.eu-central-1.amazonaws.com\n"),
        good("s3.endpoint: https://storage.example.com\n"),
        good("s3.endpoint: http://${HOST}:9000\n"),
        bad(
            _COMPOSE.replace("1.18.1", "2.3.0").format("flink-s3-fs-native-2.3.0.jar", "fs.s3a.connection.maximum"),
            file="docker-compose.yml",
            says="flink-s3-fs-native is the file system",
        ),
        good(_COMPOSE.format("flink-s3-fs-hadoop-1.18.1.jar", "fs.s3a.connection.maximum"), file="docker-compose.yml"),
        good(_COMPOSE.format("flink-s3-fs-presto-1.18.1.jar", "presto.s3.max-connections"), file="docker-compose.yml"),
        good(
            _COMPOSE.format("flink-s3-fs-hadoop-1.18.1.jar;flink-s3-fs-presto-1.18.1.jar", "presto.s3.max-connections"),
            file="docker-compose.yml",
        ),
        good(_COMPOSE.format("flink-gs-fs-hadoop-1.18.1.jar", "presto.s3.max-connections"), file="docker-compose.yml"),
        good("SET 's3.endpoint' = 'http://minio:9000';\nINSERT INTO a SELECT * FROM b;\n", file="job.sql"),
    ]


def claims() -> list[Claim]:
    once = "s3.access-key: a\ns3.secret-key: b\ns3.retry.limit: 0\ns3.attempts.maximum: 0\n"
    return [
        flink_uses(
            "bucket", "s3.endpoint: http://minio:9000\n", "asks bucket.minio",
            good="s3.endpoint: http://minio:9000\ns3.path.style.access: true\n", both=once,
        ),
    ]  # fmt: skip
