"""Values that somebody has yet to fill in are unknown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.flink.file_loading import TEMPLATE, has_placeholder, is_templated
from tests.conftest import Flint


@pytest.mark.parametrize(
    "text",
    [
        "%region%",
        "s3://%bucket-name%/checkpoints",
        "[FILL IN]",
        "<bucket>",
        "s3://<your bucket>/checkpoints",
        "arn:aws:s3:::{ACCOUNT}",
        "{ACCOUNT ID}.dkr.ecr.{REGION}.amazonaws.com/flink",
        "{ ACCOUNT NUMBER }",
        "TODO",
        "CHANGEME",
        "CHANGE-ME",
        "s3://YOUR_BUCKET/checkpoints",
        "REPLACE_ME",
    ],
)
def test_what_people_write_for_others_to_replace_is_a_placeholder(text: str) -> None:
    assert has_placeholder(text)
    assert is_templated(text)


@pytest.mark.parametrize(
    "text",
    [
        "<host>.taskmanager.<tm_id>.<job_name>.<operator_name>.<subtask_index>",
        "%d{ISO8601} %-5p %c{1} %x - %m%n",
        "%date %level %msg%n",
        "MAP<STRING, ARRAY<INT>>",
        "[STATE, TOTAL_TIME]",
        "[STATE]",
        "key1:{a:1}",
        "50%",
        "s3://b/%20x%20y",
        "TODOS",
        "-Dx=a<b>c",
        "TOTAL_TIME",
        "{}",
        "data/!{timestamp:yyyy}/",
        "a < b > c",
        "'%foo'",
    ],
)
def test_what_flink_or_its_libraries_read_themselves_is_none(text: str) -> None:
    assert not has_placeholder(text)


@pytest.mark.parametrize("release", ["1.18", "2.1"])
@pytest.mark.parametrize("value", ["%ms%", "<ms>", "{MILLIS}", "[FILL IN]", "TODO", "CHANGEME"])
def test_no_error_rests_on_a_placeholder(release: str, value: str, flint: Flint, tmp_path: Path) -> None:
    name = "flink-conf.yaml" if release == "1.18" else "config.yaml"
    (tmp_path / name).write_text(f"heartbeat.interval: {value}\nparallelism.default: 2\n")
    result = flint("check", name, "--flink-version", release, "--output-format", "json", cwd=tmp_path)
    errors = [one for one in json.loads(result.stdout)["findings"] if one["severity"] == "error"]
    assert errors == []


def test_a_manifest_that_only_a_placeholder_breaks_is_not_called_broken(flint: Flint, tmp_path: Path) -> None:
    text = (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
        "  image: {}.dkr.ecr.eu-west-1.amazonaws.com/flink:1.18\n  flinkVersion: v1_18\n"
    )
    for inner, codes in (("{ACCOUNT ID}", []), ("{1: 2}", ["FLK043"])):
        (tmp_path / "deployment.yaml").write_text(text.replace("{}", inner))
        result = flint("check", ".", "--select", "FLK043", "--output-format", "json", cwd=tmp_path)
        assert [one["code"] for one in json.loads(result.stdout)["findings"]] == codes


@given(st.from_regex(TEMPLATE) | st.text("{}<>$@%[]_ABCDEFGHIJKLMNOPQRSTUVWXYZ .-", max_size=20))
def test_a_text_is_searched_wherever_a_placeholder_may_be(text: str) -> None:
    assert is_templated(text) == (re.search(TEMPLATE, text) is not None)
