"""What installs the charts of a repository, and with which values."""

from __future__ import annotations

import json

import pytest

from flink_flint.linter.formats.chart_uses.deploying_files import is_candidate
from flink_flint.linter.formats.chart_uses.finding_uses import find_uses

CHART = {"charts/orders/Chart.yaml": "name: orders\n", "charts/orders/values.yaml": "a: 1\n"}
PROD = {"envs/prod.yaml": "a: 2\n"}
ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: orders-prod, namespace: argocd}
spec:
  destination: {namespace: streaming}
  source:
    path: charts/orders
    helm:
"""
FLUX = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: orders, namespace: streaming}
spec:
  chart:
    spec:
      chart: ./charts/orders
      sourceRef: {kind: GitRepository, name: repository}
"""
RELEASE = 'resource "helm_release" "orders" {\n  name = "orders"\n  chart = "${path.module}/../charts/orders"\n'


def used(files: dict[str, str]) -> list[tuple[str, str, list[str]]]:
    """Return the name, the namespace and the values of each use of the chart: files in <>, and texts."""
    data = {path: text.encode() for path, text in {**CHART, **files}.items()}
    uses = list(find_uses([path for path in sorted(data) if is_candidate(path)], data.get).uses)
    assert {use.chart for use in uses} <= {"charts/orders"}
    return [
        (use.name, use.namespace, [f"<{one.path}>" if one.text is None else str(one.text) for one in use.values])
        for use in uses
    ]


class TestArgo:
    def test_files_then_values_then_parameters(self) -> None:
        helm = (
            "      valueFiles: [../../envs/prod.yaml]\n      values: |\n        a: 3\n"
            "      parameters: [{name: a, value: '4'}]\n"
        )
        expected = ("orders-prod", "streaming", ["<envs/prod.yaml>", "a: 3\n", '{"a": 4}'])
        assert used({"app.yaml": ARGO + helm, **PROD}) == [expected]

    def test_an_object_of_values_replaces_their_text(self) -> None:
        helm = "      releaseName: o\n      values: 'a: 3'\n      valuesObject:\n        a:\n          b: 4\n"
        assert used({"app.yaml": ARGO + helm}) == [("o", "streaming", ["        a:\n          b: 4"])]

    def test_a_file_of_another_source_is_in_the_repository(self) -> None:
        helm = "      valueFiles: [$values/envs/prod.yaml, /envs/prod.yaml]\n"
        assert used({"app.yaml": ARGO + helm, **PROD})[0][2] == ["<envs/prod.yaml>"] * 2

    def test_a_missing_file_may_be_ignored(self) -> None:
        helm = "      valueFiles: [other.yaml]\n      ignoreMissingValueFiles: true\n"
        assert used({"app.yaml": ARGO + helm}) == [("orders-prod", "streaming", [])]

    @pytest.mark.parametrize(
        "helm",
        [
            "      valueFiles: [other.yaml]\n",
            "      valueFiles: ['{{env}}.yaml']\n",
            "      valueFiles: ['../../../secret.yaml']\n",
            "      values: 'a: {{ env }}'\n",
            "      fileParameters: [{name: a, path: missing.sql}]\n",
            "      fileParameters: [{name: 'a[0]', path: ../../job.sql}]\n",
            "      parameters: [{name: 'a[0]', value: b}]\n",
        ],
    )
    def test_values_that_are_not_known_make_no_use(self, helm: str) -> None:
        assert used({"app.yaml": ARGO + helm}) == []

    def test_the_text_of_a_file_is_a_value_and_comes_last(self) -> None:
        helm = "      parameters: [{name: a, value: '4'}]\n      fileParameters: [{name: a.b\\.c, path: /job.sql}]\n"
        sql = "SELECT '${x}',\n  \"y\";\n"
        ((_, _, values),) = used({"app.yaml": ARGO + helm, "job.sql": sql})
        assert values[0] == '{"a": 4}'
        assert json.loads(values[1]) == {"a": {"b.c": sql}}

    def test_a_chart_that_is_not_in_the_repository_is_not_used(self) -> None:
        assert used({"app.yaml": ARGO.replace("charts/orders", "charts/other")}) == []

    def test_an_application_set_installs_what_its_template_says(self) -> None:
        indented = "".join(f"    {line}\n" for line in ARGO.splitlines()[2:])
        text = f"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec:\n  template:\n{indented}"
        assert used({"set.yaml": text}) == [("orders-prod", "streaming", [])]


