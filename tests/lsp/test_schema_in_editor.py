"""A schema in yaml-language-server, which most editors use, and in JavaScript's regular expressions."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.lsp.schema import CONFIG_YAML, DEPLOYMENT, schema, text_of
from tests.lsp.yaml_language_server import YamlLanguageServer

pytestmark = pytest.mark.tools

SHIPPED = sorted((Path(__file__).resolve().parent.parent / "fixtures" / "shipped").glob("*-config.yaml"))
SAMPLES = [
    *("", " ", "1g", "1 gb ", "12 parsecs", "9223372036854775808", "8388608 t", "5 min", "PT5M", "P", "1.5 s", "-3"),
    *("TRUE", "yes", "0.4", "1e5f", "NaN", "0,4", "EXACTLY_ONCE", "exactly-once", "a:b", "a;b", "${X}", "{{ x }}"),
    *("metrics.reporter.a.port", "taskmanager.x", "my.x", "kubernetes.operator.x", "fs.s3.limit.total", "5 \u212a"),
]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[YamlLanguageServer]:
    folder = tmp_path_factory.mktemp("editor")
    for path in SHIPPED:
        release = path.name.partition("-")[0]
        (folder / f"{release}.json").write_text(text_of(schema(parse_release(release), CONFIG_YAML)), encoding="utf-8")
    deployment = text_of(schema(parse_release("1.20"), DEPLOYMENT))
    (folder / "deployment.json").write_text(deployment, encoding="utf-8")
    with YamlLanguageServer(folder) as found:
        yield found


def checked_by(server: YamlLanguageServer, name: str, text: str) -> str:
    """Return a text with the line that names its schema."""
    return f"# yaml-language-server: $schema={server.folder / name}.json\n{text}"


@pytest.mark.parametrize("path", SHIPPED, ids=[path.name for path in SHIPPED])
def test_nothing_is_wrong_with_shipped_configurations(server: YamlLanguageServer, path: Path) -> None:
    text = checked_by(server, path.name.partition("-")[0], path.read_text(encoding="utf-8"))
    assert server.diagnostics(CONFIG_YAML, text) == []
    assert server.diagnostics(CONFIG_YAML, f"{text}no.such: ''\nrest.prot: 1\n") != []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "taskmanager:\n  memory:\n    process.size: 12 parsecs\n",
            "4: Flink accepts a whole number with b, k, m",
        ),
        ("taskmanager:\n  memory:\n    proces.size: 1g\n", "4: Property proces.size is not allowed."),
        ("taskmanager.memory.process.sise: 1g\n", "2: Property taskmanager.memory.process.sise is not allowed."),
        ("execution.checkpointing.mode: EXACTLY-ONCE\n", "2: Flink accepts one of EXACTLY_ONCE, AT_LEAST_ONCE here"),
        ("heartbeat:\n  interval: 1 lightyear\n", "3: Flink accepts a whole number with one of d, h, min"),
        (
            "metrics.reporter.prom.interval: soon\n",
            "2: Flink accepts a whole number with one of d, h, min",
        ),
        ("rest.port: 99999999999\n", "2: Value is above the maximum of 2147483647."),
        ("rest.port: 8081.5x\n", "2: Flink accepts a whole number of 32 bits here"),
        ("taskmanager.memory.task.heap.size: 9999999999 t\n", "2: larger than Flink's maximum"),
        ("state.backend.incremental: true\n", "2: state.backend.incremental is an old name: write"),
        ("high-availability: zookeeper\n", "2: high-availability is an old name: write high-availability.type"),
    ],
)
def test_what_is_wrong_is_reported(server: YamlLanguageServer, text: str, found: str) -> None:
    (message,) = server.diagnostics(CONFIG_YAML, checked_by(server, "2.3", text))
    assert message.startswith(found)


def test_what_flink_takes_is_not_reported(server: YamlLanguageServer) -> None:
    text = """
execution.checkpointing.mode: exactly_once
high-availability: {type: zookeeper}
kubernetes.jobmanager.labels: {app: x}
kubernetes:
  taskmanager.labels.team: y
  rest-service.annotations: a:b,c:d
  taskmanager.tolerations: [{key: a}]
  operator: {whatever: 1}
