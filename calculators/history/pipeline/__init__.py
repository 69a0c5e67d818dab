"""Import samples into a store, age them, and read them back."""
