"""One key is the beginning of another, and the operator takes only one of them for Flink 2.

## What it does
Reports a key of `flinkConfiguration` that is the beginning of another one, in a resource of Flink 2.0 or newer:
`restart-strategy` beside `restart-strategy.fixed-delay.attempts`, `state.backend` beside `state.backend.incremental`,
`high-availability` beside `high-availability.storageDir`. Keys that typed fields set count as well.

## Why it matters
Flink 2 reads `config.yaml` alone, and the operator writes that file with the keys nested by their words. A word can
have a value or keys below it, not both: the operator refuses such a resource, so the change never arrives and the job
stays as it is. What writes the file without that check fails with a `ClassCastException` or drops the longer keys.
Up to 1.20 the operator writes a flat file, where this is no matter: the keys become an error with the upgrade.

## What to do
Use the new name of the shorter key: `restart-strategy.type`, `state.backend.type`, `high-availability.type`,
`env.java.opts.all`. The fix renames it.

## Not when
Where the release is not known the finding is advice. The Flink is older than 2.0, or the resource is a session
job, whose settings go with the job and not into a file.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/pull/951>: FLINK-37405, the operator refuses such keys
- <https://github.com/apache/flink-kubernetes-operator/pull/938>: FLINK-37236, nested YAML from Flink 2.0 on
- <https://issues.apache.org/jira/browse/FLINK-29372>: names for options whose key begins others
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.docker_image import collisions
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.settings.flink_properties_key_prefix import NEW_NAMES

_OWN = ("kubernetes.operator.", "job.autoscaler.")
"""The beginnings of keys that the operator keeps to itself."""


@rule(
    code="FLK712",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=2.0",
    since="0.1",
)
def operator_key_prefix(config: View) -> Iterator[Finding]:
    """a key is the beginning of another one, which the operator refuses for Flink 2"""
    if config.document.platform != "operator" or config.document.kind == "flinksessionjob":
        return
    longer: dict[str, list[str]] = {}
    for collision in collisions(key for key in config.effective if not key.startswith(_OWN)):
        if not collision.is_stock:
            longer.setdefault(collision.shorter, []).append(collision.longer)
    for key, others in longer.items():
        setting, new = config.written(key), NEW_NAMES.get(key)
        also = f" and {len(others) - 1} more" if len(others) > 1 else ""
        yield setting.finding(
            f"{key} is the beginning of {others[0]}{also}, and the config.yaml that the operator writes for Flink 2"
            " cannot hold both: it refuses the resource",
            at="key",
            severity=None if config.target.certain else Severity.INFO,
            help=f"write {new}" if new else "leave one of them out",
            fix=setting.rename(new, safe=config.target.certain) if new and new not in config.effective else None,
            related=[config.written(other) for other in others],
        )


_NEWEST = {"version": "v2_1", "image": "flink:2.1.0"}
_FILE = {"file": "deployment.yaml"}
_RESTART = "restart-strategy.fixed-delay.attempts: '3'"


def cases() -> list[Case]:
    return [
        bad(
            deployment(f"restart-strategy: fixed-delay\n{_RESTART}", **_NEWEST),
            **_FILE,
            at="restart-strategy",
            severity=Severity.ERROR,
            says="it refuses the resource",
            fixed=deployment(f"restart-strategy.type: fixed-delay\n{_RESTART}", **_NEWEST),
        ),
        bad(
            deployment(
                "high-availability.storageDir: s3://b/ha\nhigh-availability: kubernetes\n"
                "high-availability.jobmanager.port: '6123'",
                version="v2_0",
                image="acme/orders:7",
            ),
            **_FILE,
            at="high-availability",
            says="high-availability.storageDir and 2 more",
        ),
        bad(
            deployment("metrics.reporter.x: a\nmetrics.reporter.x.factory.class: b", job="-", **_NEWEST),
            **_FILE,
            at="metrics.reporter.x",
            says="metrics.reporter.x.factory.class",
        ),
        bad(
            deployment(
                'taskmanager.memory: 4g',
                spec="taskManager:\n  resource:\n    memory: 4g",
                **_NEWEST,
            ),
            **_FILE,
            at="taskmanager.memory",
            says="taskmanager.memory.process.size",
        ),
        good(deployment(f"restart-strategy.type: fixed-delay\n{_RESTART}", **_NEWEST), **_FILE),
        good(deployment(f"restart-strategy: fixed-delay\n{_RESTART}"), **_FILE),
        good(deployment("rest.port: '8081'\nrest.portal: a", **_NEWEST), **_FILE),
        good(deployment("job.autoscaler: a\njob.autoscaler.enabled: 'true'", **_NEWEST), **_FILE),
        good(deployment("kubernetes.operator.x: a\nkubernetes.operator.x.y: b", **_NEWEST), **_FILE),
        good(session_job("jarURI: s3://a/b.jar", f"restart-strategy: fixed-delay\n{_RESTART}"), file="job.yaml",
             flink="2.1"),
        good(f"restart-strategy: fixed-delay\n{_RESTART}\n", flink="2.1"),
    ]  # fmt: skip
