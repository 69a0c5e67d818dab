"""`--diff-base` over charts and overlays, and with the project around named paths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Flint
from tests.engine.rendering.test_rendered_documents import CHART, DEPLOYMENT, PATCH, TEMPLATE, VALUES
from tests.revisions.test_changed_lines import WHO, Git, commit, reported, repository, write

SILENT = TEMPLATE.replace('    blob.server.prot: "6124"\n', "")
DEFAULTS = """\
defaultConfiguration:
  create: true
  flink-conf.yaml: |+
    {line}
"""
OPERATED = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:1.20.1
  flinkVersion: v1_20
  flinkConfiguration:
    state.checkpoints.dir: s3://acme/checkpoints
  jobManager:
    resource: {memory: 2g}
  taskManager:
    resource: {memory: 4g}
  job:
    jarURI: local:///opt/orders.jar
    upgradeMode: savepoint
"""


def made(root: Path, files: dict[str, str]) -> Git:
    """Return a repository with files, on a branch of main."""
    git = repository(root)
    for name, text in files.items():
        write(root / name, text)
    commit(git)
    git("checkout", "-q", "-b", "topic")
    return git


def chart(root: Path, values: str = VALUES, template: str = SILENT) -> Git:
    files = {"Chart.yaml": CHART, "values.yaml": values, "templates/job.yaml": template}
    return made(root, {f"orders/{name}": text for name, text in files.items()})


def overlays(root: Path) -> Git:
    files = {"base/kustomization.yaml": "resources: [job.yaml]\n", "base/job.yaml": DEPLOYMENT}
    files["prod/kustomization.yaml"] = "resources: [../base]\npatches:\n  - path: patch.yaml\n"
    return made(root, {**files, "prod/patch.yaml": PATCH})


def misspelled(flint: Flint, *paths: str) -> list[str]:
    return reported(flint, *paths, "--select", "FLK001")


@pytest.mark.slow
@pytest.mark.parametrize("paths", [(), ("orders/values.yaml",), ("orders",)])
def test_a_value_that_the_change_sets_is_reported_as_it_is_rendered(
    flint: Flint, tmp_path: Path, paths: tuple[str, ...]
) -> None:
    chart(tmp_path)
    assert misspelled(flint, *paths) == []
    write(tmp_path / "orders/values.yaml", VALUES + '  jobmanager.rpc.prot: "6123"\n')
    assert misspelled(flint, *paths) == ["orders/values.yaml:4 FLK001"]


def test_what_the_base_renders_too_is_not_reported(flint: Flint, tmp_path: Path) -> None:
    chart(tmp_path, values=VALUES + '  jobmanager.rpc.prot: "6123"\n', template=TEMPLATE)
    write(tmp_path / "orders/values.yaml", "# a comment\n" + VALUES + '  jobmanager.rpc.prot: "6123"\n')
    assert misspelled(flint) == misspelled(flint, "orders/values.yaml") == []
    write(tmp_path / "orders/values-prod.yaml", "memory: 8192m\n")
    assert misspelled(flint) == []


def test_a_helper_that_is_no_file_of_flink_is_of_its_revision(flint: Flint, tmp_path: Path) -> None:
    git = chart(
        tmp_path, template=SILENT.replace("    {{- toYaml", '    {{- include "more" . | nindent 4 }}\n    {{- toYaml')
    )
    helper = '{{{{- define "more" -}}}}\nrest.{}: 1\n{{{{- end }}}}\n'
    write(tmp_path / "orders/templates/_more.tpl", helper.format("prot"))
    commit(git)
    git("branch", "-f", "main")
    assert misspelled(flint) == []
    write(tmp_path / "orders/templates/_more.tpl", helper.format("prt"))
    assert (
        misspelled(flint) == misspelled(flint, "orders/templates/_more.tpl") == ["orders/templates/_more.tpl:2 FLK001"]
    )


def test_an_overlay_is_compared_as_it_is_built(flint: Flint, tmp_path: Path) -> None:
    overlays(tmp_path)
    assert misspelled(flint) == misspelled(flint, "prod") == []
    write(tmp_path / "prod/patch.yaml", PATCH + '    rest.prot: "1"\n')
    assert misspelled(flint) == misspelled(flint, "prod/patch.yaml") == ["prod/patch.yaml:8 FLK001"]


def test_a_rendered_finding_that_is_gone_is_called_fixed(flint: Flint, tmp_path: Path) -> None:
    chart(tmp_path, values=VALUES + '  jobmanager.rpc.prot: "6123"\n')
    write(tmp_path / "orders/values.yaml", VALUES)
    for paths in ((), ("orders/values.yaml",)):
        run = flint("check", *paths, "--diff-base", "main", "--select", "FLK001", "--output-format", "json", **WHO)
        comparison = json.loads(run.stdout)["comparison"]
        assert [one["path"] for one in comparison["fixed"]] == ["orders/values.yaml"], run.stdout
        assert comparison["no_longer_read"] == comparison["unreadable"] == []


def test_a_rule_compares_what_both_revisions_render_to(flint: Flint, tmp_path: Path) -> None:
    maximum = "  pipeline.max-parallelism: '{}'\n"
    chart(tmp_path, values=VALUES + maximum.format(360))
    write(tmp_path / "orders/values.yaml", VALUES + maximum.format(720))
    assert reported(flint, "--select", "FLK623") == ["orders/values.yaml:4 FLK623"]


def operated(root: Path, line: str) -> Git:
    return made(root, {"jobs/orders.yaml": OPERATED, "operator/values.yaml": DEFAULTS.format(line=line)})


@pytest.mark.slow
def test_named_paths_are_judged_with_the_project_around_them(flint: Flint, tmp_path: Path) -> None:
    operated(tmp_path, "kubernetes.operator.job.autoscaler.enabled: false")
    found = [one.partition(" ")[2] for one in reported(flint, "operator/values.yaml")]
    assert found == []
    write(tmp_path / "operator/values.yaml", DEFAULTS.format(line="state.checkpoints.num-retained: none"))
    whole = reported(flint)
    assert whole
    assert reported(flint, "operator/values.yaml") == whole


def test_a_finding_that_the_base_has_in_another_file_is_not_new_to_its_layer(flint: Flint, tmp_path: Path) -> None:
    """The named file takes part in it in one revision only."""
    git = operated(tmp_path, "taskmanager.numberOfTaskSlots: 2")
    text = OPERATED.replace("state.checkpoints.dir", "rest.prot: 1\n    state.checkpoints.dir")
    write(tmp_path / "jobs/orders.yaml", text)
    commit(git)
    git("branch", "-f", "main")
    write(tmp_path / "operator/values.yaml", DEFAULTS.format(line="taskmanager.numberOfTaskSlots: 4"))
    new = reported(flint, "operator/values.yaml")
    assert all(one.startswith("operator/values.yaml") for one in new), new
    assert set(new) <= set(reported(flint))


def test_what_changed_elsewhere_is_not_reported(flint: Flint, tmp_path: Path) -> None:
    made(tmp_path, {"a/flink-conf.yaml": "rest.port: 1\n", "b/flink-conf.yaml": "rest.port: 1\n"})
    write(tmp_path / "a/flink-conf.yaml", "rest.prot: 1\n")
    write(tmp_path / "b/flink-conf.yaml", "rest.prt: 1\n")
    assert misspelled(flint, "a") == ["a/flink-conf.yaml:1 FLK001"]
    run = flint("check", "a", "--diff-base", "main", "--output-format", "json", **WHO)
    assert json.loads(run.stdout)["files"] == 1
