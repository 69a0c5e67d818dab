"""`flint check`: reads its arguments, runs the check and returns the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from flink_flint.linter.commands.check_sources import (
    around_change,
    around_files,
    gathering,
    named_places,
    others_around,
    sources_of,
)
from flink_flint.linter.commands.errors import PrintMessage, print_unread
from flink_flint.linter.config.flint_config import FlintConfigFile, flint_config_for, read_flint_config
from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import AnySource, Problem, Skipped, Source
from flink_flint.linter.engine.registry import confidence_of, severity_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.reading import path_in_repository
from flink_flint.linter.filesystem.writing import save
from flink_flint.linter.flink.releases import KNOWN, nearest_index, release_at
from flink_flint.linter.model.document import passed_over
from flink_flint.linter.model.finding import Confidence
from flink_flint.linter.model.safe_text import neutral, neutral_line
from flink_flint.linter.output import FORMATS, WITH_EDITS, WITH_FIXES, Context, report_format
from flink_flint.linter.output.terminal_style import terminal_width, uses_color

if TYPE_CHECKING:
    from flink_flint.linter.commands.check_arguments import CheckArguments
    from flink_flint.linter.engine.comparison_result import Comparison
    from flink_flint.linter.engine.planning.planned_documents import Planning
    from flink_flint.linter.fix.one_file import Fixed
    from flink_flint.linter.revisions.finding_filters import Change

DEFAULT_FAIL_LEVEL = "warning"


def run_arguments(arguments: CheckArguments, print_message: PrintMessage) -> int:
    """Run the check once or, with `watch`, again after every save; return the exit status."""
    if arguments.watch:
        from flink_flint.linter.commands.check_watch import run_watch

        return run_watch(arguments, run_check, print_message)
    return run_check(arguments, print_message)


def run_check(arguments: CheckArguments, print_message: PrintMessage) -> int:
    """Run the check, print the reports and return the exit status; raise ValueError for unusable input."""
    paths = list(arguments.paths) or ["."]
    _refuse_contradictions(arguments, paths)
    change = None
    if arguments.diff_base is not None and not (arguments.show_files or arguments.show_flint_config):
        from flink_flint.linter.revisions.finding_filters import change_since

        change = change_since(arguments.diff_base, paths, print_message)
    try:
        return _run(arguments, paths, change, print_message)
    except BaseError as error:
        # The base's configuration is unusable: check the head with its own, and report all findings.
        message = f"{arguments.diff_base} cannot be checked: {error}. All findings are reported."
        print_message(f"--diff-base {arguments.diff_base}: {message}", kind="warning")
        return _run(arguments, paths, None, print_message)


class BaseError(Exception):
    """Raised if the flint configuration of the base revision is unusable; the message says why."""


def _run(arguments: CheckArguments, paths: list[str], change: Change | None, print_message: PrintMessage) -> int:
    """Run the check as `run_check` does, with the base's flint configuration if there is a change."""
    read = None if change is None else change.settings
    try:
        flint_config, named = _settings(arguments.flint_config_file, paths, change)
    except ValueError as error:
        if change is None:
            raise
        raise BaseError(str(error)) from None
    if arguments.show_flint_config:
        from flink_flint.linter.commands.check_listing import show_flint_config

        return show_flint_config(flint_config)
    if arguments.render:
        _refuse_without_programs()
    options = Options(
        flink_version=arguments.flink_version,
        platform=arguments.platform,
        profile=arguments.profile,
        select=_words(arguments.select),
        extend_select=_words(arguments.extend_select),
        ignore=_words(arguments.ignore),
        min_confidence=_min_confidence(arguments, flint_config),
        flint_config=named,
        ignores=not arguments.no_ignores,
        include_tests=arguments.include_tests,
        rules=not arguments.show_files,
        history=_history(arguments.history, flint_config),
        read_config_file=read,
        renders=True,
        by_programs=True if arguments.render else None,
    )
    fail_level = severity_of(arguments.fail_level or flint_config.fail_level or DEFAULT_FAIL_LEVEL)
    outputs = _outputs(arguments, flint_config)
    baseline = _baseline(arguments, flint_config)
    skipped: list[Skipped] = []
    tracked = frozenset[str]() if change is None else change.changes.tracked
    unsaved: dict[str, bytes] = {}
    sources = list(
        sources_of(paths, arguments, flint_config, skipped.append, read=read, tracked=tracked, unsaved=unsaved)
    )
    _refuse_mixups(sources, outputs, from_stdin="-" in paths)
    planning = None if arguments.show_files else _planning(arguments.plan, sources, print_message)
    places = named_places(sources, paths, unsaved)
    surrounding = None
    around: Sequence[AnySource] = []
    if change is not None:
        around = around_change(places, paths, arguments, named, change, print_message)
    elif places:
        surrounding = around_files(places, paths, arguments, named, outputs, print_message)
        around = surrounding.sources
        options = options._replace(
            unsaved=unsaved,
            named=places if around else None,
            without_deployments=surrounding.without_deployments,
        )
    files = [one for one in around if isinstance(one, Source)]
    fixed: list[Fixed] = []
    if arguments.fix or arguments.diff:
        from flink_flint.linter.commands.check_fixes import fix_file

        sources, fixed = fix_file(
            sources, options, print_message, unsafe=arguments.unsafe_fixes, only_show=arguments.diff,
            from_stdin="-" in paths, processes=arguments.jobs, around=files,
        )  # fmt: skip
        if arguments.diff:
            problems = [source for source in sources if isinstance(source, Problem)]
            for problem in problems:
                print_message(f"{neutral_line(problem.path)}: {problem.message}")
            return 2 if problems else int(bool(fixed) and not arguments.exit_zero)
    # Fixes are proven without plans, since no fix depends on one.
    options = options._replace(planning=planning)
    # With `--fix -` the fixed file goes to standard output, as for any filter.
    stream = sys.stderr if arguments.fix and "-" in paths else sys.stdout
    restricted = (baseline is not None or arguments.diff_base is not None) and not arguments.show_files
    min_confidence = options.min_confidence
    if restricted:
        # Findings with too little confidence to be shown still match entries of a baseline.
        options = options._replace(min_confidence=Confidence.LOW)
    found = [source for source in sources if isinstance(source, Source)]
    gather = gathering(arguments)
    before, earlier = None, None
    if change is not None:
        from flink_flint.linter.revisions.base_revision import Then, earlier_documents
        from flink_flint.linter.revisions.finding_filters import check_base, with_lines_of

        change = with_lines_of(change, found)
        then = Then(change.changes, paths, found, options, gather, reads_project=bool(around))
        before = check_base(change, then, arguments.jobs, print_message)
        earlier = earlier_documents(before, then) if before is not None else None
    as_known: Iterable[AnySource | Problem] = sources
    remembers = False
    if surrounding is not None and surrounding.caches and "-" not in paths and not fixed:
        as_known, remembers = surrounding.remembered(sources), True
    try:
        everything: list[AnySource | Problem] = [*as_known, *around]
        report = check(everything, options._replace(remembers=remembers), processes=arguments.jobs, earlier=earlier)
    except ValueError as error:
        if change is None:
            raise
        raise BaseError(str(error)) from None
    if any(name in WITH_EDITS for name, _ in outputs):
        from flink_flint.linter.fix.unproven import mark_unproven

        unplanned = options._replace(planning=None)
        mark_unproven(report, [*sources, *files], unplanned, processes=arguments.jobs, earlier=earlier)
    if surrounding is not None:
        surrounding.save()
    report = report._replace(skipped=[*skipped, *report.skipped])
    whole, is_about = report, None
    if change is not None and around:
        from flink_flint.linter.engine.project_files import Named
        from flink_flint.linter.revisions import named_files

        is_about = Named(places, {os.path.abspath(source.path) for source in around})
        report = named_files.restricted(report, is_about)
    _say_what_was_read(report, options, paths, print_message)
    for note in planning.notes if planning is not None else ():
        print_message(neutral_line(note), kind="warning")
    has_errors = bool(report.problems) or report.crashed
    is_stale = False
    if restricted:
        from flink_flint.linter.engine.project_files import EVERYTHING
        from flink_flint.linter.revisions.finding_filters import Run, judged_by_itself, restrict, write_found

        run = Run(
            paths, found, whole, options, min_confidence, arguments.jobs, gather, print_message, change, before,
            is_about or EVERYTHING,
        )  # fmt: skip
        if baseline is not None and arguments.write_baseline:
            write_found(run, baseline)
            if flint_config.baseline is None:
                print_message(f"use it with --baseline {baseline}, or set baseline in flint.toml", kind="info")
            return 2 if has_errors else 0
        own = None
        if change is not None:
            own = judged_by_itself(
                run, arguments.flint_config_file,
                lambda: _by_itself(arguments, paths, options, places if around else None),
            )  # fmt: skip
            has_errors |= own is not None and own.report.crashed
        report, is_stale = restrict(run, baseline, prune=arguments.prune_baseline, own=own)
    if arguments.show_files:
        from flink_flint.linter.commands.check_listing import show_files

        show_files(report, outputs[0][0])
    else:
        _say_what_is_hidden(report, outputs, print_message)
        has_errors |= not _write_reports(report, outputs, arguments.statistics, stream, print_message)
        if fixed and (outputs[0] == ("full", None) or arguments.show_fixes):
            from flink_flint.linter.commands.check_fixes import fix_summary

            (stream if outputs[0] == ("full", None) else sys.stderr).writelines(
                fix_summary(fixed, each=arguments.show_fixes)
            )
    if has_errors:
        return 2
    if arguments.exit_zero:
        return 0
    worst = max((finding.severity for finding in report.findings), default=None)
    fails = worst is not None and worst >= fail_level
    fails |= report.comparison is not None and _fails_by_hiding(report.comparison, flint_config)
    return int(fails or is_stale or bool(fixed and arguments.exit_non_zero_on_fix))


