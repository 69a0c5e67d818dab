"""Compare flint with all measurements of Flink: `python tests/conformance.py FACTS_DIR`.

Prints `name pass/total` for every file of vectors and exits 1 if one is short; `--show` lists what differs.
Each kind of vectors is one function from a file to its (cases, mismatches).
"""

from __future__ import annotations

import base64
import gzip
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from flink_flint.linter.flink import file_loading, values
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.jobmanager import jobmanager
from flink_flint.linter.flink.memory.options_reader import MemoryRefused
from flink_flint.linter.flink.memory.taskmanager import taskmanager
from flink_flint.linter.flink.options import Option
from flink_flint.linter.flink.releases import MINORS, NEWEST, Release, parse_release

Row = dict[str, Any]
Comparison = Callable[[Path], tuple[int, list[str]]]

ENUMS = {
    "RuntimeExecutionMode": ("STREAMING", "BATCH", "AUTOMATIC"),
    "CheckpointingMode": ("EXACTLY_ONCE", "AT_LEAST_ONCE"),
    "BatchShuffleMode": (
        "ALL_EXCHANGES_PIPELINED",
        "ALL_EXCHANGES_BLOCKING",
        "ALL_EXCHANGES_HYBRID_FULL",
        "ALL_EXCHANGES_HYBRID_SELECTIVE",
    ),
}
TYPES = {
    "memory": "MemorySize",
    "duration": "Duration",
    "boolean": "Boolean",
    "int": "Integer",
    "long": "Long",
    "float": "Float",
    "double": "Double",
    "string": "String",
    "map": "Map",
    "list<string>": "List<String>",
    "list<int>": "List<Integer>",
    "list<duration>": "List<Duration>",
    "list<map>": "List<Map>",
}


