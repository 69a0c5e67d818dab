"""`flint check --render`: the real Helm renders charts, cut off from everything."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.rendering.isolated_programs import Programs, find_programs
from flink_flint.linter.engine.rendering.real_helm import marked, template
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span
from tests.engine.rendering.test_rendered_documents import CHART, TEMPLATE, VALUES, chart, places

NAME = "orders/templates/t.yaml"
FILES = {"orders/Chart.yaml": CHART.encode(), "orders/values.yaml": VALUES.encode()}


def program(folder: Path, text: str) -> str:
    """Write a program that stands in for Helm."""
    path = folder / "helm"
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def printed(helm: str, values: tuple[str, ...] = (), name: str = "o") -> str | None:
    return template(
        Programs(helm, ()), "orders", sorted(FILES), values, FILES.get, release_name=name, namespace="default"
    )


def test_it_runs_in_a_copy_without_the_user_s_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/home/me/.kube/config")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    show = (
        "import os, sys\nprint(sorted(os.environ)); print(os.environ['KUBECONFIG']); print(sys.argv[1:])\n"
        "print(sorted(os.listdir('chart')), open('values-0.yaml').read())"
    )
    output = printed(program(tmp_path, show), ("a: 1",))
    assert output is not None
    assert "AWS_SECRET_ACCESS_KEY" not in output
    assert "/home/me" not in output
    assert "['template', 'o', 'chart', '--namespace=default', '--values', 'values-0.yaml']" in output
    assert "['Chart.yaml', 'values.yaml'] a: 1" in output


def test_a_name_cannot_be_an_option(tmp_path: Path) -> None:
    output = printed(program(tmp_path, "import sys\nprint(sys.argv[2])"), name="--post-renderer=./x")
    assert output == "release-name\n"


@pytest.mark.slow
@pytest.mark.parametrize("text", ["raise SystemExit(1)", "print('x' * (9 << 20))", "import time; time.sleep(60)"])
def test_a_failure_too_much_output_and_too_much_time_give_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("flink_flint.linter.engine.rendering.isolated_programs._SECONDS", 2)
    assert printed(program(tmp_path, text)) is None


def test_all_programs_of_a_run_share_one_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flink_flint.linter.engine.rendering.isolated_programs._SECONDS_FOR_ALL", 0)
    assert printed(program(tmp_path, "print(1)")) is None


def test_programs_are_found_in_absolute_folders_of_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}bin")
    assert find_programs().helm is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_programs().helm == str(tmp_path / "helm")


def test_lines_are_where_flint_renders_them_or_where_the_template_has_the_key() -> None:
    value = Fragment("1\n", Origin("values.yaml", Span(5, 7)))
    own = {NAME: RenderedText([Fragment("a: ", Origin("t.yaml", Span(0, 3))), value])}
    output = f"---\n# Source: {NAME}\na: 1\nb: other\nc: 3\n"
    ((path, fragments),) = marked(output, own, {NAME: "t.yaml"}, lambda _: "a: {{ .a }}\nb: {{ .b }}\n")
    assert path == "t.yaml"
    text = RenderedText(fragments)
    assert text.text == "a: 1\nb: other\nc: 3"
    assert text.origin(Span(3, 4)) == Origin("values.yaml", Span(5, 6))
    assert text.origin(Span(8, 13)) == Origin("t.yaml", Span(12, 23))
    assert text.origin(Span(17, 18)) == Origin("t.yaml", Span(0, 1))


@pytest.mark.tools
def test_findings_are_where_they_are_without_helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    chart(tmp_path, values=VALUES + '  jobmanager.rpc.prot: "6123"\n')
    options = Options(select=("FLK001",), renders=True)
    alone = check(find([str(tmp_path)]), options)
    by_helm = check(find([str(tmp_path)]), options._replace(by_programs=True))
    assert places(tmp_path, alone.findings) == ["orders/templates/job.yaml:10", "orders/values.yaml:4"]
    assert [(one.code, one.path, one.span) for one in by_helm.findings] == [
        (one.code, one.path, one.span) for one in alone.findings
    ]


@pytest.mark.tools
def test_what_only_helm_evaluates_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    made = TEMPLATE.replace('blob.server.prot: "6124"', "taskmanager.numberOfTaskSlots: {{ randAlpha 4 | quote }}")
    chart(tmp_path, template=made, values=VALUES.replace("taskmanager.numberOfTaskSlots", "a.b"))
    options = Options(select=("FLK025",), renders=True)
    assert check(find([str(tmp_path)]), options).findings == []
    by_helm = check(find([str(tmp_path)]), options._replace(by_programs=True))
    assert places(tmp_path, by_helm.findings) == ["orders/templates/job.yaml:10"]
