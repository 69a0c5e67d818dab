"""Uploads are switched off on the web page, and the REST endpoint behind it stays open.

## What it does
Reports `web.submit.enable: false` of a session cluster whose REST endpoint Docker publishes on all addresses of the
host.

## Why it matters
The switch hides the page for uploading jars and refuses `/jars`. A session cluster still takes jobs over `/jobs`, as
`flink run` submits them: whoever reaches the port runs programs of their own. Who set the switch as a protection has
none.

## What to do
Publish the port for the machine itself and put a proxy that authenticates before it, or ask clients for certificates
(`security.ssl.rest.authentication-enabled`). A JobManager that runs one program (`standalone-job`) takes no other jobs.

## Not when
The JobManager is one of a single application; the port is published on one address alone; certificates are asked for.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#web-submit-enable>: session clusters
  still accept jobs through REST
- <https://flink.apache.org/what-is-flink/security/>: whoever may access Flink executes code
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.security._exposure import authenticates, doors, is_session

_SUBMIT = "web.submit.enable"


@rule(
    code="FLK941",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_SUBMIT],
    of_scale=True,
    since="0.1",
)
def web_submit_no_protection(config: View) -> Iterator[Finding]:
    """uploads are off on the web page, and the REST endpoint behind it stays open"""
    submit = config.get(_SUBMIT)
    if submit.value is not False or authenticates(config) or not is_session(config):
        return
    for part, attribute, what, _ in doors(config):
        yield submit.finding(
            f"without uploads on the page a session cluster still takes jobs over REST, which is published on {what}",
            help="publish the port for the machine alone, behind a proxy that authenticates",
            related=[part.place(attribute, "the published port")],
        )
        return


_COMPOSE = """services:
  jobmanager:
    image: flink:1.18.1
    command: {}
    ports:
      - "{}:8081"
    environment:
      FLINK_PROPERTIES: "web.submit.enable: false"
"""

_TLS = "security.ssl.rest.enabled"
_CLIENTS = "security.ssl.rest.authentication-enabled"


def cases() -> list[Case]:
    return [
        bad(_COMPOSE.format("jobmanager", "8081"), file="docker-compose.yml", at=_SUBMIT, severity=Severity.WARNING),
        bad(_COMPOSE.format("jobmanager.sh start-foreground", "80"), file="compose.yml", says="port 80"),
        good(_COMPOSE.format("standalone-job --job-classname a.B", "8081"), file="docker-compose.yml"),
        good(_COMPOSE.format("jobmanager", "127.0.0.1:8081"), file="docker-compose.yml"),
        good("web.submit.enable: false\n", flink="1.18"),
        bad(_COMPOSE.format("jobmanager", "8081"), file="compose.yml", profile="development", severity=Severity.INFO),
        bad(_COMPOSE.format("jobmanager", "8081") + "      KIND: standalone-job\n", file="compose.yml"),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: jobmanager\n"
            "    ports:\n"
            '      - "8081:8081"\n'
            "    environment:\n"
            '      FLINK_PROPERTIES: "web.submit.enable: true"\n',
            file="compose.yml",
        ),
        good(_COMPOSE.format("/opt/flink/bin/standalone-job.sh start-foreground", "8081"), file="compose.yml"),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: jobmanager\n"
            "    ports:\n"
            '      - "8081:8081"\n'
            "    environment:\n"
            '      FLINK_PROPERTIES: "web.submit.enable: false\\nrest.port: 9000"\n',
            file="compose.yml",
        ),
        good(_COMPOSE.format(f"jobmanager -D{_TLS}=true -D{_CLIENTS}=true", "8081"), file="compose.yml"),
        good(_COMPOSE.format(f"jobmanager -D{_TLS}=${{TLS}} -D{_CLIENTS}=true", "8081"), file="compose.yml"),
    ]  # fmt: skip
