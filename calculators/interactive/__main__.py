"""Entry point of the interactive form as a separate process, one for each browser window of `flint size --web`."""

from __future__ import annotations

import sys

import click

from flink_flint.calculators.command_line.open_configuration import open_configuration
from flink_flint.calculators.command_line.size import release_of
from flink_flint.calculators.interactive.app import run_form


@click.command()
@click.option("--calculator")
@click.option("--config")
@click.option("--flink-version")
def window(calculator: str | None, config: str | None, flink_version: str | None) -> None:
    """Run the form; exit silently for an unreadable configuration, which the server has already reported."""
    opened = open_configuration(config, flink_version=flink_version) if config is not None else None
    release = release_of(flink_version, opened, lambda *message, **kind: None)
    sys.exit(run_form(calculator, {}, opened, release))


if __name__ == "__main__":
    window()
