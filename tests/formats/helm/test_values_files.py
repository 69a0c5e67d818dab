"""Which values files are used with a chart."""

from __future__ import annotations

from flink_flint.linter.formats.helm.rendering.values_files import values_files_of

NAMES = [
    "charts/orders/Chart.yaml",
    "charts/orders/values.yaml",
    "charts/orders/values-prod.yaml",
    "charts/orders/values.dev.yaml",
    "charts/orders/prod-values.yml",
    "charts/orders/values.schema.json",
    "charts/orders/qa/values.yaml",
    "charts/orders/environments/staging/values.yaml",
    "charts/orders/values/eu.yaml",
    "charts/orders/ci/test-values.yaml",
    "charts/orders/templates/values-map.yaml",
    "charts/orders/charts/redis/values-x.yaml",
    "charts/orders-api/values-prod.yaml",
    "deploy/orders.yaml",
]


def test_files_named_like_values_and_those_of_environments_are_used_one_at_a_time() -> None:
    found = values_files_of("charts/orders", NAMES)
    assert found[0] == ()
    assert sorted(name for (name,) in found[1:]) == [
        "charts/orders/environments/staging/values.yaml",
        "charts/orders/prod-values.yml",
        "charts/orders/qa/values.yaml",
        "charts/orders/values-prod.yaml",
        "charts/orders/values.dev.yaml",
        "charts/orders/values/eu.yaml",
    ]


def test_combinations_that_a_release_names_come_first_and_their_files_are_not_used_alone() -> None:
    named = [("charts/orders/values-prod.yaml", "deploy/orders.yaml")]
    found = values_files_of("charts/orders", NAMES, named)
    assert found[:2] == [(), named[0]]
    assert ("charts/orders/values-prod.yaml",) not in found


def test_a_chart_at_the_top_has_no_prefix() -> None:
    assert values_files_of("", ["Chart.yaml", "values.yaml", "values-a.yaml"]) == [(), ("values-a.yaml",)]


def test_the_number_of_combinations_is_bounded() -> None:
    assert len(values_files_of("c", [f"c/values-{number}.yaml" for number in range(200)])) == 50
