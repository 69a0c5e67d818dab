"""Sets the release of the Flink Kubernetes Operator that reads the custom resources of a run."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from flink_flint.linter.config.flint_config import FlintConfig
from flink_flint.linter.model.document import Document, OperatorRelease
from flink_flint.linter.model.target import operator_release


def set_configured_operator(document: Document, flint_config: FlintConfig) -> None:
    """Let a document have the settings under the release of the operator that flint.toml names."""
    if document.platform == "operator" and flint_config.operator_version is not None:
        document.set_operator(partial(operator_release, flint_config.operator_version))


def set_installed_operators(documents: Iterable[Document]) -> None:
    """Let documents have the settings under the release that the files of their repository show, unless flint.toml has.

    These files are read when settings are needed, so that it is only for documents that are judged or shown.
    """
    for document in documents:
        if document.platform == "operator":
            document.set_operator(partial(_installed_in, document.directory))


def _installed_in(directory: str) -> OperatorRelease | None:
    from flink_flint.linter.model.release_evidence.only_operator import operator_of

    return operator_of(directory)
