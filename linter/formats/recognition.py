"""Cheap tests of whether the beginning of a file looks like Flink configuration."""

from __future__ import annotations

from flink_flint.linter.formats.key_evidence import evidence_of_keys

TEMPLATE_ENDINGS = (".j2", ".tpl", ".erb", ".tmpl", ".gotmpl", ".template")


def looks_like_flink(head: str, *, nested: bool) -> bool:
    """Return whether the keys of a text are Flink's, either flat or (with `nested`) also as mappings."""
    return evidence_of_keys(head, nested=nested).is_sufficient


def is_rendered(path: str) -> bool:
    """Return whether a template engine renders the file, judging by its ending or a folder named ``templates``."""
    return path.endswith(TEMPLATE_ENDINGS) or "templates" in path.replace("\\", "/").split("/")[:-1]


def is_template(text: str) -> bool:
    """Return whether `text` may contain template tags (Go, Jinja, ERB)."""
    return "{{" in text or "{%" in text or "<%" in text
