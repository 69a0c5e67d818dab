"""Which release of Flink a Dockerfile names."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.deployment.dockerfile_release import release_of_dockerfile


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("FROM eclipse-temurin:11\nENV FLINK_VERSION=1.17.2\n", "1.17.2"),
        ("FROM eclipse-temurin:11\nENV FLINK_VERSION v1.17\n", "1.17"),
        ("ENV FLINK_VERSION=1.17.2\nFROM flink:1.18.1\n", "1.18.1"),
        ("FROM eclipse-temurin:11\nENV FLINK_VERSION=latest\n", None),
        ("FROM eclipse-temurin:11\nENV FLINK_VERSION=1.17.2.1\n", None),
        ("FROM eclipse-temurin:11\n", None),
    ],
)
def test_without_an_image_of_flink_the_variable_flink_version_names_the_release(text: str, release: str | None) -> None:
    assert release_of_dockerfile(text) == release


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("ARG TAG=1.18.1\nARG IMAGE=flink:$TAG\nFROM $IMAGE\n", "1.18.1"),
        ("ARG IMAGE=flink:$TAG\nFROM $IMAGE\n", None),
        ("ARG TAG=1.18.1\nARG TAG=$OTHER\nFROM flink:$TAG\n", None),
    ],
)
def test_a_variable_that_refers_to_an_unknown_one_is_unknown(text: str, release: str | None) -> None:
    assert release_of_dockerfile(text) == release


@pytest.mark.parametrize(("length", "release"), [(256, "1.18.1"), (257, None)])
def test_a_variable_with_a_very_long_value_is_unknown(length: int, release: str | None) -> None:
    image = "/flink:1.18.1"
    text = f"ARG IMAGE={'r' * (length - len(image))}{image}\nFROM $IMAGE\n"
    assert release_of_dockerfile(text) == release
