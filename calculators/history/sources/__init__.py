"""Sources of histories: each module recognizes and reads one kind of file."""