class TestFlux:
    def test_values_of_a_release(self) -> None:
        release = FLUX + "  values:\n    a: 2\n"
        assert used({"release.yaml": release}) == [("orders", "streaming", ["    a: 2"])]

    def test_a_chart_of_a_repository_of_charts_is_not_in_this_one(self) -> None:
        assert used({"release.yaml": FLUX.replace("GitRepository", "HelmRepository")}) == []
        assert used({"release.yaml": FLUX.partition("spec:")[0]}) == []
        assert used({"release.yaml": FLUX.partition("  chart:")[0] + "  interval: 5m\n"}) == []

    def test_values_of_a_config_map_come_first(self) -> None:
        values_from = "  valuesFrom: [{kind: ConfigMap, name: orders-values}]\n  values: {a: 3}\n"
        config_map = "kind: ConfigMap\nmetadata: {name: orders-values}\ndata:\n  values.yaml: |\n    a: 2\n"
        files = {"release.yaml": FLUX + values_from, "values-map.yaml": config_map}
        assert used(files)[0][2] == ["a: 2\n", "{a: 3}"]

    def test_a_generator_makes_the_config_map(self) -> None:
        values_from = "  valuesFrom: [{kind: ConfigMap, name: orders-values}]\n"
        generator = "configMapGenerator: [{name: orders-values, files: [values.yaml=prod.yaml]}]\n"
        files = {"release.yaml": FLUX + values_from, "envs/kustomization.yaml": generator, **PROD}
        assert used(files)[0][2] == ["<envs/prod.yaml>"]

    @pytest.mark.parametrize("kind", ["Secret", "ConfigMap"])
    def test_values_from_elsewhere_are_unknown_unless_they_are_optional(self, kind: str) -> None:
        values_from = f"  valuesFrom: [{{kind: {kind}, name: other}}]\n"
        assert used({"release.yaml": FLUX + values_from}) == []
        assert len(used({"release.yaml": FLUX + values_from.replace("other", "other, optional: true")})) == 1

    def test_values_files_replace_the_chart_s_own(self) -> None:
        listed = "      valuesFiles: [charts/orders/values.yaml, envs/prod.yaml]\n"
        assert used({"release.yaml": FLUX + listed, **PROD})[0][2] == [
            "<charts/orders/values.yaml>",
            "<envs/prod.yaml>",
        ]
        assert used({"release.yaml": FLUX + "      valuesFiles: [envs/prod.yaml]\n", **PROD}) == []


class TestHelmfile:
    def test_files_texts_and_single_values(self) -> None:
        text = (
            "releases:\n- name: orders\n  namespace: streaming\n  chart: ../charts/orders\n"
            "  values:\n  - ../envs/prod.yaml\n  - a: 3\n  set: [{name: a, value: 4}]\n"
        )
        expected = ("orders", "streaming", ["<envs/prod.yaml>", "a: 3", "a: 4"])
        assert used({"deploy/helmfile.yaml": text, **PROD}) == [expected]

    @pytest.mark.parametrize(
        "more",
        ["  installed: false\n", "  values: [missing.yaml]\n", "  values: ['{{ .x }}']\n", "  jsonPatches: [{}]\n"],
    )
    def test_other_releases_are_left_out(self, more: str) -> None:
        assert used({"helmfile.yaml": f"releases:\n- name: orders\n  chart: ./charts/orders\n{more}"}) == []


class TestTerraform:
    def test_files_objects_and_single_values(self) -> None:
        text = (
            RELEASE + '  namespace = "streaming"\n'
            '  values = [file("${path.module}/../envs/prod.yaml"), yamlencode({ a = 3 })]\n'
            '  set {\n    name = "a"\n    value = "4"\n  }\n}\n'
        )
        expected = ("orders", "streaming", ["<envs/prod.yaml>", '{"a": 3}', '{"a": 4}'])
        assert used({"infra/main.tf": text, **PROD}) == [expected]

    @pytest.mark.parametrize(
        "more",
        [
            '  values = [templatefile("v.tftpl", {})]\n',
            "  values = var.values\n",
            '  set_list {\n    name = "a"\n    value = [1]\n  }\n',
            '  repository = "https://example.org"\n',
        ],
    )
    def test_values_that_are_not_known_make_no_use(self, more: str) -> None:
        assert used({"infra/main.tf": f"{RELEASE}{more}}}\n"}) == []


class TestCommands:
    @pytest.mark.parametrize(
        ("path", "text"),
        [
            (
                "Makefile",
                "deploy:\n\thelm upgrade --install orders charts/orders \\\n\t  -n streaming -f envs/prod.yaml\n",
            ),
            (
                "deploy.sh",
                "helm --debug install orders ./charts/orders --namespace=streaming --values=envs/prod.yaml\n",
            ),
            ("charts/deploy.sh", 'helm template orders "./orders" -n streaming -f ../envs/prod.yaml\n'),
            (
                ".github/workflows/deploy.yaml",
                "jobs:\n  a:\n   steps:\n   - run: helm upgrade orders charts/orders -n streaming -f envs/prod.yaml\n",
            ),
        ],
    )
    def test_scripts_makefiles_and_steps(self, path: str, text: str) -> None:
        assert used({path: text, **PROD}) == [("orders", "streaming", ["<envs/prod.yaml>"])]

    def test_a_variable_is_an_unknown_value_of_a_known_use(self) -> None:
        text = "helm install orders charts/orders --set image.tag=$TAG -f envs/prod.yaml\n"
        assert used({"deploy.sh": text, **PROD})[0][2] == ["<envs/prod.yaml>", '{"image": {"tag": "$TAG"}}']

    def test_single_values_override_files(self) -> None:
        text = "helm install orders charts/orders --set a.b=1,c=x --set-string d=2 -f envs/prod.yaml\n"
        expected = ["<envs/prod.yaml>", '{"a": {"b": 1}, "c": "x", "d": "2"}']
        assert used({"deploy.sh": text, **PROD})[0][2] == expected

    @pytest.mark.parametrize(
        "text",
        [
            'helm install orders charts/orders -f "$ENV.yaml"\n',
            "helm install orders charts/orders --set 'a={b,c}'\n",
            "helm install orders charts/orders --set-file a=b.txt\n",
            "helm install orders stable/orders\n",
            'helm install orders "$CHART"\n',
            "helm lint charts/orders -f envs/prod.yaml\n",
        ],
    )
    def test_what_is_not_known_makes_no_use(self, text: str) -> None:
        assert used({"deploy.sh": text, **PROD}) == []
