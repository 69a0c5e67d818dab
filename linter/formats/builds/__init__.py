"""Build files of programs: what they pack into the JAR that Flink runs."""
