"""Flink on Amazon's services."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.deployment.aws import MANAGED_FIXED, emr_release, managed_release
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import NEWEST


@pytest.mark.parametrize(
    ("label", "flink"),
    [
        ("emr-5.3.1", "1.1.4"), ("emr-5.11.3", "1.3.2"), ("emr-5.15.1", "1.4.2"), ("emr-5.16.0", "1.5.0"),
        ("emr-5.20.0", "1.6.2"), ("emr-5.27.0", "1.8.1"), ("emr-5.28.1", "1.9.0"), ("emr-5.32.1", "1.11.2"),
        ("emr-5.33.0", "1.12.1"), ("emr-6.2.1", "1.11.2"), ("emr-6.4.0", "1.13.1"), ("emr-6.8.0", "1.15.1"),
        ("emr-6.15.0", "1.17.1"), ("emr-7.0.0", "1.18.0"), ("emr-7.3.0", "1.18.1"), ("emr-7.5.0", "1.19.1"),
        ("emr-7.6.0", "1.20.0"), ("emr-7.13.0", "1.20.0"), ("emr-6.15.0-flink-latest", "1.17.1"),
    ],
)  # fmt: skip
def test_a_release_label_names_the_flink_that_amazon_lists_for_it(label: str, flink: str) -> None:
    assert emr_release(label) == flink


@pytest.mark.parametrize(
    "label", ["emr-5.0.0", "emr-6.0.1", "emr-4.9.1", "emr-9.1.0", "emr-7.99.0", "emr-6", "${X}", ""]
)
def test_a_label_without_flink_or_of_the_future_names_none(label: str) -> None:
    assert emr_release(label) is None


def test_the_flink_of_a_series_never_goes_back() -> None:
    for series, minors in (("5", 37), ("6", 16), ("7", 14)):
        found = [emr_release(f"emr-{series}.{minor}.0") for minor in range(minors)]
        numbers = [tuple(int(part) for part in flink.split(".")) for flink in found if flink]
        assert numbers == sorted(numbers)
        assert emr_release(f"emr-{series}.{minors}.0") is None


@pytest.mark.parametrize(
    ("runtime", "flink"),
    [
        ("FLINK-1_20", "1.20"), ("FLINK-1_6", "1.6"), ("FLINK-2_2", "2.2"), ("ZEPPELIN-FLINK-3_0", "1.15"),
        ("SQL-1_0", None), ("flink", None),
    ],
)  # fmt: skip
def test_a_runtime_environment_names_its_flink(runtime: str, flink: str | None) -> None:
    assert managed_release(runtime) == flink


def test_what_the_managed_service_decides_are_options_of_the_newest_release() -> None:
    for key in MANAGED_FIXED:
        accepted = catalogue().accept(key, NEWEST)
        assert accepted is not None, key
        assert accepted.option.key == key
