"""Fixes and accepted findings as an editor offers them."""

from __future__ import annotations

import pytest

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.lsp.code_actions import Action, acceptance_of, all_safe_fixes, fix_of
from flink_flint.linter.lsp.text_buffer import Buffer
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.text.spans import apply_edits

OPTIONS = Options(flink_version="1.20")
JSON = """{
  "apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": {"name": "a"},
  "spec": {"flinkVersion": "v1_20", "flinkConfiguration": {"blob.storage.directory": "/tmp/a"}}
}
"""


def opened(name: str, text: str) -> tuple[Source, Buffer]:
    file_format = file_format_of(name, text, trust_name=True)
    assert file_format is not None
    return Source(name, text.encode(), file_format), Buffer(text)


def found(source: Source, rule: str) -> Finding:
    return next(one for one in check([source], OPTIONS).findings if one.rule == rule)


def alone(source: Source) -> Report:
    return check([source], OPTIONS)


def after(buffer: Buffer, action: Action | None) -> str | None:
    return None if action is None else apply_edits(buffer.text, list(action.edits))


@pytest.mark.parametrize(
    ("text", "rule", "fixed", "is_safe"),
    [
        ("akka.framesize: 20971520b\n", "deprecated-key", "pekko.framesize: 20971520b\n", True),
        ("akka.framesize: 20971520b", "deprecated-key", "pekko.framesize: 20971520b", True),
        ("a.b: 1\nakka.framesize: 20971520b\n", "deprecated-key", "a.b: 1\npekko.framesize: 20971520b\n", True),
        ("blob.storage.directory: /tmp/a\n", "blob-storage-in-tmp", None, True),
    ],
)
def test_a_fix_is_offered_if_it_holds(text: str, rule: str, fixed: str | None, is_safe: bool) -> None:
    source, buffer = opened("flink-conf.yaml", text)
    action = fix_of(found(source, rule), source, source.file_format.read(source.path, source.data), alone)
    assert after(buffer, action) == fixed
    assert action is None or action.is_safe == is_safe


def test_without_documents_there_is_no_fix() -> None:
    source, _ = opened("flink-conf.yaml", "akka.framesize: 20971520b\n")
    assert fix_of(found(source, "deprecated-key"), source, [], alone) is None


def test_there_is_no_fix_of_a_setting_that_is_gone() -> None:
    before, _ = opened("flink-conf.yaml", "akka.framesize: 20971520b\n")
    source, _ = opened("flink-conf.yaml", "rest.port: 1\n")
    documents = source.file_format.read(source.path, source.data)
    assert fix_of(found(before, "deprecated-key"), source, documents, alone) is None


def test_a_fix_that_brings_another_finding_says_so() -> None:
    # With the new name, the file sets one option twice to different values.
    source, _ = opened("flink-conf.yaml", "akka.framesize: 20971520b\nakka.framesize: 10485760b\n")
    documents = source.file_format.read(source.path, source.data)
    actions = [fix_of(one, source, documents, alone) for one in check([source], OPTIONS).findings if one.proposed]
    assert [(one.title, one.is_safe) for one in actions if one is not None] == [
        ("delete the dead akka.framesize", True),
        ("write pekko.framesize (it would cause FLK006 (error) in flink-conf.yaml)", False),
    ]


@pytest.mark.parametrize(
    ("before", "fixed", "count"),
    [
        ("akka.framesize: 20971520b\n", "pekko.framesize: 20971520b\n", 1),
        ("a.b: 1\nakka.framesize: 20971520b\nc.d: 2\n", "a.b: 1\npekko.framesize: 20971520b\nc.d: 2\n", 1),
        (
            "akka.framesize: 20971520b\nakka.tcp.timeout: 10 s\n",
            "pekko.framesize: 20971520b\npekko.tcp.timeout: 10 s\n",
            2,
        ),
        ("rest.port: 8081\n", None, 0),
    ],
)
def test_all_safe_fixes_are_one_edit(before: str, fixed: str | None, count: int) -> None:
    source, buffer = opened("flink-conf.yaml", before)
    action = all_safe_fixes([source], OPTIONS)
    assert after(buffer, action) == fixed
    if action is not None:
        assert action.title == f"Fix all that can be fixed safely ({count})"
        (edit,) = action.edits
        # As small as it can be: what is equal at both ends stays.
        assert before[edit.span.start : edit.span.end][:1] != edit.text[:1]
        assert before[edit.span.start : edit.span.end][-1:] != edit.text[-1:]


MARK = "# flint: ignore[blob-storage-in-tmp]"


@pytest.mark.parametrize(
    ("name", "text", "accepted"),
    [
        ("flink-conf.yaml", "blob.storage.directory: /tmp/a\n", f"{MARK}\nblob.storage.directory: /tmp/a\n"),
        ("flink-conf.yaml", "blob.storage.directory: /tmp/a", f"{MARK}\nblob.storage.directory: /tmp/a"),
        (
            "flink-conf.yaml",
            "a.b: 1\r\nblob.storage.directory: /tmp/a",
            f"a.b: 1\r\n{MARK}\r\nblob.storage.directory: /tmp/a",
        ),
        (
            "config.yaml",
            "blob:\n  storage:\n    directory: /tmp/a\n",
            f"blob:\n  storage:\n    {MARK}\n    directory: /tmp/a\n",
        ),
    ],
)
def test_a_finding_is_accepted_above_its_line(name: str, text: str, accepted: str) -> None:
    source, buffer = opened(name, text)
    finding = found(source, "blob-storage-in-tmp")
    documents = source.file_format.read(source.path, source.data)
    action = acceptance_of(finding, source, buffer, documents)
    assert after(buffer, action) == accepted
    assert action is not None
    assert action.title == "Accept FLK101 blob-storage-in-tmp here"
    assert acceptance_of(finding, source, buffer, []) is None
    # It is accepted then.
    again, _ = opened(name, accepted)
    assert "blob-storage-in-tmp" not in {one.rule for one in check([again], OPTIONS).findings}


def test_a_file_without_comments_accepts_nothing() -> None:
    source, buffer = opened("deployment.json", JSON)
    documents = source.file_format.read(source.path, source.data)
    assert acceptance_of(found(source, "blob-storage-in-tmp"), source, buffer, documents) is None
