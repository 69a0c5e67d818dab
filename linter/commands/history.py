"""`flint history import`, `status` and `compact`: each runs, prints its result and returns the exit status."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.formulas.quantity import spell_count
from flink_flint.linter.model.safe_text import names_without_secrets
from flink_flint.linter.output.missing_packages import missing_history_package
from flink_flint.linter.output.terminal_style import BOLD, DIM, Style, count, terminal_width, uses_color
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.calculators.history.pipeline.coverage import Coverage, JobDays
    from flink_flint.calculators.history.pipeline.importing import Imported
    from flink_flint.calculators.history.store.layout import Store
    from flink_flint.linter.commands.errors import PrintMessage
    from flink_flint.linter.commands.import_arguments import ImportArguments

_ADDRESS = regex(r"https?://")
_SIZES = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_SHADES = "·░▒▓█"
"""Shades for the coverage of a day, from none to full."""
_BESIDE = 10
"""The columns of a line in the chart that are neither name nor days: margins, and the coverage."""
_DATE = len("2026-11-20")
_WORTH_A_RATE = 10_000
"""The number of samples below which a rate would mostly measure startup time."""
EXIT_ERROR = 2
_SHOWN = 5
"""How many files or holes of a list are named."""


def run_import(arguments: ImportArguments, print_message: PrintMessage) -> int:
    """Import a source, print the result and return the exit status; raise ValueError for unusable input."""
    try:
        from flink_flint.calculators.history.pipeline.importing import import_files
        from flink_flint.calculators.history.sources.prometheus.http import moment
        from flink_flint.calculators.history.sources.recognition import Options
        from flink_flint.calculators.history.store.layout import Store
        from flink_flint.calculators.history.store.spark_session import session
    except ModuleNotFoundError as missing:
        raise missing_history_package(missing) from None
    path = arguments.address
    store = Store(arguments.into)
    began = time.monotonic()

    @cache
    def start() -> Any:
        nonlocal began
        spark = session(arguments.master or "", arguments.remote or "", arguments.conf)
        began = time.monotonic()
        return spark

    if _ADDRESS.match(path):
        from flink_flint.linter.commands.history_servers import import_address

        imported = import_address(start, store, arguments, print_message)
    else:
        if arguments.start or arguments.end:
            raise ValueError("--from and --to require an address; for files, name those to import")
        taken = moment(arguments.time) if arguments.time else 0
        import_options = Options(arguments.cluster or "", arguments.cluster_label or "", taken)
        imported = import_files(start, store, path, import_options, only=arguments.source or "", again=arguments.again)
    took = time.monotonic() - began
    imported = names_without_secrets(imported)
    if arguments.output_format == "json":
        print(json.dumps({"version": 1, "store": store.name, "seconds": round(took, 3), **imported._asdict()}))
    else:
        print("\n".join(_import_lines(imported, store, took)))
    for line in _import_warnings(imported, store):
        print_message(line, kind="warning")
    # Everything was rejected: nothing was stored.
    return EXIT_ERROR if imported.bad and not (imported.samples or imported.records or imported.skipped) else 0


def _import_lines(imported: Imported, store: Store, took: float) -> Iterator[str]:
    if not imported.days and not imported.samples:
        yield f"{store.name} already contains all of it" if imported.skipped else f"{store.name}: nothing to import"
    else:
        rate = f", {spell(imported.samples / took)}/s" if imported.samples >= _WORTH_A_RATE else ""
        yield f"{spell(imported.samples)} samples ({imported.source}) in {took:.1f} s{rate}"
        days = f"{count(len(imported.days), 'day')} written"
        if imported.days:
            days += (
                f" ({imported.days[0]} to {imported.days[-1]})" if len(imported.days) > 1 else f" ({imported.days[0]})"
            )
        yield days + (f", {count(imported.unchanged, 'day')} unchanged" if imported.unchanged else "")
    lines = [
        (imported.skipped, "file", "imported before and not changed since (--again reads such files)"),
        (imported.records, "record", "on configurations, topologies and runs"),
        (imported.duplicates, "sample", "that were duplicated or also under an older name, and count once"),
        (imported.shadowed, "sample", "skipped, because a preferred source has them too"),
        (imported.absent, "value", "skipped, because they are NaN or not available yet"),
    ]
    for number, what, why in lines:
        if number:
            yield f"  {spell(number)} {what}{'' if number == 1 else 's'} {why}"


def _import_warnings(imported: Imported, store: Store) -> Iterator[str]:
    for reason, number in sorted(imported.bad.items(), key=lambda one: -one[1]):
        yield f"{count(number, 'row')} set aside: {reason} (see {store.name}/quarantine)"
    if imported.sealed:
        yield (
            f"{count(imported.sealed, 'sample')} belong to days whose samples `flint history compact` has deleted; "
            "they could not be added"
        )
    if imported.unknown:
        named = ", ".join(map(printable, imported.unknown[:_SHOWN])) + (" …" if len(imported.unknown) > _SHOWN else "")
        yield f"{count(len(imported.unknown), 'file')} of an unsupported kind: {named}"


def spell(number: float) -> str:
    """Return a number, rounded, as readable text: ``339 005``, or ``101 M`` for ten million and more."""
    if number >= 10_000_000:
        return f"{number / 1e6:.0f} M"
    return spell_count(round(number))


def spell_bytes(number: float) -> str:
    """Return a size in bytes as readable text, such as ``1.4 GiB``."""
    for size, unit in _SIZES:
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f} B"


def run_status(path: str, output_format: str, print_message: PrintMessage) -> int:
    """Print the contents of a store and return the exit status; raise ValueError if `path` is not a store."""
    try:
        from flink_flint.calculators.history.pipeline.coverage import coverage
        from flink_flint.calculators.history.store.layout import Store
    except ModuleNotFoundError as missing:
        raise missing_history_package(missing) from None
    store = Store(path)
    coverage_ = names_without_secrets(coverage(store, store.manifest()))
    if output_format == "json":
        print(json.dumps(_status_json(store, coverage_)))
    else:
        style = Style(uses_color())
        print("\n".join(_status_lines(store, coverage_, style, terminal_width())))
    return 0


def _status_json(store: Store, stored: Coverage) -> dict[str, Any]:
    days = stored.days
    return {
        "version": 1,
        "store": store.name,
        "days": {"count": len(days), "from": days[0], "to": days[-1]} if days else {"count": 0},
        "sealed": stored.sealed,
        "aged": stored.aged,
        "jobs": [
            {"cluster": job.cluster, "job": job.job, "holes": job.holes,
             "days": {day: round(share, 4) for day, share in job.days.items()}}
            for job in stored.jobs
        ],
        "tables": {
            name: {"files": files, "rows": rows, "bytes": size} for name, (files, rows, size) in stored.tables.items()
        },
        "imports": stored.imports,
    }  # fmt: skip


def _status_lines(store: Store, stored: Coverage, style: Style, width: int) -> Iterator[str]:
    if not stored.days and not stored.imports:
        yield f"{store.name}: nothing imported yet: run `flint history import SOURCE --into {store.name}`"
        return
    yield style.paint(BOLD, store.name) + f"  {_day_range(stored)}"
    yield ""
    if stored.jobs:
        yield from _picture(stored, style, width)
    for name, (files, rows, size) in stored.tables.items():
        if files:
            yield f"  {name:<11} {spell_bytes(size):>10}  {spell(rows):>10} rows in {count(files, 'file')}"
    notes = []
    if stored.sealed:
        notes.append(f"{count(stored.sealed, 'day')} sealed (their samples are removed)")
    if stored.aged:
        notes.append(f"{count(stored.aged, 'day')} aged to hours")
    if notes:
        yield "  " + ", ".join(notes)
    if stored.tables["samples"][2] > 1 << 30:
        yield "  `flint history compact` removes old samples"


def _day_range(stored: Coverage) -> str:
    if not stored.days:
        return "no samples yet"
    first, last = stored.days[0], stored.days[-1]
    return f"{count(len(stored.days), 'day')}, " + (first if first == last else f"{first} to {last}")


def _picture(stored: Coverage, style: Style, width: int) -> Iterator[str]:
    """Yield a chart with a line per job and a character per day or several, under the dates."""
    first, last = date.fromisoformat(stored.days[0]), date.fromisoformat(stored.days[-1])
    span = (last - first).days + 1
    names = min(max(len(_job_name(job)) for job in stored.jobs), max(8, width // 3))
    per_cell = -(-span // max(10, width - names - _BESIDE))
    cells = -(-span // per_cell)
    scale = f"{_SHADES[0]} nothing  {_SHADES[1:]} a day up to all of it" + (
        f"; a character is {per_cell} days" if per_cell > 1 else ""
    )
    yield style.paint(DIM, scale if len(scale) <= width else f"{_SHADES} none to all, {per_cell} d each")
    if axis := _axis(first, cells, per_cell):
        yield style.paint(DIM, f"{'':<{names + 4}}{axis}")
    for cluster in dict.fromkeys(job.cluster for job in stored.jobs):
        yield f"cluster {style.paint(BOLD, printable(cluster))}"
        for job in (job for job in stored.jobs if job.cluster == cluster):
            name = _job_name(job)
            name = name if len(name) <= names else name[: names - 1] + "…"
            covered = sum(job.days.values()) / max(1, _span(job.days))
            yield f"  {name:<{names}}  {_cells(job.days, first, span, per_cell)}  {covered:4.0%}"
            if job.holes:
                yield style.paint(DIM, f"  {'':<{names}}  nothing on {_named(job.holes, width - names - 15)}")
        yield ""


def _axis(first: date, cells: int, per_cell: int) -> str:
    """Return the axis: dates over the cells where they begin, as many as fit."""
    text = ""
    for cell in range(cells):
        day = first + timedelta(days=cell * per_cell)
        # At the start of a month, and at the left edge; each after the end of the previous one.
        begins = not cell or (day - timedelta(days=per_cell)).month != day.month
        if begins and len(text) <= cell and cell + _DATE <= cells:
            text = f"{text:<{cell}}{day:%Y-%m-%d} "
    return text.rstrip()


def _job_name(job: JobDays) -> str:
    return printable(job.job) or "(processes)"


def printable(text: str) -> str:
    """Return `text` with unprintable characters, which could move the cursor or hide text, replaced by U+FFFD."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _span(days: Mapping[str, float]) -> int:
    return (date.fromisoformat(max(days)) - date.fromisoformat(min(days))).days + 1


