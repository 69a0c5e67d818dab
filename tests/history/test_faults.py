"""Failures during an import: the store stays as it was or is complete, and the failure is reported."""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pyarrow import fs

from flink_flint.calculators.history.file_access import files_inside
from flink_flint.calculators.history.pipeline import importing
from flink_flint.calculators.history.pipeline.importing import find_all, import_files, stage_files
from flink_flint.calculators.history.samples import OPERATOR, Batch, SeriesKey
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.store import layout as stores_module
from flink_flint.calculators.history.store.layout import FORMAT, Store
from flink_flint.calculators.history.store.spark_session import Piece, run_pieces
from tests.history.kills import ROOT, import_until, kill_driver, kill_workers, litter
from tests.history.stores import DAY, DAY_MS, JOB, TASK, batch, content, held, key, minutes, one, put

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HISTORY = ROOT / "examples" / "history" / "prometheus"
CHANCE = random.Random(20)
POINTS = [(CHANCE.randint(1, 13), CHANCE.choice([kill_driver, kill_driver, kill_workers])) for _ in range(10)]
"""After how many new files and folders whom to kill."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


@pytest.fixture(scope="module")
def before(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store that holds something, of the day that is imported too."""
    made = Store(str(tmp_path_factory.mktemp("before") / "store"))
    put(
        spark, made,
        batch((key("busyTimeMsPerSecond"), minutes(100, 1_795_132_800_000), np.arange(100.0)),
              (key("busyTimeMsPerSecond"), minutes(100), np.arange(100.0))),
    )  # fmt: skip
    return made


@pytest.fixture(scope="module")
def undisturbed(spark: SparkSession, before: Store, tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store(str(tmp_path_factory.mktemp("undisturbed") / "store"))
    shutil.copytree(before.path, made.path)
    import_files(lambda: spark, made, str(HISTORY), Options())
    return made


def watched(store: Store, stop: threading.Event, states: list[dict[str, list[str]]], errors: list[Exception]) -> None:
    """Read the store again and again; what it says must be one of `states`."""
    while not stop.wait(0.05):
        try:
            try:
                found = content(store)
            except FileNotFoundError:
                found = content(store)  # it changed between two looks
            assert found in states
        except Exception as error:
            errors.append(error)
            return


def killed_and_run_again(
    spark: SparkSession, before: Store, undisturbed: Store, folder: Path, files: int, kill: object
) -> None:
    store = Store(str(folder / "store"))
    shutil.copytree(before.path, store.path)
    states = [content(before), content(undisturbed)]
    stop, errors = threading.Event(), list[Exception]()
    watcher = threading.Thread(target=watched, args=(store, stop, states, errors))
    watcher.start()
    status = import_until(Path(store.path), HISTORY, files, kill)  # type: ignore[arg-type]
    assert status in ((0, -9) if kill is kill_driver else (0,))
    assert content(store) in states
    import_files(lambda: spark, store, str(HISTORY), Options())
    stop.set()
    watcher.join()
    assert not errors
    assert content(store) == states[1]
    assert Path(store.at("summary.json")).read_bytes() == Path(undisturbed.at("summary.json")).read_bytes()
    assert litter(store) == set()


@pytest.mark.slow
@pytest.mark.parametrize(("files", "kill"), [(5, kill_driver)])
def test_an_import_that_was_killed_and_is_run_again_leaves_what_one_leaves_that_was_not(
    spark: SparkSession, before: Store, undisturbed: Store, tmp_path: Path, files: int, kill: object
) -> None:
    killed_and_run_again(spark, before, undisturbed, tmp_path, files, kill)


@pytest.mark.live
@pytest.mark.parametrize(("files", "kill"), POINTS)
def test_wherever_it_was_killed(
    spark: SparkSession, before: Store, undisturbed: Store, tmp_path: Path, files: int, kill: object
) -> None:
    killed_and_run_again(spark, before, undisturbed, tmp_path, files, kill)


@pytest.mark.slow
def test_a_run_killed_before_its_summary_is_made_good_by_the_next(
    spark: SparkSession, undisturbed: Store, tmp_path: Path
) -> None:
    store = Store(str(tmp_path / "store"))
    shutil.copytree(undisturbed.path, store.path)
    summary = Path(store.at("summary.json"))
    whole = summary.read_bytes()
    summary.unlink()
    number = store.manifest().number
    import_files(lambda: spark, store, str(HISTORY), Options())
    assert (summary.read_bytes(), store.manifest().number) == (whole, number)


def test_a_folder_in_which_a_store_was_begun_becomes_one(store: Store) -> None:
    Path(store.path).mkdir()
    (Path(store.path) / "flint-history.json.1a2b3c4d.tmp").write_text('{"form')
    (Path(store.path) / "lock.1a2b3c4d").write_text("{")
    store.create()
    assert store.manifest().number == 0


@pytest.mark.slow
def test_a_damaged_manifest_does_not_keep_others_from_writing(spark: SparkSession, store: Store) -> None:
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(90), np.ones(90))))
    Path(store.at("manifests", "00000002-cut.json")).write_text('{"days": {"20')
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(90, DAY + DAY_MS), np.ones(90))))
    assert list(store.manifest().days) == ["2025-11-20", "2025-11-21"]


