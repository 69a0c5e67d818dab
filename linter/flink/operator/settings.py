"""The configuration that the operator checks: its defaults and `flinkConfiguration`, with the options it reads."""

from __future__ import annotations

from collections.abc import Mapping

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.operator.refusal import Thrown, Unknown
from flink_flint.linter.flink.operator.releases import OperatorRelease, flink_in, knows_version
from flink_flint.linter.flink.operator.resource import UNKNOWN
from flink_flint.linter.flink.values import parse
from flink_flint.linter.text.named_tuple import NamedTuple

_DEFAULTS = "kubernetes.operator.default-configuration."
_FIRST_OVERRIDES = (1, 6)
"""The first release with defaults for namespaces and versions of Flink."""
_FIRST_RANGES = (1, 11)
"""The first release whose defaults for a version of Flink may hold for later ones too (`v1_18+`)."""


class OwnOption(NamedTuple):
    """An option of the operator or its autoscaler."""

    key: str
    type: str
    default: object = None
    others: tuple[str, ...] = ()
    """The other keys that it is read from, in order."""


ROLLBACK = OwnOption("kubernetes.operator.deployment.rollback.enabled", "Boolean", False)
HEALTH_CHECK = OwnOption("kubernetes.operator.cluster.health-check.enabled", "Boolean", False)
RECOVERY = OwnOption(
    "kubernetes.operator.jm-deployment-recovery.enabled",
    "Boolean",
    True,
    ("kubernetes.operator.reconciler.jm-deployment-recovery.enabled",),
)
PERIODIC_SAVEPOINTS = OwnOption("kubernetes.operator.periodic.savepoint.interval", "String")
OLDEST_CHECKPOINT = OwnOption("kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age", "Duration")
SCHEMES = OwnOption("kubernetes.operator.user.artifacts.allowed-schemes", "List<String>", ("https",))
RESTRICTED_HOSTS = OwnOption("kubernetes.operator.user.artifacts.disallow-restricted-hosts", "Boolean", True)

CHECKPOINTS = "execution.checkpointing.dir"
SAVEPOINTS = "execution.checkpointing.savepoint-dir"
"""The options of the directories, by their newest keys."""


class OperatorSettings:
    """The settings by which the operator judges a resource, as the Flink that it is built with reads them.

    A value may be `UNKNOWN`. `met_absence` records whether an option that was read is absent: the operator's own
    default configuration may set it.
    """

    def __init__(self, values: Mapping[str, object], operator: OperatorRelease) -> None:
        self.values = values
        self.operator = operator
        self.met_absence = False
        self._flink: Configuration | None = None

    @property
    def flink(self) -> Configuration:
        """The settings as the operator's own Flink reads them."""
        if self._flink is None:
            known = {key: value for key, value in self.values.items() if value is not UNKNOWN}
            self._flink = Configuration(known, flink_in(self.operator), yaml=True, sole=True)
        return self._flink

    def flink_without(self, prefix: str) -> Configuration:
        """Return the settings as the operator's own Flink reads them, without those below a prefix."""
        known = {key: value for key, value in self.flink.settings.items() if not key.startswith(prefix)}
        return Configuration(known, flink_in(self.operator), yaml=True, sole=True)

    def has(self, key: str) -> bool:
        """Return whether a key is written."""
        if key in self.values:
            return True
        self.met_absence = True
        return False

    def is_set(self, option: OwnOption) -> bool:
        """Return whether any key of an option is written."""
        return any(self.has(key) for key in (option.key, *option.others))

    def own(self, option: OwnOption) -> object:
        """Return the value of an option of the operator, or its default. Raises Unknown and Thrown."""
        for key in (option.key, *option.others):
            if key in self.values:
                raw = self.values[key]
                if raw is UNKNOWN:
                    raise Unknown(key)
                try:
                    return parse(option.type, (), raw, self.flink.index, yaml=self.reads_yaml)
                except BadValue:
                    raise Thrown(f"Could not parse value '{raw}' for key '{option.key}'.", key=key) from None
        self.met_absence = True
        return option.default

    @property
    def reads_yaml(self) -> bool:
        """Whether the operator's Flink reads lists in values as YAML first."""
        return self.operator >= (1, 10)

    def flink_text(self, key: str) -> str | None:
        """Return the text of an option of Flink by its newest key; None if it is absent. Raises Unknown."""
        written, value = self.resolved(key)
        if written is None:
            self.met_absence = True
            return None
        return str(value)

    def resolved(self, key: str) -> tuple[str | None, object]:
        """Return the key that provides an option of Flink, and its value; None for both if it is absent."""
        marked = {name: "" if value is UNKNOWN else value for name, value in self.values.items()}
        found = Configuration(marked, flink_in(self.operator), yaml=True, sole=True).resolve(key)
        if found.written is not None and self.values.get(found.written) is UNKNOWN:
            raise Unknown(found.written)
        return found.written, found.raw

    def name_of(self, key: str) -> str:
        """Return the name that an option of Flink has in the operator's messages."""
        return self.flink.resolve(key).name

    @property
    def has_high_availability(self) -> bool:
        """Whether high availability is on. Raises Unknown."""
        mode = self.flink_text("high-availability.type")
        return mode is not None and mode.upper() not in ("NONE", "STANDALONE")

    def require_known(self, *prefixes: str) -> None:
        """Raise Unknown if a value below one of the prefixes is unknown."""
        for key, value in self.values.items():
            if value is UNKNOWN and key.startswith(prefixes):
                raise Unknown(key)


def with_defaults(
    defaults: Mapping[str, object],
    configuration: Mapping[str, object],
    operator: OperatorRelease,
    *,
    namespace: str | None,
    version: str | None,
) -> dict[str, object]:
    """Return the settings of a resource over the operator's defaults, with those for its namespace and version."""
    found = dict(defaults)
    if operator >= _FIRST_OVERRIDES:
        prefixes = [] if namespace is None else [f"{_DEFAULTS}namespace.{namespace}."]
        if version is not None:
            prefixes += _version_prefixes(defaults, version, operator)
        for prefix in prefixes:
            for key, value in defaults.items():
                if key.startswith(prefix):
                    found[key[len(prefix) :]] = value
    found.update(configuration)
    return found


def _version_prefixes(defaults: Mapping[str, object], version: str, operator: OperatorRelease) -> list[str]:
    """Return the prefixes of the defaults for a version of Flink, those that take precedence last."""
    own = f"{_DEFAULTS}flink-version."
    since: dict[tuple[int, int], str] = {}
    if operator >= _FIRST_RANGES:
        for key in defaults:
            name = key[len(own) :].partition(".")[0] if key.startswith(own) else ""
            if name.endswith("+") and knows_version(name[:-1], operator) and _number(name) <= _number(version):
                since[_number(name)] = f"{own}{name}."
    return [*(prefix for _, prefix in sorted(since.items())), f"{own}{version}."]


def _number(version: str) -> tuple[int, int]:
    major, _, minor = version.lstrip("v").rstrip("+").partition("_")
    return int(major), int(minor)
