"""`flint upgrade`: compares releases, prints the report, applies fixes and returns the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial

from flink_flint.linter.commands.check_fixes import fix_file, fix_summary
from flink_flint.linter.commands.errors import PrintMessage, print_unread
from flink_flint.linter.config.flint_config import FlintConfigFile, flint_config_for, read_flint_config
from flink_flint.linter.engine.discovery import Problem, Skipped, Source, find
from flink_flint.linter.engine.registry import severity_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.writing import print_or_save
from flink_flint.linter.fix.one_file import Done
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.safe_text import neutral_line, neutral_painted
from flink_flint.linter.output.terminal_style import Style, terminal_width, uses_color
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.upgrade.compare_releases import compare, known_release
from flink_flint.linter.upgrade.release_step import ReleaseStep, release_step
from flink_flint.linter.upgrade.setting_effects import REMOVED, RENAMED
from flink_flint.linter.upgrade.upgrade_report import Upgrade

_WIDTH_OF_FILES = 100


class UpgradeArguments(NamedTuple):
    """The arguments of `flint upgrade`."""

    paths: tuple[str, ...]
    to: str
    from_release: str | None
    output_format: str
    output_file: str | None
    all_defaults: bool
    fix: bool
    diff: bool
    fail_level: str
    platform: str | None
    profile: str | None
    flint_config_file: str | None


def run_upgrade(arguments: UpgradeArguments, print_message: PrintMessage) -> int:
    """Compare releases, report and fix problems, and return the exit status; raise ValueError for unusable input."""
    to = known_release(arguments.to, "--to")
    start = known_release(arguments.from_release, "--from") if arguments.from_release else None
    if start is not None and start[:2] >= to[:2]:
        raise ValueError(f"--from {start} is not older than --to {to}: upgrade to a later minor release")
    if arguments.fix and arguments.diff:
        raise ValueError("--fix cannot be used with --diff")
    if arguments.diff and arguments.output_file:
        raise ValueError("--output-file cannot be used with --diff")
    fail_level = severity_of(arguments.fail_level)
    paths = arguments.paths or (".",)
    flint_config = _flint_config(arguments.flint_config_file, paths[0])
    options = Options(
        flink_version=str(start) if start else None,
        platform=arguments.platform,
        profile=arguments.profile,
        flint_config=flint_config if arguments.flint_config_file else None,
    )
    sources = list(_sources(paths, flint_config, print_message))
    if arguments.output_file:
        _refuse_overwriting(arguments.output_file, sources)
    upgrade = compare(sources, options, to)
    for problem in upgrade.problems:
        print_message(f"{neutral_line(problem.path)}: {problem.message}")
    for path in dict.fromkeys(one.document.path for one in upgrade.crossings if one.document.refusals):
        print_message(f"{path}: Flink refuses this file; run flint check {path} to see why", kind="warning")
    if not upgrade.files and not upgrade.problems:
        print_message("no Flink configuration found in " + ", ".join(paths), kind="warning")
    has_errors = bool(upgrade.problems)
    if arguments.fix or arguments.diff:
        step = release_step(upgrade, [source for source in sources if isinstance(source, Source)])
        for path, reason in step.blocked.items():
            print_message(f"{neutral_line(path)}: nothing was upgraded here: {reason}", kind="warning")
        renames = _Renames(upgrade, frozenset(step.blocked))
        fix_options = options._replace(flink_version=str(to), select=(RENAMED, REMOVED), ignores=False)
        left, fixed = fix_file(
            sources, fix_options, print_message, unsafe=False, only_show=arguments.diff, from_stdin=False,
            processes=None, selected=renames, first=partial(_with_release, step=step),
        )  # fmt: skip
        problems = [one for one in left if isinstance(one, Problem) and one not in upgrade.problems]
        for problem in problems:
            print_message(f"{neutral_line(problem.path)}: {problem.message}")
        has_errors |= bool(problems)
        if arguments.diff:
            return 2 if has_errors else int(bool(fixed))
    print_or_save(neutral_painted(_report(upgrade, arguments)), arguments.output_file, "the report")
    if arguments.fix and fixed:
        sys.stderr.writelines(fix_summary(fixed, each=True))
    if has_errors or upgrade.crashed:
        return 2
    return int(upgrade.worst is not None and upgrade.worst >= fail_level)


def _with_release(source: Source, *, step: ReleaseStep) -> tuple[Source, tuple[Done, ...]] | None:
    """Return a file that names the new release, and what was done for it; None if the file does not name one."""
    changed = step.files.get(source.path)
    if changed is None:
        return None
    return changed, tuple(Done("upgrade", "release", f"write {one.written}") for one in step.lines[source.path])


class _Renames:
    """Selects the fixes that preserve behavior: new names for keys that the older release reads."""

    def __init__(self, upgrade: Upgrade, blocked: frozenset[str]) -> None:
        self._paths = {one.document.path for one in upgrade.crossings} - blocked
        self._lost = {
            (one.document.path, one.document.name, broken.successor)
            for one in upgrade.crossings
            for broken in one.broken
            if broken.successor
        }

    def __call__(self, finding: Finding) -> bool:
        if finding.path not in self._paths:
            return False
        if finding.rule == RENAMED:
            return finding.fix is not None and finding.fix.safe
        # The newer release ignores the old name, so the fix is unsafe there; the older one does read it.
        return (finding.path, finding.document, finding.key) in self._lost


def _flint_config(named: str | None, path: str) -> FlintConfigFile:
    if named is not None and (found := read_flint_config(named)) is not None:
        return found
    return flint_config_for(path)


def _sources(
    paths: Sequence[str], flint_config: FlintConfigFile, print_message: PrintMessage
) -> list[Source | Problem]:
    missing = [Problem(path, "no such file or folder") for path in paths if not os.path.lexists(path)]
    existing = [path for path in paths if os.path.lexists(path)]
    skipped: list[Skipped] = []
    found = list(find(existing, exclude=flint_config.exclude, root=flint_config.folder, skip=skipped.append))
    print_unread(skipped, print_message)
    return [*missing, *found]


def _refuse_overwriting(file: str, sources: Sequence[Source | Problem]) -> None:
    if os.path.realpath(file) in {os.path.realpath(one.path) for one in sources if isinstance(one, Source)}:
        raise ValueError(f"{file}: the report would overwrite a file it is about; name another --output-file")


def _report(upgrade: Upgrade, arguments: UpgradeArguments) -> str:
    if arguments.output_format == "json":
        from flink_flint.linter.upgrade.json_format import render as render_json

        return render_json(upgrade)
    if arguments.output_format == "markdown":
        from flink_flint.linter.upgrade.markdown_format import render as render_markdown

        return "\n".join(render_markdown(upgrade, all_defaults=arguments.all_defaults)) + "\n"
    from flink_flint.linter.upgrade.text_format import render

    to_file = arguments.output_file is not None
    style = Style(False if to_file else uses_color())
    width = _WIDTH_OF_FILES if to_file else terminal_width()
    return "\n".join(render(upgrade, style, width, all_defaults=arguments.all_defaults)) + "\n"
