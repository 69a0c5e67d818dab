"""Runs pytest again and again, each time in a process forked from one that has imported what tests need but flint.

Started as a script in a copy of the repository. Reads a line of JSON a run, `{"arguments": […], "seconds": N}`, and
answers with a line: the exit status, or -9 if the run took longer and was ended. With `"coverage": FILE` it writes
there which lines of flint each test function runs.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
from threading import Timer

_PRELOADED = (
    "pytest", "_pytest.assertion.rewrite", "hypothesis.strategies", "hypothesis.internal.conjecture.engine", "syrupy",
    "yaml", "jsonschema", "tomlkit", "click", "jinja2", "lxml.etree", "requests", "sqlglot", "tree_sitter", "numpy",
    "pyarrow.parquet", "pyspark.sql", "textual.app", "textual.widgets", "textual.pilot", "pygls.lsp.client", "xml.dom",
    "http.server", "asyncio", "unittest.mock", "importlib.metadata", "sqlite3", "pytest_asyncio",
)  # fmt: skip


def main() -> None:
    """Serve until standard input ends."""
    sys.path[0] = os.getcwd()
    for name in _PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        process = os.fork()
        if process == 0:
            _run(request["arguments"], request.get("coverage"))
        limit = Timer(request["seconds"], os.kill, (process, signal.SIGKILL))
        limit.start()
        _, status = os.waitpid(process, 0)
        limit.cancel()
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(arguments: list[str], measured: str | None) -> None:
    import coverage
    import pytest

    flint = ["linter/*", "rules/*", "calculators/*"]
    coverage_of_tests = coverage.Coverage(data_file=measured, include=flint, config_file=False)
    coverage_of_tests.set_option("run:dynamic_context", "test_function")
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    status = 1
    try:
        with coverage_of_tests.collect() if measured else contextlib.nullcontext():
            status = int(pytest.main(arguments))
        if measured:
            coverage_of_tests.save()
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
