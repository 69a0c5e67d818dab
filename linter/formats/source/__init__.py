"""Programs of jobs: what a program sets, where it reads from and writes to, and how it calls services.

`jvm_program` (Java, Scala, Kotlin) and `python_program` parse a file into a tree with few kinds of nodes
(`program_tree`). All other modules are independent of the language: `constant_folding` evaluates expressions,
`program_objects` follows builders and properties through variables, and `program_settings`, `kafka_clients`,
`kinesis_clients`, `other_sinks`, and `async_operators` know the meaning of Flink's methods.
"""
