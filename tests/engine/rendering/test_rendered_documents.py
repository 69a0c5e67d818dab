"""Charts and overlays: judged by what they render to, with findings where the values, templates and patches are."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.formats.syntax.yaml_tree import Tree, read_trees
from flink_flint.linter.model.finding import Finding

CHART = "apiVersion: v2\nname: orders\nversion: 0.1.0\n"
TEMPLATE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:1.20.1
  flinkVersion: v1_20
  flinkConfiguration:
    {{- toYaml .Values.flinkConfiguration | nindent 4 }}
    blob.server.prot: "6124"
  taskManager:
    resource: {cpu: 1, memory: {{ .Values.memory }}}
  jobManager:
    resource: {cpu: 1, memory: 2048m}
"""
VALUES = """\
memory: 4096m
flinkConfiguration:
  taskmanager.numberOfTaskSlots: "2"
"""
KNOWN = "  taskmanager.memory.process.size: 4g\n"
MISSPELLED = "flinkConfiguration:\n  taskmanager.numberOfTaskSlotz: '4'\n"
DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:1.20.1
  flinkVersion: v1_20
  flinkConfiguration:
    blob.server.prot: "6124"
  taskManager:
    resource: {cpu: 1, memory: 4096m}
  jobManager:
    resource: {cpu: 1, memory: 2048m}
"""
PATCH = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkConfiguration:
    jobmanager.rpc.prot: "6123"
"""


