"""Flink knows no such restart strategy.

## What it does
Compares `restart-strategy.type` (`restart-strategy` up to 1.16) with the names Flink takes, in any case: `none`,
`off`, `disable`; `fixed-delay`, `fixeddelay`; `failure-rate`, `failurerate`; and from 1.13 on
`exponential-delay`, `exponentialdelay`.

## Why it matters
Every job fails at submission: "Unknown restart strategy fixed_delay.", from 1.19 on "fixed_delay is an unknown
value of RestartStrategyType". There is no `default`, `fallback` or `no-restart`, and no `_` for `-`.

## What to do
Write one of the names above, or leave the option out for the default: with checkpointing endless restarts (a fixed
delay of 1 s up to 1.18, an exponential delay from 1.19 on), without it none.

## Not when
The name of a factory class, which releases up to 1.12 accept; from 1.13 on they refuse that, too.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>:
  the strategies and their names
"""

import re
from collections.abc import Iterator

from flink_flint.linter.flink.restart_strategy_names import STRATEGIES, strategy_named
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_MEANT = {
    "no-restart": "none", "norestart": "none", "never": "none", "disabled": "none", "false": "none", "no": "none",
    "fixed": "fixed-delay", "rate": "failure-rate", "exponential": "exponential-delay",
    "exponential-backoff": "exponential-delay",
}  # fmt: skip
_DEFAULT = ("default", "fallback", "fall-back")


@rule(
    code="FLK602",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    flink=">=1.10",
    reads=["restart-strategy.type"],
    since="0.1",
)
def restart_strategy_unknown(config: View) -> Iterator[Finding]:
    """the restart strategy is none that Flink knows"""
    setting = config.get("restart-strategy.type")
    text = setting.text
    # Quotes that flink-conf.yaml keeps as part of a value are a fault of their own.
    if not setting.is_set or not setting.is_known or text[:1] in ("'", '"'):
        return
    strategy = strategy_named(text)
    if strategy == "exponential-delay" and not config.since("1.13"):
        # A file for an unknown release that says so is for one that has it.
        if config.target.certain:
            yield setting.finding(
                f"{text} is a restart strategy of Flink 1.13 and later; no job can be submitted",
                help="write fixed-delay or failure-rate, or upgrade",
            )
    elif strategy is None and not ("." in text and not config.since("1.13")):
        meant, certain = _meant(text)
        yield setting.finding(
            f"{text or 'an empty text'} is no restart strategy, so every job fails when it is submitted",
            help=_remedy(text, meant),
            fix=setting.replace(meant, safe=certain) if meant else None,
        )


def _remedy(text: str, meant: str | None) -> str:
    if text.lower() in _DEFAULT:
        return "leave the option out for the default"
    return f"write {meant}" if meant else f"write one of {', '.join(STRATEGIES)}"


def _meant(text: str) -> tuple[str | None, bool]:
    """The strategy someone must have meant, and whether only separators are wrong."""
    plain = re.sub(r"[\s_-]+", "-", text.strip().lower())
    if (strategy := strategy_named(plain)) is not None:
        return strategy, True
    if plain in _MEANT:
        return _MEANT[plain], False
    import difflib

    near = difflib.get_close_matches(plain, STRATEGIES, n=1, cutoff=0.8)
    return (near[0], False) if near else (None, False)


def cases() -> list[Case]:
    return [
        bad(
            "restart-strategy: fixed_delay\n",
            at="restart-strategy.type",
            flink="1.15",
            severity=Severity.ERROR,
            fixed="restart-strategy: fixed-delay\n",
        ),
        bad("restart-strategy.type: no-restart\n", fixed="restart-strategy.type: none\n", severity=Severity.ERROR),
        bad("restart-strategy.type: default\n", says="default is no restart strategy"),
        bad("restart-strategy: exponential-delay\n", flink="1.12", says="1.13 and later"),
        bad("restart-strategy: com.example.MyFactory\n", flink="1.18"),
        good("restart-strategy: exponential-delay\n", file="flink-conf.yaml"),
        good("restart-strategy: fixeddelay\n", flink="1.18"),
        good("restart-strategy.type: OFF\n"),
        # Another rule reports the key; the option that 1.16 reads is not set.
        good("restart-strategy.type: exponential-delay\n", flink="1.16"),
        good("restart-strategy: com.example.MyFactory\n", flink="1.12"),
        good("restart-strategy.type: '{{ strategy }}'\n"),
        good("restart-strategy.fixed-delay.attempts: 3\n", flink="1.18"),
        good("restart-strategy: 'fixed-delay'\n", flink="1.18"),
        good('restart-strategy: "fixed-delay"\n', flink="1.18"),
        good("restart-strategy: exponential-delay\n", flink="1.13"),
        bad("restart-strategy: bogus\n", flink="1.12", fixed="restart-strategy: bogus\n"),
        bad("restart-strategy.type: fixed _ delay\n", fixed="restart-strategy.type: fixed-delay\n"),
        bad("restart-strategy.type: failure-rates\n", fixed="restart-strategy.type: failure-rate\n"),
        bad("restart-strategy.type: exponential_backoff\n", fixed="restart-strategy.type: exponential-delay\n"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses("restart strategy", "restart-strategy: fixed_delay\n", good="restart-strategy: fixed-delay\n"),
        flink_refuses(
            "restart strategy", "restart-strategy: exponential-delay\n", good="restart-strategy: failure-rate\n"
        ),
        flink_refuses("restart strategy", "restart-strategy: default\n", good="restart-strategy: none\n"),
        flink_refuses("restart strategy", "restart-strategy: no-restart\n", good="restart-strategy: off\n"),
    ]
