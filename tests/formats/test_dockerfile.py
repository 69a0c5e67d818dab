"""Dockerfiles of Flink images: what they start from, set, copy, and edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.containers.dockerfile import summary
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.target import target_of
from tests.formats.reading import assert_edits_hold, cuts, parts, read

_PLAIN = """\
# syntax=docker/dockerfile:1
ARG FLINK_VERSION=1.18.1
FROM --platform=linux/amd64 flink:${FLINK_VERSION}-scala_2.12-java11 AS base
# one
RUN mkdir -p $FLINK_HOME/plugins/s3 && \\
    # a comment between
    cp $FLINK_HOME/opt/flink-s3-fs-hadoop-*.jar $FLINK_HOME/plugins/s3/
COPY --chown=flink:flink conf/flink-conf.yaml $FLINK_HOME/conf/
COPY ["a.jar", "b.jar", "/opt/flink/usrlib/"]
ENV ENABLE_BUILT_IN_PLUGINS=flink-s3-fs-hadoop-${FLINK_VERSION}.jar
"""

_STAGES = """\
FROM maven:3.9-eclipse-temurin-11 AS build
RUN mvn package
FROM apache/flink:2.1.0-java17 AS flink
FROM flink
COPY --from=build /target/job.jar /opt/flink/usrlib/job.jar
ENV FLINK_PROPERTIES="rest.port: 8082" A=b
RUN sed -i 's/a/b/' conf/config.yaml
"""

_ECHOED = """\
FROM flink:1.17
RUN echo "metrics.reporter.prom.port: 9249" >> /opt/flink/conf/flink-conf.yaml && \\
    echo 'rest.port: 8083' >> $FLINK_HOME/conf/flink-conf.yaml