@pytest.mark.slow
def test_what_counts_is_never_written_over(spark: SparkSession, store: Store, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("ts,metric,value\n" + "".join(f"{time},taskSlotsTotal,4\n" for time in minutes(90)))
    import_files(lambda: spark, store, str(source), Options())
    files = {file.path: Path(store.at(file.path)).stat().st_ino for file in store.manifest().files}
    times = {path: Path(store.at(path)).stat().st_mtime_ns for path in files}
    told = import_files(lambda: spark, store, str(source), Options(), again=True)
    assert told.unchanged == 1
    assert {path: Path(store.at(path)).stat().st_ino for path in files} == files
    assert {path: Path(store.at(path)).stat().st_mtime_ns for path in files} == times
    assert litter(store) == set()


# -- two at once


@pytest.mark.slow
def test_while_one_imports_another_is_refused(spark: SparkSession, store: Store) -> None:
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(90), np.ones(90))))
    said = content(store)
    with store.lock(), pytest.raises(ValueError, match=f"process {os.getpid()} on .* is writing to it; wait for it"):
        put(spark, Store(store.path), batch((key("busyTimeMsPerSecond"), minutes(9), np.zeros(9))))
    assert content(store) == said


@pytest.mark.slow
def test_where_no_lock_can_be_held_the_one_that_ends_later_is_told(
    spark: SparkSession, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = stores_module.place_of

    def lockless(path: str) -> tuple[fs.FileSystem, str]:
        system, within = real(path)
        return fs.SubTreeFileSystem("/", system), within.lstrip("/")

    monkeypatch.setattr(stores_module, "place_of", lockless)
    put(spark, store, batch((key("taskSlotsTotal"), minutes(90), np.ones(90))))
    late = batch((key("taskSlotsAvailable"), minutes(90), np.ones(90)))

    def with_another_meanwhile() -> Iterator[Batch]:
        yield late
        put(spark, Store(store.path), batch((key("numRunningJobs"), minutes(90), np.ones(90))))

    with pytest.raises(ValueError, match="changed the store in the meantime; nothing from this run was saved"):
        importing.import_batches(lambda: spark, store, with_another_meanwhile(), "canonical-csv", "test")
    assert {group.metric for group in held(store)} == {"taskSlotsTotal", "numRunningJobs"}
    put(spark, store, late)
    assert {group.metric for group in held(store)} == {"taskSlotsTotal", "numRunningJobs", "taskSlotsAvailable"}


# -- no room, no permission, no whole files


_FULL = """
import contextlib, io, json, subprocess, sys
from pathlib import Path
import numpy as np
from flink_flint.calculators.history.store.spark_session import session
from flink_flint.calculators.history.store.layout import Store
from flink_flint.linter.__main__ import main
from tests.history.kills import litter
from tests.history.stores import DAY, batch, content, key, minutes, put

spark = session("local[2]", settings=["spark.driver.memory=1g"])
folder, history = Path(sys.argv[1]), sys.argv[2]
for size in (60, 120, 170, 210, 235):
    place = folder / str(size)
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(place)], check=True)
    store = Store(str(place / "store"))
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(100), np.arange(100.0))))
    before = content(store)
    sys.argv = ["flint", "history", "import", history, "--into", store.path]
    told, status = io.TextIOWrapper(io.BytesIO()), 0
    try:
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
            main()
    except SystemExit as end:
        status = end.code
    told.seek(0)
    text, same = told.read(), content(store) == before
    days = list(store.manifest().days)
    subprocess.run(["mount", "-o", "remount,size=20m", str(place)], check=True)
    put(spark, store, batch((key("numRecordsInPerSecond"), minutes(100), np.arange(100.0))))
    print(json.dumps({"size": size, "status": status, "told": text, "same": same, "days": days,
                      "litter": sorted(litter(store))}))
"""


@pytest.mark.tools
def test_a_full_disk_is_told_in_a_line_and_the_store_stands_as_it_was(tmp_path: Path) -> None:
    # In a namespace of its own a file system can be mounted without being root.
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", sys.executable, "-c", _FULL, str(tmp_path), str(HISTORY)],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    for line in done.stdout.splitlines():
        one_size = json.loads(line)
        assert one_size["status"] == 2, one_size
        assert one_size["told"].count("\n") == 1
        assert "cannot be written: no space is left on the device; the previous data is unchanged" in one_size["told"]
        # The summary comes last: where only that found no room, the samples count already.
        assert one_size["same"] or "summary.json" in one_size["told"]
        assert one_size["litter"] == []
    assert len(done.stdout.splitlines()) == 5


def test_what_fails_on_an_executor_is_told_in_a_line(spark: SparkSession) -> None:
    def no_room(piece: Piece) -> Iterator[Piece]:
        raise OSError(errno.ENOSPC, "x", "/data/store/table")

    def killed(piece: Piece) -> Iterator[Piece]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield {}

    def never_thought_of(piece: Piece) -> Iterator[Piece]:
        raise KeyError("operators")

    with pytest.raises(ValueError, match=r"^/data/store/table: no space is left on the device$"):
        run_pieces(lambda: spark, [{"day": "2026-11-20"}], no_room)
    with pytest.raises(ValueError, match=r"^Spark failed: Python worker exited unexpectedly[^\n]*run it again[^\n]*$"):
        run_pieces(lambda: spark, [{"day": "2026-11-20"}], killed)
    with pytest.raises(RuntimeError, match=r"(?s)Traceback.*in never_thought_of.*KeyError.*while at .*2026-11-20"):
        run_pieces(lambda: spark, [{"day": "2026-11-20"}], never_thought_of)


def csv(times: np.ndarray[tuple[int], np.dtype[np.int64]], metric: str = "taskSlotsTotal") -> str:
    return "ts,metric,value\n" + "".join(f"{time},{metric},4\n" for time in times)


def test_a_pipe_that_is_named_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ValueError, match="not a regular file"):
        list(files_inside(str(tmp_path / "pipe.csv")))


