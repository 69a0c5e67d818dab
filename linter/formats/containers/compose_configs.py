"""The configs and secrets of a Compose file: files that its services have without a volume.

Compose mounts one with a ``file`` read-only, and writes one with ``content`` or ``environment`` into the container,
where a process may change it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.elements import Attribute

MOUNT_FOLDERS: Mapping[str, str] = {"configs": "/", "secrets": "/run/secrets/"}
"""The folder in the container for a name without a folder, by the key of Compose."""
_MOUNTED_AS = {"configs": "config", "secrets": "secret"}
_WRITTEN = ("content", "environment")


def read_config(
    section: str, value: Value, root: Value, attribute: Callable[[Value], Attribute]
) -> dict[str, Attribute]:
    """Return the volume that a service has for an item of its `configs` or `secrets`; empty if the item names none.

    `root` is the Compose file, and `attribute` makes the attribute of a scalar, with its variables replaced.
    """
    source = value if value.is_scalar else value.get("source")
    if source is None or not source.is_scalar:
        return {}
    target = None if value.is_scalar else value.get("target")
    found = attribute(source if target is None else target)
    folder = MOUNT_FOLDERS[section]
    if isinstance(found.value, str) and not found.value.startswith("/"):
        found = Attribute(folder + found.value, found.span, found.key_span, found.raw)
    volume = {"target": found, "kind": Attribute(_MOUNTED_AS[section], value.span)}
    declared = root.get(section, source.text) if source.text is not None else None
    if declared is None:
        return volume
    file = declared.get("file")
    if file is not None and file.is_scalar:
        volume["source"] = attribute(file)
    elif any(declared.get(name) is not None for name in _WRITTEN):
        volume["kind"] = Attribute("content", value.span)
    return volume
