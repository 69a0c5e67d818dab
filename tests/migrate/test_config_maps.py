"""`flint migrate` on manifests: the block in a ConfigMap becomes a config.yaml, and nothing else changes."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.flink.file_loading import read_config_yaml, read_flink_conf
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.formats.flink_files.embedding import Embedded
from flink_flint.linter.formats.kubernetes.manifests import FILE_FORMAT, Kubernetes
from flink_flint.linter.migrate.config_maps import Rewritten, migrate_manifest
from tests.conftest import Flint

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink-config\ndata:\n"

OLD = f"""{HEAD}  flink-conf.yaml: |+
    # Common

    jobmanager.rpc.address: jm

    taskmanager.numberOfTaskSlots: 2
    state.backend:rocksdb
    parallelism.default: 010 # why

  log4j-console.properties: |+
    rootLogger.level = INFO
"""

NEW = f"""{HEAD}  config.yaml: |+
    # Common

    jobmanager:
      rpc:
        address: jm

    taskmanager:
      numberOfTaskSlots: 2
    # state.backend:rocksdb
    parallelism:
      default: '010' # why

  log4j-console.properties: |+
    rootLogger.level = INFO
"""


def migrated(text: str, *, is_nested: bool = True) -> Rewritten:
    source = Source("config.yaml", text.encode(), FILE_FORMAT)
    return migrate_manifest(source, is_nested=is_nested, to=NEWEST, rename=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, NEW),
        (OLD.replace("\n", "\r\n"), NEW.replace("\n", "\r\n")),
        (OLD + "---\n" + OLD.replace("flink-config", "other"), NEW + "---\n" + NEW.replace("flink-config", "other")),
        (f'{HEAD}  "flink-conf.yaml": |\n    rest.port: 1\n', f'{HEAD}  "config.yaml": |\n    rest:\n      port: 1\n'),
        (
            f"{HEAD}  flink-conf.yaml: |- # x\n     rest.port: 1",
            f"{HEAD}  config.yaml: |- # x\n     rest:\n       port: 1",
        ),
    ],
    ids=["block", "windows", "two", "quoted key", "stripped"],
)
def test_the_block_is_rewritten_where_it_stands(old: str, new: str) -> None:
    assert migrated(old).text == new


_blocks = st.lists(
    st.sampled_from(
        (
            *("rest.port: 8081", "rest.address: yes", "state.backend: rocksdb", "state.backend.incremental: true"),
            *("# note", "", "  rest.bind-port: 1", "word", "rest.port: 1 # again", "jobmanager.rpc.address: it's"),
        )
    ),
    max_size=8,
)


@given(_blocks, st.sampled_from(("|", "|-", "|+")), st.sampled_from(("  ", "    ")), st.booleans())
def test_any_block_holds_the_same_afterwards(block: list[str], header: str, indent: str, is_nested: bool) -> None:
    lines = ["rest.flamegraph.enabled: true", *block]
    text = f"{HEAD}  flink-conf.yaml: {header}\n" + "".join(f"  {indent}{line}\n" for line in lines) + "  a: b\n"
    new = migrated(text, is_nested=is_nested)
    key = "  config.yaml:"
    assert key in new.text
    # Under its old name the block is always recognized, however few Flink keys it has.
    (document,) = FILE_FORMAT.read("config.yaml", new.text.replace(key, "  flink-conf.yaml:").encode())
    assert isinstance(document, Embedded)
    assert read_config_yaml(document.extract.text).settings() == read_flink_conf("\n".join(lines)).settings()
    assert new.text.startswith(f"{HEAD}  config.yaml: {header}\n")
    assert new.text.endswith("\n  a: b\n")


def test_notes_have_the_lines_of_the_manifest() -> None:
    text = OLD + "---\nkind: Pod\n# flink-conf.yaml\nsubPath: flink-conf.yaml\n"
    notes = [(note.line, note.message.partition(" ")[0]) for note in migrated(text).notes]
    assert notes == [(6, "everything"), (12, "Flink"), (19, "flink-conf.yaml"), (20, "flink-conf.yaml")]


def test_the_old_name_directly_below_the_block_is_noted() -> None:
    notes = migrated(f"{HEAD}  flink-conf.yaml: |\n    rest.port: 1\nflink-conf.yaml: {{}}\n").notes
    assert [note.line for note in notes if "is named here too" in note.message] == [8]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bind-port: 2", "bind-port: 3"),
        ("rest.bind-port", "web.bind-port"),
        ("address: a", "address: b"),
        ("# note", "# nota"),
        ("one", "other"),
        ("  flink-conf.yaml", "  notes.txt"),
        ("ConfigMap", "Secret"),
    ],
)
def test_a_manifest_that_would_be_written_otherwise_is_refused(old: str, new: str) -> None:
    class Careless(Kubernetes):
        def write(self, text: str, like: bytes) -> bytes:
            return super().write(text.replace(old, new), like)

    text = (
        f"{HEAD.replace('flink-config', 'one')}  flink-conf.yaml: |\n    # note\n    rest.address: a\n"
        f"---\n{HEAD}  flink-conf: |\n    rest.port: 1\n    rest.bind-port: 2\n"
    )
    assert migrated(text).text.count("config.yaml") == 1
    source = Source("config.yaml", text.encode(), Careless())
    with pytest.raises(ValueError, match="would not have the same contents"):
        migrate_manifest(source, is_nested=False, to=NEWEST, rename=False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{HEAD}  flink-conf.yaml: 'rest.port: 1'\n", "line 6: flink-conf.yaml is not a block"),
        (f"{HEAD}  flink-conf.yaml: >\n    rest.port: 1\n", "line 6: flink-conf.yaml is not a block"),
        (f"{OLD}  config.yaml: |\n    rest.port: 1\n", "it already contains a config.yaml"),
        (OLD.replace("# Common", "{{ if .Values.x }}"), "line 7: there is a template tag outside of a value"),
    ],
)
def test_what_cannot_be_migrated(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        migrated(text)


def test_the_command_prints_or_rewrites_a_manifest(flint: Flint, tmp_path: Path) -> None:
    path = tmp_path / "configmap.yaml"
    path.write_text(OLD)
    path.chmod(0o640)
    done = flint("migrate", "configmap.yaml")
    assert (done.returncode, done.stdout) == (0, NEW)
    assert "info: configmap.yaml:6: everything that mounts or names this key" in done.stderr
    assert path.read_text() == OLD
    assert flint("migrate", "configmap.yaml", "--write").returncode == 0
    assert path.read_text() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    done = flint("migrate", "configmap.yaml", "--write")
    assert (done.returncode, "contains no flink-conf.yaml" in done.stderr) == (2, True)
    done = flint("migrate", "-", stdin=OLD)
    assert (done.returncode, "is a manifest" in done.stderr) == (2, True)