def _refuse_without_programs() -> None:
    from flink_flint.linter.engine.rendering.isolated_programs import find_programs

    programs = find_programs()
    if programs.helm is None and not programs.kustomize:
        raise ValueError("--render needs helm or kustomize in PATH")


def _planning(
    is_requested: bool, sources: Sequence[AnySource | Problem], print_message: PrintMessage
) -> Planning | None:
    """Return the planners for the SQL scripts among the files; None if there are none or nobody wants plans.

    Raises ValueError if `is_requested`, by the command line, and nothing can plan.
    """
    scripts = [one for one in sources if not isinstance(one, Problem) and one.file_format.kind == "sql"]
    if not scripts:
        return None
    from flink_flint.linter.config.user_config import user_config
    from flink_flint.linter.filesystem.repository import trees_of

    trees = trees_of(one.path for one in scripts)
    config = user_config(trees)
    if not (is_requested or config.plan):
        return None
    from flink_flint.linter.engine.planning.isolated_planner import PlanningError
    from flink_flint.linter.engine.planning.planned_documents import find_planning, is_script

    if not any(is_script(one.file_format) for one in scripts):
        return None
    try:
        return find_planning(config.flink_homes, sorted(trees))
    except PlanningError as error:
        if is_requested:
            raise ValueError(str(error)) from None
        print_message(str(error), kind="warning")
        return None


