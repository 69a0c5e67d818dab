"""The table of template functions, which the other modules of this package fill."""

from __future__ import annotations

from collections.abc import Callable

from flink_flint.linter.text.named_tuple import NamedTuple

Body = Callable[..., object]
"""The implementation of a template function, given a budget and arguments; raises `NotRendered` where Helm fails."""


class Function(NamedTuple):
    """A function that templates can call, and the arguments that it accepts."""

    body: Body
    passes_unknown: bool
    """Whether the function accepts unknown values; if not, an unknown argument makes the result unknown."""
    least: int
    most: int | None
    """The maximum number of arguments of the function; None if there is no maximum."""


FUNCTIONS: dict[str, Function] = {}
"""The functions that templates can call, by name."""

UNKNOWN: dict[str, str] = {
    **dict.fromkeys(
        (
            "randAlphaNum", "randAlpha", "randAscii", "randNumeric", "randBytes", "randInt", "shuffle", "uuidv4",
            "genPrivateKey", "genCA", "genCAWithKey", "genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert",
            "genSignedCertWithKey", "bcrypt", "htpasswd", "encryptAES", "derivePassword",
        ),
        "differs each time the chart is rendered",
    ),
    **dict.fromkeys(
        (
            "now", "date", "dateInZone", "date_in_zone", "dateModify", "date_modify", "mustDateModify",
            "must_date_modify", "ago", "htmlDate", "htmlDateInZone", "toDate", "mustToDate", "unixEpoch",
        ),
        "depends on the time",
    ),
    "getHostByName": "depends on the network",
}  # fmt: skip
"""The template functions whose results cannot be known, mapped to the reasons."""


def function(
    *names: str, passes_unknown: bool = False, least: int = 0, most: int | None = None
) -> Callable[[Body], Body]:
    """Decorate a function to add it to the table under the given names."""

    def add(body: Body) -> Body:
        for name in names:
            FUNCTIONS[name] = Function(body, passes_unknown, least, most)
        return body

    return add
