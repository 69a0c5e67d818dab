from __future__ import annotations

import pytest

from flink_flint.linter.flink.deployment.image_names import (
    is_floating,
    is_vendors_build,
    java_of_image,
    release_of_image,
)


@pytest.mark.parametrize(
    ("image", "release"),
    [
        ("flink:1.18.1-scala_2.12-java11", "1.18.1"),
        ("flink:1.20", "1.20"),
        ("flink:2.0.0-java17", "2.0.0"),
        ("apache/flink:1.16.2", "1.16.2"),
        ("docker.io/library/flink:1.19.0-scala_2.12", "1.19.0"),
        ("localhost:5000/flink:1.17", "1.17"),
        ("123456789012.dkr.ecr.eu-west-1.amazonaws.com/mirror/flink:1.15.2", "1.15.2"),
        ("bitnami/flink:1.19.1-debian-12-r3", "1.19.1"),
        ("confluentinc/cp-flink:1.19.1-cp2", "1.19.1"),
        ("pyflink:1.18", "1.18"),
        ("ghcr.io/apache/flink-docker:1.19-SNAPSHOT-scala_2.12-java11-debian", "1.19"),
        ("flink:1.20.1@sha256:0f0c4e6ee7c7b8d2", "1.20.1"),
        ("registry.ververica.com/v2.12/flink:1.17.1-stream1-scala_2.12-java11-linux-amd64", "1.17.1"),
        ("flink:1.8.1", "1.8.1"),
        ("  flink:2.4\n", "2.4"),
        ("acme/flink-taskmanager:1.19.1-20240611", "1.19.1"),
        ("registry.acme.com/x/flink-job:v2-flink1.18", "1.18"),
        ("orders:flink-1.17.2-java11", "1.17.2"),
        ("acme/orders:1.4.0-flink_1.16", "1.16"),
        ("acme/flink-1.17:latest", "1.17"),
        ("acme/flink-base:1.15.4", "1.15.4"),
        ("acme/flink-sql-client:1.20", "1.20"),
        ("acme/flink-orders:1.17.2-scala_2.12-java11", "1.17.2"),
    ],
)
def test_the_tag_of_an_image_of_flink_names_its_release(image: str, release: str) -> None:
    assert release_of_image(image) == release


@pytest.mark.parametrize(
    "image",
    [
        "orders:1.18.1",
        "acme/flink-orders:1.18.1",
        "pyflink-custom:1.18.0",
        "apache/flink-kubernetes-operator:1.10.0",
        "apache/flink-statefun:3.2.0",
        "flink.acme.com/orders:1.18",
        "flink:latest",
        "flink",
        "flink:2",
        "flink:scala_2.12",
        "flink:1.18.1.4",
        "flink:0.3",
        "flink:3.1",
        "flink:1.44",
        "flink@sha256:0f0c4e6ee7c7b8d2",
        "acme/flink-base:1.15",
        "acme/flink-taskmanager:1.19.7",
        "acme/flink-taskmanager:1.4.0",
        "acme/flink-job:1.17.2",
        "acme/flink-kubernetes-operator:1.9.0-java11",
        "orders:v2-flink3.1",
        "orders:flink-cdc-1.18",
        "orders-flink12:1.18.1",
        "flink:${FLINK_VERSION}",
        "flink:{{ .Values.tag }}",
        "",
    ],
)
def test_other_names_imply_no_release(image: str) -> None:
    assert release_of_image(image) is None


@pytest.mark.parametrize(
    "image", ["flink", "flink:latest", "apache/flink:2", "flink:scala_2.12-java11", "docker.io/library/flink"]
)
def test_a_tag_without_a_minor_floats(image: str) -> None:
    assert is_floating(image)


@pytest.mark.parametrize(
    "image",
    [
        *("flink:1.20", "orders:latest", "flink@sha256:0f0c4e6ee7c7b8d2", "flink:${TAG}", ""),
        *("acme/flink:latest", "acme/pyflink", "a.b:5000/flink", "pyflink:latest"),
    ],
)
def test_a_tag_with_a_minor_a_digest_or_another_image_does_not_float(image: str) -> None:
    assert not is_floating(image)


@pytest.mark.parametrize(
    ("image", "java"),
    [
        ("flink:1.20.1-scala_2.12-java11", 11),
        ("flink:1.20.1-scala_2.12-java17", 17),
        ("flink:2.0.0-java21", 21),
        ("flink:1.20", 11),
        ("flink:1.18.1-scala_2.12", 11),
        ("flink:2.1", 17),
        ("flink:1.11", None),
        ("flink:latest", None),
        ("bitnami/flink:1.19.1", None),
        ("acme/flink-taskmanager:1.19.1-java17", None),
    ],
)
def test_the_java_of_an_official_image(image: str, java: int | None) -> None:
    assert java_of_image(image) == java


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("confluentinc/cp-flink:1.19.1-cp2", True),
        ("registry.example.com/mirror/cp-flink:1.19.1-cp2-java17", True),
        ("orders:1.19.1-cp2", True),
        ("registry.ververica.com/v2.12/flink:1.17.1-stream1-scala_2.12-java11-linux-amd64", True),
        ("public.ecr.aws/emr-on-eks/flink/emr-7.0.0-flink:latest", True),
        ("flink:1.20.1-scala_2.12-java11", False),
        ("acme/flink-cp:1.20.1", False),
        ("acme/orders:streams-2", False),
    ],
)
def test_the_image_shows_the_build_of_a_vendor(image: str, expected: bool) -> None:
    assert is_vendors_build(image) is expected