@pytest.mark.slow
def test_of_a_folder_full_of_trouble_what_can_be_read_counts_and_the_rest_is_told(
    spark: SparkSession, store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "around").symlink_to(folder)
    (folder / "leads nowhere.csv").symlink_to(folder / "nothing")
    os.mkfifo(folder / "pipe.csv")
    (folder / "empty.csv").write_text("")
    (folder / "new\nline, Ünïcode \U0001f600.csv").write_text(csv(minutes(60)))
    (folder / "deep" / "a b.csv").write_text(csv(minutes(60), "taskSlotsAvailable"))
    Path(os.fsdecode(os.fsencode(folder) + b"/latin-\xe9.csv")).write_text(csv(minutes(60)))
    packed = gzip.compress(csv(minutes(3000), "numRunningJobs").encode())
    (folder / "cut.csv.gz").write_bytes(packed[: len(packed) * 2 // 3])
    (folder / "stub.csv.gz").write_bytes(packed[:5])
    mangled = bytearray(packed)
    mangled[len(packed) // 2] ^= 0xFF
    (folder / "mangled.csv.gz").write_bytes(mangled)
    answer = next(HISTORY.glob("*numRunningJobs*")).read_bytes()
    (folder / "cut.json").write_bytes(gzip.decompress(answer)[:2000])
    inner = Store(str(folder / "inner"))
    put(spark, inner, batch((key("busyTimeMsPerSecond"), minutes(60), np.ones(60))))
    told = import_files(lambda: spark, store, str(folder), Options())
    seen = {group.metric: observed for group, observed in held(store).items()}
    assert seen["taskSlotsTotal"].samples == seen["taskSlotsAvailable"].samples == 60
    assert seen["numRunningJobs"].samples > 60
    assert "busyTimeMsPerSecond" not in seen
    assert {Path(path).name for path in told.unknown} == {"empty.csv", "stub.csv.gz"}
    assert told.bad["the file cannot be read"] == 2
    again = import_files(lambda: spark, store, str(folder), Options())
    assert (again.days, again.bad) == ([], {"the file cannot be read": 2})


def test_a_file_that_is_gone_when_it_is_read_is_told_and_looked_for_again(tmp_path: Path) -> None:
    (tmp_path / "here.csv").write_text(csv(minutes(60)))
    files = [("canonical-csv", str(tmp_path / name)) for name in ("gone.csv", "here.csv")]
    piece = {"files": files, "options": list(Options()), "folder": str(tmp_path / "days"), "marks": ""}
    (staged,) = stage_files(piece)
    assert staged["samples"] == 60
    assert staged["refused"] == [str(tmp_path / "gone.csv")]
    assert "gone.csv: cannot be read: No such file or directory" in staged["bad"][0].text


@pytest.mark.slow
def test_what_a_file_gains_while_it_is_read_comes_with_the_next_import(
    spark: SparkSession, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in.csv"
    source.write_text(csv(minutes(60)))
    real = importing._staged

    def grown(*given: object) -> object:
        staged = real(*given)  # type: ignore[arg-type]
        with source.open("a") as stream:
            stream.writelines(f"{time},taskSlotsTotal,4\n" for time in minutes(60, DAY + DAY_MS))
        return staged

    with monkeypatch.context() as patched:
        patched.setattr(importing, "_staged", grown)
        assert import_files(lambda: spark, store, str(source), Options()).days == ["2025-11-20"]
    assert import_files(lambda: spark, store, str(source), Options()).days == ["2025-11-21"]


def test_files_and_folders_without_permission_are_told_and_the_others_count() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "closed").mkdir()
        for path in ("closed/in.csv", "mine.csv", "open.csv"):
            (folder / path).write_text(csv(minutes(60)))
        (folder / "mine.csv").chmod(0)
        folder.chmod(0o755)
        (folder / "closed").chmod(0)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)  # root reads everything
        try:
            found, unreadable = find_all(name)
            with pytest.raises(ValueError, match=r"mine.csv: cannot be read: Permission denied"):
                find_all(str(folder / "mine.csv"))
            with pytest.raises(ValueError, match="closed/store: cannot be read: Permission denied"):
                Store(str(folder / "closed" / "store")).create()
            with pytest.raises(ValueError, match="written: Permission denied; the previous data is unchanged"):
                Store(str(folder / "store")).create()
        finally:
            if root:
                os.seteuid(0)
            (folder / "closed").chmod(0o700)
    assert [Path(path).name for _, path in found.files] == ["open.csv"]
    assert [Path(bad.where).name for bad in unreadable] == ["closed", "mine.csv"]


def test_links_in_circles_end(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a" / "self")
    (tmp_path / "a" / "one.csv").write_text("")
    assert [Path(path).name for path in files_inside(str(tmp_path))] == ["one.csv", "self"]


@pytest.mark.slow
def test_a_file_of_the_store_that_is_gone_or_damaged_is_named(spark: SparkSession, store: Store) -> None:
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(90), np.ones(90))))
    table = Path(store.at(store.manifest().days["2025-11-20"].samples[0].path))
    whole = table.read_bytes()
    table.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=rf"{table.name}: the store is damaged: .*; restore it"):
        put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(9), np.ones(9))))
    table.unlink()
    with pytest.raises(ValueError, match=rf"{table.name}: was deleted because another run changed the store"):
        put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(9), np.ones(9))))
    table.write_bytes(whole)
    put(spark, store, batch((key("busyTimeMsPerSecond"), minutes(9), np.ones(9))))


