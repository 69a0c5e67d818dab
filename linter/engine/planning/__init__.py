"""SQL planned by the planner of the target release, on request, in a JVM of its own that runs nothing."""
