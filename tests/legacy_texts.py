"""Hypothesis strategies for texts of a `flink-conf.yaml`, ordinary and unusual ones."""

from __future__ import annotations

from hypothesis import strategies as st

_KEYS = (
    "a", "a.b", "a.b.c", "a.b.c.d", "a.b.d", "a.c", "b", "b.a", "state.backend", "state.backend.incremental",
    "restart-strategy", "restart-strategy.fixed-delay.attempts", "restart-strategy.fixed-delay.delay",
    "high-availability", "high-availability.storageDir", "env.java.opts", "env.java.opts.taskmanager",
    "jobmanager.rpc.address", "jobmanager.rpc.port", "taskmanager.numberOfTaskSlots", "s3.secret-key", "a.", ".a",
    "a..b", ".", "..", "a.b.", "1", "1.2", "true", "null", "yes.no", "~", "a b", "a b.c", "a'b", 'a"b.c', "a\\b", "-",
    "- a", "? a", "!a", "&a", "*a", "{a", "[a", "a:", "a:b", "Müller.x", "日本.本", "\ufeffa", "a\tb", "\x85", "=",
    "<<", "a\xa0b", "k\u2028", ".".join("abcdefghijklmnopqrstuvwxyz"), "x" * 1030, "y." * 600 + "z",
)  # fmt: skip
_VALUES = (
    "1", "4", "-5", "+5", "-0", "010", "0x10", "0o17", "0b11", "1_000", "1e3", "1.", "1.0", "0.4", "0.40", "1.20", ".5",
    "1.0E7", "10000000.0", "12:30", "1:30:00.5", "2020-01-01", "2020-01-01 10:00:00", "9999999999", "9" * 30, ".inf",
    "-.INF", ".nan", "NaN", "true", "True", "TRUE", "false", "yes", "No", "on", "OFF", "y", "null", "Null", "~", "=",
    "<<", "-", "--", "---", "...", "- x", "-x", "-XX:+UseG1GC -Da=b", "?", "? x", "?x", ":", ":x", "x:", "a: b", "a :b",
    "{a: b}", "[a, b]", "{", "]", ",", "a, b", "a;b;c", "k:v,k2:v2", "&a", "*a", "!tag", "!!int 1", "|", ">", "|-",
    "%a", "@a", "`a", "'", "''", '"', '""', "'single'", '"double"', "it's", 'say "x"', "both ' and \"", "back\\slash",
    "'x' \\ y", "${ENV}", "x-${ENV}", "$HOME", "{{ tpl }}", "a {{ tpl }} b", "<% x %>", "http://h:80/p?q=1", "s3://b/p",
    "10 min", "a  b", "a\tb", "Müller", "日本", "\U0001f600", "a\x07b", "a\x0bb", "a\x85b", "a\xa0b", "\xa0",
    "a\u2028b", "\ufeff", "a\ufeff", "\ufffd", "\ufffe", "\x7f", "a\x1fb", "\x00", "x" * 1100, "0123456789" * 120,
)  # fmt: skip
_COMMENTS = (
    "#", "# x", "#x", "## a: b", "# a.b.c: 1", "#state.backend: rocksdb", "# high-availability: zookeeper", "# 'x",
    "# é", "# \x07", "# \x85x", "# \u2028x", "#\ttab", "# {{ x }}", "# a # b", "#  trailing  ", "# \ufeff", "#: x",
)  # fmt: skip
_BLANKS = ("", "", "", " ", "  ", "\t", "\x0b")
_OTHER_LINES = (
    "", "", "  ", "\t", "a:b", "a:\tb", "a = b", "a:", "a: # x", ": b", "- x", "  more", "word", "---", "...",
    "{{ x }}", "{% if x %}", "{# x #}", "%YAML 1.2", "\ufeff", "\ufeff# x", "\x00", "\x07", "key:value # c", "é",
)  # fmt: skip

_anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1, max_size=12)
_segments = st.lists(st.sampled_from(("a", "b", "c", "1", "x-y", "null")), min_size=1, max_size=5).map(".".join)
_settings = st.builds(
    "{}{}{}: {}{}{}{}".format,
    st.sampled_from(_BLANKS),
    st.sampled_from(_KEYS) | _segments | _anything,
    st.sampled_from(_BLANKS),
    st.sampled_from(_BLANKS),
    st.sampled_from(_VALUES) | _anything,
    st.sampled_from(_BLANKS),
    st.just("") | st.sampled_from(_COMMENTS),
)
_lines = st.one_of(
    _settings,
    _settings,
    _settings,
    st.builds("{}{}".format, st.sampled_from(_BLANKS), st.sampled_from(_COMMENTS)),
    st.sampled_from(_OTHER_LINES),
    _anything,
)
_ends = st.sampled_from(("\n", "\n", "\n", "\n", "\r\n", "\r"))

texts = st.one_of(
    st.lists(_lines, min_size=6, max_size=20).map("\n".join),
    st.lists(_lines, max_size=14).map("\r\n".join),
    st.lists(st.tuples(_lines, _ends), max_size=14).map(lambda lines: "".join(map("".join, lines))),
    st.lists(_lines, max_size=8).map("\n".join).map(lambda text: text.replace("M", "\udce9")),
)
"""Whole files; a lone surrogate is a byte that is not UTF-8, as `decode` represents it."""
