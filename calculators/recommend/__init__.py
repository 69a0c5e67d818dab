"""`flint recommend`: what a history recommends, told and written into configurations."""
