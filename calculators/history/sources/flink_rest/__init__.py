"""Flink's REST interface as a source: live clusters, saved responses and archives of the HistoryServer."""
