"""The release, platform and profile that a file is checked for, with the evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.engine.discovery import Source, open_file
from flink_flint.linter.model.target import target_of
from tests.conftest import Flint


def judged(flint: Flint, folder: Path, text: str, *arguments: str, name: str = "flink-conf.yaml") -> dict[str, Any]:
    (folder / "conf").mkdir(exist_ok=True)
    (folder / "conf" / name).write_text(text)
    result = flint("check", "conf", "--show-files", "--output-format", "json", *arguments, cwd=folder)
    assert result.returncode == 0, result.stderr
    row: dict[str, Any] = json.loads(result.stdout)["files"][0]
    return row


CONF = "jobmanager.rpc.address: jm.example.com\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("pom.xml", "<properties>\n<flink.version>1.17.2</flink.version>", "1.17.2"),
        ("POM.xml", "<properties>\n<flink.version>1.17.2</flink.version>", "1.17.2"),
        ("build.gradle", "ext { flinkVersion = '1.18.1' }", "1.18.1"),
        ("build.gradle.kts", 'val flinkVersion = "1.18.1"', "1.18.1"),
        ("gradle.properties", "flink.version=1.16.3", "1.16.3"),
        ("build.sbt", 'val flinkVersion = "1.15.4"', "1.15.4"),
        ("pyproject.toml", 'dependencies = ["apache-flink==1.20.0"]', "1.20.0"),
        ("requirements.txt", "apache-flink==1.19.1\n", "1.19.1"),
        ("requirements.txt", "apache-flink>=1.18, <1.20\n", "1.18 to 1.19"),
        ("pyproject.toml", 'dependencies = ["apache-flink>=1.18,<1.19"]', "1.18"),
        ("lib/flink-dist_2.11-1.10.1.jar", "", "1.10.1"),
        ("lib/flink-dist-1.20.1.jar", "", "1.20.1"),
        ("Dockerfile", "FROM flink:1.18.1-scala_2.12-java11\n", "1.18.1"),
        ("Dockerfile", "FROM registry.example.com/team/flink:1.17\n", "1.17"),
        ("Dockerfile", "ARG FLINK_VERSION=1.16.3\nFROM flink:${FLINK_VERSION}-java11 AS run\nCOPY a b\n", "1.16.3"),
        ("Dockerfile", "ARG V=1.16.3\nARG IMAGE=acme/flink-base:$V\nFROM --platform=linux/amd64 $IMAGE\n", "1.16.3"),
        ("Dockerfile", "FROM eclipse-temurin:11\nENV JAVA=11 \\\n    FLINK_VERSION=1.15.4\n", "1.15.4"),
        ("Dockerfile", "FROM maven:3.9 AS build\nFROM flink:1.18.1\nFROM nginx:1.25\n", "1.18.1"),
    ],
)
def test_build_files_and_dockerfiles_name_the_release(
    name: str, text: str, version: str, flint: Flint, tmp_path: Path
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    row = judged(flint, tmp_path, CONF)
    assert (row["flink_version"], row["evidence"]) == (version, name)


@pytest.mark.parametrize(
    ("image", "version"),
    [("flink:java17", None), ("flink", None), ("acme/jobs:3", "1.20.0"), ("flink:1.19.1-java17", "1.20.0")],
)
def test_a_build_further_up_is_not_for_an_image_that_names_no_release(
    image: str, version: str | None, flint: Flint, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text('dependencies = ["apache-flink==1.20.0"]\n')
    (tmp_path / "image").mkdir()
    (tmp_path / "image" / "Dockerfile").write_text(f"FROM {image}\nRUN apt-get update\n")
    assert judged(flint, tmp_path / "image", CONF)["flink_version"] == version


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("flink:1.18.1-scala_2.12", "1.18.1"),
        ("flink:${FLINK_VERSION:-1.18.1}", "1.18.1"),
        ("acme/tools:1.18.1", None),
        ("flink:latest", None),
    ],
)
def test_a_compose_file_names_the_release_of_scripts_below_it(
    image: str, version: str | None, flint: Flint, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docker-compose.yml").write_text(f"services:\n  jobmanager:\n    image: {image}\n")
    (tmp_path / "sql" / "jobs").mkdir(parents=True)
    (tmp_path / "sql" / "jobs" / "orders.sql").write_text("SET 'execution.runtime-mode' = 'batch';\nSHOW TABLES;\n")
    result = flint("check", "sql", "--show-files", "--output-format", "json", cwd=tmp_path)
    (row,) = [one for one in json.loads(result.stdout)["files"] if one["path"].endswith("orders.sql")]
    is_named = row["evidence"] == "the image in docker-compose.yml"
    assert (row["flink_version"] if is_named else None) == version


@pytest.mark.parametrize("required", [">=1.18", ">=1.,<1.20", ">=3.1,<4", "<1.20"])
def test_a_requirement_without_releases_is_ignored(required: str, flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(f"apache-flink{required}\n")
    assert judged(flint, tmp_path, CONF)["flink_version"] is None


@pytest.mark.parametrize(
    "text",
    [
        "FROM acme/flink-job:1.18.1\n",
        "ARG FLINK_VERSION\nFROM flink:${FLINK_VERSION}\n",
        "FROM apache/flink-kubernetes-operator:1.10.0\n",
        "ENV FLINK_VERSION=%version%\nFROM debian:12\n",
    ],
)
def test_a_dockerfile_without_a_release_of_flink_is_no_evidence(text: str, flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(text)
    assert judged(flint, tmp_path, CONF)["flink_version"] is None


@pytest.mark.parametrize(
    ("values", "chart", "version", "evidence"),
    [
        ("image:\n  repository: flink\n  tag: 1.11.2-scala_2.12\n", "", "1.11.2", "the image in values.yaml"),
        ("a:\n  image:\n    tag: '1.17'\n    repository: acme/flink\n", "", "1.17", "the image in values.yaml"),
        ("jm:\n  image: flink:1.17.1\ntm:\n  image: flink:1.18.1\n", "", "1.17 to 1.18", "the image in values.yaml"),
        ("replicas: 1\n", "name: flink\nappVersion: 1.14.6\n", "1.14.6", "appVersion of the chart flink"),
        ("replicas: 1\n", "name: orders\nappVersion: 1.14.6\n", None, "unknown, checked for 1.9 to 1.20"),
        ("image:\n  repository: acme/flink-job\n  tag: 1.14.6\n", "", None, "unknown, checked for 1.9 to 1.20"),
    ],
)
def test_a_template_of_a_chart_is_for_the_release_of_its_image(
    values: str, chart: str, version: str | None, evidence: str, flint: Flint, tmp_path: Path
) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "values.yaml").write_text(values)
    (tmp_path / "Chart.yaml").write_text(chart)
    (tmp_path / "templates" / "flink-conf.yaml").write_text(CONF)
    result = flint("check", "templates", "--show-files", "--output-format", "json", cwd=tmp_path)
    row = json.loads(result.stdout)["files"][0]
    assert (row["flink_version"], row["evidence"]) == (version, evidence)


@pytest.mark.parametrize(
    ("text", "version", "evidence"),
    [
        ("mesos.master: a:5050\n", "1.9 to 1.13", "unknown, only 1.9 to 1.13 read mesos.master"),
        ("jobmanager.heap.mb: 1024\nparallelism.default: 2\n", None, "unknown, checked for 1.9 to 1.20"),
        ("pekko.framesize: 20m\n", "1.18 to 1.20", "unknown, only 1.18 to 1.20 read pekko.framesize"),
        (
            "execution.runtime-mode: BATCH\nmesos.master: a:5050\n",
            "1.12 to 1.13",
            "unknown, only 1.12 to 1.13 read execution.runtime-mode and mesos.master",
        ),
        ("pekko.framesize: 20m\nmesos.master: a:5050\n", None, "unknown, checked for 1.9 to 1.20"),
        ("acme.key: 1\nrest.port: 8081\n", None, "unknown, checked for 1.9 to 1.20"),
    ],
)
def test_the_keys_of_a_file_show_its_era(
    text: str, version: str | None, evidence: str, flint: Flint, tmp_path: Path
) -> None:
    row = judged(flint, tmp_path, text)
    assert (row["flink_version"], row["evidence"]) == (version, evidence)


def test_what_holds_in_an_era_alone_is_no_error(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("mesos.master: a:5050\nstate.backend: hashmap\n")
    found = json.loads(flint("check", "flink-conf.yaml", "--output-format", "json", cwd=tmp_path).stdout)["findings"]
    assert [finding["severity"] for finding in found if finding["rule"] == "state-backend-name"] in (["warning"], [])


def test_a_range_is_restricted_to_the_releases_that_read_such_a_file(flint: Flint, tmp_path: Path) -> None:
    row = judged(flint, tmp_path, CONF, "--flink-version", ">=1.18")
    assert (row["flink_version"], row["evidence"]) == ("1.18 to 1.20", "--flink-version")
    row = judged(flint, tmp_path, CONF, "--flink-version", ">=2.0")
    assert (row["flink_version"], row["evidence"]) == ("2.0 to 2.3", "--flink-version")


def test_the_order_of_what_counts(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM flink:1.15.4\n")
    assert judged(flint, tmp_path, CONF)["flink_version"] == "1.15.4"
    (tmp_path / "flint.toml").write_text('flink-version = "1.16"\n')
    assert judged(flint, tmp_path, CONF)["evidence"] == "flint.toml"
    (tmp_path / "pom.xml").write_text("<flink.version>1.17.2</flink.version>")
    assert judged(flint, tmp_path, CONF)["evidence"] == "pom.xml"
    row = judged(flint, tmp_path, CONF, "--flink-version", "1.18")
    assert (row["flink_version"], row["evidence"]) == ("1.18", "--flink-version")


def test_an_unknown_release_is_shown_as_unknown(flint: Flint, tmp_path: Path) -> None:
    row = judged(flint, tmp_path, CONF)
    assert (row["flink_version"], row["evidence"]) == (None, "unknown, checked for 1.9 to 1.20")
    (tmp_path / "conf" / "flink-conf.yaml").unlink()
    row = judged(flint, tmp_path, CONF, name="config.yaml")
    assert row["evidence"] == "unknown, checked for 1.19 to 2.3"


def test_the_search_ends_at_the_root_of_the_repository(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<flink.version>1.17.2</flink.version>")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    assert judged(flint, tmp_path / "repository", CONF)["flink_version"] is None


@pytest.mark.parametrize(
    ("text", "platform", "profile"),
    [
        (CONF, None, "production"),
        ("jobmanager.rpc.address: localhost\n", None, "development"),
        ("high-availability: zookeeper\nstate.checkpoints.dir: file:///Users/me/checkpoints\n", None, "development"),
        ("high-availability: zookeeper\nstate.checkpoints.dir: file:///C:/checkpoints\n", None, "development"),
        ("state.checkpoints.dir: file:///home/me/checkpoints\n", None, "production"),
        ("jobmanager.rpc.address: localhost\nhigh-availability: zookeeper\n", None, "production"),
        ("jobmanager.rpc.address: localhost\nkubernetes.cluster-id: a\n", "kubernetes", "production"),
        ("yarn.application.name: a\n", "yarn", "production"),
    ],
)
def test_platform_and_profile_are_read_off_the_settings(
    text: str, platform: str | None, profile: str, flint: Flint, tmp_path: Path
) -> None:
    row = judged(flint, tmp_path, text)
    assert (row["platform"], row["profile"]) == (platform, profile)


def test_a_finding_on_the_release_names_the_image_in_another_file(flint: Flint, tmp_path: Path) -> None:
    image = "    image: flink:1.20.3\n    volumes: ['./flink-conf.yaml:/opt/flink/conf/flink-conf.yaml']\n"
    (tmp_path / "compose.yaml").write_text(
        f"services:\n  a:\n    command: jobmanager\n{image}  b:\n    command: taskmanager\n{image}"
    )
    (tmp_path / "flink-conf.yaml").write_text(CONF)
    result = flint("check", ".", "--select", "FLK948", "--output-format", "json", cwd=tmp_path)
    (found,) = (one for one in json.loads(result.stdout)["findings"] if one["path"] == "flink-conf.yaml")
    assert [(one["path"], one["start"]["line"]) for one in found["related"]] == [
        ("compose.yaml", 4),
        ("compose.yaml", 8),
    ]


@pytest.mark.parametrize(
    ("container", "platform"),
    [
        ("image: flink:1.18.1\n    command: jobmanager", "compose"),
        ("image: flink:1.18.1\n    command: taskmanager", "compose"),
        ("image: flink:1.18.1\n    command: [bin/flink, run, -t, yarn-application, /opt/job.jar]", "yarn"),
    ],
)
def test_containers_that_start_flink_show_its_platform_whatever_keys_are_left_over(
    container: str, platform: str, flint: Flint, tmp_path: Path
) -> None:
    volumes = "volumes: ['./conf/flink-conf.yaml:/opt/flink/conf/flink-conf.yaml']"
    (tmp_path / "compose.yaml").write_text(f"services:\n  a:\n    {container}\n    {volumes}\n")
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flink-conf.yaml").write_text(f"{CONF}yarn.application.name: a\n")
    result = flint("check", ".", "--show-files", "--output-format", "json", cwd=tmp_path)
    rows = {row["path"]: row for row in json.loads(result.stdout)["files"]}
    assert rows["conf/flink-conf.yaml"]["platform"] == platform


def test_platform_and_profile_can_be_set(flint: Flint, tmp_path: Path) -> None:
    row = judged(flint, tmp_path, CONF, "--platform", "yarn", "--profile", "development")
    assert (row["platform"], row["profile"]) == ("yarn", "development")
    assert flint("check", "conf", "--platform", "mainframe").returncode == 2


def test_a_release_outside_the_catalogue_is_read_as_its_nearest(flint: Flint, tmp_path: Path) -> None:
    row = judged(flint, tmp_path, CONF, "--flink-version", "1.7.2")
    assert row["flink_version"] == "1.7.2"
    assert row["evidence"] == "--flink-version (outside the option catalogue, read as 1.9)"


def test_hazards_of_scale_are_advice_on_a_single_machine(flint: Flint, tmp_path: Path) -> None:
    text = "blob.storage.directory: /tmp/blobs\n"
    for profile, severity in (("production", "warning"), ("development", "info")):
        (tmp_path / "flink-conf.yaml").write_text(text)
        result = flint(
            "check", "flink-conf.yaml", "--profile", profile, "--select", "FLK101", "--output-format", "json"
        )
        assert [f["severity"] for f in json.loads(result.stdout)["findings"]] == [severity]


def test_a_config_yaml_is_not_for_an_app_version_that_reads_none(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("name: flink\nappVersion: 1.16.2\n")
    assert judged(flint, tmp_path, CONF)["evidence"] == "appVersion of the chart flink"
    row = judged(flint, tmp_path, CONF, name="config.yaml")
    assert (row["flink_version"], row["evidence"]) == (None, "unknown, checked for 1.19 to 2.3")


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"runner/pom.xml": "<properties><flink.version>1.18.1</flink.version></properties>"}, "1.18.1"),
        ({"a/b/requirements.txt": "apache-flink==1.17.2\n", "c/Dockerfile": "FROM flink:1.17\n"}, "1.17"),
        ({"a/requirements.txt": "apache-flink==1.17.2\n", "c/Dockerfile": "FROM flink:1.20.1\n"}, None),
        ({"target/pom.xml": "<properties><flink.version>1.18.1</flink.version></properties>"}, None),
    ],
)
def test_a_script_is_for_the_only_release_of_its_repository(
    tmp_path: Path, files: dict[str, str], version: str | None
) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "job.sql").write_text("CREATE TABLE t (id INT) WITH ('connector' = 'print');\n")
    found = open_file(str(tmp_path / "jobs" / "job.sql"))
    assert isinstance(found, Source)
    assert target_of(found.documents()[0]).version == version
