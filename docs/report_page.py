"""The page on output formats, docs/reports.md: what each is for, and one small report in all of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from docs.markdown import fenced, prose, table
from flink_flint.linter.output import FORMATS, report_format

PAGE = "reports.md"

ROOT = Path(__file__).resolve().parent.parent

_FILE = "flink-conf.yaml"
_TEXT = """\
state.backend.type: rocksdb
akka.framesize: 20m
blob.storage.directory: /tmp/blobs
"""
_WORDS = ("--flink-version", "1.20", "--select", "FLK003,FLK101")
_MAX_LINES = 48
_LANGUAGES = {
    "json": "json", "json-lines": "json", "gitlab": "json", "sarif": "json", "rdjson": "json", "junit": "xml",
    "checkstyle": "xml", "markdown": "markdown",
}  # fmt: skip


_COVERAGE = (
    "## Coverage and suppressed findings",
    "",
    (
        "The JSON report also says what was read and what is suppressed. SARIF has `suppressed` and `coverage` in the "
        "properties of the run and each unread file as a notification; the summaries for people have the same numbers."
    ),
    "",
    *table(
        ("field", "meaning"),
        (
            (
                "`suppressed`",
                (
                    "the number of findings suppressed by a `comment` (or an annotation), by the `baseline`, or by "
                    "`ignore` in flint's configuration (`flint_toml`)"
                ),
            ),
            (
                "`silenced`",
                "each of them: `code`, `path`, `line`, `by`, `at` (the line that suppresses it) and its `reason`",
            ),
            ("`coverage.read`, `coverage.files`", "the files that were read"),
            (
                "`coverage.skipped`",
                (
                    "files and folders that were not read, with the `reason`: `.gitignore`, `exclude`, or a missing "
                    "package; `unread` means that it is a Flink file"
                ),
            ),
            (
                "`fix.safety`",
                (
                    "`safe` only if the run was checked again with the fix: its finding is gone, no document has a "
                    "new warning or error, and no process has different memory; `fix.doubt` says why a fix is not safe"
                ),
            ),
            ("`coverage.unreadable`", "files that could not be read, with the `reason`; the exit status is 2"),
            ("`settings`", "the flint configuration files of the run, with a digest of their contents"),
            (
                "`comparison`",
                (
                    "with `--diff-base`: `settings`, `hidden`, `newly_suppressed`, `no_longer_read`, `unreadable`, "
                    "`moved`, `fixed`, `remaining`, the `deployments` of the base; `findings` are those of the change"
                ),
            ),
        ),
    ),
)


def page() -> str:
    """Return the page: an overview of the formats, then each with a sample."""
    links = ((f"[`{name}`](#{name})", _purpose(name)) for name in FORMATS)
    lines = [
        "# Reports",
        "",
        (
            "`flint check --output-format FORMAT` selects the format of the findings; `--output-file FILE` writes "
            "them to a file. Both can be repeated, in pairs, so that one run writes output for people and programs:"
        ),
        "",
        *fenced("flint check --output-format json --output-file flint.json --output-format full", ""),
        "",
        *table(("format", "what it is for"), links),
        "",
        *_COVERAGE,
        "",
        "The samples below show the findings of this file in each format. All formats mask values of secret keys.",
        "",
        f"`{_FILE}`",
        "",
        *fenced(_TEXT, "yaml"),
    ]
    for name in FORMATS:
        lines += ["", f"## {name}", "", _purpose(name), "", *_sample(name)]
    return "\n".join(lines) + "\n"


def _purpose(name: str) -> str:
    first = " ".join((report_format(name).__doc__ or "").strip().partition("\n\n")[0].split())
    return prose(first)


def _sample(name: str) -> Iterator[str]:
    lines = _printed(name).splitlines()
    yield from fenced(f"$ flint check {' '.join(_WORDS)} --output-format {name}", "console")
    cut = [*lines[:_MAX_LINES], "…"] if len(lines) > _MAX_LINES else lines
    yield from ("", *fenced("\n".join(cut), _LANGUAGES.get(name, "")))


def _printed(name: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".git").mkdir()
        (Path(folder) / _FILE).write_text(_TEXT, encoding="utf-8")
        # On a build server some formats write paths as that server requires.
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("FORCE_", "GITHUB_", "CI"))}
        done = subprocess.run(
            [sys.executable, "-m", "flink_flint", "check", *_WORDS, "--output-format", name],
            cwd=folder, capture_output=True, encoding="utf-8", check=False,
            env={**kept, "COLUMNS": "76", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    if done.returncode not in (0, 1):
        raise RuntimeError(f"flint check --output-format {name}: {done.stderr}")
    return done.stdout
