"""An image has one release of Flink and another one of PyFlink.

## What it does
Compares, in a Dockerfile, the version of `apache-flink` that `pip install` asks for with the release of Flink's image
it starts from. Patches may differ.

## Why it matters
PyFlink brings its own copy of Flink's jars, and is the Python half of classes in them. The cluster runs those of the
image: calls from Python meet Java methods that are not there (`Py4JError: Method … does not exist`), and the Python
workers do not understand what the operators send them.

## What to do
Install the version of the image: `pip install apache-flink==1.20.1` on `flink:1.20.1`.

## Not when
The tag names no release, the version is a variable, or only the patches differ.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/#using-flink-python-on-docker>:
  the image and the PyFlink of one version
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/python/installation/>: what the package holds
"""

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK988",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:image"],
    since="0.1",
)
def pyflink_version(config: View) -> Iterator[Finding]:
    """an image has one release of Flink and another one of PyFlink"""
    for image in config.elements("image"):
        installed, shipped = image.text("pyflink"), release_of_image(image.text("from") or "")
        if installed is None or shipped is None or _minor(installed) == _minor(shipped):
            continue
        yield image.finding(
            f"PyFlink {installed} is installed upon Flink {shipped}: the one calls what the other does not have",
            of="pyflink",
            key="pyflink",
            help=f"install apache-flink=={shipped}",
            related=[image.place("from")],
        )


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def _image(release: str, install: str) -> str:
    return f"FROM flink:{release}\nRUN apt-get update && apt-get install -y python3\nRUN {install}\n"


def cases() -> list[Case]:
    return [
        bad(
            _image("1.18.1", "pip3 install apache-flink==1.17.2"),
            file="Dockerfile",
            at="apache-flink==1.17.2",
            severity=Severity.ERROR,
            says="PyFlink 1.17.2 is installed upon Flink 1.18.1",
        ),
        bad(
            _image("2.0-java17", "pip install --no-cache-dir apache-flink==1.20 && rm -rf /tmp/x"),
            file="Dockerfile",
            at="pyflink",
        ),
        bad(
            "FROM flink:1.20.1 AS base\nRUN pip install apache-flink==1.19.1\nFROM base\n"
            "COPY job.py /opt/flink/usrlib/\n",
            file="Dockerfile",
        ),
        good(_image("1.18.1", "pip3 install apache-flink==1.18.0"), file="Dockerfile"),
        good(_image("1.18.1", "pip3 install apache-flink==$VERSION"), file="Dockerfile"),
        good(_image("1.18.1", "pip3 install apache-flink-libraries==1.17.2 pandas"), file="Dockerfile"),
        good(_image("latest", "pip3 install apache-flink==1.17.2"), file="Dockerfile"),
        good(_image("1.18.1", "echo apache-flink==1.17.2"), file="Dockerfile"),
    ]
