"""What editors ask: the language server, and a schema in the hands of another one."""
