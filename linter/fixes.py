"""Applying fixes: to the text in memory, again and again until nothing is left to mend, then to the file.

Of fixes that touch one another the one of the worse finding goes first, then the one that stands first in the file,
then the one of the lower code (`Finding.order`); the others wait for the next round. Nothing else decides, neither the
order in which files are named nor the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from linter.discovery import Problem, Source
from linter.document import Document
from linter.engine import Options, check
from linter.finding import Finding
from linter.mending import MOST_ROUNDS, Fixed, Mending, Offer
from linter.writing import Changed, replace_whole

Wanted = Callable[[Finding], bool]


def fix(
    sources: Sequence[Source],
    options: Options,
    *,
    unsafe: bool,
    processes: int | None = 1,
    wanted: Wanted | None = None,
) -> list[Fixed]:
    """Mend files in memory, judged together as a check judges them, until there is nothing more to mend.

    A fix after which its file would not read as the fix means is left out, so that a fix never does harm; so are
    those that undo one another. What is left out is told. `wanted` says of which findings fixes are made instead of
    `unsafe`, which makes the safe ones or all.
    """
    files = {source.path: Mending(source) for source in sources}
    for number in range(MOST_ROUNDS + 1):
        report = check([one.source for one in files.values()], options, processes=processes)
        documents: dict[str, list[Document]] = {}
        for judged in report.documents:
            documents.setdefault(judged.document.path, []).append(judged.document)
        offered: dict[str, list[Offer]] = {}
        for finding in report.findings:
            if finding.fix is not None and (wanted(finding) if wanted else finding.fix.safe or unsafe):
                offered.setdefault(finding.path, []).append(Offer.of(finding, finding.fix))
        rounds_left = number < MOST_ROUNDS
        mended = [files[path].mend(read, offered.get(path, ()), rounds_left) for path, read in documents.items()]
        if not any(mended):
            break
    return [files[source.path].fixed for source in sources]


def write(fixed: Fixed) -> Problem | None:
    """Put the mended file in place of the old one, whole or not at all; what became of the file since is not lost."""
    path = fixed.after.path
    try:
        replace_whole(path, fixed.before.data, fixed.after.data)
    except Changed:
        return Problem(path, "changed while it was being fixed; nothing was written, run flint again")
    except OSError as error:
        return Problem(path, f"cannot write the fixed file: {(error.strerror or str(error)).lower()}")
    return None
