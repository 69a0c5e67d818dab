"""A folder `usrlib` is shipped by an option that refuses it.

## What it does
Reports a path that ends in `usrlib` among `yarn.ship-files` and `yarn.provided.lib.dirs`.

## Why it matters
`usrlib` is what Flink calls the folder of the user's own jars, which it loads by the user's class loader. Options for
other files must not name one: the client ends with `User-shipped directories configured via : yarn.ship-files should
not include usrlib`, or the like for provided directories, and nothing is submitted.

## What to do
Leave it out: a `usrlib` beside Flink's `lib` is shipped by itself. Where it lies in HDFS, name it in
`yarn.provided.usrlib.dir`.

## Not when
The folder has another name, or the release is older than 1.16.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-26047>: a folder of the user's jars in HDFS has an option of its own
- <https://github.com/apache/flink/blob/release-1.20/flink-yarn/src/main/java/org/apache/flink/yarn/YarnClusterDescriptor.java>:
  `addShipFiles`
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#yarn-provided-usrlib-dir>
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_SHIPPING = ("yarn.ship-files", "yarn.provided.lib.dirs")


@rule(
    code="FLK758",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=_SHIPPING,
    only=["platform:yarn", "platform:emr"],
    flink=">=1.16",
    since="0.1",
)
def yarn_usrlib_shipped(config: View) -> Iterator[Finding]:
    """a folder usrlib is shipped by an option that refuses it"""
    for key in _SHIPPING:
        shipped = config.get(key)
        paths = [str(path).strip() for path in shipped.value or ()] if shipped.is_set else []
        usrlib = next((path for path in paths if path.rstrip("/").rpartition("/")[2] == "usrlib"), None)
        if usrlib is not None:
            yield shipped.finding(
                f"{shipped.written} must not name {usrlib}: the client refuses any usrlib there and submits nothing",
                help="leave it out: usrlib beside lib is shipped by itself; yarn.provided.usrlib.dir names one in HDFS",
            )


_SHIP, _PROVIDED = _SHIPPING


def cases() -> list[Case]:
    return [
        bad(f"{_SHIP}: /opt/flink/usrlib\n", flink="1.16", at=_SHIP, severity=Severity.ERROR, says="/opt/flink/usrlib"),
        bad(f"{_SHIP}: /opt/conf;/opt/flink/usrlib/\n", flink="1.20"),
        bad("yarn.ship-directories: usrlib\n", flink="1.18", at=_SHIP),
        bad(f"{_PROVIDED}: hdfs:///flink/lib;hdfs:///flink/usrlib\n", flink="2.1", at=_PROVIDED),
        good(f"{_SHIP}: /opt/flink/usrlib/udf.jar;/opt/my-usrlib\n", flink="1.18"),
        good(f"{_PROVIDED}: hdfs:///flink/lib\nyarn.provided.usrlib.dir: hdfs:///flink/usrlib\n", flink="1.18"),
        good(f"{_SHIP}: {{{{ home }}}}/usrlib\n", flink="1.18"),
        good(f"{_SHIP}: /opt/flink/usrlib\n", flink="1.15"),
    ]  # fmt: skip
