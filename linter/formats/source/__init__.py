"""A job's program, read: what it sets, where it reads from and writes to, how it calls services.

`jvm` (Java, Scala, Kotlin) and `python` turn a file into one tree of few kinds of nodes (`tree`). Everything after
them no longer knows the language: `constants` folds expressions, `objects` follows builders and properties through
variables, and `settings`, `kafka`, `kinesis`, `sinks` and `async_calls` know what Flink's methods mean.
"""
