"""The path of a value from a file to Flink: replacement of variables, and truncation by the reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flink_flint.linter.flink.deployment.docker_image import read_properties
from flink_flint.linter.flink.file_loading import CONF_FOLDERS, CONFIG_YAML, FLINK_CONF
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_VARIABLE = regex(r"\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)")
_FILES = ("flink-conf", "config.yaml", "configmap")


class Environment(NamedTuple):
    """The environment variables of a container, as far as its file shows them."""

    container: ElementView
    values: Mapping[str, str | None]
    """The values of the container's variables by name; None for a value that is defined elsewhere."""
    is_complete: bool

    def has(self, name: str) -> bool:
        """Return whether the container has a variable."""
        return name in self.values

    def attribute(self, name: str) -> str:
        """Return the name of the container's attribute for a variable."""
        return f"environment.{name}"


def environment_of(container: ElementView) -> Environment:
    """Return the environment variables of a container."""
    values = {
        name: attribute.value if isinstance(attribute.value, str) else None
        for name, attribute in container.under("environment")
    }
    return Environment(container, values, container.is_known("environment"))


def variables(text: str) -> list[str]:
    """Return the names of the shell variables in a text, each once."""
    return list(dict.fromkeys(match[1] or match[2] for match in _VARIABLE.finditer(text)))


def undefined(key: str, text: str, environment: Environment, index: int) -> list[str]:
    """Return the undefined variables of a value, which the image's entrypoint replaces by an empty text."""
    if not environment.is_complete:
        return []
    lines = read_properties(f"{key}: {text}", index, environment.values).lines
    return [name for line in lines for name, _ in line.undefined]


class Cut(NamedTuple):
    """A variable whose value the line-based flink-conf.yaml cuts off at a ``#``."""

    variable: str
    written: int
    """The length of the variable's value in characters."""
    kept: int


def cut(text: str, environment: Environment) -> Iterator[Cut]:
    """Yield the variables of a value that contain a ``#``, at which flink-conf.yaml cuts off the replaced text."""
    for name in variables(text):
        value = environment.values.get(name)
        if value is not None and "#" in value:
            yield Cut(name, len(value), len(value.partition("#")[0].rstrip()))


class Written(NamedTuple):
    """A value with variables in a Flink configuration file of a container."""

    key: str
    text: str
    document: Document
    span: Span
    mount: ElementView | None
    """The volume with the file; None for a custom resource, whose operator creates a ConfigMap."""
    is_filled: bool
    """Whether the image's entrypoint replaces variables in the file."""


def in_files(config: View, container: ElementView) -> Iterator[Written]:
    """Yield the values with variables that are in files, and not in FLINK_PROPERTIES."""
    for key, entry in config.effective.items():
        if "$" not in entry.text or entry.style == "implied":
            continue
        document = config.owner(key)
        if config.platform == "operator":
            yield Written(key, entry.text, document, entry.value_span, None, False)
        elif document.kind in _FILES and (mount := _mount(container)):
            fills = not config.since("1.19") and document.is_flink_conf and _may_be_written(mount)
            yield Written(key, entry.text, document, entry.value_span, mount, fills)


def _mount(container: ElementView) -> ElementView | None:
    """The volume by which a container has its configuration files."""
    for volume in container.items("volumes"):
        target = (volume.text("target") or "").rstrip("/")
        if target in CONF_FOLDERS or target.rpartition("/")[0] in CONF_FOLDERS:
            return volume
    return None


def _may_be_written(mount: ElementView) -> bool:
    """Whether the entrypoint can put another file in the place: in a folder, not over a file that is mounted itself."""
    target = (mount.text("target") or "").rstrip("/")
    is_file = target.rpartition("/")[2] in (FLINK_CONF, CONFIG_YAML)
    return mount.text("kind") == "bind" and not is_file and not mount.has("read-only")
