"""Carriers: the kinds of files that carry Flink configuration, one module each.

A carrier module defines `CARRIER`, an instance of `linter.document.Carrier`. They are asked in the
order of `MODULES`; the first that recognises a file reads it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from linter.document import Carrier

MODULES = ("flink_conf", "config_yaml")


@cache
def carriers() -> tuple[Carrier, ...]:
    """All carriers, in the order in which they are asked."""
    return tuple(import_module(f"{__name__}.{module}").CARRIER for module in MODULES)


def carrier_of(name: str, head: str, *, trust_name: bool = False) -> Carrier | None:
    """The carrier of a file by its name and its first characters.

    With `trust_name` (the user named this very file) the name alone is enough.
    """
    if trust_name:
        for carrier in carriers():
            if carrier.named(name):
                return carrier
    return next((carrier for carrier in carriers() if carrier.recognise(name, head)), None)
