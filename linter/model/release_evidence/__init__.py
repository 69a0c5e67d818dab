"""Evidence of the Flink releases that a file targets: images, build files, the operator, and the file's keys."""