def written(folder: Path, files: dict[str, str]) -> Path:
    (folder / ".git").mkdir(parents=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def chart(folder: Path, files: dict[str, str] | None = None, template: str = TEMPLATE, values: str = VALUES) -> Path:
    own = {"orders/Chart.yaml": CHART, "orders/values.yaml": values, "orders/templates/job.yaml": template}
    return written(folder, {**own, **(files or {})})


def report_of(folder: Path, select: tuple[str, ...] = ("FLK001",), **options: object) -> Report:
    chosen = Options(select=select, renders=True)._replace(**options)  # type: ignore[arg-type]
    return check(find([str(folder)]), chosen)


def places(folder: Path, found: list[Finding]) -> list[str]:
    return sorted(f"{Path(one.path).relative_to(folder)}:{one.where.start.line}" for one in found)


def found_in(folder: Path, select: tuple[str, ...] = ("FLK001",)) -> list[str]:
    return places(folder, report_of(folder, select).findings)


class TestCharts:
    def test_a_finding_is_where_the_template_or_the_values_decide(self, tmp_path: Path) -> None:
        chart(tmp_path, values=VALUES + '  jobmanager.rpc.prot: "6123"\n')
        assert found_in(tmp_path) == ["orders/templates/job.yaml:10", "orders/values.yaml:4"]

    def test_values_that_no_template_uses_are_not_judged(self, tmp_path: Path) -> None:
        chart(tmp_path, values=VALUES + 'other:\n  flinkProperties:\n    jobmanager.rpc.port: "6123"\n    a.b.c.d: x\n')
        assert found_in(tmp_path) == ["orders/templates/job.yaml:10"]

    def test_values_behind_a_condition_are_judged_by_themselves(self, tmp_path: Path) -> None:
        template = TEMPLATE + "{{- if .Values.debug }}\n---\n{{ .Values.extra.flinkProperties }}\n{{- end }}\n"
        values = VALUES + 'extra:\n  flinkProperties:\n    jobmanager.rpc.port: "1"\n    jobmanager.rpc.prot: "2"\n'
        chart(tmp_path, template=template, values=values)
        assert "orders/values.yaml:7" in found_in(tmp_path)

    def test_each_values_file_is_one_more_rendering(self, tmp_path: Path) -> None:
        chart(tmp_path, {"orders/values-prod.yaml": MISSPELLED})
        report = report_of(tmp_path)
        assert places(tmp_path, report.findings) == ["orders/templates/job.yaml:10", "orders/values-prod.yaml:2"]
        named = {finding.document for finding in report.findings}
        assert any("(values-prod.yaml)" in str(name) for name in named)

    def test_what_several_renderings_report_at_one_place_is_reported_once(self, tmp_path: Path) -> None:
        prod = {f"orders/values-{name}.yaml": "memory: 8192m\n" for name in ("dev", "test", "prod")}
        chart(tmp_path, prod)
        assert found_in(tmp_path) == ["orders/templates/job.yaml:10"]

    def test_a_chart_without_anything_of_flink_gets_no_release_of_another_chart(self, tmp_path: Path) -> None:
        other = {
            "spark/Chart.yaml": "apiVersion: v2\nname: spark\nversion: 0.1.0\nappVersion: 3.3.0\n",
            "spark/values.yaml": "path: /data/flink/conf\n",
            "spark/templates/master.yaml": """\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      containers:
        - name: spark
          image: spark:3.3.0
          volumeMounts: [{name: a, mountPath: /data/flink/conf/a.conf}]
""",
        }
        chart(tmp_path, other)
        report = report_of(tmp_path)
        paths = {Path(one.document.path).relative_to(tmp_path).as_posix() for one in report.documents}
        assert paths == {"orders/templates/job.yaml", "orders/values.yaml"}

    def test_a_chart_that_renders_nothing_has_its_own_release(self, tmp_path: Path) -> None:
        template = "{{- if .Values.enabled }}\n" + TEMPLATE.replace("1.20.1", "1.19.1").replace("v1_20", "v1_19")
        other = {
            "off/Chart.yaml": "apiVersion: v2\nname: off\nversion: 0.1.0\n",
            "off/values.yaml": VALUES + "enabled: false\n",
            "off/templates/job.yaml": template + "{{- end }}\n",
        }
        chart(tmp_path, other)
        releases = {Path(one.document.path).relative_to(tmp_path).as_posix(): one.target.version
                    for one in report_of(tmp_path).documents}  # fmt: skip
        assert releases["off/templates/job.yaml"] != releases["orders/templates/job.yaml"] == "1.20.1"

    def test_a_comment_suppresses_at_the_place_that_decides(self, tmp_path: Path) -> None:
        chart(tmp_path, template=TEMPLATE.replace('"6124"\n', '"6124"  # flint: ignore[FLK001] known\n'))
        report = report_of(tmp_path)
        assert report.findings == []
        assert [one.by for one in report.silenced] == ["comment"]

    def test_an_annotation_of_a_template_suppresses_what_the_values_decide_too(self, tmp_path: Path) -> None:
        annotated = TEMPLATE.replace("  name: orders\n", "  name: orders\n  annotations: {flint/ignore: FLK001}\n")
        chart(tmp_path, template=annotated, values=VALUES + '  jobmanager.rpc.prot: "6123"\n')
        report = report_of(tmp_path)
        assert report.findings == []
        silenced = [one.finding for one in report.silenced]
        assert places(tmp_path, silenced) == ["orders/templates/job.yaml:11", "orders/values.yaml:4"]

    def test_the_document_of_a_deployment_is_where_the_template_begins_it(self, tmp_path: Path) -> None:
        chart(tmp_path)
        (document,) = [one.document for one in report_of(tmp_path).documents if one.document.whole]
        assert Path(document.path).name == "job.yaml"
        assert document.text[slice(*document.head)] == "FlinkDeployment"

    def test_a_finding_refers_to_a_file_that_is_not_rendered(self, tmp_path: Path) -> None:
        def deployment(text: str, namespace: str) -> str:
            storage = "    high-availability.type: kubernetes\n    high-availability.storageDir: s3://acme/ha\n"
            named = text.replace("  name: orders\n", f"  name: orders\n  namespace: {namespace}\n")
            return named.replace('    blob.server.prot: "6124"\n', storage)

        chart(tmp_path, {"job.yaml": deployment(DEPLOYMENT, "us")}, template=deployment(TEMPLATE, "eu"))
        (finding,) = report_of(tmp_path, ("two-jobs-one-identity",)).findings
        assert places(tmp_path, [finding]) == ["orders/templates/job.yaml:12"]
        assert {Path(place.path).relative_to(tmp_path).as_posix() for place in finding.related} == {"job.yaml"}

    def test_an_unknown_value_is_not_judged(self, tmp_path: Path) -> None:
        unknown = TEMPLATE.replace('prot: "6124"', "port: {{ randAlpha 4 }}")
        chart(tmp_path, template=unknown)
        assert found_in(tmp_path, ("ALL",)) == [
            place for place in found_in(tmp_path, ("ALL",)) if not place.endswith("job.yaml:10")
        ]

    def test_a_chart_that_needs_other_values_is_judged_as_before(self, tmp_path: Path) -> None:
        chart(tmp_path, template=TEMPLATE.replace(".Values.memory", ".Values.a.b.c"))
        report = report_of(tmp_path)
        assert places(tmp_path, report.findings) == ["orders/templates/job.yaml:10"]
        assert [(Path(one.path).name, one.is_unread) for one in report.skipped] == [("Chart.yaml", False)]

    def test_one_file_of_a_chart_is_judged_with_the_others(self, tmp_path: Path) -> None:
        chart(tmp_path)
        path = str(tmp_path / "orders/templates/job.yaml")
        report = check(find([path]), Options(select=("FLK001",), renders=True))
        assert places(tmp_path, report.findings) == ["orders/templates/job.yaml:10"]
        assert "template without values" not in {one.reason for one in report.skipped}

    def test_a_secret_of_the_values_is_hidden(self, tmp_path: Path) -> None:
        chart(tmp_path, values=VALUES + "  s3.secret-key: wJalrXUtnFEMIbPxRfiCYEXAMPLEKEY\n")
        report = report_of(tmp_path, ("ALL",))
        shown = [line for one in report.findings for line in (one.message, *one.where.excerpt.lines)]
        assert "orders/values.yaml:4" in places(tmp_path, report.findings)
        assert not any("wJalrXUtnFEMIbPxRfiCYEXAMPLEKEY" in line for line in shown)

    def test_a_chart_is_judged_as_it_is_installed(self, tmp_path: Path) -> None:
        chart(tmp_path, {"deploy.sh": "helm install o orders -f envs/prod.yaml\n", "envs/prod.yaml": MISSPELLED})
        report = report_of(tmp_path)
        assert places(tmp_path, report.findings) == ["envs/prod.yaml:2", "orders/templates/job.yaml:10"]
        assert {one.document for one in report.findings} == {"FlinkDeployment default/orders (../envs/prod.yaml)"}

    def test_own_values_that_are_always_overridden_are_not_judged(self, tmp_path: Path) -> None:
        values = VALUES.replace('"2"', "two")
        prod = "flinkConfiguration:\n  taskmanager.numberOfTaskSlots: '4'\n"
        install = {"deploy.sh": "helm install o orders -f envs/prod.yaml\n", "envs/prod.yaml": prod}
        chart(tmp_path, install, values=values)
        assert found_in(tmp_path, ("FLK025",)) == []

    def test_values_in_an_application_are_judged_once(self, tmp_path: Path) -> None:
        text = "".join(f"        {line}\n" for line in MISSPELLED.splitlines())
        application = (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: orders}\n"
            f"spec:\n  source:\n    path: orders\n    helm:\n      values: |\n{text}"
        )
        chart(tmp_path, {"app.yaml": application})
        report = report_of(tmp_path)
        assert places(tmp_path, report.findings) == ["app.yaml:10", "orders/templates/job.yaml:10"]
        assert {one.document for one in report.findings} == {"FlinkDeployment default/orders (orders)"}

    def test_values_in_an_application_that_the_chart_does_not_use_are_judged_alone(self, tmp_path: Path) -> None:
        application = (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: orders}\nspec:\n  source:\n"
            "    path: orders\n    helm:\n      valuesObject:\n        other:\n          flinkConfiguration:\n"
            "            taskmanager.numberOfTaskSlots: '1'\n            jobmanager.rpc.prot: '1'\n"
        )
        chart(tmp_path, {"app.yaml": application})
        assert "app.yaml:12" in found_in(tmp_path)

    def test_a_variable_of_a_script_is_not_known(self, tmp_path: Path) -> None:
        install = "helm install o orders --set memory=$MEMORY -f orders/prod.yaml\n"
        chart(tmp_path, {"deploy.sh": install, "orders/prod.yaml": MISSPELLED})
        assert found_in(tmp_path) == ["orders/prod.yaml:2", "orders/templates/job.yaml:10"]
        assert not [one for one in report_of(tmp_path, ("ALL",)).findings if "MEMORY" in one.message]

    def test_two_releases_with_one_name_are_two_environments(self, tmp_path: Path) -> None:
        install = "".join(
            f"helm install o orders --set flinkConfiguration.blob\\.server\\.{key}=6124\n" for key in ("porta", "portb")
        )
        chart(tmp_path, {"deploy.sh": install.replace("\\.", "\\\\.")})
        assert found_in(tmp_path) == ["deploy.sh:1", "deploy.sh:2", "orders/templates/job.yaml:10"]

    def test_a_rendered_text_is_parsed_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        parsed: list[str] = []

        def counted(text: str, *, is_rendered: bool = True) -> list[Tree]:
            parsed.append(text)
            return read_trees(text, is_rendered=is_rendered)

        for module in ("kubernetes.manifests", "syntax.yaml_tree"):
            monkeypatch.setattr(f"flink_flint.linter.formats.{module}.read_trees", counted)
        chart(tmp_path)
        assert found_in(tmp_path) == ["orders/templates/job.yaml:10"]
        assert len([text for text in parsed if "FlinkDeployment" in text and "{{" not in text]) == 1

    def test_the_number_of_processes_changes_nothing(self, tmp_path: Path) -> None:
        chart(tmp_path, {"orders/values-prod.yaml": MISSPELLED})
        options = Options(renders=True)
        one = check(find([str(tmp_path)]), options, processes=1)
        two = check(find([str(tmp_path)]), options, processes=2)
        assert [finding.fingerprint for finding in one.findings] == [finding.fingerprint for finding in two.findings]


