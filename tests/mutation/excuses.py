"""The list of mutants that no case can notice: `equivalent.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.mutation.mutants import Mutant

LIST = Path(__file__).with_name("equivalent.toml")


class Excuse(NamedTuple):
    """A mutant that is the same by construction, and why."""

    module: str
    line: str
    becomes: str
    reason: str

    def fits(self, mutant: Mutant) -> bool:
        """Whether it speaks of a mutant."""
        return (self.module, self.line, self.becomes) == (
            mutant.module, " ".join(mutant.before.split()), " ".join(mutant.after.split()),
        )  # fmt: skip


def read_excuses(path: Path = LIST) -> list[Excuse]:
    """The list; raises ValueError for an entry without one of its parts."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    try:
        excuses = [Excuse(one["module"], " ".join(one["line"].split()), " ".join(one["becomes"].split()), one["reason"])
                   for one in entries]  # fmt: skip
    except KeyError as error:
        raise ValueError(f"{path}: an entry has no {error}") from None
    if not all(excuse.reason.strip() for excuse in excuses):
        raise ValueError(f"{path}: an entry gives no reason")
    return excuses


def unused(excuses: Iterable[Excuse], survivors: Iterable[Mutant], modules: Iterable[str]) -> list[Excuse]:
    """The excuses, of the modules that were tried, that no survivor needs."""
    survived, tried = list(survivors), set(modules)
    return [excuse for excuse in excuses if excuse.module in tried and not any(map(excuse.fits, survived))]
