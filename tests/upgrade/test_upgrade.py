"""`flint upgrade`: the effects of upgrading Flink on files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import MINORS, NEWEST, parse_release
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.output.terminal_style import PLAIN, Style
from flink_flint.linter.upgrade.beyond_configuration import unseen
from flink_flint.linter.upgrade.compare_releases import UnknownRelease, compare
from flink_flint.linter.upgrade.json_format import render as render_json
from flink_flint.linter.upgrade.markdown_format import render as render_markdown
from flink_flint.linter.upgrade.text_format import render as render_text
from flink_flint.linter.upgrade.upgrade_report import Crossing, Upgrade
from tests.conftest import ROOT, Flint
from tests.upgrade.example import write_example

DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:1.18-java11
  flinkVersion: v1_18
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    akka.framesize: 20m
  jobManager:
    resource: {memory: 2g, cpu: 1}
  taskManager:
    resource: {memory: 4g, cpu: 1}
"""


def crossed(files: dict[str, str], older: str, newer: str) -> Upgrade:
    """Return the upgrade report for file contents; with an empty `older` the release is detected."""
    sources = []
    for path, text in files.items():
        file_format = file_format_of(path.rpartition("/")[2], text)
        assert file_format is not None, path
        sources.append(Source(path, text.encode(), file_format))
    return compare(sources, Options(flink_version=older or None), parse_release(newer))


def flink_conf(text: str, older: str, newer: str) -> Crossing:
    (crossing,) = crossed({"flink-conf.yaml": text}, older, newer).crossings
    return crossing


def config_yaml(text: str, older: str, newer: str) -> Crossing:
    (crossing,) = crossed({"config.yaml": text}, older, newer).crossings
    return crossing


def broken(crossing: Crossing) -> list[tuple[str, str | None, str]]:
    return [(one.kind, one.key, one.severity.word) for one in crossing.broken]


# -- keys and values


def test_a_key_that_is_no_longer_read_is_reported_with_its_last_release_and_what_to_do() -> None:
    crossing = flink_conf("rest.port: 8081\nsecurity.ssl.enabled: true\n", "1.13", "2.1")
    assert ("lost", "security.ssl.enabled", "error") in broken(crossing)
    (lost,) = (one for one in crossing.broken if one.kind == "lost")
    assert lost.where[:3] == ("flink-conf.yaml", 2, 1)
    assert "last read by Flink 1.20" in lost.message
    assert "from 2.0 on" in lost.message
    assert lost.help == "set security.ssl.internal.enabled and security.ssl.rest.enabled"
    assert lost.successor is None
    assert not any(finding.rule == "removed-key" for finding in crossing.new)


def test_what_had_become_a_formality_breaks_nothing() -> None:
    crossing = flink_conf("state.backend.async: true\n", "1.18", "1.20")
    assert broken(crossing) == []
    crossing = config_yaml("state.backend.async: true\nrest.port: 8081\n", "1.20", "2.0")
    assert broken(crossing) == [("lost", "state.backend.async", "info")]


def test_a_line_that_did_nothing_before_is_not_lost() -> None:
    text = "akka.framesize: 20m\npekko.framesize: 30m\nmesos.master: a\nno.such.key: 1\n"
    assert broken(flink_conf(text, "1.18", "1.20")) == []


@pytest.mark.parametrize(
    ("line", "older", "newer", "kind"),
    [
        ("jobmanager.scheduler: ng", "1.16", "1.20", None),
        ("jobmanager.scheduler: ng", "1.20", "2.0", "refused"),
        ("resourcemanager.standalone.start-up-time: -1", "1.19", "1.20", "refused"),
        ("heartbeat.timeout: 60000", "1.19", "1.20", None),
        ("slot.idle.timeout: 50000", "1.13", "2.3", None),
        ("akka.ask.timeout: 20 s", "1.13", "1.14", None),  # was a text
        ("state.backend.fs.memory-threshold: 1024", "1.10", "1.20", None),
        ("taskmanager.network.compression.codec: SNAPPY", "1.19", "1.20", "refused"),
        ("yarn.application-attempts: many", "1.19", "1.20", "refused"),
        ("heartbeat.timeout: {{ .Values.timeout }}", "1.19", "1.20", None),
        ("heartbeat.timeout: soon", "1.19", "1.20", None),  # refused before as well
    ],
)
def test_values_that_the_newer_release_refuses(line: str, older: str, newer: str, kind: str | None) -> None:
    crossing = flink_conf(f"rest.port: 8081\n{line}\n", older, newer)
    found = [one for one in crossing.broken if one.kind in ("refused", "meaning")]
    assert [one.kind for one in found] == ([kind] if kind else [])
    if kind:
        assert found[0].where.line == 2
        assert found[0].help
    assert not any(finding.rule.startswith("bad-") for finding in crossing.new)