# -- odd samples


ODD = {
    "huge": (np.resize([1e308, -1e308], 60), (-1e308, 1e308)),
    "smallest": (np.full(60, 5e-324), (5e-324, 5e-324)),
    "every": (np.resize([5e-324, -5e-324, 0.0, -0.0, 1e308, -1e308, np.inf, -np.inf, np.nan], 60), (-np.inf, np.inf)),
    'odd \x00\n\t"\\ é\U0001f600 \u202e': (np.ones(60), (1.0, 1.0)),
    "half \ud83d": (np.ones(60), (1.0, 1.0)),
    "M" * 70_000: (np.ones(60), (1.0, 1.0)),
}


@pytest.mark.slow
def test_odd_values_and_names_are_held_as_they_are(spark: SparkSession, store: Store) -> None:
    names = tuple(name.replace("\ud83d", "?") for name in ODD)
    put(spark, store, batch(*((key(name, job=name), minutes(60), values) for name, (values, _) in ODD.items())))
    seen = {group.metric: observed for group, observed in held(store, time_series=names).items()}
    for name, (values, (least, peak)) in zip(names, ODD.values(), strict=True):
        observed = seen[name]
        assert (observed.least, observed.peak) == (least, peak)
        assert observed.samples == np.count_nonzero(~np.isnan(values))
        assert [observed.percentile(share) for share in (0.0, 1.0)] == pytest.approx([least, peak], rel=0.01)
        assert observed.time_series is not None
        assert len(observed.time_series.times) == 12


