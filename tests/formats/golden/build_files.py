"""POMs with a connector for SQL."""

from __future__ import annotations

from tests.formats.golden.marks import Forms, with_windows_line_ends

_DEPENDENCY = "<groupId>org.apache.flink</groupId><artifactId>flink-sql-connector-kafka</artifactId>"


def _pom(inside: str, before: str = "") -> str:
    return f"<project><!-- 🦀 -->{before}<dependencies><dependency>{inside}</dependency></dependencies></project>\n"


def _plugin(inside: str) -> str:
    return (
        f"<project><dependencies><dependency>{_DEPENDENCY}</dependency></dependencies><build><plugins><plugin>"
        f"<artifactId>🦀</artifactId>{inside}</plugin></plugins></build></project>\n"
    )


POM: Forms = {
    "a version": _pom(f"{_DEPENDENCY}<⟦version⟧>⟪3.2.0-1.19⟫</version>"),
    "blanks around": _pom(f"{_DEPENDENCY}<⟦version⟧ >\n\t ⟪3.2.0⟫\n </version >"),
    "a property": _pom(
        f"{_DEPENDENCY}<⟦version⟧>⟪${{a.b}}⟫</version>", "<properties><!-- 🦀 --><a.b>1.20</a.b></properties>"
    ),
    "a property without a value": _pom(f"{_DEPENDENCY}<⟦version⟧>⟪${{🦀}}⟫</version>"),
    "entities": _pom(f"{_DEPENDENCY}<⟦version⟧>⟪1&amp;2&#x1F980;⟫</version>"),
    "a comment with tags": _pom(f"<!-- <scope>test</scope> 🦀 -->{_DEPENDENCY}<⟦scope⟧>⟪provided⟫</scope>"),
    "the order of tags": _pom(f"<⟦scope⟧>⟪test⟫</scope>{_DEPENDENCY}<⟦version⟧>⟪🦀⟫</version>"),
    "goals": _plugin("<executions><execution><goals><⟦goal⟧>⟪é🦀⟫</goal></goals></execution></executions>"),
    "skipped": _plugin("<configuration><⟦skip⟧>⟪true⟫</skip></configuration>"),
    "a classifier": _plugin("<configuration><⟦classifier⟧>\n⟪🦀⟫\n</classifier></configuration>"),
}
GOLDEN: dict[str, tuple[str, Forms]] = {"pom": ("pom.xml", with_windows_line_ends(POM))}
