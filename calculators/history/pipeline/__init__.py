"""Import samples into a store, delete or condense old samples, and read the store."""
