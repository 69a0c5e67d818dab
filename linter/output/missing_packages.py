"""What to say where a package that a command needs is not installed."""

from __future__ import annotations


def missing_history_package(missing: ModuleNotFoundError) -> Exception:
    """Return the error to raise for a package that the history needs."""
    return _missing(missing, "a history", "spark")


def missing_editor_package(missing: ModuleNotFoundError) -> Exception:
    """Return the error to raise for a package that the language server needs."""
    return _missing(missing, "the language server", "lsp")


def missing_comment_package(missing: ModuleNotFoundError) -> Exception:
    """Return the error to raise for a package that commenting on pull requests needs."""
    return _missing(missing, "commenting", "comment")


def _missing(missing: ModuleNotFoundError, feature: str, extra: str) -> Exception:
    """The error that names the extra to install; flint's own modules are in none."""
    if missing.name and missing.name.partition(".")[0] == "flink_flint":
        return missing
    return ValueError(f"{feature} requires the package {missing.name}: pip install 'flink-flint[{extra}]'")
