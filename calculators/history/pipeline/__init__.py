"""The pipeline of a store: importing samples, deleting or condensing old samples, and reading the store."""
