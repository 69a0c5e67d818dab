"""Addresses in a resource: the template of an ingress, and that of a session job's jar."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.operator.refusal import Refusal, Unknown
from flink_flint.linter.flink.operator.settings import RESTRICTED_HOSTS, SCHEMES, OperatorSettings
from flink_flint.linter.text.lazy_regex import regex

_PROTOCOL = regex(r"https?://")
_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]*")
_HOST = regex(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?")
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
_MAX_INT = 2**31 - 1


def ingress_problem(template: str, name: str, namespace: str) -> str | None:
    """Return why Java takes no URL from the template of an ingress; None if it takes it. Raises Unknown."""
    url = template if _PROTOCOL.match(template.lower()) else f"http://{template}"
    for pattern, text in ((r"\{\{name\}\}", name), (r"\{\{namespace\}\}", namespace)):
        url = re.sub(pattern, text, url, flags=re.IGNORECASE)
    problem = _url_problem(url.strip())
    if problem is None:
        return None
    return f"Unable to process the Ingress template({template}). Error: {problem}"


def _url_problem(url: str) -> str | None:
    """Return what Java's URL says of the authority of an http address; None if it takes it."""
    rest = url.partition("#")[0].partition("://")[2].partition("?")[0]
    authority = rest.partition("/")[0]
    host = authority.rpartition("@")[2] if authority.count("@") == 1 else authority
    if authority.count("@") > 1:
        return None
    if host.startswith("["):
        raise Unknown(host)
    _, colon, port = host.partition(":")
    if not colon or not port:
        return None
    end = _end_of_number(port)
    if end is not None:
        return f'Error at index {end} in: "{port}"'
    number = int(port)
    return f"Invalid port number :{number}" if number < -1 else None


def _end_of_number(text: str) -> int | None:
    """Return where Java stops reading a text as an int; None if it is one."""
    sign = text[0] if text[0] in "+-" else ""
    largest, number = _MAX_INT + (sign == "-"), 0
    if sign and len(text) == 1:
        return 1
    for position, char in enumerate(text[len(sign) :], len(sign)):
        if not "0" <= char <= "9" or number * 10 + int(char) > largest:
            return position
        number = number * 10 + int(char)
    return None


def jar_refusals(jar: str, settings: OperatorSettings) -> Iterator[Refusal]:
    """Yield why the operator does not fetch the jar of a session job. Raises Unknown for a host that has a name."""
    problem = uri_problem(jar)
    if problem is not None:
        yield Refusal("jar address", f"jarURI is not a valid URI: {problem}: {jar}", "job.jarURI")
        return
    scheme, colon, rest = jar.partition(":")
    if not colon or _SCHEME.fullmatch(scheme) is None:
        yield Refusal("jar scheme", "jarURI must include a scheme", "job.jarURI")
        return
    allowed = settings.own(SCHEMES)
    assert isinstance(allowed, (list, tuple))
    schemes = list(dict.fromkeys(str(one).lower() for one in allowed))
    if scheme.lower() not in schemes:
        yield Refusal(
            "jar scheme",
            f"jarURI scheme '{scheme}' is not in the allowlist [{', '.join(schemes)}]. Configure '{SCHEMES.key}' to"
            " extend the allowlist.",
            "job.jarURI",
        )
        return
    if scheme.lower() not in ("http", "https") or not settings.own(RESTRICTED_HOSTS):
        return
    host = _host(rest)
    if host is None:
        yield Refusal("jar host", "jarURI must include a host for http/https schemes", "job.jarURI")
    elif _is_restricted(host):
        yield Refusal("jar host", f"jarURI host '{host}' resolves to a restricted address", "job.jarURI")


def _host(rest: str) -> str | None:
    """Return the host in an address without its scheme, as Java's URI finds it; None if there is none."""
    if not rest.startswith("//"):
        return None
    authority = re.split("[/?#]", rest[2:], maxsplit=1)[0]
    host = authority.rpartition("@")[2]
    if host.startswith("["):
        raise Unknown(host)
    host, colon, port = host.partition(":")
    if colon and port and not port.isdecimal():
        return None
    is_numeric = re.fullmatch(r"[0-9.]+", host) is not None
    if not _HOST.fullmatch(host) or (is_numeric and not _is_address(host)):
        return None
    last = host.rstrip(".").rpartition(".")[2]
    return host if is_numeric or last[:1].isalpha() else None


def _is_address(host: str) -> bool:
    parts = host.split(".")
    return len(parts) == 4 and all(part.isdecimal() and int(part) <= 255 for part in parts)


def _is_restricted(host: str) -> bool:
    """Return whether an address may not be fetched from. Raises Unknown for a name, which only its network resolves."""
    if host.lower() == "localhost":
        return True
    import ipaddress

    try:
        address = ipaddress.IPv4Address(host)
    except ValueError:
        raise Unknown(host) from None
    return (
        address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or any(
            address in network
            for network in map(ipaddress.IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
        )
    )


_UNRESERVED = "-_.!~*'()"
_LEGAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + _UNRESERVED + ";/?:@&=+$,[]%")


def uri_problem(text: str) -> str | None:
    """Return why Java takes no URI from a text; None if it does. The message has the part that goes wrong."""
    if not text:
        return None
    scheme, colon, rest = text.partition(":")
    ends = [at for at in map(text.find, "/?#") if at >= 0]
    if colon and not (ends and min(ends) < len(scheme)):
        if not scheme:
            return "Expected scheme name at index 0"
        for position, char in enumerate(scheme):
            fits = char.isascii() and (char.isalpha() or (position and (char.isdecimal() or char in "+-.")))
            if not fits:
                return f"Illegal character in scheme name at index {position}"
        if not rest:
            return f"Expected scheme-specific part at index {len(scheme) + 1}"
        return _part_problem(text, len(scheme) + 1)
    return _part_problem(text, 0)


def _part_problem(text: str, start: int) -> str | None:
    """Return what Java says of the part of a URI behind its scheme."""
    is_hierarchical = text[start : start + 1] == "/" or start == 0
    part = "path" if is_hierarchical else "opaque part"
    position = start
    if text.startswith("//", start):
        end = next((at for at in range(start + 2, len(text)) if text[at] in "/?#"), len(text))
        if end == start + 2 and end == len(text):
            return f"Expected authority at index {end}"
        for at in range(start + 2, end):
            if not _is_legal(text, at):
                return f"Illegal character in authority at index {start + 2}"
        position = end
    for at in range(position, len(text)):
        char = text[at]
        if char == "?" and part == "path":
            part = "query"
        elif char == "#" and part != "fragment":
            part = "fragment"
        elif char == "%" and not re.fullmatch("[0-9A-Fa-f]{2}", text[at + 1 : at + 3]):
            return f"Malformed escape pair at index {at}"
        elif not _is_legal(text, at) or (char in "[]" and part == "path"):
            return f"Illegal character in {part} at index {at}"
    return None


def _is_legal(text: str, at: int) -> bool:
    char = text[at]
    return char in _LEGAL or (not char.isascii() and char.isprintable() and not char.isspace())
