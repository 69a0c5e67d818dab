"""The steps of `flint history import`: stage samples by day, reduce days to tables, and commit the manifest."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.history.file_access import (
    absolute,
    files_inside,
    place_of,
    read_bytes,
    reason_of,
    size_of,
)
from flink_flint.calculators.history.pipeline.reducing import reduce_day
from flink_flint.calculators.history.pipeline.staging import Staging, unread
from flink_flint.calculators.history.pipeline.write_summary import write_summary
from flink_flint.calculators.history.samples import Bad, Batch, Record
from flink_flint.calculators.history.sources.canonical.parquet_rows import batch_of
from flink_flint.calculators.history.sources.recognition import Found, Options, Source, find, source
from flink_flint.calculators.history.store.layout import SLICES, Day, File, Manifest, Store
from flink_flint.calculators.history.store.progress import Meter, leave_mark
from flink_flint.calculators.history.store.spark_session import Piece, Start, run_frame, run_pieces
from flink_flint.linter.model.observed_summary import NAME as SUMMARY
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_PIECE = 32 << 20
"""Bytes of files that one piece of work reads; compressed files count eight times."""
_DENSE = 12_000_000
"""Maximum number of samples of a day that one piece of work reduces."""
_FILES = 8
"""Number of staged files of a day above which they are rewritten as one."""


class Imported(NamedTuple):
    """The result of an import: the changed days, and the numbers of samples, files and bad rows."""

    source: str
    samples: int
    days: list[str]
    """The dates of the days that the import changed."""
    unchanged: int
    """The number of days that the import recomputed with an unchanged result."""
    skipped: int
    """The number of files that were skipped because they were imported before and have not changed since."""
    unknown: list[str]
    """The paths of the files that no source recognizes."""
    bad: dict[str, int]
    """The number of rejected rows, by the reason for the rejection."""
    duplicates: int
    shadowed: int
    absent: int
    sealed: int
    """The number of samples that could not be added because the samples of their days were deleted."""
    records: int


def import_files(
    start: Start,
    store: Store,
    path: str,
    options: Options,
    *,
    only: str = "",
    again: bool = False,
) -> Imported:
    """Import the files at or under a path; start Spark only if some of them are new.

    Raises ValueError if no file is usable, or the store cannot be used.
    """
    path = absolute(path)
    if store.exists():
        store.check()
    found, unreadable = find_all(path, only)
    store.create()
    with store.lock():
        manifest = store.manifest()
        store.sweep(manifest)
        # Signatures are taken before reading: a file that grows meanwhile is read again next time.
        looks = {file: _seen((name, file), options) for name, file in found.files}
        fresh = [one for one in found.files if again or manifest.seen.get(one[1]) != looks[one[1]]]
        pieces = [{"files": files, "options": list(options), "folder": store.at("days")} for files in _shared(fresh)]
        staged = _staged(start, store, pieces)
        refused = {file for piece in staged for file in piece["refused"]}
        manifest.seen.update({file: looks[file] for _, file in fresh if file not in refused})
        names = sorted({name for name, _ in found.files})
        return resolve(
            start, store, manifest, staged,
            source=", ".join(names), path=path, skipped=len(found.files) - len(fresh), unknown=found.unknown,
            unreadable=unreadable,
        )  # fmt: skip


def find_all(path: str, only: str = "") -> tuple[Found, list[Bad]]:
    """Return the files at or under a path with their sources, and the files that cannot be read.

    Raises ValueError if there is no usable file.
    """
    found, unreadable = Found([], []), []
    for file in files_inside(path):
        try:
            one = find(file, only)
        except ValueError as error:
            unreadable.append(unread(file, str(error)))
            continue
        found.files.extend(one.files)
        found.unknown.extend(one.unknown)
    if not found.files:
        raise ValueError(unreadable[0].text if unreadable else _nothing(path, found.unknown))
    return found, unreadable


def import_frame(store: Store, frame: DataFrame, source: str, path: str) -> Imported:
    """Import a DataFrame of canonical rows, such as one from ``spark.read.format("prometheus")``; executors read it.

    Its columns are those of the canonical form, with ``bad`` (where, reason, text) on rows that report problems.
    `source` is the source name of the samples, `path` describes their origin. Raises ValueError.
    """
    store.create()
    with store.lock():
        manifest = store.manifest()
        store.sweep(manifest)
        folder = store.at("days")
        with Meter(store.at("staging"), "reading", 1) as meter:
            staged = run_frame(frame, partial(stage_rows, folder=folder, source=source, marks=meter.folder))
        return resolve(lambda: frame.sparkSession, store, manifest, staged, source=source, path=path)


def import_batches(start: Start, store: Store, batches: Iterable[Batch], source: str, path: str) -> Imported:
    """Import batches that are produced on this machine, such as those from polling a live cluster.

    Spark is started when the source ends. Raises ValueError.
    """
    store.create()
    with store.lock():
        manifest = store.manifest()
        store.sweep(manifest)
        staging = Staging(store.at("days"), source)
        staging.take(batches)
        staged = json.loads(json.dumps(staged_piece(staging, "")))
        return resolve(start, store, manifest, [staged], source=source, path=path)


def _nothing(path: str, unknown: Sequence[str]) -> str:
    text = f"; {unknown[0]} has an unknown format" if unknown else ": the folder is empty"
    return f"{path}: contains no metrics that flint can read{text}; `flint history import --help` lists the formats"


def _seen(file: tuple[str, str], options: Options) -> list[Any]:
    """Return the signature that shows whether a file has been imported before."""
    system, within = place_of(file[1])
    info = system.get_file_info(within)
    return [file[0], int(info.size or 0), int(info.mtime_ns or 0), options.cluster, options.cluster_label]


def _shared(files: Sequence[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Yield files in pieces of work of about the same size, each with files of one source."""
    held: list[tuple[str, str]] = []
    weight = 0
    for name, path in sorted(files):
        more = size_of(path) * (8 if path.endswith(".gz") else 1)
        if held and (weight + more > _PIECE or held[0][0] != name):
            yield held
            held, weight = [], 0
        held.append((name, path))
        weight += more
    if held:
        yield held