def test_a_list_that_yaml_reads_otherwise_means_something_else() -> None:
    crossing = flink_conf("classloader.parent-first-patterns.additional: [a., b.]\n", "1.20", "2.0")
    kinds = [one.kind for one in crossing.broken]
    assert kinds == ["file", "meaning"]
    assert broken(flink_conf("classloader.parent-first-patterns.additional: a.;b.\n", "1.20", "2.0"))[1:] == []


def test_a_value_of_a_secret_key_that_means_something_else_is_not_shown() -> None:
    _, meaning = flink_conf("kubernetes.container.image.pull-secrets: [ab, cd]\n", "1.20", "2.0").broken
    key = "kubernetes.container.image.pull-secrets"
    assert meaning.message == f"{key} is ****** in Flink 1.20 and ****** in 2.0"


def test_a_line_that_no_longer_counts_for_another_option_is_reported() -> None:
    (output,) = flink_conf("akka.ask.timeout: 60 s\n", "1.17", "1.20").broken
    assert (output.kind, output.severity.word, output.where.line) == ("meaning", "warning", 1)
    assert output.message.startswith("taskmanager.slot.timeout falls back to 1 min from this line in Flink 1.17")
    assert output.message.endswith("in 1.20 it does not and is 10 s")
    for text in ("akka.ask.timeout: 10 s\n", "akka.ask.timeout: 60 s\ntaskmanager.slot.timeout: 60 s\n"):
        assert not flink_conf(text, "1.17", "1.20").broken
    assert not flink_conf("akka.ask.timeout: 60 s\n", "1.18", "1.20").broken
    assert not flink_conf("akka.ask.timeout: {{ .Values.timeout }}\n", "1.17", "1.20").broken


def test_a_key_renamed_twice_has_its_last_name() -> None:
    crossing = flink_conf("state.backend.fs.memory-threshold: 2kb\nakka.framesize: 20m\n", "1.12", "1.20")
    assert {one.key: one.names for one in crossing.renamed} == {
        "state.backend.fs.memory-threshold": ("execution.checkpointing.data-inline-threshold",),
        "akka.framesize": ("pekko.framesize",),
    }
    assert all(one.by_hand is None for one in crossing.renamed)
    assert crossing.worst is Severity.INFO


def test_what_cannot_be_renamed_safely_is_left_to_people() -> None:
    crossing = config_yaml("web.port: 8081\nakka.ask.timeout: 20 s\n", "1.19", "2.1")
    assert {one.key: one.by_hand for one in crossing.renamed} == {
        "web.port": "it means several options",
        "akka.ask.timeout": "other options would get the value, too",
    }


def test_the_other_spelling_wins() -> None:
    text = "state.checkpoints.dir: s3://old/c\nexecution.checkpointing.dir: s3://new/c\n"
    (winner,) = flink_conf(text, "1.19", "1.20").winners
    assert winner.option == "execution.checkpointing.dir"
    assert (winner.before.value, winner.before.where.line) == ("s3://old/c", 1)
    assert (winner.after.value, winner.after.where.line) == ("s3://new/c", 2)
    assert flink_conf(text, "1.18", "1.19").winners == ()
    for one, other in (("1gb", "1024m"), ("{{ .Values.most }}", "{{ .Values.most }}")):
        same = f"taskmanager.network.memory.max: {one}\ntaskmanager.memory.network.max: {other}\n"
        assert flink_conf(same, "1.9", "1.10").winners == ()


def test_a_setting_is_reported_in_the_file_that_makes_it() -> None:
    patch = "metadata: {name: orders}\nspec: {flinkConfiguration: {rest.port: '8082'}}\n"
    files = {
        "base/deployment.yaml": DEPLOYMENT,
        "overlays/patch.yaml": f"apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\n{patch}",
    }
    upper, lower = sorted(crossed(files, "", "2.0").crossings, key=lambda one: len(one.renamed))
    assert (upper.document.path, upper.before, upper.renamed) == ("overlays/patch.yaml", lower.before, ())
    assert [one.key for one in lower.renamed] == ["akka.framesize"]


