"""Editor support: the language server, and JSON Schemas of Flink configurations."""
