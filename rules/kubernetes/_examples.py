"""Complete custom resources for test cases, with some fields given by the case."""

from __future__ import annotations


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
    """Return a FlinkDeployment that runs a job or, if `job` is "-", a session cluster."""  # fmt: skip
    lines = [
        "apiVersion: flink.apache.org/v1beta1",
        f"kind: {kind}",
        "metadata:",
        f"  name: {name}",
        "spec:",
    ]
    body = [f"image: {image}", f"flinkVersion: {version}", "serviceAccount: flink"]
    if configuration:
        body += ["flinkConfiguration:", _indented(configuration)]
    if job != "-":
        body += ["job:", "  jarURI: local:///opt/flink/usrlib/orders.jar"]
        if "parallelism:" not in job:
            body.append("  parallelism: 2")
        if job:
            body.append(_indented(job))
    if spec:
        body.append(_dedented(spec))
    if kind == "FlinkBlueGreenDeployment":
        lines += ["  template:", "    spec:"]
    indent = "      " if kind == "FlinkBlueGreenDeployment" else "  "
    return "\n".join([*lines, _indented("\n".join(body), indent)]) + "\n"


def session_job(job: str, configuration: str = "", *, name: str = "deploymentName: cluster") -> str:
    """Return a FlinkSessionJob."""
    body = [name] if name else []
    if configuration:
        body += ["flinkConfiguration:", _indented(configuration)]
    body += ["job:", _indented(job)]
    head = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkSessionJob\nmetadata:\n  name: orders\nspec:\n"
    return head + _indented("\n".join(body)) + "\n"


def _indented(text: str, blanks: str = "  ") -> str:
    return "\n".join(blanks + line if line.strip() else line for line in _dedented(text).split("\n"))


def _dedented(text: str) -> str:
    if text[:1] in ("\n", " "):
        from textwrap import dedent  # most cases do without it, and every run that sees a custom resource comes here

        text = dedent(text)
    return text.strip("\n")
