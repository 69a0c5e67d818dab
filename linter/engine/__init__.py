"""The check: discovery, the rule registry, selection, evaluation, suppressions and baselines."""
