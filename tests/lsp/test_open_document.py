"""A file while it is typed: its format, its release, and findings that move with its text."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.releases import LAST_FLINK_CONF, NEWEST
from flink_flint.linter.lsp.open_document import OpenFile, likely_format, source_of
from flink_flint.linter.lsp.text_buffer import Buffer
from flink_flint.linter.model.finding import Finding, Place
from flink_flint.linter.text.spans import Span

SPRING = "server:\n  port: 8080\nspring:\n  application: {name: a}\n"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("flink-conf.yaml", "", "flink-conf"), ("flink-conf.yaml", "  \n", "flink-conf"),
        ("flink-conf.yaml", "rest.port: 1\n", "flink-conf"), ("config.yaml", "", "config.yaml"),
        ("config.yaml", "rest:\n  port: 1\nparallelism.default: 2\n", "config.yaml"),
        # Flink would refuse it: somebody is typing; and another product's.
        ("config.yaml", "rest: [\n", "config.yaml"), ("config.yaml", SPRING, None), ("notes.txt", "", None),
    ],
)  # fmt: skip
def test_which_file_is_flinks(name: str, text: str, kind: str | None) -> None:
    source = source_of(f"/nowhere/{name}", text)
    assert (source and source.file_format.kind) == kind


@pytest.mark.parametrize(
    ("name", "index"), [("flink-conf.yaml", LAST_FLINK_CONF), ("config.yaml", NEWEST), ("notes.txt", NEWEST)]
)
def test_before_a_check_the_release_is_the_newest_that_reads_the_file(name: str, index: int) -> None:
    file = OpenFile(f"/nowhere/{name}", "", 1, Buffer(""))
    assert file.index_at(0) == index
    likely = likely_format(file.path, SPRING)
    assert (likely is None) == (name == "notes.txt")


def finding(path: str, span: Span, *places: tuple[str, Span]) -> Finding:
    made = Finding("it is wrong", span, related=tuple(Place(path, span, "here") for path, span in places))
    made.path = path
    return made


def test_findings_of_other_files_move_with_the_text() -> None:
    file = OpenFile("/a", "", 1, Buffer("one\ntwo\nthree\n"))
    two, three = finding("/a", Span(4, 7)), finding("/a", Span(8, 13))
    related = finding("/a", Span(8, 13), ("/a", Span(0, 3)), ("/b", Span(0, 3)))
    file.others = [two, three, related]
    file.edit(7, 7, " and more")
    assert file.buffer.text == "one\ntwo and more\nthree\n"
    # The edit touches the end of the first.
    assert file.others == [three, related]
    assert [one.span for one in file.others] == [Span(17, 22), Span(17, 22)]
    assert [place.span for place in related.related] == [Span(0, 3), Span(0, 3)]
    file.edit(1, 2, "")
    assert file.others == [three]
    assert three.span == Span(16, 21)
