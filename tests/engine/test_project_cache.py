"""What is remembered of the files around the named ones, when it does not count any more, and what is not believed."""

from __future__ import annotations

import json
import os
import shutil
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flink_flint.linter.engine import project_cache
from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Problem, Source, find
from flink_flint.linter.engine.project_cache import ProjectCache
from flink_flint.linter.engine.project_files import files_around
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem import folders, user_cache
from flink_flint.linter.filesystem.user_cache import cache_file, cache_folder
from tests.conftest import ROOT

LONG_AGO = 1_600_000_000_000_000_000

COMPOSE = """\
services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    env_file: flink.env
"""
DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    high-availability.type: kubernetes
    high-availability.storageDir: s3://acme/ha
  job: {{jarURI: local:///job.jar, upgradeMode: savepoint}}
"""
FILES = {
    "a.yaml": "a: 1\n",
    "flink-conf.yaml": "parallelism.default: 2\nstate.backend.type: rocksdb\n",
    "docker/docker-compose.yaml": COMPOSE,
    "docker/flink.env": "FLINK_PROPERTIES=taskmanager.numberOfTaskSlots: 2\n",
    "jobs/one.yaml": DEPLOYMENT.format(name="orders", namespace="one"),
    "jobs/two.yaml": DEPLOYMENT.format(name="orders", namespace="two"),
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLINT_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "tree"
    (root / ".git").mkdir(parents=True)
    for name, text in FILES.items():
        write(root / name, text)
    settle(root)
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, ns=(LONG_AGO, LONG_AGO))


def settle(root: Path) -> None:
    """Make all files and folders of a tree old enough to be remembered."""
    for path in (root, *root.rglob("*")):
        os.utime(path, ns=(LONG_AGO, LONG_AGO))


def seen(root: Path, *, kept: bool = True) -> dict[str, list[tuple[str | None, dict[str, str]]]]:
    """Return names and settings of all documents of Flink's files by name, and remember them."""
    folders.forget()
    cache = ProjectCache(str(root), is_kept=kept)
    sources = [one for one in cache.sources(()) if not isinstance(one, Problem)]
    found = {
        os.path.relpath(source.path, root): [(document.name, document.settings()) for document in source.documents()]
        for source in sources
    }
    cache.save()
    return found


def opened_by(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the files that a run opens to recognize them or to read their settings."""
    names: list[str] = []
    for name in ("opened", "open_found"):
        real = getattr(project_cache, name)

        def open_it(path: str, *arguments: object, real: Callable[..., object] = real, **options: object) -> object:
            names.append(os.path.relpath(path, root))
            return real(path, *arguments, **options)

        monkeypatch.setattr(project_cache, name, open_it)
    seen(root)
    return names


def file_of(root: Path) -> Path:
    from flink_flint.linter import __version__

    file = cache_file(str(root), __version__)
    assert file is not None
    return Path(file)


def test_nothing_is_opened_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = seen(tree)
    assert set(before) == {*FILES} - {"a.yaml", "docker/flink.env"}
    assert opened_by(tree, monkeypatch) == []
    assert seen(tree) == before


def _edit(root: Path) -> None:
    (root / "flink-conf.yaml").write_text("parallelism.default: 3\n")


def _edit_at_once(root: Path) -> None:
    """Change a file without changing its size or time of modification."""
    write(root / "flink-conf.yaml", FILES["flink-conf.yaml"].replace("2", "3"))


def _become(root: Path) -> None:
    write(root / "a.yaml", "taskmanager.numberOfTaskSlots: 2\nparallelism.default: 2\n")


def _vanish(root: Path) -> None:
    (root / "flink-conf.yaml").unlink()


def _rename(root: Path) -> None:
    (root / "flink-conf.yaml").rename(root / "config.yaml")


def _swap(root: Path) -> None:
    """Give two files each other's names, which leaves their sizes and times."""
    (root / "jobs/one.yaml").rename(root / "x")
    (root / "jobs/two.yaml").rename(root / "jobs/one.yaml")
    (root / "x").rename(root / "jobs/two.yaml")


def _move(root: Path) -> None:
    (root / "docker").rename(root / "compose")


def _add(root: Path) -> None:
    write(root / "new/deep/flink-conf.yaml", "parallelism.default: 7\n")


def _link(root: Path) -> None:
    (root / "a.yaml").unlink()
    (root / "a.yaml").symlink_to("jobs/one.yaml")


def _ignore(root: Path) -> None:
    write(root / ".gitignore", "jobs/\n")


def _mount(root: Path) -> None:
    write(root / "a.yaml", "parallelism: {default: 2}\nacme: 1\nother: 2\nthird: 3\n")
    write(root / "Dockerfile", "FROM flink:1.20\nCOPY a.yaml /opt/flink/conf/config.yaml\n")


def _environment(root: Path) -> None:
    write(root / "docker/flink.env", FILES["docker/flink.env"].replace("2", "3"))
    os.utime(root / "docker/flink.env", ns=(LONG_AGO, LONG_AGO + 1))


def _no_environment(root: Path) -> None:
    (root / "docker/flink.env").unlink()


def _repository(root: Path) -> None:
    (root / "jobs/.git").mkdir()


EDITS = (
    _edit, _edit_at_once, _become, _vanish, _rename, _swap, _move, _add, _link, _ignore, _mount, _environment,
    _no_environment, _repository,
)  # fmt: skip


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__.strip("_"))
def test_after_a_change_the_same_is_seen_as_without_a_cache(tree: Path, edit: Callable[[Path], None]) -> None:
    before = seen(tree)
    edit(tree)
    expected = seen(tree, kept=False)
    assert seen(tree) == expected
    assert seen(tree) == expected
    assert (expected == before) == (edit in (_repository,))


def test_a_change_of_an_ignore_file_counts(tree: Path) -> None:
    write(tree / "jobs/.gitignore", "one.yaml\n")
    settle(tree)
    assert "jobs/one.yaml" not in seen(tree)
    write(tree / "jobs/.gitignore", "two.yaml\n")
    assert {"jobs/one.yaml"} <= set(seen(tree))
    assert "jobs/two.yaml" not in seen(tree)


def test_what_was_changed_just_now_is_not_remembered(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "flink-conf.yaml").write_text("parallelism.default: 2\n")
    seen(tree)
    assert opened_by(tree, monkeypatch) == ["flink-conf.yaml"]


def test_declared_kinds_and_patterns_count(tree: Path) -> None:
    def names(**options: object) -> set[str]:
        folders.forget()
        cache = ProjectCache(str(tree))
        found = {os.path.basename(source.path) for source in cache.sources((), **options)}  # type: ignore[arg-type]
        cache.save()
        return found

    assert "one.yaml" in names()
    assert "one.yaml" not in names(exclude=["jobs/one.yaml"], base=str(tree))
    assert "one.yaml" in names()
    assert "a.yaml" in names(kind_of=lambda path: "config.yaml" if path.endswith("/a.yaml") else None, kinds=["a"])
    assert "a.yaml" not in names()


def test_named_files_are_left_out(tree: Path) -> None:
    for _ in range(2):
        named = {str(tree / "flink-conf.yaml")}
        cache = ProjectCache(str(tree))
        assert "flink-conf.yaml" not in {os.path.basename(source.path) for source in cache.sources(named)}
        cache.save()


# -- what is believed


def _with_checksum(content: object, root: Path) -> bytes:
    body = json.dumps(content, separators=(",", ":")).encode()
    head = file_of(root).read_bytes().partition(b"\n")[0]
    return b"%08x%b\n%b" % (zlib.crc32(body), head[8:], body)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\n\n", b"[" * 100_000])
def test_a_broken_file_is_ignored(tree: Path, content: bytes) -> None:
    before = seen(tree)
    whole = file_of(tree).read_bytes()
    for broken in (content, whole[: len(whole) // 2], whole.replace(b"rocksdb", b"hashmap"), content + whole):
        file_of(tree).write_bytes(broken)
        assert seen(tree) == before


def test_nothing_in_the_tree_is_believed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = seen(tree)
    content = json.loads(file_of(tree).read_bytes().partition(b"\n")[2])
    root = content[2][str(tree)]
    del root[7]["flink-conf.yaml"]
    forged = _with_checksum(content, tree)
    file_of(tree).write_bytes(forged)
    assert "flink-conf.yaml" not in seen(tree)  # so the entry would hide the file if it were believed
    name = file_of(tree).name
    for folder in (tree, tree / ".cache/flint"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(forged)
        monkeypatch.setenv("FLINT_CACHE_DIR", str(folder))
        assert seen(tree) == before
    (tree.parent / "link").symlink_to(tree)
    monkeypatch.setenv("FLINT_CACHE_DIR", str(tree.parent / "link"))
    assert seen(tree) == before


def test_the_file_of_another_tree_is_not_believed(tree: Path) -> None:
    seen(tree)
    other = tree.parent / "other"
    shutil.copytree(tree, other)
    (other / "flink-conf.yaml").unlink()
    shutil.copy(file_of(tree), file_of(other))
    assert "flink-conf.yaml" not in seen(other)


def test_parallel_runs_leave_a_whole_file(tree: Path) -> None:
    def learn(_: int) -> None:
        cache = ProjectCache(str(tree))
        for source in cache.sources(()):
            assert not isinstance(source, Problem)
            source.documents()
        cache.save()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(learn, range(24)))
    assert os.listdir(file_of(tree).parent) == [file_of(tree).name]
    assert len(seen(tree)) == 4


def test_only_the_user_can_read_it(tree: Path) -> None:
    seen(tree)
    assert file_of(tree).stat().st_mode & 0o077 == 0


def test_the_oldest_files_are_deleted(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_cache, "MAX_FILES", 2)
    folder = file_of(tree).parent
    folder.mkdir()
    for number in range(4):
        write(folder / f"files-0-{number}.json", "")
    write(folder / "notes.txt", "")
    seen(tree)
    kept = sorted(os.listdir(folder))
    assert len(kept) == 3
    assert {file_of(tree).name, "notes.txt"} <= set(kept)


def test_a_file_that_cannot_be_written_costs_only_time(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree.parent / "file").write_text("")
    monkeypatch.setenv("FLINT_CACHE_DIR", str(tree.parent / "file" / "x"))
    assert len(seen(tree)) == 4
    assert not file_of(tree).exists()


def test_a_relative_xdg_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLINT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    folder = cache_folder()
    assert folder is None or "relative" not in folder


# -- findings


def findings_of(root: Path, named: str, *, kept: bool) -> list[str]:
    """Return the findings of a run that names one file, with all that is reported of each."""
    folders.forget()
    path = str(root / named)
    sources = [source for source in find([path]) if isinstance(source, Source)]
    around = files_around({path}, [path], uses_cache=kept)
    options = Options(named=frozenset({path}), renders=True, without_deployments=around.without_deployments)
    report = check([*sources, *around.sources], options)
    around.save()
    return [
        repr((one.order, one.code, one.path, one.document, one.message, one.help, one.severity, one.related,
              sorted(one.layers), one.ordinal, one.note))
        for one in report.findings
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["sound", "session", "shop"])
def test_findings_in_examples_are_the_same_from_memory(folder: str, tree: Path) -> None:
    root = tree.parent / "examples"
    shutil.copytree(ROOT / "examples" / folder, root)
    (root / ".git").mkdir()
    settle(root)
    names = [os.path.relpath(one.path, root) for one in find([str(root)]) if isinstance(one, Source)][::3]
    expected = {name: findings_of(root, name, kept=False) for name in names}
    findings_of(root, names[0], kept=True)  # remembers all others
    findings_of(root, names[-1], kept=True)
    assert file_of(root).exists()
    assert {name: findings_of(root, name, kept=True) for name in names} == expected
    assert any(expected.values())


def test_a_finding_that_two_files_share_is_found_from_memory(tree: Path) -> None:
    for _ in range(2):
        one, two = (findings_of(tree, name, kept=True) for name in ("jobs/one.yaml", "jobs/two.yaml"))
        assert any("FLK420" in finding for finding in {*one} & {*two})
    write(tree / "jobs/one.yaml", FILES["jobs/one.yaml"].replace("s3://acme/ha", "s3://acme/hb"))
    assert not any("FLK420" in finding for finding in findings_of(tree, "jobs/two.yaml", kept=True))


OVERLAY = """\
resources: [../../jobs/one.yaml]
patches:
- target: {kind: FlinkDeployment}
  patch: '[{op: replace, path: /spec/flinkConfiguration/taskmanager.numberOfTaskSlots, value: "-1"}]'
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: orders}
spec:
  source:
    path: overlays/prod
    kustomize: {namePrefix: prod-}
"""
MANY = {
    "overlays/prod/kustomization.yaml": OVERLAY,
    "services/values.yaml": "replicas: 2\n",
    "services/deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n",
    "services/install.sh": "echo helm\n",
    "cluster/maps.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: flink, namespace: one}\ndata:\n"
        "  flink-conf.yaml: |\n    taskmanager.numberOfTaskSlots: 4\n---\n"
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: worker, namespace: one}\nspec:\n  template:\n"
        "    spec:\n      containers:\n      - name: worker\n        image: flink:1.20\n        args: [taskmanager]\n"
        "        volumeMounts: [{name: conf, mountPath: /opt/flink/conf}]\n"
        "      volumes: [{name: conf, configMap: {name: flink}}]\n"
    ),
    "charts/values/flink.yaml": "flink:\n  image: flink:1.20\n  flinkConfiguration:\n    parallelism.default: '2'\n",
    "sql/orders.sql": (
        "CREATE TABLE orders (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json',"
        " 'properties.bootstrap.servers' = 'kafka:9092');\nCREATE TABLE unused LIKE orders;\n"
    ),
    "java/Orders.java": (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\nclass Orders {\n"
        "  public static void main(String[] args) throws Exception {\n"
        "    var env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        "    env.fromElements(1).print();\n    env.execute();\n  }\n}\n"
    ),
}


def add(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        write(root / name, text)
    settle(root)


def test_a_run_from_memory_reads_only_the_named_file_and_what_is_built(tree: Path) -> None:
    add(tree, MANY)
    expected = findings_of(tree, "jobs/two.yaml", kept=False)
    assert findings_of(tree, "jobs/two.yaml", kept=True) == expected
    global _is_auditing
    sys.addaudithook(_audit)
    _audited.clear()
    _is_auditing = True
    try:
        assert findings_of(tree, "jobs/two.yaml", kept=True) == expected
    finally:
        _is_auditing = False
    read = {os.path.relpath(path, tree) for path in _audited if os.path.isfile(path) and str(tree) in path}
    assert read == {"jobs/two.yaml", "jobs/one.yaml", "overlays/prod/kustomization.yaml"}


def test_what_deploys_a_kustomization_counts_when_it_comes_and_when_it_goes(tree: Path) -> None:
    add(tree, MANY)
    for text in (MANY["services/values.yaml"], APPLICATION, MANY["services/values.yaml"]):
        write(tree / "services/values.yaml", text)
        found = findings_of(tree, "jobs/one.yaml", kept=True)
        assert found == findings_of(tree, "jobs/one.yaml", kept=False)
        assert any("prod-orders" in finding for finding in found) == (text == APPLICATION)


# -- what formats look at

LOOKING: dict[str, str] = {
    "docker/docker-compose.yaml": (
        "services:\n  jobmanager:\n    build: image\n    command: jobmanager\n    env_file: flink.env\n"
        "    environment:\n      FLINK_PROPERTIES: 'parallelism.default: ${N}'\n"
    ),
    "docker/.env": "N=3\n",
    "docker/flink.env": "FLINK_PROPERTIES=taskmanager.numberOfTaskSlots: 2\n",
    "docker/image/Dockerfile": "FROM flink:1.20\nCOPY conf/flink-conf.yaml /opt/flink/conf/\n",
    "terraform/main.tf": (
        'resource "aws_kinesisanalyticsv2_application" "a" {\n  runtime_environment = "FLINK-1_20"\n'
        "  application_configuration {\n    flink_application_configuration {\n      parallelism_configuration {\n"
        '        configuration_type = "CUSTOM"\n        parallelism = var.parallelism\n      }\n    }\n  }\n}\n'
    ),
    "terraform/variables.tf": 'variable "parallelism" {\n  default = 2\n}\n',
    "terraform/production.tfvars": "parallelism = 4\n",
    "overlay/kustomization.yaml": (
        "resources: [../base]\npatches:\n- path: patch.yaml\n  target: {kind: FlinkDeployment, name: orders}\n"
    ),
    "overlay/patch.yaml": "- op: add\n  path: /spec/flinkConfiguration/parallelism.default\n  value: '2'\n",
}
"""Files whose formats read other files: variables, images, modules, kustomizations."""

_audited: list[str] = []
_is_auditing = False


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _is_auditing and event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], str):
        _audited.append(os.path.abspath(arguments[0]))


def test_what_a_format_reads_is_recorded(tree: Path) -> None:
    """Whatever a format opens or lists besides its own file must make what is remembered of the file invalid."""
    global _is_auditing
    for name, text in LOOKING.items():
        write(tree / name, text)
    sys.addaudithook(_audit)
    others: set[str] = set()
    for source in find([str(tree)]):
        assert isinstance(source, Source)
        source.documents()  # imports the format
        folders.forget()
        _audited.clear()
        with folders.recording() as recorded:
            _is_auditing = True
            source.documents()
            _is_auditing = False
        looked_at = {os.path.relpath(path, tree) for path in _audited if path.startswith(f"{tree}{os.sep}")}
        others |= looked_at
        assert looked_at <= {os.path.relpath(path, tree) for path in recorded}, source.path
    assert {"terraform/production.tfvars", "overlay/kustomization.yaml"} <= others


@pytest.mark.parametrize("name", [name for name in LOOKING if "main" not in name and "compose.yaml" not in name])
def test_a_change_of_what_a_format_reads_counts(tree: Path, name: str) -> None:
    for path, text in LOOKING.items():
        write(tree / path, text)
    settle(tree)
    seen(tree)
    seen(tree)
    text = LOOKING[name].replace("2", "5").replace("3", "6").replace("4", "7").replace("orders", "others")
    write(tree / name, text)
    os.utime(tree / name, ns=(LONG_AGO, LONG_AGO + 1))
    assert seen(tree) == seen(tree, kept=False)
