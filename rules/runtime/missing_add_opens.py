"""Java 17 is kept out of its own packages.

## What it does
Looks, from Flink 1.18 on, at `env.java.opts.all` of a whole configuration file: it tells where the options that the
shipped file gives (`--add-opens` and `--add-exports`) are gone, because the line is missing or holds something else.
The latter is a warning from Flink 2 on, whose images come with Java 17; all else is a hint, since nothing in the file
tells which Java runs it, or whether the job needs what is closed.

## Why it matters
Flink and Kryo reach into packages of the JDK that Java 17 closes. No option of Flink opens them by default: they are
opened by a line of the shipped `flink-conf.yaml` or `config.yaml`, and a file that takes the place of the shipped one
(mounted, copied into an image, written by a tool) takes the line away. Then jobs start, and fail at the first
checkpoint, or the first record, with `InaccessibleObjectException: Unable to make field private final … accessible:
module java.base does not "opens java.util" to unnamed module`.

## What to do
Copy the line from the configuration that the release ships, and put your own options behind it or, better, into
`env.java.opts.jobmanager` and `env.java.opts.taskmanager`, which are added to it.

## Not when
- The image has Java 11 or 8, where nothing is closed, as Flink's own have up to 1.20 unless their tag says otherwise.
  Silence the rule where the cluster runs on such a Java without an image that tells.
- Custom resources, whose settings are laid over the shipped file, unless they replace the line.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-32314>: the options came to the shipped configuration
- <https://github.com/apache/flink/blob/release-1.20/flink-dist/src/main/resources/config.yaml>: the line
- <https://openjdk.org/jeps/403>: what Java 17 closes
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import java_of_image
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View

_ALL = "env.java.opts.all"
_DEFAULTS = "env.java.default-opts.all"
_FIRST_CLOSED = 17
"""The first version of Java in the images that closes its packages."""


@rule(
    code="FLK962",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    flink=">=1.18",
    reads=[_ALL, "jobmanager.rpc.address", "taskmanager.numberOfTaskSlots", "jobmanager.memory.process.size"],
    since="0.1",
)
def missing_add_opens(config: View) -> Iterator[Finding]:
    """the options that open the JDK's packages to Flink are gone, which Java 17 needs"""
    setting, defaults = config.get(_ALL), config.get(_DEFAULTS)
    if not (setting.is_known and defaults.is_known) or not config.target.certain:
        return
    if any("--add-opens" in one.text for one in (setting, defaults)):
        return
    if not setting.is_set and not config.document.replaces_shipped_file:
        return
    java = _java(config)
    if java is not None and java < _FIRST_CLOSED:
        return
    java_17 = config.since("2.0")
    gone = (
        f"{_ALL} is {setting.text!r} and lacks the --add-opens of the shipped file"
        if setting.is_set
        else f"{_ALL}, which opens the JDK's packages in the shipped file, is missing in this one"
    )
    yield setting.finding(
        f"{gone}: on Java 17"
        f"{', which Flink 2 runs on by default,' if java_17 else ''} serializers fail with"
        " InaccessibleObjectException",
        help=f"copy {_ALL} from the configuration that {config.releases_text} ships, and give own options to"
        " env.java.opts.jobmanager and env.java.opts.taskmanager",
        severity=Severity.WARNING if java is not None or (java_17 and setting.is_set) else Severity.INFO,
    )


def _java(config: View) -> int | None:
    """Return the newest version of Java in the images that show the release; None if no tag tells it."""
    images = (
        [str(process.image.value) for process in config.processes if process.image is not None]
        if config.document.elements or config.relation.below
        else []
    )
    mounting = [part for document in config.relation.above for part in document.elements_of("container")]
    images = images or [str(part.value("image")) for part in mounting]
    found = map(java_of_image, images or config.target.evidence.split())
    return max((version for version in found if version is not None), default=None)


_STOCK = "--add-exports=java.base/sun.net.util=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED"
_FILE = "jobmanager:\n  rpc:\n    address: jm\ntaskmanager:\n  numberOfTaskSlots: 2\n"
_RESOURCE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_18
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
"""


_COMPOSE = (
    "services:\n  jobmanager:\n    image: flink:{}\n    command: jobmanager\n"
    f'    environment:\n      FLINK_PROPERTIES: "{_ALL}: -XX:+UseG1GC"\n'
)


def cases() -> list[Case]:
    return [
        bad(_FILE, flink="2.0", severity=Severity.INFO, says="is missing in this one"),
        bad(_FILE, flink="1.19", severity=Severity.INFO),
        bad(f"{_ALL}: -XX:+UseG1GC\n", flink="2.0", at=_ALL, severity=Severity.WARNING, says="'-XX:+UseG1GC'"),
        bad(f"{_ALL}: -XX:+UseG1GC\n", flink="1.20", at=_ALL, severity=Severity.INFO),
        bad(f"{_RESOURCE}    {_ALL}: -XX:+UseG1GC\n", file="orders.yaml", at=_ALL),
        good(f"{_FILE}{_ALL}: {_STOCK} -XX:+UseG1GC\n", flink="2.0"),
        good(f"{_FILE}{_DEFAULTS}: {_STOCK}\n", flink="2.0"),
        good(
            "# on java 11\njobmanager:\n  rpc:\n    address: jm\ntaskmanager:\n  numberOfTaskSlots: 2\n",
            flink=">=1.9,<1.18",
            file="flink-conf.yaml",
        ),
        good(_RESOURCE, file="orders.yaml"),
        good(f"{_ALL}: -XX:+UseG1GC\n", flink="1.17"),
        # Whatever a file of one's own has, the options are not in it.
        bad("jobmanager.rpc.address: jm\n", flink="2.0", severity=Severity.INFO),
        bad("taskmanager.numberOfTaskSlots: 2\n", flink="2.0", severity=Severity.INFO),
        bad("jobmanager.memory.process.size: 2g\n", flink="2.0", severity=Severity.INFO),
        # What nobody can tell: the options, or the release.
        good(f"{_ALL}: ${{OPTIONS}}\n", flink="2.0"),
        good(f"{_FILE}{_DEFAULTS}: ${{OPTIONS}}\n", flink="2.0"),
        good(_FILE),
        good(_COMPOSE.format("1.20.1"), file="compose.yaml"),
        good(_COMPOSE.format("1.20.1-scala_2.12-java11"), file="compose.yaml"),
        bad(_COMPOSE.format("1.20.1-java17"), file="compose.yaml"),
        bad(_COMPOSE.format("2.0.1"), file="compose.yaml", severity=Severity.WARNING),
        good(_COMPOSE.format("2.0.1-java11"), file="compose.yaml"),
        *cases_in_folders(__file__),
    ]  # fmt: skip
