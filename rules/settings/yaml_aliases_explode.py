"""Aliases in config.yaml repeat a value so often that it grows without bound.

## What it does
Follows the aliases (`*name`) of config.yaml and counts the elements a value has once each of them is written
out. Reports a value with more than 10 000.

## Why it matters
Flink loads such a file, because aliases cost nothing until a value is used. Whatever prints, copies or parses the
value (the log at the start, the web interface, a reader of the option) then writes all of it out, and a file of
20 lines fills the heap. No Flink option needs that many elements: it is a mistake, or an attack on whatever reads
the file.

## What to do
Write the value out, or delete the lines. Flink's options need no anchors and aliases.

## Sources
- <https://en.wikipedia.org/wiki/Billion_laughs_attack>: the pattern, which YAML shares with XML
- <https://yaml.org/spec/1.2.2/#71-alias-nodes>: what an alias stands for
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK045",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    flink=">=1.19",
    since="0.1",
    when=["config-yaml"],
    thresholds={"most": Threshold(10_000, "elements that one value may have with its aliases written out")},
)
def yaml_aliases_explode(config: View) -> Iterator[Finding]:
    """aliases repeat a value until it fills the heap"""
    if "*" not in config.document.text:
        return
    sizes: dict[int, int] = {}
    worst, most = None, config.threshold("most")
    for key, entry in config.document.effective.items():
        size = _elements(entry.value, sizes) if isinstance(entry.value, (list, dict)) else 0
        if size > most and (worst is None or size > worst[1]):
            worst = key, size
    if worst is not None:
        key, size = worst
        yield config.written(key).finding(
            f"written out, the aliases in {key} make {size:,} elements; whatever reads or logs the value runs out of"
            " memory",
            help="write the value out, or delete the lines; no option of Flink needs aliases",
            evidence={"elements": size},
            measure=size,
        )


def _elements(value: object, sizes: dict[int, int]) -> int:
    """The leaves of a value with its aliases written out; each shared part is counted once and remembered."""
    waiting = [value]
    while waiting:
        part = waiting[-1]
        inner = _parts(part)
        unknown = [one for one in inner if id(one) not in sizes and isinstance(one, (list, dict))]
        if unknown:
            waiting += unknown
        else:
            sizes[id(part)] = sum(sizes.get(id(one), 1) for one in inner)
            waiting.pop()
    return sizes[id(value)]


def _parts(value: object) -> list[object]:
    return list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []


_BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 21))

_THOUSAND = "a: &a [[" + "x, " * 1_000 + "]]\n"


def cases() -> list[Case]:
    return [
        bad(f"rest.port: 8081\n{_BOMB}", at="a20", says="2,097,152 elements"),
        good("rest.port: 8081\na: &a [x, y]\nb: [*a, *a]\n"),
        good("rest.port: 8081\nrest.address: '*'\n"),
        good(f"rest.port: 8081\n{_BOMB}", flink="1.18", file="config.yaml"),
        good("rest.port: 8081\n" + _THOUSAND + f"b: [{'*a, ' * 10}]\n"),
        bad("rest.port: 8081\n" + _THOUSAND + f"b: [{'*a, ' * 10} x]\n", at="b", says="10,001 elements"),
        good("rest.port: 8081\na: [" + "x, " * 10_001 + "]\n"),
        bad(f"rest.port: 8081\n{_BOMB}b: [*a13, *a13]\n", at="a20"),
        bad(
            "rest.port: 8081\na: &a [" + "{p: 1, q: 2}, " * 505 + "]\n" + f"b: [{'*a, ' * 10}]\n",
            says="10,100 elements",
        ),
    ]