def test_a_constant_of_a_program_is_not_renamed() -> None:
    program = 'class A { void f(Configuration c) { c.set(AkkaOptions.FRAMESIZE, "20m"); c.setString(KEY, "20m"); } }\n'
    text = "import org.apache.flink.configuration.*;\n" + program
    for key, renamed in (("other", []), ("akka.framesize", ["akka.framesize"])):
        (crossing,) = crossed({"A.java": text.replace("KEY", f'"{key}"')}, "1.16", "2.0").crossings
        assert [one.key for one in crossing.renamed] == renamed


def test_a_line_that_did_nothing_begins_to_count() -> None:
    crossing = flink_conf("execution.checkpointing.unaligned.enabled: true\n", "1.16", "1.18")
    assert broken(crossing) == [("awakened", "execution.checkpointing.unaligned.enabled", "warning")]
    assert "it takes effect from 1.17 on" in crossing.broken[0].message


# -- files, memory, defaults


def test_flink_conf_is_read_up_to_1_20() -> None:
    assert broken(flink_conf("rest.port: 8081\n", "1.18", "1.20")) == []
    (crossing,) = crossed({"flink-conf.yaml": "rest.port: 8081\n"}, "1.18", "2.0").crossings
    assert broken(crossing) == [("file", None, "error")]
    assert crossing.broken[0].help == "convert it to config.yaml: flint migrate flink-conf.yaml"
    assert not any(finding.rule == "wrong-config-file" for finding in crossing.new)


def test_of_two_files_the_other_one_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"flink-conf.yaml": "rest.port: 8081\n", "config.yaml": "rest.port: 8082\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    new, old = sorted(crossed(files, "1.20", "2.0").crossings, key=lambda one: one.document.path)
    assert broken(old) == [("file", None, "error")]
    assert "the config.yaml next to it, which 1.20 ignores, is read instead" in old.broken[0].message
    assert broken(new) == [("file", None, "warning")]
    assert "only reads this one" in new.broken[0].message


def test_memory_before_and_after_is_that_of_each_release() -> None:
    crossing = flink_conf("taskmanager.memory.process.size: 16g\n", "1.16", "1.17")
    before, after = crossing.memory["taskmanager"]
    assert isinstance(before.derived, TaskManagerMemory)
    assert isinstance(after.derived, TaskManagerMemory)
    assert before.derived.network == 1 << 30
    assert after.derived.network - before.derived.network == 510027390
    assert after.derived.process_size == before.derived.process_size
    (network,) = (one for one in crossing.defaults if one.key == "taskmanager.memory.network.max")
    assert network.matters
    assert (network.before, network.after) == ("1 gb", "no limit")
    assert crossing.defaults[0] is network


def test_a_default_that_moves_no_memory_means_little() -> None:
    crossing = flink_conf("taskmanager.memory.process.size: 2g\n", "1.16", "1.17")
    (network,) = (one for one in crossing.defaults if one.key == "taskmanager.memory.network.max")
    assert not network.matters
    crossing = flink_conf("taskmanager.memory.process.size: 16g\ntaskmanager.memory.network.max: 1g\n", "1.16", "1.17")
    assert not any(one.key == "taskmanager.memory.network.max" for one in crossing.defaults)


def test_memory_that_no_longer_adds_up_breaks() -> None:
    text = "jobmanager.heap.size: 1g\ntaskmanager.memory.process.size: 4g\n"
    crossing = config_yaml(text, "1.20", "2.0")
    (refused,) = (one for one in crossing.broken if one.kind == "memory")
    assert refused.where.line == 1
    assert refused.message.startswith("the JobManager's memory adds up in Flink 1.20 but not in 2.0")
    assert not any(finding.rule == "memory-does-not-add-up" for finding in crossing.new)


