"""How much processor time flint takes: `make bench`. Never part of the tests, which are not timed."""
