"""`flint recommend`: recommendations from a history, printed or written into configurations."""
