"""Sessions of the SQL gateway are never closed.

## What it does
Reports `sql-gateway.session.idle-timeout` or `sql-gateway.session.check-interval` of zero or less.

## Why it matters
Few clients close their session: a page is left, a connection breaks. The gateway closes sessions that nobody used for
`idle-timeout` (10 min unless set). With zero it keeps each of them with its catalogs, temporary tables, results and
class loader, up to `sql-gateway.session.max-num`, of which the default of 1,000,000 is no limit: its heap and metaspace
fill up, and it fails for all clients at once.

## What to do
Set `sql-gateway.session.idle-timeout` to what the longest pause of a client is, such as `1 h`. The gateway closes no
session that was used in between, and jobs that were submitted go on without their session.

## Not when
The value is not known. On a development machine it is advice, and so is it in a program: one that sets it runs the
gateway inside itself, and may close the sessions of its own users.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/sql/interfaces/sql-gateway/overview/>: with zero or a
  negative value sessions are not closed
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_TIMEOUT = "sql-gateway.session.idle-timeout"
_CHECKS = "sql-gateway.session.check-interval"


@rule(
    code="FLK140",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_TIMEOUT, _CHECKS],
    flink=">=1.16",
    of_scale=True,
    since="0.1",
)
def sql_gateway_sessions_kept(config: View) -> Iterator[Finding]:
    """sessions of the SQL gateway are never closed"""
    for key, instead in ((_TIMEOUT, "1 h"), (_CHECKS, "1 min")):
        setting, value = config.get(key), config.duration(key)
        if setting.is_set and setting.is_read and value is not None and value <= 0:
            yield setting.finding(
                "sessions that clients leave behind are never closed: they fill the heap of the SQL gateway until it"
                " fails",
                help=f"set {key}: {instead}, or leave it out",
                severity=Severity.INFO if setting.document.kind == "source" else None,
            )
            return


_ENGINE = """import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.gateway.api.config.SqlGatewayServiceConfigOptions;

public class Engine {
  public static void main(String[] args) {
    Configuration conf = new Configuration();
    conf.set(SqlGatewayServiceConfigOptions.SQL_GATEWAY_SESSION_IDLE_TIMEOUT, Duration.ofMillis(0));
    Gateway.start(conf);
  }
}
"""


def cases() -> list[Case]:
    return [
        bad(f"{_TIMEOUT}: 0\n", at="0", flink="1.20", severity=Severity.WARNING, says="never closed"),
        bad(f"{_CHECKS}: 0 s\n", at="0 s", flink="2.1"),
        bad(f"{_TIMEOUT}: 0\n{_CHECKS}: 0\n", at="0", flink="1.16", file="flink-conf.yaml", times=1),
        bad(f"{_TIMEOUT}: 0\n", flink="1.20", profile="development", severity=Severity.INFO),
        bad(_ENGINE, file="Engine.java", flink="1.20", severity=Severity.INFO),
        good(f"{_TIMEOUT}: 1 ms\n{_CHECKS}: 1 ms\n", flink="1.20"),
        good(f"{_TIMEOUT}: ${{TIMEOUT}}\n", flink="1.20"),
        good(f"{_TIMEOUT}: 0\n", flink="1.15", file="flink-conf.yaml"),
        good("sql-gateway.worker.threads.max: 5\n", flink="1.20"),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses("SQL gateway", f"{key}: 0\n", "sessions stay", good=f"{key}: 1 min\n") for key in (_TIMEOUT, _CHECKS)
    ]
