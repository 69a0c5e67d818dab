"""`flint comment`: reports findings on a pull request.

Tokens come from the environment and are only sent to the forge: everything this command prints is searched for them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import flink_flint
from flink_flint.linter.output.missing_packages import missing_comment_package
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.commands.errors import PrintMessage
    from flink_flint.linter.pull_request.forge import Forge
    from flink_flint.linter.pull_request.report_comparison import Comparison
    from flink_flint.linter.pull_request.untrusted_report import Reported

TOKENS = ("GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "CI_JOB_TOKEN")
_SUGGESTIONS = {"github": "suggestion", "gitlab": "suggestion:-{above}+{below}"}
_LARGEST_TEMPLATE = 1_000_000


@click.command(short_help="Comment on a pull request of GitHub or a merge request of GitLab.")
@click.argument("reports", nargs=-1, metavar="[REPORT]...")
@click.option("--base", multiple=True, metavar="REPORT", help="Report of the base revision.")
@click.option("--check", multiple=True, metavar="PATH", help="Check these paths instead of reading reports.")
@click.option("--diff-base", metavar="REV", help="With --check: also check this revision and compare with it.")
@click.option(
    "--forge", type=click.Choice(list(_SUGGESTIONS)), help="Where to comment, if the environment does not say."
)
@click.option("--repository", metavar="NAME", help="owner/name, or the path or ID of a GitLab project.")
@click.option("--number", type=click.IntRange(min=1), metavar="N", help="Number of the pull request.")
@click.option("--template", metavar="FILE", help="Jinja2 template for the summary.")
@click.option("--id", "name", default="", metavar="NAME", help="Distinguishes the comments of several runs.")
@click.option("--no-inline", is_flag=True, help="Only write the summary.")
@click.option("--dry-run", is_flag=True, help="Print what would be written; requires no token and no network.")
@click.pass_obj
def comment(print_message: PrintMessage, /, **given: Any) -> None:
    """Comment on a pull request with the findings of `flint check`: one summary, kept up to date, and inline comments.

    REPORT is a file written by `flint check --output-format json`; several are combined. The token is read from
    GITHUB_TOKEN, GH_TOKEN, GITLAB_TOKEN or CI_JOB_TOKEN; everything else from the environment of GitHub Actions or
    GitLab CI. Exit status: 0 success, even if there was nothing to report, 2 an invalid report, a missing token, or
    a request that the forge refused.
    """
    sys.exit(run_comment(CommentArguments(**given), os.environ, print_message))


COMMANDS: Mapping[str, click.Command] = {"comment": comment}


class CommentArguments(NamedTuple):
    """The arguments of `flint comment`."""

    reports: tuple[str, ...]
    base: tuple[str, ...]
    check: tuple[str, ...]
    diff_base: str | None
    forge: str | None
    repository: str | None
    number: int | None
    template: str | None
    name: str
    no_inline: bool
    dry_run: bool


def run_comment(arguments: CommentArguments, environ: Mapping[str, str], print_message: PrintMessage) -> int:
    """Comment on the pull request or, with `dry_run`, print what would be written; return the exit status."""
    from flink_flint.linter.pull_request.forge import ForgeError

    secrets = sorted({value for name in TOKENS if (value := environ.get(name, "").strip())}, key=len, reverse=True)

    def hidden(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, "******")
        return text

    try:
        _check_words(arguments)
        comparison = _comparison(arguments, environ)
        template = _template(arguments.template)
        if arguments.dry_run:
            click.echo(hidden(_on_paper(comparison, template, arguments, environ)), nl=False)
            return 0
        from flink_flint.linter.pull_request.publishing import publish

        forge = _forge(arguments, environ)
        done = publish(forge, comparison, template=template, inline=not arguments.no_inline, name=arguments.name)
        click.echo(hidden(f"{forge.name}: {done.words}"))
    except (ValueError, ForgeError) as error:
        print_message(hidden(str(error)))
        return 2
    except Exception:
        import traceback

        click.echo(hidden(traceback.format_exc()), err=True, nl=False)
        print_message("internal error; please report it with the output above")
        return 2
    return 0


def _check_words(arguments: CommentArguments) -> None:
    """Raise ValueError for options that cannot be combined."""
    from flink_flint.linter.pull_request.markers import check_name

    check_name(arguments.name)
    if bool(arguments.reports) == bool(arguments.check):
        raise ValueError("name reports of `flint check --output-format json`, or with --check the paths to check")
    if arguments.diff_base is not None and not arguments.check:
        raise ValueError("--diff-base requires --check; for reports, give the base's report with --base")
    if arguments.diff_base is not None and arguments.base:
        raise ValueError("--diff-base cannot be used with --base")


def _template(path: str | None) -> str | None:
    if path is None:
        return None
    from flink_flint.linter.filesystem.reading import read_named

    try:
        text = read_named(path, 4 * _LARGEST_TEMPLATE + 1).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is not UTF-8"
        raise ValueError(f"{path}: cannot read the template: {why}") from None
    if len(text) > _LARGEST_TEMPLATE:
        raise ValueError(f"{path}: too large for a template")
    return text


# -- the comparison to report


def _comparison(arguments: CommentArguments, environ: Mapping[str, str]) -> Comparison:
    from flink_flint.linter.pull_request.report_comparison import compare
    from flink_flint.linter.pull_request.untrusted_report import read_reports

    base = read_reports(arguments.base) if arguments.base else None
    if arguments.check:
        return compare(_checked(arguments.check, arguments.diff_base, environ), base)
    return compare(read_reports(arguments.reports), base)


def _checked(paths: Sequence[str], revision: str | None, environ: Mapping[str, str]) -> Reported:
    """Check paths and compare them with a revision, in a separate process without the token.

    Raises ValueError if that fails. Files that cannot be read are listed in the report.
    """
    import subprocess
    from tempfile import TemporaryDirectory

    from flink_flint.linter.filesystem.repository import repository_of
    from flink_flint.linter.pull_request.untrusted_report import read_reports

    if revision is not None:
        top = repository_of(os.path.realpath(os.curdir))
        if top is not None and top != os.path.realpath(os.curdir):
            raise ValueError(f"with --diff-base, run `flint comment` in {top}: links need paths from there")
        if any(os.path.isabs(path) for path in paths):
            raise ValueError("with --diff-base, --check needs paths from the top of the repository")
    home = str(Path(flink_flint.__file__).resolve().parents[1])
    inherited = {name: value for name, value in environ.items() if name not in TOKENS}
    inherited["PYTHONPATH"] = os.pathsep.join(filter(None, (home, environ.get("PYTHONPATH"))))
    with TemporaryDirectory(prefix="flint-") as temporary:
        report = os.path.join(temporary, "report.json")
        # -P: a folder called `flink_flint` in the repository must not be imported.
        command = [
            sys.executable,
            "-P",
            "-m",
            "flink_flint",
            "check",
            "--output-format",
            "json",
            "--output-file",
            report,
        ]
        if revision is not None:
            command.append(f"--diff-base={revision}")
        done = subprocess.run([*command, "--", *paths], env=inherited, stdout=sys.stderr, check=False)
        if done.returncode not in (0, 1, 2) or not os.path.exists(report):
            raise ValueError("the check failed, so no comment is written")
        reported = read_reports([report], "the report of --check")
    if done.returncode == 2 and not (reported.coverage is not None and reported.coverage.files):
        raise ValueError("the check could not read anything, so no comment is written")
    if revision is not None and reported.comparison is None:
        raise ValueError(f"--diff-base {revision}: there is nothing to compare with, so no comment is written")
    return reported


# -- the pull request


def _forge(arguments: CommentArguments, environ: Mapping[str, str]) -> Forge:
    """Return the pull request; raises ValueError naming what is missing."""
    named = _forge_named(arguments.forge, environ)
    try:
        from flink_flint.linter.pull_request.github import GitHub
        from flink_flint.linter.pull_request.gitlab import GitLab
    except ModuleNotFoundError as missing:
        raise missing_comment_package(missing) from None
    forge = GitLab if named == "gitlab" else GitHub
    return forge.from_environment(environ, arguments.repository, arguments.number)


def _forge_named(named: str | None, environ: Mapping[str, str]) -> str:
    if named is not None:
        return named
    for name, marks in (
        ("github", ("GITHUB_ACTIONS",)),
        ("gitlab", ("GITLAB_CI",)),
        ("github", ("GITHUB_TOKEN", "GH_TOKEN")),
        ("gitlab", ("GITLAB_TOKEN",)),
    ):
        if any(environ.get(mark) for mark in marks):
            return name
    raise ValueError("cannot determine where to comment: give --forge github or --forge gitlab, or use --dry-run")


def _on_paper(
    comparison: Comparison, template: str | None, arguments: CommentArguments, environ: Mapping[str, str]
) -> str:
    """Return the summary and the inline comments as Markdown."""
    from flink_flint.linter.output.escaped_markdown import code
    from flink_flint.linter.pull_request.inline_comments import touched
    from flink_flint.linter.pull_request.publishing import MAX_INLINE, threads_to_create
    from flink_flint.linter.pull_request.summary_comment import summary_body

    body = summary_body(comparison, template=template, longest=_LARGEST_TEMPLATE, line_url=None, name=arguments.name)
    parts = [body if comparison.is_meaningful else "(no findings to report)\n"]
    if arguments.no_inline:
        return parts[0]
    # The lines that the pull request shows are unknown here, so all lines of findings count.
    findings = (*comparison.new, *(() if comparison.compared else comparison.remaining))
    shown: dict[str, frozenset[int]] = {}
    for finding in findings:
        shown[finding.path] = shown.get(finding.path, frozenset()) | touched(finding)
    block = _SUGGESTIONS[arguments.forge or ("gitlab" if environ.get("GITLAB_CI") else "github")]
    for place, (_, thread) in enumerate(threads_to_create(comparison, shown, block, _LARGEST_TEMPLATE, arguments.name)):
        if place == MAX_INLINE:
            break
        lines = f"{thread.start_line}–{thread.line}" if thread.line > thread.start_line else str(thread.line)
        parts.append(f"\n---\n\nOn {code(f'{thread.path}:{lines}')}:\n\n{thread.body}")
    return "".join(parts)
