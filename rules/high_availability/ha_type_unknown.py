"""The type of high availability is one that this Flink does not have.

## What it does
Reads `high-availability.type` as the release does: `NONE` (or `standalone`), `ZOOKEEPER` and, from 1.16 on,
`KUBERNETES`, in any case; everything else is the class name of a factory. Reports a word that is none of them. The
factory class of Kubernetes is an error before 1.12, which has no such class, and advice from 1.16 on, where
`kubernetes` does the same.

## Why it matters
The JobManager looks for a class of that name, does not find it and does not start.

## What to do
Write `zookeeper`, or `kubernetes` from 1.16 on. From 1.12 to 1.15 Kubernetes needs
`org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory`.

## Not when
Other class names (anything with a dot) and `vvp-kubernetes` of Ververica Platform are somebody's own. The word
`kubernetes` is reported only where the release is known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#high-availability-type>:
  the accepted values
- <https://issues.apache.org/jira/browse/FLINK-12884>: high availability on Kubernetes (1.12)
"""

from collections.abc import Iterator

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_FACTORY = "org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory"
_FIRST_SHORT = MINORS.index("1.16")
"""The first release that reads `kubernetes`."""
_VENDORS = ("VVP-KUBERNETES",)


@rule(
    code="FLK404",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["high-availability.type"],
    since="0.1",
)
def ha_type_unknown(config: View) -> Iterator[Finding]:
    """the kind of high availability is one that this release does not have"""
    setting = config.get("high-availability.type")
    if not setting.is_known:
        return
    name = setting.text.upper()
    if name in ("", "NONE", "STANDALONE", "ZOOKEEPER", *_VENDORS):
        return
    if setting.text == _FACTORY:
        if config.since("1.16"):
            # Before 1.16 the short name does not work, and the file may be for such a release too.
            if config.target.indices[0] >= _FIRST_SHORT:
                yield setting.finding(
                    "from 1.16 on the name kubernetes does the same as this factory class",
                    help="write kubernetes",
                    severity=Severity.INFO,
                    fix=setting.replace("kubernetes", safe=True),
                )
        elif not config.since("1.12") and config.target.certain:
            yield setting.finding(
                "Flink has no high availability on Kubernetes before 1.12: the JobManager finds no such class and"
                " does not start",
                help="upgrade, or use zookeeper",
            )
        return
    if name == "KUBERNETES":
        if not config.since("1.16") and config.target.certain:
            exists = config.since("1.12")
            yield setting.finding(
                f"{setting.text!r} is a name from 1.16 on; before, it is taken for a class and the JobManager does not"
                " start",
                help=f"write {_FACTORY}" if exists else "upgrade, or use zookeeper",
                fix=setting.replace(_FACTORY) if exists else None,
            )
        return
    if "." in name:
        return
    meant = {"K": "kubernetes", "Z": "zookeeper"}.get(name[0])
    yield setting.finding(
        f"{setting.text!r} is neither NONE, ZOOKEEPER nor KUBERNETES: it is taken for a class name, which does not"
        " exist, and the JobManager does not start",
        help=f"write {meant}" if meant else "write zookeeper, kubernetes or NONE",
        fix=setting.replace(meant) if meant else None,
    )


def cases() -> list[Case]:
    return [
        bad(
            "high-availability: kubernetes\n", at="high-availability.type", flink="1.14", severity=Severity.ERROR,
            fixed=f"high-availability: {_FACTORY}\n",
        ),
        bad("high-availability: zookeper\n", flink="1.18", fixed="high-availability: zookeeper\n"),
        bad("high-availability.type: true\n", severity=Severity.ERROR),
        bad(
            f"high-availability: {_FACTORY}\n", flink="1.18", severity=Severity.INFO,
            fixed="high-availability: kubernetes\n",
        ),
        bad(f"high-availability: {_FACTORY}\n", flink="1.11", severity=Severity.ERROR),
        good(f"high-availability: {_FACTORY}\n", flink=">=1.15,<=1.17"),
        good("high-availability: ZooKeeper\n", flink="1.9"),
        good(f"high-availability: {_FACTORY}\n", flink="1.14"),
        good("high-availability: kubernetes\n", file="flink-conf.yaml"),
        good("high-availability: vvp-kubernetes\n", flink="1.18"),
        good("high-availability: com.example.OurHaServicesFactory\n", flink="1.18"),
        good("high-availability: {{ ha }}\n", flink="1.18"),
        bad("high-availability: kuberntes\n", flink="1.18", fixed="high-availability: kubernetes\n"),
        bad("high-availability.type: k8s\n", fixed="high-availability.type: kubernetes\n"),
        bad("high-availability.type: 'on'\n", fixed="high-availability.type: 'on'\n"),
        bad(f"high-availability.type: {_FACTORY}\n", severity=Severity.INFO),
        good(f"high-availability: {_FACTORY}\n", file="flink-conf.yaml"),
        bad("high-availability: kubernetes\n", flink="1.11", fixed="high-availability: kubernetes\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "high availability",
            "high-availability: zookeper\n"
            "high-availability.storageDir: file:///data/ha\n"
            "high-availability.zookeeper.quorum: 127.0.0.1:2181\n",
            good="high-availability: zookeeper\n"
            "high-availability.storageDir: file:///data/ha\n"
            "high-availability.zookeeper.quorum: 127.0.0.1:2181\n",
        ),
    ]
