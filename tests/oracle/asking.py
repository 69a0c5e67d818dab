"""Asks real releases of Flink about the claims of rules: one JVM a release, which answers all of them."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from flink_flint.linter.engine.registry import file_of, modules, rule_of
from flink_flint.linter.engine.verdicts import Verdict
from flink_flint.linter.flink.connectors import connectors
from flink_flint.linter.flink.generate.connectors.lines import LINES
from flink_flint.linter.flink.generate.connectors.maven import bring
from flink_flint.linter.flink.generate.distributions import PATCHES
from flink_flint.linter.flink.releases import ReleaseRange, nearest_index, parse_release
from flink_flint.linter.model.claim import SCRIPTS, Claim
from tests.flink.loading import encoded
from tests.live.distribution import connectors_cache, flink_libraries

_PROGRAM = Path(__file__).parent
_OPENED = ("java.lang", "java.util", "java.util.concurrent", "java.net", "java.time")
_NAMED = re.compile(r"'(?:connector|type|(?:[a-z]+\.)?format)'\s*=\s*'([^']+)'")
_LONGEST = 160
"""How much of an answer is kept."""

FILES = "/etc/flink/"
"""The folder that settings of claims name for the files that they need: a `keystore.jks` with the password `secret`."""

Claims = Mapping[str, Sequence[Claim]]
"""The claims of rules, by the codes of the rules."""


def newest_patches() -> list[str]:
    """Return the newest patch of each minor release of the catalogue, the oldest first."""
    return [f"{minor}.{patches[-1]}" for minor, patches in PATCHES.items()]


def all_claims() -> Claims:
    """Return the claims of all rules that have any."""
    found: dict[str, Sequence[Claim]] = {}
    for module in modules():
        rule = rule_of(module)
        if rule is None or not file_of(module).endswith(".py"):
            continue
        claims: Callable[[], Sequence[Claim]] | None = getattr(importlib.import_module(module), "claims", None)
        if claims is not None:
            found[rule.code] = list(claims())
    return found


def settings_of(text: str) -> dict[str, str]:
    """Return the settings in the lines of a claim; the last one of a key counts."""
    pairs = (line.partition(": ") for line in text.splitlines() if line.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def answers(claims: Iterable[Claim], releases: Iterable[str]) -> dict[Claim, list[Verdict]]:
    """Return what each release answers to each claim; raises AssertionError if a JVM fails."""
    claims = list(dict.fromkeys(claims))
    found: dict[Claim, list[Verdict]] = {claim: [] for claim in claims}
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        _compile(scratch)
        _provide_files(scratch / "files")
        for release in releases:
            asked = [claim for claim in claims if parse_release(release) in ReleaseRange(claim.releases)]
            # Several claims may have the same neighbor.
            texts = dict.fromkeys((claim.probe, text) for claim in asked for text in (claim.bad, claim.good))
            names = {one: str(number) for number, one in enumerate(texts)}
            questions = [
                _question(name, probe, text.replace(FILES, f"{scratch}/files/"))
                for (probe, text), name in names.items()
            ]
            scripts = [text for probe, text in names if probe == SCRIPTS]
            given = _ask(release, questions, scratch, connector_jars(release, scripts))
            for claim in asked:
                bad, good = (given[names[claim.probe, text]] for text in (claim.bad, claim.good))
                found[claim].append(Verdict(release, bad, good))
    return found


def connector_jars(release: str, scripts: Iterable[str]) -> list[Path]:
    """Return the jars of the connectors and formats that scripts name, in the newest release that fits a Flink."""
    named = {name for script in scripts for name in _NAMED.findall(script)}
    index = nearest_index(parse_release(release))
    wanted = set()
    for name in named:
        for section in ("connectors", "formats", "catalogs"):
            factory = connectors().factory(section, name)
            if factory is not None and not factory.line.is_shipped:
                fitting = [factory.line.releases[place] for place in factory.line.fitting(index)]
                # One for a later Flink may need classes that this one does not have.
                built = [one for one in fitting if one.flink <= index] or fitting[:1]
                wanted.add((factory.line.name, built[-1].version))
    releases = [
        next(one for one in line.releases if one.version == version)
        for line in LINES
        for name, version in sorted(wanted)
        if name == line.name
    ]
    return [jar for jars in bring(releases, connectors_cache()).values() for jar in jars]


def _provide_files(folder: Path) -> None:
    """Create the files that settings of claims name."""
    folder.mkdir()
    key = ["-genkeypair", "-keyalg", "RSA", "-alias", "flink", "-dname", "CN=flink", "-storetype", "PKCS12"]
    store = ["-keystore", str(folder / "keystore.jks"), "-storepass", "secret", "-keypass", "secret"]
    subprocess.run(["keytool", *key, *store], capture_output=True, check=True)


def _question(name: str, probe: str, text: str) -> str:
    settings = {"sql": text} if probe == SCRIPTS else settings_of(text)
    pairs = (f"{encoded(key)}={encoded(value)}" for key, value in settings.items())
    return "\t".join((name, probe, *pairs)) + "\n"


def _compile(folder: Path) -> None:
    """Compile the program against the oldest release: everything else it finds by reflection."""
    oldest = flink_libraries(newest_patches()[0])
    command = ["javac", "-nowarn", "-Xlint:none", "-cp", f"{oldest}/*", "-d", str(folder)]
    command += map(str, sorted(_PROGRAM.glob("*.java")))
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def _ask(release: str, questions: Sequence[str], scratch: Path, connectors: Sequence[Path]) -> dict[str, str]:
    """Return the answers of a release by the names of the questions; one that ends the JVM refuses the question."""
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    opened.append("--add-exports=java.base/sun.net.util=ALL-UNNAMED")  # up to 1.11, made for Java 8
    path = f"{scratch}{os.pathsep}{flink_libraries(release)}/*"
    (scratch / "tmp").mkdir(exist_ok=True)
    options = [
        f"-Dflint.connectors={os.pathsep.join(map(str, connectors))}",
        "-XX:TieredStopAtLevel=1",
        f"-Djava.io.tmpdir={scratch}/tmp",
        "-Dfile.encoding=UTF-8",
        *opened,
        "-cp",
        path,
    ]
    asked, answered = scratch / "questions", scratch / "answers"
    found: dict[str, str] = {}
    remaining = list(questions)
    while remaining:
        asked.write_text("".join(remaining), encoding="utf-8")
        command = ["java", *options, "Oracle", str(asked), str(answered)]
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", check=False, cwd=scratch
        )
        given = dict(line.split("\t", 1) for line in answered.read_text("utf-8").splitlines())
        found.update(given)
        remaining = remaining[len(given) :]
        if remaining:
            assert done.returncode > 0, f"{release}: {done.stderr[-2000:]}"
            found[remaining.pop(0).partition("\t")[0]] = f"!the process ends with status {done.returncode}"
    return {name: _kept(answer) for name, answer in found.items()}


def _kept(answer: str) -> str:
    return answer if len(answer) <= _LONGEST else f"{answer[:_LONGEST]}…"
