"""`flint check`: from the words of the command line to the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO

from linter.discovery import LARGEST_FILE, Problem, Source, find
from linter.engine import Options, Report, check
from linter.finding import Confidence
from linter.flink.releases import KNOWN, nearest_index, release_at
from linter.preferences import PreferencesFile, preferences_for, read_preferences
from linter.registry import confidence_of, severity_of
from linter.reports import FORMATS, Context, report_format
from linter.reports.style import terminal_width, wants_color
from linter.writing import save

Say = Callable[..., None]

DEFAULT_FAIL_LEVEL = "warning"


def run_check(given: Mapping[str, Any], say: Say) -> int:
    """Check and report; the exit status. Raises ValueError for what nobody can use."""
    paths = list(given["paths"]) or ["."]
    preferences = _preferences(given["preferences_file"], paths)
    if given["show_preferences"]:
        return _show_preferences(preferences)
    options = Options(
        flink_version=given["flink_version"],
        platform=given["platform"],
        profile=given["profile"],
        select=_words(given["select"]),
        extend_select=_words(given["extend_select"]),
        ignore=_words(given["ignore"]),
        min_confidence=confidence_of(
            given["min_confidence"] or preferences.values.get("min-confidence", Confidence.LOW.word)
        ),
        preferences=preferences if given["preferences_file"] else None,
        ignores=not given["no_ignores"],
        rules=not given["show_files"],
        history=_history(given["history"], preferences),
    )
    fail_level = severity_of(given["fail_level"] or preferences.values.get("fail-level", DEFAULT_FAIL_LEVEL))
    outputs = _outputs(given, preferences)
    sources: Iterable[Source | Problem] = _sources(paths, given, preferences, lambda message: say(message, kind="info"))
    fixed = 0
    if given["fix_"] or given["diff_"]:
        sources, fixed = _fix(list(sources), options, given, from_stdin="-" in paths)
        if given["diff_"]:
            return 0 if given["exit_zero"] or not fixed else 1
    # With `--fix -` standard output is the mended file, as for any filter.
    stream = sys.stderr if given["fix_"] and "-" in paths else sys.stdout
    report = check(sources, options, processes=given["jobs"])
    for problem in report.problems:
        say(f"{problem.path}: {problem.message}")
    _say_whose_history(report, options.history, say)
    for release in dict.fromkeys(one.target.release for one in report.documents):
        if release is not None and release.place is None:
            nearest = release_at(nearest_index(release))
            say(f"Flink {release} is not in the option catalogue ({KNOWN}); judged as {nearest}", kind="warning")
    if not report.files and not report.problems:
        say("no Flink configuration found in " + ", ".join(paths), kind="warning")
    if given["show_files"]:
        _show_files(report, outputs[0][0])
    else:
        _write_reports(report, outputs, given["statistics"], stream)
        if fixed and outputs[0] == ("full", None):
            stream.write(f"Fixed {fixed}.\n")
    if report.problems or report.crashed:
        return 2
    if given["exit_zero"]:
        return 0
    worst = max((finding.severity for finding in report.findings), default=None)
    return int((worst is not None and worst >= fail_level) or bool(fixed and given["exit_non_zero_on_fix"]))


def _words(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def _preferences(named: str | None, paths: Sequence[str]) -> PreferencesFile:
    """The named preferences, or those nearest to the first path: what holds for the run as a whole."""
    if named is not None:
        found = read_preferences(named)
        assert found is not None
        return found
    return preferences_for("." if paths[0] == "-" else paths[0])


def _history(named: str | None, preferences: PreferencesFile) -> str | None:
    """The store to compare with; a preference is relative to its file. Raises ValueError for what is no store."""
    preferred = preferences.values.get("history")
    if named is None and preferred is not None:
        named = os.path.join(preferences.folder, preferred)
    if named is not None:
        from linter.observations import open_store

        open_store(named)
    return named


def _say_whose_history(report: Report, history: str | None, say: Say) -> None:
    """Tell where the history does not know whose it is, rather than leave it out in silence."""
    unknown = dict.fromkeys(one.document.path for one in report.documents if not one.observed)
    if history is None or not unknown:
        return
    from linter.observations import open_store

    store = open_store(history)
    of_many = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
    if not store.clusters:
        say(f"{store.path}: the history holds no cluster yet", kind="info")
        return
    say(
        f"{next(iter(unknown))}{of_many}: nothing says which cluster of the history it is for; {store.path} has "
        f"{store.spelled_clusters}: name one, as in --history {store.path}#{store.clusters[0]}",
        kind="info",
    )


def _show_preferences(preferences: PreferencesFile) -> int:
    import json

    print(json.dumps({"path": preferences.path, "preferences": preferences.values}, indent=1))
    return 0


def _sources(
    paths: Sequence[str], given: Mapping[str, Any], preferences: PreferencesFile, note: Callable[[str], None]
) -> Iterator[Source | Problem]:
    exclude = (*preferences.exclude, *given["exclude"])
    force = given["force_exclude"] or bool(preferences.values.get("force-exclude", False))
    if "-" in paths:
        yield _stdin(given["stdin_filename"] or "flink-conf.yaml")
    named = [path for path in paths if path != "-"]
    for path in named:
        if not os.path.lexists(path):
            yield Problem(path, "no such file or folder")
    existing = [path for path in named if os.path.lexists(path)]
    yield from find(existing, exclude=exclude, force_exclude=force, root=preferences.folder, note=note)


def _stdin(name: str) -> Source | Problem:
    from linter.carriers import carrier_of

    data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        return Problem(name, f"more than {LARGEST_FILE // 1024**2} MiB: too large for a Flink configuration")
    carrier = carrier_of(os.path.basename(name), data.decode("utf-8", "replace"), trust_name=True)
    if carrier is None:
        return Problem(name, "not a kind of file flint reads; name it with --stdin-filename, as config.yaml")
    return Source(name, data, carrier)


def _outputs(given: Mapping[str, Any], preferences: PreferencesFile) -> list[tuple[str, str | None]]:
    """Pairs of format and file (None is standard output)."""
    formats = list(given["output_format"]) or [preferences.values.get("output-format", "full")]
    for name in formats:
        if name not in FORMATS:
            raise ValueError(f"{name!r} is not an output format; there are {', '.join(FORMATS)}")
    files = list(given["output_file"])
    if len(files) > len(formats):
        raise ValueError(f"{len(files)} --output-file for {len(formats)} --output-format: give them in pairs")
    return list(zip(formats, [*files, *[None] * (len(formats) - len(files))], strict=True))


def _write_reports(report: Report, outputs: Sequence[tuple[str, str | None]], statistics: bool, stream: TextIO) -> None:
    for name, file in outputs:
        if file is None:
            context = Context(wants_color(stream), terminal_width(stream), statistics)
            for part in report_format(name).render(report, context):
                stream.write(part)
        else:
            text = "".join(report_format(name).render(report, Context(False, 100, statistics)))
            save(file, text.encode("utf-8", "backslashreplace"), "the report")


def _fix(
    sources: list[Source | Problem], options: Options, given: Mapping[str, Any], *, from_stdin: bool
) -> tuple[list[Source | Problem], int]:
    """Mend the files (or show how); what is left to check and how many findings were mended.

    What came from standard input (the first source then) goes to standard output.
    """
    from linter.fixes import diff, fix, write

    left: list[Source | Problem] = []
    mended = 0
    readable = [source for source in sources if isinstance(source, Source)]
    results = iter(fix(readable, options, unsafe=given["unsafe_fixes"]))
    for number, source in enumerate(sources):
        if isinstance(source, Problem):
            left.append(source)
            continue
        result = next(results)
        mended += len(result.titles)
        problem = None
        if given["diff_"]:
            sys.stdout.write(diff(result))
        elif from_stdin and number == 0:
            sys.stdout.buffer.write(result.after.data)
        elif result.changed:
            problem = write(result)
        left.append(problem or result.after)
    return left, mended


def _show_files(report: Report, output_format: str) -> None:
    files: dict[str, list[dict[str, object]]] = {}
    for judged in report.documents:
        row: dict[str, object] = {
            "kind": judged.document.kind,
            "flink_version": judged.target.version,
            "evidence": judged.target.evidence,
            "platform": judged.target.platform,
            "profile": judged.target.profile,
        }
        files.setdefault(judged.document.path, []).append({"document": judged.document.name, **row})
    # A file is what its first document is; the others follow where there are more.
    rows = [
        {"path": path, **{k: v for k, v in members[0].items() if k != "document"}}
        | ({"documents": members} if len(members) > 1 else {})
        for path, members in files.items()
    ]
    if output_format.startswith("json"):
        import json

        print(json.dumps({"version": 1, "files": rows}, indent=1, ensure_ascii=False))
        return
    for path, row in ((path, row) for path, members in files.items() for row in members):
        named = f" ({row['document']})" if row["document"] else ""
        platform = f", {row['platform']}" if row["platform"] else ""
        version = (
            f"Flink {row['flink_version']} ({row['evidence']})" if row["flink_version"] else f"Flink {row['evidence']}"
        )
        print(f"{path}{named}: {row['kind']}, {version}{platform}, {row['profile']}")
