"""Carriers: the kinds of files that carry Flink configuration, one module each.

A module of this package that defines `CARRIER`, an instance of `linter.document.Carrier`, is a carrier. They
are asked in the order of their `rank`; the first that recognises a file reads it.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from linter.document import Carrier


@cache
def carriers() -> tuple[Carrier, ...]:
    """All carriers, in the order in which they are asked."""
    names = sorted(name[:-3] for name in os.listdir(os.path.dirname(__file__)) if name.endswith(".py"))
    modules = (import_module(f"{__name__}.{name}") for name in names if not name.startswith("_"))
    found: list[Carrier] = [module.CARRIER for module in modules if hasattr(module, "CARRIER")]
    return tuple(sorted(found, key=lambda carrier: carrier.rank))


def carrier_of(name: str, head: str, *, trust_name: bool = False) -> Carrier | None:
    """The carrier of a file by its name and its first characters.

    With `trust_name` (the user named this very file) the name alone is enough.
    """
    if trust_name:
        for carrier in carriers():
            if carrier.named(name):
                return carrier
    return next((carrier for carrier in carriers() if carrier.recognise(name, head)), None)
