"""`flint upgrade`: what a step from one release of Flink to a later one does to the files at hand."""