OVERLAY = {
    "base/kustomization.yaml": "resources: [job.yaml]\n",
    "base/job.yaml": DEPLOYMENT,
    "prod/kustomization.yaml": "resources: [../base]\npatches:\n- path: patch.yaml\n",
    "prod/patch.yaml": PATCH,
}


class TestOverlays:
    def test_a_finding_is_in_the_base_or_in_the_patch(self, tmp_path: Path) -> None:
        assert found_in(written(tmp_path, OVERLAY)) == ["base/job.yaml:9", "prod/patch.yaml:7"]

    def test_a_value_of_the_base_that_the_overlay_replaces_is_not_judged(self, tmp_path: Path) -> None:
        base = DEPLOYMENT.replace("blob.server.prot", "taskmanager.numberOfTaskSlots").replace("6124", "two")
        patch = PATCH.replace("jobmanager.rpc.prot", "taskmanager.numberOfTaskSlots").replace("6123", "four")
        written(tmp_path, {**OVERLAY, "base/job.yaml": base, "prod/patch.yaml": patch})
        report = report_of(tmp_path, ("FLK025",))
        assert places(tmp_path, report.findings) == ["prod/patch.yaml:7"]
        assert "'four'" in report.findings[0].message

    def test_an_overlay_without_anything_of_flink_counts(self, tmp_path: Path) -> None:
        patch = "[{op: replace, path: /spec/image, value: 'flink:2.0.0'}]"
        overlay = f'resources: [../base]\npatches: [{{target: {{name: orders}}, patch: "{patch}"}}]\n'
        base = DEPLOYMENT.replace("  flinkVersion: v1_20\n", "")
        files = {"base/kustomization.yaml": "resources: [job.yaml]\n", "base/job.yaml": base}
        report = report_of(written(tmp_path, {**files, "prod/kustomization.yaml": overlay}))
        assert {str(one.target.version) for one in report.documents if one.document.whole} == {"2.0.0"}

    def test_several_overlays_report_a_base_once(self, tmp_path: Path) -> None:
        more = {"dev/kustomization.yaml": "resources: [../base]\nnamePrefix: dev-\n"}
        assert found_in(written(tmp_path, {**OVERLAY, **more})) == ["base/job.yaml:9", "prod/patch.yaml:7"]

    def test_overlays_are_environments_that_no_rule_compares(self, tmp_path: Path) -> None:
        shared = "high-availability.type: kubernetes\n    high-availability.storageDir: s3://acme/ha\n    "
        base = DEPLOYMENT.replace("blob.server.prot", f"{shared}blob.server.port")
        more = {"base/job.yaml": base, "dev/kustomization.yaml": "resources: [../base]\nnamespace: dev\n"}
        documents = report_of(written(tmp_path, {**OVERLAY, **more}), ("FLK",)).documents
        alone = [one.document for one in documents if one.document.whole]
        assert sorted(document.is_variant for document in alone) == [False, True]

    def test_a_base_without_an_overlay_is_judged_alone(self, tmp_path: Path) -> None:
        files = {name: text for name, text in OVERLAY.items() if name.startswith("base")}
        assert found_in(written(tmp_path, files)) == ["base/job.yaml:9"]

    def test_a_kustomization_with_a_remote_base_is_judged_as_before(self, tmp_path: Path) -> None:
        remote = "resources: [../base, 'https://github.com/acme/config?ref=main']\npatches:\n- path: patch.yaml\n"
        report = report_of(written(tmp_path, {**OVERLAY, "prod/kustomization.yaml": remote}))
        assert places(tmp_path, report.findings) == ["base/job.yaml:9", "prod/patch.yaml:7"]
        assert [Path(one.path).name for one in report.skipped] == ["kustomization.yaml"]

    def test_kustomizations_in_folders_that_a_walk_skips_are_not_built(self, tmp_path: Path) -> None:
        hidden = {name.replace("prod/", ".cache/"): text for name, text in OVERLAY.items() if name.startswith("prod")}
        assert found_in(written(tmp_path, {**OVERLAY, **hidden})) == ["base/job.yaml:9", "prod/patch.yaml:7"]

    def test_what_is_known_beside_a_remote_base_is_judged_as_built(self, tmp_path: Path) -> None:
        remote = "resources: [../base, 'https://github.com/acme/crds?ref=main']\npatches:\n- path: patch.yaml\n"
        base = DEPLOYMENT.replace("blob.server.prot", "taskmanager.numberOfTaskSlots").replace("6124", "two")
        patch = PATCH.replace("jobmanager.rpc.prot", "taskmanager.numberOfTaskSlots").replace("6123", "4")
        files = {**OVERLAY, "base/job.yaml": base, "prod/patch.yaml": patch, "prod/kustomization.yaml": remote}
        assert found_in(written(tmp_path, files), ("FLK025",)) == []

    def test_a_finding_has_the_whole_value_of_one_place(self, tmp_path: Path) -> None:
        base = DEPLOYMENT.replace('blob.server.prot: "6124"', "taskmanager.numberOfTaskSlots: 'two of them'")
        (finding,) = report_of(written(tmp_path, {**OVERLAY, "base/job.yaml": base}), ("FLK025",)).findings
        assert base[slice(*finding.span)] == "'two of them'"

    def test_a_value_of_several_places_has_the_first(self, tmp_path: Path) -> None:
        base = DEPLOYMENT.replace('blob.server.prot: "6124"', 'taskmanager.numberOfTaskSlots: "x"').replace(
            "name: orders", "name: orders\n  annotations: {slots: two}"
        )
        replacement = (
            "replacements:\n- source: {kind: FlinkDeployment, fieldPath: metadata.annotations.slots}\n"
            "  targets:\n  - select: {kind: FlinkDeployment}\n"
            "    fieldPaths: ['spec.flinkConfiguration.[taskmanager.numberOfTaskSlots]']\n"
        )
        files = {**OVERLAY, "base/job.yaml": base}
        files["prod/kustomization.yaml"] += replacement
        (finding,) = report_of(written(tmp_path, files), ("FLK025",)).findings
        assert base[slice(*finding.span)] == "two"

    def test_a_file_of_a_generator_is_judged_as_it_is_mounted(self, tmp_path: Path) -> None:
        generator = "configMapGenerator:\n- name: flink-config\n  files: [flink-conf.yaml]\n"
        files = {"kustomization.yaml": generator, "flink-conf.yaml": "jobmanager.rpc.prot: 6123\n"}
        report = report_of(written(tmp_path, files))
        assert places(tmp_path, report.findings) == ["flink-conf.yaml:1"]
        assert [str(one.document) for one in report.findings] == ["ConfigMap default/flink-config (.)"]

    def test_a_file_of_a_generator_that_nothing_reads_as_flink_is_judged_alone(self, tmp_path: Path) -> None:
        generator = "configMapGenerator:\n- name: flink-config\n  files: [notes.txt=flink-conf.yaml]\n"
        files = {"kustomization.yaml": generator, "flink-conf.yaml": "jobmanager.rpc.prot: 6123\n"}
        assert found_in(written(tmp_path, files)) == ["flink-conf.yaml:1"]

    def test_variables_of_flux_are_filled_in(self, tmp_path: Path) -> None:
        flux = (
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: orders-prod}\nspec:\n"
            "  path: ./prod\n  postBuild:\n    substitute:\n      slots: two\n"
        )
        base = DEPLOYMENT.replace("blob.server.prot", "taskmanager.numberOfTaskSlots").replace("6124", "${slots}")
        written(tmp_path, {**OVERLAY, "base/job.yaml": base, "flux.yaml": flux})
        report = report_of(tmp_path, ("FLK025",))
        assert places(tmp_path, report.findings) == ["flux.yaml:8"]
        assert report.findings[0].document == "FlinkDeployment default/orders (orders-prod)"

    def test_files_outside_of_the_repository_are_not_read(self, tmp_path: Path) -> None:
        inside = tmp_path / "repository"
        inside.mkdir()
        (tmp_path / "job.yaml").write_text(DEPLOYMENT)
        files = {**OVERLAY, "base/kustomization.yaml": "resources: [job.yaml, ../../job.yaml]\n"}
        report = report_of(written(inside, files))
        assert {Path(one.path).resolve().is_relative_to(inside) for one in report.findings} == {True}


ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: orders}
spec:
  source:
    path: base
    kustomize:
      patches:
        - target: {kind: FlinkDeployment}
          patch: |-
            - op: replace
              path: /spec/flinkConfiguration
              value: {jobmanager.rpc.prot: "6123"}
