"""Roles of Kubernetes: what they permit, and to which service accounts they are bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple

ROLES = ["element:kubernetes-object/Role", "element:kubernetes-object/ClusterRole"]
BINDINGS = ["element:kubernetes-object/RoleBinding", "element:kubernetes-object/ClusterRoleBinding"]
_ROLE_KINDS = ("Role", "ClusterRole")
_BINDING_KINDS = ("RoleBinding", "ClusterRoleBinding")
ACCOUNT = "ServiceAccount"


class Grant(NamedTuple):
    """A rule of a role: API groups, resources and verbs; the path of the rule in the role."""

    path: str
    groups: frozenset[str]
    resources: frozenset[str]
    verbs: frozenset[str]

    def permits(self, group: str, resource: str, *verbs: str) -> bool:
        """Return whether the rule permits any of the verbs on a resource (``deployments/finalizers``)."""
        return (
            bool(self.groups & {group, "*"})
            and bool(self.resources & {resource, "*"} or _under_all(resource, self.resources))
            and bool(self.verbs & {*verbs, "*"} or not verbs)
        )


class Role(NamedTuple):
    """A Role or ClusterRole."""

    part: ElementView
    grants: Sequence[Grant]
    is_known: bool
    """Whether all its rules are written here."""

    @property
    def name(self) -> str | None:
        """The name of the role; None if a template gives it."""
        return self.part.text("metadata.name")

    @property
    def namespace(self) -> str | None:
        """The namespace of the role; None if none is written, or if it is a ClusterRole."""
        return self.part.text("metadata.namespace") if self.part.name == "Role" else None

    def permits(self, group: str, resource: str, *verbs: str) -> bool:
        """Return whether a rule permits any of the verbs on a resource."""
        return any(one.permits(group, resource, *verbs) for one in self.grants)


class Binding(NamedTuple):
    """A binding of a role to a service account."""

    part: ElementView
    role: str | None
    """The name of the role; None if it is not known."""
    role_kind: str
    account: str
    account_namespace: str | None


def roles(views: Sequence[View]) -> list[Role]:
    """Return the roles among documents."""
    return [_role(part) for view in views for part in view.elements("kubernetes-object") if part.name in _ROLE_KINDS]


def bindings(views: Sequence[View]) -> tuple[list[Binding], bool]:
    """Return the bindings to service accounts among documents, and whether the subjects of all of them are known."""
    found: list[Binding] = []
    is_known = True
    for view in views:
        for part in view.elements("kubernetes-object"):
            if part.name not in _BINDING_KINDS:
                continue
            role, kind = part.text("roleRef.name"), part.text("roleRef.kind") or "Role"
            subjects = part.items("subjects")
            is_known = is_known and bool(subjects)
            for subject in subjects:
                name = subject.text("name")
                is_known = is_known and name is not None and subject.text("kind") == ACCOUNT
                if name is not None and subject.text("kind") == ACCOUNT:
                    space = subject.text("namespace") or part.text("metadata.namespace")
                    found.append(Binding(part, role, kind, name, space))
    return found, is_known


def created_accounts(views: Sequence[View]) -> set[str | None]:
    """Return the names of the service accounts that the documents create; None among them is one of a template."""
    return {
        part.text("metadata.name")
        for view in views
        for part in view.elements("kubernetes-object")
        if part.name == ACCOUNT
    }


def bound(role: Role, found: Sequence[Binding]) -> Iterator[Binding]:
    """Yield the bindings of a role."""
    space = role.namespace
    for one in found:
        own = one.part.text("metadata.namespace")
        is_near = role.part.name == "ClusterRole" or space is None or own is None or space == own
        if one.role == role.name and one.role_kind == role.part.name and is_near:
            yield one


def _role(part: ElementView) -> Role:
    grants = []
    is_known = True
    for number, rule in enumerate(part.items("rules")):
        listed = {name: rule.element.listed(name) for name in ("apiGroups", "resources", "verbs")}
        values = {name: frozenset(str(one.value) for one in found) for name, found in listed.items()}
        is_known = is_known and all(one.value is not None for found in listed.values() for one in found)
        is_known = is_known and bool(rule.element.attributes)
        if listed["resources"] and listed["verbs"]:
            path = f"rules[{number}]"
            grants.append(Grant(path, values["apiGroups"], values["resources"], values["verbs"]))
    return Role(part, grants, is_known and bool(grants) and part.is_known("rules"))


def _under_all(resource: str, resources: frozenset[str]) -> bool:
    """Return whether ``*/finalizers`` covers a subresource."""
    _, _, below = resource.partition("/")
    return bool(below) and f"*/{below}" in resources
