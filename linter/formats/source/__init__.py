"""Source code of jobs: the settings of a program, its sources and sinks, and its calls to external services.

`jvm_program` (Java, Scala, Kotlin) and `python_program` parse a file into a tree with few kinds of nodes
(`program_tree`). All other modules are independent of the language: `constant_folding` evaluates expressions,
`program_objects` tracks builders and properties through variables, and `program_settings`, `clients`,
`other_sinks`, `async_operators`, and others interpret calls of Flink's methods.
"""