"""
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: orders}
spec:
  path: ./base
  patches:
    - target: {kind: FlinkDeployment}
      patch: |-
        - op: replace
          path: /spec/flinkConfiguration
          value: {jobmanager.rpc.prot: "6123"}
"""
BASE = {"base/kustomization.yaml": "resources: [job.yaml]\n", "base/job.yaml": DEPLOYMENT}
ORDERS = {"orders/Chart.yaml": CHART, "orders/values.yaml": VALUES, "orders/templates/job.yaml": TEMPLATE}


class TestChangesByDeployments:
    @pytest.mark.parametrize(("text", "place"), [(ARGO, "deploy.yaml:13"), (FLUX, "deploy.yaml:11")])
    def test_only_what_is_deployed_is_judged(self, text: str, place: str, tmp_path: Path) -> None:
        written(tmp_path, {**BASE, "deploy.yaml": text})
        assert found_in(tmp_path) == [place]

    def test_what_is_also_deployed_as_it_is_is_judged_too(self, tmp_path: Path) -> None:
        plain = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {source: {path: base}}\n"
        written(tmp_path, {**BASE, "deploy.yaml": ARGO, "plain.yaml": plain})
        assert found_in(tmp_path) == ["base/job.yaml:9", "deploy.yaml:13"]

    @pytest.mark.parametrize(
        "change", [("metadata: {name: orders}", "metadata: {name: orders}"), ("path: /spec", "path: /{{ .Values.x }}")]
    )
    def test_a_base_with_changes_that_are_not_known_is_not_judged(
        self, change: tuple[str, str], tmp_path: Path
    ) -> None:
        text = ARGO.replace(*change).replace("      patches:", "      unheardOf: 1\n      patches:")
        written(tmp_path, {**BASE, "deploy.yaml": text})
        report = report_of(tmp_path)
        assert "base/job.yaml:9" not in places(tmp_path, report.findings)
        assert [one.reason for one in report.skipped] == ["kustomization that is not known as a whole"]


