"""The baseline: which findings it accepts, what is reported about it, and its file format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.engine import baseline
from flink_flint.linter.engine.baseline import (
    BaselineError,
    Entry,
    compare,
    entry_of,
    folder_of,
    parse_baseline,
    pruned,
    read_baseline,
    spell,
    write_baseline,
)
from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.finding import Confidence, Finding
from flink_flint.linter.revisions.finding_filters import Run, restrict, write_found
from flink_flint.linter.text.spans import Span
from tests.conftest import Flint

SECRET = "s3.secret-key: hunter2hunter2\n"
BAD = f"blob.storage.directory: /tmp/blobs\n{SECRET}akka.ask.timeout: 1s\n"
"""Configuration with three findings: FLK101, FLK945 and FLK504."""


def conf(folder: Path, text: str = BAD, name: str = "conf/flink-conf.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def rows(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(file.read_text())["findings"]
    return found


def codes(file: Path) -> list[str]:
    return [row["code"] for row in rows(file)]


# -- the command


def test_a_written_baseline_silences_what_there_was_and_nothing_else(flint: Flint, tmp_path: Path) -> None:
    path = conf(tmp_path)
    written = flint("check", "--write-baseline")
    assert written.returncode == 0
    assert "Wrote 3 entries to flint-baseline.json" in written.stdout
    hidden = flint("check", "--baseline", "flint-baseline.json")
    assert (hidden.returncode, hidden.stdout) == (0, "All checks passed in 1 file (3 suppressed by the baseline).\n")
    assert "accepts 3 findings" in hidden.stderr
    path.write_text(f"execution.checkpointing.interval: 10ms\n{BAD}")
    new = flint("check", "--baseline", "flint-baseline.json", "--output-format", "json")
    assert new.returncode == 1
    assert {one["key"] for one in json.loads(new.stdout)["findings"]} == {"execution.checkpointing.interval"}


def test_reordering_reformatting_and_new_values_change_nothing(flint: Flint, tmp_path: Path) -> None:
    path = conf(tmp_path)
    flint("check", "--write-baseline")
    path.write_text(
        "# moved\n\nakka.ask.timeout:    2s\ns3.secret-key: another-secret\nblob.storage.directory: /tmp/b\n"
    )
    assert flint("check", "--baseline", "flint-baseline.json").returncode == 0


def test_the_file_has_one_sorted_entry_a_line_and_no_values(flint: Flint, tmp_path: Path) -> None:
    conf(tmp_path)
    conf(tmp_path, name="a/flink-conf.yaml")
    flint("check", "--write-baseline")
    text = (tmp_path / "flint-baseline.json").read_text()
    entries = rows(tmp_path / "flint-baseline.json")
    assert [(row["path"], row["code"]) for row in entries] == sorted(
        (path, code)
        for path in ("a/flink-conf.yaml", "conf/flink-conf.yaml")
        for code in ("FLK101", "FLK504", "FLK945")
    )
    assert len([line for line in text.splitlines() if '"path"' in line]) == len(entries) == 6
    assert "hunter2" not in text
    assert "/tmp/blobs" not in text
    assert text.endswith("}\n")


def test_a_baseline_counts_from_every_folder(flint: Flint, tmp_path: Path) -> None:
    path = conf(tmp_path)
    flint("check", "--write-baseline", "--baseline", "ci/base.json", cwd=_made(tmp_path, "ci").parent)
    assert rows(tmp_path / "ci" / "base.json")[0]["path"] == "../conf/flink-conf.yaml"
    for cwd, paths in ((tmp_path / "conf", ["."]), (tmp_path / "ci", [str(path)]), (Path("/"), [str(tmp_path)])):
        result = flint("check", *paths, "--baseline", tmp_path / "ci" / "base.json", cwd=cwd)
        output = "All checks passed in 1 file (3 suppressed by the baseline).\n"
        assert (result.returncode, result.stdout) == (0, output), result.stderr


def _made(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def test_a_baseline_counts_where_the_folder_is_reached_through_a_link(flint: Flint, tmp_path: Path) -> None:
    conf(tmp_path, name="real/conf/flink-conf.yaml")
    flint("check", "real", "--write-baseline", "--baseline", "real/base.json")
    (tmp_path / "link").symlink_to("real")
    assert flint("check", "link", "--baseline", "real/base.json").returncode == 0
    assert flint("check", "real", "--baseline", "link/base.json").returncode == 0


def test_entries_that_no_longer_occur_are_reported_with_their_line_and_fail_the_run(
    flint: Flint, tmp_path: Path
) -> None:
    path = conf(tmp_path)
    flint("check", "--write-baseline")
    path.write_text(BAD.replace("blob.storage.directory: /tmp/blobs\n", ""))
    result = flint("check", "--baseline", "flint-baseline.json")
    assert result.returncode == 1
    line = (tmp_path / "flint-baseline.json").read_text().splitlines().index(next(
        line for line in (tmp_path / "flint-baseline.json").read_text().splitlines() if "FLK101" in line
    )) + 1  # fmt: skip
    assert f"flint-baseline.json:{line}: stale: FLK101 blob-storage-in-tmp on blob.storage.directory" in result.stderr
    assert "--prune-baseline" in result.stderr
    assert flint("check", "--baseline", "flint-baseline.json", "--exit-zero").returncode == 0


def test_pruning_takes_out_what_is_stale_and_keeps_the_rest(flint: Flint, tmp_path: Path) -> None:
    path = conf(tmp_path)
    flint("check", "--write-baseline")
    path.write_text(BAD.replace("blob.storage.directory: /tmp/blobs\n", ""))
    result = flint("check", "--baseline", "flint-baseline.json", "--prune-baseline")
    assert result.returncode == 0
    assert "removed 1 entry; 2 left" in result.stderr
    assert codes(tmp_path / "flint-baseline.json") == ["FLK504", "FLK945"]
    assert flint("check", "--baseline", "flint-baseline.json").returncode == 0


def test_pruning_adds_nothing_and_still_reports_what_is_new(flint: Flint, tmp_path: Path) -> None:
    path = conf(tmp_path, SECRET)
    flint("check", "--write-baseline")
    path.write_text(BAD)
    result = flint("check", "--baseline", "flint-baseline.json", "--prune-baseline")
    assert result.returncode == 1
    assert "FLK101" in result.stdout
    assert codes(tmp_path / "flint-baseline.json") == ["FLK945"]


@pytest.mark.parametrize("gone", ["removed", "no longer Flink's"])
def test_entries_of_a_file_that_is_gone_are_stale_where_its_folder_is_checked(
    flint: Flint, tmp_path: Path, gone: str
) -> None:
    conf(tmp_path)
    other = conf(tmp_path, name="old/flink-conf.yaml")
    flint("check", "--write-baseline")
    if gone == "removed":
        other.unlink()
    else:
        other.write_text("nothing of Flink here\n")
    whole = flint("check", "--baseline", "flint-baseline.json")
    assert whole.returncode == 1
    assert whole.stderr.count("in old/flink-conf.yaml no longer occurs") == 3
    elsewhere = flint("check", "conf", "--baseline", "flint-baseline.json")
    assert elsewhere.returncode == 0, elsewhere.stderr


def test_a_run_on_some_files_or_rules_says_nothing_of_the_others(flint: Flint, tmp_path: Path) -> None:
    one, two = conf(tmp_path, name="one/flink-conf.yaml"), conf(tmp_path, name="two/flink-conf.yaml")
    flint("check", "--write-baseline")
    before = (tmp_path / "flint-baseline.json").read_bytes()
    one.write_text("rest.port: 8081\n")
    two.write_text("rest.port: 8081\n")
    some = flint("check", "one/flink-conf.yaml", "--baseline", "flint-baseline.json")
    assert some.stderr.count("stale") == some.stderr.count("in one/flink-conf.yaml no longer") == 3
    selected = flint("check", "--select", "FLK101", "--baseline", "flint-baseline.json")
    assert selected.stderr.count("stale: FLK101") == selected.stderr.count("stale") == 2
    ignored = flint("check", "--ignore", "FLK101,FLK945,FLK504", "--baseline", "flint-baseline.json")
    assert (ignored.returncode, "stale" in ignored.stderr) == (0, False)
    excluded = flint("check", "--exclude", "two", "--exclude", "one", "--baseline", "flint-baseline.json")
    assert (excluded.returncode, "stale" in excluded.stderr) == (0, False)
    assert (tmp_path / "flint-baseline.json").read_bytes() == before
    flint("check", "one/flink-conf.yaml", "--baseline", "flint-baseline.json", "--prune-baseline")
    assert {row["path"] for row in rows(tmp_path / "flint-baseline.json")} == {"two/flink-conf.yaml"}


BOTH = ("conf/flink-conf.yaml", "conf/config.yaml")


def test_a_finding_that_needs_another_file_is_not_stale_where_that_was_not_named(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in BOTH:
        conf(tmp_path, "taskmanager.numberOfTaskSlots: 2\n", name)
    flint("check", "--write-baseline", "--select", "both-config-files")
    assert codes(tmp_path / "flint-baseline.json")
    for name in BOTH:
        result = flint("check", name, "--baseline", "flint-baseline.json", "--select", "both-config-files")
        assert (result.returncode, "stale" in result.stderr) == (0, False), result.stderr
    (tmp_path / BOTH[0]).unlink()
    result = flint("check", BOTH[1], "--baseline", "flint-baseline.json", "--select", "both-config-files")
    assert result.returncode == 1
    assert "stale" in result.stderr


def test_writing_for_some_files_keeps_the_entries_of_the_others(flint: Flint, tmp_path: Path) -> None:
    one = conf(tmp_path, name="one/flink-conf.yaml")
    conf(tmp_path, name="two/flink-conf.yaml")
    flint("check", "--write-baseline")
    one.write_text(SECRET)
    result = flint("check", "one", "--write-baseline")
    assert "kept 3 entries" in result.stderr
    left = [(row["path"], row["code"]) for row in rows(tmp_path / "flint-baseline.json")]
    assert left == [
        ("one/flink-conf.yaml", "FLK945"),
        *(("two/flink-conf.yaml", code) for code in ("FLK101", "FLK504", "FLK945")),
    ]


def test_what_is_too_unsure_to_be_shown_is_not_stale(flint: Flint, tmp_path: Path) -> None:
    conf(tmp_path)
    flint("check", "--write-baseline")
    for confidence in ("medium", "high"):
        result = flint("check", "--baseline", "flint-baseline.json", "--min-confidence", confidence)
        assert (result.returncode, "stale" in result.stderr) == (0, False)


def test_the_flint_config_name_a_baseline_relative_to_themselves(flint: Flint, tmp_path: Path) -> None:
    path = conf(tmp_path)
    (tmp_path / "flint.toml").write_text('baseline = "flint-baseline.json"\n')
    missing = flint("check", "conf")
    assert missing.returncode == 2
    assert "flint-baseline.json: no such file; --write-baseline creates it" in missing.stderr
    written = flint("check", ".", "--write-baseline", cwd=tmp_path / "conf")
    assert written.returncode == 0
    assert (tmp_path / "flint-baseline.json").exists()
    assert flint("check", ".", cwd=tmp_path / "conf").returncode == 0
    assert flint("check", path, cwd=Path("/")).returncode == 0
    assert flint("check", "--no-baseline").returncode == 1


def test_listing_files_and_standard_input_go_with_a_baseline(flint: Flint, tmp_path: Path) -> None:
    conf(tmp_path)
    flint("check", "--write-baseline")
    listed = flint("check", "--show-files", "--baseline", "flint-baseline.json")
    assert (listed.returncode, listed.stderr) == (0, "")
    piped = flint(
        "check", "-", "--stdin-filename", "conf/flink-conf.yaml", "--baseline", "flint-baseline.json", stdin=BAD
    )
    assert (piped.returncode, piped.stdout) == (0, "All checks passed in 1 file (3 suppressed by the baseline).\n")


def test_the_baseline_itself_is_no_configuration(flint: Flint, tmp_path: Path) -> None:
    conf(tmp_path, BAD + "taskmanager.memory.process.size: 3\nstate.backend: nonsense\nparallelism.default: x\n")
    flint("check", "--write-baseline")
    assert "taskmanager.memory" in (tmp_path / "flint-baseline.json").read_text()
    assert "flint-baseline" not in flint("check", "--show-files").stdout


@pytest.mark.parametrize(
    "options",
    [
        ("--write-baseline", "--prune-baseline"),
        ("--write-baseline", "--diff-base", "main"),
        ("--write-baseline", "--diff"),
        ("--prune-baseline", "--no-baseline"),
        ("--diff-base", "main", "--fix"),
    ],
)
def test_options_that_contradict_each_other_are_refused(flint: Flint, tmp_path: Path, options: tuple[str, ...]) -> None:
    conf(tmp_path)
    result = flint("check", *options)
    assert result.returncode == 2
    assert "cannot be used with" in result.stderr
    assert not (tmp_path / "flint-baseline.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n "version": 1,\n "findings": [\n<<<<<<< HEAD\n ]\n}\n', "base.json:4: not a baseline"),
        ('{"version": 2, "findings": []}', "version 2, this flint reads 1"),
        ('{\n "version": 1,\n "findings": [\n  {"code": "FLK101"}\n ]\n}\n', 'base.json:4: the entry has no "path"'),
        ('{"version": 1, "findings": [{"path": 1, "code": "FLK101"}]}', '"path" of an entry cannot be 1'),
        ("[]", "base.json:1: not a baseline"),
        ("", "base.json:1: not a baseline"),
        ("{}\n\xff", "base.json:2: not a baseline"),
    ],
)
def test_a_baseline_that_cannot_be_read_is_reported_with_file_and_line(
    flint: Flint, tmp_path: Path, text: str, said: str
) -> None:
    conf(tmp_path)
    (tmp_path / "base.json").write_bytes(text.encode("latin-1"))
    result = flint("check", "--baseline", "base.json")
    assert result.returncode == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_writing_replaces_a_baseline_in_conflict_and_spares_any_other_file(flint: Flint, tmp_path: Path) -> None:
    conf(tmp_path)
    base = tmp_path / "base.json"
    base.write_text('{\n "version": 1,\n "findings": [\n<<<<<<< HEAD\n ]\n}\n')
    anew = flint("check", "--write-baseline", "--baseline", "base.json")
    assert anew.returncode == 0
    assert "base.json: it could not be read; it now contains only the findings of this run" in anew.stderr
    assert len(rows(base)) == 3
    base.write_text('{"name": "my package"}')
    refused = flint("check", "--write-baseline", "--baseline", "base.json")
    assert refused.returncode == 2
    assert refused.stderr == "error: base.json: not a baseline, so it is not overwritten\n"
    assert base.read_text() == '{"name": "my package"}'


def test_what_was_fixed_can_be_pruned_in_the_same_run(flint: Flint, tmp_path: Path) -> None:
    conf(tmp_path, "akka.framesize: 20971520b\n" + SECRET)
    options = ("--baseline", "flint-baseline.json", "--flink-version", "1.20")
    flint("check", "--write-baseline", *options)
    assert codes(tmp_path / "flint-baseline.json") == ["FLK003", "FLK945"]
    fixed = flint("check", "--fix", "--prune-baseline", *options)
    assert fixed.returncode == 0
    assert codes(tmp_path / "flint-baseline.json") == ["FLK945"]


# -- measures


def run_of(folder: Path, measures: dict[str, float], output: list[str] | None = None) -> Run:
    """Return a run over a folder with findings on some keys that have measures."""
    sources = [source for source in find([str(folder)]) if isinstance(source, Source)]
    options = Options(select=("FLK101", "FLK945", "FLK504"))
    report = check(sources, options)
    for finding in report.findings:
        finding.measure = measures.get(finding.key or "")
    said = output if output is not None else []
    return Run(
        [str(folder)], sources, report, options, Confidence.LOW, 1, lambda *_: [], lambda text, **_: said.append(text)
    )


def test_a_measure_may_fall_and_stay_but_not_grow(tmp_path: Path) -> None:
    conf(tmp_path)
    file = str(tmp_path / "base.json")
    write_found(run_of(tmp_path, {"s3.secret-key": 7.5}), file)
    assert [row.get("measure") for row in rows(tmp_path / "base.json")] == [None, None, 7.5]
    for measure in (1.0, 7.5):
        report, is_stale = restrict(run_of(tmp_path, {"s3.secret-key": measure}), file, prune=False)
        assert (report.findings, is_stale) == ([], False)
    report, is_stale = restrict(run_of(tmp_path, {"s3.secret-key": 8.0}), file, prune=False)
    assert [(one.code, one.note) for one in report.findings] == [
        ("FLK945", "worse than in the baseline: 8 now, 7.5 there")
    ]
    assert not is_stale


def test_pruning_lowers_measures_and_raises_none(tmp_path: Path) -> None:
    conf(tmp_path)
    file = str(tmp_path / "base.json")
    write_found(run_of(tmp_path, {"s3.secret-key": 7.5, "blob.storage.directory": 3.0}), file)
    output: list[str] = []
    restrict(run_of(tmp_path, {"s3.secret-key": 2.0, "blob.storage.directory": 4.0}, output), file, prune=True)
    assert [row.get("measure") for row in rows(tmp_path / "base.json")] == [3, None, 2]
    assert any("lowered the measure of 1" in line for line in output)


def test_a_rule_that_measures_is_accepted_until_it_is_worse(flint: Flint, tmp_path: Path) -> None:
    path = conf(tmp_path, "akka.ask.timeout: 1s\n")
    flint("check", "--write-baseline")
    for value, status in (("2s", 0), ("1000ms", 0), ("500ms", 1)):
        path.write_text(f"akka.ask.timeout: {value}\n")
        result = flint("check", "--baseline", "flint-baseline.json", "--output-format", "json")
        assert result.returncode == status
    assert "worse than in the baseline: 500 now, 1000 there" in json.loads(result.stdout)["findings"][0]["note"]
    path.write_text("akka.ask.timeout: 2s\n")
    flint("check", "--baseline", "flint-baseline.json", "--prune-baseline")
    path.write_text("akka.ask.timeout: 1s\n")
    assert flint("check", "--baseline", "flint-baseline.json").returncode == 1


def a_finding(code: str, key: str | None = None, ordinal: int = 0, measure: float | None = None) -> Finding:
    finding = Finding("x", Span(0, 1), key=key, measure=measure)
    finding.code = finding.rule = code
    finding.path, finding.ordinal = "f.yaml", ordinal
    return finding


def test_the_worst_of_several_on_one_key_is_what_counts(tmp_path: Path) -> None:
    folder = folder_of(str(tmp_path / "base.json"))
    path = str(tmp_path / "f.yaml")
    before = [a_finding("A", "k", 0, 3.0), a_finding("A", "k", 1, 5.0)]
    after = [a_finding("A", "k", 0, 5.0)]
    for one in (*before, *after):
        one.path = path
    entries = [entry_of(one, "f.yaml") for one in before]
    comparison = compare(after, entries, folder)
    assert [(known.entry.measure) for known in comparison.known] == [5.0]
    assert [entry.measure for entry in comparison.missing] == [3.0]
    assert (comparison.new, comparison.grown) == ([], [])


# -- the file

_TEXTS = st.text(max_size=12)
_MEASURES = st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 10**20).map(float)
_ENTRIES = st.builds(
    Entry,
    path=st.text(min_size=1, max_size=12),
    code=st.sampled_from(["FLK001", "FLK101", "FLK302"]),
    rule=_TEXTS,
    document=st.none() | _TEXTS,
    key=st.none() | _TEXTS,
    ordinal=st.integers(0, 3),
    measure=_MEASURES,
)
_FINDINGS = st.lists(
    st.builds(
        a_finding,
        st.sampled_from(["FLK001", "FLK101"]),
        st.sampled_from([None, "k", "l"]),
        st.integers(0, 3),
        st.none() | st.floats(allow_nan=False),
    ),
    max_size=12,
)


@given(st.lists(_ENTRIES, max_size=8))
@pytest.mark.slow
def test_what_is_written_reads_back_and_is_written_the_same(tmp_path_factory: Any, entries: list[Entry]) -> None:
    file = tmp_path_factory.mktemp("baseline") / "base.json"
    write_baseline(str(file), entries)
    first = file.read_bytes()
    read = read_baseline(str(file))
    assert spell(read.entries) == first
    write_baseline(str(file), reversed(read.entries))
    assert file.read_bytes() == first
    if entries:
        lines = first.decode("utf-8", "surrogatepass").split("\n")
        assert [json.loads(lines[entry.line - 1].rstrip(","))["path"] for entry in read.entries] == [
            entry.path for entry in read.entries
        ]


@given(_FINDINGS)
def test_the_baseline_of_any_findings_silences_exactly_these(findings: list[Finding]) -> None:
    folder = folder_of("base.json")
    entries = [entry_of(finding, "f.yaml") for finding in findings]
    comparison = compare(findings, entries, folder)
    assert (comparison.new, comparison.grown, comparison.missing) == ([], [], [])
    assert len(comparison.known) == len(findings)
    assert len(pruned(comparison, ())) == len(findings)


@pytest.mark.slow
@given(_FINDINGS, _FINDINGS)
def test_every_finding_is_new_worse_or_known_and_every_entry_used_or_missing(
    findings: list[Finding], others: list[Finding]
) -> None:
    entries = [entry_of(finding, "f.yaml") for finding in others]
    comparison = compare(findings, entries, folder_of("base.json"))
    output = [*comparison.new, *(known.finding for known in (*comparison.grown, *comparison.known))]
    assert sorted(map(id, output)) == sorted(map(id, findings))
    used = [*comparison.missing, *(known.entry for known in (*comparison.grown, *comparison.known))]
    assert sorted(map(id, used)) == sorted(map(id, entries))
    for finding, entry in comparison.known:
        assert entry.measure is None or finding.measure is None or finding.measure <= entry.measure


def test_a_file_name_that_is_no_utf_8_survives(tmp_path: Path) -> None:
    file = tmp_path / "base.json"
    write_baseline(str(file), [Entry("conf/\udcff.yaml", "FLK101", "x", None, None, 0, None)])
    assert read_baseline(str(file)).entries[0].path == "conf/\udcff.yaml"
    file.read_bytes().decode("utf-8")


@pytest.mark.parametrize(
    ("measure", "written"),
    [(1000.0, "1000"), (7.5, "7.5"), (2.0**53 - 1, "9007199254740991"), (2.0**53, "9007199254740992.0")],
)
def test_a_measure_is_written_as_an_integer_where_that_is_exact(measure: float, written: str) -> None:
    text = spell([Entry("a.yaml", "FLK101", "x", None, None, 0, measure)]).decode()
    assert f'"measure": {written}}}' in text


def test_a_baseline_may_have_the_largest_size_but_not_a_byte_more(monkeypatch: pytest.MonkeyPatch) -> None:
    data = spell([Entry("a.yaml", "FLK101", "x", None, None, 0, None)])
    monkeypatch.setattr(baseline, "LARGEST_BASELINE", len(data))
    assert len(parse_baseline("base.json", data).entries) == 1
    with pytest.raises(BaselineError, match="too large for a baseline"):
        parse_baseline("base.json", data + b"\n")


def test_any_layout_of_the_json_is_read(tmp_path: Path) -> None:
    file = tmp_path / "base.json"
    row = {"path": "a.yaml", "code": "FLK101"}
    for indent in (None, 4):
        file.write_text(json.dumps({"findings": [row, row], "version": 1}, indent=indent))
        assert [entry.path for entry in read_baseline(str(file)).entries] == ["a.yaml", "a.yaml"]
    file.write_text('{"version": 1, "findings": [{"path": "a", "code": "b", "measure": NaN}]}')
    with pytest.raises(BaselineError, match="measure"):
        read_baseline(str(file))
