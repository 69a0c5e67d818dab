"""A plugin lies where Flink does not look for it, or where it meets everyone else's libraries.

## What it does
Looks at the jars that a Dockerfile copies or downloads (`COPY`, and `cp`, `mv`, `ln`, `curl -o`, `wget -P` of `RUN`)
and that containers mount, from Flink 1.10 on, and reports

- a jar directly in `plugins/`, or that `cp` or `mv` gives the name of a folder there that nothing makes: an error;
- the jar of a file system (`flink-azure-fs-hadoop`, `flink-gs-fs-hadoop`, `flink-oss-fs-hadoop`) in `lib/`: a
  warning.

## Why it matters
Each folder below `plugins/` is one plugin, with a class loader of its own. Files beside these folders are passed over
without a word, so that `gs://` stays unknown. In `lib/` a file system shares its Hadoop, Guava and SDK with all that
is there, and one of them gets the wrong version.

## What to do
Give each a folder of its own: `plugins/gs-fs-hadoop/flink-gs-fs-hadoop-1.20.1.jar`.

## Not when
The jar lies in such a folder. Where the target is a variable nobody can tell. The file systems for S3 in `lib/` are
told by `s3-plugins`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/plugins/>: folders of plugins
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/overview/#pluggable-file-systems>:
  file systems belong there
- <https://github.com/apache/flink/blob/release-1.20/flink-core/src/main/java/org/apache/flink/core/plugin/DirectoryBasedPluginFinder.java>:
  only folders are looked at
"""

import re
from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import is_official
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex

_FILE_SYSTEM = regex(r"flink-(azure-fs-hadoop|gs-fs-hadoop|oss-fs-hadoop)[\w.*-]*\.jar")
_FLINK_FOLDER = regex(r".*(?:flink|FLINK_HOME\}?)[\w.-]*/(lib|plugins)(?:/([^/]*))?/?")


@rule(
    code="FLK969",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:image", "element:container"],
    flink=">=1.10",
    since="0.1",
)
def plugin_misplaced(config: View) -> Iterator[Finding]:
    """a plugin lies where Flink does not look, or meets everyone else's libraries"""
    for image in config.elements("image"):
        for copy in image.items("copies"):
            yield from _judged(copy, _name(copy.text("source")))
        placed = image.items("placed")
        for number, one in enumerate(placed):
            jar = _name(one.text("source"))
            if not any(_name(later.text("source")) == jar for later in placed[number + 1 :]):
                yield from _judged(one, jar)
                yield from _named_like_folder(config, image, one, jar)
    told = set()
    for container in config.elements("container"):
        for volume in container.items("volumes"):
            if volume.span("target") not in told:
                told.add(volume.span("target"))
                yield from _judged(volume, _name(volume.text("target")))


def _name(path: str | None) -> str:
    """The name of a jar; empty for any other file, and for a folder."""
    name = (path or "").rpartition("/")[2]
    return name if name.endswith(".jar") else ""


def _judged(part: ElementView, jar: str) -> Iterator[Finding]:
    found = _FLINK_FOLDER.fullmatch(part.text("target") or "")
    if not jar or found is None or not (not found[2] or found[2].endswith(".jar")):
        return
    own = jar.removesuffix(".jar").removeprefix("flink-")
    if found[1] == "plugins":
        yield part.finding(
            f"{jar} lies in plugins/ itself, where Flink looks at folders alone: it is not loaded",
            of="target",
            help=f"put it into a folder of its own, such as plugins/{own}/",
        )
    elif _FILE_SYSTEM.fullmatch(jar):
        yield part.finding(
            f"{jar} lies in lib/, where its libraries meet everyone else's",
            of="target",
            help=f"put it into a folder of its own, such as plugins/{own}/",
            severity=Severity.WARNING,
        )


def _named_like_folder(config: View, image: ElementView, part: ElementView, jar: str) -> Iterator[Finding]:
    """Yield a finding on a jar that is copied to a folder below plugins/ which does not exist."""
    found = _FLINK_FOLDER.fullmatch(target := part.text("target") or "")
    if found is None or found[1] != "plugins" or not found[2] or target.endswith(("/", ".jar")) or "*" in target:
        return
    if part.text("by") not in ("cp", "mv", "ln") or not is_official(image.text("from") or ""):
        return
    folder = found[2]
    if any(folder in (copy.text("target") or folder) for copy in image.items("copies")):
        return
    before = config.document.text[: part.span("target").start]
    if re.search(rf"[/\s{{,]{re.escape(folder)}(?:[/\s,}}&;]|$)", before) is None:
        yield part.finding(
            f"there is no folder plugins/{folder}: {jar} becomes a file of this name, and Flink looks at folders alone",
            of="target",
            help=f"make the folder before: mkdir -p {target}",
        )