class TestChartsInKustomizations:
    def test_a_chart_has_the_values_of_the_kustomization(self, tmp_path: Path) -> None:
        overlay = (
            "helmGlobals: {chartHome: ..}\nhelmCharts:\n  - name: orders\n    valuesInline:\n"
            "      flinkConfiguration: {taskmanager.numberOfTaskSlotz: '4'}\n"
        )
        values = VALUES + '  jobmanager.rpc.prot: "6123"\n'
        written(tmp_path, {**ORDERS, "orders/values.yaml": values, "prod/kustomization.yaml": overlay})
        assert found_in(tmp_path) == [
            "orders/templates/job.yaml:10",
            "orders/values.yaml:4",
            "prod/kustomization.yaml:5",
        ]

    def test_its_own_values_are_not_judged_where_those_of_the_kustomization_replace_them(self, tmp_path: Path) -> None:
        overlay = (
            "helmGlobals: {chartHome: ..}\nhelmCharts:\n  - {name: orders, valuesInline: {memory: 8g}}\n"
            "patches:\n  - target: {kind: FlinkDeployment}\n    patch: |-\n      - op: remove\n"
            "        path: /spec/flinkConfiguration/blob.server.prot\n"
        )
        written(tmp_path, {**ORDERS, "prod/kustomization.yaml": overlay})
        assert found_in(tmp_path) == []

    def test_a_chart_that_the_kustomization_cannot_render_is_judged_as_any_other(self, tmp_path: Path) -> None:
        overlay = "helmGlobals: {chartHome: ..}\nhelmCharts: [{name: orders, valuesFile: missing.yaml}]\n"
        written(tmp_path, {**ORDERS, "prod/kustomization.yaml": overlay})
        report = report_of(tmp_path)
        assert places(tmp_path, report.findings) == ["orders/templates/job.yaml:10"]
        assert {one.reason for one in report.skipped} == {
            "kustomization that is not known as a whole", "chart without the values it needs",
        }  # fmt: skip


