"""Evidence for the Flink releases that a file is for: images, build files, the operator, and the keys themselves."""
