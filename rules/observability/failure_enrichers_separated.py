"""Failure enrichers are not separated by commas, so none of them is found.

## What it does
Reports `jobmanager.failure-enrichers` whose value holds a `;` or is a YAML list.

## Why it matters
The option is one text that Flink splits at commas, unlike its lists of other options. `a.B;c.D` and `[a.B, c.D]` are
names of no class: Flink starts, no enricher is active, and failures carry no labels.

## What to do
Write the names of the classes with commas between them, and put each jar into a folder of its own under `plugins/`.

## Not when
There is one class, or a template fills the value in.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/failure_enrichers/>: how enrichers are
  written, deployed and named
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#jobmanager-failure-enrichers>: a list
  separated by commas
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_ENRICHERS = "jobmanager.failure-enrichers"


@rule(
    code="FLK937",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_ENRICHERS],
    flink=">=1.18",
    since="0.1",
)
def failure_enrichers_separated(config: View) -> Iterator[Finding]:
    """failure enrichers are not separated by commas, so none of them is found"""
    enrichers = config.get(_ENRICHERS)
    text = enrichers.text.strip()
    is_list = text.startswith("[")
    if not enrichers.is_known or not (is_list or ";" in text):
        return
    names = [name.strip(" '\"") for name in text.strip("[]").replace(";", ",").split(",")]
    plain = ",".join(name for name in names if name)
    yield enrichers.finding(
        f"Flink splits the names at commas alone, and finds no class named {text}: no enricher is active",
        help=f"write {plain}",
        fix=None if is_list else enrichers.replace(plain),
    )


def claims() -> list[Claim]:
    return [
        flink_uses(
            "failure enrichers",
            f"{_ENRICHERS}: a.B;c.D\n",
            "[a.B;c.D]",
            good=f"{_ENRICHERS}: a.B,c.D\n",
            releases=">=1.18",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(f"{_ENRICHERS}: a.B;c.D\n", flink="1.18", at=_ENRICHERS, severity=Severity.WARNING,
            says="no class named a.B;c.D", fixed=f"{_ENRICHERS}: a.B,c.D\n"),
        bad(f"{_ENRICHERS}: [a.B, c.D]\n", flink="2.1", says="no enricher is active"),
        bad(f"{_ENRICHERS}: '[a.B]'\n", flink="1.20"),
        bad(f"{_ENRICHERS}: a.B; c.D;\n", flink="1.18", fixed=f"{_ENRICHERS}: a.B,c.D\n"),
        good(f"{_ENRICHERS}: a.B, c.D\n", flink="1.18"),
        good(f"{_ENRICHERS}: a.B\n", flink="2.1"),
        good(f"{_ENRICHERS}: '{{{{ enrichers }}}};a.B'\n", flink="1.18"),
    ]  # fmt: skip