_EXCLUSIVE = (
    ("--write-baseline", ("--prune-baseline", "--no-baseline", "--diff-base", "--diff")),
    ("--prune-baseline", ("--no-baseline", "--diff")),
    ("--baseline", ("--no-baseline",)),
    ("--diff-base", ("--fix", "--diff")),
    ("--output-file", ("--diff", "--write-baseline", "--show-files", "--show-flint-config")),
)
"""Options that are mutually exclusive."""


def _refuse_contradictions(arguments: CheckArguments, paths: Sequence[str]) -> None:
    used = {
        "--baseline": arguments.baseline,
        "--diff": arguments.diff,
        "--diff-base": arguments.diff_base,
        "--fix": arguments.fix,
        "--no-baseline": arguments.no_baseline,
        "--output-file": arguments.output_file,
        "--prune-baseline": arguments.prune_baseline,
        "--show-files": arguments.show_files,
        "--show-flint-config": arguments.show_flint_config,
        "--write-baseline": arguments.write_baseline,
    }
    for one, others in _EXCLUSIVE:
        for other in others:
            if used[one] and used[other]:
                raise ValueError(f"{one} cannot be used with {other}")
    if arguments.diff_base is not None and "-" in paths:
        raise ValueError("--diff-base compares files; it cannot be used with standard input (-)")


