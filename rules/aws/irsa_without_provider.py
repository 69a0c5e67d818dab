"""Flink's S3 file system does not use the role of the pods' service account.

## What it does
Looks at pods whose Kubernetes service account has a role of AWS (`eks.amazonaws.com/role-arn`, IAM roles for service
accounts), and at directories on `s3a://`, or on `s3://` where `flink-s3-fs-hadoop` is the only plugin that the
containers enable: reports those for which nothing names a provider of credentials.

## Why it matters
EKS gives the pod a token in a file, and only a web identity provider reads it. The Hadoop file system asks by default
for keys in the configuration, for variables, and for the role of the machine: `AccessDeniedException`, `Unable to load
credentials from any of the providers in the chain`, or `403 Forbidden` for the role of the node. The role of the
service account is never used.

## What to do
Set `fs.s3a.aws.credentials.provider: com.amazonaws.auth.WebIdentityTokenCredentialsProvider`. The plugin
`flink-s3-fs-presto` uses the role without it.

## Not when
- Another provider or keys are set, in the configuration, in variables, or in a `core-site.xml`.
- Variables of the containers come from elsewhere, or the containers enable the Presto plugin for `s3://`.
- The account of the pods is not in the repository.

## Sources
- <https://hadoop.apache.org/docs/r3.3.4/hadoop-aws/tools/hadoop-aws/index.html#Authenticating_with_S3>: the default
  chain has no web identity
- <https://docs.aws.amazon.com/eks/latest/userguide/iam-roles-for-service-accounts.html>: the token in the pod
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/s3/#configure-access-credentials>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.processes.process_view import ProcessView
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, Setting, View

_ACCOUNTS = ["element:kubernetes-object/ServiceAccount"]
_DIRECTORIES = (
    "execution.checkpointing.dir", "execution.checkpointing.savepoint-dir", "high-availability.storageDir",
)  # fmt: skip
_ROLE = "metadata.annotations.eks.amazonaws.com/role-arn"
_PREFIXES = ("s3.", "s3a.", "fs.s3a.", "presto.s3.", "flink.hadoop.fs.s3a.", "hive.s3.")
_SECRETS = ("credentials", "access-key", "access.key", "secret", "delegation")
_VARIABLES = ("AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "HADOOP_CONF_DIR", "HADOOP_CLASSPATH", "HADOOP_HOME")
_PLUGINS = "ENABLE_BUILT_IN_PLUGINS"
_HADOOP, _PRESTO, _NATIVE = "flink-s3-fs-hadoop", "flink-s3-fs-presto", "flink-s3-fs-native"


@rule(
    code="FLK765",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=_ACCOUNTS,
    scope="project",
    compares=[(_ACCOUNTS, [*_DIRECTORIES, "element:container", "element:kubernetes-object/FlinkDeployment"])],
    since="0.1",
)
def irsa_without_provider(project: Project) -> Iterator[Finding]:
    """S3 is reached without the role of the service account"""
    accounts = {name: part for config in project.views for name, part in _accounts(config)}
    if not accounts:
        return
    reported: set[object] = set()
    for views in project.directories.values():
        pods = [(process, account) for config in views for process, account in _pods(config, accounts)]
        if not pods or any(map(_may_bring_keys, (process for process, _ in pods))):
            continue
        plugins = " ".join(str(fact.value) for process, _ in pods if (fact := process.variable(_PLUGINS)) is not None)
        if any(_names_credentials(config) for config in views):
            continue
        for config in views:
            setting = _directory(config, plugins)
            place = setting and (setting.document.path, setting.entry and setting.entry.value_span)
            if setting is None or place in reported:
                continue
            reported.add(place)
            process, account = pods[0]
            message = (
                f"the Hadoop file system of S3 does not use the role of the service account {_name(account)}: without a"
                " web identity provider it asks for keys and for the role of the machine, and is denied (403)"
            )
            remedy = "set fs.s3a.aws.credentials.provider: com.amazonaws.auth.WebIdentityTokenCredentialsProvider"
            role = account.place(_ROLE, "the role of the account")
            if config.relation.is_left_aside:  # no container mounts it: what the pods run with is beside them
                places = [role, *([found] if (found := setting.place("the directory")) is not None else [])]
                yield process.finding(message, of="image", key=setting.key, help=remedy, related=places)
            else:
                yield setting.finding(message, help=remedy, related=[role])


def _accounts(config: View) -> Iterator[tuple[str, ElementView]]:
    for part in config.elements("kubernetes-object"):
        name = part.text("metadata.name")
        if part.name == "ServiceAccount" and name and part.has(_ROLE):
            yield name, part


def _name(account: ElementView) -> str:
    return account.text("metadata.name") or ""


def _pods(config: View, accounts: dict[str, ElementView]) -> Iterator[tuple[ProcessView, ElementView]]:
    for process in config.processes:
        account = process.service_account
        if account is not None and isinstance(account.value, str) and account.value in accounts:
            yield process, accounts[account.value]


def _may_bring_keys(process: ProcessView) -> bool:
    """Return whether variables, files or settings that are not in the repository may give a process credentials."""
    if not process.environment_is_known or any(process.variable(name) is not None for name in _VARIABLES):
        return True
    if any("core-site" in volume.document.text for volume in process.volumes()):
        return True
    return any(volume.text("kind") == "secret" for volume in process.volumes())


def _names_credentials(config: View) -> bool:
    return any(
        setting.written.startswith(_PREFIXES) and any(word in setting.written for word in _SECRETS)
        for setting in config.entries()
    )


def _directory(config: View, plugins: str) -> Setting | None:
    """Return the first directory of a document that the Hadoop file system serves; None if there is none."""
    for key in _DIRECTORIES:
        setting = config.get(key)
        scheme = locate(setting.text).scheme if setting.is_set and setting.is_known else ""
        if scheme == "s3a" and _NATIVE not in plugins:
            return setting
        if scheme == "s3" and _HADOOP in plugins and _PRESTO not in plugins and _NATIVE not in plugins:
            return setting
    return None


_ACCOUNT = """apiVersion: v1
kind: ServiceAccount
metadata:
  name: flink
  annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::123456789012:role/flink"}
