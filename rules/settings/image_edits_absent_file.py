"""The build of an image edits a flink-conf.yaml that Flink's image does not have.

The build ends with `sed: can't read /opt/flink/conf/flink-conf.yaml: No such file or directory`, or it creates a file
beside `config.yaml` that Flink 2 never opens, and that Flink 1.19 and 1.20 read in the place of the other.

## What it does
Looks in Dockerfiles on top of Flink's own image of 1.19 or newer for commands of RUN that change `flink-conf.yaml`
(`sed -i`, `chmod`, `chown`), or append to it (`>>`, `tee`).

## Why it matters
Since 1.19 the image has `config.yaml` alone. A line from the time before does one of three things:

- `sed -i` and `chmod` find no file, and the build fails.
- `echo "key: value" >> conf/flink-conf.yaml` makes a new file. Flink 2.0 and newer read `config.yaml` only, so the
  setting does not count, and nothing is logged.
- Flink 1.19 and 1.20 read the new file and nothing else: the sizes of memory, addresses and `env.java.opts.all` of
  the image's `config.yaml` are gone. Java 17 then fails with `InaccessibleObjectException`.

## What to do
Edit `config.yaml`, or better give the settings by `FLINK_PROPERTIES`, which the entrypoint writes to the right file.

## Not when
The Dockerfile copies a `flink-conf.yaml` or a folder to the configuration, or the command looks whether the file is
there; the base image is another one, or its release is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/>: which file is read
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: flink-conf.yaml is gone
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import is_official
from flink_flint.linter.flink.file_loading import CONF_FOLDERS, FLINK_CONF
from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_NEEDS_FILE = ("sed", "chmod", "chown", "chgrp")
_WRITES = "writes"


@rule(
    code="FLK089",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:image"],
    flink=">=1.19",
    since="0.1",
)
def image_edits_absent_file(config: View) -> Iterator[Finding]:
    """an image's build edits a flink-conf.yaml that Flink's image does not have"""
    if not config.target.certain:
        return
    for image in config.elements("image"):
        if not is_official(image.text("from") or "") or _may_bring_file(image):
            continue
        for number, use in enumerate(image.items("uses")):
            how = use.text("by")
            if how == _WRITES:
                yield _written(config, image, f"uses[{number}].path")
                break
            if how in _NEEDS_FILE:
                yield image.finding(
                    f"{how} needs {use.text('path')}, which {image.text('from')} does not have: the build fails"
                    " ('No such file or directory')",
                    of=f"uses[{number}].path",
                    key=FLINK_CONF,
                    help="edit config.yaml, or give the settings by FLINK_PROPERTIES",
                )
                break


def _written(config: View, image: ElementView, name: str) -> Finding:
    if config.since("2.0"):
        return image.finding(
            f"the build writes settings to flink-conf.yaml, and {config.releases_text} reads only config.yaml: none of"
            " them counts, and nothing is logged",
            of=name,
            key=FLINK_CONF,
            help="write them to config.yaml, or give them by FLINK_PROPERTIES",
        )
    return image.finding(
        f"the build creates a flink-conf.yaml, and {config.releases_text} then reads that alone: the memory sizes and"
        " Java options in the image's config.yaml are gone",
        of=name,
        key=FLINK_CONF,
        help="write the settings to config.yaml, or give them by FLINK_PROPERTIES",
        severity=Severity.WARNING,
    )


def _may_bring_file(image: ElementView) -> bool:
    """Return whether the build may copy a flink-conf.yaml, or a folder with one, into the image."""
    for copy in image.items("copies"):
        where = "path" if copy.has("path") else "target"
        target = copy.text(where)
        if target is None or FLINK_CONF in target or FLINK_CONF in (copy.text("source") or ""):
            return True
        folder = target.rstrip("/")
        if folder in CONF_FOLDERS or folder.endswith(("/conf", "FLINK_HOME", "FLINK_CONF_DIR")) or "$" in folder:
            return True
        if any(one.startswith(f"{folder}/") for one in CONF_FOLDERS):
            return True
    return False


_FILE = "/opt/flink/conf/flink-conf.yaml"


def cases() -> list[Case]:
    appends = f'FROM flink:%s\nRUN echo "state.backend.type: rocksdb" >> {_FILE}\n'
    edits = f"FROM flink:1.20.1\nRUN sed -i 's/Slots: 1/Slots: 4/' {_FILE}\n"
    return [
        bad(
            edits,
            file="Dockerfile",
            at=_FILE,
            severity=Severity.ERROR,
            says="sed needs /opt/flink/conf/flink-conf.yaml",
        ),
        bad(appends % "2.1.0", file="Dockerfile", severity=Severity.ERROR, says="reads only config.yaml"),
        bad(appends % "1.20", file="Dockerfile", severity=Severity.WARNING, says="then reads that alone"),
        bad("FROM flink:1.19\nRUN mkdir -p /a && chmod 777 $FLINK_HOME/conf/flink-conf.yaml\n", file="Dockerfile"),
        bad(f"FROM flink:2.0\nCOPY job.jar /opt/flink/usrlib/\nRUN cat a | tee -a {_FILE}\n", file="Dockerfile"),
        good(edits.replace("flink-conf", "config"), file="Dockerfile"),
        good(edits.replace("1.20.1", "1.18.1"), file="Dockerfile"),
        good(edits.replace("RUN", f"COPY flink-conf.yaml {_FILE}\nRUN"), file="Dockerfile"),
        good(edits.replace("RUN", "COPY conf/ /opt/flink/conf/\nRUN"), file="Dockerfile"),
        good(edits.replace("RUN ", f"RUN [ ! -f {_FILE} ] || "), file="Dockerfile"),
        good(edits.replace("flink:1.20.1", "registry.example.org/flink-base:1.20"), file="Dockerfile"),
        good(edits.replace("1.20.1", "latest"), file="Dockerfile"),
    ]
