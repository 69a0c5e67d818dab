"""An image starts the job's program by `java`, without the options that Flink needs on Java 17.

## What it does
Looks at images of Flink with Java 17 or newer, and at their containers in Docker Compose: reports those that start
`java` themselves, with a JAR or a class, without `--add-opens`.

## Why it matters
Flink and Kryo reach into packages of the JDK that Java 17 closes. Flink's scripts open them by `env.java.opts.all` of
the configuration, and a plain `java` does not read it: `InaccessibleObjectException: Unable to make field private final
... accessible: module java.base does not "opens java.util" to unnamed module`. The program also runs a cluster in its
own JVM, with the memory of a JVM and not that of the configuration.

## What to do
Start it by Flink: `standalone-job --job-classname org.example.Job` with the JAR in `/opt/flink/usrlib`, or `flink run`.
For a cluster within the program, set `JDK_JAVA_OPTIONS` to the `--add-opens` of the shipped configuration.

## Not when
The image has Java 8 or 11; `JDK_JAVA_OPTIONS` or `JAVA_TOOL_OPTIONS` is set; a script starts Java.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-dist/src/main/resources/config.yaml>: the options
- <https://openjdk.org/jeps/403>: what Java 17 closes
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import is_official, java_of_image
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_STARTS = regex(
    r"(?:^|[\[\s\"'/])java[\"']?[\s,]{1,10}(?:[^;&|]{0,300}?[\s\"'])?(?:-jar|-cp|-classpath|--class-path)\b"
)
_VARIABLES = ("environment.JDK_JAVA_OPTIONS", "environment.JAVA_TOOL_OPTIONS")
_FIRST_CLOSED = 17


@rule(
    code="FLK972",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:image", "element:container"],
    since="0.1",
)
def program_started_by_java(config: View) -> Iterator[Finding]:
    """a plain java starts the program, without the options that Flink needs on Java 17"""
    for image in config.elements("image"):
        entrypoint = image.element.attributes.get("entrypoint")
        if entrypoint is not None and _is_closed(image.text("from")) and _lacks_options(image, entrypoint.raw):
            yield _finding(image, "entrypoint")
    for container in config.elements("container"):
        words = " ".join(str(one.value) for one in container.element.listed("args"))
        is_closed = _is_closed(container.text("image") or container.text("base"))
        if words and container.text("role") is None and is_closed and _lacks_options(container, words):
            yield _finding(container, "args[0]")


def _is_closed(image: str | None) -> bool:
    java = java_of_image(image) if image is not None and is_official(image) else None
    return java is not None and java >= _FIRST_CLOSED


def _lacks_options(part: ElementView, command: str) -> bool:
    if _STARTS.search(command) is None or "--add-opens" in command or "$" in command or "org.apache.flink" in command:
        return False
    return not any(map(part.has, _VARIABLES)) and "environment" not in part.element.attributes


def _finding(part: ElementView, of: str) -> Finding:
    return part.finding(
        "java starts the program without --add-opens, which Flink's own scripts give: on Java 17 serializers fail with"
        ' InaccessibleObjectException (module java.base does not "opens java.util")',
        of=of,
        key="java",
        help="start it by standalone-job or flink run, or set JDK_JAVA_OPTIONS to the --add-opens of the shipped file",
    )


_BUILD = "FROM flink:{}\nCOPY orders.jar /opt/flink/usrlib/orders.jar\n{}"
_JAVA = 'ENTRYPOINT ["java", "-jar", "/opt/flink/usrlib/orders.jar"]\n'
_COMPOSE = "services:\n  job:\n    image: flink:{}\n    entrypoint: java -cp /orders.jar org.example.Job\n    {}\n"


def cases() -> list[Case]:
    return [
        bad(_BUILD.format("1.20-scala_2.12-java17", _JAVA), file="Dockerfile", at="java", severity=Severity.WARNING,
            says="InaccessibleObjectException"),
        bad(_BUILD.format("2.1.0-java21", "ENTRYPOINT java -cp orders.jar org.example.Job\n"), file="Dockerfile"),
        bad(_COMPOSE.format("1.20-java17", ""), file="docker-compose.yaml", at="java"),
        good(_BUILD.format("1.20-java11", _JAVA), file="Dockerfile"),
        good(_BUILD.format("1.20-java17", f"ENV JDK_JAVA_OPTIONS=--add-opens=java.base/java.util=ALL-UNNAMED\n{_JAVA}"),
             file="Dockerfile"),
        good(_BUILD.format("1.20-java17", 'ENTRYPOINT ["java", "--add-opens=java.base/java.util=ALL-UNNAMED", "-jar",'
                           ' "a.jar"]\n'), file="Dockerfile"),
        good(_BUILD.format("1.20-java17", 'ENTRYPOINT ["/start.sh"]\n'), file="Dockerfile"),
        good(_COMPOSE.format("1.20-java17", "environment: [JAVA_TOOL_OPTIONS=--add-opens=java.base/java.io=a]"),
             file="docker-compose.yaml"),
    ]  # fmt: skip
