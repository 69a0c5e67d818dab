"""YARN: the lost containers and failed ApplicationMasters that a session must survive.

## The formula
Losses of containers are assumed to be independent, so over a session's life their number has a Poisson distribution
with the mean `containers x losses of one x lifetime`. The budget is the number that is not exceeded with the required
certainty: the smallest `k` with `P(losses <= k) >= certainty`. The old resource manager counts from the start of the
session to its end and never resets.

`yarn.maximum-failed-containers` has an effect up to Flink 1.4, and from 1.5 to 1.8 with `mode: legacy`; its default is
the number of TaskManagers first requested. From 1.9 on nothing reads it. From 1.13 on
`resourcemanager.start-worker.max-failure-rate` (10 a minute) only pauses the requests for new workers for
`resourcemanager.start-worker.retry-interval` (3 s); it ends no session, and should not be below the number of
containers on one node.

The ApplicationMaster is restarted `yarn.application-attempts - 1` times (two attempts with high availability, one
without), and YARN's `yarn.resourcemanager.am.max-attempts` (2 by default) caps that. With high availability only
failures within `yarn.application-attempt-failures-validity-interval` (10 s) count. So
`attempts = 1 + Poisson quantile(failures of the master x interval)`, and at least two.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.5/ops/deployment/yarn_setup.html>: the budget and its default
- <https://github.com/apache/flink/pull/8952>: FLINK-10868, the rate that replaced it
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/resource-providers/yarn/>: attempts and
  the interval
- <https://hadoop.apache.org/docs/stable/hadoop-yarn/hadoop-yarn-common/yarn-default.xml>: YARN's own cap of attempts
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from flink_flint.calculators.answering.answer import Answer, Chart, Point, Series, Snippet, Value
from flink_flint.calculators.answering.calculator import Calculator, Way
from flink_flint.calculators.answering.declaration import Inputs, ask
from flink_flint.calculators.formulas.container_losses import LIMIT, lifetime_within, limit_acts, poisson_quantile
from flink_flint.calculators.formulas.quantity import (
    COUNT,
    DAY,
    FRACTION,
    SECONDS,
    YES_NO,
    BadQuantity,
    Unit,
    counted,
    parse_flag,
    parse_rate,
    significant,
    spell_count,
    spell_duration,
    spell_rate,
)
from flink_flint.linter.flink.releases import Release

ATTEMPTS = "yarn.application-attempts"
VALIDITY = "yarn.application-attempt-failures-validity-interval"
START_RATE = "resourcemanager.start-worker.max-failure-rate"


_FIRST_START_RATE = (1, 13)
_DEFAULT_START_RATE = 10


# -- inputs


def _parse_losses(text: str) -> float:
    """Parse losses to a number per second; a number without a period is rejected, as its unit would be a guess."""
    if "/" not in text and text.strip() not in ("0", "0.0"):
        raise BadQuantity(f"{text!r} has no period; write it like 0.5/d")
    return parse_rate(text)


def _parse_high_availability(text: str) -> bool:
    """Parse whether high availability is on, from yes or no or a value of `high-availability.type`."""
    try:
        return parse_flag(text)
    except BadQuantity:
        return text.strip().lower() not in ("none", "")


LOSSES = Unit("1/s", _parse_losses, spell_rate, "0.5/d")
_HIGH_AVAILABILITY = YES_NO._replace(parse=_parse_high_availability)


@dataclass(frozen=True, kw_only=True)
class _Session(Inputs):
    """Inputs about the session, for both directions."""

    containers: int = ask(
        COUNT, "TaskManagers of the session", least=1, metric="numRegisteredTaskManagers", statistic="max"
    )
    losses: float = ask(
        LOSSES,
        "how often one container is lost",
        default=0.1 / DAY,
        assumed="one in ten days: nodes that are replaced, memory limits, preemption",
        least=0,
    )
    certainty: float = ask(
        FRACTION,
        "the required probability that the session survives",
        default=0.999,
        assumed="one session in a thousand may end early",
        above=0,
        below=1,
    )
    legacy: bool = ask(
        YES_NO, "whether Flink 1.5 to 1.8 runs with mode: legacy", default=False, assumed="the mode since 1.5"
    )


@dataclass(frozen=True, kw_only=True)
class Yarn(_Session):
    """Inputs for sizing the tolerated container losses and the ApplicationMaster attempts of a session."""

    lifetime: float = ask(
        SECONDS,
        "how long the session runs before it is redeployed",
        default=90 * DAY,
        assumed="a quarter of a year",
        above=0,
    )
    master_failures: float = ask(
        LOSSES,
        "how often the ApplicationMaster fails",
        default=1 / (30 * DAY),
        assumed="once a month",
        least=0,
    )
    validity: float = ask(
        SECONDS,
        "the interval in which failures of the ApplicationMaster count together",
        default=10.0,
        assumed="Flink's default",
        least=0.001,
        option=VALIDITY,
    )
    yarn_attempts: int = ask(
        COUNT, "YARN's own cap, yarn.resourcemanager.am.max-attempts", default=2, assumed="YARN's default", least=1
    )
    high_availability: bool = ask(
        _HIGH_AVAILABILITY,
        "whether the session has high availability, without which a new ApplicationMaster cannot recover jobs",
        default=False,
        assumed="Flink's default",
        option="high-availability.type",
    )
    containers_per_node: int = ask(
        COUNT, "containers that are lost with one node", default=1, assumed="one container a node", least=1
    )
    budget: int | None = ask(COUNT, "current yarn.maximum-failed-containers", default=None, least=0)


@dataclass(frozen=True, kw_only=True)
class CurrentYarn(_Session):
    """Inputs for computing how long a session survives with the current budget of lost containers."""

    budget: int | None = ask(
        COUNT, "current yarn.maximum-failed-containers (else the TaskManagers requested)", default=None, least=0
    )


# -- answers


def size_yarn(inputs: Yarn, release: Release) -> Answer:
    """Size the budget of lost containers, the attempts of the ApplicationMaster, and the rate of worker starts."""
    acts = limit_acts(release, legacy=inputs.legacy)
    rate = inputs.containers * inputs.losses
    mean = rate * inputs.lifetime
    budget = poisson_quantile(mean, inputs.certainty)
    failures = inputs.master_failures * inputs.validity
    repeated = poisson_quantile(failures, inputs.certainty)
    attempts = max(2, 1 + repeated)
    starts = max(_DEFAULT_START_RATE, inputs.containers_per_node)
    steps = [
        (
            f"Lost containers to expect: {spell_count(inputs.containers)} x {spell_rate(inputs.losses)} x "
            f"{spell_duration(inputs.lifetime)} = {significant(mean)}."
        ),
        f"Not exceeded with a certainty of {significant(inputs.certainty * 100, 6)} %: {spell_count(budget)}.",
        (
            f"Failures of the master: {spell_rate(inputs.master_failures)} is {_rarely(failures, inputs.validity)}; "
            f"with that certainty no more than {spell_count(repeated)} in one."
        ),
        f"Attempts: the first and one for each of them, at least two: {spell_count(attempts)}.",
    ]
    errors: list[str] = []
    warnings: list[str] = []
    settings: dict[str, object] = {ATTEMPTS: attempts}
    current = inputs.containers if inputs.budget is None else inputs.budget
    if acts:
        settings[LIMIT] = budget
        days = lifetime_within(current, rate, inputs.certainty)
        if current < budget:
            whose = "the default, the TaskManagers requested," if inputs.budget is None else "a budget"
            errors.append(
                f"{whose} of {counted(current, 'lost container')} may end the session after {spell_duration(days)}"
            )
    else:
        steps.append(f"Flink {release} counts no failed containers: {LIMIT} has no effect and can be removed.")
        if inputs.budget is not None:
            warnings.append(f"{LIMIT} has no effect in Flink {release}")
    if (release.major, release.minor) >= _FIRST_START_RATE:
        if starts > _DEFAULT_START_RATE:
            settings[START_RATE] = starts
        steps.append(
            f"Failed worker starts a minute before Flink pauses its requests: {spell_count(starts)}, at least the "
            "containers of a node."
        )
    elsewhere: tuple[Snippet, ...] = ()
    if attempts > inputs.yarn_attempts:
        warnings.append(
            f"YARN allows {counted(inputs.yarn_attempts, 'attempt')}, so {spell_count(attempts)} have no effect"
        )
        elsewhere = (Snippet("yarn-site.xml", _property("yarn.resourcemanager.am.max-attempts", attempts)),)
    if not inputs.high_availability:
        warnings.append(
            f"{counted(attempts, 'attempt')} help only with high availability (high-availability.type), which is not "
            "set: without it a new ApplicationMaster starts without the jobs that ran"
        )
    starts_over = Value("attempts", attempts, COUNT, "attempts of the ApplicationMaster")
    expected = Value("losses_expected", mean, COUNT, "lost containers on average, over the session's life")
    if acts:
        values = [
            Value("budget", budget, COUNT, "lost containers over the session's life", current),
            starts_over,
            expected,
            Value(
                "lives",
                lifetime_within(current, rate, inputs.certainty),
                SECONDS,
                "the session's life with the current budget",
            ),
        ]
        binding = f"{significant(mean)} containers are lost on average, {spell_count(budget)} at worst"
    else:
        at_worst = Value(
            "losses_at_worst", budget, COUNT, "not exceeded with the required certainty; nothing counts them"
        )
        values = [starts_over, expected, at_worst]
        binding = (
            f"Flink {release} ends no session for lost containers, only for a master that fails too often: "
            f"{spell_rate(inputs.master_failures)} is {_rarely(failures, inputs.validity)}"
        )
    return Answer(
        values=tuple(values),
        binding=binding,
        steps=tuple(steps),
        settings=settings,
        remove=() if acts else (LIMIT,),
        elsewhere=elsewhere,
        errors=tuple(errors),
        warnings=tuple(warnings),
        chart=_chart(rate, inputs.lifetime, inputs.certainty, budget, current) if acts else None,
    )


def _rarely(failures: float, interval: float) -> str:
    """Format a mean number of failures in one interval (seconds), for people."""
    if failures == 0:
        return f"none in an interval of {spell_duration(interval)}"
    if failures < 0.01:
        return f"one in {significant(round(1 / failures), 3)} intervals of {spell_duration(interval)}"
    return f"{significant(failures, 3)} on average in an interval of {spell_duration(interval)}"


def _property(name: str, value: int) -> str:
    """Return a property in the XML of Hadoop's configuration files."""
    return f"<property>\n  <name>{name}</name>\n  <value>{value}</value>\n</property>"


