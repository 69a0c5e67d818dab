"""The page on output formats, docs/reports.md: what each is for, and one small check in all of them."""

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
    "## What was read, and what is suppressed",
    "",
    (
        "The JSON report says what the findings leave out. SARIF has `suppressed` and `coverage` in the properties of "
        "the run and each unread file as a notification; the summaries for people count the same."
    ),
    "",
    *table(
        ("field", "what it is"),
        (
            (
                "`suppressed`",
                (
                    "how many findings a `comment` (an annotation too), the `baseline` or `ignore` of the settings "
                    "(`flint_toml`) silences"
                ),
            ),
            (
                "`silenced`",
                "each of them: `code`, `path`, `line`, `by`, `at` (the line that silences it) and its `reason`",
            ),
            ("`coverage.read`, `coverage.files`", "the files that were read"),
            (
                "`coverage.skipped`",
                (
                    "files and folders that were not, with the `reason`: `.gitignore`, `exclude`, or a package that is "
                    "missing; `unread` says that it is a file of Flink"
                ),
            ),
            (
                "`fix.safety`",
                (
                    "`safe` only where the run was judged again with the fix: its finding is gone, no document has a "
                    "new warning or error, and no process other memory; `fix.doubt` says what speaks against it"
                ),
            ),
            ("`coverage.unreadable`", "files that could not be read, with the `reason`; the exit status is 2"),
            ("`settings`", "the settings files that the run was judged by, with a digest of what they say"),
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
    """The page: formats at a glance, then each with what it prints."""
    links = ((f"[`{name}`](#{name})", _purpose(name)) for name in FORMATS)
    lines = [
        "# Reports",
        "",
        (
            "`flint check --output-format FORMAT` chooses the format of the findings; `--output-file FILE` writes "
            "them there. Both may be given several times, in pairs, so that one run serves people and programs:"
        ),
        "",
        *fenced("flint check --output-format json --output-file flint.json --output-format full", ""),
        "",
        *table(("format", "what it is for"), links),
        "",
        *_COVERAGE,
        "",
        "Below, each format tells of this file. Values of secret keys are masked in all of them.",
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
        # On a build server some formats name files as that server wants them.
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("FORCE_", "GITHUB_", "CI"))}
        done = subprocess.run(
            [sys.executable, "-m", "flink_flint", "check", *_WORDS, "--output-format", name],
            cwd=folder, capture_output=True, encoding="utf-8", check=False,
            env={**kept, "COLUMNS": "76", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    if done.returncode not in (0, 1):
        raise RuntimeError(f"flint check --output-format {name}: {done.stderr}")
    return done.stdout
