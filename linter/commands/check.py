"""`flint check`: reads its arguments, runs the check and returns the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from flink_flint.linter.commands.errors import print_unread
from flink_flint.linter.config.flint_config import FlintConfigFile, ReadFile, flint_config_for, read_flint_config
from flink_flint.linter.engine.discovery import LARGEST_FILE, Problem, Skipped, Source, find, wrong_encoding
from flink_flint.linter.engine.registry import confidence_of, severity_of
from flink_flint.linter.engine.running import Options, Report, check
from flink_flint.linter.filesystem.reading import beside
from flink_flint.linter.filesystem.writing import save
from flink_flint.linter.flink.files import encoding_of
from flink_flint.linter.flink.releases import KNOWN, nearest_index, release_at
from flink_flint.linter.model.encoding import neutral, neutral_line
from flink_flint.linter.model.finding import Confidence
from flink_flint.linter.output import FORMATS, WITH_EDITS, WITH_FIXES, Context, report_format
from flink_flint.linter.output.terminal_style import terminal_width, uses_color

if TYPE_CHECKING:
    from flink_flint.linter.engine.comparison_result import Comparison
    from flink_flint.linter.fix.one_file import Fixed
    from flink_flint.linter.revisions.base_revision import Gather
    from flink_flint.linter.revisions.filters import Change

PrintMessage = Callable[..., None]

DEFAULT_FAIL_LEVEL = "warning"


def run_check(given: Mapping[str, Any], print_message: PrintMessage) -> int:
    """Run the check, print the reports and return the exit status. Raises ValueError for unusable input."""
    paths = list(given["paths"]) or ["."]
    _refuse_contradictions(given, paths)
    change = None
    if given["diff_base"] is not None and not (given["show_files"] or given["show_flint_config"]):
        from flink_flint.linter.revisions.filters import change_since

        change = change_since(given["diff_base"], paths, print_message)
    try:
        return _run(given, paths, change, print_message)
    except BaseError as error:
        # The base's configuration is unusable: check the head with its own, and report all findings.
        message = f"{given['diff_base']} cannot be checked: {error}. All findings are reported."
        print_message(f"--diff-base {given['diff_base']}: {message}", kind="warning")
        return _run(given, paths, None, print_message)


class BaseError(Exception):
    """The flint configuration of the base is unusable; the message says why."""


def _run(given: Mapping[str, Any], paths: list[str], change: Change | None, print_message: PrintMessage) -> int:
    """Run the check as `run_check` does, with the base's flint configuration if there is a change."""
    read = None if change is None else change.settings
    try:
        flint_config, named = _settings(given["flint_config_file"], paths, change)
    except ValueError as error:
        if change is None:
            raise
        raise BaseError(str(error)) from None
    if given["show_flint_config"]:
        from flink_flint.linter.commands.check_listing import show_flint_config

        return show_flint_config(flint_config)
    options = Options(
        flink_version=given["flink_version"],
        platform=given["platform"],
        profile=given["profile"],
        select=_words(given["select"]),
        extend_select=_words(given["extend_select"]),
        ignore=_words(given["ignore"]),
        min_confidence=_min_confidence(given, flint_config),
        flint_config=named,
        ignores=not given["no_ignores"],
        rules=not given["show_files"],
        history=_history(given["history"], flint_config),
        read_settings=read,
    )
    fail_level = severity_of(given["fail_level"] or flint_config.values.get("fail-level", DEFAULT_FAIL_LEVEL))
    outputs = _outputs(given, flint_config)
    baseline = _baseline(given, flint_config)
    skipped: list[Skipped] = []
    tracked = frozenset[str]() if change is None else change.changes.tracked
    sources = list(_sources(paths, given, flint_config, skipped.append, read=read, tracked=tracked))
    _refuse_mixups(sources, outputs, from_stdin="-" in paths)
    fixed: list[Fixed] = []
    if given["fix_"] or given["diff_"]:
        from flink_flint.linter.commands.check_fixes import fix_file

        sources, fixed = fix_file(
            sources, options, print_message, unsafe=given["unsafe_fixes"], only_show=given["diff_"],
            from_stdin="-" in paths, processes=given["jobs"],
        )  # fmt: skip
        if given["diff_"]:
            problems = [source for source in sources if isinstance(source, Problem)]
            for problem in problems:
                print_message(f"{neutral_line(problem.path)}: {problem.message}")
            return 2 if problems else int(bool(fixed) and not given["exit_zero"])
    # With `--fix -` the fixed file goes to standard output, as for any filter.
    stream = sys.stderr if given["fix_"] and "-" in paths else sys.stdout
    restricted = (baseline is not None or given["diff_base"] is not None) and not given["show_files"]
    min_confidence = options.min_confidence
    if restricted:
        # Findings with too little confidence to be shown still match entries of a baseline.
        options = options._replace(min_confidence=Confidence.LOW)
    found = [source for source in sources if isinstance(source, Source)]
    gather = _gather(given)
    before, earlier = None, None
    if change is not None:
        from flink_flint.linter.revisions.base_revision import Then, earlier_documents
        from flink_flint.linter.revisions.filters import check_base, with_lines_of

        change = with_lines_of(change, found)
        then = Then(change.changes, paths, found, options, gather)
        before = check_base(change, then, given["jobs"], print_message)
        earlier = earlier_documents(before, then) if before is not None else None
    try:
        report = check(sources, options, processes=given["jobs"], earlier=earlier)
    except ValueError as error:
        if change is None:
            raise
        raise BaseError(str(error)) from None
    if any(name in WITH_EDITS for name, _ in outputs):
        from flink_flint.linter.fix.unproven import mark_unproven

        mark_unproven(report, sources, options, processes=given["jobs"], earlier=earlier)
    report = report._replace(skipped=skipped)
    _say_what_was_read(report, options, paths, print_message)
    has_errors = bool(report.problems) or report.crashed
    is_stale = False
    if restricted:
        from flink_flint.linter.revisions.filters import Run, judged_by_itself, restrict, write_found

        run = Run(paths, found, report, options, min_confidence, given["jobs"], gather, print_message, change, before)
        if baseline is not None and given["write_baseline"]:
            write_found(run, baseline)
            if "baseline" not in flint_config.values:
                print_message(f"use it with --baseline {baseline}, or set baseline in flint.toml", kind="info")
            return 2 if has_errors else 0
        own = None
        if change is not None:
            own = judged_by_itself(run, given["flint_config_file"], lambda: _by_itself(given, paths, options))
            has_errors |= own is not None and own.report.crashed
        report, is_stale = restrict(run, baseline, prune=given["prune_baseline"], own=own)
    if given["show_files"]:
        from flink_flint.linter.commands.check_listing import show_files

        show_files(report, outputs[0][0])
    else:
        _say_what_is_hidden(report, outputs, print_message)
        has_errors |= not _write_reports(report, outputs, given["statistics"], stream, print_message)
        if fixed and (outputs[0] == ("full", None) or given["show_fixes"]):
            from flink_flint.linter.commands.check_fixes import fix_summary

            (stream if outputs[0] == ("full", None) else sys.stderr).writelines(
                fix_summary(fixed, each=given["show_fixes"])
            )
    if has_errors:
        return 2
    if given["exit_zero"]:
        return 0
    worst = max((finding.severity for finding in report.findings), default=None)
    fails = worst is not None and worst >= fail_level
    fails |= report.comparison is not None and _fails_by_hiding(report.comparison, flint_config)
    return int(fails or is_stale or bool(fixed and given["exit_non_zero_on_fix"]))


