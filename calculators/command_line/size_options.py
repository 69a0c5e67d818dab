"""The options of `flint size` other than the inputs of a calculator."""

from __future__ import annotations

from flink_flint.linter.text.named_tuple import NamedTuple


class SizeOptions(NamedTuple):
    """The options of `flint size` that every calculator has."""

    what_if: tuple[str, ...] = ()
    input: str | None = None
    config: str | None = None
    write: bool = False
    diff: bool = False
    output_format: str = "text"
    output_file: str | None = None
    flink_version: str | None = None
    web: bool = False
    port: int | None = None

    @property
    def any_given(self) -> bool:
        """Whether the user gave any of these options."""
        return self.output_format != "text" or any(self._replace(output_format=""))
