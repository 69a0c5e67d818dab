"""JSON Schemas of a configuration: they accept what Flink accepts, and report nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from flink_flint.linter.commands.main import flint
from flink_flint.linter.flink.deployment.operator import FORBIDDEN
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.flink_conf import read_flink_conf
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.key_segments import OWN
from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, MINORS, NEWEST, parse_release, release_at
from flink_flint.linter.flink.values import parse
from flink_flint.linter.flink.yaml.yaml_constructor import load
from flink_flint.linter.lsp.schema import CONFIG_YAML, DEPLOYMENT, FLINK_CONFIGURATION, KINDS, NoSchema, schema, text_of
from flink_flint.linter.lsp.schema_values import constants, shared_types, up_to
from tests.marks import mostly_slow

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
SHIPPED = sorted((FIXTURES / "shipped").iterdir())
SOUND = sorted((ROOT / "tests" / "corpus" / "sound").glob("*/config.yaml"))
MEASURED = [json.loads(line) for line in (FIXTURES / "parse" / "values.jsonl").read_text("utf-8").splitlines()]
WITH_FILE = range(FIRST_CONFIG_YAML, NEWEST + 1)
RECENT = st.sampled_from(WITH_FILE)

TYPES = {
    "memory": "MemorySize", "duration": "Duration", "boolean": "Boolean", "int": "Integer", "long": "Long",
    "float": "Float", "double": "Double", "string": "String", "map": "Map", "list<string>": "List(String)",
    "list<map>": "List(Map)",
}  # fmt: skip
"""The names of the types in the measurements."""
EXACT = ("MemorySize", "Duration", "Boolean", "Integer", "Long", "Float", "Double", "String")
"""The types whose texts are accepted if and only if Flink accepts them."""

PIECES = [
    *("0", "1", "9", "10", "8388607", "8388608", "9223372036854775807", "9223372036854775808", "2147483648"),
    *("9007199254740992", "-", "+", ".", ",", "e", "E5", "x", "0x1p3", "NaN", "Infinity", "f", "D", "true", "FALSE"),
    *("b", "kb", "K", "\u212a", "m", "MB", "gibibytes", "t", "ms", "min", "Minutes", "s", "h", "d", "day"),
    *("P", "T", "1D", "1H", "5M", "2.5S", " ", "\t", "\n", "\u00a0", "ı", "ſ", "µs", "_", ";", ":", "'", "${", "AUTO"),
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=5).map("".join) | st.text(max_size=8)
RAW = TEXTS | st.integers(-(2**70), 2**70) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)


@cache
def validator(index: int, kind: str = CONFIG_YAML, *, is_open: bool = False) -> Any:
    return Draft202012Validator(schema(release_at(index), kind, is_open=is_open))


@cache
def type_validator(name: str, index: int) -> Any:
    types = shared_types(index, collections=True)
    return Draft202012Validator({**types[name], "$defs": types})


def output(index: int, configuration: object, kind: str = CONFIG_YAML) -> list[str]:
    """Return the paths at which a schema reports errors."""
    errors = validator(index, kind).iter_errors(configuration)
    return sorted({"/".join(map(str, error.absolute_path)) for error in errors})


def takes(option_type: str, enum: tuple[str, ...], raw: object, index: int) -> bool:
    """Return whether a release accepts a value in its config.yaml."""
    try:
        parse(option_type, enum, raw, index, yaml=True)
    except BadValue:
        return False
    return True


def nest(key: str, value: object, cuts: list[bool]) -> dict[str, Any]:
    """Return a key nested at some of its dots."""
    first, *rest = key.split(".")
    for place, segment in enumerate(rest):
        if cuts[place % len(cuts)]:
            return {first: nest(".".join(rest[place:]), value, [*cuts[place + 1 :], True])}
        first += f".{segment}"
    return {first: value}


def nested(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings nested at all dots; those whose key begins another's stay flat."""
    whole: dict[str, Any] = {}
    begun = {key[:at] for key in settings for at, char in enumerate(key) if char == "."}
    for key, value in settings.items():
        *path, last = key.split(".")
        if key in begun or any(".".join(path[:end]) in settings for end in range(1, len(path) + 1)):
            whole[key] = value
            continue
        place = whole
        for segment in path:
            place = place.setdefault(segment, {})
        place[last] = value
    return whole