class TestFixes:
    def test_a_key_is_renamed_in_the_file_that_has_it(self, tmp_path: Path) -> None:
        written(tmp_path, OVERLAY)
        assert fixed(tmp_path) == {"base/job.yaml", "prod/patch.yaml"}
        assert 'blob.server.port: "6124"' in (tmp_path / "base/job.yaml").read_text()
        assert 'jobmanager.rpc.port: "6123"' in (tmp_path / "prod/patch.yaml").read_text()

    def test_a_key_whose_value_a_patch_replaces_is_not_renamed(self, tmp_path: Path) -> None:
        patch = PATCH.replace("jobmanager.rpc.prot", "blob.server.prot")
        written(tmp_path, {**OVERLAY, "prod/patch.yaml": patch})
        assert fixed(tmp_path) == set()

    def test_a_setting_of_a_chart_is_renamed_in_its_values(self, tmp_path: Path) -> None:
        chart(tmp_path, values=VALUES + '  jobmanager.rpc.prot: "6123"\n')
        assert fixed(tmp_path) == {"orders/templates/job.yaml", "orders/values.yaml"}
        assert '  jobmanager.rpc.port: "6123"' in (tmp_path / "orders/values.yaml").read_text()

    def test_text_that_is_built_is_not_changed(self, tmp_path: Path) -> None:
        name = TEMPLATE.replace("blob.server.prot:", "{{ .Values.name }}.prot:")
        chart(tmp_path, template=name, values=VALUES + "name: blob.server\n")
        assert found_in(tmp_path) != []
        assert fixed(tmp_path) == set()


def fixed(folder: Path) -> set[str]:
    """Apply all fixes to the files of a folder; return those that changed."""
    sources = [source for source in find([str(folder)]) if isinstance(source, Source)]
    options = Options(select=("FLK001",), renders=True)
    changed = [one for one in fix(sources, options, unsafe=True) if one.changed]
    for one in changed:
        Path(one.after.path).write_bytes(one.after.data)
    return {str(Path(one.after.path).relative_to(folder)) for one in changed}


@pytest.mark.parametrize(
    ("taken", "chart", "is_checked"),
    [
        ("{{ toYaml .Values.flinkConfiguration | nindent 4 }}", CHART, True),
        ("{{ range $k, $v := .Values.flinkConfiguration }}{{ $k }}: {{ $v }}{{ end }}", CHART, True),
        ('{{ get (index .Values "flinkConfiguration") "a" }}', CHART, False),
        ("{{ toYaml .Values | nindent 4 }}", CHART, True),
        ("taskmanager.numberOfTaskSlots: {{ .Values.flinkConfiguration.slots }}", CHART, False),
        ("rest.port: {{ .Values.port }}", CHART, False),
        ("rest.port: {{ .Values.port }}", CHART + "dependencies: [{name: base}]\n", True),
    ],
)  # fmt: skip
def test_of_a_chart_that_cannot_be_rendered_only_settings_taken_whole_are_checked(
    taken: str, chart: str, is_checked: bool, tmp_path: Path
) -> None:
    template = '{{ required "none" .Values.elsewhere }}\nkind: FlinkDeployment\nspec:\n  flinkConfiguration:\n    '
    folder = written(
        tmp_path / "r",
        {"Chart.yaml": chart, "values.yaml": MISSPELLED + KNOWN, "templates/d.yaml": template + taken + "\n"},
    )
    report = report_of(folder)
    assert [one.reason for one in report.skipped] == ["chart without the values it needs"]
    assert [Path(one.path).name for one in report.findings] == (["values.yaml"] if is_checked else [])