def test_a_day_of_nan_one_sample_and_a_counter_told_once_are_days(spark: SparkSession, store: Store) -> None:
    told = put(
        spark, store,
        batch((key("busyTimeMsPerSecond"), minutes(60), np.full(60, np.nan)),
              (key("idleTimeMsPerSecond"), minutes(1, DAY + DAY_MS), np.ones(1)),
              (key("numRecordsIn", counter=True), minutes(1, DAY + 2 * DAY_MS), np.ones(1))),
    )  # fmt: skip
    assert told.days == ["2025-11-20", "2025-11-21", "2025-11-22"]
    assert told.absent == 60
    assert [observed.samples for observed in held(store).values()] == [1]


def test_series_of_no_job_are_kept(spark: SparkSession, store: Store) -> None:
    scopes = (TASK, JOB, OPERATOR)
    put(spark, store, batch(*((SeriesKey(f"m.{scope}", scope), minutes(60), np.ones(60)) for scope in scopes)))
    assert {(group.cluster, group.job, group.metric) for group in held(store)} == {
        ("default", "", f"m.{scope}") for scope in scopes
    }


@pytest.mark.slow
def test_many_clusters_stay_apart(spark: SparkSession, store: Store) -> None:
    names = [f"cluster-{number}" for number in range(300)]
    put(
        spark, store,
        batch(*((key("busyTimeMsPerSecond", cluster=name), minutes(60), np.full(60, at)) for at, name in
                enumerate(names))),
    )  # fmt: skip
    assert {group.cluster: observed.peak for group, observed in held(store).items()} == {
        name: float(at) for at, name in enumerate(names)
    }


