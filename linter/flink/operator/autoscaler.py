"""What the operator's autoscaler refuses of its options, where it is on."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.operator.refusal import Check, Refusal, Thrown
from flink_flint.linter.flink.operator.settings import OperatorSettings, OwnOption

_PREFIX = "job.autoscaler."
_OLD = "kubernetes.operator.job.autoscaler."
_FIRST = (1, 7)
_FIRST_PERIODS = (1, 8)
_FIRST_BOUNDS = (1, 11)
"""The first release with bounds of the utilization instead of a distance from the target."""
_FIRST_COEFFICIENT = (1, 12)


def _option(name: str, kind: str = "Double", default: object = None, others: tuple[str, ...] = ()) -> OwnOption:
    return OwnOption(_PREFIX + name, kind, default, (_OLD + name, *others))


ENABLED = _option("enabled", "Boolean", False)
_EXCLUDED = _option("excluded.periods", "List<String>", ())
_OLD_TARGET = _option("target.utilization", default=0.7)
_TARGET = _option(
    "utilization.target", default=0.7, others=(f"{_OLD}target.utilization", f"{_PREFIX}target.utilization")
)
_SCALE_DOWN = _option("scale-down.max-factor", default=0.6)
_SCALE_UP = _option("scale-up.max-factor", default=100000.0)
_BOUNDARY = _option("target.utilization.boundary", default=0.3)
_MAX = _option("utilization.max")
_MIN = _option("utilization.min")
_COEFFICIENT = _option("observed-scalability.coefficient-min", default=0.5)


def checks(settings: OperatorSettings) -> Iterator[Check]:
    """Yield the checks of the autoscaler's options, in the order of the operator."""
    operator = settings.operator
    if operator < _FIRST:
        return
    has_bounds = operator >= _FIRST_BOUNDS
    yield lambda: _number(settings, _SCALE_DOWN, 0.0)
    yield lambda: _number(settings, _SCALE_UP, 0.0)
    yield lambda: _number(settings, _TARGET, 0.0, 1.0) if has_bounds else _number(settings, _OLD_TARGET, 0.0)
    yield lambda: _number(settings, _BOUNDARY, 0.0)
    if has_bounds:
        yield lambda: _bound(settings, _MAX)
        yield lambda: _bound(settings, _MIN)
    if operator >= _FIRST_COEFFICIENT:
        yield lambda: _number(settings, _COEFFICIENT, 0.01, 1.0)
    if operator >= _FIRST_PERIODS:
        yield lambda: _periods(settings)


def _bound(settings: OperatorSettings, option: OwnOption) -> Iterator[Refusal]:
    """Check the largest or smallest utilization against the target."""
    if not settings.own(ENABLED):
        return
    target = settings.own(_TARGET)
    assert isinstance(target, float)
    least, most = (target, 1.0) if option is _MAX else (0.0, target)
    yield from _number(settings, option, least, most)


def _number(
    settings: OperatorSettings, option: OwnOption, least: float, most: float | None = None
) -> Iterator[Refusal]:
    if not settings.own(ENABLED):
        return
    written = next((key for key in (option.key, *option.others) if key in settings.values), "")
    try:
        value = settings.own(option)
    except Thrown:
        yield Refusal("autoscaler value", f"Invalid value in the autoscaler config {option.key}", key=written)
        return
    if isinstance(value, float) and (value < least or (most is not None and value > most)):
        largest = "+Infinity" if most is None else _java_double(most)
        yield Refusal(
            "autoscaler range",
            f"The AutoScalerOption {option.key} is invalid, it should be a value within the range"
            f" [{_java_double(least)}, {largest}]",
            key=written,
        )


def _periods(settings: OperatorSettings) -> Iterator[Refusal]:
    if not settings.own(ENABLED):
        return
    periods = settings.own(_EXCLUDED)
    assert isinstance(periods, (list, tuple))
    if not periods:
        return
    from flink_flint.linter.flink.operator.excluded_periods import refusal_of

    for period in periods:
        message = refusal_of(str(period))
        if message is not None:
            written = next(key for key in (_EXCLUDED.key, *_EXCLUDED.others) if key in settings.values)
            yield Refusal("autoscaler periods", message, key=written)


def _java_double(value: float) -> str:
    """Return a number as Java writes it, within the range that targets can have."""
    from flink_flint.linter.flink.yaml.yaml_core_schema import double_text

    return double_text(value)
