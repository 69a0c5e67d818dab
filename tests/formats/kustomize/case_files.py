"""Cases of kustomizations, a file each: the files of a folder, and what the real kustomize makes of them.

`python -m tests.formats.kustomize.case_files` records the output of the kustomize on the path in all cases.
"""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "cases"
_HEADER = re.compile(r"^==> (\S+)(?: \| (base64|without final newline))? <==\n", re.MULTILINE)
_OUTCOMES = ("expected", "refused")


class Case(NamedTuple):
    """A case: the folder to build, the files by path, and the recorded output (None if kustomize refuses)."""

    folder: str
    files: dict[str, bytes]
    expected: str | None


def read_case(text: str) -> Case:
    """Return the case of a case file."""
    build, *parts = _HEADER.split(text)
    files: dict[str, bytes] = {}
    outcomes: dict[str, str] = {}
    for path, form, content in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if path in _OUTCOMES:
            outcomes[path] = content
        elif form == "base64":
            files[path] = base64.b64decode(content)
        else:
            files[path] = (content.removesuffix("\n") if form else content).encode()
    return Case(build.removeprefix("build: ").strip(), files, outcomes.get("expected"))


def names() -> list[str]:
    """Return the names of all cases."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def case_named(name: str) -> Case:
    """Return the case of a name."""
    return read_case((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


def real_output(case: Case, folder: Path, kustomize: str) -> str | None:
    """Return what a kustomize makes of a case, whose files are written to `folder`; None if it refuses."""
    for path, data in case.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    done = subprocess.run([kustomize, "build", str(folder / case.folder)], capture_output=True, check=False)
    return done.stdout.decode() if done.returncode == 0 else None


def _record(kustomize: str) -> None:
    from tempfile import TemporaryDirectory

    for name in names():
        path = FOLDER / f"{name}.txt"
        text = path.read_text(encoding="utf-8")
        inputs = re.split(r"^==> (?:expected|refused) <==\n", text, flags=re.MULTILINE)[0]
        with TemporaryDirectory() as folder:
            output = real_output(read_case(text), Path(folder), kustomize)
        outcome = "==> refused <==\n" if output is None else f"==> expected <==\n{output}"
        path.write_text(inputs + outcome, encoding="utf-8")


if __name__ == "__main__":
    _record(sys.argv[1] if len(sys.argv) > 1 else "kustomize")
