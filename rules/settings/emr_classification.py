"""EMR does not know this classification of Flink.

## What it does
Reports a classification that begins with `flink` and is none of those EMR has: `flink-conf`, `flink-log4j`,
`flink-log4j-session` (`flink-log4j-yarn-session` up to EMR 5), `flink-log4j-cli`.

## Why it matters
EMR refuses a cluster whose configuration names an unknown classification. Often it is a file's name
(`flink-conf.yaml`) or that of the new file (`flink-config`), and the settings below it are meant for `flink-conf`.

## What to do
Write `flink-conf` for settings. EMR writes them to the flink-conf.yaml of its Flink.

## Not when
Classifications of other applications (`yarn-site`, `core-site`) are not judged, nor names that begin with
`flink-logback`, which older documentation mentions.

## Sources
- <https://docs.aws.amazon.com/emr/latest/ReleaseGuide/flink-configure.html>: the files that can be configured
- <https://docs.aws.amazon.com/emr/latest/ReleaseGuide/emr-640-release.html>: the classifications of a release
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.aws import EMR_CLASSIFICATIONS
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.aws._emr_cases import emr

_MEANT = {"flink": "flink-conf", "flink-conf.yaml": "flink-conf", "flink-config": "flink-conf"}


@rule(
    code="FLK035",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:emr-cluster"],
    flink=">=1.0",
    since="0.1",
)
def emr_classification(config: View) -> Iterator[Finding]:
    """EMR does not know a classification of Flink"""
    for cluster in config.elements("emr-cluster"):
        for number, classification in enumerate(cluster.items("configurations")):
            name = classification.text("classification")
            if name is None or not name.startswith("flink") or name.startswith("flink-logback"):
                continue
            if name in EMR_CLASSIFICATIONS:
                continue
            meant = _MEANT.get(name)
            path = f"configurations[{number}].classification"
            yield cluster.finding(
                f"EMR has no classification {name}, so it refuses the cluster",
                of=path,
                help=f"write {meant}" if meant else f"write one of {', '.join(sorted(EMR_CLASSIFICATIONS))}",
                fix=cluster.replace(path, meant, title=f"write {meant}") if meant else None,
            )


def cases() -> list[Case]:
    return [
        bad(
            '[{"Classification": "flink-conf.yaml", "Properties": {"rest.port": "8081"}}]\n', file="emr.json",
            at='"flink-conf.yaml"', fixed='[{"Classification": "flink-conf", "Properties": {"rest.port": "8081"}}]\n',
        ),
        bad(emr(("flink-site", {"rest.port": "8081"})), file="emr.json", says="flink-site",
            fixed=emr(("flink-site", {"rest.port": "8081"}))),
        bad(emr(("flink", {"rest.port": "8081"})), file="emr.json", fixed=emr(("flink-conf", {"rest.port": "8081"}))),
        bad(emr(("flink-config", {"a": "b"})), file="emr.json", fixed=emr(("flink-conf", {"a": "b"}))),
        bad(emr(("core-site", {"a": "b"}), ("flink-conf", {"a": "b"}), ("flink-site", {"a": "b"})), file="emr.json"),
        good(emr(("flink-conf", {"a": "b"}), ("flink-logback", {"a": "b"})), file="emr.json"),
        good(emr(("flink-conf", {"rest.port": "8081"}), ("yarn-site", {"a": "b"})), file="emr.json"),
        good(emr(("flink-log4j-session", {"rootLogger.level": "INFO"})), file="emr.json"),
        good(emr(("flink-log4j-cli", {"rootLogger.level": "INFO"}), ("core-site", {"a": "b"})), file="emr.json"),
    ]  # fmt: skip
