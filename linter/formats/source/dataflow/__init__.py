"""What a job does with its records: windows, keys, state, and what its functions do for each record."""
