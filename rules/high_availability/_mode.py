"""Which high availability a configuration asks for."""

from __future__ import annotations

from flink_flint.linter.model.view import View

NONE, ZOOKEEPER, KUBERNETES, UNKNOWN = "NONE", "ZOOKEEPER", "KUBERNETES", ""


def mode(config: View) -> str:
    """NONE, ZOOKEEPER, KUBERNETES, UNKNOWN where a template decides, else the class name as written."""
    setting = config.get("high-availability.type")
    if not setting.is_known:
        return UNKNOWN
    name = setting.text.upper()
    if name in ("", "NONE", "STANDALONE"):
        return NONE
    if name in (ZOOKEEPER, KUBERNETES):
        return name
    return KUBERNETES if name.endswith(".KUBERNETESHASERVICESFACTORY") else setting.text
