"""Logging configuration: log4j 1, log4j 2, and logback."""
