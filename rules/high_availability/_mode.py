"""The high-availability mode of a configuration."""

from __future__ import annotations

from flink_flint.linter.model.view import View

NONE, ZOOKEEPER, KUBERNETES, UNKNOWN = "NONE", "ZOOKEEPER", "KUBERNETES", ""


def mode(config: View) -> str:
    """Return NONE, ZOOKEEPER, KUBERNETES, UNKNOWN (a template decides), or the class name as written."""
    setting = config.get("high-availability.type")
    if not setting.is_known:
        return UNKNOWN
    name = setting.text.upper()
    if name in ("", "NONE", "STANDALONE"):
        return NONE
    if name in (ZOOKEEPER, KUBERNETES):
        return name
    return KUBERNETES if name.endswith(".KUBERNETESHASERVICESFACTORY") else setting.text
