"""Who installs the charts of a repository, and with which values."""
