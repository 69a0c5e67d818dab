"""The keys of the options that the sources of a repository declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.filesystem import declared_options
from flink_flint.linter.filesystem.declared_options import is_option_declared
from flink_flint.linter.filesystem.folders import forget


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
    asked = {"a", "b", "c", "d", "a.b", "x.a.b"}
    assert {key for key in asked if is_option_declared(key, str(top / "conf"))} == keys


def test_without_a_repository_those_of_the_module_count(tmp_path: Path) -> None:
    (tmp_path / "module" / "conf").mkdir(parents=True)
    (tmp_path / "module" / "pom.xml").write_text("<project/>")
    (tmp_path / "module" / "A.java").write_text('ConfigOptions.key("a.b")')
    (tmp_path / "B.java").write_text('ConfigOptions.key("c.d")')
    folder = str(tmp_path / "module" / "conf")
    assert is_option_declared("a.b", folder)
    assert not is_option_declared("c.d", folder)


def test_without_repository_and_module_nothing_is_read(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text('ConfigOptions.key("a.b")')
    assert not is_option_declared("a.b", str(tmp_path))


def test_likely_sources_are_read_however_many_others_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    monkeypatch.setattr(declared_options, "_MAX_SOURCES", 2)
    others = {f"a/A{number}.java": f'ConfigOptions.key("a.{number}")' for number in range(3)}
    likely = {"z/RocksDBConfigurableOptions.java": 'ConfigOptions.key("z.options")'}
    top = str(repository(tmp_path, others | likely))
    assert is_option_declared("z.options", top)
    assert is_option_declared("a.1", top)
    assert not is_option_declared("a.2", top)


def test_no_more_sources_are_read_than_until_the_key_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    read: list[str] = []
    found_text = declared_options.found_text
    monkeypatch.setattr(declared_options, "found_text", lambda path: read.append(Path(path).name) or found_text(path))
    sources = {"A.java": 'ConfigOptions.key("a.b")', "AOptions.java": 'ConfigOptions.key("c.d")', "B.java": ""}
    top = str(repository(tmp_path, sources))
    assert is_option_declared("c.d", top)
    assert read == ["AOptions.java"]
    assert is_option_declared("a.b", top)
    assert not is_option_declared("x.y", top)
    assert read == ["AOptions.java", "A.java", "B.java"]
