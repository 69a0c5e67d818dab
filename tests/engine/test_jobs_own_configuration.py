"""Settings in a job's own configuration, which Flink gets only if the job hands them over."""

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Options, check
from flink_flint.linter.engine.discovery import find

HOCON = """\
flink {
  parallelism.default = %s
  taskmanager.memory.process.size = "1g"
  taskmanager.numberOfTaskSlots = 8
}
"""


@pytest.mark.parametrize(
    ("parallelism", "code", "severity"), [("8", "FLK207", "info"), ('"many"', "FLK025", "warning")]
)
def test_no_hazard_is_certain(parallelism: str, code: str, severity: str, tmp_path: Path) -> None:
    (tmp_path / "application.conf").write_text(HOCON % parallelism, encoding="utf-8")
    found = check(find([str(tmp_path)]), Options(select=("FLK207", "FLK025"), flink_version="1.20")).findings
    assert (code, severity) in [(one.code, one.severity.word) for one in found]
    assert "error" not in [one.severity.word for one in found]