def stage_files(piece: Piece) -> Iterator[Piece]:
    """Read files of one source and stage their samples by day; runs on an executor."""
    options = Options(*piece["options"])
    name = piece["files"][0][0]
    staging = Staging(piece["folder"], name)
    reader = source(name)
    for _, path in piece["files"]:
        staging.take(_read(reader, path, options, staging))
    yield staged_piece(staging, piece["marks"])


def _read(reader: Source, path: str, options: Options, staging: Staging) -> Iterator[Batch]:
    """Yield the readable batches of a file; unreadable files are rejected, while errors of the store propagate."""
    try:
        yield from reader.read(path, options)
    except ValueError as error:
        staging.refuse(path, str(error))
    except OSError as error:
        staging.refuse(path, f"{path}: cannot be read: {reason_of(error)}")
    except Exception as error:
        error.add_note(f"while reading {path}")
        raise


def stage_rows(tables: Iterator[pa.Table], folder: str, source: str, marks: str) -> Iterator[Piece]:
    """Stage canonical rows by day; runs on an executor."""
    staging = Staging(folder, source)
    for table in tables:
        staging.take([batch_of(table)])
    yield staged_piece(staging, marks)


def staged_piece(staging: Staging, marks: str) -> Piece:
    """Write the samples that are still in memory, and return a report for the driver about all staged data."""
    staging.flush()
    leave_mark(marks, staging.samples)
    return {
        "written": staging.written,
        "samples": staging.samples,
        "bad": staging.bad,
        "records": staging.records,
        "refused": staging.refused,
    }


def _staged(start: Start, store: Store, pieces: list[Piece]) -> list[Piece]:
    """Return the reports of executors about the staged pieces."""
    with Meter(store.at("staging"), "reading", len(pieces)) as meter:
        return run_pieces(start, [{**piece, "marks": meter.folder} for piece in pieces], stage_files)


def reduce_piece(piece: Piece) -> Iterator[Piece]:
    """Reduce a part of a day's samples to histograms and rollups; runs on an executor."""
    result = reduce_day(
        piece["day"], piece["files"], range(*piece["slices"]), piece["folder"], rewrite=piece["rewrite"]
    )
    leave_mark(piece["marks"], result["count"], 1 if piece["slices"][0] == 0 else 0)
    yield {**result, "slices": piece["slices"]}


Staged = dict[str, list[tuple[str, int]]]
"""The staged files of each day, in the order in which they were read, each with its number of samples."""


def resolve(
    start: Start,
    store: Store,
    manifest: Manifest,
    staged: list[Piece],
    *,
    source: str,
    path: str,
    skipped: int = 0,
    unknown: Sequence[str] = (),
    unreadable: Sequence[Bad] = (),
) -> Imported:
    """Reduce the days with new samples to tables and commit the manifest; the store must be locked."""
    by_day: Staged = {}
    for piece in staged:
        for file, day, rows in piece["written"]:
            by_day.setdefault(day, []).append((file, rows))
    sealed = 0
    for day in [day for day in by_day if day in manifest.days and manifest.days[day].sealed]:
        sealed += sum(rows for _, rows in by_day.pop(day))
    before = json.dumps(manifest.seen), len(manifest.records), len(manifest.quarantine)
    outcome = {"duplicates": 0, "shadowed": 0, "absent": 0}
    changed, unchanged = [], 0
    for day, results in _reduced(start, store, manifest, by_day):
        for result in results:
            for name in outcome:
                outcome[name] += result[name]
        new = _day(store, manifest.days.get(day, Day()), by_day[day], results)
        if day in manifest.days and manifest.days[day].digest == new.digest:
            unchanged += 1
        else:
            manifest.days[day] = new
            changed.append(day)
    bad = [*unreadable, *(Bad(*one) for piece in staged for one in piece["bad"])]
    _keep(store, manifest.quarantine, "quarantine", [one._asdict() for one in bad])
    records = _new_records(store, manifest, [Record(*one) for piece in staged for one in piece["records"]])
    _keep(store, manifest.records, "records", [one._asdict() for one in records])
    reasons: dict[str, int] = {}
    for one in bad:
        reasons[one.reason] = reasons.get(one.reason, 0) + 1
    samples = sum(piece["samples"] for piece in staged)
    parsed = Imported(
        source=source, samples=samples, days=changed, unchanged=unchanged, skipped=skipped, unknown=list(unknown),
        bad=reasons, sealed=sealed, records=len(records), **outcome,
    )  # fmt: skip
    manifest.days = dict(sorted(manifest.days.items()))
    if changed or before != (json.dumps(manifest.seen), len(manifest.records), len(manifest.quarantine)):
        manifest.imports.append(
            {"source": source, "path": path, "time": int(time.time()), "samples": samples, "bad": len(bad),
             "days": changed, "unchanged": unchanged}
        )  # fmt: skip
        store.commit(manifest)
    if not store.is_current(SUMMARY):  # also if a run was killed after its commit
        write_summary(start, store, manifest)
    store.sweep(manifest)
    return parsed


