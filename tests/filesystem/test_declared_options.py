"""The keys of the options that the sources of a repository declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.filesystem.declared_options import declared_options


def repository(folder: Path, sources: dict[str, str]) -> Path:
    (folder / ".git").mkdir()
    for name, text in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("A.java", 'ConfigOption<String> A = ConfigOptions.key("a.b").stringType().noDefaultValue();', {"a.b"}),
        ("A.java", 'ConfigOption<String> A = ConfigOptions\n    .key("a.b")\n    .fullKey("x.a.b");', {"a.b"}),
        ("A.java", 'import static x.ConfigOptions.key;\nOption A = key("a.b").intType();', {"a.b"}),
        (
            "A.java",
            'Option A = ConfigOptions.key("a").withFallbackKeys("b", "c").withDeprecatedKeys("d");',
            set("abcd"),
        ),
        ("A.java", 'String P = "a.";\nOption A = ConfigOptions.key(P + "b");', {"a.b"}),
        ("A.java", "Option A = ConfigOptions.key(Other.KEY).intType();", set()),
        ("A.java", 'ConfigOptions.x();\nmap.key("a.b");', set()),
        ("A.java", 'Option A = Options.key("a.b");', set()),
        ("A.scala", 'val key: String = "a.b"\nval a = ConfigOptions.key(key).intType()', {"a.b"}),
        ("A.kt", 'val A = ConfigOptions.key("a.b").intType()', {"a.b"}),
        ("A.md", 'ConfigOptions.key("a.b")', set()),
        ("src/test/java/A.java", 'Option A = ConfigOptions.key("a.b");', set()),
        ("target/A.java", 'Option A = ConfigOptions.key("a.b");', set()),
    ],
)
def test_keys_of_a_source(tmp_path: Path, name: str, text: str, keys: set[str]) -> None:
    top = repository(tmp_path, {name: text, "conf/flink-conf.yaml": ""})
    assert declared_options(str(top / "conf")) == keys


def test_without_a_repository_those_of_the_module_count(tmp_path: Path) -> None:
    (tmp_path / "module" / "conf").mkdir(parents=True)
    (tmp_path / "module" / "pom.xml").write_text("<project/>")
    (tmp_path / "module" / "A.java").write_text('ConfigOptions.key("a.b")')
    (tmp_path / "B.java").write_text('ConfigOptions.key("c.d")')
    assert declared_options(str(tmp_path / "module" / "conf")) == {"a.b"}


def test_without_repository_and_module_nothing_is_read(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text('ConfigOptions.key("a.b")')
    assert declared_options(str(tmp_path)) == frozenset()
