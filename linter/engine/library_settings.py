"""Lowers warnings about settings to suggestions in code that runs no job: helpers, adapters and engines.

`configure(env)` of a class without a main method sets what its callers ask for, and an engine what the users of its
product decide. Unless code with a main method names the class, nothing shows that a job of the repository runs with the
setting. The same goes for settings that are named for what a rule reports: `disableRestarts`, or a command for tests.
What Flink refuses stays an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.text.lazy_regex import regex

_RUNS = regex(
    r"\b(?:void|def|fun)\s+main\b|\bextends\s+App\b|@main\b|(?m:^if\s+__name__\s*==)"
    r"|\.\s*(?:execute(?:Async|Sql|Insert|_sql|_insert|_async)?|submitJob|addInsertSql|add_insert_sql)\s*\("
)
"""Matches a main method, and calls that run a job."""
_NAMED_AS_JOB = regex(
    r"(?:Job|Pipeline|App|Application|Main|Topology|_job|_pipeline|_app|_main)s?\d*$|^(?:job|main|app)$"
)
"""Matches the names of classes and modules that are jobs, whatever starts them."""
_OF_TESTS = regex(r"(?:^|[a-z0-9])Tests?(?=[A-Z0-9]|$)")
"""Matches the names of classes for tests, but not `Latest`."""
_FUNCTION = regex(r"\b(?:def|fun|[\w>\]]+)\s+([A-Za-z_]\w{0,100})\s*\([^(){};]{0,500}\)[^;{}()=]{0,200}[{=:]")
"""Matches the heads of functions."""
_SAYS_SO = regex(r"(?:[Nn]o_?|[Ww]ithout_?|[Dd]isabled?_?)Restart|[Nn]oRestart|(?:no|without|disabled?)_restart")
"""Matches the names of functions that switch restarts off."""
_MAX_BEFORE = 20_000
"""The maximum number of characters before a setting in which the function that contains it is searched."""


def suggest_in_libraries(document: Document, findings: Iterable[Finding], programs: Sequence[Document]) -> None:
    """Lower the warnings about a program's settings to suggestions if nothing runs a job with these settings.

    `programs` are all documents of programs that may name the class.
    """
    places = {span for entry in document.entries for span in (entry.key_span, entry.value_span)}
    keys = {entry.key for entry in document.entries}
    hazards = [one for one in findings if one.severity == Severity.WARNING and (one.key in keys or one.span in places)]
    if not hazards:
        return
    is_library = _is_library(document, programs)
    for finding in hazards:
        if is_library or (finding.path == document.path and _says_so(document, finding)):
            finding.severity = Severity.INFO


def _is_library(document: Document, programs: Sequence[Document]) -> bool:
    name = os.path.splitext(document.file_name)[0]
    if _OF_TESTS.search(name):
        return True
    if _NAMED_AS_JOB.search(name) or _RUNS.search(document.text):
        return False
    named = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    return not any(
        other.path != document.path and name in other.text and named.search(other.text) and _RUNS.search(other.text)
        for other in programs
    )


def _says_so(document: Document, finding: Finding) -> bool:
    """Return whether a setting of restarts is in a function that is named for switching them off."""
    if not (finding.key or "").startswith("restart-strategy"):
        return False
    start = finding.span.start
    heads = _FUNCTION.findall(document.text, max(0, start - _MAX_BEFORE), start)
    return bool(heads) and _SAYS_SO.search(heads[-1]) is not None
