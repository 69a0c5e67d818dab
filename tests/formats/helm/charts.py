"""Charts for tests: files in memory, rendered by flint or by Helm."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from flink_flint.linter.formats.helm.rendering.chart_files import file_text
from flink_flint.linter.formats.helm.rendering.chart_rendering import Rendering, render_chart

CHART = "apiVersion: v2\nname: orders\nversion: 1.2.3\n"
KUBERNETES = "1.31.0"


def rendered(
    files: Mapping[str, str | bytes], values: Sequence[str] = (), folder: str = "orders", unknown_values: str = ""
) -> list[Rendering]:
    """Return what a chart renders to; `values` are the names of values files among `files`."""
    data = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    overlays = [file_text(name, data[name]) for name in values]
    return list(render_chart(folder, overlays, data, data.get, unknown_values=unknown_values))


def chart(template: str, values: str = "", **files: str) -> dict[str, str]:
    """Return the files of a chart in the folder `orders` with one template, and others by their names in the chart."""
    made = {"orders/Chart.yaml": CHART, "orders/values.yaml": values, "orders/templates/main.yaml": template}
    return made | {f"orders/{name}": text for name, text in files.items()}


def text(template: str, values: str = "", **files: str) -> str:
    """Return what a template renders to; fails if it does not."""
    found = rendered(chart(template, values, **files))
    assert [one.problem for one in found] == [None], found
    assert found[0].text is not None
    return found[0].text.text


def helm_template(
    helm: str, folder: Path, *options: str, release: str = "release-name"
) -> subprocess.CompletedProcess[str]:
    """Run `helm template`, without plugins, a cluster or the user's configuration."""
    command = [helm, "template", release, str(folder), "--kube-version", KUBERNETES, *options]
    home = {"HOME": str(folder.parent), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=home)


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files into a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