@pytest.mark.parametrize("around", [{"Chart.yaml": CHART}, {}])
@pytest.mark.parametrize(
    ("taken", "is_checked"),
    [("{{ toYaml .Values.flinkConfiguration | nindent 4 }}", True), ("rest.port: {{ .Values.port }}", False)],
)
def test_without_a_definition_a_chart_in_a_folder_of_charts_shows_what_its_templates_take(
    taken: str, is_checked: bool, around: dict[str, str], tmp_path: Path
) -> None:
    template = f"kind: FlinkDeployment\nspec:\n  flinkConfiguration:\n    {taken}\n"
    own = {"charts/a/values.yaml": MISSPELLED + KNOWN, "charts/a/templates/d.yaml": template}
    other = {"charts/b/values.yaml": "port: 1\n", "charts/b/templates/d.yaml": "{{ .Values.flinkConfiguration }}"}
    folder = written(tmp_path / "r", {**around, **own, **other})
    assert [Path(one.path).name for one in report_of(folder).findings] == (["values.yaml"] if is_checked else [])


def test_of_several_files_in_the_same_values_each_is_checked_if_it_is_taken_whole(tmp_path: Path) -> None:
    template = '{{ required "none" .Values.elsewhere }}\n{{ .Values.flink.first }}{{ .Values.flink.second }}'
    lines = ("state.checkpoints.num-retained: 2", "state.backend.incremental: true", "taskmanager.numberOfTaskSlotz: 2")
    text = "".join(f"    {line}\n" for line in lines)
    values = "flink:\n" + "".join(f"  {key}: |\n{text}" for key in ("first", "second"))
    folder = written(tmp_path / "r", {"Chart.yaml": CHART, "values.yaml": values, "templates/d.yaml": template})
    unknown = [one for one in report_of(folder).findings if one.code == "FLK001"]
    assert places(folder, unknown) == ["values.yaml:5", "values.yaml:9"]


@pytest.mark.parametrize(
    ("taken", "is_checked"),
    [("{{ toYaml .Values.flinkConfiguration | nindent 4 }}", True), ("{{ .Values.flinkConfiguration.slots }}", False)],
)
def test_settings_that_no_rendering_contains_are_checked_only_if_they_would_be_taken_whole(
    taken: str, is_checked: bool, tmp_path: Path
) -> None:
    template = f"{{{{ if .Values.on }}}}{DEPLOYMENT}    more:\n    {taken}\n{{{{ else }}}}{DEPLOYMENT}{{{{ end }}}}\n"
    folder = written(
        tmp_path / "r",
        {"Chart.yaml": CHART, "values.yaml": MISSPELLED + KNOWN, "templates/d.yaml": template},
    )
    report = report_of(folder)
    assert not report.skipped
    assert ("values.yaml" in [Path(one.path).name for one in report.findings]) == is_checked


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ('a: ["{{ .Values.image }}]\n', "chart template that renders to no YAML"),
        ("a: {{ if .Values.image }}\n", "chart template that Helm cannot read"),
    ],
)
def test_a_broken_template_is_named(template: str, reason: str, tmp_path: Path) -> None:
    files = {"values.yaml": MISSPELLED + KNOWN, "templates/d.yaml": DEPLOYMENT + template}
    folder = written(tmp_path / "r", {"Chart.yaml": CHART, **files})
    skipped = {Path(one.path).name: one.reason for one in report_of(folder).skipped}
    assert skipped == {"d.yaml": reason, "Chart.yaml": "chart with a broken template"}


def test_definitions_of_resources_do_not_use_up_the_letters_that_are_judged(tmp_path: Path) -> None:
    definition = "kind: CustomResourceDefinition\nspec:\n" + "  description: a long one\n" * 60_000
    chart(tmp_path, {"orders/templates/a.yaml": definition})
    assert [one.code for one in report_of(tmp_path, ("FLK001", "FLK047")).findings] == ["FLK001"]


def test_nothing_is_rendered_without_a_chart_or_a_kustomization(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a folder was walked")

    monkeypatch.setattr("flink_flint.linter.engine.rendering.rendering_inputs.walked", refuse)
    assert found_in(written(tmp_path, {"job.yaml": DEPLOYMENT})) == ["job.yaml:9"]


WORKLOADS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: jobmanager}
spec:
  template:
    spec:
      containers:
      - name: jobmanager
        image: flink:1.18.1
        args: [jobmanager]
        volumeMounts: [{name: state, mountPath: /state}]
      volumes: [{name: state, VOLUME}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: taskmanager}