def test_defaults_weigh_by_what_the_file_uses() -> None:
    plain = {one.key: one for one in flink_conf("rest.port: 8081\n", "1.18", "2.0").defaults}
    assert not plain["security.ssl.algorithms"].matters
    assert not plain["kubernetes.transactional-operation.max-retries"].matters
    assert "restart-strategy.type" not in plain
    assert plain["state.backend.type"].same
    text = "security.ssl.internal.enabled: true\nexecution.checkpointing.interval: 60 s\nkubernetes.cluster-id: a\n"
    uses = {one.key: one for one in flink_conf(text, "1.18", "2.0").defaults}
    assert uses["security.ssl.algorithms"].matters
    assert uses["kubernetes.transactional-operation.max-retries"].matters
    assert uses["restart-strategy.type"].after == "exponential-delay"
    strategy = "execution.checkpointing.interval: 60 s\nrestart-strategy: fixed-delay\n"
    assert "restart-strategy.type" not in {one.key for one in flink_conf(strategy, "1.18", "2.0").defaults}


def test_a_part_of_a_configuration_misses_nothing() -> None:
    script = "SET 'execution.checkpointing.interval' = '60 s';\nSET 'akka.ask.timeout' = '10 s';\nSELECT 1;\n"
    (crossing,) = crossed({"job.sql": script}, "1.16", "1.20").crossings
    assert crossing.defaults == ()
    assert [one.key for one in crossing.renamed] == ["akka.ask.timeout"]


# -- releases


def test_the_lines_that_name_the_old_release_are_reported_with_what_to_write() -> None:
    (crossing,) = crossed({"deployment.yaml": DEPLOYMENT}, "", "2.0").crossings
    assert str(crossing.before) == "1.18"
    assert [(one.where.line, one.text, one.replacement) for one in crossing.named] == [
        (6, "flink:1.18-java11", "flink:2.0-java11"),
        (7, "v1_18", "v2_0 (from operator 1.11 on)"),
    ]
    assert not any(finding.rule == "image-version-mismatch" for finding in crossing.new)


@pytest.mark.parametrize(
    ("image", "to", "wanted"),
    [
        ("flink:1.14.4-scala_2.12-java8", "2.1", "flink:2.1-scala_2.12-java11"),
        ("flink:1.14.4-scala_2.12-java8", "1.20.5", "flink:1.20.5-scala_2.12-java8"),
        ("registry.example.org/orders:1.4", "2.1", None),
    ],
)
def test_an_image_keeps_what_it_can(image: str, to: str, wanted: str | None) -> None:
    text = DEPLOYMENT.replace("flink:1.18-java11", image).replace("v1_18", "v1_14")
    (crossing,) = crossed({"deployment.yaml": text}, "", to).crossings
    assert [one.replacement for one in crossing.named if one.text == image] == ([wanted] if wanted else [])


def test_lines_that_name_the_old_release_are_worth_a_look() -> None:
    unnamed = DEPLOYMENT.replace("    akka.framesize: 20m\n", "")
    (crossing,) = crossed({"deployment.yaml": unnamed}, "", "1.19").crossings
    assert not any(default.matters for default in crossing.defaults)
    assert crossing.worst is Severity.INFO


def test_the_releases_that_files_are_upgraded_from_come_oldest_first() -> None:
    in_order = ["1.17.2", "1.18.0", "1.18.1", "1.18.2", "1.18.3", "1.18.10", "1.18"]
    files = {f"{one}.yaml": DEPLOYMENT.replace("flink:1.18", f"flink:{one}") for one in in_order}
    files = {path: text.replace("v1_18", f"v{path[:4].replace('.', '_')}") for path, text in files.items()}
    assert [str(one) for one in crossed(files, "", "2.0").starts] == in_order


def test_what_is_renamed_does_not_depend_on_the_rules_that_run(flint: Flint, tmp_path: Path) -> None:
    write_example(tmp_path)
    (tmp_path / "flint.toml").write_text('flink-version = "1.16"\nignore = ["deprecated-key", "removed-key"]\n')
    text = flint("upgrade", "conf", "--to", "2.1").stdout
    assert "Renamed  --fix writes 2 new names" in text
    assert "help: write state.backend.rocksdb.localdir (--fix does)" in text
    assert "+pekko.framesize: 20m\n" in flint("upgrade", "conf", "--to", "2.1", "--diff").stdout


def test_a_document_that_is_there_already_is_left_alone() -> None:
    upgrade = crossed({"deployment.yaml": DEPLOYMENT}, "", "1.18")
    assert upgrade.crossings == ()
    assert [str(one.release) for one in upgrade.level] == ["1.18"]
    assert upgrade.worst is None
    assert upgrade.unseen == ()


