"""The REST endpoint of the SQL gateway takes statements of anybody.

## What it does
Reports `sql-gateway.endpoint.rest.address` or `sql-gateway.endpoint.rest.bind-address` that stands for all networks of
the host (`0.0.0.0`, `::`), while the endpoint does not ask its clients for a certificate.

## Why it matters
The gateway authenticates nobody. Whoever reaches its port reads the tables of its catalogs with the credentials of the
gateway, writes into them, and with `ADD JAR` and functions runs programs of their own on the cluster.

## What to do
Bind it to one address (`sql-gateway.endpoint.rest.bind-address: 127.0.0.1`) behind a proxy that authenticates, or
switch on `security.ssl.rest.enabled` with `security.ssl.rest.authentication-enabled`.

## Not when
The file is for containers, where the network of the container decides who reaches it: then it is advice, as on a
development machine. So it is where nothing shows that the file is for hosts: YARN, or `workers` or `masters` beside it.
`bind-address` names one address. The containers run JobManagers and TaskManagers, which read no such option, or the
documents that override the file set the same one: the finding is there.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/sql/interfaces/sql-gateway/rest/>: the options
- <https://flink.apache.org/what-is-flink/security/>: whoever may access Flink executes code
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.security._exposure import EVERYWHERE, authenticates

_ADDRESS = "sql-gateway.endpoint.rest.address"
_BIND = "sql-gateway.endpoint.rest.bind-address"
_HOSTS = ("yarn", "emr")
"""The platforms whose machines run the gateway themselves, not in a container with a network of its own."""


@rule(
    code="FLK954",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_ADDRESS, _BIND],
    flink=">=1.16",
    of_scale=True,
    since="0.1",
)
def sql_gateway_open(config: View) -> Iterator[Finding]:
    """the SQL gateway takes statements from every network"""
    setting = config.get(_BIND) if config.get(_BIND).is_set else config.get(_ADDRESS)
    if not setting.is_set or not setting.is_known or setting.text.strip() not in EVERYWHERE or authenticates(config):
        return
    if not setting.is_read or config.is_set_above(setting.key):
        return
    on_hosts = _is_on_hosts(config)
    yield setting.finding(
        f"the SQL gateway listens on every network of its {'host' if on_hosts else 'host or container'} and asks nobody"
        " who they are: whoever reaches it reads and writes all its tables and runs programs of their own",
        help=f"set {_BIND} to one address, behind a proxy that authenticates",
        severity=None if on_hosts else Severity.INFO,
    )


def _is_on_hosts(config: View) -> bool:
    """Whether the gateway certainly has the network of its host."""
    return config.platform in _HOSTS or (
        config.platform is None and any(map(config.hosts, ("workers", "slaves", "masters")))
    )


_CERTIFICATES = "security.ssl.rest.enabled: true\nsecurity.ssl.rest.authentication-enabled: {}\n"

_POD = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      containers:\n"
    "      - name: a\n        image: flink:1.20.4\n        args: [%s]\n        env:\n        - name: FLINK_PROPERTIES\n"
    f"          value: '{_ADDRESS}: 0.0.0.0'\n"
)


def cases() -> list[Case]:
    return [
        bad(
            f"{_ADDRESS}: 0.0.0.0\n",
            at="0.0.0.0",
            flink="1.20",
            platform="yarn",
            severity=Severity.WARNING,
            says="asks nobody",
        ),
        bad(f"{_ADDRESS}: 0.0.0.0\n", flink="1.20", beside={"workers": "worker-1\n"}, severity=Severity.WARNING),
        bad(f"{_ADDRESS}: 0.0.0.0\n", flink="1.20", severity=Severity.INFO),
        bad(f"{_ADDRESS}: gateway\n{_BIND}: '::'\n", at="'::'", flink="1.20"),
        bad(f"{_ADDRESS}: 0.0.0.0\n{_CERTIFICATES.format('false')}", flink="1.20"),
        bad(f"{_ADDRESS}: 0.0.0.0\n", flink="1.20", profile="development", severity=Severity.INFO),
        bad(f"{_ADDRESS}: 0.0.0.0\n", flink="1.20", platform="kubernetes", severity=Severity.INFO),
        bad(
            _POD % "sql-gateway.sh, start-foreground",
            file="pod.yaml",
            at="0.0.0.0",
            severity=Severity.INFO,
            says="of its host or container",
        ),
        bad(_POD % "/start.sh, jobmanager", file="pod.yaml", at="0.0.0.0"),
        good(_POD % "jobmanager", file="pod.yaml"),
        good(_POD % "taskmanager", file="pod.yaml"),
        good(f"{_ADDRESS}: 0.0.0.0\n{_BIND}: 127.0.0.1\n", flink="1.20"),
        good(f"{_ADDRESS}: gateway.internal\n", flink="1.20"),
        good(f"{_ADDRESS}: ${{ADDRESS}}\n", flink="1.20"),
        good(f"{_ADDRESS}: 0.0.0.0\n{_CERTIFICATES.format('true')}", flink="1.20"),
        good(f"{_ADDRESS}: 0.0.0.0\n", flink="1.15", file="flink-conf.yaml"),
    ]
