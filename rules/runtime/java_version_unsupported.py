"""Flink runs on a Java that the release does not support.

## What it does
Looks for the version of Java in `env.java.home` (`/usr/lib/jvm/java-8-openjdk`) and in the tags of Flink's own images
(`flink:2.0.0-java8`), and compares it with what the release supports:

| Java | releases |
|---|---|
| 8 | before 2.0 |
| 11 | from 1.10 on |
| 17 | from 1.18 on |
| 21 | from 1.19 on |

## Why it matters
The classes of Flink 2 are compiled for Java 11: on Java 8 no process starts ("UnsupportedClassVersionError … compiled
by a more recent version of the Java Runtime"), an error. On a Java newer than the release knows, processes start; what
reaches into the JDK fails later, at the first checkpoint or the first record, with `InaccessibleObjectException`, as
Java 17 opens its packages to nobody who does not ask: a warning.

## What to do
Java 11 up to 1.17, 11 or 17 from 1.18 on, 17 or 21 with Flink 2.

## Not when
The path names no version, or options of the JVM open the packages (`env.java.opts.all: --add-opens …`). Of an image
it is advice, as Flink publishes none with such a Java: whoever built it may have opened the packages in it. Which Java
a custom image has cannot be told from a name without it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/java_compatibility/>: the versions of Java, and
  since when
- <https://github.com/apache/flink/pull/10974>: Java 11 with 1.10
- <https://nightlies.apache.org/flink/flink-docs-stable/release-notes/flink-2.0/>: Java 8 is gone
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_HOME = "env.java.home"
_IN_PATH = regex(r"(?i).*(?:java|jdk|jre|corretto|zulu|temurin)[-_]?(?:1\.)?(\d{1,2})(?!\d).*")
_IN_TAG = regex(r".*:[\w.-]*java(\d{1,2})(?!\d).*")
_FIRST = ((21, "1.19"), (17, "1.18"), (11, "1.10"))
"""Versions of Java, and the first release that supports each."""


@rule(
    code="FLK963",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_HOME],
    when=["element:container", "element:image"],
    since="0.1",
)
def java_version_unsupported(config: View) -> Iterator[Finding]:
    """Flink runs on a Java that the release does not support"""
    home = config.get(_HOME)
    match = _IN_PATH.fullmatch(home.text) if home.is_set and home.is_known else None
    why = _unsupported(config, int(match[1])) if match is not None else None
    if why is not None and (why[2] == Severity.ERROR or not _opens_packages(config)):
        yield home.finding(why[0], help=why[1], severity=why[2])
    told = set()
    for part in config.elements("container", "image"):
        of = "image" if part.kind == "container" else "from"
        image = part.text(of) or ""
        match = _IN_TAG.fullmatch(image)
        if match is None or release_of_image(image) is None or part.span(of) in told:
            continue
        told.add(part.span(of))
        if (why := _unsupported(config, int(match[1]))) is None:
            continue
        # Flink publishes no such image: who builds one may have opened the packages in it, or counts its own versions.
        is_advice = why[2] != Severity.ERROR or not _is_named_flink(image)
        if why[2] == Severity.ERROR or not _opens_packages(config, part):
            severity = Severity.INFO if is_advice else why[2]
            yield part.finding(why[0], of=of, key="image", help=why[1], severity=severity)


def _is_named_flink(image: str) -> bool:
    """Whether the repository of an image is named for nothing but Flink, so that its tag is Flink's release."""
    return image.rpartition("/")[2].partition(":")[0] == "flink"


def _opens_packages(config: View, part: ElementView | None = None) -> bool:
    """Whether options of the JVM open the packages of the JDK to what reaches into them."""
    options = [setting.text for setting in config.entries() if setting.written.startswith("env.java.opts")]
    if part is not None:
        options += [value.value for _, value in part.under("environment") if isinstance(value.value, str)]
    return any("--add-opens" in text for text in options)


