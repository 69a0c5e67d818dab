"""High availability is on, and something it cannot do without is missing.

## What it does
With ZooKeeper or Kubernetes high availability it asks for `high-availability.storageDir`; with ZooKeeper also for
`high-availability.zookeeper.quorum`; with Kubernetes also for `kubernetes.cluster-id`, but only where
`jobmanager.rpc.address` shows a cluster that was set up by hand.

## Why it matters
The JobManager does not start: `Configuration is missing the mandatory parameter: high-availability.storageDir`, or
`No valid ZooKeeper quorum has been specified`.

## What to do
Set `high-availability.storageDir` to a directory that every JobManager reaches (`s3://bucket/ha`), the quorum to
`zk1:2181,zk2:2181,zk3:2181`, and `kubernetes.cluster-id` to a name of this cluster alone.

## Not when
Native Kubernetes and the operator choose the cluster id themselves, so its absence is a warning at most. Other
implementations (a class of one's own) need what they need. An EMR cluster with several primary nodes fills in
directory and quorum. A part (values of a chart, defaults of a platform, a patch, a template with lines to come) has
the rest elsewhere.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/zookeeper_ha/>: what ZooKeeper needs
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/kubernetes_ha/>: what Kubernetes needs
"""

from collections.abc import Iterator

from flink_flint.linter.flink.uris import LOCAL_HOSTS
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import KUBERNETES, ZOOKEEPER, mode


@rule(
    code="FLK402",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["high-availability.type"],
    flink=">=1.0",
    since="0.1",
)
def ha_mandatory_missing(config: View) -> Iterator[Finding]:
    """high availability lacks its storage directory, quorum or cluster id"""
    kind = mode(config)
    if kind not in (ZOOKEEPER, KUBERNETES) or (kind == KUBERNETES and not config.since("1.12")):
        return
    if config.platform == "emr" or not config.document.whole:
        return
    switch = config.get("high-availability.type")
    if switch.text.upper() == KUBERNETES and not config.since("1.16") and config.target.certain:
        return  # there it is the name of a class that does not exist, as `ha-type-unknown` tells
    name = "ZooKeeper" if kind == ZOOKEEPER else "Kubernetes"
    if not config.is_set("high-availability.storageDir"):
        yield switch.finding(
            f"{name} high availability without high-availability.storageDir: the JobManager refuses to start",
            help="set high-availability.storageDir to a directory that every JobManager reaches, such as s3://bucket/ha",
        )
    if kind == ZOOKEEPER and not config.is_set("high-availability.zookeeper.quorum"):
        yield switch.finding(
            "ZooKeeper high availability without high-availability.zookeeper.quorum: the JobManager refuses to start",
            help="set high-availability.zookeeper.quorum: zk1:2181,zk2:2181,zk3:2181",
        )
    address = config.get("jobmanager.rpc.address")
    by_hand = address.is_set and address.is_known and address.text not in LOCAL_HOSTS
    if kind == KUBERNETES and by_hand and not config.is_set("kubernetes.cluster-id"):
        yield switch.finding(
            "Kubernetes high availability without kubernetes.cluster-id: a JobManager that nobody gives one by -D"
            " refuses to start",
            help="set kubernetes.cluster-id to a name of this cluster alone",
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
            related=[address],
        )


_QUORUM = "high-availability.zookeeper.quorum: zk1:2181,zk2:2181,zk3:2181\n"
_STORAGE = "high-availability.storageDir: s3://bucket/ha\n"


def cases() -> list[Case]:
    return [
        bad(
            f"high-availability: zookeeper\n{_QUORUM}",
            at="high-availability.type",
            flink="1.14",
            severity=Severity.ERROR,
            says="storageDir",
        ),
        bad(f"high-availability.type: zookeeper\n{_STORAGE}", at="high-availability.type", says="quorum"),
        bad("high-availability.type: zookeeper\n", times=2),
        bad("high-availability: kubernetes\nkubernetes.cluster-id: a\n", flink="1.18", says="storageDir"),
        bad(
            f"high-availability.type: kubernetes\n{_STORAGE}jobmanager.rpc.address: flink-jobmanager\n",
            severity=Severity.WARNING,
            says="cluster-id",
        ),
        good(f"high-availability: zookeeper\n{_QUORUM}{_STORAGE}", flink="1.14"),
        good(f"recovery.mode: zookeeper\n{_QUORUM}recovery.zookeeper.storageDir: s3://bucket/ha\n", flink="1.14"),
        good(f"high-availability.type: kubernetes\n{_STORAGE}"),
        good(
            "high-availability: org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory\n"
            f"{_STORAGE}jobmanager.rpc.address: flink-jobmanager\nkubernetes.cluster-id: a\n",
            file="flink-conf.yaml",
        ),
        good("high-availability: NONE\n", flink="1.14"),
        good("high-availability: kubernetes\n", flink="1.14"),
        good("high-availability: com.example.OurFactory\n", flink="1.14"),
        good(
            '[{"Classification": "flink-conf", "Properties": {"high-availability": "zookeeper"}}]\n',
            file="emr.json",
            flink="1.17",
        ),
        good("high-availability: {{ ha }}\n", flink="1.14"),
        good(
            "app:\n  flinkConfiguration:\n    high-availability.type: KUBERNETES\n"
            "    taskmanager.numberOfTaskSlots: '2'\n"
            "  job:\n    upgradeMode: savepoint\n",
            file="values-eqiad.yaml",
        ),
        good(
            "vvp:\n  globalDeploymentDefaults: |\n    spec:\n      template:\n        spec:\n"
            "          flinkConfiguration:\n            high-availability: kubernetes\n"
            "            taskmanager.numberOfTaskSlots: 2\n",
            file="values-vvp.yaml",
        ),
        good('high-availability: zookeeper\n{{ include "ha" . }}\nrest.port: 8081\n', file="flink-conf.yaml"),
        bad(f"high-availability: zookeeper\n{_QUORUM}", flink="1.8", says="storageDir"),
        bad("high-availability: kubernetes\n", file="flink-conf.yaml", says="storageDir"),
        good(f"high-availability.type: kubernetes\n{_STORAGE}jobmanager.rpc.address: localhost\n"),
        good(f"high-availability.type: kubernetes\n{_STORAGE}jobmanager.rpc.address: 127.0.0.1\n"),
        good(f"high-availability.type: kubernetes\n{_STORAGE}jobmanager.rpc.address: '::1'\n"),
        good(f"high-availability.type: kubernetes\n{_STORAGE}jobmanager.rpc.address: ${{ADDRESS}}\n"),
        good(f"high-availability.type: zookeeper\n{_QUORUM}{_STORAGE}jobmanager.rpc.address: jm\n"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "high availability",
            "",
            good="high-availability.zookeeper.quorum: 127.0.0.1:2181\n",
            both="high-availability: zookeeper\nhigh-availability.storageDir: file:///data/ha\n",
        ),
        flink_refuses(
            "high availability",
            "high-availability.zookeeper.quorum: 127.0.0.1:2181\n",
            good="high-availability.storageDir: file:///data/ha\nhigh-availability.zookeeper.quorum: 127.0.0.1:2181\n",
            both="high-availability: zookeeper\n",
        ),
    ]
