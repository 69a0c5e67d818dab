"""What a configuration can be checked for: the platforms and profiles."""

PLATFORMS = ("local", "standalone", "compose", "kubernetes", "operator", "yarn", "emr", "msf")
PROFILES = ("production", "development")