def test_hazards_that_come_and_go_are_those_of_the_rules() -> None:
    crossing = flink_conf("state.backend: jobmanager\nexecution.checkpointing.interval: 60 s\n", "1.16", "2.0")
    assert "state-backend-name" in {finding.rule for finding in crossing.new if finding.severity is Severity.ERROR}
    assert "vulnerable-release" in {finding.rule for finding in crossing.gone}


def test_without_a_release_nothing_can_be_said() -> None:
    with pytest.raises(UnknownRelease, match=r"--from 1\.18.*\nflink-conf\.yaml: its release is unknown"):
        crossed({"flink-conf.yaml": "rest.port: 8081\n"}, "", "2.0")


@pytest.mark.parametrize(("number", "listed", "more"), [(5, 5, ""), (6, 5, "\nand 1 more"), (7, 5, "\nand 2 more")])
def test_a_few_of_the_files_without_a_release_are_named(number: int, listed: int, more: str) -> None:
    with pytest.raises(UnknownRelease) as error:
        crossed({f"{name}/flink-conf.yaml": "rest.port: 8081\n" for name in range(number)}, "", "2.0")
    assert str(error.value).count("its release is unknown") == listed
    assert str(error.value).endswith(f"4/flink-conf.yaml: its release is unknown{more}")


@pytest.mark.parametrize(
    ("older", "newer", "titles", "says"),
    [
        ("1.20", "2.0", ["State", "SQL", "Java", "Programs", "Release notes of 2.0"], "is not guaranteed"),
        ("1.18", "1.20", ["State", "SQL", "Java", "Programs"], "every release from 1.8 on"),
        ("1.12", "1.13", ["State", "SQL", "Java", "Programs"], "unaligned"),
        ("2.0", "2.1", ["State", "SQL", "Java", "Programs"], "take a savepoint"),
        ("1.15.1", "1.16", ["State", "SQL state"], "the table shows"),
    ],
)
def test_what_no_file_shows_has_its_sources(older: str, newer: str, titles: list[str], says: str) -> None:
    notes = list(unseen(parse_release(older), parse_release(newer)))
    assert [note.title for note in notes][: len(titles)] == titles
    assert says in notes[0].text
    assert all(note.source.startswith("https://") for note in notes)
    passed = [note for note in notes if note.is_link]
    assert len(passed) == MINORS.index(newer) - MINORS.index(".".join(older.split(".")[:2]))


@pytest.mark.parametrize(
    ("older", "newer", "says"),
    [
        ("1.13", "1.14", "1.14 runs on Java 8 or later"),
        ("1.14", "1.15", "Java 8 is deprecated from 1.15 on"),
        ("1.15", "1.16", "1.16 runs on Java 8 (deprecated) or 11 or later"),
        ("1.20", "2.0", "Java 11 or later is required"),
        ("2.0", "2.1", "2.1 runs on Java 11 or later"),
    ],
)
def test_the_java_that_a_release_needs_is_said(older: str, newer: str, says: str) -> None:
    (java,) = (note for note in unseen(parse_release(older), parse_release(newer)) if note.title == "Java")
    assert java.text.startswith(says)


# -- any file, any step

_KEYS = sorted(key for key, _ in catalogue().spellings() if "<" not in key)
_VALUES = st.sampled_from(["1", "true", "10 s", "64mb", "ng", "a;b", "-1", "rocksdb", "${X}", "0.5", "s3://a/b"])


@given(
    settings=st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=6),
    step=st.tuples(st.integers(0, NEWEST), st.integers(0, NEWEST)).filter(lambda pair: pair[0] < pair[1]),
)
@pytest.mark.slow
def test_any_step_of_any_settings_can_be_reported(settings: dict[str, str], step: tuple[int, int]) -> None:
    text = "".join(f"{key}: {value}\n" for key, value in settings.items()) or "rest.port: 8081\n"
    older, newer = (MINORS[index] for index in step)
    upgrade = crossed({"flink-conf.yaml": text}, older, newer)
    assert not upgrade.crashed
    (crossing,) = upgrade.crossings
    lost = {one.key for one in crossing.broken if one.kind == "lost"}
    for key in lost:
        assert catalogue().accept(str(key), step[0])
        assert catalogue().accept(str(key), step[1]) is None
    for rename in crossing.renamed:
        assert all(catalogue().option(name, step[1]) for name in rename.names)
    for default in crossing.defaults:
        assert default.key not in settings
    json.loads(render_json(upgrade))
    assert "".join(render_text(upgrade, PLAIN, 80, all_defaults=True))
    assert "".join(render_markdown(upgrade, all_defaults=True))


