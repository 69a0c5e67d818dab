"""flint: reads an Apache Flink configuration the way Flink will, and says what will break before it does.

This package is all that an installation puts on the path. In the repository its parts are links to the folders beside
it; a wheel holds the folders themselves. What rules of other packages may import is in `flink_flint.api`.
"""
