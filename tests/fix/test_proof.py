"""A fix is kept only if checking the whole run again is no worse, with few runs for any number of fixes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from flink_flint.linter import output as reports
from flink_flint.linter.commands import main as cli
from flink_flint.linter.engine import check_run as engine
from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix import apply as fixes
from flink_flint.linter.fix import make_edits, unproven
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.fix.one_file import Fixed
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.editing.verification import Verification
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import apply_edits
from tests.conftest import Flint
from tests.fix_edits import checked, edits_for
from tests.proof_of_fixes import Row, effect_of, of_cases
from tests.rules.cases import all_cases

SHARED = {
    "compose.yaml": """services:
  old:
    image: flink:1.15.4
    command: jobmanager
    volumes: ["./conf:/opt/flink/conf"]
  new:
    image: flink:1.17.2
    command: jobmanager
    volumes: ["./conf:/opt/flink/conf"]
""",
    "conf/flink-conf.yaml": """jobmanager.rpc.address: jm
akka.ask.timeout: 30 s
high-availability: org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory
high-availability.storageDir: s3://bucket/ha
""",
}


def write(folder: Path, files: dict[str, str]) -> list[Source]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return [one for one in find([str(folder)]) if isinstance(one, Source)]


def fixed(folder: Path, files: dict[str, str], options: Options | None = None, *, unsafe: bool = False) -> list[Fixed]:
    return fix(write(folder, files), options or Options(), unsafe=unsafe)


def text_of(one: Fixed) -> str:
    return one.after.data.decode()


def test_a_fix_that_one_of_two_releases_refuses_is_neither_offered_nor_made(tmp_path: Path) -> None:
    found = checked(write(tmp_path, SHARED), Options()).findings
    assert not [one for one in found if one.code == "FLK404" and one.fix]
    for unsafe in (False, True):
        after = next(
            one for one in fixed(tmp_path, SHARED, unsafe=unsafe) if one.after.path.endswith("flink-conf.yaml")
        )
        assert "KubernetesHaServicesFactory" in text_of(after)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("flink-conf.yaml", "taskmanager.numberOfTaskSlotss: 16\n"),
        ("flink-conf.yaml", "taskmanager.numberOfTaskSlots:16\n"),
        ("flink-conf.yaml", "taskmanager.numberOfTaskSlots:\t16\n"),
        ("flink-conf.yaml", "execution.checkpointing.dir: s3://bucket/checkpoints\n"),
    ],
)
def test_what_flink_ignored_is_not_switched_on_by_a_safe_fix(name: str, text: str, tmp_path: Path) -> None:
    options = Options(flink_version="1.18")
    assert any(one.fix for one in checked(write(tmp_path, {name: text}), options).findings)
    assert text_of(fixed(tmp_path, {name: text}, options)[0]) == text
    assert text_of(fixed(tmp_path, {name: text}, options, unsafe=True)[0]) != text


OWN = """[[rule]]
code = "ACME001"
option = "{key}"
is = ["{old}"]
severity = "info"
message = "we write {new}"
fix = {{ set = "{new}", safe = true }}
"""

PROCESS = "taskmanager.memory.process.size"
REFUSED = {"flint.toml": OWN.format(key=PROCESS, old="4g", new="100m"), "flink-conf.yaml": f"{PROCESS}: 4g\n"}
"""A file with a fix that would leave too little memory."""


@pytest.mark.parametrize(
    ("key", "old", "new", "reason", "is_made_unsafely"),
    [
        ("taskmanager.memory.process.size", "4g", "8g", "would change the memory of the TaskManager", True),
        ("taskmanager.memory.process.size", "4g", "100m", "would cause FLK", False),
        ("rest.port", "8081", "soon", "would cause FLK", False),
        ("web.timeout", "600000", "700000", None, True),
    ],
)
def test_a_fix_that_its_rule_calls_safe_is_proven(
    key: str, old: str, new: str, reason: str | None, is_made_unsafely: bool, flint: Flint, tmp_path: Path
) -> None:
    text = f"{key}: {old}\nheartbeat.interval: 5000\nheartbeat.interval: 5000\n"
    write(tmp_path, {"flint.toml": OWN.format(key=key, old=old, new=new), "flink-conf.yaml": text})
    result = flint("check", ".", "--fix", "--exit-zero", "--flink-version", "1.18")
    after = (tmp_path / "flink-conf.yaml").read_text()
    assert (f"{key}: {new}" in after) == (reason is None)
    assert after.count("heartbeat.interval") == 1  # the other fix is applied anyway
    if reason is not None:
        assert reason in result.stderr
    flint("check", ".", "--fix", "--unsafe-fixes", "--exit-zero", "--flink-version", "1.18")
    assert (f"{key}: {new}" in (tmp_path / "flink-conf.yaml").read_text()) == is_made_unsafely


def deployments(count: int) -> str:
    return "---\n".join(
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\n"
        f"metadata: {{name: d{number}}}\nspec:\n  image: flink:1.18\n  flinkVersion: v1_18\n  flinkConfiguration:\n"
        "    akka.ask.timeout: 30 s\n    execution.checkpointing.timeot: 10 min\n"
        for number in range(count)
    )


def duplicates(count: int) -> str:
    return (
        "services:\n  jobmanager:\n    image: flink:1.18\n    command: jobmanager\n    environment:\n"
        "      FLINK_PROPERTIES: |\n" + "        rest.port: 8081\n" * count
    )


@pytest.mark.parametrize(("name", "make"), [("d.yaml", deployments), ("compose.yaml", duplicates)])
def test_readings_and_runs_do_not_grow_with_the_number_of_fixes(
    name: str, make: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(make)
    verifications = noted(monkeypatch)
    runs: list[int] = []
    monkeypatch.setattr(fixes, "check", lambda *given, **more: runs.append(1) or check(*given, **more))
    counted = []
    for number in (5, 40):
        (tmp_path / str(number)).mkdir()
        verifications.clear()
        runs.clear()
        sources = write(tmp_path / str(number), {name: make(number)})
        offered = [one.fix for one in checked(sources, Options()).findings]
        assert sum(one is not None for one in offered) >= number - 1
        readings = sum(one.readings for one in verifications)
        assert fix(sources, Options(), unsafe=True)[0].changed
        counted.append((readings, len(runs)))
    assert counted[0][0] == counted[1][0] <= 4
    assert counted[1][1] <= counted[0][1] + 3  # of adjacent lines, every other one is fixed per round


def noted(monkeypatch: pytest.MonkeyPatch) -> list[Verification]:
    """Return a list that records the edits being verified from now on."""
    made: list[Verification] = []

    def verification(documents: Sequence[Document]) -> Verification:
        made.append(Verification(documents))
        return made[-1]

    monkeypatch.setattr(make_edits, "Verification", verification)
    return made


@pytest.mark.parametrize("output_format", reports.FORMATS)
def test_edits_are_made_only_for_formats_that_show_fixes(
    output_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"flink-conf.yaml": "akka.framesize: 10mb\n"})
    verifications = noted(monkeypatch)
    given = ["check", str(tmp_path), "--flink-version", "1.18", "--exit-zero", "--output-format", output_format]
    with pytest.raises(SystemExit):
        cli.flint(given)
    assert "FLK" in capsys.readouterr().out
    assert any(one.readings for one in verifications) == (output_format in reports.WITH_FIXES)


MANIFEST = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: a
spec:
  flinkVersion: v1_18
  flinkConfiguration:
    rest.port: "8081"  # why
    web.timeout: "1"
"""


