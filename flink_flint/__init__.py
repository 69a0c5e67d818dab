"""flint: reads an Apache Flink configuration exactly as Flink does, and reports problems before they occur.

An installation adds no other top-level package. In the repository the subpackages are symbolic links to the folders
next to it; a wheel contains the folders themselves. The API for rules in other packages is `flink_flint.api`.
"""
