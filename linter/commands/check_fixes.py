"""`flint check --fix` and `--diff`: apply fixes, or show them as a diff, before the result is checked."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from flink_flint.linter.commands.errors import PrintMessage
from flink_flint.linter.engine.discovery import Problem, Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.writing import print_or_save
from flink_flint.linter.fix.apply import FindingFilter, fix, write
from flink_flint.linter.fix.one_file import Done, Fixed
from flink_flint.linter.fix.unified_diff import unified_diff
from flink_flint.linter.text.named_tuple import NamedTuple


class Outcome(NamedTuple):
    """The files to check after `--fix` or `--diff`, and the files that were (or would be) changed."""

    sources: list[Source | Problem]
    fixed: list[Fixed]


def fix_file(
    sources: Sequence[Source | Problem],
    options: Options,
    print_message: PrintMessage,
    *,
    unsafe: bool,
    only_show: bool,
    from_stdin: bool,
    processes: int | None,
    selected: FindingFilter | None = None,
    around: Sequence[Source] = (),
    first: Callable[[Source], tuple[Source, tuple[Done, ...]] | None] | None = None,
) -> Outcome:
    """Fix the files or, if `only_show`, print a diff; fixed standard input is written to standard output.

    With `from_stdin`, the first source is standard input. The files `around` count but are not changed. `first` returns
    a file as it is to be before the fixes, and what was done to it, or None to leave it; the fixes and this change are
    written together.
    """
    left: list[Source | Problem] = []
    changed: list[Fixed] = []
    made: dict[str, bytes] = {}
    readable = [source for source in sources if isinstance(source, Source)]
    results = iter(_fixed([*readable, *around], options, first, unsafe=unsafe, processes=processes, selected=selected))
    for number, source in enumerate(sources):
        if isinstance(source, Problem):
            left.append(source)
            continue
        result = next(results)
        for reason in result.left:
            print_message(f"{source.path}: {reason}", kind="warning")
        problem = None
        is_stdin = from_stdin and number == 0
        real = os.path.realpath(source.path) if result.changed and not is_stdin else None
        if real is not None and made.get(real) == result.after.data:
            # Done already under another name, a link's: a diff must contain a file only once.
            left.append(result.after)
            continue
        if only_show:
            diff = unified_diff(result.before, result.after)
            print_or_save(diff.text, None, "the diff")
            for note in diff.notes:
                print_message(f"{source.path}: {note}", kind="warning")
        elif is_stdin:
            sys.stdout.buffer.write(result.after.data)
        elif result.changed:
            problem = write(result)
        if result.changed and problem is None:
            changed.append(result)
            if real is not None:
                made[real] = result.after.data
        left.append(problem or result.after)
    return Outcome(left, changed)


def _fixed(
    sources: Sequence[Source],
    options: Options,
    first: Callable[[Source], tuple[Source, tuple[Done, ...]] | None] | None,
    *,
    unsafe: bool,
    processes: int | None,
    selected: FindingFilter | None,
) -> Iterator[Fixed]:
    """Yield each file with its fixes and with what `first` changed, as one change."""
    begun = [(first(source) if first is not None else None) or (source, ()) for source in sources]
    results = fix([source for source, _ in begun], options, unsafe=unsafe, processes=processes, selected=selected)
    for source, (_, done), result in zip(sources, begun, results, strict=True):
        yield result._replace(before=source, done=(*done, *result.done))


def fix_summary(fixed: Sequence[Fixed], *, each: bool) -> Iterator[str]:
    """Yield the lines that summarize the fixes: the total and, with `each`, the fixes in each file."""
    number = sum(len(one.done) for one in fixed)
    files = f"{len(fixed)} file" + ("s" if len(fixed) > 1 else "")
    yield f"Fixed {number} in {files}{':' if each else '.'}\n"
    for one in fixed if each else ():
        yield f"  {one.after.path}:\n"
        for (code, rule, title), times in Counter(one.done).items():
            yield f"    {code} {rule}: {title}" + (f" ({times} times)\n" if times > 1 else "\n")
