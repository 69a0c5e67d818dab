"""A selector wants a label of the pod template that Flink overwrites.

## What it does
Looks for the labels `app`, `component` and `type` in the pod template of a `FlinkDeployment`, and for a
`NetworkPolicy`, `Service` or `PodMonitor` that selects pods by the same label with the same value.

## Why it matters
Flink sets these three labels on its pods itself, over those of the template: `app` is the name of the deployment,
`component` is `jobmanager` or `taskmanager`, and `type` is `flink-native-kubernetes` or `flink-standalone-kubernetes`.
The selector matches no pod: the policy neither restricts the pods nor opens anything for them (with a policy that
denies the rest, the JobManager logs `connect timed out` for the Kubernetes API and no TaskManager starts), and the
Service has no endpoints.

## What to do
Select by what Flink sets, `app: <name of the deployment>`, or give the template a label of your own under another key.

## Not when
The value is the one that Flink sets; the two are in different namespaces.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/#pod-template>:
  fields that Flink overwrites
- <https://lists.apache.org/thread/dont796lp84vfqnovolryw0y0470mqsv>: the label `app`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._network_policies import differ, root_of, same, written
from flink_flint.rules.kubernetes._resource import resources

_SELECTING = ("NetworkPolicy", "Service", "PodMonitor")
_SELECTORS = [f"element:kubernetes-object/{kind}" for kind in _SELECTING]
_SELECTOR = regex(r"(?:.*podSelector\.matchLabels|spec\.selector(?:\.matchLabels)?)\.(app|component|type)")
_TEMPLATES = ("podTemplate", "jobManager.podTemplate", "taskManager.podTemplate")
_SET = {
    "component": ("jobmanager", "taskmanager"),
    "type": ("flink-native-kubernetes", "flink-standalone-kubernetes"),
}
_MADE = {"component": "jobmanager or taskmanager", "type": "flink-native-kubernetes"}


class _Label(NamedTuple):
    """A label of a pod template that Flink overwrites."""

    part: ElementView
    attribute: str
    key: str
    text: str
    made: str
    """What Flink sets instead."""


@rule(
    code="FLK287",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object/FlinkDeployment"],
    scope="project",
    compares=[(["element:kubernetes-object/FlinkDeployment"], _SELECTORS)],
    since="0.1",
)
def overwritten_label_selected(project: Project) -> Iterator[Finding]:
    """a selector wants a label of the pod template that Flink overwrites"""
    labels = list(_overwritten(project))
    if not labels:
        return
    selecting = [
        part for view in project.views for part in view.elements("kubernetes-object") if part.name in _SELECTING
    ]
    for part in selecting:
        for name in part.element.attributes:
            found = _SELECTOR.fullmatch(name)
            if found is None:
                continue
            text = written(part, name) or ""
            label = next((one for one in labels if one.key == found[1] and _is_selected(one, part, text)), None)
            if label is not None:
                yield part.finding(
                    f"no pod of Flink has {label.key}: {text}: Flink overwrites the label of the pod template with"
                    f" {label.made}, so that this {part.name} selects none of them",
                    of=name,
                    help=f"select by {label.key}: {label.made}, or by a label under a key of your own",
                    related=[label.part.place(label.attribute, "Flink overwrites this label")],
                )


def _overwritten(project: Project) -> Iterator[_Label]:
    for view in project.views:
        for resource in resources(view, "FlinkDeployment"):
            own = written(resource.part, "metadata.name")
            for template in _TEMPLATES:
                for key in ("app", "component", "type"):
                    attribute = resource.path(f"{template}.metadata.labels.{key}")
                    text = written(resource.part, attribute)
                    if not text or not own:
                        continue
                    is_other = differ(text, own) if key == "app" else "{{" not in text and text not in _SET[key]
                    if is_other:
                        made = own if key == "app" else _MADE[key]
                        yield _Label(resource.part, attribute, key, text, made)


def _is_selected(label: _Label, part: ElementView, text: str) -> bool:
    """Return whether a selector's label is that of a template, in a namespace that may be the same one."""
    own, other = label.part.text("metadata.namespace"), part.text("metadata.namespace")
    if own and other and own != other:
        return False
    is_chart = root_of(label.part.document.path) == root_of(part.document.path)
    return same(label.text, text) and (is_chart or "{{" not in text)


_TEMPLATE = "podTemplate:\n  metadata:\n    labels: {app: %s, release: main}\n"
_POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: flink-api}
spec:
  podSelector:
    matchLabels: {app: flink-app}
  policyTypes: [Egress]
  egress:
    - ports: [{port: 6443}]
"""
_SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: flink-ui}\nspec:\n  selector: {%s}\n"


def cases() -> list[Case]:
    app = deployment(spec=_TEMPLATE % "flink-app")
    return [
        bad(_POLICY, file="policy.yaml", beside={"orders.yaml": app}, at="flink-app", says="with orders"),
        bad(_SERVICE % "app: flink-app", file="service.yaml", beside={"orders.yaml": app}, at="flink-app"),
        bad(
            _SERVICE % "component: flink-web",
            file="service.yaml",
            beside={"orders.yaml": deployment(spec="podTemplate:\n  metadata:\n    labels: {component: flink-web}\n")},
            says="jobmanager or taskmanager",
        ),
        good(_POLICY.replace("flink-app}", "orders}"), file="policy.yaml", beside={"orders.yaml": app}),
        good(
            _POLICY,
            file="policy.yaml",
            beside={"orders.yaml": deployment(spec=_TEMPLATE % "flink-app", name="flink-app")},
        ),
        good(_POLICY, file="policy.yaml", beside={"orders.yaml": deployment()}),
        good(
            _POLICY.replace("{name: flink-api}", "{name: flink-api, namespace: a}"),
            file="policy.yaml",
            beside={"orders.yaml": app.replace("  name: orders\n", "  name: orders\n  namespace: b\n")},
        ),
        good(_POLICY.replace("app: flink-app", "release: main"), file="policy.yaml", beside={"orders.yaml": app}),
        good(
            _SERVICE % "component: jobmanager",
            file="service.yaml",
            beside={"orders.yaml": deployment(spec="podTemplate:\n  metadata:\n    labels: {component: jobmanager}\n")},
        ),
    ]