# -- the schemas themselves


@pytest.mark.parametrize("index", mostly_slow(range(len(MINORS)), every=5), ids=MINORS)
@pytest.mark.parametrize("kind", KINDS)
def test_there_is_one_of_every_release(index: int, kind: str) -> None:
    """Every reference has a definition, and the size is small enough for editors."""
    if kind == CONFIG_YAML and index < FIRST_CONFIG_YAML:
        with pytest.raises(NoSchema, match=r"1\.19 and later do"):
            schema(release_at(index), kind)
        return
    found = schema(release_at(index), kind)
    text = text_of(found)
    assert json.loads(text) == found
    assert len(text) < 1_200_000
    assert f"/{MINORS[index]}/" in found["$id"]
    references = {reference.partition('"')[0] for reference in text.split('"$ref":"#/$defs/')[1:]}
    assert references <= set(found["$defs"])


@pytest.mark.parametrize(("release", "kind"), [("1.14", FLINK_CONFIGURATION), ("2.3", DEPLOYMENT)])
@pytest.mark.slow
def test_they_are_schemas_by_the_meta_schema(release: str, kind: str) -> None:
    """All types, and one in eight of the many places, because checking all takes long."""
    found = schema(parse_release(release), kind)
    kept = {name for place, name in enumerate(found["$defs"]) if name[0].isupper() or place % 8 == 0}
    Draft202012Validator.check_schema({**found, "$defs": {name: found["$defs"][name] for name in kept}})


