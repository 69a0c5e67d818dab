"""`flint size` without a screen: asking a calculator, its answer as text, and writing it into a configuration."""
