"""Access to a Prometheus server: address, credentials, certificates.

Credentials come from the environment (``FLINT_PROMETHEUS_TOKEN``, or ``FLINT_PROMETHEUS_USER`` and
``FLINT_PROMETHEUS_PASSWORD``) or from files named in `Access`, on the machine that sends requests. They are in no
option, no error message and nothing that is sent to executors.
"""

from __future__ import annotations

import os
from pathlib import Path

from flink_flint.linter.filesystem.http_client import Tls, authorization
from flink_flint.linter.text.named_tuple import NamedTuple


class Access(NamedTuple):
    """The address and access options of a server, without secrets, so that they can be sent to executors."""

    url: str
    """The URL of the server; its query parameters (``?extra_label=…``) are sent with every request."""
    selector: str = ""
    """A label selector that restricts the series to import: ``{namespace="streaming"}``."""
    metrics: str = "flink_.+"
    """A regular expression for the names of the metrics to import."""
    step: int = 60
    """The step of ``query_range`` in seconds; ``query_range`` is used if the server refuses raw samples."""
    timeout: float = 60.0
    """The seconds without data after which a request fails; a complete response may take up to ten times as long."""
    tries: int = 6
    """The maximum number of attempts for one request."""
    wait: float = 0.5
    """The seconds before the first retry, doubled for each further retry up to 30 unless ``Retry-After`` is sent."""
    tenant: str = ""
    """The tenant to send in the header ``X-Scope-OrgID``, which Mimir and Cortex require."""
    dedup: str = ""
    """The value of Thanos' parameter ``dedup``, ``true`` or ``false``; empty for the server's default."""
    partial_response: str = ""
    """The value of Thanos' parameter ``partial_response``, ``true`` or ``false``; empty for the server's default."""
    token_file: str = ""
    user: str = ""
    password_file: str = ""
    ca_file: str = ""
    """The path of a PEM file with certificates to trust instead of the system's."""
    certificate: str = ""
    """The path of a PEM file with the client's certificate, and with its key unless `key` names another file."""
    key: str = ""
    insecure: bool = False
    """Whether to accept the server's certificate without verification."""


def thanos_parameters(access: Access) -> list[tuple[str, str]]:
    """Return the query parameters for Thanos; raise ValueError for a value other than true or false."""
    entries = [("dedup", access.dedup), ("partial_response", access.partial_response)]
    for name, value in entries:
        if value not in ("", "true", "false"):
            raise ValueError(f"{name} must be true or false, not {value!r}")
    return [(name, value) for name, value in entries if value]


def secret_of(file: str, variable: str = "") -> str:
    """Return a secret from a file, otherwise from an environment variable; error messages do not contain it."""
    if file:
        try:
            text = Path(file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or 'not text'}") from None
    else:
        text = os.environ.get(variable, "")
    text = text.strip()
    if not text.isprintable():
        raise ValueError(f"{file or variable}: contains more than one line, or characters that a header cannot contain")
    return text


def headers_of(access: Access) -> dict[str, str]:
    """Return the HTTP headers for the tenant and the credentials."""
    headers: dict[str, str] = {}
    if access.tenant:
        if not (access.tenant.isascii() and access.tenant.isprintable()):
            raise ValueError(f"the tenant {access.tenant!r} has characters that a header cannot contain")
        headers["X-Scope-OrgID"] = access.tenant
    user = access.user or os.environ.get("FLINT_PROMETHEUS_USER", "")
    token = "" if access.user else secret_of(access.token_file, "FLINT_PROMETHEUS_TOKEN")
    if not token.isascii():
        where = access.token_file or "FLINT_PROMETHEUS_TOKEN"
        raise ValueError(f"{where}: contains characters that a header cannot contain")
    password = secret_of(access.password_file, "FLINT_PROMETHEUS_PASSWORD") if user and not token else ""
    return {**headers, **authorization(user, password, token)}


def tls_of(access: Access) -> Tls:
    """Return the TLS settings for requests."""
    return Tls(access.ca_file, access.certificate, access.key, access.insecure)
