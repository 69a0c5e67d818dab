"""Shell commands that run Flink, in scripts, makefiles, CI files, and command lines in other files."""
