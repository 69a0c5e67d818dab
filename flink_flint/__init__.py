"""flint: reads an Apache Flink configuration the way Flink will, and reports what will break before it does.

This package is the only name that an installation adds. In the repository its parts are links to the folders next to
it; a wheel contains the folders themselves. The API for rules in other packages is `flink_flint.api`.
"""
