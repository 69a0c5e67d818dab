"""What the options of SQL tables are, and what their connectors read and write."""
