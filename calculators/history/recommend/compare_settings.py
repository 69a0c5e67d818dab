"""Conversion of a calculator's answer to recommendations with current values, evidence, confidence and reason."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.answering.option_values import plain
from flink_flint.calculators.formulas.quantity import COUNT, Unit, counted, spell_duration
from flink_flint.calculators.history.recommend.current_configuration import CurrentConfiguration
from flink_flint.calculators.history.recommend.evidence import SHORT_DAYS, is_throughput
from flink_flint.calculators.history.recommend.expected_demand import METHOD_HALF_LIFE, MethodScore, scored
from flink_flint.calculators.history.recommend.fill_inputs import (
    Answered,
    Fed,
    Feeds,
    Lacking,
    Required,
    run_calculator,
)
from flink_flint.calculators.history.recommend.recommendation import (
    NOT_SET,
    Missing,
    Plan,
    Recommendation,
    RecordedEvidence,
    Row,
    is_number,
)
from flink_flint.linter.flink.options import Option
from flink_flint.linter.flink.release_spelling import value_text
from flink_flint.linter.text.named_tuple import NamedTuple

_HYSTERESIS = 0.1
"""Relative change below which a value is kept."""
_ROUNDING = 0.02
"""Relative increase by rounding to whole steps that is ignored."""
_SHRINK = 0.4
"""Maximum share by which memory is reduced in one step."""
_SEEN_DAYS = 1.0
"""Days that must be observed before a reduction of memory is recommended."""
_MIB = 1 << 20
_UNLIMITED = 1 << 62
_PROCESS, _METASPACE = ".memory.process.size", ".jvm-metaspace.size"
_SURE_DAYS = 14.0


def rows_of(feeds: Feeds, plan: Plan, job: str) -> Iterator[Row]:
    """Run calculators, and yield a recommendation for each value or the reason why a calculator cannot run."""
    for fed in feeds:
        about = fed.about
        operator = about.name if about.task else ""
        if not plan.wants(fed.calculator):
            continue
        if isinstance(fed, Lacking):
            yield Missing(about.cluster, job, operator, fed.calculator, fed.reason)
            continue
        try:
            answered = run_calculator(fed)
        except BadInput as bad:
            yield Missing(about.cluster, job, operator, fed.calculator, bad.message)
            continue
        yield from _recommendations(fed, answered, plan, job, operator)


class _Value(NamedTuple):
    """A recommended value and the current one."""

    wanted: Required
    current: Any
    recommended: Any
    unit: Unit | str
    option: Option | None

    @property
    def unit_name(self) -> str:
        return self.unit if isinstance(self.unit, str) else self.unit.name

    def is_default(self, now: CurrentConfiguration) -> bool:
        """Return whether the recommended value is the release's default."""
        if self.option is None or now.configuration.default(self.option) is None:
            return False
        default = plain(now.configuration.default(self.option), self.wanted.key)
        return bool(str(default).lower() == str(self.recommended).lower())

    def text(self, value: Any) -> str:
        """Return a value formatted for its option."""
        if value is None:
            return ""
        if self.wanted.key.endswith(".framesize"):
            return f"{value}b"
        if self.option is not None:
            unlimited = self.option.type == "MemorySize" and value >= _UNLIMITED
            return "unlimited" if unlimited else value_text(self.option, value)
        return value if isinstance(self.unit, str) else self.unit.spell(value)