_APART = (
    ("write_baseline", ("prune_baseline", "no_baseline", "diff_base", "diff_")),
    ("prune_baseline", ("no_baseline", "diff_")),
    ("baseline", ("no_baseline",)),
    ("diff_base", ("fix_", "diff_")),
    ("output_file", ("diff_", "write_baseline", "show_files", "show_flint_config")),
)
"""Options that are mutually exclusive."""


def _refuse_contradictions(given: Mapping[str, Any], paths: Sequence[str]) -> None:
    for one, others in _APART:
        for other in others:
            if given[one] and given[other]:
                raise ValueError(f"{_spelled(one)} cannot be used with {_spelled(other)}")
    if given["diff_base"] is not None and "-" in paths:
        raise ValueError("--diff-base compares files; it cannot be used with standard input (-)")


def _refuse_mixups(
    sources: Sequence[Source | Problem], outputs: Sequence[tuple[str, str | None]], *, from_stdin: bool
) -> None:
    """Raise ValueError if two texts have the same name: standard input and a file, or a report and a checked file."""
    if from_stdin:
        name = os.path.abspath(sources[0].path)
        if any(os.path.abspath(one.path) == name for one in sources[1:]):
            raise ValueError(
                f"{sources[0].path}: both standard input and a file go by this name; "
                "give standard input another one with --stdin-filename"
            )
    files = [file for _, file in outputs if file is not None]
    if not files:
        return
    checked = {os.path.realpath(one.path) for one in sources if isinstance(one, Source)}
    seen: set[str] = set()
    for file in files:
        real = os.path.realpath(file)
        if not file:
            raise ValueError("--output-file names no file: its value is empty")
        if real in checked:
            raise ValueError(f"{file}: a report would overwrite a file that is checked; name another --output-file")
        if real in seen and (os.path.isfile(real) or not os.path.exists(real)):
            raise ValueError(f"{file}: two reports would go there; give each an --output-file of its own")
        seen.add(real)