---
"""
_BESIDE = """apiVersion: v1
kind: ConfigMap
metadata: {name: flink-config}
data:
  flink-conf.yaml: |
    state.checkpoints.dir: s3a://acme/checkpoints
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: jobmanager}
spec:
  template:
    spec:
      serviceAccountName: flink
      containers:
        - {name: jobmanager, image: "flink:1.18", args: [jobmanager]}
"""
_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  image: acme/orders:1
  flinkVersion: v1_19
  serviceAccount: {account}
  flinkConfiguration:
    state.checkpoints.dir: {directory}
    {more}
  jobManager: {{resource: {{memory: 2048m}}}}
  taskManager: {{resource: {{memory: 2048m}}}}
"""
_ENABLED = """  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env: [{name: ENABLE_BUILT_IN_PLUGINS, value: %s-1.19.1.jar}]
"""


def _resource(directory: str, more: str = "rest.port: '8081'", account: str = "flink", pods: str = "") -> str:
    return _ACCOUNT + _RESOURCE.format(directory=directory, more=more, account=account) + pods


def cases() -> list[Case]:
    return [
        bad(
            _resource("s3a://acme/checkpoints"), file="orders.yaml", at=_DIRECTORIES[0], severity=Severity.WARNING,
            says="does not use the role of the service account flink",
        ),
        bad(_resource("s3://acme/checkpoints", pods=_ENABLED % _HADOOP), file="orders.yaml", at=_DIRECTORIES[0]),
        bad(_ACCOUNT + _BESIDE, file="jobmanager.yaml", at=_DIRECTORIES[0]),
        good(_resource("s3a://a/c", "fs.s3a.aws.credentials.provider: com.amazonaws.auth.WebIdentityTokenCredentials"
                       "Provider"), file="orders.yaml"),
        good(_resource("s3a://acme/checkpoints", "s3.access-key: '${KEY}'"), file="orders.yaml"),
        good(_resource("s3a://acme/checkpoints", account="other"), file="orders.yaml"),
        good(_resource("s3://acme/checkpoints", pods=_ENABLED % _PRESTO), file="orders.yaml"),
        good(_resource("s3://acme/checkpoints"), file="orders.yaml"),
        good(_resource("hdfs:///checkpoints"), file="orders.yaml"),
        good(_resource("s3a://acme/c", pods=_ENABLED.replace("ENABLE_BUILT_IN_PLUGINS", "AWS_ACCESS_KEY_ID") % "a"),
             file="orders.yaml"),
    ]  # fmt: skip
