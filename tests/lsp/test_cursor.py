"""Which key or value is at the cursor, in texts that may not parse."""

from __future__ import annotations

import pytest

from tests.lsp.cursors import At

RESOURCE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  flinkVersion: v1_18
  flinkConfiguration:
    rest.port: "1"
    LINE
  job:
    parallelism: 2
"""
FLOW = "{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, spec: {flinkConfiguration: {a.b: c}}}\n"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: flink-config}\ndata:\n  NAME: |\n    rest.port: 1\n    LINE\n"


def described(name: str, text: str) -> tuple[object, ...] | None:
    """Return whether a value is at the cursor, the whole key, what is replaced, and what comes behind a key."""
    at = At(name, text)
    spot = at.spot
    if spot is None:
        return None
    return spot.is_value, spot.key, at.buffer.text[slice(*spot.span)], spot.typed, spot.separator


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("‸", (False, "", "", "", ": ")),
        ("rest.p‸", (False, "rest.p", "rest.p", "rest.p", ": ")),
        ("rest‸.port: 1", (False, "rest.port", "rest.port", "rest", "")),
        ("rest.port‸", (False, "rest.port", "rest.port", "rest.port", ": ")),
        ("rest.port‸: 1", (False, "rest.port", "rest.port", "rest.port", "")),
        ("rest.port:‸ 1", None),
        ("rest.port: ‸1", (True, "rest.port", "1", "", "")),
        ("rest.port: 80‸81", (True, "rest.port", "8081", "80", "")),
        ("rest.port: ‸", (True, "rest.port", "", "", "")),
        ("rest.port: 1‸  # why", (True, "rest.port", "1", "1", "")),
        ("rest.port: 1  # w‸hy", None),
        ("# rest.p‸ort: 1", None),
        ("rest.port: '80‸81'", (True, "rest.port", "8081", "80", "")),
        ("rest.port: '8081'‸", None),
    ],
)
def test_a_line_of_flink_conf(text: str, expected: tuple[object, ...] | None) -> None:
    for before, after in (("", ""), ("state.backend: rocksdb\n", "\nparallelism.default: 1\n")):
        assert described("flink-conf.yaml", before + text + after) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rest:\n  p‸", (False, "rest.p", "p", "p", ": ")),
        ("rest:\n  port: ‸1", (True, "rest.port", "1", "", "")),
        ("rest:\n  # c\n\n  p‸", (False, "rest.p", "p", "p", ": ")),
        ("a:\n  b: 1\nrest:\n  p‸", (False, "rest.p", "p", "p", ": ")),
        ("a:\n  b:\n    c: 1\n  d‸", (False, "a.d", "d", "d", ": ")),
        ("a:\n  b: 1\n‸", (False, "", "", "", ": ")),
        ("a:\n  b: 1\n  ‸", (False, "a.", "", "", ": ")),
        ("---\na:\n  b‸", (False, "a.b", "b", "b", ": ")),
        ("a:\n---\n  b‸", (False, "b", "b", "b", ": ")),
        ("a:\n  - b‸", (False, "a.b", "b", "b", ": ")),
        ("a:\n  - b: 1\n    c‸", (False, "a.b.c", "c", "c", ": ")),
        ('"rest":\n  p‸', (False, "rest.p", "p", "p", ": ")),
    ],
)
def test_a_line_of_config_yaml_is_in_its_mappings(text: str, expected: tuple[object, ...] | None) -> None:
    assert described("config.yaml", text) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("d.yaml", RESOURCE.replace("LINE", "web.t‸"), (False, "web.t", "web.t", "web.t", ": ")),
        ("d.yaml", RESOURCE.replace("LINE", "web.timeout: ‸5"), (True, "web.timeout", "5", "", "")),
        ("d.yaml", RESOURCE.replace("    LINE", "  serviceAcc‸"), None),
        ("d.yaml", RESOURCE.replace("    LINE\n", "").replace("parallelism: 2", "para‸"), None),
        (
            "m.yaml",
            MAP.replace("NAME", "flink-conf.yaml").replace("LINE", "web.t‸"),
            (False, "web.t", "web.t", "web.t", ": "),
        ),
        (
            "m.yaml",
            MAP.replace("NAME", "config.yaml").replace("LINE", "web:\n      t‸"),
            (False, "web.t", "t", "t", ": "),
        ),
        ("m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: flink}\ndata:\n  a‸: b\n", None),
        ("d.yaml", f"{FLOW}---\nkind: Pod\nmetadata:\n  na‸me: flink\n", None),
        (
            "application.yaml",
            "flink:\n  rest.port: 1\n  parallelism.default: 2\n  web.t‸\n",
            (False, "web.t", "web.t", "web.t", ": "),
        ),
        ("job.sql", "SET 'rest.p‸' = '1';", (False, "rest.p", "rest.p", "rest.p", "")),
        ("job.sql", "SET 'rest.port' = '80‸81';", (True, "rest.port", "8081", "80", "")),
        ("job.sql", "SET 'a.b' = 'c';\nSELECT 'rest.p‸';", None),
        ("job.sql", "SET 'a.b' = '1'; SET 'rest.p‸' = '1';", (False, "rest.p", "rest.p", "rest.p", "")),
    ],
)
def test_settings_inside_other_files(name: str, text: str, expected: tuple[object, ...] | None) -> None:
    assert described(name, text) == expected


def test_properties_have_no_spaces() -> None:
    text = "state.backend.type=rocksdb\nexecution.checkpointing.interval=10 s\nrest.p‸\n"
    assert described("job.properties", text) == (False, "rest.p", "rest.p", "rest.p", "=")
    assert described("job.properties", text.replace("rest.p‸", "rest.port=‸1")) == (True, "rest.port", "1", "", "")
