"""Flink SQL: scripts for the SQL client and gateway, and those that a job runs.

The elements of a script (`linter.model.elements.KINDS`) are its tables and catalogs, its queries, and the readers and
writers of Kafka and Kinesis that its tables are. A ``query`` has, besides `job`, `statement-set`, `parsed`,
`targets[0]` and `sources[0]` (each with `name`, `options.KEY` of its OPTIONS hint, a source with its `role`: scan,
lookup, temporal), an attribute for each part that tells how it runs, at the place of the first such part, also where
a view that it reads has it: `regular-join`, `interval-join`, `window-join`, `temporal-join`, `lookup-join` (the joined
table), `outer-join` (the side of a regular join that keeps rows without a partner, ANTI for NOT IN and NOT EXISTS),
`group-by` (the keys; with `group-bys`, how many, where there is more than one), `aggregate` (of all rows),
`count-distinct`, `distinct`, `over` (bounded or unbounded), `deduplicate` (the keys), `top-n` and `top-n-of-all` (how
many), `window` (the function), `group-window` (that of the old kind, in GROUP BY), `union` and `set-operation` (all or
distinct), `order-by`, `limit`, `match-recognize`, `non-deterministic` (the function), `values`, `on-conflict`;
`hints[0]` (`name`, `arguments`, `options.KEY`); and `settings.KEY` for what is in force for it, where
that is not what is in force for the last job (None: not set any more).
"""
