"""What shows the releases of Flink that a file is for: images, build files, the operator, and the keys themselves."""
