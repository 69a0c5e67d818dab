"""Network policies: which pods they select, and whom they let in on which ports.

Labels and ports are compared as they are written, with their template tags: a tag gives the same text wherever it
stands in a chart, so that ``{{ .Release.Name }}-taskmanager`` is certainly not the label ``{{ .Release.Name }}``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

POLICIES = ["element:kubernetes-object/NetworkPolicy"]

_TAG = regex(r"\{\{-?\s*+((?:(?!\}\}).)*+)\}\}")
_ROLES = (("taskmanager", regex(r"(?i)task-?_?manager")), ("jobmanager", regex(r"(?i)job-?_?manager")))


class Port(NamedTuple):
    """A port that a rule of a policy lists: the name of its attribute, its text, and the last one of a range."""

    attribute: str
    text: str
    end: int | None

    @property
    def number(self) -> int | None:
        """The port as a number; None if it is a name or a template."""
        return whole(self.text)

    def has(self, number: int) -> bool:
        """Return whether the port or the range includes a number."""
        first = self.number
        return first is not None and first <= number <= (self.end or first)


class Ingress(NamedTuple):
    """A rule of a policy that lets traffic in."""

    path: str
    part: ElementView
    """The view of the rule alone, with names of attributes relative to it."""
    ports: Sequence[Port] | None
    """The ports it lists; None if it lets traffic in on all."""
    is_known: bool
    """Whether the rule is written here in full."""
    anyone: bool
    """Whether it lets all pods in."""


class Policy(NamedTuple):
    """A network policy, and the view of its document."""

    part: ElementView
    view: View

    @property
    def name(self) -> str:
        """The name of the policy as it is written."""
        return written(self.part, "metadata.name") or "the NetworkPolicy"

    @property
    def role(self) -> str | None:
        """``taskmanager`` or ``jobmanager`` if the policy selects the pods of only these; None otherwise."""
        return role_of(self.part, "spec.podSelector")

    @property
    def restricts_ingress(self) -> bool:
        """Whether the policy shuts out what its rules do not let in."""
        named = {written_value(item) for item in self.part.items("spec.policyTypes")}
        return not named or "Ingress" in named

    def rules(self) -> Iterator[Ingress]:
        """Yield the rules for traffic that comes in."""
        for number, rule in enumerate(self.part.items("spec.ingress")):
            path = f"spec.ingress[{number}]"
            ports = None
            if rule.has("ports"):
                ports = [
                    Port(f"ports[{at}].port", written(one, "port") or "", _whole(one.number("endPort")))
                    for at, one in enumerate(rule.items("ports"))
                ]
            known = self.part.is_known(path) if not rule.element.attributes else True
            yield Ingress(path, rule, ports, known, not rule.has("from"))


def policies(views: Sequence[View]) -> list[Policy]:
    """Return the network policies among documents."""
    return [
        Policy(part, view)
        for view in views
        for part in view.elements("kubernetes-object")
        if part.name == "NetworkPolicy"
    ]


def root_of(path: str) -> str:
    """Return the folder of the chart that a template belongs to, or the folder of another file."""
    head, found, _ = path.rpartition("templates/")
    return head.rstrip("/") if found and (not head or head.endswith("/")) else posixpath.dirname(path)


def belongs_to(path: str, other: str) -> bool:
    """Return whether a file belongs to the chart of a template, or to the folder of another file."""
    root = root_of(other)
    if "templates/" in other:
        return not root or path.startswith(f"{root}/")
    return posixpath.dirname(path) == root


def written(part: ElementView, name: str) -> str | None:
    """Return an attribute as it is written, without quotes; None if it is missing."""
    attribute = part.element.attributes.get(name)
    if attribute is None:
        return None
    return attribute.value if isinstance(attribute.value, str) else attribute.raw.strip("\"'")


def written_value(item: ElementView) -> str | None:
    """Return a member of a list of texts."""
    return written(item, "")


def labels(part: ElementView, selector: str) -> dict[str, str]:
    """Return the labels that a selector wants to be equal, as written."""
    found = {}
    for holder in (f"{selector}.matchLabels", selector):
        for name, attribute in part.under(holder):
            if not name.startswith(("matchLabels", "matchExpressions")):
                found[name] = attribute.value if isinstance(attribute.value, str) else attribute.raw.strip("\"'")
    return found


def role_of(part: ElementView, selector: str) -> str | None:
    """Return the process whose pods a selector selects by its labels: the only one that they name."""
    return role_in(
        " ".join(attribute.raw for name, attribute in part.under(selector) if not name.endswith((".key", ".operator")))
    )


def role_in(named: str) -> str | None:
    """Return the process that a text names, if it names only one."""
    roles = [role for role, word in _ROLES if word.search(named) is not None]
    return roles[0] if len(roles) == 1 else None


def excludes(part: ElementView, peer: str, own: dict[str, str]) -> bool:
    """Return whether a peer of a rule certainly excludes pods with some labels of the same namespace."""
    if part.has(f"{peer}.ipBlock"):
        return True
    if part.has(f"{peer}.namespaceSelector") or not part.has(f"{peer}.podSelector"):
        return False
    wanted = labels(part, f"{peer}.podSelector")
    if any(name in own and differ(value, own[name]) for name, value in wanted.items()):
        return True
    for expression in part.items(f"{peer}.podSelector.matchExpressions"):
        key, values = expression.text("key"), [written_value(one) or "" for one in expression.items("values")]
        is_one_of = expression.text("operator") == "In" and key in own and bool(values)
        if is_one_of and all(differ(value, own[key or ""]) for value in values):
            return True
    return False


def differ(one: str, other: str) -> bool:
    """Return whether two texts are certainly not the same once their template tags are replaced."""
    tags, others = _tags(one), _tags(other)
    return tags == others and _TAG.sub("\0", one) != _TAG.sub("\0", other)


def same(one: str, other: str) -> bool:
    """Return whether two texts are certainly the same once their template tags are replaced."""
    return _tags(one) == _tags(other) and _TAG.sub("\0", one) == _TAG.sub("\0", other)


def _tags(text: str) -> list[str]:
    return [" ".join(found[1].rstrip("- ").replace("$.", ".").split()) for found in _TAG.finditer(text)]


def _whole(number: float | None) -> int | None:
    return int(number) if number is not None else None


DATA, QUERY = "taskmanager.data.port", "metrics.internal.query-service.port"
RPC, BLOB, JOBMANAGER = "taskmanager.rpc.port", "blob.server.port", "jobmanager.rpc.port"
PORTS = (JOBMANAGER, BLOB, RPC, DATA, QUERY)
"""The ports between the processes of a cluster."""
CONSEQUENCES = {
    RPC: "the JobManager cannot reach the TaskManagers",
    BLOB: "TaskManagers cannot load the job's JARs",
    DATA: "no records pass between TaskManagers",
    QUERY: "the web UI has no metrics of TaskManagers",
}
"""What does not work where a port is shut that Flink chooses at random unless it is set."""
_OF_ROLE = {"jobmanager": (BLOB,), "taskmanager": (RPC, DATA, QUERY)}
_DEFAULTS = {JOBMANAGER: (6123,), BLOB: (6124,), RPC: (6122,), DATA: (6121,)}
"""The ports that Flink's documentation, and its client for Kubernetes, give to options that are not set."""


