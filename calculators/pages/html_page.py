"""Rendering of self-contained HTML pages.

Style, script and charts are inline, and the Content-Security-Policy of a page allows a browser to load nothing and to
run only the page's own style and script, identified by their digests. Inserted values are escaped, secrets hidden.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.formulas.quantity import counted
from flink_flint.calculators.pages.charts import draw
from flink_flint.linter import __version__
from flink_flint.linter.model.safe_text import names_without_secrets, neutral

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


def whole_page(template: str, **values: Any) -> str:
    """Render a template in `templates/` as a self-contained HTML page; raise ValueError if Jinja2 is not installed."""
    environment = _environment()
    from markupsafe import Markup  # which comes with Jinja2

    style, script = (_text_of(f"history.{ending}") for ending in ("css", "js"))
    numbers = iter(range(1, 1_000_000))
    filled = environment.get_template(template).render(
        version=__version__,
        style=Markup(style),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'; "
            "form-action 'none'"
        ),
        draw=lambda chart: Markup(draw(chart, f"c{next(numbers)}")),
        **names_without_secrets(values),
    )
    return neutral(filled)  # the digests stay valid: flint's own style and script have no control characters


def _environment() -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ModuleNotFoundError:
        raise ValueError("a page requires Jinja2: pip install 'flink-flint[report]'") from None

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["moment"] = _moment
    environment.filters["kind"] = lambda chart: type(chart).__name__.lower()
    environment.globals.update(counted=counted, zip=zip)
    return environment


def _text_of(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return the digest of an inline style or script for the Content-Security-Policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _moment(time: float) -> str:
    at = datetime.fromtimestamp(time, UTC)
    return f"{at.day} {at:%b %Y, %H:%M} UTC"