def _recommendations(fed: Fed, answered: Answered, plan: Plan, job: str, operator: str) -> Iterator[Recommendation]:
    values = [one for required in fed.wanted if (one := _value(fed, required, answered.answer)) is not None]
    if not values:
        return
    score = scored(fed.demand, fed.tier) if fed.demand is not None and fed.tier else None
    evidence = _evidence(fed, answered, plan, score)
    # The sizes of one process depend on each other: if one of them changes, no other may be left slightly too small.
    moves = fed.is_memory and any(abs(_ratio(one) or 0) >= _HYSTERESIS for one in values)
    set_now = fed.surroundings.configuration
    remove = tuple(key for key in answered.answer.remove if set_now.is_set(key))
    whole = next((_judged(fed, one, moves)[0] for one in values if one.wanted.key.endswith(_PROCESS)), "")
    for value in values:
        if value.current is None and value.is_default(set_now):
            continue  # the current value is unknown, and there is nothing to set
        severity, recommended, held = _judged(fed, value, moves)
        if whole == "ok" and severity != "ok" and not value.wanted.key.endswith(_METASPACE):
            continue  # parts of a smaller process, which is not recommended
        result = _reason(fed, answered.answer, held)
        yield Recommendation(
            cluster=fed.about.cluster,
            job=job,
            operator=operator,
            calculator=fed.calculator,
            key=value.wanted.key,
            current=value.current,
            recommended=recommended,
            unit=value.unit_name,
            current_text=value.text(value.current)
            or (NOT_SET if value.option is not None and set_now.is_known else ""),
            recommended_text=value.text(recommended),
            severity=severity,
            direction={"raise": 1, "lower": -1}.get(severity, 0),
            evidence=evidence,
            confidence=_confidence(fed, value.wanted),
            reason=result,
            remove=remove if severity != "ok" else (),
        )


_UNITS = {
    "Duration": "seconds", "MemorySize": "bytes", "Integer": "count", "Long": "count", "Double": "number",
    "Float": "number", "Boolean": "yes/no",
}  # fmt: skip


def _value(fed: Fed, wanted: Required, answer: Answer) -> _Value | None:
    """Return a value of the answer with the current one; None if the answer does not contain it."""
    now = fed.surroundings.configuration
    option = now.configuration.resolve(wanted.key).option
    unit: Unit | str = "text"
    present = None
    if wanted.of is not None:
        recommended, unit = wanted.of(answer), wanted.unit or COUNT
    elif wanted.value:
        found = next((one for one in answer.values if one.name == wanted.value), None)
        if found is None:
            return None
        recommended, unit, present = found.value, found.unit, found.present
    else:
        recommended = answer.settings.get(wanted.key)
        unit = _UNITS.get(option.type if option is not None else "", "text")
        if isinstance(recommended, float) and unit == "text":
            unit = "seconds"
    if recommended is None or (isinstance(recommended, float) and not math.isfinite(recommended)):
        return None
    if wanted.step and not isinstance(recommended, str):
        recommended = math.ceil(recommended / wanted.step) * wanted.step
    elif wanted.is_estimate and isinstance(recommended, float):
        recommended = float(f"{recommended:.2g}")
    current = wanted.current
    if current is None and option is not None:
        current = now.current(wanted.key)
        if current is None and present is not None and now.is_known:
            current = present
    return _Value(wanted, current, recommended, unit, option)


def _ratio(value: _Value) -> float | None:
    """Return the relative difference of the recommended number to the current one; None without two numbers."""
    if not is_number(value.current) or not is_number(value.recommended):
        return None
    if value.current == 0:
        return 0.0 if value.recommended == 0 else math.inf
    return float(value.recommended / value.current - 1)


