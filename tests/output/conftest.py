"""A folder of unusual files and its report, for the tests of output formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Report
from tests.output.odd_files import ODD, checked, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("odd files")
    write(path, ODD)
    return path


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return checked(folder)
