"""``python -m flink_flint.linter.flink.generate.connectors.newer``: print which connectors have releases not listed.

Asks Maven for the newest release of each artifact in `lines.py`. Those built for a release of Flink that is in the
catalogue are worth adding there; afterwards ``make connectors`` reads them.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from flink_flint.linter.flink.generate.connectors.lines import LINES, Release
from flink_flint.linter.flink.generate.connectors.maven import project

_PLUGIN = "org.codehaus.mojo:versions-maven-plugin:2.16.2:display-dependency-updates"


def newest_listed() -> list[Release]:
    """Return the last release of each artifact that the lines have."""
    return list({release.artifact: release for line in LINES for release in line.releases}.values())


def updates_in(output: str) -> list[tuple[str, str, str]]:
    """Return the artifact, the listed and the newest version of each line of Maven's output that names an update."""
    found = []
    artifact = ""
    for line in output.splitlines():
        words = line.replace("[INFO]", " ").split()
        artifact = next((word for word in words[:1] if ":" in word), artifact)
        if "->" in words[1:-1]:
            arrow = words.index("->")
            found.append((artifact, words[arrow - 1], words[arrow + 1]))
    return found


def main() -> None:
    """Ask Maven and print a line for each artifact with a newer release."""
    listed = newest_listed()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pom.xml").write_text(project("newest", listed), encoding="utf-8")
        command = ["mvn", "-B", "-Dstyle.color=never", _PLUGIN]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, encoding="utf-8")
    known = {release.artifact for release in listed}
    found = [one for one in updates_in(done.stdout) if one[0] in known]
    for artifact, before, after in found:
        print(f"{artifact} {after} is newer than {before}, the last one in lines.py")
    print(f"{len(found)} of {len(listed)} artifacts of connectors have newer releases")


if __name__ == "__main__":
    main()