def lists(port: Port, key: str, config: View) -> bool:
    """Return whether a port of a policy is that of an option: by its value, or by the template that writes it."""
    setting = config.get(key)
    if key in port.text:
        return True
    if not setting.is_set:
        return port.number is not None and port.number in _DEFAULTS.get(key, ())
    return same(port.text, setting.text) if "{{" in port.text else port.text == setting.text


def let_in_all(policy: Policy, others: Sequence[Policy]) -> bool:
    """Return whether policies may let Flink's processes in on all ports, or not all of their rules are known."""
    own = labels(policy.part, "spec.podSelector")
    if not policy.part.items("spec.ingress"):
        return policy.part.has("spec.ingress")
    for one in others:
        if one is not policy and (
            not belongs_to(one.part.document.path, policy.part.document.path) or excludes(one.part, "spec", own)
        ):
            continue
        for rule in one.rules():
            if not rule.is_known and rule.ports is None:
                return True
            if any(port.end is not None for port in rule.ports or ()):
                return True
            if rule.ports is None and (rule.anyone or any(_may_be_flink(rule, own))):
                return True
    return False


def _may_be_flink(rule: Ingress, own: dict[str, str]) -> Iterator[bool]:
    for number in range(len(rule.part.items("from"))):
        peer = f"from[{number}]"
        yield role_of(rule.part, f"{peer}.podSelector") is not None or not excludes(rule.part, peer, own)


def keys_behind(policy: Policy) -> Sequence[str]:
    """Return the options for the ports of the processes that a policy selects: of both if it does not tell them apart.

    JobManagers listen on a port of their own for RPC, which is not chosen at random.
    """
    return _OF_ROLE.get(policy.role or "", tuple(CONSEQUENCES))
