"""Flink SQL: scripts for the SQL client and gateway, and scripts that a job runs.

The elements of a script (`linter.model.elements.KINDS`) are its tables and catalogs, its queries, and the Kafka and
Kinesis sources and sinks of its tables. A ``query`` has `job`, `statement-set`, `parsed`, `targets[0]` and
`sources[0]` (each with `name`, and `options.KEY` of its OPTIONS hint; a source with its `role`: scan, lookup,
temporal), and `catalog-type`, the type of the catalog that it is in, if the script creates that). A query of one
SELECT that names its columns has `outputs[0]` (`name`, `column` for one that is passed on unchanged, with its table,
`calls`, the functions in its expression, and `constant`, for a literal). It also has an attribute for each part that
determines how it runs, including parts of the views it reads, at the position of the first such part: `regular-join`,
`interval-join`, `window-join`, `temporal-join`, `lookup-join` (the joined table), `outer-join` (the side of a regular
join that keeps unmatched rows, ANTI for NOT IN and NOT EXISTS), `group-by` (the keys; with `group-bys`, their number,
if there are several, `aggregates`, if it computes some, `group-period` (the column whose day, hour or the like is a
key), and `windows-grouped`, if all are of the results of window aggregations), `aggregate` (of all rows),
`count-distinct`, `distinct`, `over` (bounded or unbounded), `deduplicate` (the keys), `top-n` and
`top-n-of-all` (the number), `window` (the function), `group-window` (the legacy function in GROUP BY), `union` and
`set-operation` (all or distinct), `order-by`, `limit`, `match-recognize`, `watermark-filter` (a condition on
CURRENT_WATERMARK that is wrong as long as there is no watermark: "without null" or "not null or"),
`non-deterministic` (the function), `kept-function`, `kept-lookup` and `kept-temporal` (a function whose results
change, and a lookup or temporal join, in the input of an operator that keeps state), `values`, `on-conflict`;
`hints[0]` (`name`, `arguments`, `options.KEY`); and `settings.KEY` for each setting whose value for this query
differs from its value for the last job (None: not set).

Statements in the dialect of Hive are Hive's, and nothing of them is read.
"""
