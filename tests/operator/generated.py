"""Generates resources and changes of them: sound ones, of which one to three things are then changed for the worse.

The same seed and release give the same questions. A question is what `Validator.java` reads: the resource, the resource
that it refers to, the spec that the operator deployed last, and the operator's default configuration.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from flink_flint.linter.flink.deployment.operator import FIELD_SINCE, SINCE_VERSION, release_number
from flink_flint.linter.flink.operator.releases import OperatorRelease, knows_version, supports_version
from tests.operator.awkward_values import (
    ADDRESSES,
    BOOLEANS,
    DURATIONS,
    JARS,
    NAMES,
    PERIODS,
    SIZES,
    STORAGES,
    TEMPLATES,
    numbers,
)

Question = dict[str, Any]
Change = Callable[[random.Random, Question, OperatorRelease], None]

_NAMESPACES = ("default", "flink")
_OWN = "kubernetes.operator."


def questions(operator: OperatorRelease, count: int, seed: int) -> Iterator[Question]:
    """Yield questions for a release of the operator."""
    choice = random.Random(f"{seed}/{operator[0]}.{operator[1]}")
    for _ in range(count):
        yield _question(choice, operator)


def _question(choice: random.Random, operator: OperatorRelease) -> Question:
    question: Question
    part = choice.random()
    if part < 0.06 and operator >= (1, 10):
        question = {"resource": _snapshot(choice), "other": choice.choice([None, _deployment(choice, operator)])}
        changes: tuple[Change, ...] = _OF_SNAPSHOTS
    elif part < 0.28:
        question = _session_job(choice, operator)
        changes = _OF_SESSION_JOBS
    else:
        question = {"resource": _deployment(choice, operator)}
        if part < 0.36 and operator >= (1, 13):  # the cluster that a blue/green deployment makes
            question["resource"]["metadata"]["name"] += choice.choice(["-blue", "-green"])
        changes = _OF_DEPLOYMENTS
    if question["resource"]["kind"] != "FlinkStateSnapshot" and choice.random() < 0.3:
        question["last"] = copy.deepcopy(question["resource"]["spec"])
        if question["resource"]["kind"] == "FlinkDeployment":
            question["resource"]["status"] = {"jobManagerDeploymentStatus": "READY"}
    question["sound"] = copy.deepcopy(question["resource"]["spec"])
    for _ in range(choice.choice([0, 1, 1, 1, 2, 2, 3])):
        choice.choice(changes)(choice, question, operator)
    del question["sound"]
    for spec in (question["resource"]["spec"], question.get("last"), (question.get("other") or {}).get("spec")):
        _prune(spec or {}, operator)
    return question


def _prune(spec: Question, operator: OperatorRelease) -> None:
    """Remove the fields that the custom resource definition of a release lacks, as the API server does."""
    for path, since in FIELD_SINCE.items():
        if operator < release_number(since):
            *parents, name = path.split(".")
            inner: Any = spec
            for parent in parents:
                inner = inner.get(parent) if isinstance(inner, dict) else None
            if isinstance(inner, dict):
                inner.pop(name, None)


def versions(operator: OperatorRelease, *, supported: bool = True) -> list[str]:
    """Return the values of `flinkVersion` that a release knows, by default those that it runs."""
    known = [version for version in SINCE_VERSION if knows_version(version, operator)]
    return [version for version in known if not supported or supports_version(version, operator)]


# -- sound resources


def _meta(kind: str, name: str, namespace: str) -> Question:
    return {
        "apiVersion": "flink.apache.org/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
    }


def _deployment(choice: random.Random, operator: OperatorRelease) -> Question:
    newer = operator >= (1, 11) and choice.random() < 0.5
    configuration: Question = {
        "taskmanager.numberOfTaskSlots": "2",
        "execution.checkpointing.dir" if newer else "state.checkpoints.dir": "s3://flink/checkpoints",
        "execution.checkpointing.savepoint-dir" if newer else "state.savepoints.dir": "s3://flink/savepoints",
    }
    if choice.random() < 0.6:
        key = choice.choice(["high-availability", "high-availability.type"])
        configuration[key] = choice.choice(["kubernetes", "KUBERNETES", "zookeeper", "org.example.Factory"])
        configuration["high-availability.storageDir"] = "s3://flink/ha"
    spec: Question = {
        "image": "flink:1.17",
        "flinkVersion": choice.choice(versions(operator)),
        "serviceAccount": "flink",
        "flinkConfiguration": configuration,
        "jobManager": {"resource": {"memory": choice.choice(["2048m", "1g", "2 gb"]), "cpu": 1.0}},
        "taskManager": {"resource": {"memory": choice.choice(["2048m", "4g"]), "cpu": 0.5}},
    }
    if choice.random() < 0.75:
        spec["job"] = _job(choice, operator)
    if choice.random() < 0.15:
        spec["mode"] = choice.choice(["native", "standalone"])
    if choice.random() < 0.1:
        spec["podTemplate"] = {"spec": {"containers": [{"name": "flink-main-container"}]}}
    name = choice.choice(["orders", "a", "my-job-2", "p" * 45])
    return {**_meta("FlinkDeployment", name, choice.choice(_NAMESPACES)), "spec": spec}


def _job(choice: random.Random, operator: OperatorRelease) -> Question:
    job: Question = {"jarURI": "local:///opt/flink/usrlib/job.jar", "parallelism": choice.choice([1, 2, 8])}
    if choice.random() < 0.8:
        modes = ["stateless", "savepoint", "last-state"] if operator >= (1, 10) else ["stateless", "savepoint"]
        job["upgradeMode"] = choice.choice(modes)
    return job


def _session_job(choice: random.Random, operator: OperatorRelease) -> Question:
    cluster = _deployment(choice, operator)
    cluster["spec"].pop("job", None)
    job = _job(choice, operator)
    job["jarURI"] = choice.choice(["https://93.184.216.34/job.jar", "https://8.8.8.8:8443/a/b.jar?x=1"])
    spec = {"deploymentName": cluster["metadata"]["name"], "job": job}
    if choice.random() < 0.3:
        spec["flinkConfiguration"] = {"pipeline.max-parallelism": "128"}
    resource = {**_meta("FlinkSessionJob", "report", cluster["metadata"]["namespace"]), "spec": spec}
    return {"resource": resource, "other": cluster if choice.random() < 0.7 else None}


def _snapshot(choice: random.Random) -> Question:
    spec: Question = {"jobReference": {"kind": choice.choice(["FlinkDeployment", "FlinkSessionJob"]), "name": "orders"}}
    if choice.random() < 0.5:
        spec["savepoint"] = choice.choice([{}, {"path": "s3://flink/1", "alreadyExists": choice.random() < 0.5}])
    else:
        spec["checkpoint"] = {}
    return {**_meta("FlinkStateSnapshot", "snapshot", choice.choice(_NAMESPACES)), "spec": spec}


# -- changes for the worse


def _spec(question: Question) -> Question:
    spec: Question = question["resource"]["spec"]
    return spec


def _conf(question: Question) -> Question:
    """Return the settings to change: those of the resource, or of the cluster of a session job."""
    if question["resource"]["kind"] == "FlinkSessionJob" and question.get("other"):
        cluster: Question = question["other"]["spec"]["flinkConfiguration"]
        return cluster
    found: Question = _spec(question).setdefault("flinkConfiguration", {})
    return found


def _change_name(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    question["resource"]["metadata"]["name"] = choice.choice(NAMES)


def _change_version(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    if choice.random() < 0.4:
        _spec(question).pop("flinkVersion", None)
    else:
        _spec(question)["flinkVersion"] = choice.choice(versions(operator, supported=False))


def _forbid(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    keys = ["kubernetes.namespace", "kubernetes.cluster-id", "high-availability.cluster-id"]
    _conf(question)[choice.choice(keys)] = choice.choice(["x", ""])


def _roll_back(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    _conf(question)[f"{_OWN}deployment.rollback.enabled"] = choice.choice(BOOLEANS)
    _without_ha(choice, question, operator)


def _without_ha(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    configuration = _conf(question)
    for key in ("high-availability", "high-availability.type"):
        configuration.pop(key, None)
    if choice.random() < 0.5:
        key = choice.choice(["high-availability", "high-availability.type", "recovery.mode"])
        configuration[key] = choice.choice(["NONE", "none", "standalone", "kubernetes", "Zookeeper", "x.Y", ""])


def _check_health(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    configuration = _conf(question)
    configuration[f"{_OWN}cluster.health-check.enabled"] = choice.choice(BOOLEANS)
    if choice.random() < 0.7:
        key = choice.choice(["jm-deployment-recovery.enabled", "reconciler.jm-deployment-recovery.enabled"])
        configuration[_OWN + key] = choice.choice(BOOLEANS)


def _set_ingress(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    ingress: Question = {"className": "nginx"} if choice.random() < 0.6 else {}
    if choice.random() < 0.75:
        ingress["template"] = choice.choice(TEMPLATES)
    _spec(question)["ingress"] = ingress


def _set_logging(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    keys = ["log4j-console.properties", "logback-console.xml", "log4j.properties", "logback.xml", "log4j-cli", "x y"]
    chosen = choice.sample(keys, choice.choice([1, 1, 2, 3]))
    _spec(question)["logConfiguration"] = dict.fromkeys(chosen, "rootLogger.level = INFO")


def _change_job(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    job = _spec(question).get("job")
    if job is None:
        return
    what = choice.randrange(6)
    if what == 0:
        job["upgradeMode"] = choice.choice(["savepoint", "last-state", "stateless"])
    elif what == 1:
        job["parallelism"] = choice.choice([0, -1, 1])
    elif what == 2:
        job.pop("parallelism", None)
    elif what == 3:
        job["state"] = choice.choice(["suspended", "running"])
    elif what == 4:
        job["savepointTriggerNonce"] = choice.choice([0, 1])
        job["upgradeMode"] = choice.choice(["last-state", "stateless"])
    else:
        job["savepointRedeployNonce"] = choice.choice([1, 2])
        if choice.random() < 0.3:
            job["initialSavepointPath"] = choice.choice(["s3://flink/savepoint-1", " "])


def _without_directories(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    configuration, job = _conf(question), _spec(question).get("job") or {}
    old = choice.choice([["state.checkpoints.dir", "execution.checkpointing.dir"], []])
    if choice.random() < 0.8:
        old = [*old, "state.savepoints.dir", "execution.checkpointing.savepoint-dir"]
    for key in old:
        configuration.pop(key, None)
    if choice.random() < 0.25:
        key = choice.choice(["state.savepoints.dir", "state.checkpoints.dir", "savepoints.state.backend.fs.dir"])
        configuration[key] = choice.choice(["", "  ", "s3://other"])
    what = choice.randrange(5)
    if what == 0:
        configuration[f"{_OWN}periodic.savepoint.interval"] = choice.choice(DURATIONS)
    elif what == 1:
        key = f"{_OWN}job.upgrade.last-state.max.allowed.checkpoint.age"
        configuration[key] = choice.choice(DURATIONS)
    elif what == 2:
        job["savepointTriggerNonce"] = choice.choice([1, 7])
    if job and what != 3:
        job["upgradeMode"] = choice.choice(["savepoint", "last-state", "stateless", "stateless"])


def _set_replicas(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    process = choice.choice(["jobManager", "taskManager"])
    _spec(question).setdefault(process, {})["replicas"] = choice.choice([0, -1, 1, 2, 3])
    if process == "jobManager" and choice.random() < 0.5:
        _without_ha(choice, question, operator)


def _change_memory(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    spec, process = _spec(question), choice.choice(["jobManager", "taskManager"])
    what = choice.randrange(5)
    if what == 0:
        spec.pop(process, None)
    elif what == 1:
        spec[process] = choice.choice([{}, {"resource": {}}, {"resource": {"cpu": 1}}, {"replicas": 1}])
    elif what == 2:
        spec.setdefault(process, {}).setdefault("resource", {})["memory"] = choice.choice(["", " "])
    else:
        spec.setdefault(process, {}).setdefault("resource", {})["memory"] = choice.choice(SIZES)
    if what < 3 and choice.random() < 0.7:
        _set_memory_options(choice, question, process.lower())


def _set_memory_options(choice: random.Random, question: Question, process: str) -> None:
    names = {
        "jobmanager": ["memory.process.size", "memory.flink.size", "memory.heap.size", "heap.size", "heap.mb"],
        "taskmanager": ["memory.process.size", "memory.flink.size", "heap.size", "memory.task.heap.size"],
    }[process]
    configuration = _conf(question)
    for name in choice.sample(names, choice.choice([1, 1, 2])):
        size = choice.choice(["1g", "2048m", "512m", "100m", "4096 mb", "1 zb", "1024"])
        configuration[f"{process}.{name}"] = "1024" if name == "heap.mb" else size
    if process == "taskmanager" and choice.random() < 0.5:
        key = choice.choice(["managed.size", "managed.fraction", "network.min", "framework.heap.size"])
        configuration[f"taskmanager.memory.{key}"] = choice.choice(["0.9", "128m", "512m", "2g", "0.1"])
    elif choice.random() < 0.3:
        configuration[f"{process}.memory.jvm-overhead.min"] = choice.choice(["64m", "2g"])


def _change_storage(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    process = choice.choice(["jobManager", "taskManager"])
    resource = _spec(question).setdefault(process, {}).setdefault("resource", {})
    resource["ephemeralStorage"] = choice.choice(STORAGES)
    if choice.random() < 0.2:
        resource["memory"] = choice.choice(SIZES)


def _without_account(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    _spec(question).pop("serviceAccount", None)


def _scale(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    configuration = _conf(question)
    prefix = choice.choice(["job.autoscaler.", "job.autoscaler.", "kubernetes.operator.job.autoscaler."])
    configuration[f"{prefix}enabled"] = choice.choice(["true", "true", "true", "true", "true", "TRUE", "false", "on"])
    options = [
        "scale-down.max-factor", "scale-up.max-factor", "utilization.target", "target.utilization", "utilization.max",
        "target.utilization.boundary", "utilization.min", "observed-scalability.coefficient-min",
    ]  # fmt: skip
    for name in choice.sample(options, choice.choice([0, 1, 1, 2])):
        configuration[f"{prefix}{name}"] = numbers(choice)
    if choice.random() < 0.4:
        separator = choice.choice([";", " && ", "&&"])
        periods = choice.sample(PERIODS, choice.choice([1, 1, 2, 3]))
        configuration[f"{prefix}excluded.periods"] = separator.join(periods)


def _set_defaults(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    settings = {
        "state.checkpoints.dir": "s3://default/checkpoints", "state.savepoints.dir": "s3://default/savepoints",
        "high-availability": "kubernetes", "high-availability.type": "kubernetes",
        "taskmanager.memory.process.size": "2g", "jobmanager.memory.process.size": "1g", "kubernetes.cluster-id": "x",
        f"{_OWN}deployment.rollback.enabled": "true", "job.autoscaler.enabled": "true",
        "job.autoscaler.utilization.target": "1.5", f"{_OWN}jm-deployment-recovery.enabled": "false",
        f"{_OWN}cluster.health-check.enabled": "true", f"{_OWN}user.artifacts.allowed-schemes": "https;s3;HTTP",
        f"{_OWN}user.artifacts.disallow-restricted-hosts": "false",
    }  # fmt: skip
    version = choice.choice([*SINCE_VERSION, *(f"{one}+" for one in SINCE_VERSION), "v9_9+"])
    prefix = choice.choice(
        ["", "", "", f"{_OWN}default-configuration.namespace.flink."]
        + [f"{_OWN}default-configuration.flink-version.{version}."] * 2
    )
    defaults = question.setdefault("defaults", {})
    for key in choice.sample(sorted(settings), choice.choice([1, 2, 3])):
        is_own = "user.artifacts" in key
        defaults[key if is_own else prefix + key] = settings[key]
    if choice.random() < 0.6:
        changes: list[Change] = [_without_directories, _without_ha, _check_health]
        if question["resource"]["kind"] == "FlinkDeployment":
            changes.append(_change_memory)
        choice.choice(changes)(choice, question, operator)


def _change_spec(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    """Let the operator have deployed something else."""
    spec = _spec(question)
    last = question.setdefault("last", copy.deepcopy(question["sound"]))
    is_deployment = question["resource"]["kind"] == "FlinkDeployment"
    if is_deployment:
        question["resource"]["status"] = {"jobManagerDeploymentStatus": "READY"}
    what = choice.randrange(7) if is_deployment else 6
    if what == 0:
        if "job" in spec and choice.random() < 0.5:
            last.pop("job", None)
        elif "job" in last:
            spec.pop("job", None)
        else:
            spec["job"] = _job(choice, operator)
    elif what == 1:
        choice.choice([spec, last])["mode"] = choice.choice(["native", "standalone"])
    elif what == 2 and "job" in spec and "job" in last:
        last["job"]["state"] = "suspended"
        last["job"]["upgradeMode"] = choice.choice(["last-state", "last-state", "savepoint"])
        spec["job"]["upgradeMode"] = choice.choice(["last-state", "savepoint", "stateless"])
        spec["flinkVersion"] = choice.choice(versions(operator))
    elif what == 3 and "job" in spec:
        spec["job"]["savepointRedeployNonce"] = choice.choice([1, 2, 3])
        if "job" in last and choice.random() < 0.4:
            last["job"]["savepointRedeployNonce"] = choice.choice([1, 2, 3])
        if choice.random() < 0.3:
            spec["job"]["initialSavepointPath"] = choice.choice(["s3://flink/savepoint-1", ""])
    elif what in (4, 5) and "job" in spec and "job" in last:
        last["job"]["upgradeMode"] = choice.choice(["stateless", "savepoint", "last-state"])
        spec["job"]["upgradeMode"] = "last-state"
        for key in ("high-availability", "high-availability.type"):
            last.get("flinkConfiguration", {}).pop(key, None)
        _conf(question)["high-availability"] = "kubernetes"
        for key in ("state.savepoints.dir", "execution.checkpointing.savepoint-dir"):
            _conf(question).pop(key, None)
    elif not is_deployment:
        last["deploymentName"] = choice.choice(["orders", "other"])
    else:
        last["flinkVersion"] = choice.choice(versions(operator))


def _change_reference(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    spec = _spec(question)
    what = choice.randrange(4)
    if what == 0:
        spec.pop("deploymentName", None)
    elif what == 1:
        spec["deploymentName"] = choice.choice(NAMES)
    elif what == 2:
        spec.pop("job", None)
    elif question.get("other"):
        question["other"]["spec"]["job"] = _job(choice, operator)


def _change_jar(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    job = _spec(question).get("job")
    if job is None:
        return
    if choice.random() < 0.1:
        job.pop("jarURI", None)
    elif choice.random() < 0.5:
        job["jarURI"] = choice.choice(JARS)
    else:
        scheme = choice.choice(["https", "http", "HTTPS", "s3"])
        job["jarURI"] = f"{scheme}://{choice.choice(ADDRESSES)}/job.jar"


def _own_settings(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    """Give a session job settings of its own."""
    own = _spec(question).setdefault("flinkConfiguration", {})
    key = choice.choice(
        ["state.savepoints.dir", "high-availability", "job.autoscaler.enabled", "kubernetes.cluster-id"]
    )
    own[key] = choice.choice(["", "s3://own", "true"])
    if choice.random() < 0.6:
        own["job.autoscaler.scale-down.max-factor"] = numbers(choice)


def _change_snapshot(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    spec = _spec(question)
    what = choice.randrange(5)
    if what == 0:
        spec.pop("savepoint", None)
        spec.pop("checkpoint", None)
    elif what == 1:
        spec["savepoint"], spec["checkpoint"] = choice.choice([{}, {"alreadyExists": True}]), {}
    elif what == 2:
        spec.pop("jobReference", None)
    elif what == 3:
        question["other"] = None
    else:
        state = choice.choice(["TRIGGER_PENDING", "COMPLETED", "FAILED"])
        question["resource"]["status"] = {"state": state}


def _nest(choice: random.Random, question: Question, operator: OperatorRelease) -> None:
    """Write settings as numbers, lists and nested objects, which releases from 1.13 on take."""
    if operator < (1, 13):
        return
    configuration = _conf(question)
    configuration["taskmanager.numberOfTaskSlots"] = choice.choice([2, 4])
    configuration.update(
        choice.choice([
            {"kubernetes": {"operator": {"deployment": {"rollback": {"enabled": True}}}}},
            {"job": {"autoscaler": {"enabled": True, "scale-down": {"max-factor": choice.choice([-1, 0.5])}}}},
            {"job": {"autoscaler": {"enabled": True, "excluded": {"periods": choice.sample(PERIODS, 2)}}}},
            {"taskmanager": {"memory": {"process": {"size": "1g"}}}},
        ])
    )  # fmt: skip


_COMMON: tuple[Change, ...] = (
    _without_ha, _change_job, _without_directories, _without_directories, _set_defaults, _set_defaults, _change_spec,
    _scale, _scale, _nest,
)  # fmt: skip
_OF_DEPLOYMENTS: tuple[Change, ...] = (
    *_COMMON, _change_name, _change_version, _forbid, _roll_back, _check_health, _set_ingress, _set_logging,
    _change_job, _set_replicas, _set_replicas, _change_memory, _change_memory, _change_storage, _without_account,
    _change_spec, _change_spec, _change_spec,
)  # fmt: skip
_OF_SESSION_JOBS: tuple[Change, ...] = (
    *_COMMON, _change_reference, _change_reference, _change_jar, _change_jar, _change_spec, _own_settings,
)  # fmt: skip
_OF_SNAPSHOTS: tuple[Change, ...] = (_change_snapshot,)
