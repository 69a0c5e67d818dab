"""Editor support: the language server and the JSON Schema of a configuration."""
