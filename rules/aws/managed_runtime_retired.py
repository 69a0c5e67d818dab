"""Managed Service for Apache Flink refuses to create, start or update an application of this runtime.

## What it does
Reports an application of Managed Service for Apache Flink whose `RuntimeEnvironment` is `FLINK-1_6`, `FLINK-1_8` or
`FLINK-1_11`, and, as a warning, `FLINK-1_13`.

## Why it matters
The service no longer creates, starts or runs applications with these releases: since February 5, 2025 for 1.6, 1.8 and
1.11 (March 19, 2025 in China and AWS GovCloud), since October 16, 2025 for 1.13. A deployment of the template fails,
and an application that was stopped does not start again.

## What to do
Upgrade in place to a current runtime such as `FLINK-1_20`: the service keeps the snapshots and starts the new runtime
from the latest one. Build the program and its connectors for the new release first.

## Not when
A template or parameter provides the runtime.

## Sources
- <https://docs.aws.amazon.com/managed-flink/latest/java/limits.html>: from when on the service no longer creates,
  starts and runs applications with 1.6, 1.8 and 1.11
- <https://docs.aws.amazon.com/managed-flink/latest/java/release-version-list.html>: the releases of the service
- <https://github.com/aws/aws-cdk/pull/37155>: the AWS CDK marks the four runtimes as deprecated, since an application
  with one of them cannot be created
- <https://docs.aws.amazon.com/managed-flink/latest/java/how-in-place-version-upgrades.html>: upgrades in place
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.aws._managed_cases import template, terraform

_RUNTIME = "RuntimeEnvironment"
_RETIRED = {
    "FLINK-1_6": "February 5, 2025",
    "FLINK-1_8": "February 5, 2025",
    "FLINK-1_11": "February 5, 2025",
    "FLINK-1_13": "October 16, 2025",
}
_ENDED_LAST = "FLINK-1_13"


@rule(
    code="FLK764",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:application"],
    flink=">=1.6",
    since="0.1",
)
def managed_runtime_retired(config: View) -> Iterator[Finding]:
    """the managed service no longer runs applications of this runtime"""
    for application in config.elements("application"):
        runtime = application.text(_RUNTIME)
        ended = _RETIRED.get(runtime.strip()) if runtime else None
        if runtime is None or ended is None:
            continue
        yield application.finding(
            f"the service has not created, started or run applications of {runtime} since {ended}: a deployment fails",
            of=_RUNTIME,
            help="upgrade the application in place to FLINK-1_20",
            severity=Severity.WARNING if runtime == _ENDED_LAST else None,
        )


_CDK = (
    "import * as analytics from 'aws-cdk-lib/aws-kinesisanalyticsv2';\n"
    "new analytics.CfnApplicationV2(this, 'Orders', {\n"
    "  runtimeEnvironment: 'FLINK-1_11',\n"
    "  serviceExecutionRole: role.roleArn,\n"
    "  applicationConfiguration: {\n"
    "    flinkApplicationConfiguration: {checkpointConfiguration: {configurationType: 'DEFAULT'}},\n"
    "  },\n"
    "});\n"
)
_LEVEL = "          MonitoringConfiguration: {ConfigurationType: DEFAULT}\n"


def cases() -> list[Case]:
    return [
        bad(terraform(runtime="FLINK-1_11"), file="main.tf", at='"FLINK-1_11"', severity=Severity.ERROR,
            says="since February 5, 2025"),
        bad(template(_LEVEL).replace("FLINK-1_20", "FLINK-1_13"), file="template.yaml", at="FLINK-1_13",
            severity=Severity.WARNING, says="since October 16, 2025"),
        bad(_CDK, file="stack.ts", at="'FLINK-1_11'", severity=Severity.ERROR),
        bad(terraform(runtime="FLINK-1_6"), file="main.tf", says="FLINK-1_6"),
        bad(terraform(runtime="FLINK-1_8"), file="main.tf", says="FLINK-1_8"),
        good(terraform(runtime="FLINK-1_15"), file="main.tf"),
        good(template(_LEVEL), file="template.yaml"),
        good(template(_LEVEL).replace("FLINK-1_20", "!Ref Runtime"), file="template.yaml"),
        good(_CDK.replace("'FLINK-1_11'", "props.runtime"), file="stack.ts"),
    ]  # fmt: skip
