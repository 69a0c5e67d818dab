"""EMR takes nothing but texts as properties of a classification.

## What it does
Reports a property of one of Flink's classifications that is a number, `true` or `false` without quotes, or a mapping
or list (settings written as a tree).

## Why it matters
The API of EMR declares Properties as a map of text to text. The AWS CLI refuses anything else ("Invalid type for
parameter"), Terraform cannot read the list of configurations, and no cluster is created.

## What to do
Quote the value. Write a tree as flat keys: `"taskmanager.memory.process.size": "4g"`.

## Not when
CloudFormation turns numbers and booleans into texts itself, so there only trees are reported. A reference to a
variable is not judged.

## Sources
- <https://docs.aws.amazon.com/emr/latest/APIReference/API_Configuration.html>: `Properties` is a map of texts
- <https://docs.aws.amazon.com/emr/latest/ReleaseGuide/emr-configure-apps.html>: how classifications are written
"""

import json
from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.aws._emr_cases import emr

_TREES = ("mapping", "list")


@rule(
    code="FLK761",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:emr-cluster"],
    flink=">=1.0",
    since="0.1",
)
def emr_property_shape(config: View) -> Iterator[Finding]:
    """EMR refuses a property that is no text"""
    for cluster in config.elements("emr-cluster"):
        for number, classification in enumerate(cluster.items("configurations")):
            name = classification.text("classification") or ""
            if name.startswith("flink"):
                yield from _malformed(cluster, f"configurations[{number}].malformed", name)


def _malformed(cluster: ElementView, where: str, name: str) -> Iterator[Finding]:
    for key, attribute in cluster.under(where):
        path = f"{where}.{key}"
        if attribute.value in _TREES:
            yield cluster.finding(
                f"{key} of {name} is a {attribute.value}, but EMR takes only texts as properties and creates no"
                " cluster",
                of=path,
                key=f"{name}.{key}",
                help="write flat keys with quoted values",
            )
        else:
            yield cluster.finding(
                f"{key} of {name} is a {attribute.value} without quotes, but EMR takes only texts as properties and"
                " creates no cluster",
                of=path,
                key=f"{name}.{key}",
                help=f'write "{attribute.raw}"',
                fix=cluster.replace(path, json.dumps(attribute.raw), safe=True, title="quote it"),
            )


def cases() -> list[Case]:
    return [
        bad(
            '[{"Classification": "flink-conf", "Properties": {"taskmanager.numberOfTaskSlots": 2}}]\n',
            file="emr.json",
            at="flink-conf.taskmanager.numberOfTaskSlots",
            says="number",
            fixed='[{"Classification": "flink-conf", "Properties": {"taskmanager.numberOfTaskSlots": "2"}}]\n',
        ),
        bad(
            emr(("flink-conf", {"taskmanager": {"numberOfTaskSlots": "2"}})),
            file="emr.json",
            says="mapping",
            fixed=emr(("flink-conf", {"taskmanager": {"numberOfTaskSlots": "2"}})),
            at="flink-conf.taskmanager",
        ),
        bad(
            'resource "aws_emr_cluster" "flink" {\n  configurations_json = jsonencode([\n'
            '    { Classification = "flink-conf", Properties = { "rest.flamegraph.enabled" = true } },\n  ])\n}\n',
            file="main.tf",
            says="boolean",
        ),
        good(emr(("flink-conf", {"taskmanager.numberOfTaskSlots": "2"})), file="emr.json"),
        good(emr(("flink-conf", {"rest.port": "8081"}), ("yarn-site", {"a.b": 3})), file="emr.json"),
        good(
            "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  Cluster:\n    Type: AWS::EMR::Cluster\n"
            "    Properties:\n"
            "      Configurations:\n        - Classification: flink-conf\n          ConfigurationProperties:\n"
            "            taskmanager.numberOfTaskSlots: 2\n",
            file="template.yaml",
        ),
        good(
            'variable "slots" { default = 2 }\nresource "aws_emr_cluster" "flink" '
            "{\n  configurations_json = jsonencode([\n"
            '    { Classification = "flink-conf", Properties = { "parallelism.default" = var.slots } },\n  ])\n}\n',
            file="main.tf",
        ),
        bad(
            emr(("flink-conf", {"env.java.opts": ["-Xss2m"]}), label="emr-5.15.0"),
            file="emr.json",
            says="list",
            fixed=emr(("flink-conf", {"env.java.opts": ["-Xss2m"]}), label="emr-5.15.0"),
            at="flink-conf.env.java.opts",
        ),
    ]
