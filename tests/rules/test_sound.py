"""Every rule is silent on what is sound: configurations written for it, and Flink's own defaults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, MINORS
from flink_flint.linter.formats import file_formats
from flink_flint.linter.model.finding import Finding, Severity

CORPUS = Path(__file__).parent.parent / "corpus" / "sound"

NEEDS_MORE = (
    "restart-strategy.", "pipeline.max-parallelism", "jobmanager.memory.off-heap.size",
    "kubernetes.rest-service.exposed.type",
)  # fmt: skip
"""Options whose default is not what their absence means, is unsafe, or means nothing without another option."""


def loud(findings: list[Finding]) -> list[str]:
    return [f"{f.severity.word} {f.code} {f.key}: {f.message}" for f in findings if f.severity > Severity.INFO]


@pytest.mark.parametrize("folder", sorted(path.name for path in CORPUS.iterdir()))
def test_sound_configurations(folder: str) -> None:
    release = folder.partition("-")[0]
    options = Options(flink_version=release, ignore=("vulnerable-release",), include_tests=True)
    known = check(find([str(CORPUS / folder)]), options)
    assert known.files == 1
    assert not known.crashed
    assert loud(known.findings) == []
    unknown = check(find([str(CORPUS / folder)]), Options(include_tests=True))
    assert [finding for finding in unknown.findings if finding.severity == Severity.ERROR] == []


def spell(option: Option) -> str | None:
    """A default as a file holds it; None for one that no file can hold as it is."""
    default = option.default
    if not option.has_default or default is None or option.deprecated or option.templated:
        return None
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, list):
        default = ";".join(map(str, default))
    if isinstance(default, dict):
        default = ",".join(f"{key}:{value}" for key, value in default.items())
    text = str(default)
    return text if text and not set(text) & set("$#\n") else None


@pytest.mark.parametrize("index", range(len(MINORS)), ids=MINORS)
def test_the_defaults_of_every_release(index: int) -> None:
    sizes = ["taskmanager.memory.process.size: 1728m", "jobmanager.memory.process.size: 1600m"]
    lines = sizes[:index]  # they came with 1.10 and 1.11
    for option in catalogue().keys(index):
        text = spell(option)
        if text is not None and not option.key.startswith(NEEDS_MORE):
            lines.append(f"{option.key}: {json.dumps(text) if index >= FIRST_CONFIG_YAML else text}")
    name = "config.yaml" if index >= FIRST_CONFIG_YAML else "flink-conf.yaml"
    file_format = next(file_format for file_format in file_formats() if file_format.named(name))
    source = Source(f"/nowhere/{name}", ("\n".join(lines) + "\n").encode(), file_format)
    report = check([source], Options(flink_version=MINORS[index], ignore=("vulnerable-release",)))
    assert len(lines) > 250
    assert not report.crashed
    assert loud(report.findings) == []
