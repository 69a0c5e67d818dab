"""An update of the managed application begins without its state.

## What it does
Reports an application of Managed Service for Apache Flink that turns its snapshots off, starts without one
(`SKIP_RESTORE_FROM_SNAPSHOT`), or lets state go that no operator takes (`AllowNonRestoredState`).

## Why it matters
The service takes a snapshot before it updates, scales or stops an application, and starts from it. Without it each
change of code, configuration or parallelism loses data. State without an operator is a sign of a changed id, and to
allow it for good turns that accident into a silent loss.

## What to do
Leave `SnapshotsEnabled` true and the restore type `RESTORE_FROM_LATEST_SNAPSHOT`. Allow non-restored state for the one
update that removes an operator, from the command line rather than in the template.

## Not when
A development file, or a value nobody can tell.

## Sources
- <https://docs.aws.amazon.com/managed-flink/latest/java/how-snapshots.html>: updates without snapshots lose data
- <https://docs.aws.amazon.com/managed-flink/latest/apiv2/API_ApplicationRestoreConfiguration.html>: restore types
- <https://docs.aws.amazon.com/managed-flink/latest/apiv2/API_FlinkRunConfiguration.html>: non-restored state
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.aws._managed_cases import template, terraform

_ENABLED = "ApplicationConfiguration.ApplicationSnapshotConfiguration.SnapshotsEnabled"
_RESTORE = "RunConfiguration.ApplicationRestoreConfiguration.ApplicationRestoreType"
_ALLOW = "RunConfiguration.FlinkRunConfiguration.AllowNonRestoredState"


@rule(
    code="FLK772",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:application"],
    flink=">=1.6",
    of_scale=True,
    since="0.1",
)
def managed_snapshots_disabled(config: View) -> Iterator[Finding]:
    """an update of the managed application begins without its state"""
    for application in config.elements("application"):
        if application.flag(_ENABLED) is False:
            yield application.finding(
                "snapshots are off, so every update, rescaling and stop of the application loses its state",
                of=_ENABLED,
                help="set SnapshotsEnabled to true, or leave it out",
            )
        if application.text(_RESTORE) == "SKIP_RESTORE_FROM_SNAPSHOT":
            yield application.finding(
                "with SKIP_RESTORE_FROM_SNAPSHOT the application starts without its state",
                of=_RESTORE,
                help="set RESTORE_FROM_LATEST_SNAPSHOT",
            )
        if application.flag(_ALLOW) is True:
            yield application.finding(
                "AllowNonRestoredState lets every start drop the state of operators whose id changed",
                of=_ALLOW,
                help="set it to false, and allow it for the one update that needs it",
                severity=Severity.INFO,
            )


def cases() -> list[Case]:
    return [
        bad(
            terraform(rest="    application_snapshot_configuration {\n      snapshots_enabled = false\n    }\n"),
            file="main.tf",
            severity=Severity.WARNING,
            says="snapshots are off",
        ),
        bad(
            template(
                "          ParallelismConfiguration: {ConfigurationType: DEFAULT}\n",
                "      RunConfiguration:\n        ApplicationRestoreConfiguration:\n"
                "          ApplicationRestoreType: SKIP_RESTORE_FROM_SNAPSHOT\n",
            ),
            file="template.yaml",
            at="SKIP_RESTORE_FROM_SNAPSHOT",
        ),
        bad(
            terraform(
                rest="    run_configuration "
                "{\n      flink_run_configuration {\n        allow_non_restored_state = true\n"
                "      }\n    }\n"
            ),
            file="main.tf",
            severity=Severity.INFO,
        ),
        good(
            terraform(rest="    application_snapshot_configuration {\n      snapshots_enabled = var.keep\n    }\n"),
            file="main.tf",
        ),
        good(
            terraform(rest="    application_snapshot_configuration {\n      snapshots_enabled = true\n    }\n"),
            file="main.tf",
        ),
        good(
            terraform(rest="    application_snapshot_configuration {\n      snapshots_enabled = false\n    }\n"),
            file="main.tf",
            flink="1.5",
        ),
        bad(
            terraform(rest="    application_snapshot_configuration {\n      snapshots_enabled = false\n    }\n"),
            file="main.tf",
            profile="development",
            severity=Severity.INFO,
        ),
    ]
