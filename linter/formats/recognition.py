"""Fast checks of whether the beginning of a file looks like Flink configuration."""

from __future__ import annotations

from flink_flint.linter.formats.key_evidence import evidence_of_keys

TEMPLATE_ENDINGS = (".j2", ".tpl", ".erb", ".tmpl", ".gotmpl", ".template", ".tftpl", ".tfpl", ".ftl", ".mustache")


_HEAD = 64 * 1024


def whole_parts(head: str, end: str = "\n") -> bytes:
    """Return the beginning of a file as bytes, without its last, incomplete part; parts end with `end`.

    A file that is not longer than what is read to recognize it is returned as a whole.
    """
    data = head.encode("utf-8", "surrogateescape")
    cut = data.rfind(end.encode()) + len(end) if len(data) >= _HEAD - 8 else 0
    return data[:cut] if cut >= len(end) and cut else data


def looks_like_flink(head: str, *, nested: bool) -> bool:
    """Return whether the keys in a text are Flink's: flat ones or, with `nested`, those in nested mappings too."""
    return evidence_of_keys(head, nested=nested).is_sufficient


def is_rendered(path: str) -> bool:
    """Return whether a template engine renders the file, judging by its ending or a folder named ``templates``."""
    return path.endswith(TEMPLATE_ENDINGS) or "templates" in path.replace("\\", "/").split("/")[:-1]


def is_template(text: str) -> bool:
    """Return whether `text` may contain template tags (Go, Jinja, ERB)."""
    return "{{" in text or "{%" in text or "<%" in text
