"""The result of checking one document, before suppressions are applied and findings are located."""

from __future__ import annotations

from collections.abc import Callable

from flink_flint.linter.config.flint_config import NONE, FlintConfig, FlintConfigFile
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.layers import ALONE, Relation
from flink_flint.linter.model.target import Target


class Judged:
    """A checked document with its target, its flint configuration and its findings before suppression."""

    def __init__(
        self,
        document: Document,
        target: Target | Callable[[], Target],
        flint_config: FlintConfig,
        findings: list[Finding],
        project_codes: frozenset[str] | Callable[[Target], frozenset[str]],
        *,
        crashed: bool = False,
        observed: bool = False,
        relation: Relation = ALONE,
        ignored: frozenset[str] = frozenset(),
        settings: FlintConfigFile = NONE,
    ) -> None:
        """Of a document that others are only compared with, `target` and `project_codes` are found when asked for."""
        self.document = document
        self.flint_config = flint_config
        self.findings = findings
        self.crashed = crashed
        self.observed = observed
        """Whether the history store contains metrics of the document's cluster."""
        self.relation = relation
        self.ignored = ignored
        """The codes of rules whose findings are counted but not reported, as flint's configuration ignores them."""
        self.settings = settings
        """The flint configuration file that applies to the document."""
        self._target = target
        self._project_codes = project_codes

    @property
    def target(self) -> Target:
        """The releases, platform and profile that the document is checked for."""
        if not isinstance(self._target, Target):
            self._target = self._target()
        return self._target

    @property
    def project_codes(self) -> frozenset[str]:
        """The identities of the rules of scope "project" that the document triggers."""
        if not isinstance(self._project_codes, frozenset):
            self._project_codes = self._project_codes(self.target)
        return self._project_codes

    def _copied(self) -> Judged:
        # As `copy.copy` does, whose import takes 2 % of a check of one file.
        made = object.__new__(Judged)
        made.__dict__.update(self.__dict__)
        return made

    def with_target(self, target: Target) -> Judged:
        """Return this document as checked for another target."""
        made = self._copied()
        made._target = target
        return made

    def with_findings(self, findings: list[Finding]) -> Judged:
        """Return this document with other findings."""
        return self.moved(self.document, findings, self.flint_config)

    def moved(self, document: Document, findings: list[Finding], flint_config: FlintConfig) -> Judged:
        """Return another document, with findings, that was checked in place of this one."""
        made = self._copied()
        made.document, made.findings, made.flint_config = document, findings, flint_config
        return made