def _chart(rate: float, lifetime: float, certainty: float, budget: int, current: int) -> Chart:
    """Return a chart of lost containers over the session's life: average and worst case."""
    times = [lifetime * step / 20 for step in range(21)]
    return Chart(
        "Lost containers over the session's life",
        "time",
        SECONDS,
        "lost containers",
        COUNT,
        (
            Series("at worst", tuple((time, float(poisson_quantile(rate * time, certainty))) for time in times)),
            Series("on average", tuple((time, rate * time) for time in times)),
        ),
        (
            Point("recommended", lifetime, float(budget)),
            Point("now", min(lifetime, lifetime_within(current, rate, certainty)), float(current)),
        ),
    )


def load_of_yarn(inputs: CurrentYarn, release: Release) -> Answer:
    """Compute how long a session survives with the current budget of lost containers."""
    budget = inputs.containers if inputs.budget is None else inputs.budget
    rate = inputs.containers * inputs.losses
    acts = limit_acts(release, legacy=inputs.legacy)
    lives = lifetime_within(budget, rate, inputs.certainty) if acts else math.inf
    steps = [f"Losses: {spell_count(inputs.containers)} x {spell_rate(inputs.losses)} = {spell_rate(rate)}."]
    if acts:
        steps.append(
            f"With a certainty of {significant(inputs.certainty * 100, 6)} % no more than {spell_count(budget)} of "
            f"them fall within {spell_duration(lives)}."
        )
        binding = f"the session ends with lost container {spell_count(budget + 1)}"
    else:
        steps.append(f"Flink {release} counts no failed containers, so no budget ends the session.")
        binding = f"Flink {release} ends no session for lost containers"
    return Answer(
        values=(
            Value("lives", lives, SECONDS, "how long the session lives"),
            Value("budget", budget, COUNT, "lost containers it survives"),
        ),
        binding=binding,
        steps=tuple(steps),
    )


CALCULATOR = Calculator(
    name="yarn",
    title="YARN: lost containers and attempts",
    question="My YARN session dies after weeks",
    forward=Way(
        Yarn,
        size_yarn,
        {"containers": "3", "losses": "0.33/d", "lifetime": "90d", "containers_per_node": "2"},
        "1.4",
    ),
    reverse=Way(CurrentYarn, load_of_yarn, {"containers": "3", "losses": "0.33/d", "budget": "3"}, "1.4"),
)