def _unsupported(config: View, java: int) -> tuple[str, str, Severity] | None:
    """What is wrong with a version of Java, what to do, and how grave it is."""
    if java < 11:
        if not config.since("2.0"):
            return None
        return (
            f"Flink 2 is compiled for Java 11: on Java {java} no process starts (UnsupportedClassVersionError)",
            "take Java 17, or 21",
            Severity.ERROR,
        )
    first = next((since for version, since in _FIRST if java >= version), "")
    if config.since(first):
        return None
    return (
        (
            f"Java {java} is supported from Flink {first} on: what reaches into the JDK fails with"
            " InaccessibleObjectException, at the first checkpoint or record"
        ),
        "take Java 11" if first != "1.10" else "take Java 8",
        Severity.WARNING,
    )


_OPENS = "--add-opens=java.base/java.util=ALL-UNNAMED"


def cases() -> list[Case]:
    return [
        bad(f"{_HOME}: /usr/lib/jvm/java-8-openjdk-amd64\n", at=_HOME, flink="2.0", severity=Severity.ERROR,
            says="on Java 8 no process starts"),
        bad(f"{_HOME}: /opt/jdk1.8.0_392\n", at=_HOME, flink="2.3", severity=Severity.ERROR),
        bad(f"{_HOME}: /usr/lib/jvm/java-17-openjdk\n", at=_HOME, flink="1.17", severity=Severity.WARNING,
            says="Java 17 is supported from Flink 1.18 on"),
        bad(f"{_HOME}: /usr/lib/jvm/temurin-21\n", at=_HOME, flink="1.18", says="from Flink 1.19 on"),
        bad(f"{_HOME}: /opt/jdk-11.0.2\n", at=_HOME, flink="1.9", says="from Flink 1.10 on"),
        bad("services:\n  jobmanager:\n    image: registry.example.com/flink:1.16.3-scala_2.12-java17\n"
            "    command: jobmanager\n", file="compose.yaml", at="registry.example.com/flink:1.16.3-scala_2.12-java17"),
        bad("FROM flink:2.0.0-java8\nCOPY job.jar /opt/flink/usrlib/\n", file="Dockerfile", at="flink:2.0.0-java8",
            severity=Severity.ERROR),
        bad("FROM shop/flink-jobs:2.0.0-java8\nCOPY job.jar /opt/flink/usrlib/\n", file="Dockerfile",
            severity=Severity.INFO),
        bad("FROM shop/flink:1.16.3-java17\nCOPY job.jar /opt/flink/usrlib/\n", file="Dockerfile",
            severity=Severity.INFO),
        good(f'FROM shop/flink:1.16.3-java17\nENV JDK_JAVA_OPTIONS="{_OPENS}"\n', file="Dockerfile"),
        good(f"{_HOME}: /usr/lib/jvm/java-17-openjdk\nenv.java.opts.all: {_OPENS}\n", flink="1.17"),
        bad(f"{_HOME}: /usr/lib/jvm/java-8-openjdk\nenv.java.opts.all: {_OPENS}\n", flink="2.0", at=_HOME),
        good(f"{_HOME}: /usr/lib/jvm/java-8-openjdk-amd64\n", flink="1.20"),
        good(f"{_HOME}: /usr/lib/jvm/java-17-openjdk\n", flink="1.18"),
        good(f"{_HOME}: /usr/lib/jvm/java-21-openjdk\n", flink="1.19"),
        good(f"{_HOME}: /opt/jdk-11.0.2\n", flink="1.10"),
        good(f"{_HOME}: /usr/lib/jvm/default-java\n", flink="2.0"),
        good(f"{_HOME}: '{{{{ home }}}}/java-8'\n", flink="2.0"),
        good("FROM flink:1.18.1-scala_2.12-java17\nCOPY job.jar /opt/flink/usrlib/\n", file="Dockerfile"),
        good("FROM shop/orders:2.0-java8\nENV FLINK_VERSION=2.0.0\n", file="Dockerfile"),
    ]  # fmt: skip
