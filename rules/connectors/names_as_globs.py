"""Names of tables with wildcards of a shell, where a regular expression is expected.

## What it does
Reads the names of tables, schemas and databases of Flink CDC's readers, which are regular expressions. Reports `*`
after a letter, digit or underscore (`user_*`), at the beginning (`*_log`), and `%`.

## Why it matters
`user_*` matches `user` with any number of underscores, and no `user_00`; the log says that the table `is filtered out
of capturing`, and nothing arrives. An expression that begins with `*` is refused (`Dangling meta character '*'`).

## What to do
Write `.*` where a wildcard is meant: `user_.*`.

## Not when
`*` follows a dot, a class (`[0-9]*`), a group or an escape (`\\d*`).

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/>: names are regular
  expressions
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.connectors._cdc import WHEN, readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_KEYS = ("table-name", "database-name", "schema-name", "collection", "database")
_GLOB = regex(r"(?:^|(?<=,)|(?<=\|))\s*\*|(?<![\\.\])}*+?\w])\*|(?<=[A-Za-z0-9_])(?<!\\[A-Za-z])\*(?![?+])|%")


@rule(
    code="FLK553",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=WHEN,
    since="0.1",
)
def names_as_globs(config: View) -> Iterator[Finding]:
    """names of tables have wildcards of a shell, not regular expressions"""
    for reader in readers(config):
        for key in _KEYS:
            name = reader.text(key)
            found = _GLOB.search(name) if name else None
            if name is None or found is None:
                continue
            meant = name.replace("%", ".*") if found[0] == "%" else f"{name[: found.end() - 1]}.*{name[found.end() :]}"
            yield reader.finding(
                f"{key} is a regular expression: {name} matches other names than meant, and the tables are filtered out"
                if found[0] == "%" or found.start()
                else f"{key} is a regular expression, and {name} is none: it is refused (Dangling meta character)",
                key,
                f"write {meant}",
            )


_TABLE = "CREATE TABLE u (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db', 'table-name' = '%s');\n"


def _job(tables: str) -> str:
    package = "com.ververica.cdc.connectors.mysql.source.MySqlSource"
    return PROGRAM.format(package=package, source="MySqlSource", put="", calls=f'.tableList("{tables}")')


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % "user_*", file="job.sql", at="'user_*'", flink="1.17", severity=Severity.WARNING,
            says="user_* matches other names",
        ),
        bad(_TABLE % "*_log", file="job.sql", says="Dangling meta character"),
        bad(_TABLE.replace("%s", "order%"), file="job.sql"),
        bad(_job("shop.user_*"), file="Job.java"),
        *(
            good(_TABLE % name, file="job.sql", flink="1.17")
            for name in ("user_.*", "user_[0-9]*", "user_\\d*", "(a|b)*", "users", "user_\\w*", ".*")
        ),
    ]  # fmt: skip
