"""How the lines at a finding are shown."""

from __future__ import annotations

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.formats import file_formats

LINE = "blob.storage.directory: /tmp/blobs"


@pytest.mark.parametrize(
    ("comment", "end"), [("", ""), (" # why", " # why"), (f" #{'x' * 3_000}", "x…")], ids=["short", "whole", "long"]
)
def test_only_a_line_that_is_cut_ends_in_an_ellipsis(comment: str, end: str) -> None:
    name = "flink-conf.yaml"
    file_format = next(one for one in file_formats() if one.named(name))
    source = Source(f"/nowhere/{name}", f"{LINE}{comment}\n".encode(), file_format)
    (finding,) = check([source], Options(select=("blob-storage-in-tmp",))).findings
    (shown,) = finding.where.excerpt.lines
    assert str(shown).startswith(LINE)
    assert str(shown).endswith(end or LINE)
