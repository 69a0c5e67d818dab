"""What builds pack into the JAR of a job."""

from __future__ import annotations

from flink_flint.linter.model.element_view import ElementView

PACKERS = (
    "maven-shade-plugin", "maven-assembly-plugin", "com.github.johnrengelman.shadow", "com.gradleup.shadow",
    "io.github.goooler.shadow",
)  # fmt: skip
"""Plugins that pack a program with its dependencies."""


def is_packed(one: ElementView) -> bool:
    """Return whether a dependency is certainly in the JAR of a build that packs its dependencies."""
    known = one.is_known("scope") or not one.has("scope")
    return known and one.text("scope") in (None, "compile", "runtime") and one.text("optional") != "true"
