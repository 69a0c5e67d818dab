"""GitHub and GitLab: what becomes of findings in a pull request."""
