"""`flint size` on the command line: prompting, answers as text, and writing them into a configuration."""
