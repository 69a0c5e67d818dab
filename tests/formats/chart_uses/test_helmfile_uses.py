"""The releases of helmfiles: environments, bases, parts, templates, and values that are not in the repository."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.chart_uses.chart_use import ChartUse
from flink_flint.linter.formats.chart_uses.deploying_files import is_candidate
from flink_flint.linter.formats.chart_uses.finding_uses import FoundUses, find_uses
from flink_flint.linter.formats.chart_uses.helmfile_templates import VARIABLE

CHART = {"charts/orders/Chart.yaml": "name: orders\nversion: 1.2.0\n"}
FILES = {f"deploy/{name}.yaml": f"from: {name}\n" for name in ("values", "values-prod", "values-dev", "orders")}


def found(text: str, name: str = "helmfile.yaml", charts: list[str] | None = None, **files: str) -> FoundUses:
    """Return what a helmfile in the folder `deploy` uses, beside files named like arguments, `__` for a dot."""
    named = {f"deploy/{path.replace('__', '.')}": content for path, content in files.items()}
    data = {path: one.encode() for path, one in {**CHART, **FILES, f"deploy/{name}": text, **named}.items()}
    return find_uses([path for path in sorted(data) if is_candidate(path)], data.get, sorted(data), charts)


def uses(text: str, name: str = "helmfile.yaml", **files: str) -> list[ChartUse]:
    """Return the uses of a helmfile."""
    return list(found(text, name, **files).uses)


def values(use: ChartUse) -> list[str]:
    """Return the values of a use: the names of files, and texts."""
    return [one.path.removeprefix("deploy/") if one.text is None else str(one.text) for one in use.values]


def shown(text: str, name: str = "helmfile.yaml", **files: str) -> list[tuple[str, list[str]]]:
    """Return the labels and values of the uses of a helmfile."""
    return [(use.label, values(use)) for use in uses(text, name, **files)]


RELEASE = "releases:\n- name: orders\n  chart: ours/orders\n"


class TestCharts:
    @pytest.mark.parametrize("chart", ["ours/orders", "ours/group/orders", "../charts/orders"])
    def test_a_chart_is_found_by_its_path_or_name(self, chart: str) -> None:
        assert [use.chart for use in uses(RELEASE.replace("ours/orders", chart))] == ["charts/orders"]

    @pytest.mark.parametrize("chart", ["ours/payments", "./orders", "oci://registry/ours/orders", "/charts/orders"])
    def test_other_charts_are_not_ours(self, chart: str) -> None:
        assert uses(RELEASE.replace("ours/orders", chart)) == []

    def test_a_name_that_two_charts_have_is_not_known(self) -> None:
        assert uses(RELEASE, copy__yaml="") != []
        data = {"Chart__yaml": "name: orders\n"}
        assert uses(RELEASE, **data) == []

    def test_a_chart_within_another_is_its_copy(self) -> None:
        data = {**CHART, "charts/orders/charts/orders/Chart.yaml": "name: orders\n", "helmfile.yaml": RELEASE}
        encoded = {path: text.encode() for path, text in data.items()}
        assert len(find_uses(["helmfile.yaml"], encoded.get, sorted(data)).uses) == 1

    @pytest.mark.parametrize(("version", "is_certain"), [("1.2.0", True), ("~1.2", True), ("1.1.0", False)])
    def test_a_release_of_another_version_is_not_certain(self, version: str, is_certain: bool) -> None:
        (use,) = uses(f"{RELEASE}  version: '{version}'\n")
        assert (not use.unknown) == is_certain

    def test_charts_that_are_of_no_interest_are_left_out(self) -> None:
        assert found(RELEASE, charts=["charts/other"]).uses == []
        assert len(found(RELEASE, charts=["charts/orders"]).uses) == 1


ENVIRONMENTS = """\
environments:
  dev:
    values: [{replicas: 1, wanted: [orders]}]
  prod:
    values: [{replicas: 2, wanted: []}, settings.yaml]
