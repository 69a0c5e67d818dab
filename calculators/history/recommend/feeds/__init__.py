"""What each calculator is fed with where the metrics its inputs declare do not suffice: one module a subject."""
