"""Random values: flint refuses what a release refuses, by the grammars of `linter.flink.grammars`."""

from __future__ import annotations

import random
import re

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, source_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.grammars.grammar import MAX_PORT
from flink_flint.linter.flink.grammars.texts import (
    FINGERPRINT,
    PORT_RANGE,
    PORT_RANGE_OF_TWO,
    SCHEME,
    TIME_ZONE,
    TIME_ZONE_OR_OFFSET,
)
from flink_flint.linter.model.claim import Claim
from flink_flint.linter.model.finding import Severity
from flink_flint.rules.settings._refused_values import STORES
from flink_flint.rules.settings.out_of_hard_range import claims
from tests.oracle.agreement import file_name, spelled_for
from tests.oracle.asking import answers

SEED = 20
RULES = ("FLK019", "FLK021", "FLK023", "FLK025", "FLK026", "FLK027")
"""The rules on single values."""
_SLOW = ("process", "run")
_INTEGERS = (-2, -1, 0, 1, 2, 9, 10, 11, 100)
_FRACTIONS = (-0.5, 0.0, 0.5, 0.99, 1.0, 1.5, 2.0)
_NOT_ASKED = (
    # 0 is refused by the thread pool of the probe, but not by that of a JobManager.
    "jobstore.expiration-time",
    # Which values are refused depends on other options: the initial backoff, and high availability.
    "restart-strategy.exponential-delay.max-backoff",
    "kubernetes.jobmanager.replicas",
    # Only the size of the pages makes the smaller values too small.
    "taskmanager.memory.framework.off-heap.batch-shuffle.size",
)


def is_refused(text: str, release: str) -> bool:
    name = file_name(release)
    source = source_of(f"conf/{name}", spelled_for(name, text).encode())
    assert isinstance(source, Source)
    report = check([source], Options(flink_version=release, select=RULES, profile="production"))
    return any(finding.severity == Severity.ERROR for finding in report.findings)


def varied(claim: Claim, chance: random.Random) -> Claim | None:
    """The claim with another value in place of the one that is refused; None if its value is not a number."""
    both, _, line = claim.bad.rstrip("\n").rpartition("\n")
    key, _, value = line.partition(": ")
    number = re.fullmatch(r"(-?\d+(?:\.\d+)?)( \w+)?", value)
    if number is None or key in _NOT_ASKED:
        return None
    is_fraction = "." in value or key.endswith(("factor", "ratio", "multiplier", "threshold"))
    other = chance.choice(_FRACTIONS if is_fraction and not number[2] else _INTEGERS)
    return claim._replace(bad=f"{both}\n{key}: {other}{number[2] or ''}\n".lstrip("\n"))


@pytest.mark.flink
def test_numbers_are_refused_as_real_releases_refuse_them() -> None:
    chance = random.Random(SEED)
    plain = [claim for claim in claims() if not claim.probe.endswith(_SLOW)]
    asked = [one for claim in plain for _ in range(3) if (one := varied(claim, chance)) is not None]
    wrong = [
        (verdict, claim.bad)
        for claim, verdicts in answers(asked, ["1.20.5", "2.3.0"]).items()
        for verdict in verdicts
        if verdict.is_asked and is_refused(claim.bad, verdict.release) != verdict.bad.startswith("!")
    ]
    assert len(asked) > 150
    assert wrong == []


@pytest.mark.flink
@pytest.mark.parametrize(("release", "grammar"), [("1.13.6", PORT_RANGE), ("2.3.0", PORT_RANGE_OF_TWO)])
def test_ranges_of_ports_are_read_as_real_releases_read_them(release: str, grammar: object) -> None:
    chance = random.Random(SEED)
    texts = list(dict.fromkeys(_ports(chance) for _ in range(400)))
    asked = [Claim("port range", f"ports: {text}\n", "ports: 0\n") for text in texts]
    wrong = []
    for claim, (verdict,) in answers(asked, [release]).items():
        text = claim.bad.removeprefix("ports: ").rstrip("\n").strip()
        names_ports = verdict.bad.startswith("+") and verdict.bad != "+0 ports"
        if grammar.takes(text) != names_ports:  # type: ignore[attr-defined]
            wrong.append((text, verdict.bad))
    assert wrong == []


@pytest.mark.flink
@pytest.mark.parametrize("release", ["1.13.6", "2.3.0"])
def test_texts_are_read_as_real_releases_read_them(release: str) -> None:
    chance = random.Random(SEED)
    drawn = {
        ("JobManager", "fs.default-scheme", "file:///", SCHEME): [_uri(chance) for _ in range(150)],
        ("query", "table.local-time-zone", "UTC", TIME_ZONE if release > "2" else TIME_ZONE_OR_OFFSET): list(_ZONES),
        ("internal TLS", "security.ssl.internal.cert.fingerprint", _HEX, FINGERPRINT): [
            _fingerprint(chance) for _ in range(30)
        ],
    }
    both = {"internal TLS": STORES}
    asked = {
        Claim(probe, f"{both.get(probe, '')}{key}: {text}\n", f"{both.get(probe, '')}{key}: {good}\n"): (text, grammar)
        for (probe, key, good, grammar), texts in drawn.items()
        for text in texts
    }
    wrong = []
    for claim, (verdict,) in answers(asked, [release]).items():
        text, grammar = asked[claim]
        assert verdict.is_asked, claim
        if grammar.takes(text.strip()) == verdict.bad.startswith("!"):
            wrong.append((text, verdict.bad))
    assert wrong == []


_HEX = "00A0B0C0D0E0F000A0B0C0D0E0F000A0B0C0D0E0"
_ZONES = (
    "UTC", "GMT", "GMT+8", "GMT-08:00", "Etc/GMT+8", "Asia/Shanghai", "America/Port_of_Spain", "Europe/Isle_of_Man",
    "UTC+8", "UTC+08:00", "utc", "Mars", "PST", "CST", "IST", "JST", "america/new_york", "America/new_York", "+08:00",
    "-5", "Utc", "GB", "NZ-CHAT", "Zulu", "default",
)  # fmt: skip


def _uri(chance: random.Random) -> str:
    schemes = ("hdfs", "s3", "file", "a+b", "1a", "", "h d", "C", "h_f")
    rests = (
        "",
        "/",
        "//",
        "///",
        "//host",
        "//host:8020/a",
        "/a b",
        "\\a",
        "/a%20b",
        "/a%2",
        "a",
        "/ä",
        "//h/{a}",
        "?q",
    )
    return f"{chance.choice(schemes)}{chance.choice((':', ':', ':', ''))}{chance.choice(rests)}"


def _fingerprint(chance: random.Random) -> str:
    text = chance.choice((_HEX, _HEX.lower(), _HEX[:-1], f"{_HEX}0", f"{_HEX},{_HEX}", f"{_HEX},x", _HEX[:-1] + "g"))
    return "".join(char + chance.choice(("", "", ":")) for char in text)


def _ports(chance: random.Random) -> str:
    numbers = ("0", "1", "5", "0080", "+9", "50100", "50200", str(MAX_PORT), str(MAX_PORT + 1), "-1", "a", "")
    parts = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        start, end = chance.choice(numbers), chance.choice(numbers)
        parts.append(start if chance.random() < 0.5 else f"{start}{chance.choice(('-', '-', '-', ' - ', '--'))}{end}")
    return chance.choice((",", ",", ", ", ";")).join(parts)
