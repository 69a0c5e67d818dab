"""The policy of an application names one of the MSK clusters that it uses.

## What it does
Looks at files (CDK, Terraform) that create several MSK clusters and statements of a policy that allow to read and write
topics by `kafka-cluster:` actions: reports those of which all resources are of the same cluster.

## Why it matters
With IAM authentication MSK allows what the policy names, cluster by cluster. A job that reads from one cluster and
writes to another gets no connection to the second: `SaslAuthenticationException: Access denied`,
`ClusterAuthorizationException`, `TopicAuthorizationException: Not authorized to access topics`. The source works.

## What to do
Add the ARNs of the other cluster, its topics and groups to the resources of each statement.

## Not when
- A statement names another cluster, or all by `*`, or what it names is not known.
- The statement allows only to read, or only to write.
- The file gives permissions in another way (a managed policy), or creates one cluster.

## Sources
- <https://docs.aws.amazon.com/msk/latest/developerguide/kafka-actions.html>: actions and the resources they are for
- <https://docs.aws.amazon.com/msk/latest/developerguide/iam-access-control.html>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_CLUSTER = regex(
    r":(?:cluster|topic|group)/(?:\$\{(?P<expression>[^{}]{1,100})\}|(?P<name>[\w-]{1,100}))"
    r"|aws_msk_(?:serverless_)?cluster\.(?P<label>[\w-]{1,100})|(?P<all>(?<![\w/:])\*[\"'`]?\s*(?:$|,)|:(?:cluster|topic|group)/\*)"
)
_BOTH = ("kafka-cluster:ReadData", "kafka-cluster:WriteData")
_ALL = ("kafka-cluster:*", "*")


@rule(
    code="FLK767",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:msk-cluster"],
    since="0.1",
)
def msk_policy_one_cluster(config: View) -> Iterator[Finding]:
    """a policy names one of the MSK clusters that an application uses"""
    created = config.elements("msk-cluster")
    statements = [one for one in config.elements("policy-statement") if one.name == "kafka-cluster"]
    if len(created) < 2 or any("actions" in one.element.attributes for one in statements):
        return
    named = [_clusters(one) for one in statements]
    if any(one is None for one in named):
        return
    known = {cluster for one in named if one is not None for cluster in one}
    left_out = [one for one in created if one.name not in known]
    if len(known) != 1 or len(left_out) != len(created) - 1:
        return
    both = [one for one in statements if _reads_and_writes(one)]
    for statement in both:
        other = left_out[0].name.rpartition(".")[2]
        yield statement.finding(
            f"the policy allows reading and writing in one of {len(created)} MSK clusters: for {other} the job gets"
            " 'Access denied' (SaslAuthenticationException, TopicAuthorizationException)",
            of="resources",
            key="resources",
            help=f"add the ARNs of the cluster, topics and groups of {other}",
            related=[left_out[0].place("name", "the other cluster")],
        )


def _reads_and_writes(statement: ElementView) -> bool:
    actions = {str(one.value) for one in statement.element.listed("actions")}
    return actions.issuperset(_BOTH) or not actions.isdisjoint(_ALL)


def _clusters(statement: ElementView) -> set[str] | None:
    """Return the clusters that the resources of a statement are of; None if they are unknown, or all."""
    resources = statement.text("resources")
    found = list(_CLUSTER.finditer(resources)) if resources is not None else []
    if not found or any(one["all"] is not None for one in found):
        return None
    return {(one["expression"] or one["name"] or one["label"]).replace("!", "") for one in found}


_STACK = """// Reads from one cluster and writes to another with Flink.
const source = new MSKServerless(this, 'Source', {{ vpc: vpc, clusterName: props!.sourceName }});
{sink}
const policy = new iam.PolicyStatement({{
  resources: [{resources}],
  actions: [{actions}],
}});
"""
_SINK = "const sink = new MSKServerless(this, 'Sink', { vpc: vpc, clusterName: props!.sinkName });"
_ACTIONS = "'kafka-cluster:Connect', 'kafka-cluster:ReadData', 'kafka-cluster:WriteData'"
_ARN = "`arn:aws:kafka:${this.region}:${this.account}:%s/${props!.%s}/*`"
_OF_SOURCE = f"{_ARN % ('cluster', 'sourceName')}, {_ARN % ('topic', 'sourceName')}"
_MODULE = """# The role of the Flink application.
resource "aws_msk_cluster" "source" {{}}
resource "aws_msk_cluster" "sink" {{}}
data "aws_iam_policy_document" "kafka" {{
  statement {{
    actions   = ["kafka-cluster:Connect", "kafka-cluster:ReadData", "kafka-cluster:WriteData"]
    resources = [{resources}]
  }}
}}
"""


def _stack(resources: str = _OF_SOURCE, sink: str = _SINK, actions: str = _ACTIONS) -> str:
    return _STACK.format(resources=resources, sink=sink, actions=actions)


def cases() -> list[Case]:
    source = "aws_msk_cluster.source.arn"
    return [
        bad(_stack(), file="stack.ts", at="resources", severity=Severity.WARNING, says="for sinkName the job gets"),
        bad(_MODULE.format(resources=source), file="msk.tf", at="resources", says="for sink the job"),
        good(_stack(f"{_OF_SOURCE}, {_ARN % ('cluster', 'sinkName')}"), file="stack.ts"),
        good(_stack(sink=""), file="stack.ts"),
        good(_stack("'*'"), file="stack.ts"),
        good(_stack(actions="'kafka-cluster:Connect', 'kafka-cluster:ReadData'"), file="stack.ts"),
        good(_stack(actions=f"{_ACTIONS}, ...more"), file="stack.ts"),
        good(_MODULE.format(resources=f"{source}, aws_msk_cluster.sink.arn"), file="msk.tf"),
    ]  # fmt: skip
