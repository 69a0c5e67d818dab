"""Where a history comes from: one module a source, each recognising its own files."""
