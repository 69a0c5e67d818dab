"""Tests of the language server, and of the JSON Schema in another language server."""