@pytest.mark.slow
def test_the_text_is_the_same_in_every_process(tmp_path: Path) -> None:
    texts = [
        subprocess.run(
            [sys.executable, "-m", "flink_flint", "schema", "--flink-version", "2.3"],
            cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert texts[0] == texts[1] == text_of(schema(parse_release("2.3"), CONFIG_YAML)).encode()


@pytest.mark.parametrize("minor", ["1.20", "2.0"])
def test_a_patch_has_the_options_it_had(minor: str) -> None:
    """What a later patch release added to a minor is not in the schema of its first."""
    first, last = (schema(parse_release(release), CONFIG_YAML) for release in (f"{minor}.0", minor))
    assert first["title"] == f"The config.yaml of Apache Flink {minor}.0"
    later = "jobmanager.adaptive-scheduler.prefer-minimal-taskmanagers"
    assert (later in first["properties"], later in last["properties"]) == (False, True)


# -- values


@pytest.mark.parametrize("largest", [0, 5, 10, 99, 100, 2147483647, 8388607, 9223372036854775807])
def test_bounds_of_numbers(largest: int) -> None:
    whole = Draft202012Validator({"pattern": f"^{up_to(largest)}$"})
    near = {0, 1, largest // 10, largest // 2, largest - 1, largest, largest + 1, largest + 9, largest * 10}
    for number in near - {-1}:
        assert whole.is_valid(str(number)) == (number <= largest), number
        assert whole.is_valid(f"000{number}") == (number <= largest), number


@given(st.integers(0, 2**70), st.integers(0, 2**70))
def test_bounds_of_any_number(largest: int, number: int) -> None:
    assert Draft202012Validator({"pattern": f"^{up_to(largest)}$"}).is_valid(str(number)) == (number <= largest)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
@given(RECENT, RAW)
def test_types_take_what_flink_takes(name: str, index: int, raw: object) -> None:
    if isinstance(raw, str) and is_templated(raw):
        assert type_validator(name, index).is_valid(raw)
        return
    if isinstance(raw, float) and (raw.is_integer() or abs(raw) < 1e-37):
        return  # JSON has a single number type, and does not limit how near to zero a number may be
    if isinstance(raw, str) and name == "Duration" and "p" in raw.lower() and {*"+-"} & {*raw}:
        return  # a sum may be negative
    if isinstance(raw, int) and name in ("Float", "Double"):
        return
    assert type_validator(name, index).is_valid(raw) == takes(name, (), raw, index), raw


@given(st.sampled_from([("Map", "Map"), ("List<String>", "List(String)"), ("List<Map>", "List(Map)")]), RECENT, TEXTS)
def test_texts_of_collections_are_taken(names: tuple[str, str], index: int, text: str) -> None:
    catalogued, name = names
    assert type_validator(name, index).is_valid(text) or not takes(catalogued, (), text, index)


@given(st.data(), RECENT)
def test_constants_are_taken_in_any_case(data: st.DataObject, index: int) -> None:
    option = data.draw(st.sampled_from([option for option in catalogue().keys(index) if option.type == "Enum"]))
    word = data.draw(st.sampled_from(option.enum))
    written = "".join(data.draw(st.sampled_from((char.upper(), char.lower()))) for char in word)
    hyphened = written.replace("_", "-")
    spoilt = data.draw(st.sampled_from((written + "\n", " " + written, written[1:], hyphened)))
    for text in (written, spoilt):
        valid = Draft202012Validator(constants(option.enum)).is_valid(text)
        assert valid == takes("Enum", option.enum, text, index), text


@pytest.mark.parametrize("minor", ["1.19", "1.20", "2.0", "2.1", "2.3"])
def test_what_was_measured_of_flink(minor: str) -> None:
    """Texts whose results were measured with Flink's own classes in its standard YAML mode."""
    compared, index = 0, MINORS.index(minor)
    for row in MEASURED:
        name = TYPES.get(row["type"])
        if name is None or minor not in row["modes"].get("yaml_string", ()):
            continue
        raw, taken = row["raw"], row["measured"]["ok"]
        valid = type_validator(name, index).is_valid(raw)
        if not raw.isascii() and any(char.isdecimal() for char in raw):
            continue  # digits of other scripts, which Java reads and no pattern matches in every editor
        if taken or (name in EXACT and raw.isascii() and not is_templated(raw) and raw[:2] not in ("-P", "P-", "PT")):
            assert valid == taken, (name, raw)
            compared += 1
    assert compared > 100


@pytest.mark.slow
@pytest.mark.parametrize("index", WITH_FILE, ids=[MINORS[index] for index in WITH_FILE])
def test_defaults_and_bad_values_of_every_option(index: int) -> None:
    """Each default is accepted, flat and nested; a value that Flink refuses is reported at its key."""
    bad = {
        "MemorySize": "12 parsecs", "Duration": "1 lightyear", "Boolean": "yes", "Integer": "2.5", "Long": "1k",
        "Float": "40%", "Double": "0,4", "Enum": "no such constant", "Map": "neither", "List<Enum>": "no such",
    }  # fmt: skip
    sound: dict[str, Any] = {}
    spoilt: dict[str, Any] = {}
    for option in catalogue().keys(index):
        if option.templated:
            continue
        if option.has_default and option.default is not None:
            sound[option.key] = option.default
        if option.type in bad and (option.enum or "Enum" not in option.type):
            spoilt[option.key] = bad[option.type]
    assert len(sound) > 500
    assert output(index, sound) == output(index, nested(sound)) == []
    assert len(spoilt) > 500
    assert output(index, spoilt) == sorted(spoilt)
    # If an option is a prefix of other keys, an error deeper down is reported for the whole.
    places = [f"{place.replace('/', '.')}." for place in output(index, nested(spoilt))]
    assert [key for key in spoilt if not any(f"{key}.".startswith(place) for place in places)] == []


@pytest.mark.slow
@given(st.data(), RECENT, st.lists(st.booleans(), min_size=1, max_size=4))
def test_options_take_what_flink_takes_for_them(data: st.DataObject, index: int, cuts: list[bool]) -> None:
    options: list[Option] = [option for option in catalogue().keys(index) if not option.templated]
    option = data.draw(st.sampled_from(options))
    key = data.draw(st.sampled_from((option.key, *option.lookup_order)))
    accepted = catalogue().accept(key, index)
    text = data.draw(TEXTS | st.sampled_from((*option.enum, "1", "true", "1g", "a;b", "a:b")))
    if accepted is None or is_templated(text) or any(char in text for char in "pP+-"):
        return
    option = accepted.option
    valid = output(index, nest(key, text, cuts)) == []
    taken = takes(option.type, option.enum, text, index)
    assert valid or not taken
    assert valid == taken or option.type not in (*EXACT, "Enum")


# -- keys


@pytest.mark.slow
@pytest.mark.parametrize("index", WITH_FILE, ids=[MINORS[index] for index in WITH_FILE])
def test_keys_are_known_or_reported(index: int) -> None:
    """Every key of any release, and each with a typo: reported if the prefix belongs to Flink and the key is
    unknown."""
    options = catalogue()
    spellings = [key for key, _ in options.spellings() if "<" not in key]
    unknown, fine = set(), {}
    for key in {slip for known in spellings for slip in (known, f"{known}x", known.replace(".", "-", 1))}:
        accepted = options.accept(key, index)
        owned = "." in key and key.partition(".")[0] in OWN
        if accepted is not None:
            option = accepted.option
            fine[key] = option.enum[0] if option.enum else {"Boolean": "true", "Map": "a:1"}.get(option.type, "1")
        elif not owned or options.passes_through(key) or key.startswith("sql-gateway.endpoint."):  # names of endpoints
            fine[key] = "1"
        else:
            unknown.add(key)
    assert len(unknown) > 1000
    assert output(index, fine) == []
    errors = list(validator(index).iter_errors(dict.fromkeys(unknown, "1")))
    messages = " ".join(error.message for error in errors if error.validator == "additionalProperties")
    begun = {error.path[0] for error in errors if error.path}  # such a key is only a prefix of others
    assert all(repr(key) in messages for key in unknown - begun)
    assert len(begun) < 5


def test_keys_of_templates_and_maps() -> None:
    configuration = {
        "metrics": {"reporter": {"prom": {"port": 9249, "interval": "10 s", "whatever": 1, "factory.class": "a.B"}}},
        "metrics.reporter.influx.connectTimeout": "10 s",
        "kubernetes.jobmanager.labels": {"app": "a", "team": {"name": "b"}},
        "kubernetes.taskmanager.labels.app": "a",
        "kubernetes": {"taskmanager.labels": "a:b,c:d", "operator.savepoint.history": {"max.age": "1 d"}},
        "kubernetes.taskmanager.tolerations": [{"key": "a", "operator": "Exists"}],
        "containerized": {"master": {"env": {"MALLOC": "x"}}},
        "fs.s3.limit.total": 4,
        "s3": {"endpoint": "http://minio"},
        "external-resource": {"gpu": {"amount": 2, "param.discovery-script.path": "/x"}},
        "myapp": {"window": "5 min"},
        "user": "bob",
        "pipeline.jars": ["a.jar", "b.jar"],
        "io": {"tmp.dirs": "/data"},
    }
    assert output(NEWEST, configuration) == []
    assert output(NEWEST, {"metrics.reporter.prom.interval": "10 parsecs"}) == ["metrics.reporter.prom.interval"]
    assert output(NEWEST, {"metrics": {"reporter": {"prom": {"interval": "x"}}}}) == ["metrics/reporter/prom/interval"]
    assert output(NEWEST, {"fs": {"s3": {"limit": {"total": "x"}}}}) == ["fs/s3/limit/total"]
    assert output(NEWEST, {"taskmanager": {"memory": {"proces": {"size": "1g"}}}}) == ["taskmanager/memory"]
    assert output(NEWEST, {"taskmanager": None}) == ["taskmanager"]
    assert output(NEWEST, {"taskmanager": 3}) == ["taskmanager"]
    assert output(NEWEST, ["taskmanager"]) == [""]


def test_entries_of_a_map_have_keys_of_their_own_since_1_14() -> None:
    label = {"kubernetes.jobmanager.labels.app": "a"}
    assert output(MINORS.index("1.14"), label, FLINK_CONFIGURATION) == []
    assert output(MINORS.index("1.13"), label, FLINK_CONFIGURATION) == [""]


def test_a_key_that_is_an_option_and_begins_others() -> None:
    index = MINORS.index("1.20")
    assert output(index, {"high-availability": "zookeeper"}) == []
    assert output(index, {"high-availability": {"type": "zookeeper", "zookeeper.quorum": "a:1"}}) == []
    assert output(index, {"high-availability": {"kind": "zookeeper"}}) == ["high-availability"]
    assert output(index, {"state": {"backend": "rocksdb"}}) == []
    assert output(index, {"state": {"backend": {"type": "rocksdb"}}}) == []


def test_open_takes_unknown_keys_and_no_bad_values() -> None:
    of_amazon = {"jobmanager": {"adaptive-scheduler.combined-restart.enabled": True}}
    assert output(NEWEST, of_amazon) == ["jobmanager"]
    assert validator(NEWEST, is_open=True).is_valid(of_amazon)
    assert not validator(NEWEST, is_open=True).is_valid({"rest": {"port": "x"}})


def test_what_an_editor_shows() -> None:
    definitions = schema(parse_release("1.20"), CONFIG_YAML)["$defs"]
    size = definitions["taskmanager.memory.process.size"]["description"]
    assert size.startswith("Memory size; no default. Since Flink 1.10.")
    assert size.endswith("More: `flint explain taskmanager.memory.process.size`.")
    old = definitions["state.backend.incremental"]
    assert old["deprecated"] is True
    assert old["deprecationMessage"].endswith("an old name: write execution.checkpointing.incremental")
    assert definitions["parallelism.default"]["default"] == 1
    mode = definitions["execution.checkpointing.mode"]
    assert mode["description"].startswith("One of EXACTLY_ONCE, AT_LEAST_ONCE; default EXACTLY_ONCE.")
    assert "default" not in definitions["io.tmp.dirs"]
    assert definitions["env.java.opts.all"]["description"].startswith("Text; empty by default.")


def test_an_editor_suggests_only_the_next_mapping() -> None:
    (place,) = schema(parse_release("1.20"), CONFIG_YAML)["$defs"]["taskmanager"]["allOf"]
    suggested = {name for name, found in place["properties"].items() if "doNotSuggest" not in found}
    assert {"memory", "memory.process.size"} <= suggested
    assert "memory.process" in place["properties"].keys() - suggested


# -- real configurations


@pytest.mark.parametrize("path", SHIPPED, ids=[path.name for path in SHIPPED])
def test_shipped_configurations(path: Path) -> None:
    """The default configuration of each release, without its comments."""
    release, _, name = path.name.partition("-")
    index, text = MINORS.index(release), path.read_text(encoding="utf-8")
    if name == CONFIG_YAML:
        configuration = load(text)
        assert isinstance(configuration, dict)
        assert len(configuration) >= 5
        assert output(index, configuration) == []
    else:
        settings = read_flink_conf(text).settings()
        assert len(settings) >= 5
        assert output(index, settings, FLINK_CONFIGURATION) == []


def test_there_is_a_shipped_configuration_of_every_release() -> None:
    assert {path.name.partition("-")[0] for path in SHIPPED} == set(MINORS)


@pytest.mark.parametrize("path", SOUND, ids=[path.parent.name for path in SOUND])
def test_sound_configurations(path: Path) -> None:
    assert output(MINORS.index(path.parent.name.partition("-")[0]), load(path.read_text(encoding="utf-8"))) == []


def test_templates_are_not_judged() -> None:
    configuration = {"rest.port": "${PORT}", "taskmanager.memory.process.size": "{{ .Values.memory }}"}
    assert output(NEWEST, configuration) == []
    assert output(NEWEST, {"execution.checkpointing": {"mode": "$(MODE)", "interval": "${A:-1 s}"}}) == []


# -- custom resources


def resource(text: str) -> object:
    return yaml.safe_load(text)


def test_a_flink_deployment() -> None:
    text = """
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    rest.port: 8081
    kubernetes.operator.savepoint.history.max.age: 1 d
    job.autoscaler.enabled: "true"
    kubernetes: {operator: {whatever: 1}}
  podTemplate: {spec: {containers: []}}
"""
    index = MINORS.index("1.20")
    assert output(index, resource(text), DEPLOYMENT) == []
    spoilt = text.replace('"2"', "2x").replace("8081", "http").replace("1 d", "1 parsec").replace("v1_20", "v1_19")
    assert output(index, resource(spoilt), DEPLOYMENT) == [
        "spec/flinkConfiguration/kubernetes.operator.savepoint.history.max.age",
        "spec/flinkConfiguration/rest.port",
        "spec/flinkConfiguration/taskmanager.numberOfTaskSlots",
        "spec/flinkVersion",
    ]
    assert output(index, {"kind": "Service", "spec": {"ports": []}}, DEPLOYMENT) == []


@pytest.mark.parametrize("key", FORBIDDEN)
def test_keys_that_the_operator_sets_itself(key: str) -> None:
    assert output(NEWEST, {key: "a"}) == []
    assert output(NEWEST, {key: "a"}, FLINK_CONFIGURATION) == [""]


def test_nested_mappings_where_an_operator_takes_them() -> None:
    nested = {"taskmanager": {"numberOfTaskSlots": 2}}
    taken = [minor for index, minor in enumerate(MINORS) if not output(index, nested, FLINK_CONFIGURATION)]
    assert taken == list(MINORS[MINORS.index("1.15") :])
    assert output(MINORS.index("1.14"), {"pipeline.jars": ["a.jar"]}, FLINK_CONFIGURATION) == ["pipeline.jars"]
    assert output(MINORS.index("1.14"), {"pipeline.jars": "a.jar;b.jar"}, FLINK_CONFIGURATION) == []


def test_options_of_the_operator() -> None:
    found = json.loads((ROOT / "linter" / "flink" / "operator_options.json").read_text(encoding="utf-8"))
    assert list(found) == sorted(found)
    for key, option in found.items():
        if "<" not in key and "default" in option:
            assert output(NEWEST, nest(key, option["default"], [True, False]), FLINK_CONFIGURATION) == [], key
    window = "job.autoscaler.metrics.window"
    assert output(NEWEST, {window: "x"}, FLINK_CONFIGURATION) == [window]


# -- the command


def test_the_command_writes_what_was_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    arguments = ["schema", "--flink-version", "1.20", "--of", "FlinkDeployment", "--output-file", str(file)]
    done = CliRunner().invoke(flint, arguments)
    assert (done.exit_code, done.output) == (0, "")
    assert file.read_text(encoding="utf-8") == text_of(schema(parse_release("1.20"), DEPLOYMENT))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "kind", "release"),
    [
        ([], CONFIG_YAML, MINORS[NEWEST]),
        (["--output-file", "-"], CONFIG_YAML, MINORS[NEWEST]),
        (["--flink-version", "1.18"], FLINK_CONFIGURATION, "1.18"),
    ],
)
def test_what_the_command_writes_by_itself(arguments: list[str], kind: str, release: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "flink_flint", "schema", *arguments], cwd=ROOT, capture_output=True, check=True
    )
    assert json.loads(done.stdout)["$id"].endswith(f"/{release}/{kind}.json")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--flink-version", "1.18", "--of", "config.yaml"], "Flink 1.18 does not read config.yaml"),
        (["--flink-version", "1.8"], "flint knows the options of Flink 1.9 to 2.3, but not those of 1.8"),
        (["--flink-version", "new"], "'new' is not a Flink version"),
        (["--output-file", "no/such/folder/schema.json"], "no/such/folder/schema.json: cannot write the schema"),
    ],
)
def test_what_the_command_cannot_do(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "flink_flint", "schema", *arguments],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