@pytest.mark.parametrize(
    ("name", "text", "key", "kept"),
    [
        ("config.yaml", "a:\n  b: 1  # why\nrest.port: 8081\n", "a.b", "# why"),
        ("config.yaml", "a:  # all\n  b: 1\nrest.port: 8081\n", "a.b", "# all"),
        ("flink-conf.yaml", "rest.port: 8081 # why\nparallelism.default: 2\n", "rest.port", "# why"),
        (
            "d.yaml",
            MANIFEST,
            "rest.port", "# why",
        ),
        ("job.sql", "SET 'rest.port' = '8081'; -- why\nSET 'web.timeout' = '1';\nSELECT 1;\n", "rest.port", "-- why"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_removing_a_line_keeps_the_comment_behind_it(name: str, text: str, key: str, kept: str, line_end: str) -> None:
    text = text.replace("\n", line_end)
    file_format = file_format_of(name, text, trust_name=True)
    assert file_format is not None
    document = file_format.read(name, text.encode())[0]
    edits = edits_for(document, "remove", document.effective[key])
    assert edits is not None
    after = apply_edits(text, list(edits))
    assert key not in file_format.read(name, after.encode())[0].effective
    assert any(line.strip() == kept for line in after.split(line_end))
    assert after.count("\n") == after.count(line_end)


@pytest.mark.slow
def test_fixes_of_the_cases_bring_nothing_new(tmp_path: Path) -> None:
    """A sample of what `make fixes` prints for all cases."""
    for kind in ("safe", "all"):
        (tmp_path / kind).mkdir()
        folders = list(of_cases(tmp_path / kind, all_cases()[::37]))
        effects = [(name, effect_of(found, options, unsafe=kind == "all")) for name, found, options in folders]
        assert any(one.fixed for _, one in effects), Row("cases", kind, len(folders), effects)
        assert [(name, one.new, one.again, one.lost) for name, one in effects if one.new or one.again or one.lost] == []


def test_a_refused_fix_is_reported_once_with_the_reason(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, REFUSED)
    result = flint("check", ".", "--flink-version", "1.18", "--fix", "--unsafe-fixes", "--exit-zero")
    assert f"ACME001 (set {PROCESS} to 100m) was not fixed: it would cause FLK204 (error)" in result.stderr
    assert result.stderr.count("was not fixed") == 1
    assert (tmp_path / "flink-conf.yaml").read_text(encoding="utf-8") == REFUSED["flink-conf.yaml"]


@pytest.mark.parametrize("output_format", ["json", "json-lines", "sarif", "rdjson"])
@pytest.mark.parametrize(
    ("new", "doubt"), [("8g", "would change the memory of the TaskManager"), ("100m", "would cause FLK")]
)
def test_a_report_that_holds_edits_calls_nothing_safe_that_is_not_proven(
    new: str, doubt: str, output_format: str, flint: Flint, tmp_path: Path
) -> None:
    key = "taskmanager.memory.process.size"
    text = f"{key}: 4g\nheartbeat.interval: 5000\nheartbeat.interval: 5000\n"
    write(tmp_path, {"flint.toml": OWN.format(key=key, old="4g", new=new), "flink-conf.yaml": text})
    given = ("check", ".", "--flink-version", "1.18", "--exit-zero", "--output-format", output_format)
    out = flint(*given).stdout
    assert f"it {doubt}" in out or f'"doubt": "{doubt}' in out or f'"doubt":"{doubt}' in out
    if output_format == "json":
        output = {one["code"]: one["fix"] for one in json.loads(out)["findings"] if one["fix"]}
        assert output["ACME001"]["safety"] == "unsafe"
        assert {(fix["safety"], fix["doubt"]) for code, fix in output.items() if code != "ACME001"} == {("safe", None)}


def test_fixes_that_touch_one_another_are_proven_one_after_the_other(flint: Flint, tmp_path: Path) -> None:
    rules = OWN.format(key="rest.port", old="8081", new="8082") + OWN.format(
        key="rest.port", old="8081", new="soon"
    ).replace("ACME001", "ACME002")
    write(tmp_path, {"flint.toml": rules, "flink-conf.yaml": "rest.port: 8081\n"})
    result = flint("check", ".", "--flink-version", "1.18", "--exit-zero", "--output-format", "json")
    output = {one["code"]: one["fix"]["safety"] for one in json.loads(result.stdout)["findings"] if one["fix"]}
    assert output == {"ACME001": "safe", "ACME002": "unsafe"}


def test_what_a_report_says_of_fixes_costs_one_more_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files = {f"{number}/flink-conf.yaml": "akka.framesize: 10mb\n" for number in range(9)}
    sources, runs = write(tmp_path, files), 0

    def judge(*given: object, **others: object) -> engine.Report:
        nonlocal runs
        runs += 1
        return check(*given, **others)  # type: ignore[arg-type]

    monkeypatch.setattr(unproven, "check", judge)
    report = check(sources, Options(flink_version="1.17"))
    unproven.mark_unproven(report, sources, Options(flink_version="1.17"))
    assert runs == 1
    assert sum(one.fix is not None and one.fix.safe for one in report.findings) == 9
