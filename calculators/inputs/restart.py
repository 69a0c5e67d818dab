"""Inputs of the restart calculator: the outage to survive, and the current strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

from flink_flint.calculators.answering.declaration import BadInput, Inputs, ask
from flink_flint.calculators.formulas.quantity import (
    COUNT,
    FRACTION,
    NUMBER,
    SECONDS,
    YES_NO,
    BadQuantity,
    Unit,
    choice,
    spell_duration,
)
from flink_flint.linter.flink.restart_strategy_names import STRATEGIES, strategy_named

PREFIX = "restart-strategy."


def _strategy(text: str) -> str:
    """Return the strategy for any name that Flink accepts for it."""
    named = strategy_named(text.strip())
    if named is None:
        raise BadQuantity(f"{text!r} is not one of {', '.join(STRATEGIES)}")
    return named


STRATEGY: Unit = choice(*STRATEGIES)._replace(parse=_strategy)


def _uses(*strategies: str | None) -> Callable[[_Failing], bool]:
    """Return a condition that is true if the current strategy is one of `strategies`."""
    return lambda inputs: inputs.current_strategy in strategies


def _counts_regions(inputs: Restart | CurrentRestart) -> bool:
    return any(one in ("fixed-delay", "failure-rate") for one in (inputs.strategy, inputs.current_strategy))


@dataclass(frozen=True, kw_only=True)
class _Failing(Inputs):
    """Inputs about the failing job, for both directions."""

    restart_time: float = ask(
        SECONDS,
        "how long from a restart until the job fails again: deployment, and the time until the outage has an effect",
        default=0.0,
        assumed="it fails at once, which causes the maximum number of restarts",
        least=0,
    )
    jobs: int = ask(COUNT, "the jobs that lose the same service", default=1, assumed="this job alone", least=1)
    failures_at_once: int = ask(
        COUNT,
        "the regions of the job (parts without a shuffle between them) that fail together, each of which counts",
        default=1,
        assumed="the job is one region",
        least=1,
        when=_counts_regions,
    )

    @property
    def current_strategy(self) -> str | None:
        """The strategy whose settings are evaluated; None if not known."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class _Required(_Failing):
    """Inputs about the requirements for a strategy."""

    outage: float = ask(SECONDS, "the longest outage of a service that the job must survive", above=0)
    patience: float = ask(
        SECONDS,
        "how long the job may stay down after the outage is over: the maximum delay",
        default=60.0,
        assumed="one minute, Flink's default from 1.19 on",
        least=0.001,
    )
    strategy: str | None = ask(
        choice(*STRATEGIES[1:]),
        "the restart strategy to size (default: exponential-delay; fixed-delay up to Flink 1.12)",
        default=None,
    )
    give_up: bool = ask(
        YES_NO,
        "whether the job must fail permanently in an outage longer than that",
        default=False,
        assumed="nothing starts it again automatically",
    )
    in_force: str | None = ask(STRATEGY, "the current restart strategy", default=None, option=PREFIX + "type")

    @property
    def current_strategy(self) -> str | None:
        return self.strategy if "in_force" in self.unknown else self.in_force


@dataclass(frozen=True, kw_only=True)
class _Judged(_Failing):
    """Inputs for the evaluation of the current strategy."""

    outage: float = ask(SECONDS, "the outage for the evaluation", default=600.0, assumed="ten minutes", above=0)
    strategy: str | None = ask(
        STRATEGY, "the restart strategy (default: that of the release)", default=None, option=PREFIX + "type"
    )
    checkpointing: bool = ask(
        YES_NO,
        "whether checkpointing is on, without which Flink does not restart by default",
        default=True,
        assumed="a streaming job has checkpoints",
        when=_uses(None),
    )

    @property
    def current_strategy(self) -> str | None:
        return self.strategy


