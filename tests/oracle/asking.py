"""Asks real releases of Flink about the claims of rules: one JVM a release, which answers all."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zlib import crc32

from flink_flint.linter.engine.registry import file_of, modules, rule_of
from flink_flint.linter.engine.verdicts import Verdict
from flink_flint.linter.flink.generate.connectors.lines import LINES, Release
from flink_flint.linter.flink.generate.connectors.maven import bring
from flink_flint.linter.flink.generate.distributions import PATCHES
from flink_flint.linter.flink.releases import ReleaseRange, nearest_index, parse_release
from flink_flint.linter.flink.tables.connectors import connectors
from flink_flint.linter.model.claim import DOCUMENTS, Claim
from tests.flink.loading import encoded
from tests.live.distribution import connectors_cache, flink_home, flink_libraries

_PROGRAM = Path(__file__).parent
_TOGETHER = 4
"""How many questions that mostly wait a JVM is asked at a time."""
_OPENED = ("java.lang", "java.util", "java.util.concurrent", "java.net", "java.nio", "java.time")
_NAMED = re.compile(r"'(?:connector|type|(?:[a-z]+\.)?format)'\s*=\s*'([^']+)'")
_IMPORTED = re.compile(r"import (?:static )?org\.apache\.flink\.(?:streaming\.connectors|connector)\.(\w+)")
_LINES_OF_PACKAGES = {"elasticsearch": "elasticsearch7"}
"""The connectors whose packages have another name."""
_HASH = re.compile(r"(?<=[\w;])@[0-9a-f]{5,8}\b")
_ENDING = "JVM is shutting down"
"""What log4j says where a shutdown hook comes too late."""
_LONGEST = 160
"""How much of an answer is kept."""

_OTHER_PATCHES = {"1.20": "1.20.0"}
"""The patches of which the package index has optional parts of Flink, where it has not those of the newest."""

FILES = "/etc/flink/"
"""The folder that settings of claims name for the files that they need: a `keystore.jks` with the password `secret`."""

Claims = Mapping[str, Sequence[Claim]]
"""The claims of rules, by the codes of the rules."""


def newest_patches() -> list[str]:
    """Return the newest patch of each minor release of the catalogue, the oldest first."""
    return [f"{minor}.{patches[-1]}" for minor, patches in PATCHES.items()]


def older_patches(claims: Iterable[Claim]) -> list[str]:
    """Return the patches that claims ask beside the newest ones, the oldest first."""
    return sorted({patch for claim in claims for patch in claim.also.split()}, key=parse_release)


def is_asked(claim: Claim, release: str) -> bool:
    """Return whether a claim is about a release: in its range and the newest patch, or an older one that it names."""
    newest = release in newest_patches()
    return parse_release(release) in ReleaseRange(claim.releases) if newest else release in claim.also.split()


def all_claims() -> Claims:
    """Return the claims of all rules that have any."""
    found: dict[str, Sequence[Claim]] = {}
    for module in modules():
        rule = rule_of(module)
        if rule is None:
            continue
        home = importlib.import_module(module) if file_of(module).endswith(".py") else sys.modules[module]
        claims: Callable[[], Sequence[Claim]] | None = getattr(home, "claims", None)
        if claims is not None:
            found[rule.code] = list(claims())
    return found


def settings_of(text: str) -> dict[str, str]:
    """Return the settings in the lines of a claim; the last one of a key counts."""
    pairs = (line.partition(": ") for line in text.splitlines() if line.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def answers(
    claims: Iterable[Claim], releases: Iterable[str], slowest: dict[Claim, int] | None = None
) -> dict[Claim, list[Verdict]]:
    """Return what each release answers to each claim; raises AssertionError if a JVM fails.

    `slowest` is given the milliseconds that the slower answers to each claim took, over all releases.
    """
    claims, releases = list(dict.fromkeys(claims)), list(releases)
    found: dict[Claim, list[Verdict]] = {claim: [] for claim in claims}
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        _compile(scratch / "program")
        _provide_files(scratch / "files")

        def of_release(release: str) -> tuple[list[Claim], dict[tuple[str, str], tuple[int, str]]]:
            asked = [claim for claim in claims if is_asked(claim, release)]
            # Several claims may have the same neighbor.
            texts = dict.fromkeys((claim.probe, text) for claim in asked for text in (claim.bad, claim.good))
            names = {one: str(number) for number, one in enumerate(texts)}
            questions = [
                _question(name, probe, text.replace(FILES, f"{scratch}/files/"), release)
                for (probe, text), name in names.items()
            ]
            jars = connector_jars(release, [text for probe, text in names if probe.startswith("SQL")])
            parts = {probe for probe, _ in names}
            jars += file_system_jars(release) if parts & {"file system", "bucket"} else []
            jars += gateway_jars(release) if "SQL gateway" in parts else []
            reporters = reporter_jars(release) if "reporter" in parts else []
            given = _ask(release, questions, scratch, jars, reporters)
            return asked, {one: given[name] for one, name in names.items()}

        with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as several:
            for release, (asked, given) in zip(releases, several.map(of_release, releases), strict=True):
                for claim in asked:
                    (bad_time, bad), (good_time, good) = given[claim.probe, claim.bad], given[claim.probe, claim.good]
                    found[claim].append(Verdict(release, _kept(bad, claim.shows), _kept(good, claim.shows)))
                    if slowest is not None:
                        slowest[claim] = slowest.get(claim, 0) + bad_time + good_time
    return found


def connector_jars(release: str, scripts: Iterable[str]) -> list[Path]:
    """Return the jars of the connectors and formats that scripts name, in the newest release that fits a Flink."""
    named = {name for script in scripts for name in _NAMED.findall(script)}
    sections = ("connectors", "formats", "catalogs")
    factories = [connectors().factory(section, name) for name in named for section in sections]
    return _jars_of(release, {one.line.name for one in factories if one is not None and not one.line.is_shipped})


def program_jars(release: str, program: str) -> list[Path]:
    """Return the jars of the connectors that a program imports, in the newest release that fits a Flink."""
    packages = set(_IMPORTED.findall(program))
    return _jars_of(release, {_LINES_OF_PACKAGES.get(name, name) for name in packages} & set(connectors().lines))


def _jars_of(release: str, names: Iterable[str]) -> list[Path]:
    index = nearest_index(parse_release(release))
    wanted = []
    for name in sorted(names):
        line = connectors().lines[name]
        fitting = [line.releases[place] for place in line.fitting(index)]
        # One for a later Flink may need classes that this one does not have.
        version = ([one for one in fitting if one.flink <= index] or fitting[:1])[-1].version
        wanted += [one for made in LINES if made.name == name for one in made.releases if one.version == version]
    return [jar for jars in bring(wanted, connectors_cache()).values() for jar in jars]


def file_system_jars(release: str) -> list[Path]:
    """Return the jar of the file system of S3 of a release, or of the nearest patch that the package index has."""
    return _published("flink-s3-fs-hadoop", release)


def gateway_jars(release: str) -> list[Path]:
    """Return the jar of the SQL gateway of a release; none before the first that has one."""
    return _published("flink-sql-gateway", release) if parse_release(release) in ReleaseRange(">=1.16") else []


def _published(artifact: str, release: str) -> list[Path]:
    minor = release.rpartition(".")[0]
    patch = _OTHER_PATCHES.get(minor, release)
    found = bring([Release(f"org.apache.flink:{artifact}", patch, minor, alone=True)], connectors_cache())
    return [jar for jars in found.values() for jar in jars]


def reporter_jars(release: str) -> list[Path]:
    """Return the jars of the reporters of a release; none where the package index has no distribution of it."""
    if parse_release(release) not in ReleaseRange(">=1.19"):
        return []
    return sorted((flink_home(release) / "plugins").glob("metrics-*/*.jar"))


def _provide_files(folder: Path) -> None:
    """Create the files that settings of claims name."""
    folder.mkdir()
    key = ["-genkeypair", "-keyalg", "RSA", "-alias", "flink", "-dname", "CN=flink", "-storetype", "PKCS12"]
    store = ["-keystore", str(folder / "keystore.jks"), "-storepass", "secret", "-keypass", "secret"]
    subprocess.run(["keytool", *key, *store], capture_output=True, check=True)


def _question(name: str, probe: str, text: str, release: str) -> str:
    settings = {"text": text} if probe in DOCUMENTS else settings_of(text)
    if probe == "program":
        settings["jars"] = "".join(f"{os.pathsep}{jar}" for jar in program_jars(release, text))
    pairs = (f"{encoded(key)}={encoded(value)}" for key, value in settings.items())
    return "\t".join((name, probe, *pairs)) + "\n"


def _compile(folder: Path) -> None:
    """Compile the program against the oldest release: everything else it finds by reflection."""
    oldest = flink_libraries(newest_patches()[0])
    sources = sorted(map(str, _PROGRAM.glob("*.java")))
    command = ["javac", "-nowarn", "-Xlint:none", "-cp", f"{oldest}/*", "-d", str(folder), *sources]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    services = folder / "META-INF" / "services" / "org.apache.flink.metrics.reporter.MetricReporterFactory"
    services.parent.mkdir(parents=True)
    services.write_text("TestReporter\n", encoding="utf-8")


def _ask(
    release: str, questions: Sequence[str], scratch: Path, connectors: Sequence[Path], reporters: Sequence[Path] = ()
) -> dict[str, tuple[int, str]]:
    """Return times and answers of a release by the names of the questions; one that ends the JVM is a refusal.

    Questions that wait are asked together. Where one of them ends the JVM, all that have no answer yet are asked again,
    one after the other, which shows which one it is.
    """
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    opened.append("--add-exports=java.base/sun.net.util=ALL-UNNAMED")  # up to 1.11, made for Java 8
    path = os.pathsep.join((f"{scratch}/program", f"{flink_libraries(release)}/*", *map(str, reporters)))
    options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Dfile.encoding=UTF-8", *opened]
    home = scratch / release
    home.mkdir()
    options.append(f"-Dflint.connectors={os.pathsep.join(map(str, connectors))}")
    options += [f"-Djava.io.tmpdir={home}", "-cp", path]
    asked, answered = home / "questions", home / "answers"
    found: dict[str, tuple[int, str]] = {}
    remaining = list(questions)
    together = [str(_TOGETHER)]
    while remaining:
        asked.write_text("".join(remaining), encoding="utf-8")
        command = ["java", *options, "Oracle", str(asked), str(answered), *together]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False, cwd=home)
        for line in answered.read_text("utf-8").splitlines():
            name, taken, answer = line.split("\t", 2)
            if together and _ENDING in answer:
                continue  # another question was ending the JVM
            found[name] = int(taken), _stable(answer, scratch, home)
        remaining = [question for question in remaining if question.partition("\t")[0] not in found]
        if remaining:
            assert together or done.returncode > 0, f"{release}: {done.stderr[-2000:]}"
            if not together:
                found[remaining.pop(0).partition("\t")[0]] = 0, f"!the process ends with status {done.returncode}"
            together = []
    shutil.rmtree(home)
    return found


def _stable(answer: str, scratch: Path, home: Path) -> str:
    """Return an answer without what differs from run to run: folders and identity hashes."""
    return _HASH.sub("@…", answer.replace(str(home), "/tmp").replace(f"{scratch}/files/", FILES))


def _kept(answer: str, shows: str) -> str:
    """Return an answer, cut to where it shows something; what was built of two configurations stays different."""
    if len(answer) <= _LONGEST:
        return answer
    start = answer.find(shows) if shows not in answer[:_LONGEST] else -1
    kept = answer[:_LONGEST] if start < 0 else f"{answer[0]}…{answer[start : start + _LONGEST]}"
    return f"{kept}…" + (f" {crc32(answer.encode()):08x}" if answer.startswith("+") else "")
