"""Shell commands: scripts, makefiles, and CI files that run Flink, and command lines in other files."""
