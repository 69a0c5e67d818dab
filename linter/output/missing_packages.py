"""What to say where a package that a command stands on is not installed."""

from __future__ import annotations


def history_wants(missing: ModuleNotFoundError) -> Exception:
    """The error to raise for a package that the history stands on; flint's own modules miss none."""
    if missing.name and missing.name.partition(".")[0] == "flink_flint":
        return missing
    return ValueError(f"a history wants the package {missing.name}: pip install 'flink-flint[spark]'")


def editor_wants(missing: ModuleNotFoundError) -> Exception:
    """The error to raise for a package that the language server stands on."""
    if missing.name and missing.name.partition(".")[0] == "flink_flint":
        return missing
    return ValueError(f"the language server wants the package {missing.name}: pip install 'flink-flint[lsp]'")