def _image(*lines: str) -> str:
    return "\n".join(("FROM flink:1.20.1", *lines)) + "\n"


_AZURE = "flink-azure-fs-hadoop-1.20.1.jar"
_CENTRAL = f"https://repo1.maven.org/maven2/org/apache/flink/flink-azure-fs-hadoop/1.20.1/{_AZURE}"
_COMPOSE = """services:
  jobmanager:
    image: flink:1.20.1
    command: jobmanager
    volumes:
      - ./flink-gs-fs-hadoop-1.20.1.jar:{}/flink-gs-fs-hadoop-1.20.1.jar
"""


def cases() -> list[Case]:
    return [
        bad(
            _image("COPY flink-gs-fs-hadoop-1.20.1.jar /opt/flink/plugins/"),
            file="Dockerfile",
            severity=Severity.ERROR,
            says="it is not loaded",
        ),
        bad(
            _image("COPY jars/metrics.jar $FLINK_HOME/plugins/metrics.jar"), file="Dockerfile", severity=Severity.ERROR
        ),
        bad(_image("COPY a.jar b.jar /opt/flink/plugins"), file="Dockerfile", times=2),
        bad(
            _image("COPY flink-azure-fs-hadoop-1.20.1.jar /opt/flink/lib/"),
            file="Dockerfile",
            severity=Severity.WARNING,
            says="lies in lib/",
        ),
        bad(_COMPOSE.format("/opt/flink/lib"), file="compose.yaml", severity=Severity.WARNING),
        bad(_COMPOSE.format("/opt/flink/plugins"), file="compose.yaml", severity=Severity.ERROR),
        bad(
            _image(f"RUN curl -fL -o $FLINK_HOME/lib/flink-azure-fs-hadoop.jar {_CENTRAL}"),
            file="Dockerfile",
            severity=Severity.WARNING,
            at="$FLINK_HOME/lib/flink-azure-fs-hadoop.jar",
        ),
        bad(_image(f"RUN wget -qP /opt/flink/lib {_CENTRAL}"), file="Dockerfile", says="lies in lib/"),
        bad(_image("RUN cp /opt/flink/opt/flink-gs-fs-hadoop-*.jar /opt/flink/plugins/"), file="Dockerfile"),
        bad(
            _image("RUN cd opt && ln -s /opt/flink/opt/flink-gs-fs-hadoop-1.20.1.jar $FLINK_HOME/lib/"),
            file="Dockerfile",
        ),
        good(_image(f"RUN mkdir -p plugins/a && curl -o /opt/flink/plugins/a/a.jar {_CENTRAL}"), file="Dockerfile"),
        bad(
            _image("RUN cp /opt/flink/opt/flink-gs-fs-hadoop-1.20.1.jar /opt/flink/plugins/gs"),
            file="Dockerfile",
            at="/opt/flink/plugins/gs",
            says="there is no folder plugins/gs",
        ),
        good(
            _image("RUN mkdir -p \\\n plugins/{a,gs} && cp opt/flink-gs-fs-hadoop.jar /opt/flink/plugins/gs"),
            file="Dockerfile",
        ),
        good(
            _image("RUN mkdir plugins/gs && cp opt/flink-gs-fs-hadoop-1.20.1.jar /opt/flink/plugins/gs"),
            file="Dockerfile",
        ),
        good(
            _image(
                "RUN for p in gs s3; do mkdir plugins/$p; done",
                "RUN cp opt/flink-gs-fs-hadoop.jar $FLINK_HOME/plugins/x/",
            ),
            file="Dockerfile",
        ),
        good(_image("RUN cp opt/flink-gs-fs-hadoop-1.jar $FLINK_HOME/plugins/gs/"), file="Dockerfile"),
        good(
            _image(f"RUN wget -P /opt/flink/plugins {_CENTRAL} && mv plugins/{_AZURE} plugins/azure/"),
            file="Dockerfile",
        ),
        good(_image(f"RUN curl -o $FLINK_HOME/lib/kafka.jar {_CENTRAL.replace('azure-fs', 'sql')}"), file="Dockerfile"),
        good(_COMPOSE.format("/opt/flink/plugins/gs"), file="compose.yaml"),
        good(_image("COPY flink-gs-fs-hadoop-1.20.1.jar /opt/flink/plugins/gs/"), file="Dockerfile"),
        good(_image("COPY plugins/ /opt/flink/plugins/"), file="Dockerfile"),
        good(_image("COPY flink-sql-connector-kafka-3.2.0.jar /opt/flink/lib/"), file="Dockerfile"),
        good(_image("COPY flink-s3-fs-hadoop-1.20.1.jar /opt/flink/lib/"), file="Dockerfile"),
        good(_image("COPY app.jar /srv/plugins/"), file="Dockerfile"),
        good(_image("ARG TARGET", "COPY a.jar ${TARGET}/"), file="Dockerfile"),
    ]
