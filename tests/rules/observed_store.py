"""The store of history that a rule's case describes (`linter.model.rule.Case.observed`)."""

from flink_flint.linter.commands.case_stores import UNTIL, row_of, summary_of, write_store

__all__ = ["UNTIL", "row_of", "summary_of", "write_store"]
