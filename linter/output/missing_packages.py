"""Errors for missing optional packages that a command requires."""

from __future__ import annotations


def missing_history_package(missing: ModuleNotFoundError) -> Exception:
    """Return the error for a missing package that history stores require."""
    return _missing(missing, "a history", "spark")


def missing_editor_package(missing: ModuleNotFoundError) -> Exception:
    """Return the error for a missing package that the language server requires."""
    return _missing(missing, "the language server", "lsp")


def missing_comment_package(missing: ModuleNotFoundError) -> Exception:
    """Return the error for a missing package that commenting on pull requests requires."""
    return _missing(missing, "commenting", "comment")


def _missing(missing: ModuleNotFoundError, feature: str, extra: str) -> Exception:
    """Return the error that names the extra to install; flint's own modules belong to none."""
    if missing.name and missing.name.partition(".")[0] == "flink_flint":
        return missing
    return ValueError(f"{feature} requires the package {missing.name}: pip install 'flink-flint[{extra}]'")
