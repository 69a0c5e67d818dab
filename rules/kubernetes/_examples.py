"""Custom resources for the cases of rules: whole ones, with what a case is about put in."""

from __future__ import annotations

import textwrap


def deployment(
    configuration: str = "",
    *,
    job: str = "",
    spec: str = "",
    version: str = "v1_20",
    image: str = "flink:1.20",
    name: str = "orders",
    kind: str = "FlinkDeployment",
) -> str:
    """A FlinkDeployment that runs a job, unless `job` is "-": a session cluster."""  # fmt: skip
    lines = [
        "apiVersion: flink.apache.org/v1beta1",
        f"kind: {kind}",
        "metadata:",
        f"  name: {name}",
        "spec:",
    ]
    body = [f"image: {image}", f"flinkVersion: {version}", "serviceAccount: flink"]
    if configuration:
        body += ["flinkConfiguration:", textwrap.indent(textwrap.dedent(configuration).strip("\n"), "  ")]
    if job != "-":
        body += ["job:", "  jarURI: local:///opt/flink/usrlib/orders.jar"]
        if "parallelism:" not in job:
            body.append("  parallelism: 2")
        if job:
            body.append(textwrap.indent(textwrap.dedent(job).strip("\n"), "  "))
    if spec:
        body.append(textwrap.dedent(spec).strip("\n"))
    if kind == "FlinkBlueGreenDeployment":
        lines += ["  template:", "    spec:"]
    indent = "      " if kind == "FlinkBlueGreenDeployment" else "  "
    return "\n".join([*lines, textwrap.indent("\n".join(body), indent)]) + "\n"


def session_job(job: str, configuration: str = "", *, name: str = "deploymentName: cluster") -> str:
    """A FlinkSessionJob."""
    body = [name] if name else []
    if configuration:
        body += ["flinkConfiguration:", textwrap.indent(textwrap.dedent(configuration).strip("\n"), "  ")]
    body += ["job:", textwrap.indent(textwrap.dedent(job).strip("\n"), "  ")]
    head = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkSessionJob\nmetadata:\n  name: orders\nspec:\n"
    return head + textwrap.indent("\n".join(body), "  ") + "\n"
