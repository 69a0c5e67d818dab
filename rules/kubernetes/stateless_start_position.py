"""Each change of a job without state skips records, or reads all of them again.

## What it does
Looks at the Kafka and Kinesis sources of a program or SQL script that a FlinkDeployment or FlinkSessionJob with
`upgradeMode: stateless` (also the default) runs. It gives advice on a source that starts at the latest or the earliest
record: the operator starts the job without its offsets at each change.

The deployment of a program is the one that it overrides (by its class or module, or a `[[link]]` in flint.toml), or
the only one whose `job.jarURI` or `job.args` name the file of a Python or SQL script.

## Why it matters
A stateless upgrade cancels the job and starts it like a new one. A source that starts at `latest` skips what arrived in
between, without an error. One that starts at `earliest` reads the whole topic or stream, and the sinks get all results
once more.

## What to do
Set `upgradeMode: savepoint` or `last-state`. If a start without state is intended, let the source of Kafka continue at
the offsets that its consumer group committed: `'scan.startup.mode' = 'group-offsets'` in SQL,
`OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST)` in programs.

## Not when
- The source is bounded, or reads a changelog (`upsert-kafka`) that the job needs from its beginning.
- The start position or the upgrade mode is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/#stateful-and-stateless-application-upgrades>:
  a stateless upgrade starts from an empty state
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#starting-offset>,
  <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kinesis/#configuring-starting-position>:
  the position counts if there is no state
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kafka._cases import GROUP, READ, TOPIC, table
from flink_flint.rules.kafka._cases import program as kafka_program
from flink_flint.rules.kafka._cases import source as kafka_source
from flink_flint.rules.kafka._clients import is_bounded, is_group, is_upsert, named, starting_offsets
from flink_flint.rules.kinesis._cases import STREAM
from flink_flint.rules.kinesis._cases import table as kinesis_table
from flink_flint.rules.kinesis._reader import POSITION, SOURCE_POSITION, attribute, readers, text
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, Resource, resources

_PROGRAMS = ("source", "sql")
_SCRIPTS = (".py", ".sql")
_KINESIS_STARTS = {"LATEST": "latest", "TRIM_HORIZON": "earliest"}
_EFFECTS = {
    "latest": "each change of {} starts this source at the latest record: what arrives in between is skipped",
    "earliest": "each change of {} starts this source at the earliest record: the sinks get all results again",
}


class _Start(NamedTuple):
    """A source that starts at one end of its topic or stream."""

    reader: ElementView
    of: str | None
    position: str


@rule(
    code="FLK713",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:kubernetes-object", "element:kafka-source", "element:kinesis-source"],
    scope="project",
    compares=[(["element:kubernetes-object"], ["element:kafka-source", "element:kinesis-source"])],
    flink=">=1.9",
    since="0.1",
)
def stateless_start_position(project: Project) -> Iterator[Finding]:
    """a job without state skips records or reads all of them again at each change"""
    starting = [
        (config, starts)
        for config in project.views
        if config.document.kind in _PROGRAMS and (starts := list(_starts(config)))
    ]
    running = _by_script(project) if starting else {}
    for config, starts in starting:
        resource = _deployment_of(project, config, running)
        if resource is None or resource.upgrade_mode != "stateless":
            continue
        path = resource.path("job.upgradeMode")
        has_mode = resource.part.has(path)
        for reader, of, position in starts:
            mode = "upgradeMode: stateless" if has_mode else "upgradeMode is stateless by default"
            yield reader.finding(
                _EFFECTS[position].format(f"{resource.kind} {resource.part.text('metadata.name') or ''}".rstrip()),
                of=of,
                help="set upgradeMode to savepoint or last-state",
                related=[resource.part.place(path if has_mode else None, mode)],
            )


def _starts(config: View) -> Iterator[_Start]:
    for reader in config.elements("kafka-source"):
        position = starting_offsets(reader)
        if position in _EFFECTS and not (is_bounded(reader) or is_upsert(reader) or is_group(reader)):
            yield _Start(reader, named(reader, "starting-offsets"), position)
    for reader in readers(config):
        for key in (POSITION, SOURCE_POSITION):
            of = attribute(reader, key)
            position = _KINESIS_STARTS.get((text(reader, key) or "").upper()) if of is not None else None
            if position is not None:
                yield _Start(reader, of, position)


def _deployment_of(project: Project, config: View, running: Mapping[str, list[Resource]]) -> Resource | None:
    """The only deployment that runs a program; None where there is none, or several."""
    base = project.base_of(config)
    found = list(_applications(base)) if base is not None else []
    if not found and config.document.file_name.endswith(_SCRIPTS):
        found = running.get(config.document.file_name, [])
    return found[0] if len(found) == 1 else None


def _by_script(project: Project) -> Mapping[str, list[Resource]]:
    """The deployments by the names of the scripts that their jobs name."""
    found: dict[str, list[Resource]] = defaultdict(list)
    for config in project.views:
        if config.document.is_variant:
            continue
        for resource in _applications(config):
            arguments = (item for _, item in resource.part.under(f"{resource.base}.job"))
            words = (word for item in arguments if isinstance(item.value, str) for word in item.value.split())
            for name in sorted({posixpath.basename(word) for word in words if word.endswith(_SCRIPTS)}):
                found[name].append(resource)
    return found


def _applications(config: View) -> Iterator[Resource]:
    return (one for one in resources(config, *CLUSTERS, "FlinkSessionJob") if one.is_application)


_STATELESS = "upgradeMode: stateless\nargs: [-py, /opt/flink/usrlib/orders.py]"
_SCRIPT = (
    "from pyflink.table import EnvironmentSettings, TableEnvironment\n\n"
    "tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())\n"
    'tables.execute_sql("""%s""")\n'
)
_LATEST = kinesis_table("t", STREAM, "'scan.stream.initpos' = 'LATEST'").rstrip(";\n")
_EARLIEST = table("t", TOPIC, "'scan.startup.mode' = 'earliest-offset'")
_MODULE = {"pom.xml": "<project/>\n"}


def _beside(job: str, **more: str) -> dict[str, str]:
    return {"deployment.yaml": deployment(job=job), **more}


def cases() -> list[Case]:
    return [
        bad(
            _SCRIPT % _LATEST, file="orders.py", beside=_beside(_STATELESS), at="'LATEST'", severity=Severity.INFO,
            says="each change of FlinkDeployment orders starts this source at the latest record",
        ),
        bad(
            _EARLIEST + READ, file="orders.sql", at="'earliest-offset'",
            beside=_beside("upgradeMode: stateless\nargs: [/opt/flink/usrlib/sql/orders.sql]"),
            says="at the earliest record: the sinks get all results again",
        ),
        bad(
            kafka_program(kafka_source(GROUP)), file="src/main/java/Orders.java",
            beside={**_MODULE, "deploy/deployment.yaml": deployment()}, says="at the earliest record",
        ),
        good(_SCRIPT % _LATEST, file="orders.py", beside=_beside(_STATELESS.replace("stateless", "savepoint"))),
        good(_SCRIPT % _LATEST, file="orders.py", beside=_beside(_STATELESS.replace("stateless", "${MODE}"))),
        good(_SCRIPT % _LATEST, file="orders.py", beside=_beside(_STATELESS.replace("orders.py", "others.py"))),
        good(_SCRIPT % _LATEST, file="orders.py"),
        good(
            _SCRIPT % _LATEST, file="orders.py",
            beside=_beside(_STATELESS, **{"another.yaml": deployment(job=_STATELESS, name="another")}),
        ),
        good(_SCRIPT % _LATEST.replace("LATEST", "AT_TIMESTAMP"), file="orders.py", beside=_beside(_STATELESS)),
        good(
            table("t", TOPIC, "'scan.startup.mode' = 'group-offsets'") + READ, file="orders.sql",
            beside=_beside("upgradeMode: stateless\nargs: [orders.sql]"),
        ),
        good(
            table("t", TOPIC, "'scan.startup.mode' = 'earliest-offset'", "'scan.bounded.mode' = 'latest-offset'")
            + READ, file="orders.sql", beside=_beside("upgradeMode: stateless\nargs: [orders.sql]"),
        ),
    ]  # fmt: skip
