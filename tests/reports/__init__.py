"""Real reports of misconfigured Flink: does flint name the cause, given the files as they stood?"""
