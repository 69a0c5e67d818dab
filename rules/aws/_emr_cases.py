"""Files of EMR for the cases of its rules."""

import json


def emr(*classifications: tuple[str, dict[str, object]], label: str = "") -> str:
    """A cluster's description with a release label, or its list of classifications alone."""
    listed = [{"Classification": name, "Properties": properties} for name, properties in classifications]
    whole = {"ReleaseLabel": label, "Configurations": listed} if label else listed
    return json.dumps(whole, indent=2) + "\n"
