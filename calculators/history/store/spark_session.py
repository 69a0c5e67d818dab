"""The Spark session of a run, and functions that run pieces of work on its executors."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.history.file_access import reason_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

Piece = dict[str, Any]
"""A piece of work for an executor, or the result of one, as JSON-compatible data."""
Start = Callable[[], "SparkSession"]
"""A function that starts Spark or returns the running session; called only when Spark has work to do."""

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.python.worker.reuse": "true",
}


def session(master: str = "", remote: str = "", settings: Iterable[str] = ()) -> SparkSession:
    """Return the Spark session: local, on a cluster (`master`), or through Spark Connect (`remote`, ``sc://…``).

    `settings` are ``key=value`` texts for Spark. Under `spark-submit` its own master and settings apply. Raises
    ValueError if Spark or Java is missing, or if no server responds at the address.
    """
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as missing:
        raise ValueError(f"a history requires the package {missing.name}: pip install 'flink-flint[spark]'") from None
    if not remote:
        _need_java()
    builder = SparkSession.builder.appName("flint")
    given = _settings(settings)
    if remote:
        builder = builder.remote(remote)
    else:
        submitted = "PYSPARK_GATEWAY_PORT" in os.environ
        for key, value in {} if submitted else _SETTINGS.items():
            builder = builder.config(key, value)
        if not submitted:
            # On this machine too, work that fails for unrelated reasons, such as a killed worker, is retried.
            builder = builder.master(master or "local[*,3]")
            if not master or master.startswith("local"):
                builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
                builder = builder.config("spark.driver.host", "127.0.0.1")
                os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    for key, value in given.items():
        builder = builder.config(key, value)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        with _quiet_start(bool(remote)):
            spark = builder.getOrCreate()
    except Exception as error:
        result = str(error).strip().splitlines() or [type(error).__name__]
        raise ValueError(f"Spark does not start ({remote or master or 'local'}): {result[0]}") from None
    if not remote:
        spark.sparkContext.setLogLevel("ERROR")
    return spark


def _settings(texts: Iterable[str]) -> dict[str, str]:
    given = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"--conf {text}: write key=value, like spark.executor.memory=4g")
        given[key.strip()] = value.strip()
    return given


def _need_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if (home and os.access(os.path.join(home, "bin", "java"), os.X_OK)) or shutil.which("java"):
        return
    raise ValueError(
        "Spark needs Java, which was not found: install a JDK of release 17 or 21 (apt-get install "
        "openjdk-17-jre-headless, brew install openjdk@17) or set JAVA_HOME; `flint size` and `flint check` do "
        "not need it"
    )


class _quiet_start:  # noqa: N801 - reads as what it does
    """Hide the JVM's output during its start from standard error; it is shown if the start fails."""

    def __init__(self, remote: bool) -> None:
        self._remote = remote

    def __enter__(self) -> None:
        if self._remote or os.environ.get("FLINT_SPARK_LOG"):
            self._kept = -1
            return
        import tempfile

        sys.stderr.flush()
        self._kept = os.dup(2)
        self._log = tempfile.TemporaryFile()
        os.dup2(self._log.fileno(), 2)

    def __exit__(self, failed: object, *_: object) -> None:
        if self._kept < 0:
            return
        sys.stderr.flush()
        os.dup2(self._kept, 2)
        os.close(self._kept)
        if failed:
            self._log.seek(0)
            sys.stderr.write(self._log.read().decode("utf-8", "replace"))
        self._log.close()


def run_pieces(start: Start, pieces: Sequence[Piece], work: Callable[[Piece], Iterator[Piece]]) -> list[Piece]:
    """Run `work` on executors for each piece and return the results in any order; without pieces Spark is not started.

    `work` must be a function of a module that the executors have. Raises ValueError if it raised one, could not read or
    write a file, or if executors were lost; RuntimeError, with the traceback, for unexpected errors.
    """
    if not pieces:
        return []
    texts = [json.dumps(piece) for piece in pieces]

    def each(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow

        for batch in batches:
            for number in batch.column(0).to_pylist():
                results = _results(partial(work, json.loads(texts[number])), texts[number])
                yield pyarrow.RecordBatch.from_arrays([pyarrow.array(results, pyarrow.string())], ["result"])

    return _gathered(start().range(0, len(pieces), 1, len(pieces)).mapInArrow(each, _RESULT))


def run_frame(frame: DataFrame, work: Callable[[Iterator[pa.Table]], Iterator[Piece]]) -> list[Piece]:
    """Run `work` on executors for each partition of `frame` and return the results; raise errors like `run_pieces`."""

    def each(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow

        results = _results(lambda: work(pyarrow.Table.from_batches([one]) for one in batches), "a partition")
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array(results, pyarrow.string())], ["result"])

    return _gathered(frame.mapInArrow(each, _RESULT))


_RESULT = "result string"


_NAMED = 500
"""Maximum number of characters of a piece of work that are shown if it fails."""


def _results(work: Callable[[], Iterator[Piece]], piece: str) -> list[str]:
    """Return the results of a piece of work, or the reason for its failure; runs on an executor."""
    try:
        return [json.dumps(result) for result in work()]
    except ValueError as error:
        return [json.dumps({"error": str(error)})]
    except OSError as error:
        return [json.dumps({"error": f"{error.filename}: {reason_of(error)}" if error.filename else reason_of(error)})]
    except Exception:
        return [json.dumps({"trace": traceback.format_exc() + f"while at {piece[:_NAMED]}"})]


def _gathered(frame: DataFrame) -> list[Piece]:
    try:
        rows = frame.collect()
    except Exception as error:  # of py4j or of Spark Connect
        raise ValueError(
            f"Spark failed: {_cause(str(error))}; nothing from this run was saved, run it again (with more memory, "
            "such as --conf spark.executor.memory=4g, if a worker was killed)"
        ) from None
    found = [json.loads(row.result) for row in rows]
    for one in found:
        if "error" in one:
            raise ValueError(one["error"])
        if "trace" in one:
            raise RuntimeError(one["trace"])
    return found


_CAUSE = re.compile(
    r"(?:most recent failure: .{0,2000}?|^)(?:[\w.]{1,200}(?:Exception|Error): )+([^\n]+)", re.MULTILINE
)


def _cause(text: str) -> str:
    """Return the sentence of a Spark error that names the cause."""
    found = _CAUSE.search(text)
    result = found[1] if found else (text.strip().splitlines() or ["no reason is given"])[0]
    return result.partition(". Consider ")[0][:200]
