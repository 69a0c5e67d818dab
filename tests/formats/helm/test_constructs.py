"""Each construct of templates renders to what Helm makes of it, character by character."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.helm.rendering.manifest_splitting import manifests
from tests.formats.helm.charts import rendered
from tests.formats.helm.constructs import CHART, CONSTRUCTS, FILES, VALUES, Construct


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda construct: construct.name)
def test_a_construct_renders_to_what_helm_makes_of_it(construct: Construct) -> None:
    files = {"c/Chart.yaml": CHART, "c/values.yaml": VALUES, "c/templates/construct.yaml": construct.template}
    found = rendered(files | {f"c/{name}": text for name, text in FILES.items()}, folder="c")
    assert [one.problem for one in found] == [None]
    assert found[0].text is not None
    assert found[0].text.text == manifests(construct.output)
    assert found[0].unknown == ""
