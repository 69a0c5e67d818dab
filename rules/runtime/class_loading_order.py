"""The classes of jobs are loaded in another order than libraries are made for.

## What it does
Reports

- `classloader.parent-first-patterns.default` without `java.` or `org.apache.flink.` in it: an error;
- the same where it is any other list than the default of the release: a warning;
- `classloader.resolve-order: parent-first`, and `classloader.check-leaked-classloader: false`: advice.

## Why it matters
Flink looks for a class in the job's jar first, so that a job may bring another Jackson or Guava than the cluster has.
What must be one class for both, above all Java's and Flink's own, is in the list of patterns that go to the parent
first. Setting the list replaces it: with `com.acme.` alone a jar with some class of Flink's in it gives
`ClassCastException: X cannot be cast to X`, and updates of Flink's list pass the cluster by.

With `parent-first` the job gets the cluster's version of every library, and fails with `NoSuchMethodError` when that is
another one. Without the check for leaked class loaders, threads of libraries that outlive a job go on with its classes,
and the metaspace fills with each restart.

## What to do
Add patterns in `classloader.parent-first-patterns.additional`, which leaves the list as it is. Leave the order at
`child-first`; shade what clashes.

## Not when
Only additional patterns are set.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/debugging/debugging_classloading/>: the order, the
  patterns and leaks
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#class-loading>: the options
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_PATTERNS = "classloader.parent-first-patterns.default"
_ADDITIONAL = "classloader.parent-first-patterns.additional"
_ORDER = "classloader.resolve-order"
_LEAKS = "classloader.check-leaked-classloader"
_NEEDED = ("java.", "org.apache.flink.")


@rule(
    code="FLK966",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_PATTERNS, _ORDER, _LEAKS],
    since="0.1",
)
def class_loading_order(config: View) -> Iterator[Finding]:
    """the classes of jobs are loaded in another order than libraries are made for"""
    patterns, order, leaks = config.get(_PATTERNS), config.get(_ORDER), config.get(_LEAKS)
    if patterns.is_set and patterns.is_known and patterns.value != patterns.default:
        there = {pattern.strip(" \"'[]") for pattern in patterns.text.replace(",", ";").split(";")}
        missing = [needed for needed in _NEEDED if needed not in there]
        gone = f", and {' and '.join(missing)} are no longer among them" if len(missing) > 1 else ""
        gone = gone or (f", and {missing[0]} is no longer among them" if missing else "")
        yield patterns.finding(
            f"{patterns.written} replaces the list of patterns as a whole{gone}: classes that job and cluster share are"
            " loaded twice, and cannot be cast to each other",
            help=f"name what is to be added in {_ADDITIONAL}",
            severity=Severity.ERROR if missing else None,
            fix=patterns.rename(_ADDITIONAL, safe=False) if missing and not config.is_set(_ADDITIONAL) else None,
            at="key",
        )
    if order.is_set and order.text.strip().lower() == "parent-first":
        yield order.finding(
            "jobs get the cluster's version of every library, and fail with NoSuchMethodError where theirs is another",
            help="leave child-first, the default, and shade what clashes",
            severity=Severity.INFO,
            fix=order.replace("child-first"),
        )
    if leaks.is_set and config.boolean(_LEAKS) is False:
        yield leaks.finding(
            "threads that outlive a job go on with its classes unnoticed, and the metaspace fills with each restart",
            help="delete it, and stop the threads when the job ends",
            severity=Severity.INFO,
            fix=leaks.remove(),
        )


def claims() -> list[Claim]:
    return [
        flink_uses(
            "parent-first classes",
            f"{_PATTERNS}: com.acme.\n",
            "+[com.acme.",
            good=f"{_ADDITIONAL}: com.acme.\n",
            releases=">=1.10",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(f"{_PATTERNS}: com.acme.\nrest.port: 8081\n", at=_PATTERNS, severity=Severity.ERROR, flink="1.18",
            says="java. and org.apache.flink. are no longer", fixed=f"{_ADDITIONAL}: com.acme.\nrest.port: 8081\n"),
        bad("classloader.parent-first-patterns: java.;com.acme.\n", at=_PATTERNS, severity=Severity.ERROR, flink="1.14",
            says="and org.apache.flink. is no longer", fixed=f"{_ADDITIONAL}: java.;com.acme.\n"),
        bad(f"{_PATTERNS}: com.acme.\n{_ADDITIONAL}: org.shop.\n", at=_PATTERNS, severity=Severity.ERROR, flink="1.18",
            fixed=f"{_PATTERNS}: com.acme.\n{_ADDITIONAL}: org.shop.\n"),
        bad(f"{_PATTERNS}: java.;scala.;org.apache.flink.;com.acme.\n", at=_PATTERNS, severity=Severity.WARNING,
            flink="1.18", fixed=f"{_PATTERNS}: java.;scala.;org.apache.flink.;com.acme.\n"),
        bad(f"{_ORDER}: parent-first\n", at=_ORDER, severity=Severity.INFO, says="NoSuchMethodError",
            fixed=f"{_ORDER}: child-first\n"),
        bad(f"{_LEAKS}: false\nrest.port: 8081\n", at=_LEAKS, severity=Severity.INFO, flink="1.13",
            fixed="rest.port: 8081\n"),
        good(f"{_ADDITIONAL}: com.acme.\n", flink="1.18"),
        good(f"{_PATTERNS}: '{{{{ patterns }}}}'\n", flink="1.18"),
        good(f"{_ORDER}: child-first\n{_LEAKS}: true\n"),
        good(f"{_ORDER}: '{{{{ order }}}}'\n{_LEAKS}: '{{{{ leaks }}}}'\n"),
    ]  # fmt: skip
