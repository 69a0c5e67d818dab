"""EMR configurations for test cases."""

import json


def emr(*classifications: tuple[str, dict[str, object]], label: str = "") -> str:
    """Return an EMR cluster with a release label and classifications; without a label, only the classifications."""
    listed = [{"Classification": name, "Properties": properties} for name, properties in classifications]
    whole = {"ReleaseLabel": label, "Configurations": listed} if label else listed
    return json.dumps(whole, indent=2) + "\n"
