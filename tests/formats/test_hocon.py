"""HOCON of jobs: Flink keys in any section, and the same values that pyhocon reads."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.syntax.hocon_entries import read_hocon
from tests.formats.reading import assert_edits_hold, cuts, edited, read

APP = """\
include "base"
// the job ä
app {
  name = "orders", url: "http://a//b" # told
  flink {
    parallelism.default = 4
    state { backend = rocksdb
      checkpoints.dir = ${base}"/checkpoints" }
    "execution.checkpointing.interval" = 60 s // often
    restart-strategy = ${?STRATEGY}
    pipeline.classpaths = [ "file:/a", file_b
      "c" ]
    high-availability.storageDir : "s3://b/\\u00e4\\"x"
    pipeline.name = \"\"\"two
lines\"\"\"
  }
}
base = "s3://bucket"
"""
FLAT = "state.backend = rocksdb\nparallelism.default = 4\nexecution.checkpointing.interval = 60 s\n"
BRACES = '{ "flink" : { "state.backend" : "rocksdb", "parallelism.default" : 4 } }\n'

SAMPLES = {"application.conf": APP, "reference.conf": FLAT, "job.hocon": BRACES}


def test_nested_and_quoted_keys_are_found_with_their_places() -> None:
    (document,) = read("application.conf", APP)
    assert (document.kind, document.name) == ("properties", "app.flink")
    assert cuts(document) == [
        ("parallelism.default", "default", "4"),
        ("state.backend", "backend", "rocksdb"),
        ("state.checkpoints.dir", "dir", '${base}"/checkpoints"'),
        ("execution.checkpointing.interval", '"execution.checkpointing.interval"', "60 s"),
        ("restart-strategy", "restart-strategy", "${?STRATEGY}"),
        ("pipeline.classpaths", "classpaths", '[ "file:/a", file_b\n      "c" ]'),
        ("high-availability.storageDir", "storageDir", '"s3://b/\\u00e4\\"x"'),
        ("pipeline.name", "name", '"""two\nlines"""'),
    ]


def test_substitutions_are_filled_in_from_the_file_alone() -> None:
    settings = read("application.conf", APP)[0]
    assert settings.settings()["state.checkpoints.dir"] == "s3://bucket/checkpoints"
    assert settings.effective["restart-strategy"].value is None


def test_the_environment_fills_in_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATEGY", "none")
    assert read("application.conf", APP)[0].effective["restart-strategy"].value is None


def test_values_are_those_that_pyhocon_reads() -> None:
    from pyhocon import ConfigFactory

    text = APP.replace('include "base"\n', "").replace("    restart-strategy = ${?STRATEGY}\n", "")
    read_by_pyhocon = ConfigFactory.parse_string(text).get_config("app.flink")
    found = {".".join(leaf.path[2:]): leaf.value for leaf in read_hocon(text) if leaf.path[:2] == ("app", "flink")}
    for key in ("parallelism.default", "state.backend", "state.checkpoints.dir", "pipeline.name"):
        assert found[key] == str(read_by_pyhocon[key])
    assert str(found["pipeline.classpaths"]).split(";") == read_by_pyhocon["pipeline.classpaths"]


def test_flat_files_and_outer_braces_are_read() -> None:
    (flat,) = read("reference.conf", FLAT)
    assert flat.settings()["execution.checkpointing.interval"] == "60 s"
    (braces,) = read("job.hocon", BRACES)
    assert cuts(braces)[1] == ("parallelism.default", '"parallelism.default"', "4")


def test_line_ends_of_windows_keep_the_places() -> None:
    (document,) = read("application.conf", APP.replace("\n", "\r\n"))
    assert cuts(document)[0] == ("parallelism.default", "default", "4")


def test_a_later_section_of_the_same_name_overrides() -> None:
    (document,) = read("reference.conf", FLAT + "parallelism { default = 8 }\n")
    assert [(e.text, e.overridden) for e in document.entries if e.key == "parallelism.default"] == [
        ("4", True), ("8", False),
    ]  # fmt: skip


def test_two_sections_are_two_documents() -> None:
    text = "dev { state.backend = hashmap, parallelism.default = 1 }\n"
    text += "prod { state.backend = rocksdb\n  parallelism.default = 9 }\n"
    assert [document.name for document in read("application.conf", text)] == ["dev", "prod"]


def test_edits_change_the_one_setting() -> None:
    (document,) = read("application.conf", APP)
    assert assert_edits_hold(document) >= 6
    (flat,) = read("reference.conf", FLAT)
    after = edited(flat, "add", "state.backend.incremental", "true")
    assert after is not None
    assert "state.backend.incremental = true\n" in after.text
    renamed = edited(
        document, "rename", document.effective["execution.checkpointing.interval"], "execution.buffer-timeout"
    )
    assert renamed is not None
    assert '"execution.buffer-timeout" = 60 s' in renamed.text


def test_an_appended_or_joined_object_is_unknown() -> None:
    text = FLAT + 'pipeline.jars += "a"\npipeline.name = ${x} { a = 1 }\n'
    (document,) = read("reference.conf", text)
    assert document.effective["pipeline.jars"].value is None


def test_other_files_are_not_recognized() -> None:
    assert file_format_of("application.conf", "akka { loglevel = INFO }\nserver.port = 8080\n") is None
    assert file_format_of("nginx.conf", "server { listen 80; location / { root /x; } } # taskmanager\n") is None


def test_comments_open_with_both_marks() -> None:
    assert read("reference.conf", FLAT)[0].file_format.comments == ("#", "//")


def test_a_value_behind_which_an_optional_variable_stands_is_open() -> None:
    text = (
        'base: /tmp/flink\nbase: ${?BASE}\nflink {\n  "state.checkpoints.dir": "file://"${base}"/checkpoints"\n'
        '  "state.backend.type": "rocksdb"\n}\n'
    )
    (document,) = read("application.conf", text)
    found = {entry.key: entry.value for entry in document.entries}
    assert found == {"state.checkpoints.dir": None, "state.backend.type": "rocksdb"}


def test_a_section_for_an_embedded_cluster_is_development() -> None:
    text = "deployment {\n  miniCluster {\n    config {\n%s    }\n  }\n}\n"
    settings = '      "state.backend.type": "rocksdb"\n      "state.checkpoints.dir": "s3://b/c"\n'
    (document,) = read("application.conf", text % settings)
    assert document.profile == "development"
    (document,) = read("application.conf", (text % settings).replace("miniCluster", "cluster"))
    assert document.profile is None