spec:
  template:
    spec:
      containers:
      - name: taskmanager
        image: flink:1.18.1
        args: [taskmanager]
        volumeMounts: [{name: state, mountPath: /state}]
      volumes: [{name: state, VOLUME}]
{{- if .Values.durable }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: flink-config}
data:
  flink-conf.yaml: |
{{ .Values.settings | indent 4 }}
{{- end }}
"""
SETTINGS = """\
durable: false
image: flink:1.18.1
settings: |
  state.checkpoints.dir: file:///state/checkpoints
  state.savepoints.dir: file:///elsewhere/savepoints
  mesos.master: zk://a:2181/mesos
"""


class TestValuesThatNoRenderingContains:
    def found(
        self, folder: Path, volume: str, code: str, values: str = SETTINGS, processes: int = 1
    ) -> list[tuple[int, str]]:
        chart(folder, template=WORKLOADS.replace("VOLUME", volume), values=values)
        report = check(find([str(folder)]), Options(select=(code,), renders=True), processes=processes)
        return sorted((one.where.start.line, one.severity.word) for one in report.findings)

    @pytest.mark.parametrize(
        ("volume", "lines"),
        [
            ("persistentVolumeClaim: {claimName: state}", [(5, "warning")]),
            ("emptyDir: {}", [(4, "warning"), (5, "warning")]),
            ("csi: {driver: efs.csi.aws.com}", [(4, "info"), (5, "warning")]),
        ],
    )
    def test_the_volumes_of_the_chart_count(self, volume: str, lines: list[tuple[int, str]], tmp_path: Path) -> None:
        assert self.found(tmp_path, volume, "FLK315") == lines

    def test_a_claim_for_each_pod_of_a_stateful_set_is_not_shared(self, tmp_path: Path) -> None:
        chart(tmp_path, template=WORKLOADS.replace("      volumes: [{name: state, VOLUME}]\n", ""), values=SETTINGS)
        assert [one.severity.word for one in report_of(tmp_path, ("FLK315",)).findings] == ["warning", "warning"]

    @pytest.mark.parametrize("processes", [1, 2])
    def test_no_error_is_reported_of_what_may_never_be_deployed(self, processes: int, tmp_path: Path) -> None:
        assert self.found(tmp_path, "emptyDir: {}", "FLK002", processes=processes) == [(6, "warning")]

    def test_an_error_in_values_that_are_rendered_stays_one(self, tmp_path: Path) -> None:
        values = SETTINGS.replace("false", "true")
        assert self.found(tmp_path, "emptyDir: {}", "FLK002", values) == [(6, "error")]


class TestHelmfiles:
    """A chart that helmfile installs, with values that are in the repository or not."""

    RELEASE = "releases:\n- name: orders\n  chart: ours/orders\n  values: [%s]\n"
    REFUSED = "flinkConfiguration:\n  taskmanager.numberOfTaskSlots: many\n"

    def severities(self, folder: Path, listed: str, **files: str) -> list[str]:
        more = {name.replace("__", "."): text for name, text in files.items()}
        chart(folder, {"helmfile.yaml": self.RELEASE % listed, "prod.yaml": self.REFUSED, **more})
        found = report_of(folder, ("FLK025",)).findings
        assert {Path(one.path).name for one in found} == {"prod.yaml"}
        return [one.severity.name for one in found]

    def test_what_is_refused_is_an_error_if_all_values_are_known(self, tmp_path: Path) -> None:
        assert self.severities(tmp_path, "prod.yaml") == ["ERROR"]

    def test_it_is_a_warning_if_other_values_may_override_it(self, tmp_path: Path) -> None:
        assert self.severities(tmp_path, "prod.yaml, /etc/secrets.yaml") == ["WARNING"]

    def test_what_unknown_values_may_set_is_not_missing(self, tmp_path: Path) -> None:
        template = TEMPLATE + "  serviceAccount: {{ .Values.cluster.account }}\n"
        chart(tmp_path, {"helmfile.yaml": self.RELEASE % "/etc/cluster.yaml"}, template=template)
        report = report_of(tmp_path)
        assert places(tmp_path, report.findings) == ["orders/templates/job.yaml:10"]
        assert [one.document.whole for one in report.rendered] == [False]

    def test_values_of_an_unknown_release_are_not_certain(self, tmp_path: Path) -> None:
        text = self.RELEASE % "prod.yaml, other.yaml" + "  jsonPatches: [{}]\n"
        known = "rest.port: 8081\n  jobmanager.rpc.port: 6123\n  "
        files = {"helmfile.yaml": text, "prod.yaml": self.REFUSED.replace("taskm", f"{known}taskm")}
        chart(tmp_path, files)
        assert [one.severity.name for one in report_of(tmp_path, ("FLK025",)).findings] == ["WARNING"]
