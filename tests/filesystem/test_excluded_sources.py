"""Java sources that a POM excludes from compilation."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.filesystem.excluded_sources import excluded_by
from tests.conftest import Flint

_PLUGIN = (
    "<plugin><artifactId>maven-compiler-plugin</artifactId><configuration><excludes>"
    "<!-- by default --><exclude>{}</exclude></excludes></configuration></plugin>"
)
_JOB = """package shop.addons;
import org.apache.flink.api.common.restartstrategy.RestartStrategies;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setRestartStrategy(RestartStrategies.noRestart());
    env.execute();
  }
}
"""


def _pom(plugins: str, profile: str = "") -> str:
    flink = (
        "<dependencies><dependency><groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId>"
        "<version>2.0.0</version></dependency></dependencies>"
    )
    profiles = f"<profiles><profile><build><plugins>{profile}</plugins></build></profile></profiles>"
    return f"<project>{flink}<build><plugins>{plugins}</plugins></build>{profiles}</project>"


@pytest.mark.parametrize(
    ("pattern", "is_excluded"),
    [
        ("**/addons/**", True),
        ("shop/addons/", True),
        ("shop/addons/*.java", True),
        ("**/Orders.java", True),
        ("shop/**/*.java", True),
        ("**/*", True),
        ("shop/*.java", False),
        ("addons/**", False),
        ("**/Bills.java", False),
        ("NOTHING", False),
    ],
)
def test_a_pattern_of_the_compiler_excludes_the_sources_that_match_it(
    pattern: str, tmp_path: Path, *, is_excluded: bool
) -> None:
    (tmp_path / "pom.xml").write_text(_pom(_PLUGIN.format(pattern)))
    found = excluded_by(str(tmp_path / "src" / "main" / "java" / "shop" / "addons" / "Orders.java"))
    assert found == (pattern if is_excluded else None)


@pytest.mark.parametrize(
    ("pom", "is_excluded"),
    [
        (_pom(_PLUGIN.format("**/addons/**")), True),
        (_pom(_PLUGIN.format("**/addons/**"), _PLUGIN.format("NOTHING")), True),
        (_pom("", _PLUGIN.format("**/addons/**")), False),
        (_pom(_PLUGIN.format("**/addons/**").replace("compiler", "shade")), False),
        (_pom("<!--" + _PLUGIN.format("**").replace("<!-- by default -->", "") + "-->"), False),
        (_pom(""), False),
    ],
)
def test_a_program_that_the_build_excludes_is_not_checked(
    pom: str, tmp_path: Path, flint: Flint, *, is_excluded: bool
) -> None:
    folder = tmp_path / "src" / "main" / "java" / "shop" / "addons"
    folder.mkdir(parents=True)
    (folder / "Orders.java").write_text(_JOB)
    (tmp_path / "pom.xml").write_text(pom)
    run = flint("check", str(tmp_path), "--output-format", "concise", "--no-cache", "--select", "FLK608,FLK982")
    assert run.stdout.count("error[") == (0 if is_excluded else 1)  # one finding for one cause