def test_samples_at_midnight_and_at_the_ends_of_time_have_their_days(spark: SparkSession, store: Store) -> None:
    ends = [int(np.datetime64(day, "ms").astype(np.int64)) for day in ("1990-01-01", "2100-01-01")]
    times = np.array([ends[0], DAY - 1, DAY, DAY + DAY_MS - 1, DAY + DAY_MS, ends[1] - 1])
    put(spark, store, batch((key("busyTimeMsPerSecond"), times, np.arange(6.0))))
    assert {day: one_day.count for day, one_day in store.manifest().days.items()} == {
        "1990-01-01": 1, "2025-11-19": 1, "2025-11-20": 2, "2025-11-21": 1, "2099-12-31": 1,
    }  # fmt: skip


def test_of_samples_told_twice_in_one_import_the_later_file_counts(
    spark: SparkSession, store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(12):
        lines = (f"{time},taskSlotsTotal,{number}\n" for time in minutes(60))
        (folder / f"{number:02d}.csv").write_text("ts,metric,value\n" + "".join(lines))
    (folder / "20.jsonl").write_text(
        "".join(
            json.dumps({"ts": int(time), "metric": "taskSlotsAvailable", "value": 1}) + "\n" for time in minutes(60)
        )
    )
    import_files(lambda: spark, store, str(folder), Options())
    assert (one(store, "taskSlotsTotal").least, one(store, "taskSlotsTotal").peak) == (11.0, 11.0)


# -- stores of another time, and secrets


@pytest.mark.slow
def test_a_store_of_a_newer_flint_is_refused_by_every_command(tmp_path: Path, before: Store) -> None:
    store = tmp_path / "store"
    shutil.copytree(before.path, store)
    (store / "flint-history.json").write_text(json.dumps({"format": FORMAT + 1, "flint": "9.1"}))
    summary = (store / "summary.json").read_text()
    (store / "summary.json").write_text(summary.replace('{"format":1', '{"format":9', 1))
    files = {path: path.stat().st_mtime_ns for path in store.rglob("*")}
    (tmp_path / "config.yaml").write_text("parallelism.default: 2\n")
    commands = (
        ["history", "import", str(HISTORY), "--into", str(store)],
        ["history", "status", str(store)],
        ["history", "compact", str(store)],
        ["recommend", "--history", str(store)],
        ["check", "--history", str(store), str(tmp_path / "config.yaml")],
    )
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "flink_flint", *command], capture_output=True, text=True, cwd=ROOT, check=False
        )
        assert done.returncode == 2, command
        assert "format" in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*")} == files


def test_passwords_in_what_is_imported_stand_nowhere_in_the_store(
    spark: SparkSession, store: Store, tmp_path: Path
) -> None:
    secret = "hunter2hunter2"
    archives = Path(__file__).parent / "fixtures" / "history_archive"
    folder = tmp_path / "archives"
    folder.mkdir()
    for path in archives.iterdir():
        archive = json.loads(gzip.decompress(path.read_bytes()))
        for part in archive["archive"]:
            answer = json.loads(part["json"])
            if part["path"].endswith("/jobmanager/config"):
                answer = [
                    {"key": "s3.secret-key", "value": secret},
                    {"key": "security.ssl.internal.key-password", "value": secret},
                    {"key": "env.java.opts.all", "value": f"-Djavax.net.ssl.trustStorePassword={secret}"},
                    {"key": "taskmanager.numberOfTaskSlots", "value": "2"},
                ]
            elif "execution-config" in answer:
                answer["execution-config"]["user-config"] = {"db.password": secret, "topic": "orders"}
            part["json"] = json.dumps(answer)
        (folder / path.stem).write_text(json.dumps(archive))
    told = import_files(lambda: spark, store, str(folder), Options())
    assert told.records
    texts = [found for path in Path(store.path).rglob("*") if path.is_file() for found in _texts(path)]
    assert any("taskmanager.numberOfTaskSlots" in text for text in texts)
    assert not [text for text in texts if secret in text]


def _texts(path: Path) -> Iterator[str]:
    """A file of a store, unpacked."""
    from pyarrow import parquet

    raw = path.read_bytes()
    yield raw.decode("latin-1")
    if path.suffix == ".gz":
        yield gzip.decompress(raw).decode()
    if path.suffix == ".parquet":
        yield str(parquet.read_table(path).to_pylist())