# -- text and Markdown


def as_text(upgrade: Upgrade, style: Style = PLAIN, *, all_defaults: bool = False) -> str:
    return "\n".join(render_text(upgrade, style, 80, all_defaults=all_defaults)) + "\n"


def as_markdown(upgrade: Upgrade, *, all_defaults: bool = False) -> str:
    return "\n".join(render_markdown(upgrade, all_defaults=all_defaults)) + "\n"


def test_what_is_renamed_by_hand_says_why() -> None:
    upgrade = crossed({"config.yaml": "web.port: 8081\nakka.framesize: 20m\n"}, "1.19", "2.1")
    text = as_text(upgrade)
    assert "  web.port → rest.bind-port and rest.port  by hand: it means several options\n" in text
    assert "  akka.framesize → pekko.framesize\n" in text
    page = as_markdown(upgrade)
    assert "<code>rest.bind-port</code> and <code>rest.port</code> | by hand: it means several options |" in page
    assert "<code>pekko.framesize</code> | `flint upgrade --fix` |" in page


def test_without_a_line_that_names_the_old_release_there_is_no_list_of_them() -> None:
    for text, is_listed in (("rest.port: 8081\n", False), (DEPLOYMENT, True)):
        upgrade = crossed({"deployment.yaml" if is_listed else "config.yaml": text}, "1.18", "1.20")
        assert ("#### Names the old release" in as_markdown(upgrade)) == is_listed
        assert ("Names the old release" in as_text(upgrade)) == is_listed


def test_changed_defaults_of_little_effect_are_counted_and_listed_on_request() -> None:
    upgrade = crossed({"config.yaml": "rest.port: 8081\n"}, "1.19", "1.20")
    assert "4 defaults change with little effect here (`--all-defaults` lists them)." in as_markdown(upgrade)
    every = as_markdown(upgrade, all_defaults=True)
    assert "with little effect" not in every
    assert every.count(" → ") == 4 + 2  # and the two headings


def test_a_file_in_which_nothing_changes_is_not_described() -> None:
    conf = "rest.port: 8081\ntaskmanager.memory.process.size: 16g\n"
    upgrade = crossed({"flink-conf.yaml": conf}, "1.16", "1.17")
    (moved,) = upgrade.crossings
    moved = moved._replace(new=(), gone=(), defaults=())
    (still,) = crossed({"flink-conf.yaml": conf}, "1.19", "1.20").crossings
    (better,) = crossed({"config.yaml": "rest.port: 8081\n"}, "1.19", "1.20").crossings
    assert better.gone
    for crossing, is_described in ((moved, True), (better, True), (still._replace(gone=()), False)):
        one = upgrade._replace(crossings=(crossing,))
        assert (f"{crossing.document.path}: Flink" in as_text(one)) == is_described
        assert (f"### <code>{crossing.document.path}</code>" in as_markdown(one)) == is_described
        assert ("Unchanged: " in as_markdown(one)) != is_described
        assert f"{crossing.document.path}: Flink" in as_text(one, all_defaults=True)
        assert "Unchanged: " not in as_markdown(one, all_defaults=True)


def test_a_remedy_is_shown_where_there_is_one() -> None:
    upgrade = crossed({"config.yaml": "state.backend.async: true\n"}, "1.20", "2.0")
    (crossing,) = upgrade.crossings
    for remedy, number in (("delete it", 1), (None, 0)):
        lost = tuple(one._replace(help=remedy) for one in crossing.broken)
        text = as_text(upgrade._replace(crossings=(crossing._replace(broken=lost, new=()),), unseen=()))
        assert text.count("help: ") == number


def test_memory_that_does_not_change_is_dim() -> None:
    upgrade = crossed({"flink-conf.yaml": "taskmanager.memory.process.size: 16g\n"}, "1.16", "1.17")
    lines = as_text(upgrade, Style(color=True)).splitlines()
    assert [line.startswith("\x1b[2m    ") for line in lines if "managed memory" in line or "network  " in line] == [
        True, False,
    ]  # fmt: skip


