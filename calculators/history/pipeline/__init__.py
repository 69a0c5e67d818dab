"""The pipeline of a history store: importing samples, deleting or condensing old samples, and reading the store."""
