"""`flint size` on the command line: flags, prompts, output formats, and writing into a configuration."""
