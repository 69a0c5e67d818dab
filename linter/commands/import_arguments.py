"""The arguments of `flint history import`, shared by the import from files and the import from an address."""

from __future__ import annotations

from flink_flint.linter.text.named_tuple import NamedTuple


class ImportArguments(NamedTuple):
    """The arguments of `flint history import`."""

    address: str
    """The address to import from: the path of a file or directory, or a URL."""
    into: str
    """The path of the history store to import into."""
    source: str | None = None
    cluster: str | None = None
    cluster_label: str | None = None
    time: str | None = None
    again: bool = False
    output_format: str = "text"
    start: str | None = None
    end: str | None = None
    selector: str | None = None
    metrics: str | None = None
    step: int | None = None
    tenant: str | None = None
    dedup: str | None = None
    duration: float = 600.0
    """The number of seconds for which to poll a live Flink cluster."""
    every: float = 10.0
    """The number of seconds between two polls of a live Flink cluster."""
    timeout: float | None = None
    user: str | None = None
    password_file: str | None = None
    token_file: str | None = None
    ca_file: str | None = None
    certificate: str | None = None
    key: str | None = None
    insecure: bool = False
    master: str | None = None
    remote: str | None = None
    conf: tuple[str, ...] = ()
