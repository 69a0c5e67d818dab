"""The pages under docs, and what writes those of them that come from the code."""
