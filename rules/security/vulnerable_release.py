"""The release of Flink has a known vulnerability.

## What it does
Compares the release with the published vulnerabilities of Flink. A release known by its minor alone counts as the
latest patch of it. Of several documents of a file that run one release the first is told, and of several
vulnerabilities of a release the worst is told and the others are named.

| vulnerability | releases | what |
|---|---|---|
| CVE-2020-17519 | 1.11.0 to 1.11.2 | anyone who reaches the REST port reads any file of the JobManager |
| CVE-2020-17518 | 1.5.1 to 1.11.2 (not 1.10.3) | anyone who reaches the REST port writes files on the JobManager |
| CVE-2021-44228 (Log4Shell) | 1.11.0 to 1.11.2 (others: `log4shell`) | log4j runs code that a log message names |
| CVE-2020-1960 | 1.1.0 to 1.9.2, 1.10.0 | a JMX reporter with a port lets local users catch its credentials |
| CVE-2026-35194 | 1.15.0 to 1.20.3, 2.0.0 to 2.0.1, 2.1.0 to 2.1.1, 2.2.0 | those who submit SQL run any code |

A finding at a configuration file names the image or the `FROM` of the release as a related place.

## Why it matters
Scanners look for open Flink REST ports all the time; CVE-2020-17519 is on CISA's list of vulnerabilities that are
exploited. The first two are errors where a patch of the same minor mends them, and warnings elsewhere, as is
CVE-2020-1960. CVE-2026-35194 is a warning where a patch of the same minor mends it, and advice on 1.15 to 1.19, which
have no such patch: who submits SQL may as well submit a job of his own. It is advice, too, in a repository with
programs of Flink none of which uses tables or SQL.

## What to do
Upgrade to the patch the message names. Until then let nobody but trusted users reach the REST port.

## Not when
The release is not known. Amazon (for EMR and Managed Service for Apache Flink), Confluent and Ververica build Flink
themselves, and may have mended it there: a hint. CVE-2020-1960 is reported only where a JMX reporter has a port.

## Sources
- <https://flink.apache.org/what-is-flink/security/>: the vulnerabilities of Flink and the releases that mend them
- <https://osv.dev/vulnerability/GHSA-2f54-v4hm-fx73>: CVE-2026-35194, its releases and the patches
- <https://www.cisa.gov/known-exploited-vulnerabilities-catalog>: what is exploited
- <https://nvd.nist.gov/vuln/detail/CVE-2020-17519>: reading files through the REST port
"""

from collections.abc import Iterator

from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.named_tuple import NamedTuple


class _Vulnerability(NamedTuple):
    name: str
    severity: Severity
    affected: tuple[tuple[str, str], ...]
    """From this release on, and before that one."""
    what: str
    fixed: str
    without_patch: Severity = Severity.WARNING
    """The severity in a minor of which no patch mends it."""


_BY_SQL = "CVE-2026-35194"
"""The vulnerability that only those can use who submit SQL."""
_OF_JMX = "CVE-2020-1960"
"""The vulnerability of the JMX reporter."""
_KNOWN = (
    _Vulnerability(
        "CVE-2020-17519", Severity.ERROR, (("1.11", "1.11.3"),),
        "anyone who reaches the REST port reads any file of the JobManager, which is being exploited",
        "1.11.3, 1.12 or newer",
    ),
    _Vulnerability(
        "CVE-2020-17518", Severity.ERROR, (("1.5.1", "1.10.3"), ("1.11", "1.11.3")),
        "anyone who reaches the REST port writes files on the JobManager",
        "1.10.3, 1.11.3, 1.12 or newer",
    ),
    _Vulnerability(
        "CVE-2021-44228 (Log4Shell)", Severity.ERROR, (("1.11", "1.11.3"),),
        "its log4j runs code that a log message names",
        "1.11.6, 1.12.7 or newer",
    ),
    _Vulnerability(
        _OF_JMX, Severity.WARNING, (("1.1", "1.9.3"), ("1.10", "1.10.1")),
        "local users catch the credentials of the JMX reporter's port",
        "1.9.3, 1.10.1 or newer, or take the port of the JMX reporter away",
    ),
    _Vulnerability(
        _BY_SQL, Severity.WARNING,
        (("1.15", "1.20.4"), ("2.0", "2.0.2"), ("2.1", "2.1.2"), ("2.2", "2.2.1")),
        "whoever may submit SQL runs code of their own on the TaskManagers",
        "1.20.4, 2.0.2, 2.1.2, 2.2.1 or newer",
        Severity.INFO,
    ),
)  # fmt: skip


@rule(
    code="FLK948",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    flink=">=1.1",
    of_scale=True,
    since="0.1",
)
def vulnerable_release(config: View) -> Iterator[Finding]:
    """the release of Flink has a known vulnerability"""
    if not config.target.certain:
        return
    found = list(_of_release(config))
    if not found:
        return
    is_vendors = config.is_vendors_build
    worst, most = found[0][0], max(found, key=lambda one: parse_release(one[1]))[0]
    others = "".join(f", and {one.name}" for one, _ in found[1:])
    yield config.finding(
        f"{config.releases_text} has {worst.name}: {worst.what}{others}",
        span=config.release_span,
        related=config.release_places,
        help=f"upgrade to {most.fixed}",
        severity=Severity.INFO if is_vendors else max(_severity(config, one, fixed) for one, fixed in found),
        confidence=Confidence.LOW if is_vendors else None,
        evidence={"vulnerability": worst.name, "evidence": config.target.evidence},
    )