def _judged(fed: Fed, value: _Value, moves: bool) -> tuple[str, Any, str]:
    """Return the severity, the resulting recommended value, and a phrase about what limited it."""
    if value.wanted.is_estimate:
        return "ok", value.recommended, ""
    if value.current is None:
        return "unset", value.recommended, ""
    ratio = _ratio(value)
    if ratio is None:
        same = str(value.current).lower() == str(value.recommended).lower()
        return ("ok", value.current, "") if same else ("change", value.recommended, "")
    if value.wanted.only_up:
        ratio = max(0.0, ratio)
    if abs(ratio) < _HYSTERESIS and not (moves and ratio > _ROUNDING):
        return "ok", value.current, ""
    if fed.is_memory and ratio < 0 and fed.main.days < _SEEN_DAYS:
        held = f"{value.text(value.recommended)} may be enough, but less than a full day was observed"
        return "ok", value.current, held
    if fed.is_memory and ratio < -_SHRINK and value.current < _UNLIMITED:
        step = value.wanted.step or _MIB
        least = math.ceil(value.current * (1 - _SHRINK) / step) * step
        if least >= value.current:
            return "ok", value.current, ""
        enough = value.text(value.recommended)
        held = f"{enough} would be enough, but memory is reduced by at most {_SHRINK:.0%} in one step"
        return "lower", least, held
    return ("raise" if ratio > 0 else "lower"), value.recommended, ""


def _confidence(fed: Fed, wanted: Required) -> str:
    days = fed.main.days
    level = 2 if days >= _SURE_DAYS else 1 if days >= SHORT_DAYS else 0
    return ("low", "medium", "high")[max(0, level - fed.doubts - wanted.doubts)]


def _evidence(fed: Fed, answered: Answered, plan: Plan, score: MethodScore | None) -> RecordedEvidence:
    main = fed.main
    names = {**fed.figures}
    return {
        "from": _instant(main.first),
        "to": _instant(main.latest),
        "samples": main.samples,
        "days": _short(main.days),
        "metric": main.metric,
        "statistic": main.statistic,
        "value": _short(main.value),
        "peak": _short(main.peak),
        "unit": fed.unit.name,
        "margin": _short(fed.margin),
        "half_life_days": _half_life(fed, plan),
        "method_score": None
        if score is None
        else {"U": _short(score.over), "lag": _short(score.lag), "slack": _short(score.slack), "days": score.days},
        "inputs": {
            name: {"value": _plain(value), "from": names[name].metric if name in names else answered.sources[name]}
            for name, value in answered.inputs.items()
            if answered.sources[name] in ("observed", "derived", "set")
        },
        "assumed": list(fed.assumed),
        "notes": [*_short_history(main.days), *fed.remarks, *_notes(answered.answer)],
        "reasoning": list(answered.answer.steps),
    }


def _half_life(fed: Fed, plan: Plan) -> float | None:
    """Return the half-life of the weights of days in the main figure; None if all days count equally."""
    if fed.demand is not None and fed.main.statistic.startswith("need"):
        return METHOD_HALF_LIFE
    return plan.half_life if is_throughput(fed.main.metric) else None


def _short_history(days: float) -> Iterator[str]:
    if days < SHORT_DAYS:
        seen = spell_duration(days * 86_400)
        yield f"less than a week of samples ({seen}): margins are wider, and the result is uncertain"


def _notes(answer: Answer) -> Iterator[str]:
    """Yield the errors and warnings of the answer, except advice about command-line options."""
    yield from answer.errors
    yield from (one for one in answer.warnings if "--" not in one)


def _instant(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _short(value: float) -> float | int | None:
    """Return a number rounded to five significant digits; None if it is not finite."""
    if not math.isfinite(value):
        return None
    short = float(f"{value:.5g}") if abs(value) < 1e5 else float(round(value))
    return int(short) if short.is_integer() else short


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return _short(value)
    return value if isinstance(value, (int, str)) else str(value)


def _reason(fed: Fed, answer: Answer, held: str) -> str:
    main, unit = fed.main, fed.unit
    seen = f"{counted(main.samples, 'sample')} over {spell_duration(main.days * 86_400)}"
    is_peak = main.value * 0.995 <= main.peak <= main.value * 1.005
    peak = "" if is_peak else f", peak {unit.spell(main.peak)}"
    text = f"{fed.meaning}: {unit.spell(main.value)} ({main.statistic}{peak}; {seen})"
    parts = (*fed.because, answer.binding, held)
    return "; ".join((text, *(one for one in parts if one)))
