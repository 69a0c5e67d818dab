"""Comments on GitHub pull requests and GitLab merge requests."""
