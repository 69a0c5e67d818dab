"""The generator of the option catalogue: its rules on records, and one minor rebuilt from the real classes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.flink.generate import __main__ as command
from flink_flint.linter.flink.generate.distributions import PATCHES, artifact
from flink_flint.linter.flink.generate.merge import definitions, dumped, merged
from flink_flint.linter.flink.generate.reflection import Record
from flink_flint.linter.flink.generate.scope import prefixes, scope
from flink_flint.linter.flink.generate.undeclared_keys import FAMILIES
from flink_flint.linter.flink.options import Catalogue, Option, catalogue
from flink_flint.linter.flink.releases import MINORS


def record(key: str, holder: str = "org.apache.flink.configuration.CoreOptions", **more: Any) -> Record:
    return {
        "key": key,
        "class": holder,
        "field": "FIELD",
        "group": "cluster",
        "generic": "java.lang.String",
        "type": "java.lang.String",
        "list": False,
        "has_default": False,
        "default": None,
        "aliases": [],
        "deprecated": False,
        **more,
    }


@pytest.mark.parametrize(
    ("key", "holder", "expected"),
    [
        ("scheduler-mode", "configuration.JobManagerOptions", "conf"),
        ("table.exec.state.ttl", "table.api.config.ExecutionConfigOptions", "conf"),
        ("sql-client.verbose", "table.client.config.SqlClientOptions", "conf"),
        ("workflow-scheduler.type", "table.factories.FactoryUtil", "conf"),
        ("source.reader.close.timeout", "connector.base.source.reader.SourceReaderOptions", "conf"),
        ("connector", "table.factories.FactoryUtil", "ddl"),
        ("fields.#.min", "connector.datagen.table.DataGenConnectorOptions", "ddl"),
        ("source.monitor-interval", "connector.file.table.FileSystemConnectorOptions", "ddl"),
        ("ignore-parse-errors", "formats.json.JsonFormatOptions", "ddl"),
        ("$internal.pipeline.job-id", "configuration.PipelineOptionsInternal", "internal"),
        ("internal.jobgraph-path", "runtime.entrypoint.component.FileJobGraphRetriever", "internal"),
        ("python.internal.files-key-map", "python.PythonOptions", "internal"),
        ("__table.query-start.epoch-time__", "table.planner.utils.InternalConfigOptions", "internal"),
        ("vertexID", "streaming.api.graph.StreamConfig", "internal"),
        ("security.ssl.internal.enabled", "configuration.SecurityOptions", "conf"),
        ("metrics.internal.query-service.port", "configuration.MetricOptions", "conf"),
        ("kubernetes.internal-service.labels", "kubernetes.configuration.KubernetesConfigOptions", "conf"),
    ],
)
def test_scope(key: str, holder: str, expected: str) -> None:
    assert scope(record(key, f"org.apache.flink.{holder}")) == expected


def test_prefixes() -> None:
    influx = record("db", "org.apache.flink.metrics.influxdb.InfluxdbReporterOptions")
    otel = record("service.name", "org.apache.flink.metrics.otel.OpenTelemetryReporterOptions")
    annotated = record("enabled", prefix="security.delegation.token.provider.<serviceName>")
    bare = record("class", "org.apache.flink.configuration.MetricOptions")
    assert prefixes(influx, {"metrics"}) == ("metrics.reporter.<name>.",)
    assert prefixes(otel, {"metrics", "traces"}) == ("metrics.reporter.<name>.", "traces.reporter.<name>.")
    assert prefixes(annotated, {"metrics"}) == ("security.delegation.token.provider.<serviceName>.",)
    assert prefixes(bare, {"metrics"}) == ("metrics.reporter.<name>.",)
    assert prefixes(record("io.tmp.dirs"), {"metrics"}) == ("",)


def test_a_declaration_that_is_not_deprecated_describes_the_key() -> None:
    old = record("a.b", "org.apache.flink.configuration.AOptions", deprecated=True, has_default=True, default="1 s")
    new = record("a.b", "org.apache.flink.configuration.BOptions", type="java.time.Duration")
    found = definitions([old, new], "1.20")["a.b"]
    assert found == {"type": "Duration"}
    assert definitions([old], "1.20")["a.b"] == {"type": "String", "default": "1 s", "deprecated": True}


def test_aliases_keep_their_order_and_kind() -> None:
    mixed = record("new", aliases=[["old", True], ["other", False], ["older", True]])
    assert definitions([mixed], "1.20")["new"] == {
        "type": "String",
        "fallback_keys": ["other"],
        "deprecated_keys": ["old", "older"],
        "lookup_order": ["old", "other", "older"],
    }
    relative = record("port", prefix="x.<name>", aliases=[["p", True]])
    assert definitions([relative], "1.20")["x.<name>.port"]["deprecated_keys"] == ["x.<name>.p"]


def test_types() -> None:
    untyped = record("a", type=None, generic="java.lang.Integer")
    enums = record("b", type="org.rocksdb.CompressionType", list=True, enum=["NONE", "LZ4"])
    maps = record("c", type="java.util.Map", list=True)
    found = definitions([untyped, enums, maps], "1.9")
    assert [found[key]["type"] for key in "abc"] == ["Integer", "List<Enum>", "List<Map>"]


def test_merging_minors_and_patches() -> None:
    lines = merged(
        {
            "1.9": {3: {"old": {"type": "String"}}},
            "1.10": {0: {"old": {"type": "String"}}, 3: {"old": {"type": "Long"}}},
            "1.11": {4: {"new": {"type": "Long", "deprecated_keys": ["old"]}}},
            "1.12": {5: {"new": {"type": "Long", "deprecated_keys": ["old"]}}},
        }
    )
    assert lines == {
        "new": {"definitions": [{"first": 2, "last": 3, "type": "Long", "deprecated_keys": ["old"]}]},
        "old": {
            "definitions": [{"first": 0, "last": 0, "type": "String"}, {"first": 1, "last": 1, "type": "Long"}],
            "drift": [{"minor": 1, "before": 3, "definition": {"type": "String"}}],
            "alias_of": [{"first": 2, "last": 3, "key": "new", "how": "deprecated"}],
        },
    }
    text = dumped(lines)
    assert json.loads(text) == lines
    small = Catalogue(text)
    accepted = small.accept("old", 3)
    assert accepted
    assert (accepted.option.key, accepted.how) == ("new", "deprecated")
    assert small.primary_name("new", 0) == "old"


def test_families_are_well_formed() -> None:
    for family in FAMILIES:
        assert MINORS.index(family.since) <= MINORS.index(family.until)
    templates = [family.template for family in FAMILIES]
    assert len(templates) == len(set(templates))


def test_every_minor_has_an_artifact() -> None:
    assert tuple(PATCHES) == MINORS
    assert artifact("1.9.3").requirement == "apache-flink==1.9.3"
    assert "--only-binary" in artifact("1.12.5").options
    assert artifact("1.13.6").requirement == "apache-flink-libraries==1.13.6"
    assert artifact("2.3.0").requirement == "apache-flink-libraries==2.3.0"


def test_an_unknown_minor_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--minors", "1.8"])
    assert "unknown minor releases: 1.8" in capsys.readouterr().err


@pytest.mark.flink
@pytest.mark.parametrize("minor", ["1.20"])
def test_one_minor_from_the_real_classes(minor: str, tmp_path: Path) -> None:
    output = tmp_path / "options.json"
    command.main(["--minors", minor, "--latest", "--cache", str(tmp_path / "cache"), "--output", str(output)])
    index = MINORS.index(minor)
    rebuilt, shipped = Catalogue(output.read_text(encoding="utf-8")), catalogue()

    def facts(options: Catalogue) -> dict[str, list[Any]]:
        said = [name for name in Option.__slots__ if name not in ("first", "last", "since", "until")]
        return {option.key: [getattr(option, name) for name in said] for option in options.keys(index)}

    assert facts(rebuilt) == facts(shipped)
    assert len(facts(rebuilt)) > 900
    # Nothing big stays behind.
    assert sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*") if path.is_file()) < 5_000_000
