"""ACME's rules for Flink, a module each."""
