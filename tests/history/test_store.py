"""A store: which files count, who may write, and what it refuses."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from flink_flint.calculators.history.store.layout import FORMAT, Day, File, Manifest, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(str(tmp_path / "store"))
    made.create()
    return made


def with_day(store: Store, day: str) -> Manifest:
    manifest = store.manifest()
    file = store.write(f"days/{day}/histograms-00-x.parquet", b"rows")
    manifest.days[day] = Day(histograms=[file], count=1, digest="d")
    return manifest


def test_what_was_committed_is_read_back(store: Store) -> None:
    written = store.commit(with_day(store, "2026-11-20"))
    read = Store(store.path).manifest()
    assert read == written
    assert read.days["2026-11-20"].histograms == [File("days/2026-11-20/histograms-00-x.parquet", 0, 4)]


def test_a_half_written_manifest_does_not_count(store: Store) -> None:
    store.commit(with_day(store, "2026-11-20"))
    (Path(store.path) / "manifests" / "00000002-half.json").write_text('{"days": {"2026')
    assert list(store.manifest().days) == ["2026-11-20"]


def test_of_two_runs_that_began_with_the_same_the_later_one_is_told(store: Store) -> None:
    first, second = with_day(store, "2026-11-20"), with_day(store, "2026-11-21")
    store.commit(first)
    with pytest.raises(ValueError, match="another run changed the store in the meantime"):
        store.commit(second)
    assert list(store.manifest().days) == ["2026-11-20"]


def test_two_that_write_the_same_number_at_once_do_not_both_count(store: Store) -> None:
    first = with_day(store, "2026-11-20")
    real = store._manifests

    def late() -> list[tuple[int, str]]:
        # The other run's manifest appears between this run's look and its own writing.
        found = real()
        if not (Path(store.path) / "manifests" / "00000001-other.json").exists():
            other = {"days": {}, "records": [], "quarantine": [], "imports": [], "seen": {}}
            store.write("manifests/00000001-other.json", json.dumps(other).encode())
        return found

    store._manifests = late  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="meantime"):
        store.commit(first)
    assert [name for _, name in real()] == ["00000001-other.json"]


def test_leftovers_of_a_killed_run_are_swept_and_what_counts_stays(store: Store) -> None:
    manifest = store.commit(with_day(store, "2026-11-20"))
    store.write("days/2026-11-20/left.parquet", b"x")
    store.write("staging/marks/1.json", b"[]")
    assert store.sweep(manifest) == 2
    left = {path.name for path in Path(store.path).rglob("*") if path.is_file()}
    assert left == {"flint-history.json", "histograms-00-x.parquet", next(Path(store.path, "manifests").iterdir()).name}
    assert not Path(store.path, "staging", "marks").exists()


def test_a_store_of_a_newer_flint_is_refused(store: Store) -> None:
    about = Path(store.path) / "flint-history.json"
    about.write_text(json.dumps({"format": FORMAT + 1, "flint": "9.0"}))
    with pytest.raises(ValueError, match=rf"format {FORMAT + 1} \(created by flint 9.0\)"):
        store.manifest()


def test_a_damaged_store_says_so(store: Store) -> None:
    (Path(store.path) / "flint-history.json").write_text("{")
    with pytest.raises(ValueError, match="is damaged"):
        store.manifest()


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match=r"not a flint store and not empty \(thesis.tex\)"):
        Store(str(tmp_path)).create()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_missing_store_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="flint history import SOURCE --into"):
        Store(str(tmp_path / "none")).manifest()


def test_while_one_writes_another_is_refused(store: Store) -> None:
    with store.lock(), pytest.raises(ValueError, match=f"process {os.getpid()} on"), Store(store.path).lock():
        pass
    with store.lock():
        pass


def _gone() -> None:
    pass


def test_the_lock_of_a_process_that_is_gone_is_taken_over(store: Store) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_gone)
    process.start()
    process.join()
    with store.lock():
        lock = Path(store.path) / "lock"
        held = json.loads(lock.read_text())
        lock.write_text(json.dumps({**held, "pid": process.pid}))
        with Store(store.path).lock():
            assert json.loads(lock.read_text())["pid"] == os.getpid()
        lock.touch()  # the outer block lets go of a lock of its own