def _spelled(option: str) -> str:
    return "--" + option.strip("_").replace("_", "-")


def _words(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def _settings(
    named: str | None, paths: Sequence[str], change: Change | None
) -> tuple[FlintConfigFile, FlintConfigFile | None]:
    """Return the flint configuration of the run (that nearest to the first path), and the one given by
    `--flint-config`.

    For a change they are those of the base. Raises ValueError if one is invalid.
    """
    found: FlintConfigFile | None = None
    if named is not None:
        if change is None:
            found = read_flint_config(named)
        else:
            from flink_flint.linter.revisions.base_config import named_settings

            found = named_settings(change.changes, named)
    return found or flint_config_for("." if paths[0] == "-" else paths[0], change and change.settings), found


def _min_confidence(given: Mapping[str, Any], flint_config: FlintConfigFile) -> Confidence:
    return confidence_of(given["min_confidence"] or flint_config.values.get("min-confidence", Confidence.LOW.word))


def _by_itself(
    given: Mapping[str, Any], paths: Sequence[str], options: Options
) -> tuple[Sequence[Source | Problem], Options]:
    """Return the files and options according to the head's own configuration."""
    flint_config, named = _settings(given["flint_config_file"], paths, None)
    sources = list(_sources(paths, given, flint_config, None))
    options = options._replace(
        flint_config=named, read_settings=None, min_confidence=_min_confidence(given, flint_config)
    )
    return sources, options


def _fails_by_hiding(comparison: Comparison, flint_config: FlintConfigFile) -> bool:
    """Return whether flint's configuration (the base's) makes the run fail because the change hides something."""
    from flink_flint.linter.engine.comparison_result import hides

    refused = [name for name, word in flint_config.values.get("diff", {}).items() if word == "fail"]
    hidden = {
        "new-suppressions": comparison.newly_suppressed,
        "no-longer-read": [one for one in comparison.no_longer_read if hides(one.findings, one.reason)],
        "unreadable": comparison.unreadable,
    }
    return any(hidden[name] for name in refused)


def _history(named: str | None, flint_config: FlintConfigFile) -> str | None:
    """Return the history store; one in flint's configuration is relative to its file. Raises ValueError if it is
    invalid."""
    configured = flint_config.values.get("history")
    if named is None and configured is not None:
        if beside(flint_config.folder, configured) is None:
            raise ValueError(f"{flint_config.path}: its history {configured} is not in the repository: see --history")
        named = os.path.join(flint_config.folder, configured)
    if named is not None:
        from flink_flint.linter.model.observations import open_store

        open_store(named)
    return named


def _baseline(given: Mapping[str, Any], flint_config: FlintConfigFile) -> str | None:
    """Return the baseline: from the command line, from flint's configuration (relative to it), or the default to write
    to."""
    if given["no_baseline"] or given["baseline"]:
        return given["baseline"] or None
    configured = flint_config.values.get("baseline")
    if configured is not None:
        file = os.path.join(flint_config.folder, configured)
        if beside(flint_config.folder, configured) is None:
            raise ValueError(f"{flint_config.path}: its baseline {configured} is not in the repository: see --baseline")
        near = os.path.relpath(file) if os.path.splitdrive(file)[0] == os.path.splitdrive(os.getcwd())[0] else file
        return file if near.startswith("..") else near
    if given["write_baseline"] or given["prune_baseline"]:
        from flink_flint.linter.engine.baseline import DEFAULT_FILE

        return DEFAULT_FILE
    return None


def _say_what_was_read(report: Report, options: Options, paths: Sequence[str], print_message: PrintMessage) -> None:
    """Report what could not be read, or not as intended."""
    for problem in report.problems:
        print_message(f"{neutral_line(problem.path)}: {problem.message}")
    print_unread(report.skipped, print_message)
    _say_whose_history(report, options.history, print_message)
    for release in dict.fromkeys(one.target.release for one in report.documents):
        if release is not None and release.place is None:
            nearest = release_at(nearest_index(release))
            print_message(
                f"Flink {release} is not in the option catalogue ({KNOWN}); checked as {nearest}", kind="warning"
            )
    if not report.files and not report.unread:
        print_message("no Flink configuration found in " + ", ".join(paths), kind="warning")


def _say_whose_history(report: Report, history: str | None, print_message: PrintMessage) -> None:
    """Report documents whose cluster in the history is unknown, instead of silently skipping them."""
    unknown = dict.fromkeys(one.document.path for one in report.documents if not one.observed)
    if history is None or not unknown:
        return
    from flink_flint.linter.model.observations import open_store

    store = open_store(history)
    of_many = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
    if not store.clusters:
        print_message(f"{store.path}: the history contains no cluster yet", kind="info")
        return
    print_message(
        f"{next(iter(unknown))}{of_many}: the cluster in the history is unknown; {store.path} has "
        f"{store.spelled_clusters}: name one, as in --history {store.path}#{store.clusters[0]}",
        kind="info",
    )


def _say_what_is_hidden(report: Report, outputs: Sequence[tuple[str, str | None]], print_message: PrintMessage) -> None:
    """Report what a change hides, unless an output on the terminal does; some formats cannot."""
    if report.comparison is None or any(name in _FOR_PEOPLE and file is None for name, file in outputs):
        return
    from flink_flint.linter.output.change_summary import first_lines, shortened

    for line in shortened(first_lines(report.comparison)):
        print_message(neutral_line(f"{line.kind}: {line.place}: {line.text}"), kind="info")


_FOR_PEOPLE = ("full", "concise", "github", "markdown")
"""The formats that show what a change hides."""


def _gather(given: Mapping[str, Any]) -> Gather:
    """Return a function that finds the files of other paths with the settings of this run."""

    def gather(
        paths: Sequence[str], named: FlintConfigFile | None, root: str | None, read: ReadFile | None
    ) -> Iterator[Source | Problem]:
        return _sources(paths, given, named or flint_config_for(paths[0], read), None, root, read)

    return gather


def _sources(
    paths: Sequence[str],
    given: Mapping[str, Any],
    flint_config: FlintConfigFile,
    skip: Callable[[Skipped], object] | None,
    root: str | None = None,
    read: ReadFile | None = None,
    tracked: Collection[str] = (),
) -> Iterator[Source | Problem]:
    """Yield the files to check; patterns without a configuration file are relative to `root`, or the current folder.

    `read` reads the ignore files, by default from the disk. They do not hide files that are `tracked`.
    """
    exclude = (*flint_config.exclude, *given["exclude"])
    force = given["force_exclude"] or bool(flint_config.values.get("force-exclude", False))
    if "-" in paths:
        yield _stdin(given["stdin_filename"] or "flink-conf.yaml")
    named = [path for path in paths if path != "-"]
    for path in named:
        if not os.path.lexists(path):
            yield Problem(path, "no such file or folder")
    existing = [path for path in named if os.path.lexists(path)]
    folder = root if root is not None and flint_config.path is None else flint_config.folder
    yield from find(
        existing, exclude=exclude, force_exclude=force, root=folder, skip=skip, read_ignores=read, tracked=tracked
    )


def _stdin(name: str) -> Source | Problem:
    from flink_flint.linter.formats import file_format_of

    data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        return Problem(name, f"more than {LARGEST_FILE // 1024**2} MiB: too large for a Flink configuration")
    encoding = encoding_of(data)
    file_format = file_format_of(os.path.basename(name), data.decode(encoding, "replace"), trust_name=True)
    if file_format is None:
        return Problem(name, "not a supported file; name it with --stdin-filename, as config.yaml")
    if encoding != "utf-8" and not file_format.reads_utf16:
        return Problem(name, wrong_encoding(encoding))
    return Source(name, data, file_format)


def _outputs(given: Mapping[str, Any], flint_config: FlintConfigFile) -> list[tuple[str, str | None]]:
    """Return pairs of format and file (None for standard output, which is also spelled ``-``)."""
    formats = list(given["output_format"])
    if not formats:
        usual = "github" if os.environ.get("GITHUB_ACTIONS") == "true" and not given["output_file"] else "full"
        formats = [flint_config.values.get("output-format", usual)]
    for name in formats:
        if name not in FORMATS:
            raise ValueError(f"{name!r} is not an output format; there are {', '.join(FORMATS)}")
    files = [None if file == "-" else file for file in given["output_file"]]
    if len(files) > len(formats):
        raise ValueError(f"{len(files)} --output-file for {len(formats)} --output-format: give them in pairs")
    return list(zip(formats, [*files, *[None] * (len(formats) - len(files))], strict=True))


def _write_reports(
    report: Report,
    outputs: Sequence[tuple[str, str | None]],
    statistics: bool,
    stream: TextIO,
    print_message: PrintMessage,
) -> bool:
    """Write the reports and return whether all succeeded; a failure is reported and does not prevent the others."""
    if any(name in WITH_FIXES for name, _ in outputs) and any(one.proposed for one in report.findings):
        from flink_flint.linter.fix.resolve import resolve_fixes
        from flink_flint.linter.output.repository_paths import documents_of

        resolve_fixes(report.findings, documents_of(report))
    is_written = True
    for name, file in outputs:
        if file is None:
            context = Context(uses_color(stream), terminal_width(stream), statistics)
            for part in report_format(name).render(report, context):
                stream.write(part)
        else:
            text = neutral("".join(report_format(name).render(report, Context(False, 100, statistics))))
            try:
                save(file, text.encode(), "the report")
            except ValueError as error:
                print_message(str(error))
                is_written = False
    return is_written
