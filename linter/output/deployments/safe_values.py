"""Values of processes for output, with secrets hidden, and their locations as path and line."""

from __future__ import annotations

from flink_flint.linter.engine.deployments import Deployments
from flink_flint.linter.flink.secret_places import is_class_name, name_without_secrets
from flink_flint.linter.flink.secrets import HIDDEN, may_be_secret
from flink_flint.linter.model.document import Document, LayeredEntry
from flink_flint.linter.model.processes.process import Fact, Origin
from flink_flint.linter.model.safe_text import key_without_secrets


class SafeValues:
    """Returns values and other text of deployments, with secrets hidden unless the user wants to see them."""

    def __init__(self, deployments: Deployments, *, show_secrets: bool) -> None:
        self._deployments = deployments
        self._show_secrets = show_secrets

    def setting(self, origin: Origin) -> str:
        """Return the value that an origin sets, with secrets hidden."""
        return self._named(origin.key, origin.text, origin.document)

    def entry(self, key: str, one: LayeredEntry) -> str:
        """Return the value of an entry, with secrets hidden."""
        return self._named(key, one.entry.text, one.document)

    def key(self, key: str, document: Document) -> str:
        """Return a key with secrets hidden."""
        return key if self._show_secrets else self._deployments.mask(document)(key_without_secrets(key))

    def variable(self, name: str, fact: Fact, document: Document) -> str | None:
        """Return the value of an environment variable, with secrets hidden; None if it is unknown."""
        return None if fact.value is None else self._named(name, str(fact.value), document)

    def text(self, text: str, document: Document) -> str:
        """Return any other text of a document, with secrets hidden."""
        return text if self._show_secrets else self._deployments.mask(document)(text)

    def name(self, document: Document) -> str:
        """Return the name of a document, or of its file, with secrets hidden."""
        return name_without_secrets(document.name) if document.name else document.file_name

    def place(self, origin: Origin) -> str:
        """Return the location of an origin as ``path:line``."""
        path, line = self._deployments.place(origin)
        return f"{path}:{line}"

    def _named(self, name: str, text: str, document: Document) -> str:
        if self._show_secrets:
            return text
        if may_be_secret(name) and not is_class_name(text):
            return HIDDEN
        return self._deployments.mask(document)(text)
