"""The platforms and profiles that a configuration can be checked for."""

from __future__ import annotations

PLATFORMS = ("local", "standalone", "compose", "kubernetes", "operator", "yarn", "emr", "msf")
PROFILES = ("production", "development")