def _cells(days: Mapping[str, float], first: date, span: int, per_cell: int) -> str:
    """Return one character for each day, or for several."""
    cells = []
    for begin in range(0, span, per_cell):
        within = [str(first + timedelta(days=day)) for day in range(begin, min(span, begin + per_cell))]
        share = sum(days.get(day, 0.0) for day in within) / len(within)
        cells.append(_SHADES[0] if share == 0 else _SHADES[max(1, min(4, -(-int(share * 100) // 25)))])
    return "".join(cells)


def _named(holes: Sequence[str], room: int) -> str:
    """Return dates, neighbors as ranges: the first few, as many as fit."""
    ranges: list[tuple[str, str]] = []
    for day in holes:
        if ranges and date.fromisoformat(day) - date.fromisoformat(ranges[-1][1]) == timedelta(days=1):
            ranges[-1] = (ranges[-1][0], day)
        else:
            ranges.append((day, day))
    texts = [begin if begin == end else f"{begin} to {end}" for begin, end in ranges]
    for shown in range(min(len(texts), _SHOWN), 0, -1):
        more = f" and {count(len(texts) - shown, 'more time')}" if len(texts) > shown else ""
        if len(text := ", ".join(texts[:shown]) + more) <= room:
            return text
    return count(len(holes), "day")


class CompactArguments(NamedTuple):
    """The arguments of `flint history compact`."""

    store: str
    keep_samples: int
    keep_slots: int
    keep: int | None
    master: str | None
    remote: str | None
    conf: tuple[str, ...]


def run_compact(arguments: CompactArguments, print_message: PrintMessage) -> int:
    """Compact a store, print the result and return the exit status; raise ValueError for unusable input."""
    try:
        from flink_flint.calculators.history.pipeline.compacting import Ages, compact
        from flink_flint.calculators.history.store.layout import Store
        from flink_flint.calculators.history.store.spark_session import session
    except ModuleNotFoundError as missing:
        raise missing_history_package(missing) from None
    ages = Ages(arguments.keep_samples, arguments.keep_slots, arguments.keep or 0)
    if ages.slots < ages.samples or (ages.keep and ages.keep < ages.slots):
        raise ValueError(
            f"samples must be removed before slots, and slots before days: {ages.samples} days for samples,"
            f" {ages.slots} for slots"
            + (f" and {ages.keep} for days" if ages.keep else "") + " are not in that order"
        )  # fmt: skip
    store = Store(arguments.store)
    start = cache(partial(session, arguments.master or "", arguments.remote or "", arguments.conf))
    done = compact(start, store, ages)
    if not (done.sealed or done.aged or done.forgotten):
        print(f"{store.name}: nothing is old enough ({spell_bytes(done.after)})")
        return 0
    parts = [
        f"samples of {count(done.sealed, 'day')} removed" if done.sealed else "",
        f"{count(done.aged, 'day')} aged to hours" if done.aged else "",
        f"{count(done.forgotten, 'day')} forgotten" if done.forgotten else "",
    ]
    print(
        f"{store.name}: {', '.join(filter(None, parts))}; {spell_bytes(done.before)} became {spell_bytes(done.after)}"
    )
    return 0