def _of_release(config: View) -> Iterator[tuple[_Vulnerability, str]]:
    """The vulnerabilities of the release, the worst first, each with the patch or minor that mends it."""
    for known in _KNOWN:
        fixed = next(
            (fixed for first, fixed in known.affected if config.since(first) and not config.since(fixed)), None
        )
        if fixed is not None and (known.name != _OF_JMX or _has_jmx_port(config)):
            yield known, fixed


def _severity(config: View, known: _Vulnerability, fixed: str) -> Severity:
    if known.name == _BY_SQL and config.relation.is_without_sql:
        return Severity.INFO
    return known.severity if config.since(fixed.rpartition(".")[0]) else known.without_patch


def _has_jmx_port(config: View) -> bool:
    names = {
        setting.written.split(".")[2]
        for setting in config.under("metrics.reporter.")
        if setting.written.endswith(".class") and ".JMXReporter" in setting.text
    }
    return any(config.is_set(f"metrics.reporter.{name}.port") for name in names)


_ANY = "parallelism.default: 4\n"
_POM = "<project><dependencies><dependency><artifactId>%s</artifactId></dependency></dependencies></project>\n"
_JOB = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
    "public class Job {\n    public static void main(String[] args) throws Exception {\n"
    "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
    '        env.execute("orders");\n    }\n}\n'
)


def cases() -> list[Case]:
    return [
        bad(
            _ANY,
            flink="1.11.2",
            severity=Severity.ERROR,
            says="reads any file of the JobManager, which is being exploited, and CVE-2020-17518, and CVE-2021-44228",
        ),
        bad(_ANY, flink="1.9.3", severity=Severity.WARNING, says="CVE-2020-17518"),
        bad(_ANY, flink="1.8.3", severity=Severity.WARNING, says="Flink 1.8.3"),
        bad(_ANY, flink="1.10.2", severity=Severity.ERROR),
        bad(
            "metrics.reporter.jmx.class: org.apache.flink.metrics.jmx.JMXReporter\nmetrics.reporter.jmx.port: 8789\n",
            flink="1.4.2",
            severity=Severity.WARNING,
            says="CVE-2020-1960",
        ),
        bad(_ANY, flink="1.18", severity=Severity.INFO, says="CVE-2026-35194"),
        bad(_ANY, flink="1.20.3", severity=Severity.WARNING),
        bad(_ANY, flink="2.1.1", severity=Severity.WARNING),
        bad(
            _ANY,
            file="flink-conf.yaml",
            beside={"pom.xml": _POM % "flink-streaming-java", "src/main/java/Job.java": _JOB},
            severity=Severity.INFO,
            flink="1.20.3",
        ),
        bad(
            _ANY,
            file="flink-conf.yaml",
            beside={"pom.xml": _POM % "flink-table-api-java", "src/main/java/Job.java": _JOB},
            severity=Severity.WARNING,
            flink="1.20.3",
        ),
        bad(
            _ANY,
            file="flink-conf.yaml",
            beside={
                "pom.xml": _POM % "flink-streaming-java",
                "src/main/java/Job.java": f"import org.apache.flink.table.api.TableEnvironment;\n{_JOB}",
            },
            severity=Severity.WARNING,
            flink="1.20.3",
        ),
        bad(
            '[{"Classification": "flink-conf", "Properties": {"rest.port": "8081"}}]\n',
            file="emr.json",
            flink="1.20.0",
            severity=Severity.INFO,
        ),
        bad(
            "services:\n  jobmanager:\n    image: flink:1.20.0\n    command: jobmanager\n",
            file="compose.yaml",
            at="flink:1.20.0",
        ),
        bad(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  image: shop/flink:1.20.0\n  flinkVersion: v1_20\n",
            file="a.yaml",
            at="shop/flink:1.20.0",
        ),
        bad(
            _ANY,
            file="flink-conf.yaml",
            at="parallelism.default",
            says="Flink 1.20.3",
            beside={"Dockerfile": "FROM flink:1.20.3\nCOPY flink-conf.yaml /opt/flink/conf/\n"},
        ),
        bad(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  image: confluentinc/cp-flink:1.20.1-cp2-java17\n  flinkVersion: v1_20\n",
            file="a.yaml",
            severity=Severity.INFO,
        ),
        bad(
            "apiVersion: platform.confluent.io/v1beta1\nkind: FlinkApplication\nmetadata:\n  name: a\nspec:\n"
            "  image: registry.example.com/flink:1.20.1\n  flinkVersion: v1_20\n",
            file="a.yaml",
            severity=Severity.INFO,
        ),
        bad(
            _ANY,
            file="flink-conf.yaml",
            severity=Severity.INFO,
            beside={"Dockerfile": "FROM confluentinc/cp-flink:1.20.1-cp1\nCOPY flink-conf.yaml /opt/flink/conf/\n"},
        ),
        good(_ANY, flink="1.20"),
        good(_ANY, flink="1.11"),
        good(_ANY, flink="1.10.3"),
        good(_ANY, flink="1.4.2"),
        good(_ANY, flink="1.14.6"),
        good(_ANY, flink="2.3"),
        good(_ANY, file="flink-conf.yaml"),
        bad(_ANY, flink="1.20.3", profile="development", severity=Severity.INFO),
        bad(_ANY, flink="1.20.3", platform="msf", severity=Severity.INFO),
        good("metrics.reporter.a.class: com.example.OurReporter\nmetrics.reporter.a.port: 8789\n", flink="1.4.2"),
    ]