def _reduced(start: Start, store: Store, manifest: Manifest, staged: Staged) -> list[tuple[str, list[Piece]]]:
    """Return the results of each changed day, with its parts in order."""
    pieces = []
    for day, files in sorted(staged.items()):
        old = manifest.days.get(day, Day())
        count = old.count + sum(rows for _, rows in files)
        parts = min(SLICES, -(-count // _DENSE))
        paths = [*(store.at(file.path) for file in old.samples), *(path for path, _ in files)]
        for part in range(parts):
            slices = [part * SLICES // parts, (part + 1) * SLICES // parts]
            pieces.append(
                {"day": day, "files": paths, "slices": slices, "folder": store.at("days", day),
                 "rewrite": len(paths) > _FILES}
            )  # fmt: skip
    results = _reduce(start, store, pieces)
    # If one part of a day was rewritten, the original files no longer count, so the other parts must be rewritten too.
    half = {one["day"] for one in results if "samples" in one["files"]}
    half &= {one["day"] for one in results if one["count"] and "samples" not in one["files"]}
    if half:
        results = [one for one in results if one["day"] not in half]
        results += _reduce(start, store, [{**piece, "rewrite": True} for piece in pieces if piece["day"] in half])
    by_day: dict[str, list[Piece]] = {}
    for one in results:
        by_day.setdefault(one["day"], []).append(one)
    return [(day, sorted(parts, key=lambda one: one["slices"])) for day, parts in sorted(by_day.items())]


def _reduce(start: Start, store: Store, pieces: list[Piece]) -> list[Piece]:
    with Meter(store.at("staging"), "counting", len(pieces)) as meter:
        return run_pieces(start, [{**piece, "marks": meter.folder} for piece in pieces], reduce_piece)


def _day(store: Store, old: Day, staged: list[tuple[str, int]], results: list[Piece]) -> Day:
    """Return the new state of a day, from the results of its parts."""
    start = len(store.path) + 1
    files: dict[str, list[File]] = {"samples": [], "series": [], "histograms": [], "rollups": []}
    for result in results:
        for kind, (path, rows, size) in result["files"].items():
            files[kind].append(File(path[start:], rows, size))
    if not files["samples"]:
        files["samples"] = [*old.samples, *(File(path[start:], rows, size_of(path)) for path, rows in staged)]
    digests = {place: digest for result in results for place, digest in result["digests"].items()}
    digest = blake2b(json.dumps(sorted(digests.items())).encode(), digest_size=16).hexdigest()
    count = sum(result["count"] for result in results)
    return Day(files["samples"], files["series"], files["histograms"], files["rollups"], count, digest)


def _keep(store: Store, files: list[File], folder: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows as compressed JSON lines to a file named after its content, unless it exists."""
    if not rows:
        return
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    name = f"{folder}/{blake2b(text, digest_size=8).hexdigest()}.jsonl.gz"
    if all(file.path != name for file in files):
        files.append(store.write(name, gzip.compress(text, mtime=0))._replace(rows=len(rows)))


def _new_records(store: Store, manifest: Manifest, records: Sequence[Record]) -> list[Record]:
    """Return the records that the store does not contain yet, without duplicates."""
    known = {json.dumps(record) for record in read_records(store, manifest)}
    fresh = {}
    for record in sorted(records, key=lambda one: (one.time, json.dumps(one))):
        if (text := json.dumps(record)) not in known:
            fresh[text] = record
    return list(fresh.values())


def read_records(store: Store, manifest: Manifest) -> Iterator[Record]:
    """Yield the records, such as settings and topologies, that sources added to a store, file by file."""
    for file in manifest.records:
        for line in gzip.decompress(read_bytes(store.at(file.path))).splitlines():
            yield Record(**json.loads(line))