def _refuse_mixups(
    sources: Sequence[Source | Problem], outputs: Sequence[tuple[str, str | None]], *, from_stdin: bool
) -> None:
    """Raise ValueError if two texts have the same name: standard input and a file, or a report and a checked file."""
    if from_stdin and sources:
        name = os.path.abspath(sources[0].path)
        if any(os.path.abspath(one.path) == name for one in sources[1:]):
            raise ValueError(
                f"{sources[0].path}: standard input and a file both have this name; "
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
            raise ValueError("the value of --output-file is empty")
        if real in checked:
            raise ValueError(f"{file}: a report would overwrite a file that is checked; name another --output-file")
        if real in seen and (os.path.isfile(real) or not os.path.exists(real)):
            raise ValueError(f"{file}: two reports would be written there; give each its own --output-file")
        seen.add(real)


def _words(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def _settings(
    named: str | None, paths: Sequence[str], change: Change | None
) -> tuple[FlintConfigFile, FlintConfigFile | None]:
    """Return the flint configuration of the run (nearest to the first path), and the one given by `--flint-config`.

    For a change they are those of the base. Raises ValueError if one is invalid.
    """
    found: FlintConfigFile | None = None
    if named is not None:
        if change is None:
            found = read_flint_config(named)
        else:
            from flink_flint.linter.revisions.base_config import named_flint_config

            found = named_flint_config(change.changes, named)
    return found or flint_config_for("." if paths[0] == "-" else paths[0], change and change.settings), found


def _min_confidence(arguments: CheckArguments, flint_config: FlintConfigFile) -> Confidence:
    return confidence_of(arguments.min_confidence or flint_config.min_confidence or Confidence.LOW.word)


def _by_itself(
    arguments: CheckArguments, paths: Sequence[str], options: Options, places: frozenset[str] | None
) -> tuple[Sequence[Source | Problem], Sequence[AnySource], Options]:
    """Return the files, those around them and the options according to the head's own configuration."""
    flint_config, named = _settings(arguments.flint_config_file, paths, None)
    sources = list(sources_of(paths, arguments, flint_config, None))
    around: Sequence[AnySource] = ()
    if places is not None:
        known = {*places, *(os.path.abspath(source.path) for source in sources)}
        around = others_around(paths, arguments, named, known, None, ()) or ()
    options = options._replace(
        flint_config=named, read_config_file=None, min_confidence=_min_confidence(arguments, flint_config)
    )
    return sources, around, options


def _fails_by_hiding(comparison: Comparison, flint_config: FlintConfigFile) -> bool:
    """Return whether flint's configuration (the base's) makes the run fail because the change hides something."""
    from flink_flint.linter.engine.comparison_result import hides

    refused = [name for name, word in flint_config.diff.items() if word == "fail"]
    hidden = {
        "new-suppressions": comparison.newly_suppressed,
        "no-longer-read": [one for one in comparison.no_longer_read if hides(one.findings, one.reason)],
        "unreadable": comparison.unreadable,
    }
    return any(hidden[name] for name in refused)


def _history(named: str | None, flint_config: FlintConfigFile) -> str | None:
    """Return the history store; a path in flint's configuration is relative to its file. Raises ValueError."""
    configured = flint_config.history
    if named is None and configured is not None:
        if path_in_repository(flint_config.folder, configured) is None:
            raise ValueError(f"{flint_config.path}: its history {configured} is not in the repository: see --history")
        named = os.path.join(flint_config.folder, configured)
    if named is not None:
        from flink_flint.linter.model.observations import open_store

        open_store(named)
    return named


def _baseline(arguments: CheckArguments, flint_config: FlintConfigFile) -> str | None:
    """Return the baseline: from the command line, from flint's configuration, or the default file to write."""
    if arguments.no_baseline or arguments.baseline:
        return arguments.baseline or None
    configured = flint_config.baseline
    if configured is not None:
        file = os.path.join(flint_config.folder, configured)
        if path_in_repository(flint_config.folder, configured) is None:
            raise ValueError(f"{flint_config.path}: its baseline {configured} is not in the repository: see --baseline")
        near = os.path.relpath(file) if os.path.splitdrive(file)[0] == os.path.splitdrive(os.getcwd())[0] else file
        return file if near.startswith("..") else near
    if arguments.write_baseline or arguments.prune_baseline:
        from flink_flint.linter.engine.baseline import DEFAULT_FILE

        return DEFAULT_FILE
    return None


def _say_what_was_read(report: Report, options: Options, paths: Sequence[str], print_message: PrintMessage) -> None:
    """Report what could not be read, or not as intended."""
    for problem in report.problems:
        print_message(f"{neutral_line(problem.path)}: {problem.message}")
    print_unread(report.skipped, print_message)
    for document in (one.document for one in report.documents if not one.document.is_left_out):
        reasons = passed_over(document)
        if reasons:
            more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
            print_message(f"{neutral_line(document.path)}: {neutral_line(reasons[0])}{more}", kind="info")
    _say_whose_history(report, options.history, print_message)
    for release in dict.fromkeys(one.target.release for one in report.documents):
        if release is not None and release.place is None:
            nearest = release_at(nearest_index(release))
            print_message(
                f"Flink {release} is not in the option catalogue ({KNOWN}); checked as {nearest}", kind="warning"
            )
    if not report.files and not report.unread and not report.documents:
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


def _outputs(arguments: CheckArguments, flint_config: FlintConfigFile) -> list[tuple[str, str | None]]:
    """Return pairs of format and file (None for standard output, which is also spelled ``-``)."""
    formats = list(arguments.output_format)
    if not formats:
        usual = "github" if os.environ.get("GITHUB_ACTIONS") == "true" and not arguments.output_file else "full"
        formats = [flint_config.output_format or usual]
    for name in formats:
        if name not in FORMATS:
            raise ValueError(f"{name!r} is not an output format; use one of {', '.join(FORMATS)}")
    files = [None if file == "-" else file for file in arguments.output_file]
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
        from flink_flint.linter.fix.make_edits import resolve_fixes
        from flink_flint.linter.output.repository_paths import documents_to_fix

        resolve_fixes(report.findings, documents_to_fix(report))
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
