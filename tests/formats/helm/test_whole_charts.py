"""Charts with values files and subcharts: which values templates see, and which files are rendered."""

from __future__ import annotations

import io
import tarfile

import pytest
import yaml

from tests.formats.helm.charts import CHART, chart, rendered
from tests.formats.helm.whole_charts import SHOWS, WHOLE_CHARTS, WholeChart


@pytest.mark.parametrize("whole", WHOLE_CHARTS, ids=lambda whole: whole.name)
def test_templates_see_the_values_that_helm_gives_them(whole: WholeChart) -> None:
    found = rendered(whole.files, whole.values)
    assert [one.problem for one in found if one.problem] == []
    assert {one.name: yaml.safe_load(one.text.text)["values"] for one in found if one.text is not None} == whole.seen


def packed(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content.encode()))
    return buffer.getvalue()


def test_a_packed_subchart_is_read_in_memory_but_no_file_that_leads_out_of_it() -> None:
    inner = {
        "redis/Chart.yaml": "apiVersion: v2\nname: redis\nversion: 0.1.0\n",
        "redis/values.yaml": "a: 1\n",
        "redis/templates/main.yaml": SHOWS,
        "redis/../../templates/evil.yaml": "a: 1\n",
    }
    dependency = "dependencies:\n- {name: redis, version: 0.1.0, repository: 'https://example.com'}\n"
    files: dict[str, str | bytes] = {
        "orders/Chart.yaml": CHART + dependency,
        "orders/charts/redis-0.1.0.tgz": packed(inner),
    }
    (found,) = rendered(files)
    assert found.text is not None
    assert yaml.safe_load(found.text.text)["values"] == {"a": 1, "global": {}}
    origin = found.text.fragments[0].origin
    assert origin is not None
    assert origin.path == "orders/charts/redis-0.1.0.tgz/redis/templates/main.yaml"


def test_an_archive_that_is_damaged_or_unpacks_to_too_much_is_as_if_it_were_absent() -> None:
    dependency = "dependencies:\n- {name: redis, version: 0.1.0}\n"
    bomb = packed({"redis/Chart.yaml": "apiVersion: v2\nname: redis\nversion: 0.1.0\n", "redis/x": "0" * (17 << 20)})
    for data in (b"no archive", bomb[:-20], bomb):
        files: dict[str, str | bytes] = {
            "orders/Chart.yaml": CHART + dependency,
            "orders/charts/redis-0.1.0.tgz": data,
        }
        (found,) = rendered(files)
        assert found.problem is not None
        assert found.problem.reason == "the chart redis is not in the repository"


def test_templates_of_a_missing_library_leave_what_includes_them_unknown() -> None:
    files = chart('a: {{ include "common.names" . }}\nb: 1\n{{ include "common.labels" . | indent 2 }}\n')
    files["orders/Chart.yaml"] = CHART + "dependencies:\n- {name: common, version: 1.x.x, repository: 'oci://x'}\n"
    problem, found = rendered(files)
    assert problem.problem is not None
    assert problem.problem.reason == "the chart common is not in the repository"
    assert found.unknown == "the chart common is not in the repository"
    assert found.text is not None
    assert found.text.text == 'a: {{ include "common.names" . }}\nb: 1\n  {{ include "common.labels" . }}\n'


def test_a_disabled_dependency_is_not_missed() -> None:
    files = chart("a: 1\n", "redis: {enabled: false}\n")
    files["orders/Chart.yaml"] = CHART + "dependencies:\n- {name: redis, version: 1.0.0, condition: redis.enabled}\n"
    assert [one.problem for one in rendered(files)] == [None]


def test_a_chart_that_depends_on_itself_is_not_read_endlessly() -> None:
    files = chart("a: 1\n")
    files["orders/Chart.yaml"] = CHART + "dependencies:\n- {name: orders, version: 1.2.3, repository: 'file://.'}\n"
    (found,) = rendered(files)
    assert found.problem is not None
    assert found.problem.reason == "charts are nested too deeply"


@pytest.mark.parametrize("broken", ["a: [", "- 1", "a: b: c"])
def test_values_that_are_no_mapping_are_a_problem_of_the_chart(broken: str) -> None:
    (found,) = rendered(chart("a: 1\n", broken))
    assert found.path == "orders/Chart.yaml"
    assert found.problem is not None
    assert "orders/values.yaml is not" in found.problem.reason
