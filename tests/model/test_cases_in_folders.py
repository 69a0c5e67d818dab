"""Cases in folders: what becomes of the files, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.model.rule import Case, Severity, cases_in_folders


def read(folder: Path, files: dict[str, str]) -> list[Case]:
    """Read the cases of a rule `folder/my_rule.py` from files below `folder/my_rule`."""
    for name, text in files.items():
        path = folder / "my_rule" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return cases_in_folders(str(folder / "my_rule.py"))


def test_the_only_file_is_under_test(tmp_path: Path) -> None:
    (case,) = read(tmp_path, {"good-small/config.yaml": "rest.port: 8081\n"})
    assert case == Case("rest.port: 8081\n", False, file="config.yaml", title="good-small")


def test_other_files_revisions_and_expectations(tmp_path: Path) -> None:
    files = {
        "bad-two/case.toml": 'file = "a/config.yaml"\nseverity = "error"\ntimes = 2\nflink = "1.20"\n',
        "bad-two/a/config.yaml": "rest.port: 1\n",
        "bad-two/docker-compose.yml": "services: {}\n",
        "bad-two/fixed/a/config.yaml": "rest.port: 2\n",
        "bad-two/before/a/config.yaml": "rest.port: 3\n",
    }
    (case,) = read(tmp_path, files)
    assert case == Case(
        "rest.port: 1\n", True, file="a/config.yaml", severity=Severity.ERROR, times=2, flink="1.20", title="bad-two",
        beside={"docker-compose.yml": "services: {}\n"}, fixed="rest.port: 2\n", before="rest.port: 3\n",
    )  # fmt: skip


def test_cases_are_in_order_and_absent_from_an_installation(tmp_path: Path) -> None:
    assert read(tmp_path, {}) == []
    cases = read(tmp_path, {f"{name}/config.yaml": "" for name in ("good-b", "bad-c", "good-a")})
    assert [case.title for case in cases] == ["bad-c", "good-a", "good-b"]


@pytest.mark.parametrize(
    ("name", "case_toml", "problem"),
    [
        ("two-files", "", "two-files: the name of a case begins with bad- or good-"),
        ("bad-two", "", "`file` must name the file under test: a.yaml, b.yaml"),
        ("bad-two", 'file = "c.yaml"', "`file` must name the file under test: a.yaml, b.yaml"),
        ("bad-two", 'severty = "error"', "severty is not one of file, at, "),
        ("bad-two", 'severity = "fatal"', "severity must be error, warning or info, not 'fatal'"),
        ("bad-two", "severity = error", "Invalid value"),
    ],
)
def test_what_is_no_case_is_refused(name: str, case_toml: str, problem: str, tmp_path: Path) -> None:
    files = {f"{name}/case.toml": case_toml, f"{name}/a.yaml": "", f"{name}/b.yaml": ""}
    with pytest.raises(ValueError, match="case") as raised:
        read(tmp_path, files)
    assert problem in str(raised.value)
