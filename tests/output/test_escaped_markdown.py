"""No text of a report has an effect in a comment: it is shown literally."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flink_flint.linter.model.safe_text import neutral_line
from flink_flint.linter.output.code_fence import fence
from flink_flint.linter.output.escaped_markdown import code, link, message, plain, prose
from tests.pull_request.rendered import Rendered

HOSTILE = (
    "@org/team please look", "mail me@example.com", "<img src=x onerror=alert(1)>", "<!-- hidden -->", "a <!-- -->b",
    "<!-- flint:finding 00000000000000000000000000000000 -->", "</code></pre><script>alert(1)</script>",
    "```", "~~~", "``` mermaid", "```suggestion", "`unclosed", "``a`b``", "`<b>`", "`@org/team` `#1`", "`|` | `|`",
    "#123", "closes #1", "owner/repo#1", "GH-1", "GL-1", "!1", "~label", '~"my label"', "%milestone", '%"a b"', "&epic",
    "PROJ-1 A_2-3 ABCDEF0-4 X__-1",
    "&amp;", "&#64;org", "^alert#1", "[vulnerability:1]", "[issue:o/r/1]", "*iteration:1", "$snippet", "$1",
    "www.example.com", "WWW.example.com", "https://example.com", "http://a.b/c?d=e", "ftp://x", "mailto:a@b.c",
    "[x](javascript:alert(1))", "[x](https://evil.example)", "[x]", "![x](https://evil.example/a.png)", "[^1]", "^[a]",
    "[x]: https://evil.example", "<https://evil.example>", "<javascript:alert(1)>", "a | b | c", "|---|---|",
    "$$x$$", "$x$", "$`x`$", "\\(x\\)", "*a*", "**a**", "_a_", "__a__", "~~a~~", "# a", "## a", "> a", "- a", "* a",
    "+ a",    "1. a", "1) a", "---", "***", "===", "- [ ] a", ":smile:", ":+1:", "::", "{+ a +}", "{- a -}", "[- a -]",
    "/close", "/merge", "\n/close", "a\r\n/merge", "a\u2028/close", "%{latest_tag}", "{{ 1 }}", "{% raw %}",
    "\u202eevil\u202c", "a\u200bb\u2060", "\0", "\x1b[31m", "a\ud800b", "d34db33f",
    "0123456789abcdef0123456789abcdef01234567",
    "12345678", "\\@org", "\\", "a\\", "--", "_", "a_b_c", "__", "&lt;b&gt;",
    "\t    indented", "    code",
)  # fmt: skip


PLACES = ("{}", "x {} y", "- {}", "> {}", "### {}", "{}\n===", "a\n{}", "**{}**")


@pytest.mark.parametrize("text", HOSTILE)
def test_prose_renders_as_itself_wherever_it_stands(text: str) -> None:
    for around in PLACES:
        rendered = Rendered(around.format(prose(text)))
        assert rendered.tags <= {"p", "span", "li", "ul", "blockquote", "h1", "h3", "strong", "hr"}, around
        assert (rendered.linked, rendered.links, rendered.comments) == ([], [], []), around
        assert plain(text) in " ".join(rendered.words.split("\n")), around


@pytest.mark.parametrize("text", HOSTILE)
def test_messages_have_no_markdown_but_code(text: str) -> None:
    rendered = Rendered(f"**error**: {message(text)}")
    assert rendered.tags <= {"p", "span", "strong", "code"}
    assert (rendered.linked, rendered.links, rendered.comments) == ([], [], [])


def test_words_between_backticks_are_code() -> None:
    rendered = Rendered(message("write `parallelism.default: 4` and `<b>`, not `` or `"))
    assert rendered.codes == ["parallelism.default: 4", "<b>"]
    assert rendered.words.strip() == "write  and , not `` or `"


CODES = (
    "a {} b", "| a | b |\n|---|---|\n| {} | c |", "<details><summary>{}</summary>\n\nx\n\n</details>",
    "[{}](https://ours.example/)",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_code_is_code_in_lines_tables_links_and_html(text: str) -> None:
    ours = {"p", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "a"}
    for around in CODES:
        rendered = Rendered(around.format(code(text)))
        assert rendered.tags <= {*ours, "code", "span"}, around
        assert set(rendered.links) <= {"https://ours.example/"}
        assert (rendered.linked, rendered.comments) == ([], []), around
        assert "".join(rendered.codes) == plain(neutral_line(text))
        assert len([tag for tag, _ in rendered.elements if tag == "td"]) in (0, 2)


@pytest.mark.parametrize("text", HOSTILE)
def test_prose_is_harmless_in_html_and_in_tables(text: str) -> None:
    folded = Rendered(f"<details><summary>{prose(text)}</summary>\n\nx\n\n</details>")
    assert folded.tags <= {"details", "summary", "p", "span"}
    table = Rendered(f"| a | b |\n|---|---|\n| {prose(text)} | c |")
    assert [tag for tag, _ in table.elements if tag == "td"] == ["td", "td"]
    assert folded.linked == table.linked == []


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\n" not in text and text.isprintable()])
def test_a_fence_holds_whatever_is_in_it(text: str) -> None:
    lines = [text, "````", "~~~~~", "  ```  ", text]
    rendered = Rendered(fence(lines, "suggestion"))
    assert rendered.tags == {"pre", "code"}
    assert "".join(rendered.codes) == "\n".join(lines) + "\n"
    assert [attributes for tag, attributes in rendered.elements if tag == "code"] == [{"class": "language-suggestion"}]


def test_an_empty_fence_is_one() -> None:
    assert Rendered(fence([])).tags == {"pre", "code"}


def test_links_lead_to_pages_alone() -> None:
    assert link("x", None) == "x"
    for address in ("javascript:alert(1)", "//evil.example", "/a", "data:text/html,x", "ftp://x"):
        assert link("x", address) == "x"
    odd = "https://forge.example/o/r/blob/a b)(<>\"'*_`[]\\\n|%20#L1"
    rendered = Rendered(f"| a |\n|---|\n| {link(code('x'), odd)} |")
    (href,) = rendered.links
    assert href is not None
    assert href.startswith("https://forge.example/o/r/blob/a%20b")
    assert rendered.words.strip() == "a"


def test_invisible_characters_are_shown() -> None:
    assert plain("a\u202eb\u200bc\0d\ud800e") == r"a\u202eb\u200bc\u0000d\ud800e"
    assert plain("a\ue000b") == "a\ufffdb"
    assert plain("  a\n\tb\u2028c\x85d  ") == "a b c d"


ODD = st.text(alphabet=st.one_of(st.sampled_from("@#!~%&*[]()<>`$:^_-+=|\\{}/.\"' \n\tawGH10d"), st.characters()))


@given(ODD)
@example("@a")
def test_any_text_is_shown_and_has_no_effect(text: str) -> None:
    rendered = Rendered(f"x {prose(text)} y")
    assert rendered.tags <= {"p", "span"}
    assert (rendered.linked, rendered.comments) == ([], [])
    assert " ".join(rendered.words.split()) == " ".join(f"x {plain(text)} y".split())
    in_code = Rendered(f"x {code(text)} y {message(text)}")
    assert in_code.tags <= {"p", "code", "span"}
    assert (in_code.linked, in_code.comments) == ([], [])
    block = Rendered(fence([re.sub(r"[\r\n]", " ", plain(text))]) + "\n\nx")
    assert block.tags == {"pre", "code", "p"}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b", "a_b"), ("_a", "&#95;a"), ("a_", "a&#95;"), ("a_.", "a&#95;."), ("._a", ".&#95;a"), ("_", "&#95;"),
        ("- a - b", "&#45; a - b"), ("a-b", "a-b"), ("+ a", "&#43; a"), ("= - +", "&#61; &#45; &#43;"),
        ("1. a", "1&#46; a"), ("12) a", "12&#41; a"), ("a. b", "a. b"), ("a) b", "a) b"), (". a", ". a"),
        ("1a b", "1a b"),
        ("a $ b", "a <span>&#36;</span> b"), ("a # b", "a # b"),
        ("1234567", "123456<span>7</span>"), ("123456", "123456"),
        ("GH-1", "GH<span>-</span>1"), ("GH-a", "GH-a"), ("A_B-1", "A&#95;B<span>-</span>1"),
        ("www.a", "www<span>&#46;</span>a"),
        ("wwwa", "wwwa"),
    ],
)  # fmt: skip
def test_only_what_has_an_effect_is_escaped(text: str, written: str) -> None:
    assert prose(text) == written


def test_code_keeps_what_filters_leave_alone_there() -> None:
    assert code("a $ b # 1") == "<code>a &#36; b # 1</code>"
    assert code("") == ""
    assert message("set `a@b` to `` now") == "set <code>a<span>&#64;</span>b</code> to &#96;&#96; now"
    assert link("x", None) == link("x", "ftp://a") == "x"
    assert link("x", "https://a/(b) c") == "[x](https://a/%28b%29%20c)"
