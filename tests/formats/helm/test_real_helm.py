"""What flint renders is what the real Helm renders; `make tools` builds it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.formats.helm.charts import helm_template, rendered, write
from tests.formats.helm.constructs import CHART, CONSTRUCTS, FILES, VALUES
from tests.formats.helm.whole_charts import WHOLE_CHARTS, WholeChart

pytestmark = pytest.mark.tools

_SOURCE = re.compile(r"^---\n# Source: (.*)\n", re.MULTILINE)


@pytest.fixture(scope="module")
def helm() -> str:
    found = shutil.which("helm", path=f"{Path(sys.executable).parent}") or shutil.which("helm")
    assert found, "run make tools"
    return found


def sources(output: str) -> dict[str, str]:
    """Return what `helm template` prints for each template."""
    parts = _SOURCE.split(output)[1:]
    found: dict[str, str] = {}
    for name, content in zip(parts[::2], parts[1::2], strict=True):
        found[name] = f"{found[name]}---\n{content}" if name in found else content
    return found


def objects(text: str) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True, default=str) for one in yaml.safe_load_all(text) if one)


def test_constructs_render_to_the_expected_texts(helm: str, tmp_path: Path) -> None:
    files: dict[str, str] = {"Chart.yaml": CHART, "values.yaml": VALUES, **FILES}
    for number, construct in enumerate(CONSTRUCTS):
        files[f"templates/_{number}.tpl"] = construct.template
        include = f'{{{{ include "orders/templates/_{number}.tpl" $ | toJson }}}}'
        scope = '{{ $_ := set .Template "Name" "orders/templates/construct.yaml" }}'
        files[f"templates/{number}.yaml"] = f"{scope}text: {include}\n"
    write(tmp_path / "c", files)
    done = helm_template(helm, tmp_path / "c")
    assert done.returncode == 0, done.stderr
    found = sources(done.stdout)
    for number, construct in enumerate(CONSTRUCTS):
        text = yaml.safe_load(found[f"orders/templates/{number}.yaml"])["text"]
        assert text.replace("<no value>", "") == construct.output, construct.name  # as Helm does it in its output


@pytest.mark.parametrize("whole", WHOLE_CHARTS, ids=lambda whole: whole.name)
def test_a_whole_chart_renders_to_the_same_objects(helm: str, tmp_path: Path, whole: WholeChart) -> None:
    write(tmp_path, whole.files)
    folder = tmp_path / "orders"
    _vendor(folder)
    options = [option for name in whole.values for option in ("-f", str(tmp_path / name))]
    done = helm_template(helm, folder, *options)
    assert done.returncode == 0, done.stderr
    assert {name: objects(text) for name, text in sources(done.stdout).items()} == _of_flint(whole.files, whole)


def _vendor(folder: Path) -> None:
    """Copy charts that a ``file://`` names, as `helm dependency build` does."""
    for entry in yaml.safe_load((folder / "Chart.yaml").read_text()).get("dependencies", []):
        if entry.get("repository", "").startswith("file://"):
            source = folder / entry["repository"].removeprefix("file://")
            shutil.copytree(source, folder / "charts" / entry["name"])


def _of_flint(files: Mapping[str, str | bytes], whole: WholeChart) -> dict[str, list[str]]:
    found = {one.name: objects(one.text.text) for one in rendered(files, whole.values) if one.text is not None}
    return {name: members for name, members in found.items() if members}