"""

SAMPLES = {"Dockerfile": _PLAIN, "Containerfile": _STAGES, "flink.dockerfile": _ECHOED}


def _one(text: str) -> Document:
    (document,) = read("Dockerfile", text)
    return document


def _image(document: Document) -> dict[str, tuple[object, str]]:
    ((_, attributes),) = parts(document, "image")
    return attributes


def test_the_release_is_that_of_the_image_with_its_arguments() -> None:
    document = _one(_PLAIN)
    assert document.release == ("1.18.1", "image flink:1.18.1-scala_2.12-java11")
    assert (document.kind, document.platform, document.whole) == ("compose", None, False)
    image = _image(document)
    assert image["from"] == ("flink:1.18.1-scala_2.12-java11", "flink:${FLINK_VERSION}-scala_2.12-java11")


def test_copies_have_source_and_target() -> None:
    image = _image(_one(_PLAIN))
    assert image["copies[0].source"] == ("conf/flink-conf.yaml", "conf/flink-conf.yaml")
    assert image["copies[0].target"] == ("/opt/flink/conf/", "$FLINK_HOME/conf/")
    assert image["copies[1].source"] == ("a.jar", "a.jar")
    assert image["copies[2].target"] == ("/opt/flink/usrlib/", "/opt/flink/usrlib/")
    assert image["environment.ENABLE_BUILT_IN_PLUGINS"][0] is None, "the argument is not declared in the stage"


def test_addresses_of_jars_that_are_fetched_are_known() -> None:
    (found,) = read(
        "Dockerfile",
        "FROM flink:1.18\nENV V=1.2\nRUN cd lib && \\\n  wget -q https://repo.example.com/a-$V.jar && curl -O https://b.org/b.txt"
        " && cp https.jar c.jar && curl https://repo.example.com/${UNKNOWN}.jar\n",
    )
    ((_, image),) = parts(found, "image")
    assert image["downloads[0]"] == ("https://repo.example.com/a-1.2.jar", "https://repo.example.com/a-$V.jar")
    assert image["downloads[1]"] == (None, "https://repo.example.com/${UNKNOWN}.jar")
    assert "downloads[2]" not in image


def test_the_last_stage_counts_with_those_it_is_based_on() -> None:
    document = _one(_STAGES)
    assert document.release == ("2.1.0", "FROM apache/flink:2.1.0-java17 of its Dockerfile")
    assert cuts(document) == [("rest.port", "rest.port", "8082")]
    image = _image(document)
    assert image["copies[0].from"] == ("build", "--from=build")
    assert image["edits[0]"] == ("conf/config.yaml", "conf/config.yaml")
    assert image["environment.A"] == ("b", "b")
    assert assert_edits_hold(document, "8084") >= 1


def test_settings_that_are_appended_to_the_file_are_read() -> None:
    assert cuts(_one(_ECHOED)) == [
        ("metrics.reporter.prom.port", "metrics.reporter.prom.port", "9249"),
        ("rest.port", "rest.port", "8083"),
    ]


@pytest.mark.parametrize(
    ("head", "release"),
    [
        ("FROM flink:1.20.1-java17\n", "1.20.1"),
        ("from apache/flink:1.16\n", "1.16"),
        ("ARG BASE=flink:1.19.1\nFROM $BASE\n", "1.19.1"),
        ("ARG TAG\nFROM flink:${TAG:-1.15}-java11\n", "1.15"),
        ("# escape=`\nFROM `\n  flink:1.14\n", "1.14"),
        ("FROM registry.example.com/mirror/flink:2.0.0@sha256:abc as x\r\nRUN a\r\n", "2.0.0"),
        ("FROM \\\n  # why\n\n  flink:1.13.2\n", "1.13.2"),
        ("FROM eclipse-temurin:11\nENV FLINK_VERSION=1.17.2\n", "1.17.2"),
        ("FROM eclipse-temurin:11\nARG FLINK_VERSION=1.12.7\n", "1.12.7"),
    ],
)
def test_the_release_is_found_however_it_is_written(head: str, release: str) -> None:
    document = _one(head)
    assert document.release is not None
    assert document.release[0] == release
    assert target_of(document).version == release


def test_an_unknown_argument_leaves_the_release_unknown() -> None:
    document = _one("ARG TAG\nFROM flink:${TAG}\nENV FLINK_PROPERTIES 'rest.port: 8081'\n")
    assert document.release is None
    assert _image(document)["from"] == (None, "flink:${TAG}")


@pytest.mark.parametrize(
    "name",
    ["Dockerfile", "Dockerfile.prod", "Dockerfile_local", "Dockerfile-local", "flink.Dockerfile", "Containerfile"],
)
def test_files_are_known_by_name_and_base(name: str) -> None:
    found = file_format_of(name, _PLAIN)
    assert found is not None
    assert type(found).__name__ == "Dockerfile"
    assert file_format_of(name, "FROM python:3.12\nRUN pip install flask\n") is None


def test_here_documents_are_no_instructions() -> None:
    text = "FROM flink:1.18\nRUN <<EOF\nFROM nothing\necho a\nEOF\nCOPY <<E /x\nENV FLINK_PROPERTIES=a\nE\nENV A=1\n"
    image = _image(_one(text))
    assert image["from"][0] == "flink:1.18"
    assert image["environment.A"] == ("1", "1")
    assert "environment.FLINK_PROPERTIES" not in image


def test_a_summary_has_the_base_and_whether_the_configuration_changes(tmp_path: Path) -> None:
    path = tmp_path / "Dockerfile"
    path.write_text(_STAGES)
    last, flink = summary(str(path), {}, ""), summary(str(path), {}, "flink")
    assert last is not None
    assert flink is not None
    assert (last.base, last.is_altered) == ("apache/flink:2.1.0-java17", True)
    assert (flink.base, flink.is_altered) == ("apache/flink:2.1.0-java17", False)
    assert summary(str(path), {}, "build") is None
    assert summary(str(tmp_path / "none"), {}, "") is None
    path.write_text("ARG V=1.17\nFROM flink:$V\nCOPY conf/log4j.properties /opt/flink/conf/\n")
    assert summary(str(path), {"V": "1.18"}, "") == ("flink:1.18", False, (), False, True, False)
    path.write_text(
        "FROM flink:1.18\nCOPY --from=build a/config.yaml $FLINK_HOME/conf/\nCOPY conf/ $FLINK_HOME/conf/\n"
    )
    copying = summary(str(path), {}, "")
    assert copying is not None
    assert (copying.copies, copying.may_have_flink_conf) == ((("conf/", "/opt/flink/conf/"),), True)


@pytest.mark.parametrize(
    "text",
    [
        "FROM flink:1.18 \\",
        "FROM flink\nENV\nENV =\nCOPY\nCOPY a\nRUN <<\n",
        'FROM flink:1.18\nENV A="b\n\0\ud800',
        "FROM\n",
    ],
)
def test_broken_files_do_no_harm(text: str) -> None:
    found = file_format_of("Dockerfile", _PLAIN)
    assert found is not None
    found.read("Dockerfile", text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("run", "version"),
    [
        ("pip3 install --no-cache-dir pandas apache-flink==1.18.1 && rm -rf /tmp/x", "1.18.1"),
        ("pip install apache-flink==1.17\nRUN pip install \\\n    apache-flink==1.18", "1.18"),
        ("pip install apache-flink-libraries==1.18.1", None),
        ("pip install apache-flink==${VERSION}", None),
        ("echo apache-flink==1.18.1", None),
    ],
)
def test_the_version_of_pyflink(run: str, version: str | None) -> None:
    image = _image(_one(f"FROM flink:1.18.1\nRUN {run}\n"))
    assert image.get("pyflink", (None, ""))[0] == version
    assert version is None or image["pyflink"][1] == f"apache-flink=={version}"


@pytest.mark.parametrize(
    ("instruction", "keys"),
    [
        ('RUN echo "rest.port: 1" >> /opt/flink/conf/flink-conf.yaml', ["rest.port"]),
        ('RUN echo "rest.port: 1" >> $FLINK_HOME/conf/flink-conf.yaml && chmod 644 x', ["rest.port"]),
        ('RUN echo "rest.port: 1" >> flink-conf.yaml.bak', []),
        ('RUN echo "rest.port: 1" > flink-conf.yaml', []),
        ('RUN grep "rest.port: 1" >> flink-conf.yaml', []),
        ('CMD echo "rest.port: 1" >> /opt/flink/conf/flink-conf.yaml', []),
        ('LABEL echo "rest.port: 1" >> /opt/flink/conf/flink-conf.yaml', []),
    ],
)
def test_settings_that_a_build_appends(instruction: str, keys: list[str]) -> None:
    assert [entry.key for entry in _one(f"FROM flink:1.18.1\n{instruction}\n").entries] == keys


@pytest.mark.parametrize(
    ("instruction", "value"),
    [
        ("COPY flink-conf.yaml /opt/flink/conf/", "1"),
        ("COPY f.yaml $FLINK_HOME/conf/flink-conf.yaml", "1"),
        ("COPY conf /opt/flink/conf", "1"),
        ("COPY conf/*.yaml /opt/flink/conf/", "1"),
        ("RUN echo 'a: b' >> /opt/flink/conf/flink-conf.yaml", "1"),
        ("COPY config.yaml /opt/flink/conf/", "1#one"),
        ("COPY conf/log4j*.properties /opt/flink/conf/", "1#one"),
        ("COPY target/*.jar $USRLIB/", "1#one"),
        ("RUN echo 'a: b' >> /opt/flink/conf/config.yaml", "1#one"),
    ],
)
def test_comments_are_dropped_where_the_image_may_have_a_flink_conf(instruction: str, value: str) -> None:
    text = f'FROM flink:1.20.1\n{instruction}\nENV FLINK_PROPERTIES="parallelism.default: 1 # one"\n'
    (document,) = read("Dockerfile", text)
    assert document.settings()["parallelism.default"] == value
