"""The grammars of values that Flink checks beyond the type of an option, and the options that are read with them."""
