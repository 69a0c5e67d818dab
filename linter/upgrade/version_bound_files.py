"""Files that only some releases read, and the lines that name the old release."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from flink_flint.linter.config.flint_config import flint_config_for
from flink_flint.linter.filesystem.folders import names_in
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.flink.deployment.operator import SINCE_VERSION
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF, pick
from flink_flint.linter.flink.releases import LAST_FLINK_CONF, Release, parse_release
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.text.spans import Lines, Span
from flink_flint.linter.upgrade.setting_effects import Sides, where
from flink_flint.linter.upgrade.upgrade_report import Broken, Named, Where

_VERSION = r"(?<!\d)\d++([._])\d+(?:[._]\d+)?"
_OFFICIAL_IMAGE = re.compile(
    r"(?:(?:docker\.io/)?(?:library/)?flink|(?:docker\.io/|ghcr\.io/)?apache/flink(?:-docker)?)"
    r":\d+\.\d+(?:\.\d+)?(?:-scala_2\.12)?(?:-java(?:8|11|17))?"
)
"""Images that exist for each release since 1.13, without a digest."""
_ATTRIBUTES = ("image", "from", "spec.image", "spec.flinkVersion")
"""Attributes of elements that name a release."""


def files(sides: Sides) -> Iterator[Broken]:
    """Yield the configuration file as a `Broken` if the upgrade changes whether Flink reads it."""
    document, old, new = sides.document, sides.before, sides.after
    if not document.replaces_shipped_file:
        return
    names = names_in(os.path.abspath(document.directory)) | {document.file_name}
    beside = CONFIG_YAML if document.file_name == FLINK_CONF and CONFIG_YAML in names else None
    if document.is_flink_conf and new.index > LAST_FLINK_CONF >= old.index:
        message = f"Flink only reads {CONFIG_YAML} from 2.0 on, so {new.release} ignores this file"
        if beside:
            message += f"; the {CONFIG_YAML} next to it, which {old.release} ignores, is read instead"
        remedy = f"convert it to {CONFIG_YAML}: flint migrate {document.path}"
        if document.file_name not in (FLINK_CONF, f"{FLINK_CONF}.j2", f"{FLINK_CONF}.tpl"):
            remedy = f"provide it as {CONFIG_YAML}"
        yield Broken("file", Severity.ERROR, where(document, document.head), None, message, remedy)
    elif document.file_name == CONFIG_YAML and pick(names, new.index) == CONFIG_YAML != pick(names, old.index):
        yield Broken(
            "file",
            Severity.WARNING,
            where(document, document.head),
            None,
            f"Flink {old.release} reads the {FLINK_CONF} next to this file and ignores this one; {new.release} only"
            " reads this one",
            "compare the two before you upgrade",
        )


def named(document: Document, before: Release, evidence: str, to: Release) -> Iterator[Named]:
    """Yield the lines that name a release older than `to`, each with its replacement."""
    seen: set[Span] = set()
    places = []
    if document.release is not None and document.release_span is not None:
        places.append((document.release_span, document.text[document.release_span.start : document.release_span.end]))
    for element in document.elements:
        for name in _ATTRIBUTES:
            attribute = element.attributes.get(name)
            if attribute is not None and isinstance(attribute.value, str):
                places.append((attribute.span, attribute.value))
    for span, text in sorted(places):
        if span in seen:
            continue
        seen.add(span)
        text = text.strip("\"'")
        release = _release_of(text)
        if release is not None and release[:2] < to[:2]:
            yield Named(where(document, span), text, _instead(text, to), _certainly(text, to))
        elif release is None and span == document.release_span:
            yield Named(where(document, span), text, f"the version included in Flink {to}")
    yield from _outside(document, before, evidence, to)


def _release_of(text: str) -> Release | None:
    """Return the release that an image, a value of `spec.flinkVersion` or a runtime names."""
    found = release_of_image(text)
    if found is None and (match := re.fullmatch(r"(?:FLINK-|v)?(\d+[._]\d+(?:[._]\d+)?)", text)):
        found = match[1]
    return parse_release(found) if found else None


def _instead(text: str, to: Release) -> str:
    """Return the text with the newer release in place of the older one."""
    written = re.sub(_VERSION, lambda match: str(to).replace(".", match[1]), text, count=1)
    if text.startswith("FLINK-"):
        return f"{written}, if the service supports it"
    if not text.startswith("v"):
        return re.sub(r"\bjava8\b", "java11", written) if to.major >= 2 else written
    written = f"v{to.major}_{to.minor}"
    since = SINCE_VERSION.get(written)
    if since is None:
        return f"{written}, once a release of the operator supports it (1.15 does not)"
    return f"{written} (from operator {since} on)"


def _certainly(text: str, to: Release) -> str | None:
    """Return the text with the newer release if it certainly exists: an image of Flink itself, or a `flinkVersion`."""
    if re.fullmatch(r"v\d+_\d+", text):
        written = f"v{to.major}_{to.minor}"
        return written if written in SINCE_VERSION else None
    return _instead(text, to) if _OFFICIAL_IMAGE.fullmatch(text) else None


def _outside(document: Document, before: Release, evidence: str, to: Release) -> Iterator[Named]:
    """Yield the line of a build file, a Dockerfile or flint's configuration that determined the release."""
    if evidence == "flint.toml":
        path = flint_config_for(document.path).path
    else:
        folder = os.path.abspath(document.directory)
        top = evidence.partition("/")[0]
        path = next((os.path.join(up, evidence) for up in folders_up(folder) if top in names_in(up)), None)
    if path is None or (document.file_name == evidence and document.elements):
        return
    if (text := found_text(path)) is None:
        return
    lines, path = Lines(text), os.path.relpath(path)
    for number in range(1, len(lines.starts) + 1):
        span = lines.span(number)
        line = text[span.start : span.end]
        match = re.search(rf"(?<![\d.]){re.escape(str(before))}(?![\d.])", line)
        if match and "flink" in line.lower():
            written = line.strip()
            yield Named(Where(path, number, match.start() + 1, written), str(before), str(to))
            return