---
"""


class TestEnvironments:
    def test_each_environment_has_its_values(self) -> None:
        text = (
            ENVIRONMENTS + RELEASE + "  values:\n  - values-{{ .Environment.Name }}.yaml\n"
            '  - replicas: {{ .Values.replicas }}\n    owner: {{ .Values | get "owner" "nobody" }}\n'
        )
        assert shown(text, settings__yaml="owner: me\n") == [
            ("orders, dev", ["values-dev.yaml", "owner: nobody\nreplicas: 1"]),
            ("orders, prod", ["values-prod.yaml", "owner: me\nreplicas: 2"]),
        ]

    def test_values_of_a_part_are_known_in_the_part_itself(self) -> None:
        text = "values: [{a: 1}]\n" + RELEASE + "  values: [{a: {{ .Values.a }}}]\n"
        assert shown(text) == [("orders", ["a: 1"])]

    def test_values_of_a_later_file_win_unless_the_earlier_is_to(self) -> None:
        text = (
            "environments:\n  default:\n    values: [{a: 1}, {a: 2}]\n---\n"
            + RELEASE
            + "  values: [{a: {{ .Values.a }}}]\n"
        )
        assert shown(text) == [("orders", ["a: 2"])]
        assert shown(text.replace("    values", "    mergeStrategy: fallback\n    values")) == [("orders", ["a: 1"])]

    def test_a_file_of_values_may_be_a_template(self) -> None:
        text = (
            "environments:\n  dev:\n    values: [env.yaml.gotmpl]\n---\n"
            + RELEASE
            + "  values: [{a: {{ .Values.a }}}]\n"
        )
        template = "a: {{ .Environment.Name }}\n"
        assert shown(text, env__yaml__gotmpl=template) == [("orders, dev", ["a: dev"])]

    def test_the_condition_of_a_release_is_evaluated(self) -> None:
        condition = "  installedTemplate: '{{`{{ has .Release.Name .Values.wanted }}`}}'\n"
        assert [label for label, _ in shown(ENVIRONMENTS + RELEASE + condition, settings__yaml="")] == ["orders, dev"]

    def test_a_condition_may_name_a_value(self) -> None:
        text = (
            "environments:\n  default:\n    values: [{orders: {enabled: %s}}]\n---\n"
            + RELEASE
            + "  condition: orders.enabled\n"
        )
        assert len(shown(text % "true")) == 1
        assert shown(text % "false") == []

    def test_what_an_unknown_condition_decides_is_not_used(self) -> None:
        text = '{{ if env "ORDERS" }}\n' + RELEASE + "{{ end }}\n"
        assert shown(text) == []
        assert shown(RELEASE + '  {{- if env "FORCE" }}\n  force: true\n  {{- end }}\n') == [("orders", [])]
        assert shown(RELEASE + '  {{- if env "FORCE" }}\n  values: [values.yaml]\n  {{- end }}\n') == []

    def test_a_variable_of_the_environment_is_an_unknown_value(self) -> None:
        text = RELEASE + '  values: [{a: {{ requiredEnv "TAG" }}, b: "x-{{ env "TAG" }}", c: 1}]\n'
        assert shown(text) == [("orders", [f"a: {VARIABLE}\nb: {VARIABLE}\nc: 1"])]

    @pytest.mark.parametrize("name", ['{{ env "NAME" }}', '{{ exec "name" (list) }}', "{{ .Values.missing }}"])
    def test_a_chart_that_is_unknown_is_not_used(self, name: str) -> None:
        assert shown(RELEASE.replace("ours/orders", f"ours/{name}")) == []


class TestReleases:
    def test_templates_of_a_release_know_it(self) -> None:
        text = RELEASE + "  values:\n  - '{{`{{ .Release.Name }}`}}.yaml'\n"
        assert shown(text) == [("orders", ["orders.yaml"])]

    def test_a_file_that_is_not_rendered_has_templates_of_releases(self) -> None:
        assert shown(RELEASE + "  values: ['{{ .Release.Name }}.yaml']\n") == [("orders", ["orders.yaml"])]

    def test_anchors_and_inherited_templates(self) -> None:
        anchor = "templates:\n  default: &default\n    chart: ours/orders\n    values: [values.yaml]\n"
        assert shown(anchor + "releases:\n- name: a\n  <<: *default\n") == [("a", ["values.yaml"])]
        inherits = "releases:\n- name: a\n  inherit: [{template: default}]\n  values: [orders.yaml]\n"
        assert shown(anchor + inherits) == [("a", ["values.yaml", "orders.yaml"])]
        assert shown(anchor + inherits.replace("default}", "default, except: [values]}")) == [("a", ["orders.yaml"])]
        assert shown("defaultInherit: [default]\n" + anchor + "releases: [{name: a}]\n") == [("a", ["values.yaml"])]

    def test_a_base_has_releases_and_environments(self) -> None:
        base = "environments:\n  dev:\n    values: [{a: 1}]\n" + RELEASE.replace("name: orders", "name: base")
        text = "bases: [base.yaml]\n---\n" + RELEASE + "  values: [{a: {{ .Values.a }}}]\n"
        assert shown("bases: [base.yaml]\n" + RELEASE, base__yaml=base) == [("base, dev", []), ("orders, dev", [])]
        assert shown(text, base__yaml=base) == [("orders, dev", ["a: 1"])]

    def test_values_templates_and_single_values_in_order(self) -> None:
        text = (
            RELEASE + "  valuesTemplate: [{a: '{{`{{ .Release.Name }}`}}'}]\n  values: [values.yaml]\n"
            "  set: [{name: a.b, value: 'true'}]\n  setString: [{name: a.c, value: 'true'}]\n"
        )
        assert shown(text) == [("orders", ["a: orders", "values.yaml", "a:\n  b: true", 'a:\n  c: "true"'])]

    def test_a_values_file_may_be_a_template(self) -> None:
        text = "values: [{slots: 4}]\n---\n" + RELEASE + "  values: [prod.yaml.gotmpl]\n"
        template = "slots: {{ .Values.slots }}\nname: {{ .Release.Name }}\n"
        assert shown(text, prod__yaml__gotmpl=template) == [("orders", ["slots: 4\nname: orders\n"])]

    def test_places_are_those_in_the_helmfile(self) -> None:
        more = "  values: [{a: '{{ .Environment.Name }}', b: four}]\n  set: [{name: c, value: five}]\n"
        text = ENVIRONMENTS + RELEASE + more
        for number, word in enumerate(("four", "five")):
            values_text = uses(text, settings__yaml="")[0].values[number].text
            assert values_text is not None
            places = [one.origin for one in values_text.fragments if one.text == word]
            assert [text[place.span.start : place.span.end] for place in places if place is not None] == [word]


class TestMissingValues:
    OUTSIDE = "  values: [/etc/secrets.yaml, values.yaml]\n"

    def test_a_file_outside_of_the_repository_makes_the_release_uncertain(self) -> None:
        for lenient in ("", "  missingFileHandler: Warn\n"):
            (use,) = uses(RELEASE + lenient + self.OUTSIDE)
            assert values(use) == ["values.yaml"]
            assert use.unknown
        assert not uses(RELEASE + "  values: [values.yaml]\n")[0].unknown

    def test_so_do_secrets(self) -> None:
        (use,) = uses(RELEASE + "  secrets: [secrets.yaml]\n")
        assert use.unknown

    @pytest.mark.parametrize("handler", ["Warn", "Info", "Debug"])
    def test_a_missing_file_of_the_repository_is_skipped_if_it_may(self, handler: str) -> None:
        missing = "  values: [missing.yaml, values.yaml]\n"
        assert shown(RELEASE + f"  missingFileHandler: {handler}\n" + missing) == [("orders", ["values.yaml"])]
        assert shown(f"missingFileHandler: {handler}\n" + RELEASE + missing) == [("orders", ["values.yaml"])]
        assert shown(RELEASE + missing) == []

    def test_the_values_of_a_release_that_is_not_known_are_not_whole(self) -> None:
        text = RELEASE + "  jsonPatches: [{}]\n  values: ['values-{{ .Environment.Name }}.yaml', values.yaml]\n"
        assert found(text).unseen == {"deploy/values.yaml", "deploy/values-prod.yaml", "deploy/values-dev.yaml"}
        assert found(RELEASE + "  values: [values.yaml]\n").unseen == frozenset()


class TestIncludedHelmfiles:
    def test_an_included_helmfile_gets_values(self) -> None:
        text = "helmfiles:\n- path: apps/orders.yaml\n  values: [{a: 2}]\n"
        inner = "values: [{a: 1}]\n---\n" + RELEASE + "  values: [{a: {{ .Values.a }}}]\n"
        data = {**CHART, "helmfile.yaml": text, "apps/orders.yaml": inner}
        encoded = {path: one.encode() for path, one in data.items()}
        (use,) = find_uses(["helmfile.yaml"], encoded.get, sorted(data)).uses
        assert (use.source, values(use)) == ("apps/orders.yaml", ["a: 2"])

    def test_it_is_not_used_once_more_by_itself(self) -> None:
        data = {**CHART, "helmfile.yaml": "helmfiles: [apps/*/helmfile.yaml]\n", "apps/a/helmfile.yaml": RELEASE}
        encoded = {path: one.encode() for path, one in data.items()}
        paths = sorted(path for path in data if path.endswith("helmfile.yaml"))
        assert len(find_uses(paths, encoded.get, sorted(data)).uses) == 1

    def test_one_that_includes_itself_ends(self) -> None:
        data = {**CHART, "helmfile.yaml": "helmfiles: [helmfile.yaml]\n" + RELEASE}
        encoded = {path: one.encode() for path, one in data.items()}
        assert find_uses(["helmfile.yaml"], encoded.get, sorted(data)).uses


@pytest.mark.parametrize(
    "text",
    [
        "{{ range until 100000 }}{{ range until 100000 }}x{{ end }}{{ end }}",
        "a: &a [1]\nb: &b [*a, *a]\n" + RELEASE + "{{",
        "releases: {{ .Values",
        "- 1\n",
        "",
    ],
)
def test_other_texts_make_no_uses(text: str) -> None:
    assert uses(text + "\n# chart: ours/orders\n") == []
