"""The Applications of an Argo CD ApplicationSet, for each set of parameters that its generators find here."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.chart_uses.chart_use import ChartUse
from flink_flint.linter.formats.chart_uses.deploying_files import is_candidate
from flink_flint.linter.formats.chart_uses.finding_uses import find_uses

FILES = {
    "charts/orders/Chart.yaml": "name: orders\n",
    "envs/dev/values.yaml": "a: 2\n",
    "envs/dev/config.json": '{"env": {"name": "dev", "slots": 2}, "release": "o-dev"}',
    "envs/prod/values.yaml": "a: 3\n",
    "envs/prod/config.json": '{"env": {"name": "prod", "slots": 4}, "release": "o-prod"}',
    "envs/.hidden/values.yaml": "a: 4\n",
}
HEAD = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all}\nspec:\n"
TEMPLATE = """\
  template:
    metadata: {name: 'NAME'}
    spec:
      source:
        path: charts/orders
        helm:
          valueFiles: ['../../FOLDER/values.yaml']
          parameters: [{name: slots, value: 'SLOTS'}]
"""


def application_set(generators: str, name: str, folder: str, slots: str = "1", *, is_go: bool = False) -> str:
    template = TEMPLATE.replace("NAME", name).replace("FOLDER", folder).replace("SLOTS", slots)
    return f"{HEAD}{'  goTemplate: true' if is_go else ''}\n  generators:\n{generators}{template}"


def uses(text: str, files: dict[str, str] | None = None) -> list[ChartUse]:
    data = {path: text.encode() for path, text in {**FILES, "set.yaml": text, **(files or {})}.items()}
    return list(find_uses([path for path in sorted(data) if is_candidate(path)], data.get, sorted(data)).uses)


def used(text: str) -> list[tuple[str, str, str]]:
    """Return the name, the values file and the parameters of each use."""
    return [(use.name, use.values[0].path, str(use.values[1].text)) for use in uses(text)]


DEV, PROD = ("dev", "envs/dev/values.yaml", '{"slots": 1}'), ("prod", "envs/prod/values.yaml", '{"slots": 1}')
DIRECTORIES = "  - git: {directories: [{path: 'envs/*'}]}\n"
PARAMETERS = (
    ("{{path.basename}}", "{{ path }}", False), ("{{path[1]}}", "envs/{{path.basenameNormalized}}", False),
    ("{{.path.basename}}", "{{ .path.path }}", True), ("{{index .path.segments 1}}", "{{.path.path}}", True),
    ("{{ .path.basename | lower }}", "envs/{{ .nothing | default .path.basename }}", True),
)  # fmt: skip


class TestGit:
    @pytest.mark.parametrize(("name", "folder", "is_go"), PARAMETERS)
    def test_a_folder_is_a_set(self, name: str, folder: str, is_go: bool) -> None:
        assert used(application_set(DIRECTORIES, name, folder, is_go=is_go)) == [DEV, PROD]

    def test_excluded_folders_make_none_whatever_the_order(self) -> None:
        generators = "  - git: {directories: [{path: envs/d*, exclude: true}, {path: envs/*}]}\n"
        assert used(application_set(generators, "{{path.basename}}", "{{path}}")) == [PROD]

    def test_wildcards_of_folders_do_not_cross_slashes_those_of_files_do(self) -> None:
        folders = "  - git: {directories: [{path: '*'}]}\n"
        assert used(application_set(folders, "x", "{{path}}")) == []
        files = "  - git: {files: [{path: 'e*.json'}]}\n"
        assert used(application_set(files, "{{path.basename}}", "{{path}}")) == [DEV, PROD]

    @pytest.mark.parametrize(
        ("name", "folder", "slots", "is_go"),
        [
            ("{{release}}", "{{path}}", "{{env.slots}}", False),
            ("{{.release}}", "{{.path.path}}", "{{.env.slots}}", True),
            ("{{.release}}", "envs/{{.env.name}}", '{{if eq .env.name "dev"}}2{{else}}4{{end}}', True),
        ],
    )
    def test_a_file_is_a_set(self, name: str, folder: str, slots: str, is_go: bool) -> None:
        generators = "  - git: {files: [{path: 'envs/**/config.json'}]}\n"
        assert used(application_set(generators, name, folder, slots, is_go=is_go)) == [
            ("o-dev", "envs/dev/values.yaml", '{"slots": 2}'),
            ("o-prod", "envs/prod/values.yaml", '{"slots": 4}'),
        ]

    def test_a_file_with_a_list_is_several_sets(self) -> None:
        generators = "  - git: {files: [{path: all.yaml}]}\n"
        text = application_set(generators, "{{env}}", "envs/{{env}}")
        assert [one.name for one in uses(text, {"all.yaml": "- env: dev\n- env: prod\n"})] == ["dev", "prod"]

    def test_values_of_a_generator_and_its_prefix(self) -> None:
        generators = (
            "  - git:\n      directories: [{path: envs/dev}]\n      pathParamPrefix: here\n"
            "      values: {slots: '1', name: '{{here.path.basename}}'}\n"
        )
        assert used(application_set(generators, "{{values.name}}", "{{here.path}}", "{{values.slots}}")) == [DEV]

    def test_places_are_in_the_file_of_the_parameter(self) -> None:
        generators = "  - git: {files: [{path: envs/dev/config.json}]}\n"
        (use,) = uses(application_set(generators, "{{release}}", "{{path}}", "{{env.slots}}"))
        text = use.values[1].text
        assert text is not None
        places = {one.text: one.origin for one in text.fragments if one.origin is not None}
        assert places["2"].path == "envs/dev/config.json"
        assert FILES["envs/dev/config.json"][slice(*places["2"].span)] == "2"
        assert places['"slots"'].path == "set.yaml"


class TestOthers:
    def test_an_element_of_a_list_is_a_set(self) -> None:
        generators = "  - list: {elements: [{env: dev, n: '1'}, {env: prod, n: '1'}]}\n"
        assert used(application_set(generators, "{{env}}", "envs/{{env}}", "{{n}}")) == [DEV, PROD]

    def test_a_matrix_combines_and_its_second_generator_uses_the_first(self) -> None:
        listed = "{list: {elements: [{env: prod}]}}"
        files = "{git: {files: [{path: 'envs/{{env}}/config.json'}]}}"
        generators = f"  - matrix: {{generators: [{listed}, {files}]}}\n"
        assert used(application_set(generators, "{{env}}", "{{path}}")) == [PROD]

    def test_a_merge_overrides_by_key(self) -> None:
        first = "{list: {elements: [{env: dev, n: '1'}, {env: prod, n: '2'}]}}"
        other = "{list: {elements: [{env: prod, n: '1'}, {env: test, n: '5'}]}}"
        generators = f"  - merge: {{mergeKeys: [env], generators: [{first}, {other}]}}\n"
        assert used(application_set(generators, "{{env}}", "envs/{{env}}", "{{n}}")) == [DEV, PROD]

    def test_labels_select_sets(self) -> None:
        generators = (
            "  - list: {elements: [{env: dev}, {env: prod}]}\n    selector: {matchLabels: {env: prod}}\n"
            "  - list: {elements: [{env: dev}, {env: prod}]}\n"
            "    selector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}\n"
        )
        assert used(application_set(generators, "{{env}}", "envs/{{env}}")) == [PROD, DEV]

    @pytest.mark.parametrize("is_go", [False, True])
    def test_clusters_are_unknown_and_what_does_not_depend_on_them_is_known(self, is_go: bool) -> None:
        name, folder = ("{{.name}}", "{{.path.path}}") if is_go else ("{{name}}", "{{path}}")
        git = DIRECTORIES.strip().removeprefix("- ")
        generators = f"  - matrix: {{generators: [{{clusters: {{}}}}, {{{git}}}]}}\n"
        assert used(application_set(generators, name, folder, is_go=is_go)) == [("", *DEV[1:]), ("", *PROD[1:])]
        assert used(application_set("  - clusters: {}\n", "x", name, is_go=is_go)) == []
        assert used(application_set("  - clusters: {}\n", "x", "envs/dev", name, is_go=is_go)) == []

    @pytest.mark.parametrize(
        "text",
        [
            application_set("  - git: {directories: [{path: elsewhere/*}]}\n", "{{path.basename}}", "{{path}}"),
            application_set("  - list: {elements: [{a: b}], template: {}}\n", "{{a}}", "envs/dev"),
            application_set("  - matrix: {generators: [{clusters: {}}]}\n", "{{a}}", "envs/dev"),
            application_set(DIRECTORIES, "x", "envs/{{ normalize .path.basename }}", is_go=True),
            application_set(DIRECTORIES, "{{a}}", "{{path}}") + "  templatePatch: |\n    spec: {source: {path: x}}\n",
        ],
    )
    def test_what_is_not_known_makes_no_use(self, text: str) -> None:
        assert used(text) == []

    def test_text_in_blocks_keeps_its_lines(self) -> None:
        values = "          values: |\n            a: {{n}}\n            b: 'x\"y'\n            {{k}}: 2\n"
        generators = "  - list: {elements: [{n: '1', k: c}]}\n"
        (use,) = uses(application_set(generators, "{{n}}", "envs/dev") + values)
        assert str(use.values[1].text) == "a: 1\nb: 'x\"y'\nc: 2\n"

    def test_the_number_of_sets_is_bounded(self) -> None:
        elements = ", ".join(f"{{a{n}: x}}" for n in range(400))
        listed = f"{{list: {{elements: [{elements}]}}}}"
        nested = f"{{matrix: {{generators: [{listed}, {listed}]}}}}"
        generators = f"  - matrix: {{generators: [{nested}, {nested}]}}\n"
        assert len(uses(application_set(generators, "{{a1}}", "envs/dev"))) == 100
        pattern = "*a" * 100
        assert used(application_set(f"  - git: {{files: [{{path: '{pattern}'}}]}}\n", "x", "{{path}}")) == []