# -- the command


def test_the_three_formats_of_the_example(flint: Flint, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    write_example(tmp_path)
    page = (ROOT / "docs" / "upgrade.md").read_text(encoding="utf-8")
    for name in ("text", "json", "markdown"):
        result = flint("upgrade", "conf", "--to", "2.1", "--output-format", name)
        assert result.returncode == 1, result.stderr
        assert "wJalr" not in result.stdout
        golden(f"upgrade.{name}.txt", result.stdout)
        if name == "text":
            assert result.stdout.split("Beyond the configuration files")[0].strip() in page


def test_fixing_writes_the_new_names_and_nothing_else(flint: Flint, tmp_path: Path) -> None:
    write_example(tmp_path)
    file = tmp_path / "conf" / "flink-conf.yaml"
    before = file.read_text()
    diff = flint("upgrade", "conf", "--to", "2.1", "--diff")
    assert diff.returncode == 1
    assert "-akka.framesize: 20m\n" in diff.stdout
    assert "+pekko.framesize: 20m\n" in diff.stdout
    assert file.read_text() == before
    fixed = flint("upgrade", "conf", "--to", "2.1", "--fix", "--output-file", "report.txt")
    assert fixed.returncode == 1
    assert (tmp_path / "report.txt").read_text().startswith("conf/flink-conf.yaml: Flink 1.16 to 2.1")
    renamed = {
        "akka.framesize": "pekko.framesize",
        "state.backend:": "state.backend.type:",
        "state.backend.rocksdb.checkpointdir": "state.backend.rocksdb.localdir",
    }
    for old, new in renamed.items():
        before = before.replace(old, new)
    assert file.read_text() == before
    assert "Fixed 3 in 1 file" in fixed.stderr


def test_a_dead_line_is_not_brought_to_life(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("rest.port: 8081\nstate.backend.rocksdb.checkpointdir: /data\n")
    assert flint("upgrade", "flink-conf.yaml", "--from", "2.0", "--to", "2.1", "--diff").stdout == ""
    diff = flint("upgrade", "flink-conf.yaml", "--from", "1.20", "--to", "2.1", "--diff").stdout
    assert "+state.backend.rocksdb.localdir: /data\n" in diff


_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: IMAGE
  flinkVersion: "v1_18"
  flinkConfiguration:
    state.checkpoints.dir: s3://a/b
"""


def test_a_resource_is_upgraded_in_one_step(flint: Flint, tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    before = _RESOURCE.replace("IMAGE", "flink:1.18.1-java8")
    file.write_text(before)
    diff = flint("upgrade", "job.yaml", "--to", "2.1", "--diff").stdout
    assert file.read_text() == before
    assert all(f"+{line}\n" in diff for line in ('  flinkVersion: "v2_1"', "    execution.checkpointing.dir: s3://a/b"))
    fixed = flint("upgrade", "job.yaml", "--to", "2.1", "--fix")
    for old, new in (
        ("1.18.1-java8", "2.1-java11"),
        ("v1_18", "v2_1"),
        ("state.checkpoints", "execution.checkpointing"),
    ):
        before = before.replace(old, new)
    assert file.read_text() == before
    assert "write flink:2.1-java11" in fixed.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("image", "line", "to", "says"),
    [
        ("acme/flink:1.18.1-7", "rest.port: '8081'", "2.1", "line 5 names the old release in a way that flint cannot"),
        ("flink:1.18.1@sha256:" + "0" * 64, "rest.port: '8081'", "2.1", "line 5 names the old release"),
        ("flink:1.18.1", "rest.port: '8081'", "2.3", "line 6 names the old release"),
        ("flink:1.18.1", "cluster.evenly-spread-out-slots: 'true'\n    state.backend.async: x", "2.1", ""),
    ],
)
def test_a_resource_that_cannot_be_upgraded_in_one_step_stays(
    flint: Flint, tmp_path: Path, image: str, line: str, to: str, says: str
) -> None:
    file = tmp_path / "job.yaml"
    before = _RESOURCE.replace("IMAGE", image) + f"    {line}\n"
    file.write_text(before)
    fixed = flint("upgrade", "job.yaml", "--to", to, "--fix")
    assert "nothing was upgraded here: " + says in fixed.stderr, fixed.stderr + fixed.stdout
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--to", "2.1"], "flink-conf.yaml: its release is unknown"),
        (["--to", "3.0", "--from", "1.18"], "--to: Flink 3.0 is not in the option catalogue"),
        (["--to", "soon", "--from", "1.18"], "--to: 'soon' is not a Flink version"),
        (["--to", "1.18", "--from", "1.20"], "--from 1.20 is not older than --to 1.18"),
        (["--to", "2.1", "--from", "1.18", "--fix", "--diff"], "--fix cannot be used with --diff"),
        (["--to", "2.1", "--from", "1.18", "-o", "x", "--diff"], "--output-file cannot be used with --diff"),
        (["--to", "2.1", "--from", "1.18", "-o", "flink-conf.yaml"], "the report would overwrite a file"),
        (["--to", "2.1", "--from", "1.18", "nowhere"], "nowhere: no such file or folder"),
    ],
)
def test_what_nobody_can_use_is_an_error(flint: Flint, tmp_path: Path, arguments: list[str], says: str) -> None:
    (tmp_path / "flink-conf.yaml").write_text("rest.port: 8081\n")
    result = flint("upgrade", "flink-conf.yaml", *arguments)
    assert result.returncode == 2
    assert says in result.stderr


@pytest.mark.slow
def test_the_exit_status_is_that_of_the_worst(flint: Flint, tmp_path: Path) -> None:
    file = tmp_path / "flink-conf.yaml"
    file.write_text("rest.port: 8081\nakka.framesize: 20m\n")
    step = ("upgrade", "flink-conf.yaml", "--from", "1.18", "--to", "1.19")
    assert flint(*step).returncode == 0
    assert flint(*step, "--fail-level", "info").returncode == 1
    file.write_text("state.checkpoints.dir: s3://a/c\nexecution.checkpointing.dir: s3://b/c\n")
    step = ("upgrade", "flink-conf.yaml", "--from", "1.19", "--to", "1.20")
    assert flint(*step).returncode == 0
    assert flint(*step, "--fail-level", "warning").returncode == 1
    assert flint("upgrade", "flink-conf.yaml", "--from", "1.20", "--to", "2.0").returncode == 1


@pytest.mark.slow
def test_secrets_do_not_reach_the_output(flint: Flint, tmp_path: Path) -> None:
    text = "security.ssl.key-password: hunter2-hunter2\nsecurity.ssl.enabled: true\ns3.secret-key: top-secret-value\n"
    (tmp_path / "flink-conf.yaml").write_text(f"{text}web.port: 8081 # top-secret-value\n")
    for name in ("text", "json", "markdown"):
        result = flint("upgrade", ".", "--from", "1.16", "--to", "2.1", "--output-format", name, "--all-defaults")
        assert result.returncode == 1, result.stderr
        assert "hunter2" not in result.stdout
        assert "top-secret" not in result.stdout


def test_json_is_a_contract(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "deployment.yaml").write_text(DEPLOYMENT)
    report: dict[str, Any] = json.loads(
        flint("upgrade", "deployment.yaml", "--to", "2.1", "--output-format", "json").stdout
    )
    assert report["version"] == 1
    (document,) = report["documents"]
    assert (document["document"], document["from"], document["to"]) == ("FlinkDeployment default/orders", "1.18", "2.1")
    memory = document["memory"]["taskmanager"]
    assert memory["before"]["process_size"] == memory["after"]["process_size"] == 4 << 30
    assert memory["difference"]["process_size"] == 0
    assert {"key", "before", "after", "same", "matters"} <= document["defaults"][0].keys()


def test_of_what_could_not_be_read_nothing_is_said(flint: Flint, tmp_path: Path) -> None:
    run = flint("upgrade", "missing.yaml", "--from", "1.18", "--to", "2.1")
    assert run.returncode == 2
    assert "missing.yaml: no such file or folder" in run.stderr
    assert run.stdout == "Nothing was compared.\n"


def test_that_flink_refuses_a_file_already_is_reported(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("a:\n\tb: 1\ntaskmanager.heap.size: 1g\n")
    run = flint("upgrade", "config.yaml", "--from", "1.20", "--to", "2.0")
    assert "config.yaml: Flink refuses this file; run flint check config.yaml to see why" in run.stderr
