"""Flink has another key for the object store than the store itself.

## What it does
Compares `s3.access-key` and `s3.secret-key` with the user and password of MinIO in the same Compose file
(`MINIO_ROOT_USER`, `MINIO_ROOT_PASSWORD`, `MINIO_ACCESS_KEY`, `MINIO_SECRET_KEY`), where `s3.endpoint` is that service.

## Why it matters
MinIO refuses each request: `AmazonS3Exception: The request signature we calculated does not match the signature you
provided` for another secret, `InvalidAccessKeyId` for another user. Jobs fail at their first checkpoint, or at their
start with high availability.

## What to do
Give both the same values, best by one variable of the `.env` file.

## Not when
MinIO has other users, which something in the file creates (`mc admin user`, `mc admin accesskey`); a value is not
known; `s3.endpoint` names another host.

## Sources
- <https://min.io/docs/minio/linux/reference/minio-server/settings/root-credentials.html>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/s3/#access-keys-discouraged>
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_ENDPOINT = regex(r"(?:https?://)?(?P<host>[\w.-]+?)(?::\d+)?/?")
_PAIRS = {
    "access-key": ("environment.MINIO_ROOT_USER", "environment.MINIO_ACCESS_KEY"),
    "secret-key": ("environment.MINIO_ROOT_PASSWORD", "environment.MINIO_SECRET_KEY"),
}
_PREFIXES = ("s3", "s3a", "fs.s3a")
_OTHER_USERS = regex(r"\bmc\b[^\r\n]{0,200}\badmin[ \t]+(?:user|accesskey|policy)|svcacct")


@rule(
    code="FLK956",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:service"],
    scope="project",
    compares=[(["element:service"], ["element:service"]), "folder"],
    since="0.1",
)
def object_store_keys_differ(project: Project) -> Iterator[Finding]:
    """Flink has another key for the object store than the store itself"""
    reported: set[object] = set()
    for views in project.directories.values():
        stores = {
            one.name: one
            for config in views
            for one in config.elements("service")
            if any(one.has(name) for names in _PAIRS.values() for name in names)
        }
        if not stores or any(_OTHER_USERS.search(config.document.text) for config in views):
            continue
        for config in _with_files(project, views):
            yield from _judge(config, stores, reported)


def _with_files(project: Project, views: list[View]) -> list[View]:
    """Return the views of a folder and of the configuration files below it."""
    folder = os.path.join(os.path.abspath(views[0].document.directory), "")
    return [*views, *(one for one in project.views if one not in views and one.document.is_configuration_file
                      and os.path.abspath(one.document.path).startswith(folder))]  # fmt: skip


def _judge(config: View, stores: dict[str, ElementView], reported: set[object]) -> Iterator[Finding]:
    for prefix in _PREFIXES:
        given = {one.written: one for one in config.under(f"{prefix}.")}
        endpoint = given.get(f"{prefix}.endpoint")
        host = _ENDPOINT.fullmatch(endpoint.text.strip()) if endpoint is not None and endpoint.is_known else None
        store = stores.get(host["host"]) if host is not None else None
        if store is None:
            continue
        for what, names in _PAIRS.items():
            setting = given.get(f"{prefix}.{what}") or given.get(f"{prefix}.{what.replace('-', '.')}")
            name = next((name for name in names if store.has(name)), None)
            theirs = store.text(name) if name is not None else None
            if setting is None or name is None or theirs is None or not setting.is_known or setting.text == theirs:
                continue
            place = setting.document.path, setting.entry and setting.entry.value_span
            if place in reported or "$" in setting.text or "$" in theirs:
                continue
            reported.add(place)
            variable = name.removeprefix("environment.")
            yield setting.finding(
                f"{setting.written} is not the {variable} of {store.name}: it refuses each request"
                f" ({'InvalidAccessKeyId' if what == 'access-key' else 'SignatureDoesNotMatch'})",
                help=f"give {setting.written} and {variable} the same value",
                related=[store.place(name, f"of {store.name}")],
            )


_COMPOSE = """services:
  minio:
    image: minio/minio
    command: server /data
    environment:
      MINIO_ROOT_USER: admin
      MINIO_ROOT_PASSWORD: {password}
  jobmanager:
    image: flink:1.18
    command: jobmanager
    {more}
"""
_PROPERTIES = """environment:
      FLINK_PROPERTIES: |
        s3.endpoint: http://{host}:9000
        s3.access-key: {user}
        s3.secret-key: {secret}"""


def _compose(
    host: str = "minio", user: str = "admin", secret: str = "quite-secret", password: str = "quite-secret"
) -> str:
    return _COMPOSE.format(password=password, more=_PROPERTIES.format(host=host, user=user, secret=secret))


def cases() -> list[Case]:
    conf = "s3.endpoint: http://minio:9000\ns3.access-key: admin\ns3.secret-key: other-secret\n"
    compose = _COMPOSE.format(
        password="quite-secret", more='volumes: ["./flink-conf.yaml:/opt/flink/conf/flink-conf.yaml"]'
    )
    return [
        bad(_compose(secret="other-secret"), file="docker-compose.yaml", at="s3.secret-key", severity=Severity.ERROR,
            says="is not the MINIO_ROOT_PASSWORD of minio", times=1),
        bad(_compose(user="root"), file="docker-compose.yaml", at="s3.access-key", says="InvalidAccessKeyId"),
        bad(conf, file="flink-conf.yaml", beside={"docker-compose.yaml": compose}, at="s3.secret-key"),
        good(_compose(), file="docker-compose.yaml"),
        good(_compose(host="s3.example.org", secret="other-secret"), file="docker-compose.yaml"),
        good(_compose(secret="other-secret", password="${PASSWORD}"), file="docker-compose.yaml"),
        good(_compose(secret="other-secret") + "  init:\n    image: minio/mc\n    command: mc admin user add a b c\n",
             file="docker-compose.yaml"),
    ]  # fmt: skip
