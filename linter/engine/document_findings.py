"""The result of checking one document, before suppressions are applied and findings are located."""

from __future__ import annotations

from flink_flint.linter.config.flint_config import NONE, FlintConfig, FlintConfigFile
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.target import Target
from flink_flint.linter.text.named_tuple import NamedTuple


class Judged(NamedTuple):
    """A checked document with its target, its flint configuration and its findings before suppression."""

    document: Document
    target: Target
    flint_config: FlintConfig
    findings: list[Finding]
    project_codes: frozenset[str]
    """The identities of the rules of scope "project" that the document triggers."""
    crashed: bool
    observed: bool
    """Whether the history store contains metrics of the document's cluster."""
    relation: Relation
    ignored: frozenset[str] = frozenset()
    """The codes of rules whose findings are counted but not reported, because flint's configuration ignores them."""
    settings: FlintConfigFile = NONE
    """The flint configuration file that applies to the document."""
