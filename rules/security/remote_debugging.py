"""A debugger or JMX port of the JVM stays in the options of a cluster.

## What it does
Puts the JVM options of each process together as the start scripts do, and reports

| options | severity |
|---|---|
| a debugger's agent that suspends the JVM (`suspend=y`, its default, with `server=y`) | error |
| an agent that listens on all addresses (`address=*:5005`, `0.0.0.0:5005`) | warning |
| a JMX port without `jmxremote.authenticate`, on all addresses | warning |
| a fixed port of either for TaskManagers on YARN and EMR | warning |

## Why it matters
Whoever reaches the port of a debugger or of JMX without a login runs code in the process. A suspended JVM does nothing
until a debugger comes: no TaskManager registers. And a port can be taken once on a machine: the second container there
ends with `bind failed: Address already in use`, or `Port already in use`, before Flink begins.

## What to do
Delete the option where it is not needed. Otherwise listen on `localhost` (`address=localhost:5005,suspend=n`) and come
in through a tunnel, ask for a password, and take port 0 where several processes share a machine.

## Not when
Docker Compose and local files are left out, where people debug. An agent that connects to a debugger (`server=n`) opens
no port. A port without an address is open to the machine alone from Java 9 on.

## Sources
- <https://docs.oracle.com/en/java/javase/17/docs/specs/jpda/conninv.html>: `suspend`, `server`, and what an address
  without a host means
- <https://docs.oracle.com/en/java/javase/17/management/monitoring-and-management-using-jmx-technology.html>: JMX
  without authentication
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#jvm-and-logging-options>: which options
  reach which process
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.memory.jvm_options import PROCESSES, keys_for, split_options
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_AGENTS = ("-agentlib:jdwp=", "-Xrunjdwp:")
_JMX = "-Dcom.sun.management.jmxremote."
_ANYWHERE = ("*", "0.0.0.0", "[::]")
_SHARED = ("yarn", "emr")
"""Where several TaskManagers run on one machine, in its network."""


@rule(
    code="FLK950",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=list(dict.fromkeys(key for process in PROCESSES for key in keys_for(process))),
    of_scale=True,
    since="0.1",
)
def remote_debugging(config: View) -> Iterator[Finding]:
    """a debugger or JMX port of the JVM stays in the options of a cluster"""
    if config.platform in ("compose", "local"):
        return
    told = set()
    for process in PROCESSES:
        settings = [config.get(key) for key in keys_for(process)]
        if not all(setting.is_known for setting in settings):
            continue
        problems = [*_debugger(config, process, settings), *_jmx(config, process, settings)]
        for setting, message, advice, severity in problems:
            if (setting.key, message) not in told:
                told.add((setting.key, message))
                yield setting.finding(message, help=advice, severity=severity)


_Problem = tuple[Setting, str, str, Severity | None]


def _debugger(config: View, process: str, settings: list[Setting]) -> Iterator[_Problem]:
    for setting in settings:
        for option in split_options(setting.text):
            if not option.text.startswith(_AGENTS):
                continue
            agent = next(one for one in _AGENTS if option.text.startswith(one))
            said = dict(pair.partition("=")[::2] for pair in option.text[len(agent) :].split(","))
            if said.get("server", "n") != "y":
                continue
            host, _, port = said.get("address", "").rpartition(":")
            if said.get("suspend", "y") == "y":
                yield setting, "the JVM waits for a debugger before it does anything", "write suspend=n", Severity.ERROR
            if host in _ANYWHERE:
                what = f"whoever reaches port {port} debugs the process: runs code in it, and reads all it holds"
                yield setting, what, f"write address=localhost:{port}, or delete the agent", None
            yield from _taken(config, process, setting, port)


def _jmx(config: View, process: str, settings: list[Setting]) -> Iterator[_Problem]:
    said: dict[str, str] = {}
    by = settings[0]
    for setting in settings:
        for option in split_options(setting.text):
            if option.text.startswith(_JMX):
                name, _, value = option.text[len(_JMX) :].partition("=")
                said[name] = value
                by = setting if name == "port" else by
    port = said.get("port", "")
    if port and said.get("authenticate") == "false" and said.get("host") not in ("localhost", "127.0.0.1"):
        what = f"JMX on port {port} asks nobody for a password: whoever reaches it runs code in the process"
        yield by, what, f"ask for a password, or add {_JMX}host=localhost", None
    yield from _taken(config, process, by, port)


def _taken(config: View, process: str, setting: Setting, port: str) -> Iterator[_Problem]:
    """The port that only the first TaskManager of a machine gets."""
    if process == "taskmanager" and config.platform in _SHARED and port.isdigit() and port != "0":
        what = f"only the first container of a machine gets port {port}: the others end before Flink begins"
        yield setting, what, "take port 0, and find the one it got in the log", None


_AGENT = "-agentlib:jdwp=transport=dt_socket,server=y"
_TM, _ALL = "env.java.opts.taskmanager", "env.java.opts.all"
_OPEN_JMX = f"{_JMX}port=9999 {_JMX}authenticate=false"


def cases() -> list[Case]:
    return [
        bad(
            f"{_TM}: '{_AGENT},suspend=n,address=*:5005'\n", at=_TM, severity=Severity.WARNING, says="reaches port 5005"
        ),
        bad(
            "env.java.opts: -Xrunjdwp:transport=dt_socket,server=y,suspend=n,address=0.0.0.0:5006\n",
            flink="1.14",
            at=_ALL,
            says="reaches port 5006",
        ),
        bad(
            f"{_TM}: {_AGENT},address=localhost:5005\n",
            flink="1.18",
            severity=Severity.ERROR,
            says="waits for a debugger",
        ),
        bad(
            f"env.java.opts.jobmanager: {_AGENT},suspend=y,address=5005\n",
            platform="yarn",
            flink="1.18",
            severity=Severity.ERROR,
        ),
        bad(f"{_ALL}: {_AGENT},suspend=n,address=5005\n", platform="yarn", says="first container"),
        bad(f"{_ALL}: -XX:+UseG1GC {_OPEN_JMX}\n", says="JMX on port 9999", severity=Severity.WARNING),
        bad(
            f"{_ALL}: {_JMX}authenticate=false\n{_TM}: {_JMX}port=9999\n", flink="1.18", at=_TM, says="JMX on port 9999"
        ),
        bad(f"{_TM}: {_JMX}port=9999\n", platform="emr", says="gets port 9999"),
        bad(f"{_ALL}: {_OPEN_JMX} {_JMX}host=0.0.0.0\n", profile="development", severity=Severity.INFO),
        good(f"{_TM}: {_AGENT},suspend=n,address=localhost:5005\n"),
        good(f"{_TM}: {_AGENT},suspend=n,address=5005\n"),
        good(f"{_TM}: '-agentlib:jdwp=transport=dt_socket,server=n,address=*:5005'\n"),
        good(f"{_TM}: '-agentlib:jdwp=transport=dt_socket,address=ide:5005'\n"),
        good(f"{_TM}: '{_AGENT},address=*:5005'\n", platform="local"),
        good(f"{_TM}: '{_AGENT},address=*:5005'\n", platform="compose"),
        good(f"{_TM}: '{{{{ more }}}} {_AGENT},address=*:5005'\n"),
        good(f"{_ALL}: {_OPEN_JMX} {_JMX}host=127.0.0.1\n"),
        good(f"{_ALL}: {_OPEN_JMX} {_JMX}host=localhost\n"),
        good(f"{_ALL}: {_JMX}port=9999 {_JMX}authenticate=true\n"),
        good(f"{_ALL}: {_JMX}authenticate=false\n"),
        good(f"{_TM}: {_JMX}port=0\n", platform="yarn"),
        good(f"{_TM}: {_JMX}port=9999\n", platform="kubernetes"),
        good(f"env.java.opts.jobmanager: {_JMX}port=9999\n", platform="yarn"),
        good(f"{_TM}: -XX:+UseG1GC,server=y\n"),
    ]
