"""How good a recommendation would have been: learn on the past, judge on what came after, slide on."""
