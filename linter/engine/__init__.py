"""Checks files: discovery, the rule registry, rule selection, evaluation, suppressions and baselines."""