def rows(path: Path) -> Iterator[Row]:
    """Yield the JSON lines of a file, which may be compressed."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def minor_index(version: str) -> int:
    """Return the index of the minor of a version such as 1.20.5 or 1.20."""
    return MINORS.index(".".join(version.split(".")[:2]))


# Files


def read(row: Row, index: int, *, ascii_locale: bool = False) -> file_loading.ConfigurationFile:
    """Return a file vector as flint reads it."""
    text, _ = file_loading.decode(base64.b64decode(row["b64"]), kind=row["file"])
    if row["file"] == file_loading.FLINK_CONF:
        return file_loading.read_flink_conf(text, index, ascii_locale=ascii_locale)
    return file_loading.read_config_yaml(text)


def file_mismatch(row: Row, index: int, *, ascii_locale: bool = False) -> str | None:
    """Describe the difference between a file vector and flint; None if there is none."""
    result = read(row, index, ascii_locale=ascii_locale)
    logged = []
    for warning in result.warnings:
        level, logger = "WARN", "GlobalConfiguration"
        if warning.startswith("Failed to parse"):
            level, logger = "ERROR", "YamlParserUtils"
        logged.append(f"{level} {logger}: {warning}")
    measured = [warning.replace("<confdir>/", "") for warning in row["warnings"]]
    if logged != measured:
        return f"logged {logged}, Flink {measured}"
    if not row["ok"]:
        cause = (row["error"].get("causes") or [row["error"]])[0]
        if not result.refusals:
            return f"accepted, Flink refuses: {cause['message']}"
        mine, flinks = result.refusals[0].error, cause["message"]
        if result.refusals[0].reason in ("syntax", "duplicate-key", "tab", "null-value") and mine != flinks:
            return f"error {mine!r}, Flink {flinks!r}"
        return None
    if result.refusals:
        return f"refused: {result.refusals[0]}"
    if result.settings() != row["map"]:
        return f"read {result.settings()}, Flink {row['map']}"
    return None


def compare_files(path: Path) -> tuple[int, list[str]]:
    """Compare vectors-<minor>.jsonl: texts, and the map or the refusal and the warnings."""
    ascii_locale = path.stem.endswith("-ascii-locale")
    index = minor_index(path.stem.removeprefix("vectors-").removesuffix("-ascii-locale"))
    bad, total = [], 0
    for row in rows(path):
        total += 1
        if problem := file_mismatch(row, index, ascii_locale=ascii_locale):
            bad.append(f"{row['id']} {row['category']} {row['text']!r}: {problem}")
    return total, bad


# Values


def shown(value: object) -> object:
    """Return a typed value in the form of the vectors."""
    if isinstance(value, values.MemorySize):
        return int(value)
    if isinstance(value, values.Duration):
        return [int(value) // 10**9, int(value) % 10**9]
    if isinstance(value, list):
        return [shown(item) for item in value]
    return value


def same(mine: object, measured: Any) -> bool:
    """Return whether a typed value is the measured one."""
    if isinstance(mine, values.MemorySize):
        return int(mine) == measured["bytes"]
    if isinstance(mine, values.Duration):
        return shown(mine) == [measured["seconds"], measured["nanos"]]
    if isinstance(mine, list) and isinstance(measured, list):
        return len(mine) == len(measured) and all(map(same, mine, measured))
    if isinstance(mine, bool) or isinstance(measured, bool):
        return mine is measured
    if isinstance(mine, float):
        other = float(measured)
        return mine == other or mine == values.float32(other) or (mine != mine and other != other)
    return mine == measured


def typed(row: Row, raw: object, index: int, *, yaml: bool) -> tuple[bool, object]:
    """Return whether flint accepts a value, and the value or the message."""
    kind = row["type"]
    enum = ENUMS.get(kind.removeprefix("enum:"), ()) if kind.startswith("enum:") else ()
    option_type = "Enum" if enum else TYPES[kind]
    try:
        return True, values.parse(option_type, enum, raw, index, yaml=yaml)
    except values.BadValue as error:
        return False, error.message


def value_mismatch(row: Row, mode: str, index: int) -> str | None:
    """Describe the difference between one mode of a value vector and flint; None if there is none."""
    measured = row[mode]
    if measured.get("error", {}).get("class", "").endswith("ClassNotFoundException"):
        return None  # the enum did not exist in that release: nothing was measured
    yaml = mode.startswith("yaml")
    raw: object = row["raw"]
    if mode.endswith("_file"):
        line = "k: " + row["raw"].replace("\n", "\n  ") + "\n"
        if yaml and row["raw"].startswith("- ") and "\n" in row["raw"]:
            line = "k:\n  " + row["raw"].replace("\n", "\n  ") + "\n"
        result = file_loading.read_config_yaml(line) if yaml else file_loading.read_flink_conf(line, index)
        if measured.get("stage") == "load":
            return None if result.refusals else "loaded, Flink refuses the file"
        if result.refusals:
            return f"refused: {result.refusals[0]}"
        entries = {entry.key: entry for entry in result.entries}
        if "k" not in entries:
            prefixed = {key[2:]: entry.text for key, entry in entries.items() if key.startswith("k.")}
            mine = prefixed if prefixed and row["type"] == "map" else None
            return None if mine == measured.get("value") else f"read {mine}, Flink {measured}"
        raw = entries["k"].value
    accepted, value = typed(row, raw, index, yaml=yaml)
    if accepted != measured["ok"]:
        return f"{'accepted' if accepted else 'refused'}: {value!r}, Flink {measured}"
    if accepted:
        return None if same(value, measured["value"]) else f"{value!r}, Flink {measured['value']!r}"
    causes = measured["error"].get("causes") or [measured["error"]]
    message = causes[-1]["message"]
    if row["type"].startswith("enum:"):
        return None  # the message names the Java class, which an option catalogue does not know
    return None if value == message else f"says {value!r}, Flink {message!r}"


def compare_values(path: Path) -> tuple[int, list[str]]:
    """Compare values-<minor>.jsonl: one case for each value and way to set it."""
    index = minor_index(path.stem.removeprefix("values-"))
    bad, total = [], 0
    for row in rows(path):
        for mode in ("legacy_string", "legacy_file", "yaml_string", "yaml_file"):
            if mode not in row:
                continue
            total += 1
            if problem := value_mismatch(row, mode, index):
                bad.append(f"{row['id']} {mode} {row['type']} {row['raw']!r}: {problem}")
    return total, bad


# Directories

DIRECTORIES = {
    "both": {"flink-conf.yaml", "config.yaml"},
    "legacy_only": {"flink-conf.yaml"},
    "std_only": {"config.yaml"},
    "none": set(),
    "yml_ext": {"config.yml"},
    "legacy_yml": {"flink-conf.yml"},
    "both_legacy_empty": {"flink-conf.yaml", "config.yaml"},
    "both_std_broken": {"flink-conf.yaml", "config.yaml"},
    "upper": {"Config.yaml"},
    "missing_dir": set(),
}


def directory_mismatch(row: Row) -> str | None:
    """Describe the difference between the files that Flink and flint use; None if there is none."""
    picked = file_loading.pick(DIRECTORIES[row["case"]], minor_index(row["version"]))
    result = row["result"]
    if "does not exist" in result or "existing directory" in result:
        wanted = None
    elif "k=std" in result or "Error parsing YAML" in result:
        wanted = file_loading.CONFIG_YAML
    else:
        wanted = file_loading.FLINK_CONF
    return None if picked == wanted else f"picks {picked}, Flink {wanted}"


def compare_directories(path: Path) -> tuple[int, list[str]]:
    """Compare dir_cases.jsonl: which file of a directory is used."""
    bad, total = [], 0
    for row in rows(path):
        total += 1
        if problem := directory_mismatch(row):
            bad.append(f"{row['version']} {row['case']}: {problem}")
    return total, bad


# Memory

PARTS = {
    "jvm_metaspace": "metaspace",
    "jvm_overhead": "overhead",
    "jvm_off_heap": "off_heap",
    "total_flink": "flink_size",
    "total_process": "process_size",
}
GOLDEN_PARTS = {
    "process": "process_size",
    "flink": "flink_size",
    "fheap": "framework_heap",
    "foff": "framework_off_heap",
    "theap": "task_heap",
    "toff": "task_off_heap",
    "net": "network",
    "meta": "metaspace",
    "over": "overhead",
    "off": "off_heap",
}


def derived(process: str, settings: Row, version: str) -> tuple[Any, list[str]]:
    """Return the memory that flint computes, or None and the messages of the refusal, outermost first."""
    derive = taskmanager if process.lower() == "tm" else jobmanager
    try:
        return derive(Configuration(settings, parse_release(version), yaml=False)), []
    except MemoryRefused as refused:
        return None, [str(refused), *refused.causes]


def part_mismatch(memory: Any, parts: dict[str, int], names: dict[str, str]) -> str | None:
    """Describe the first part whose size is not the measured one; None if all are."""
    for part, size in parts.items():
        mine = getattr(memory, names.get(part, part))
        if mine != size:
            return f"{part} {mine}, Flink {size}"
    return None


def memory_mismatch(row: Row, version: str) -> str | None:
    """Describe the difference between a memory vector and flint; None if there is none."""
    memory, messages = derived(row["kind"], row["conf"], version)
    if not row["ok"]:
        measured = [row["error"]["message"], *(cause["message"] for cause in row["error"]["causes"])]
        return None if messages == measured else f"says {messages or memory}, Flink {measured}"
    if messages:
        return f"refused: {messages[0]}"
    if memory.jvm_args != row["jvm_args"]:
        return f"{memory.jvm_args}, Flink {row['jvm_args']}"
    parts = {name: size for name, size in row["components"].items() if name not in ("num_slots", "cpu_cores")}
    return part_mismatch(memory, parts, PARTS | ({"jvm_heap": "heap"} if row["kind"] == "jm" else {}))


def golden_mismatch(row: Row, version: str) -> str | None:
    """Describe the difference between a golden memory row and flint; None if there is none."""
    memory, messages = derived(row["process"], row["config"], version)
    if "error" in row:
        measured = row["error"].partition(": ")[2]
        return None if messages[:1] == [measured] else f"says {messages or memory}, Flink {measured}"
    if messages:
        return f"refused: {messages[0]}"
    parts = {name: size for name, size in row["expect"].items() if name != "cpu"}
    return part_mismatch(memory, parts, GOLDEN_PARTS)


def compare_memory(path: Path) -> tuple[int, list[str]]:
    """Compare vectors-<minor>.jsonl and golden-<minor>.jsonl.gz: settings, and the parts or the refusal."""
    kind, _, version = path.name.removesuffix(".gz").removesuffix(".jsonl").partition("-")
    bad, total = [], 0
    for row in rows(path):
        total += 1
        problem = golden_mismatch(row, version) if kind == "golden" else memory_mismatch(row, version)
        if problem:
            bad.append(f"{row['config'] if kind == 'golden' else row['id']}: {problem}")
    return total, bad


# Precedence of keys


class PrecedenceCatalogue:
    """Return the three options that the precedence cases were measured with."""

    DEFINITIONS: ClassVar[dict[str, Row]] = {
        "p": {"type": "Integer", "default": 9, "lookup_order": ["f1", "f2", "d1", "d2"]},
        "m": {"type": "Map"},
        "l": {"type": "List<String>"},
    }

    def release_range(self, key: str, index: int) -> tuple[int, int]:
        return 0, NEWEST

    def reading(self, key: str, index: int) -> tuple[str, Option, tuple[str, ...]]:
        option = Option(key, self.DEFINITIONS[key], 0, NEWEST, 0, NEWEST)
        return key, option, (key, *option.lookup_order)


def precedence_mismatch(line: str) -> str | None:
    """Describe the difference between one line of key_precedence.txt and flint; None if there is none."""
    _, rest, contains, _ = line.split(" | ", 3)
    given, _, measured = rest.partition(" => ")
    words = given.split(" ")
    settings = dict(zip(words[::2], words[1::2], strict=False)) if given.strip() else {}
    key = next((word[0] for word in settings if word[0] in "ml"), "p")
    configuration = Configuration(settings, Release(1, 20), yaml=False, options=PrecedenceCatalogue())  # type: ignore[arg-type]
    try:
        value = configuration.value(key)
    except values.BadValue:
        value = "ERR"
    if isinstance(value, dict):
        value = "{" + ", ".join(f"{name}={item}" for name, item in value.items()) + "}"
    wanted = "ERR" if measured.startswith("ERR") else measured
    mine = "null" if value is None else str(value)
    if mine != wanted:
        return f"gives {mine}, Flink {wanted}"
    set_here = f"contains={str(configuration.is_set(key)).lower()}"
    return None if set_here == contains else f"{set_here}, Flink {contains}"


def compare_precedence(path: Path) -> tuple[int, list[str]]:
    """Compare key_precedence.txt: which of several spellings of an option wins."""
    bad, total = [], 0
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("=="):
            total += 1
            if problem := precedence_mismatch(line):
                bad.append(f"{line}: {problem}")
    return total, bad


def comparisons(facts: Path) -> Iterator[tuple[Path, Comparison]]:
    """Yield every file of vectors with the function that compares it."""
    for path in sorted((facts / "parse").glob("vectors-*.jsonl")):
        yield path, compare_files
    for path in sorted((facts / "parse").glob("values-*.jsonl")):
        yield path, compare_values
    for path in sorted((facts / "parse").glob("dir_cases.jsonl")):
        yield path, compare_directories
    for path in sorted((facts / "parse").glob("key_precedence.txt")):
        yield path, compare_precedence
    for path in sorted((facts / "memory").glob("*.jsonl*")):
        yield path, compare_memory


def main(arguments: list[str]) -> int:
    """Compare all files and return the exit status: 1 if anything differs."""
    show = "--show" in arguments
    facts = Path(next(argument for argument in arguments if not argument.startswith("-")))
    failed = False
    for path, compare in comparisons(facts):
        total, bad = compare(path)
        print(f"{path.parent.name}/{path.name} {total - len(bad)}/{total}")
        failed = failed or bool(bad)
        if show:
            for line in bad:
                print("   ", line)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