@dataclass(frozen=True, kw_only=True)
class _Settings(_Failing):
    """The settings of the current strategy."""

    attempts: int = ask(
        COUNT,
        "the current attempts of fixed-delay",
        default=1,
        assumed="Flink's default",
        least=0,
        option=PREFIX + "fixed-delay.attempts",
        when=_uses("fixed-delay"),
    )
    delay: float = ask(
        SECONDS,
        "the current delay of fixed-delay",
        default=1.0,
        assumed="Flink's default",
        least=0,
        option=PREFIX + "fixed-delay.delay",
        when=_uses("fixed-delay"),
    )
    max_failures: int = ask(
        COUNT,
        "the current number of failures that failure-rate allows in its interval",
        default=1,
        assumed="Flink's default",
        least=1,
        option=PREFIX + "failure-rate.max-failures-per-interval",
        when=_uses("failure-rate"),
    )
    failure_interval: float = ask(
        SECONDS,
        "the current interval of failure-rate",
        default=60.0,
        assumed="Flink's default",
        least=0.001,
        option=PREFIX + "failure-rate.failure-rate-interval",
        when=_uses("failure-rate"),
    )
    rate_delay: float = ask(
        SECONDS,
        "the current delay of failure-rate",
        default=1.0,
        assumed="Flink's default",
        least=0,
        option=PREFIX + "failure-rate.delay",
        when=_uses("failure-rate"),
    )
    initial_backoff: float = ask(
        SECONDS,
        "the current first delay of exponential-delay",
        default=1.0,
        assumed="Flink's default",
        least=0.001,
        option=PREFIX + "exponential-delay.initial-backoff",
        when=_uses("exponential-delay"),
    )
    multiplier: float = ask(
        NUMBER,
        "the current multiplier of exponential-delay",
        default=1.5,
        assumed="Flink's default",
        least=1.001,  # Flink accepts anything above 1, but with less than this delays hardly grow
        option=PREFIX + "exponential-delay.backoff-multiplier",
        when=_uses("exponential-delay"),
    )
    max_backoff: float = ask(
        SECONDS,
        "the current maximum delay of exponential-delay",
        default=60.0,
        assumed="Flink's default",
        least=0.001,
        option=PREFIX + "exponential-delay.max-backoff",
        when=_uses("exponential-delay"),
    )
    jitter: float = ask(
        FRACTION,
        "the current jitter of exponential-delay, as a part of each delay",
        default=0.1,
        assumed="Flink's default",
        least=0,
        most=1,
        option=PREFIX + "exponential-delay.jitter-factor",
        when=_uses("exponential-delay"),
    )
    reset_threshold: float = ask(
        SECONDS,
        "the current time without a failure after which exponential-delay starts over",
        default=3600.0,
        assumed="Flink's default",
        least=0.001,
        option=PREFIX + "exponential-delay.reset-backoff-threshold",
        when=_uses("exponential-delay"),
    )
    attempts_before_reset: int = ask(
        COUNT,
        "the current attempts of exponential-delay",
        default=2147483647,
        assumed="Flink's default, no limit",
        least=1,
        option=PREFIX + "exponential-delay.attempts-before-reset-backoff",
        when=_uses("exponential-delay"),
    )


@dataclass(frozen=True, kw_only=True)
class Restart(_Settings, _Required):
    """Inputs for sizing a restart strategy that survives an outage."""

    @property
    def present(self) -> CurrentRestart | None:
        """The inputs for evaluating the current strategy; None if no strategy is given.

        Raises BadInput if its settings contradict each other.
        """
        if self.in_force is None:
            return None
        shared = {declared.name: getattr(self, declared.name) for declared in fields(_Settings)}
        return CurrentRestart(outage=self.outage, strategy=self.in_force, **shared)


@dataclass(frozen=True, kw_only=True)
class CurrentRestart(_Settings, _Judged):
    """Inputs for computing the outage that the current restart strategy survives."""

    def contradictions(self) -> Iterator[BadInput]:
        if self.strategy == "exponential-delay" and self.initial_backoff > self.max_backoff:
            yield BadInput(
                "initial_backoff",
                f"{spell_duration(self.initial_backoff)} is above the maximum delay, and Flink refuses the job; "
                f"allowed: at most {spell_duration(self.max_backoff)}",
            )
