"""Options of Flink's commands that a release no longer has.

Source: `CliFrontendParser`, `FlinkYarnSessionCli` (with the prefix ``y`` in ``flink run``) and the SQL client's
`CliOptionsParser` of 1.9 to 2.2. They parse with commons-cli, which stops at the first word that is no option: what is
unknown is an argument, and so is all that follows.
"""

from __future__ import annotations

from collections.abc import Mapping

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.text.named_tuple import NamedTuple


class Removed(NamedTuple):
    """An option that was removed: the index of the last minor release that has it, and what to write instead."""

    last: int
    instead: str


def _until(last: str, instead: str) -> Removed:
    return Removed(MINORS.index(last), instead)


_RUN: Mapping[str, Removed] = {
    "yarncontainer": _until("1.9", "leave it out: Flink requests the containers that the parallelism needs"),
    "yarnstreaming": _until("1.9", "leave it out"),
    "sysoutLogging": _until("1.11", "leave it out"),
    "yarndetached": _until("1.20", "write -d"),
}
_SESSION: Mapping[str, Removed] = {
    "container": _until("1.9", "leave it out: the session requests the containers that its jobs need"),
    "streaming": _until("1.9", "leave it out"),
}
_SQL: Mapping[str, Removed] = {
    "defaults": _until("1.13", "write CREATE and SET statements into a script, and pass it with -i"),
    "update": _until("1.20", "write the statement into a script, and pass it with -f"),
}
LAST_RUN_APPLICATION = MINORS.index("1.20")
"""The index in `MINORS` of the last release whose ``flink`` command has the action ``run-application``."""


def removed_options(program: str, action: str) -> Mapping[str, Removed]:
    """Return the removed options, by long name, of an action of ``flink`` or of a script such as ``sql-client.sh``."""
    if program == "flink":
        return _RUN if action in ("run", "run-application") else {}
    return {"yarn-session.sh": _SESSION, "sql-client.sh": _SQL}.get(program, {})
