"""JSON objects that describe processes in the output of `flint show`."""

from __future__ import annotations

from typing import Any

from flink_flint.linter.engine.deployments import Deployment, Deployments
from flink_flint.linter.model.processes.process import Fact, Origin, Process, ReachingService
from flink_flint.linter.output.deployments.process_memory import memory_of
from flink_flint.linter.output.deployments.safe_values import SafeValues
from flink_flint.linter.output.memory.derived_memory import process_object


def process_objects(deployments: Deployments, values: SafeValues) -> list[dict[str, Any]]:
    """Return a JSON object for each process, with the chain of origins of every value."""
    return [
        _ProcessObject(deployments, values, deployment).of(process)
        for deployment in deployments
        for process in deployment.processes
    ]


def chain_object(deployments: Deployments, values: SafeValues, origin: Origin) -> dict[str, Any]:
    """Return an origin in a value's chain of origins as a JSON object."""
    path, line = deployments.place(origin)
    found = {"path": path, "line": line, "layer": origin.layer, "value": values.setting(origin)}
    return {**found, "key": values.key(origin.key, origin.document)} if origin.key else found


class _ProcessObject:
    def __init__(self, deployments: Deployments, values: SafeValues, deployment: Deployment) -> None:
        self._deployments, self._values, self._deployment = deployments, values, deployment
        self._document = deployment.document

    def of(self, process: Process) -> dict[str, Any]:
        path, line = self._deployments.head(self._document)
        return {
            "deployment": self._values.name(self._document),
            "path": path,
            "line": line,
            "role": process.role,
            "name": process.name,
            "flink_version": str(process.configuration.release),
            "evidence": self._deployment.target.evidence,
            "platform": self._deployment.target.platform,
            "image": self._fact(process.image),
            "dockerfile": process.dockerfile,
            "conf_dir": process.conf_dir,
            "files": [self._file(process, number) for number in range(len(process.files))],
            "environment": {
                name: {**self._place(fact), "value": self._values.variable(name, fact, self._document)}
                for name, fact in process.environment.items()
            },
            "arguments": [self._values.text(str(one.value), self._document) for one in process.arguments],
            "replicas": self._fact(process.replicas),
            "slots": self._fact(process.slots),
            "memory_limit": self._fact(process.memory),
            "cpu_limit": self._fact(process.cpu),
            "service_account": self._fact(process.service_account),
            "ports": list(process.ports),
            "services": [self._service(one) for one in process.services],
            "jobs": [self._job(number, process) for number in range(len(process.jobs))],
            "settings": self._settings(process),
            "error": process.error and self._values.text(process.error, self._document),
            "memory": self._memory(process),
            "unknown": [self._values.text(one.what, self._document) for one in process.unknown],
        }

    def _service(self, service: ReachingService) -> dict[str, Any]:
        return {
            "name": self._text(service.name, service.origin),
            "type": self._text(service.kind, service.origin),
            "ports": [
                {"name": one.name, "port": one.port, "target_port": one.target, "node_port": one.node_port}
                for one in service.ports
            ],
            "routes": [
                {
                    "kind": one.kind,
                    "name": self._text(one.name, one.origin),
                    "hosts": [self._text(host, one.origin) for host in one.hosts],
                    **self._place(Fact(None, one.origin)),
                }
                for one in service.routes
            ],
            **self._place(Fact(None, service.origin)),
        }

    def _text(self, text: str, origin: Origin) -> str:
        return self._values.text(text, origin.document)

    def _memory(self, process: Process) -> dict[str, Any] | None:
        memory = memory_of(self._deployment, process)
        return None if memory == (None, None) else process_object(process.role, memory)

    def _settings(self, process: Process) -> dict[str, Any]:
        return {
            self._values.key(key, value.origin.document): {
                "value": self._values.setting(value.origin),
                "chain": [chain_object(self._deployments, self._values, origin) for origin in value.chain],
                **({"note": value.note} if value.note else {}),
            }
            for key, value in process.settings.items()
        }

    def _fact(self, fact: Fact | None) -> dict[str, Any] | None:
        if fact is None:
            return None
        value = fact.value
        return {
            "value": self._values.text(value, self._document) if isinstance(value, str) else value,
            **self._place(fact),
        }

    def _place(self, fact: Fact) -> dict[str, Any]:
        if fact.origin is None:
            return {}
        path, line = self._deployments.place(fact.origin)
        return {"path": path, "line": line}

    def _file(self, process: Process, number: int) -> dict[str, Any]:
        file = process.files[number]
        path, line = self._deployments.place(Origin(file.declared_in or self._document, file.span, "", ""))
        found = file.document.path if file.document is not None else None
        return {"path": file.path, "source": file.source, "file": found, "is_read": file.is_read,
                "mounted_at": {"path": path, "line": line}}  # fmt: skip

    def _job(self, number: int, process: Process) -> dict[str, Any]:
        job = process.jobs[number]
        path, line = self._deployments.head(job)
        return {"kind": job.kind, "name": job.name and self._values.name(job), "path": path, "line": line}
