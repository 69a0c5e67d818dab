"""What the operator refuses of a FlinkDeployment."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import FORBIDDEN, LOG_FILES, NAME
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.memory.jobmanager import jobmanager
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, MemoryUnknown
from flink_flint.linter.flink.memory.taskmanager import taskmanager
from flink_flint.linter.flink.operator import autoscaler, spec_change
from flink_flint.linter.flink.operator.addresses import ingress_problem
from flink_flint.linter.flink.operator.refusal import NULL, Check, Refusal, Thrown
from flink_flint.linter.flink.operator.releases import supports_version
from flink_flint.linter.flink.operator.resource import Fields
from flink_flint.linter.flink.operator.settings import (
    CHECKPOINTS,
    HEALTH_CHECK,
    OLDEST_CHECKPOINT,
    PERIODIC_SAVEPOINTS,
    RECOVERY,
    ROLLBACK,
    SAVEPOINTS,
    OperatorSettings,
)
from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.text.lazy_regex import regex

STATELESS = "stateless"
_NAME = regex(NAME)
_FIRST_VERSION_CHECK = (1, 9)
_FIRST_STORAGE = (1, 5)
_FIRST_OLDEST = (1, 5)
_FIRST_QUANTITY = (1, 7)
_FIRST_OTHER_SPLIT = (1, 6)
"""The first release whose Kubernetes client finds the unit of a quantity character by character."""
_FIRST_LAST_STATE_WITHOUT_HA = (1, 10)


def checks(
    resource: Fields, settings: OperatorSettings, last: Fields | None, before: OperatorSettings | None
) -> Iterator[Check]:
    """Yield the checks of a FlinkDeployment, in the order of the operator.

    `last` is the resource that the operator deployed last, `before` its settings; None if it deployed none.
    """
    yield lambda: name_refusals(resource.at("metadata.name"))
    yield lambda: _version(resource, settings, last)
    yield lambda: _configuration(settings)
    yield lambda: _ingress(resource)
    yield lambda: _logging(resource)
    yield lambda: job_refusals(resource, settings, has_workers=True)
    yield lambda: _memory(resource, settings, "jobManager")
    yield lambda: _resources(resource, settings, "jobManager")
    yield lambda: _standby(resource, settings)
    yield lambda: _memory(resource, settings, "taskManager")
    yield lambda: _resources(resource, settings, "taskManager")
    yield lambda: _workers(resource)
    yield lambda: spec_change.deployment_refusals(resource, settings, last, before)
    yield lambda: _service_account(resource)
    yield from autoscaler.checks(settings)


def name_refusals(name: object, path: str = "metadata.name") -> Iterator[Refusal]:
    """Refuse a name that no FlinkDeployment may have."""
    if name is None:
        raise Thrown(NULL, path=path)
    if _NAME.fullmatch(str(name)) is None:
        yield Refusal(
            "name",
            f"The FlinkDeployment name: {name} is invalid, must consist of lower case alphanumeric characters or '-',"
            " start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or"
            " 'abc-123'), and the length must be no more than 45 characters.",
            path,
        )


def _version(resource: Fields, settings: OperatorSettings, last: Fields | None) -> Iterator[Refusal]:
    version = resource.text("flinkVersion")
    if version is None:
        yield Refusal("version absent", "Flink Version must be defined.")
        return
    if settings.operator >= _FIRST_VERSION_CHECK and not supports_version(version, settings.operator):
        message = f"Flink version {version} is not supported by this operator version"
        yield Refusal("version unsupported", message, "flinkVersion")
    if last is not None:
        yield from spec_change.version_refusals(resource, last)


def _configuration(settings: OperatorSettings) -> Iterator[Refusal]:
    yield from _forbidden(settings)
    yield from _rollback(settings)
    yield from _health_check(settings)


def _forbidden(settings: OperatorSettings) -> Iterator[Refusal]:
    for key in FORBIDDEN:
        if settings.has(key):
            yield Refusal("forbidden key", f"Forbidden Flink config key: {key}", key=key)


def _rollback(settings: OperatorSettings) -> Iterator[Refusal]:
    if settings.own(ROLLBACK):
        settings.met_absence = False
        if not settings.has_high_availability:
            yield Refusal("rollback without HA", "HA must be enabled for rollback support.", key=ROLLBACK.key)


def _health_check(settings: OperatorSettings) -> Iterator[Refusal]:
    if settings.own(HEALTH_CHECK) and not settings.own(RECOVERY):
        settings.met_absence = False
        yield Refusal(
            "health check without recovery",
            f"Deployment recovery ({RECOVERY.key}) must be enabled for job health check ({HEALTH_CHECK.key}) support.",
            key=HEALTH_CHECK.key,
        )


def _ingress(resource: Fields) -> Iterator[Refusal]:
    if not resource.has("ingress"):
        return
    template = resource.text("ingress.template")
    if template is None:
        yield Refusal("ingress template", "Ingress template must be defined", "ingress")
        return
    name, namespace = resource.at("metadata.name"), resource.at("metadata.namespace")
    problem = ingress_problem(template, str(name), str(namespace))
    if problem is not None:
        yield Refusal("ingress template", problem, "ingress.template")


def _logging(resource: Fields) -> Iterator[Refusal]:
    for name in resource.below("logConfiguration"):
        if name not in LOG_FILES:
            message = f"Invalid log config key: {name}. Allowed keys are [{', '.join(LOG_FILES)}]"
            yield Refusal("log key", message, f"logConfiguration.{name}")


def job_refusals(resource: Fields, settings: OperatorSettings, *, has_workers: bool) -> Iterator[Refusal]:
    """Refuse the job of a deployment or, without `has_workers`, of a session job."""
    if not resource.has("job"):
        return
    mode = resource.text("job.upgradeMode") or STATELESS
    if settings.operator < _FIRST_LAST_STATE_WITHOUT_HA and mode == "last-state" and not settings.has_high_availability:
        message = "Job could not be upgraded with last-state while HA disabled"
        yield Refusal("last-state without HA", message, "job.upgradeMode")
    if mode != STATELESS and not (settings.flink_text(CHECKPOINTS) or "").strip():
        name = settings.name_of(CHECKPOINTS)
        message = f"Checkpoint directory[{name}] must be defined for last-state and savepoint upgrade modes"
        yield Refusal("checkpoint directory", message, "job.upgradeMode")
    if not (settings.flink_text(SAVEPOINTS) or "").strip():
        yield from _savepoint_refusals(resource, settings, mode)
    settings.met_absence = False
    yield from _parallelism(resource, has_workers=has_workers)


def _savepoint_refusals(resource: Fields, settings: OperatorSettings, mode: str) -> Iterator[Refusal]:
    name = settings.name_of(SAVEPOINTS)
    if mode == "savepoint":
        message = f"Job could not be upgraded with savepoint while config key[{name}] is not set"
        yield Refusal("savepoint directory", message, "job.upgradeMode")
    elif resource.value("job.savepointTriggerNonce") is not None:
        message = f"Savepoint could not be manually triggered for the running job while config key[{name}] is not set"
        yield Refusal("savepoint directory", message, "job.savepointTriggerNonce")
    elif settings.is_set(PERIODIC_SAVEPOINTS):
        message = f"Periodic savepoints cannot be enabled when config key[{name}] is not set"
        yield Refusal("savepoint directory", message, key=PERIODIC_SAVEPOINTS.key)
    elif settings.operator >= _FIRST_OLDEST and settings.own(OLDEST_CHECKPOINT) is not None:
        message = (
            f"In order to use max-checkpoint age functionality config key[{name}] must be set to allow triggering"
            " savepoint upgrades."
        )
        yield Refusal("savepoint directory", message, key=OLDEST_CHECKPOINT.key)


def _parallelism(resource: Fields, *, has_workers: bool) -> Iterator[Refusal]:
    replicas = resource.number("taskManager.replicas") if has_workers else None
    if replicas is not None:
        if replicas < 1:
            yield Refusal("replicas", "TaskManager replicas must be larger than 0", "taskManager.replicas")
    elif (resource.number("job.parallelism") or 0) < 1:
        yield Refusal("parallelism", "Job parallelism must be larger than 0", "job.parallelism")


def _memory(resource: Fields, settings: OperatorSettings, process: str) -> Iterator[Refusal]:
    if (resource.text(f"{process}.resource.memory") or "").strip():
        return
    settings.require_known("jobmanager.", "taskmanager.", "cluster.")
    settings.met_absence = True
    try:
        if process == "jobManager":
            jobmanager(settings.flink)
        else:
            taskmanager(settings.flink_without("taskmanager.heap."))  # only old ones of a JobManager are mapped
    except MemoryRefused:
        title = process[0].upper() + process[1:]
        message = f"{title} resource memory must be defined using `spec.{process}.resource.memory`"
        yield Refusal("memory absent", message, f"{process}.resource")
    except MemoryUnknown:
        return


def _resources(resource: Fields, settings: OperatorSettings, process: str) -> Iterator[Refusal]:
    title = process[0].upper() + process[1:]
    memory = resource.text(f"{process}.resource.memory")
    storage = resource.text(f"{process}.resource.ephemeralStorage") if settings.operator >= _FIRST_STORAGE else None
    messages, paths = [], []
    if memory is not None:
        try:
            _check_memory(memory, quantities=settings.operator >= _FIRST_QUANTITY)
        except BadValue as refused:
            messages.append(f"{title} resource memory parse error: {refused.message}")
            paths.append(f"{process}.resource.memory")
    if storage is not None:
        from flink_flint.linter.flink.operator.quantities import parse_quantity

        try:
            parse_quantity(storage, requires_amount=settings.operator < _FIRST_OTHER_SPLIT)
        except BadValue as refused:
            messages.append(f"{title} resource ephemeral storage parse error: {refused.message}")
            paths.append(f"{process}.resource.ephemeralStorage")
    if messages:
        kind = "memory size" if paths[0].endswith("memory") else "storage size"
        yield Refusal(kind, "".join(messages), paths[0])


def _check_memory(text: str, *, quantities: bool) -> None:
    """Read `resource.memory`; `quantities` where it may be one of Kubernetes. Raises BadValue and Thrown."""
    try:
        parse_memory(text)
    except BadValue:
        if not quantities:
            raise
        from flink_flint.linter.flink.operator.quantities import memory_text

        parse_memory(memory_text(text))


def _standby(resource: Fields, settings: OperatorSettings) -> Iterator[Refusal]:
    if not resource.has("jobManager"):
        return
    replicas = resource.number("jobManager.replicas")
    if replicas is None:
        return
    if replicas < 1:
        message = "JobManager replicas should not be configured less than one."
        yield Refusal("replicas", message, "jobManager.replicas")
    elif replicas > 1 and not settings.has_high_availability:
        message = "High availability should be enabled when starting standby JobManagers."
        yield Refusal("standby without HA", message, "jobManager.replicas")


def _workers(resource: Fields) -> Iterator[Refusal]:
    replicas = resource.number("taskManager.replicas")
    if replicas is not None and replicas < 1:
        message = "TaskManager replicas should not be configured less than one."
        yield Refusal("replicas", message, "taskManager.replicas")


def _service_account(resource: Fields) -> Iterator[Refusal]:
    if resource.value("serviceAccount") is None:
        yield Refusal(
            "service account",
            "spec.serviceAccount must be defined. If you use helm, its value should be the same with the name of"
            " jobServiceAccount.",
            "serviceAccount",
        )