metrics.reporter.prom: {port: 9249, whatever: x}
myapp: {window: 5 min}
user: bob
pipeline.jars: [a.jar]
rest.port: ${PORT}
"""
    assert server.diagnostics(CONFIG_YAML, checked_by(server, "2.3", text)) == []


def test_keys_are_completed(server: YamlLanguageServer) -> None:
    flat = server.completions(CONFIG_YAML, checked_by(server, "2.3", "taskmanager.mem|\n"))
    assert flat["taskmanager.memory.jvm-metaspace.size"] == "taskmanager.memory.jvm-metaspace.size: ${1:256 mb}"
    assert flat["taskmanager"].rstrip() == "taskmanager:"  # and not all its options with their defaults
    assert not {"akka", "akka.ask.timeout", "state.backend.incremental", "taskmanager.memory"} & set(flat)
    below = server.completions(CONFIG_YAML, checked_by(server, "2.3", "taskmanager:\n  memory:\n    |\n"))
    assert {"process", "process.size", "managed.fraction", "network.min"} <= set(below)
    assert not any(key.startswith("taskmanager") for key in below)
    reporter = server.completions(CONFIG_YAML, checked_by(server, "2.3", "metrics:\n  reporter:\n    prom:\n      |\n"))
    assert {"port", "interval", "factory.class"} <= set(reporter)


def test_values_are_completed(server: YamlLanguageServer) -> None:
    mode = {"EXACTLY_ONCE", "AT_LEAST_ONCE"}
    assert set(server.completions(CONFIG_YAML, checked_by(server, "2.3", "execution.checkpointing.mode: |\n"))) == mode
    nested = "execution:\n  checkpointing:\n    mode: |\n"
    assert set(server.completions(CONFIG_YAML, checked_by(server, "2.3", nested))) == mode
    unaligned = checked_by(server, "2.3", "execution.checkpointing.unaligned.enabled: |\n")
    assert set(server.completions(CONFIG_YAML, unaligned)) == {"true", "false"}


def test_options_are_shown(server: YamlLanguageServer) -> None:
    shown = server.hover(CONFIG_YAML, checked_by(server, "2.3", "taskmanager:\n  numberOf|TaskSlots: 3\n"))
    assert "Whole number; default 1." in shown
    assert "flint explain taskmanager.numberOfTaskSlots" in shown
    mode = server.hover(CONFIG_YAML, checked_by(server, "2.3", "execution.checkpoint|ing.mode: AT_LEAST_ONCE\n"))
    assert "AT_LEAST_ONCE" in mode


def test_a_custom_resource(server: YamlLanguageServer) -> None:
    text = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
spec:
  flinkVersion: v1_19
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: 2x
    kubernetes.cluster-id: a
    kubernetes.operator.whatever: 1
---
kind: Service
spec: {ports: []}
"""
    found = server.diagnostics("deployment.yaml", checked_by(server, "deployment", text))
    assert sorted(found) == [
        "5: this schema is for Flink 1.20 (v1_20); `flint schema` generates others",
        "7: Flink accepts a whole number of 32 bits here",
        "8: Property kubernetes.cluster-id is not allowed.",
    ]
    offered = server.completions(
        "deployment.yaml", checked_by(server, "deployment", "spec:\n  flinkConfiguration:\n    job.auto|\n")
    )
    assert offered["job.autoscaler.metrics.window"] == "job.autoscaler.metrics.window: ${1:15 min}"


def patterns(found: Any) -> Iterator[str]:
    """Yield all regular expressions of a schema."""
    if isinstance(found, dict):
        for word, content in found.items():
            if word == "pattern" and isinstance(content, str):
                yield content
            if word == "patternProperties":
                yield from content
            yield from patterns(content)
    elif isinstance(found, list):
        for content in found:
            yield from patterns(content)


def test_javascript_reads_the_patterns_as_python_does() -> None:
    script = """
const [patterns, samples] = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(patterns.map(p => samples.map(s => new RegExp(p, "u").test(s)))));
"""
    found = sorted(
        {pattern for release in ("1.19", "2.3") for pattern in patterns(schema(parse_release(release), CONFIG_YAML))}
    )
    assert len(found) > 100
    done = subprocess.run(
        ["node", "-e", script], input=json.dumps([found, SAMPLES]), capture_output=True, text=True, check=True
    )
    mine = [[re.search(pattern, sample) is not None for sample in SAMPLES] for pattern in found]
    assert json.loads(done.stdout) == mine
