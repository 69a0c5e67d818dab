from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.flink.deployment.operator import (
    fields,
    is_operators_own,
    places_of,
    quantity_text,
    release_of,
    size_text,
    text_for_flink,
    type_of,
)
from flink_flint.linter.flink.operator.sizes import resource_memory
from flink_flint.linter.flink.values import parse_memory


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2048m", 2 << 30),
        ("2g", 2 << 30),
        ("2G", 2 << 30),
        ("2 gb", 2 << 30),
        ("2Gi", 2 << 30),
        ("2 gi", 2 << 30),
        ("2gib", 2 << 30),
        ("2048Mi", 2 << 30),
        ("2147483648", 2 << 30),
        ("1e9", 1_000_000_000),
        ("1.5Gi", None),
        ("1.5G", None),
        ("2 gigs", None),
        ("-2Gi", None),
        ("", None),
        ("Gi", None),
    ],
)
def test_sizes_are_read_as_flink_does_and_then_as_kubernetes_does(text: str, size: int | None) -> None:
    assert resource_memory(text) == size


@given(st.integers(1, 1 << 50))
def test_a_size_is_spelled_so_that_it_is_read_back(size: int) -> None:
    assert parse_memory(size_text(size)) == size
    assert resource_memory(quantity_text(size)) == size


@pytest.mark.parametrize(
    ("written", "kind", "text"),
    [
        ("true", "boolean", "true"),
        ("on", "boolean", "true"),
        ("No", "boolean", "false"),
        ("8081", "integer", "8081"),
        ("010", "integer", "8"),
        ("0x10", "integer", "16"),
        ("0b11", "integer", "3"),
        ("1_000", "integer", "1000"),
        ("-5", "integer", "-5"),
        ("0.33", "number", "0.33"),
        ("1.10", "number", "1.1"),
        ("1.0", "number", "1"),
        ("1e3", "number", "1000"),
        ("08", "number", "8"),
        ("~", "null", None),
        ("", "null", None),
        ("60s", "string", "60s"),
        ("1.18.1", "string", "1.18.1"),
        ("0x", "string", "0x"),
        ("tRue", "string", "tRue"),
        ("9" * 50, "number", "1.0E50"),
    ],
)
def test_unquoted_scalars_are_what_kubectl_makes_of_them(written: str, kind: str, text: str | None) -> None:
    assert type_of(written) == kind
    assert text_for_flink(written) == text


def test_the_names_of_releases() -> None:
    assert release_of("v1_18") == "1.18"
    assert release_of("1.18") is None


def test_the_fields_of_a_blue_green_deployment_are_those_of_its_template() -> None:
    assert "upgradeMode" in fields("FlinkBlueGreenDeployment")["template.spec.job"]
    assert places_of("FlinkDeployment", "upgradeMode") == ["job.upgradeMode"]
    assert places_of("FlinkSessionJob", "image") == []


@pytest.mark.parametrize(
    ("key", "own"),
    [
        ("kubernetes.operator.reconcile.interval", True),
        ("kubernetes.operator.watched.namespaces", True),
        ("kubernetes.operator.savepoint.history.max.age.threshold", True),
        ("kubernetes.operator.savepoint.history.max.age", False),
        ("kubernetes.operator.exception.label.mapper", False),
        ("kubernetes.operator.user.artifacts.http.header", False),
        ("kubernetes.cluster-id", False),
        ("reconcile.interval", False),
    ],
)
def test_options_of_the_operator_itself(key: str, own: bool) -> None:
    assert is_operators_own(key) is own
