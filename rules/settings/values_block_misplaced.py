"""A block of Helm values stands beside the mapping it belongs into.

## What it does
Looks in Helm values at the fields of a `FlinkDeployment` (`job`, `jobManager`, `taskManager`, `flinkConfiguration`).
Reports one that stands one level above the mapping which holds `flinkConfiguration` and no fewer of the other
fields, and a `flinkConfiguration` that slipped among the names of files one level below its kin.

## Why it matters
A template reads a value at its one path (`.Values.app.taskManager`). What stands at another path is merged into the
values without a word and never read: the memory that was to be raised stays what it was, and the next OOM kill is
taken for proof that the new size is too small.

## What to do
Indent the block as its kin are indented. `helm template` shows what comes of it.

## Not when
The mapping has a field of that name itself (the outer one may be a shared default), or more of the fields stand
outside than inside: the chart is then made that way. Where no field stands beside `flinkConfiguration`, nobody can
tell where the chart wants them.

## Sources
- <https://helm.sh/docs/chart_template_guide/values_files/>: values are read by their path; others change nothing
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/reference/>:
  the fields that stand together in a spec
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK046",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:misplaced-field"],
    flink=">=1.0",
    since="0.1",
)
def values_block_misplaced(config: View) -> Iterator[Finding]:
    """a block of Helm values stands where no template looks for it"""
    for part in config.elements("misplaced-field"):
        path, belongs = part.text("path"), part.text("belongs")
        assert path is not None  # the file format tells both
        assert belongs is not None
        yield part.finding(
            f"{path} stands beside the mapping that holds the job's other fields, which are at"
            f" {belongs.rpartition('.')[0]}: what nobody looks for here is never applied",
            help=f"indent it so that it is {belongs}",
            key=path,
            evidence={"belongs": belongs},
        )


_APP = 'app:\n  job:\n    jarURI: local:///app.jar\n  flinkConfiguration:\n    taskmanager.numberOfTaskSlots: "2"\n'


def cases() -> list[Case]:
    return [
        bad(
            f"{_APP}\ntaskManager:\n  resource:\n    memory: 2g\n",
            file="values-staging.yaml", at="taskManager", says="app",
        ),
        bad(f"{_APP}\ntaskManager:\n  resource:\n    memory: 2g\n", file="values.yaml", flink="1.8"),
        bad(
            "app:\n  image: orders:3\n  job:\n    entryClass: org.example.Orders\n  taskManager:\n    replicas: 3\n"
            "    resource:\n      memory: 3g\n  config_files:\n    app.config.yaml:\n      rate: 4\n"
            '    flinkConfiguration:\n      taskmanager.memory.jvm-metaspace.size: "512mb"\n',
            file="values.yaml", at="app.config_files.flinkConfiguration",
        ),
        good(f"{_APP}  taskManager:\n    resource:\n      memory: 2g\n", file="values-staging.yaml"),
        good(
            f"{_APP}  taskManager:\n    resource:\n      memory: 2g\ntaskManager:\n  resource:\n    memory: 1g\n",
            file="values.yaml",
        ),
        good(
            'flink:\n  flinkConfiguration:\n    taskmanager.numberOfTaskSlots: "2"\n'
            "job:\n  jarURI: local:///app.jar\ntaskManager:\n  resource:\n    memory: 2g\n",
            file="values.yaml",
        ),
        good(
            f"{_APP}\ntaskManager:\n  resource:\n    memory: 2g\njobManager:\n  resource:\n    memory: 1g\n",
            file="values.yaml",
        ),
    ]  # fmt: skip
