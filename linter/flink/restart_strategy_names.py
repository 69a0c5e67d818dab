"""The names of Flink's restart strategies, and the spellings that Flink accepts for them."""

STRATEGIES = ("none", "fixed-delay", "failure-rate", "exponential-delay")

_SPELLINGS = {
    "none": "none",
    "off": "none",
    "disable": "none",
    "fixed-delay": "fixed-delay",
    "fixeddelay": "fixed-delay",
    "failure-rate": "failure-rate",
    "failurerate": "failure-rate",
    "exponential-delay": "exponential-delay",
    "exponentialdelay": "exponential-delay",
}


def strategy_named(text: str) -> str | None:
    """Return the strategy in `STRATEGIES` that a name selects, ignoring case; None if Flink rejects the name.

    Verified with every spelling on 1.13, 1.14, 1.16, 1.17, 1.18, 1.20, 2.0 and 2.3; `exponential-delay` exists since
    1.13.
    """
    return _SPELLINGS.get(text.lower())
