"""YARN's limits for containers, from the classification next to Flink's in an EMR cluster."""

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_AMOUNT = regex(r"\s*[0-9]{1,11}\s*")


class Limit(NamedTuple):
    """A limit of YARN: its name, its value, and the cluster that sets it."""

    name: str
    amount: int
    part: ElementView

    @property
    def attribute(self) -> str:
        """The name of the cluster's attribute that contains the limit."""
        return f"yarn-site.{self.name}"


def lowest(config: View, names: Sequence[str]) -> Limit | None:
    """Return the lowest of several limits; None if none is known."""
    return min(_limits(config, names), key=lambda limit: limit.amount, default=None)


def _limits(config: View, names: Sequence[str]) -> Iterator[Limit]:
    for cluster in config.elements("emr-cluster"):
        for name in names:
            text = cluster.text(f"yarn-site.{name}")
            if text is not None and _AMOUNT.fullmatch(text):
                yield Limit(name, int(text), cluster)
