"""Custom resources drawn from a seed, valid for a release of the operator, that set options in several ways."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from flink_flint.linter.flink.deployment.operator import (
    FIELD_SINCE,
    FIRST_NESTED,
    FIRST_QUANTITY,
    SINCE_VERSION,
    UNSUPPORTED_SINCE,
    release_number,
)

Object = dict[str, Any]


class Question(NamedTuple):
    """A FlinkDeployment, perhaps with a FlinkSessionJob that it runs, whose configuration is wanted."""

    name: str
    deployment: Object
    job: Object | None = None


_SIZES = ("1g", "2048m", "1600 mb", "2147483648", "3 gb", "1728m", "4096 MEBIBYTES")
_QUANTITIES = ("2Gi", "1536Mi", "2G", "1500M", "2gi", "2 Gi")
_CPUS = (1, 0.5, 2.5, 4, "1", "0.25")
_JARS = ("local:///opt/flink/usrlib/job.jar", "s3://jars/job-1.0.jar", "https://example.com/job.jar?version=1")
_MODES = ("stateless", "last-state", "savepoint")

_CHOICES: Mapping[str, Sequence[object]] = {
    "taskmanager.numberOfTaskSlots": (1, 2, 4, 8),
    "parallelism.default": (1, 3, 7),
    "jobmanager.memory.process.size": ("1g", "1600m"),
    "jobmanager.memory.flink.size": ("1g",),
    "taskmanager.memory.process.size": ("1728m", "4g"),
    "taskmanager.memory.flink.size": ("1280m",),
    "taskmanager.memory.managed.fraction": (0.4, 0.25),
    "jobmanager.heap.size": ("1024m",),
    "taskmanager.heap.size": ("1024m",),
    "kubernetes.jobmanager.cpu": (0.5, 2),
    "kubernetes.taskmanager.cpu": (1.5,),
    "kubernetes.jobmanager.cpu.amount": (0.5, 2),
    "kubernetes.taskmanager.cpu.amount": (3,),
    "kubernetes.jobmanager.cpu.limit-factor": (2,),
    "kubernetes.container.image": ("flink:old",),
    "kubernetes.container.image.ref": ("flink:other",),
    "kubernetes.container.image.pull-policy": ("Always",),
    "kubernetes.container.image.pull-secrets": ("one;two",),
    "kubernetes.service-account": ("another",),
    "kubernetes.jobmanager.service-account": ("jm",),
    "kubernetes.jobmanager.replicas": (1, 2),
    "kubernetes.rest-service.exposed.type": ("LoadBalancer", "NodePort", "ClusterIP"),
    "kubernetes.pod-template-file": ("/opt/template.yaml",),
    "kubernetes.pod-template-file.taskmanager": ("/opt/template.yaml",),
    "kubernetes.pod-template-file.default": ("/opt/template.yaml",),
    "kubernetes.config.file": ("/etc/kube/config",),
    "kubernetes.jobmanager.annotations": ("a:b,c:d",),
    "kubernetes.taskmanager.node-selector": ("disk:ssd",),
    "high-availability": ("kubernetes", "NONE", "zookeeper"),
    "high-availability.type": ("kubernetes", "none", "ZOOKEEPER", "KUBERNETES"),
    "high-availability.storageDir": ("s3://bucket/ha", "file:///ha/"),
    "high-availability.jobmanager.port": (6123, "50000-50010"),
    "high-availability.zookeeper.quorum": ("zk-0:2181,zk-1:2181",),
    "execution.checkpointing.interval": ("30 s", "1min", 60000),
    "execution.checkpointing.mode": ("AT_LEAST_ONCE",),
    "execution.checkpointing.externalized-checkpoint-retention": ("DELETE_ON_CANCELLATION",),
    "execution.checkpointing.dir": ("s3://bucket/checkpoints",),
    "state.checkpoints.dir": ("s3://bucket/checkpoints",),
    "state.savepoints.dir": ("s3://bucket/savepoints",),
    "state.backend.type": ("rocksdb",),
    "state.backend.incremental": (True,),
    "execution.savepoint.path": ("s3://bucket/old",),
    "execution.savepoint.ignore-unclaimed-state": (True,),
    "execution.state-recovery.path": ("s3://bucket/recovered",),
    "execution.state-recovery.ignore-unclaimed-state": (False,),
    "execution.target": ("remote", "kubernetes-session"),
    "execution.attached": (True,),
    "execution.shutdown-on-application-finish": (True,),
    "execution.submit-failed-job-on-application-error": (False,),
    "pipeline.name": ("payments",),
    "pipeline.jars": ("file:///tmp/x.jar",),
    "pipeline.classpaths": ("file:///tmp/y.jar",),
    "pipeline.max-parallelism": (720,),
    "pipeline.jobvertex-parallelism-overrides": (f"{'a' * 32}:3,{'b' * 32}:9",),
    "jobmanager.scheduler": ("adaptive",),
    "scheduler-mode": ("reactive",),
    "web.cancel.enable": (True, False),
    "web.submit.enable": (False,),
    "rest.port": (8082,),
    "rest.bind-address": ("0.0.0.0",),
    "rest.bind-port": ("8081-8090",),
    "jobmanager.bind-host": ("0.0.0.0",),
    "taskmanager.bind-host": ("0.0.0.0",),
    "taskmanager.host": ("localhost",),
    "jobmanager.rpc.address": ("somewhere",),
    "jobmanager.rpc.port": (6124,),
    "job-result-store.delete-on-commit": (True,),
    "job-result-store.storage-path": ("s3://bucket/results",),
    "kubernetes.operator.savepoint.history.max.age": ("24 h",),
    "kubernetes.operator.periodic.savepoint.interval": ("1 h",),
    "kubernetes.operator.job.restart.failed": (True,),
    "kubernetes.operator.jm-deployment.startup.probe.enabled": (True, False),
    "kubernetes.operator.pod-template.merge-arrays-by-name": (True, False),
    "job.autoscaler.enabled": (True,),
    "job.autoscaler.metrics.window": ("5m",),
    "env.java.opts.all": ("-Dfile.encoding=UTF-8 -Dname='a b'", "-XX:+UseG1GC"),
    "env.java.opts.taskmanager": ('-Dx="y # z"',),
    "metrics.reporters": ("prom",),
    "metrics.reporter.prom.factory.class": ("org.apache.flink.metrics.prometheus.PrometheusReporterFactory",),
    "metrics.reporter.prom.port": ("9249-9260", 9249),
    "s3.access-key": ("AKIA#XYZ", "plain"),
    "s3.endpoint": ("http://minio:9000", "https://minio:9000/#fragment"),
    "s3.path.style.access": (True,),
    "containerized.taskmanager.env.NOTE": ("it's: fine", "  spaces  ", "a # b", "[a, b]", "{a: b}", "über", "'q'"),
    "containerized.master.env.EMPTY": ("",),
    "user.key": ("1.20", "010", "on", "~", "null", "0x1F", "1e3", "a: b", "@at", "%x", "*x", "&x", "!x", '"q"', "a;b"),
    "user.number": (1234567890123, 1.0, 1e21, 0.00001, 1.5, 100000.5, True, 0),
}  # fmt: skip
"""The keys that `flinkConfiguration` may have, each with values."""
_OF_PROCESSES = ("bind-address", "bind-host", "taskmanager.host", "kubernetes.config.file")
_OF_JOBS = [key for key in _CHOICES if not key.endswith(_OF_PROCESSES)]
"""Those that make sense for a session job, whose configuration reaches no process by a file."""


def questions(release: str, count: int, seed: int) -> list[Question]:
    """Return as many resources as asked for, the same ones for the same release (`1.15`) and seed."""
    return [_Drawn(release, random.Random(f"{release} {seed} {number}"), number).question() for number in range(count)]


class _Drawn:
    """One resource, drawn from `source` for a release of the operator."""

    def __init__(self, release: str, source: random.Random, number: int) -> None:
        self._release, self._source, self._number = release_number(release), source, number
        self._version = source.choice(
            [
                version
                for version, since in SINCE_VERSION.items()
                if self._has(since) and not self._has(UNSUPPORTED_SINCE.get(version, "99.0"))
            ]
        )

    def _has(self, release: str) -> bool:
        return self._release >= release_number(release)

    def _often(self, chance: float = 0.5) -> bool:
        return self._source.random() < chance

    def question(self) -> Question:
        name = f"{self._source.choice(('orders', 'a', 'fraud-detection'))}-{self._number}"
        if self._often(0.12):
            deployment = self._deployment(name, has_job=False)
            return Question(name, deployment, self._session_job(name))
        return Question(name, self._deployment(name, has_job=self._often(0.85)))

    def _deployment(self, name: str, *, has_job: bool) -> Object:
        spec: Object = {"flinkVersion": self._version}
        self._maybe(spec, "image", lambda: self._source.choice(("flink:1.17", "repo.example.com/flink@sha256:ab")))
        self._maybe(spec, "imagePullPolicy", lambda: self._source.choice(("Always", "IfNotPresent", "Never")))
        self._maybe(spec, "serviceAccount", lambda: "flink", 0.8)
        self._maybe(spec, "mode", lambda: self._source.choice(("native", "standalone")), 0.4)
        self._maybe(spec, "flinkConfiguration", lambda: self._configuration(self._source.randint(0, 9)), 0.95)
        self._maybe(spec, "podTemplate", self._pod_template)
        self._maybe(spec, "jobManager", lambda: self._process("jobManager"), 0.9)
        self._maybe(spec, "taskManager", lambda: self._process("taskManager"), 0.9)
        self._maybe(spec, "ingress", lambda: {"template": "{{name}}.example.com", "className": "nginx"}, 0.2)
        self._maybe(spec, "logConfiguration", lambda: {"log4j-console.properties": "rootLogger.level = INFO\n"}, 0.2)
        self._maybe(spec, "restartNonce", lambda: 3, 0.1)
        if has_job:
            spec["job"] = self._job()
        return _resource("FlinkDeployment", name, spec)

    def _session_job(self, name: str) -> Object:
        spec: Object = {"deploymentName": name, "job": self._job()}
        self._maybe(spec, "flinkConfiguration", lambda: self._configuration(self._source.randint(0, 4), _OF_JOBS), 0.7)
        return _resource("FlinkSessionJob", f"{name}-job", spec)

    def _maybe(self, holder: Object, name: str, value: Callable[[], object], chance: float = 0.5) -> None:
        if self._often(chance):
            holder[name] = value()

    def _process(self, holder: str) -> Object:
        found: Object = {}
        self._maybe(found, "resource", lambda: self._resource(holder), 0.85)
        self._maybe(found, "replicas", lambda: self._source.randint(1, 4), 0.4)
        self._maybe(found, "podTemplate", self._pod_template, 0.3)
        return found

    def _resource(self, holder: str) -> Object:
        sizes = (*_SIZES, *_QUANTITIES) if self._has(FIRST_QUANTITY) else _SIZES
        found: Object = {}
        self._maybe(found, "memory", lambda: self._source.choice(sizes), 0.9)
        self._maybe(found, "cpu", lambda: self._source.choice(_CPUS), 0.8)
        if self._has(FIELD_SINCE[f"{holder}.resource.ephemeralStorage"]):
            self._maybe(found, "ephemeralStorage", lambda: self._source.choice(("1Gi", "500M")), 0.3)
        return found

    def _job(self) -> Object:
        job: Object = {}
        self._maybe(job, "jarURI", lambda: self._source.choice(_JARS), 0.95)
        job["parallelism"] = self._source.randint(1, 12)
        self._maybe(job, "entryClass", lambda: "org.example.Main")
        self._maybe(job, "args", lambda: ["--topic", "a b", "--x=1;2"])
        self._maybe(job, "upgradeMode", lambda: self._source.choice(_MODES), 0.8)
        self._maybe(job, "state", lambda: self._source.choice(("running", "suspended")), 0.4)
        self._maybe(job, "initialSavepointPath", lambda: "s3://bucket/savepoint-1", 0.25)
        self._maybe(job, "allowNonRestoredState", lambda: self._often(), 0.25)
        return job

    def _configuration(self, count: int, among: Sequence[str] = ()) -> Object:
        keys = self._source.sample(among or list(_CHOICES), count)
        found = {key: self._source.choice(_CHOICES[key]) for key in keys}
        if self._version.startswith("v2"):  # the operator refuses keys that begin with others
            found = {key: value for key, value in found.items() if not any(_begins(key, other) for other in found)}
        if not self._has(FIRST_NESTED):
            return {key: value if isinstance(value, str) else _text(value) for key, value in found.items()}
        if self._often(0.3):
            return _nested(found)
        return found

    def _pod_template(self) -> Object:
        containers = self._source.choice(((), (_MAIN,), (_MAIN, _SIDECAR), (_SIDECAR, _MAIN), (_SIDECAR,)))
        spec: Object = {"containers": [self._container(name) for name in containers]}
        self._maybe(spec, "volumes", lambda: [{"name": "data", "emptyDir": {}}], 0.4)
        self._maybe(spec, "serviceAccountName", lambda: "pod", 0.2)
        self._maybe(spec, "terminationGracePeriodSeconds", lambda: self._source.randint(10, 60), 0.2)
        found: Object = {"spec": spec}
        self._maybe(found, "metadata", lambda: {"labels": {"team": self._source.choice("ab")}}, 0.4)
        if not self._has("1.8"):  # a Pod, not a template of one
            found = {"apiVersion": "v1", "kind": "Pod", **found}
        return found

    def _container(self, name: str) -> Object:
        found: Object = {"name": name}
        names = self._source.sample(["A", "B", "C"], self._source.randint(0, 3))
        if names:
            found["env"] = [{"name": one, "value": self._source.choice("xyz")} for one in names]
        self._maybe(found, "image", lambda: self._source.choice(("sidecar:1", "flink:custom")), 0.3)
        self._maybe(found, "volumeMounts", lambda: [{"name": "data", "mountPath": "/data"}], 0.3)
        self._maybe(found, "resources", lambda: {"limits": {"memory": "3Gi"}}, 0.2)
        return found


_MAIN, _SIDECAR = "flink-main-container", "sidecar"


def _resource(kind: str, name: str, spec: Object) -> Object:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "flink.apache.org/v1beta1", "kind": kind, "metadata": metadata, "spec": spec}


def _begins(key: str, other: str) -> bool:
    return key.startswith(f"{other}.")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _nested(flat: Mapping[str, object]) -> Object:
    """Return the keys as nested maps, as far as none is both a value and a map, and a list for each with semicolons."""
    found: Object = {}
    for key, value in flat.items():
        if any(_begins(other, key) or _begins(key, other) for other in flat):
            found[key] = value
            continue
        holder, *rest = key.split(".")
        place = found
        while rest and isinstance(place.setdefault(holder, {}), dict):
            place = place[holder]
            holder, *rest = rest
        if isinstance(value, str) and ";" in value:
            place[holder] = value.split(";")
        else:
            place[holder] = value
    return found
