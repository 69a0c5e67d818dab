"""Relations between documents."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from flink_flint.linter.config.flint_config import Link
from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.releases import nearest_index, parse_release
from flink_flint.linter.model.document import Document, merge_layers
from flink_flint.linter.model.layers import ALONE, relate
from flink_flint.linter.model.target import SEVERAL_IMAGES, target_from_version
from flink_flint.linter.model.view import View
from tests.conftest import Flint

SESSION = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: shared, namespace: jobs}
spec:
  image: flink:1.17.2
  flinkVersion: v1_17
  flinkConfiguration:
    execution.checkpointing.interval: 1 min
"""
JOB = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkSessionJob
metadata: {name: orders, namespace: jobs}
spec:
  deploymentName: shared
  flinkConfiguration:
    state.backend.type: rocksdb
"""


def documents(folder: Path, **files: str) -> list[Document]:
    """Write files (`__` is a slash, `_` a dot before the ending) and read the documents in them."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_yml", ".yml").replace(
            "_sql", ".sql"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found: list[Document] = []
    for source in find([str(folder)]):
        assert isinstance(source, Source)
        found += source.file_format.read(source.path, source.data)
    return found


def layers_of(documents: list[Document], links: list[Link] = []) -> dict[str, list[str]]:  # noqa: B006
    """Return the lower layers of each document, by name or file."""

    def name(document: Document) -> str:
        return document.name or document.file_name

    relations = relate(documents, links)
    return {name(documents[n]): [name(lower) for lower in r.below] for n, r in relations.items() if r.below}


def test_a_session_job_overrides_its_cluster_and_has_its_release(tmp_path: Path) -> None:
    found = documents(tmp_path, a_yaml=JOB, b_yaml=SESSION)
    assert layers_of(found) == {"FlinkSessionJob jobs/orders": ["FlinkDeployment jobs/shared"]}
    job = next(n for n, one in enumerate(found) if one.kind == "flinksessionjob")
    assert relate(found)[job].release == ("1.17.2", "spec.flinkVersion and spec.image")


def test_a_session_job_of_another_namespace_does_not(tmp_path: Path) -> None:
    found = documents(tmp_path, a_yaml=JOB.replace("namespace: jobs", "namespace: other"), b_yaml=SESSION)
    assert layers_of(found) == {}


def test_a_mounted_file_is_judged_by_the_volumes_and_the_profile_of_its_containers(tmp_path: Path) -> None:
    service = "  {0}:\n    image: flink:1.18.1\n    command: {0}\n    volumes:\n      - ./conf:/opt/flink/conf\n{1}"
    volume = "      - checkpoints:/tmp/checkpoints\n"
    compose = "services:\n" + service.format("jobmanager", volume) + service.format("taskmanager", volume)
    conf = "state.checkpoints.dir: file:///tmp/checkpoints\nstate.savepoints.dir: file:///tmp/savepoints\n"
    documents(tmp_path, **{"conf__flink-conf_yaml": conf, "docker-compose_yml": compose})
    report = check(find([str(tmp_path)]), Options(select=("FLK314",)))
    assert [(f.path, f.key, f.severity.word) for f in report.findings] == [
        (str(tmp_path / "conf" / "flink-conf.yaml"), "execution.checkpointing.savepoint-dir", "info")
    ]


_BUILT = """\
services:
  jobmanager:
    build: .
    command: jobmanager
    environment: {FLINK_PROPERTIES: "jobmanager.memory.process.size: 2g"}
    volumes: ["checkpoints:/tmp/checkpoints"]
  taskmanager:
    build: .
    command: taskmanager
    environment: {FLINK_PROPERTIES: "taskmanager.memory.process.size: 4g"}
    volumes: ["checkpoints:/tmp/checkpoints"]
"""
_COPIED = """\
jobmanager.rpc.address: jobmanager
jobmanager.memory.off-heap.size: 256m
taskmanager.memory.managed.size: 1g
state.checkpoints.dir: file:///tmp/checkpoints
"""
_OF_THE_DEPLOYMENT = ("FLK201", "FLK314", "FLK315")
"""Rules about what only the whole deployment shows."""


_SCRIPT = (
    "CREATE TABLE a (id INT) WITH ('connector' = 'kafka', 'properties.bootstrap.servers' = 'kafka:9092');\n"
    "CREATE TABLE b (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db:5432/shop');\n"
    "INSERT INTO b SELECT id FROM a;\n"
)
_SERVICES = (
    "services:\n  jobmanager: {image: 'flink:1.20', command: jobmanager}\n  kafka: {image: 'apache/kafka:3.7.0'}\n"
    "  postgres: {image: 'postgres:16', hostname: db}\n"
)
_DEPLOYED = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: a}\nspec: {image: 'flink:1.20'}\n"
)


@pytest.mark.parametrize(
    ("files", "profile"),
    [
        ({"compose_yaml": _SERVICES}, "development"),
        ({"compose_yaml": _SERVICES.replace("hostname: db", "hostname: store")}, None),
        ({"compose_yaml": _SERVICES, "job_yaml": _DEPLOYED}, None),
        ({}, None),
    ],
)
def test_a_script_that_only_reaches_services_for_development_is_too(
    files: dict[str, str], profile: str | None, tmp_path: Path
) -> None:
    found = documents(tmp_path, job_sql=_SCRIPT, **files)
    relations = relate(found)
    (place,) = (number for number, document in enumerate(found) if document.kind == "sql")
    assert relations.get(place, ALONE).profile == profile


def _check_built(folder: Path, compose: str, dockerfile: str | None) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the releases of the copied file's target, and the findings by file."""
    (folder / "conf").mkdir()
    (folder / "conf" / "flink-conf.yaml").write_text(_COPIED)
    (folder / "docker-compose.yml").write_text(compose)
    if dockerfile is not None:
        (folder / "Dockerfile").write_text(dockerfile)
    report = check(find([str(folder)]), Options(select=_OF_THE_DEPLOYMENT))
    releases = [str(d.target.version) for d in report.documents if d.document.kind == "flink-conf"]
    return releases, [(finding.code, Path(finding.path).name) for finding in report.findings]


def test_a_file_that_a_build_copies_is_judged_with_the_containers_of_the_image(tmp_path: Path) -> None:
    dockerfile = "FROM flink:1.18.1\nCOPY conf/flink-conf.yaml $FLINK_HOME/conf/flink-conf.yaml\n"
    assert _check_built(tmp_path, _BUILT, dockerfile) == (["1.18.1"], [])


def test_what_neither_a_copied_file_nor_its_containers_set_is_missing(tmp_path: Path) -> None:
    dockerfile = "FROM flink:1.18.1\nCOPY conf/ /opt/flink/conf/\n"
    compose = _BUILT.replace("taskmanager.memory.process.size: 4g", "taskmanager.numberOfTaskSlots: 2")
    assert _check_built(tmp_path, compose, dockerfile)[1] == [("FLK201", "flink-conf.yaml")]


def test_a_file_in_the_context_of_an_unknown_build_is_not_judged_without_its_containers(tmp_path: Path) -> None:
    compose = _BUILT.replace("build: .", "build: .\n    image: acme/flink:1.18.1")
    assert _check_built(tmp_path, compose, None) == (["1.18.1"], [])


def test_the_nearest_of_several_clusters_is_used_unless_ambiguous(tmp_path: Path) -> None:
    near = documents(tmp_path, one__job_yaml=JOB, one__cluster_yaml=SESSION, two__cluster_yaml=SESSION)
    assert [lower.path for r in relate(near).values() for lower in r.below] == [str(tmp_path / "one" / "cluster.yaml")]
    far = tmp_path / "far"
    assert layers_of(documents(far, a__job_yaml=JOB, b__cluster_yaml=SESSION, c__cluster_yaml=SESSION)) == {}


BASE = SESSION + "  job: {jarURI: local:///a.jar, parallelism: 2}\n"
PATCH = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: shared}
spec:
  flinkConfiguration:
    state.backend.type: rocksdb
"""


def test_an_overlay_overrides_the_base_its_kustomization_reaches(tmp_path: Path) -> None:
    found = documents(
        tmp_path, base__d_yaml=BASE, base__kustomization_yaml="resources:\n  - d.yaml\n",
        elsewhere__d_yaml=BASE.replace("namespace: jobs", "namespace: more"),
        overlays__prod__patch_yaml=PATCH,
        overlays__prod__kustomization_yaml="# prod\nresources:\n  - ../../base\npatches:\n  - path: patch.yaml\n",
    )  # fmt: skip
    assert layers_of(found) == {"FlinkDeployment default/shared": ["FlinkDeployment jobs/shared"]}


def test_no_kustomization_outside_of_the_repository_is_read(tmp_path: Path) -> None:
    (tmp_path / "tree/.git").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kustomization.yaml").write_text("resources:\n  - ../tree/base\n")
    found = documents(
        tmp_path / "tree", base__d_yaml=BASE, base__kustomization_yaml="resources:\n  - d.yaml\n",
        elsewhere__d_yaml=BASE.replace("namespace: jobs", "namespace: more"),
        prod__patch_yaml=PATCH, prod__kustomization_yaml="resources:\n  - ../../outside\npatches:\n  - patch.yaml\n",
    )  # fmt: skip
    assert layers_of(found) == {}


def test_neither_of_two_bases_without_a_kustomization_is_used(tmp_path: Path) -> None:
    found = documents(
        tmp_path, a__d_yaml=BASE, b__d_yaml=BASE.replace("namespace: jobs", "namespace: more"), c__p_yaml=PATCH
    )
    assert layers_of(found) == {}


COMPOSE = """\
services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    volumes:
      - ./conf/flink-conf.yaml:/opt/flink/conf/flink-conf.yaml
    environment:
      - |
        FLINK_PROPERTIES=
        jobmanager.rpc.address: jobmanager
"""


def test_a_mounted_file_has_the_release_of_the_image(tmp_path: Path) -> None:
    found = documents(tmp_path, **{"docker-compose_yml": COMPOSE, "conf__flink-conf_yaml": "parallelism.default: 2\n"})
    conf = next(n for n, one in enumerate(found) if one.kind == "flink-conf")
    relation = relate(found)[conf]
    assert relation.release is not None
    assert relation.release[0] == "1.18.1"
    assert relation.platform == "compose"
    assert ["flink-conf.yaml"] in layers_of(found).values()


def test_a_file_that_several_images_mount_is_judged_for_all_their_minors(tmp_path: Path) -> None:
    service = "  {0}:\n    image: flink:{0}\n    command: taskmanager\n    volumes: [./conf:/opt/flink/conf]\n"
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flink-conf.yaml").write_text("parallelism.default: 2\n")
    images = ("1.17.2", "1.18.1", "1.16.3")
    (tmp_path / "docker-compose.yml").write_text("services:\n" + "".join(map(service.format, images)))
    (conf,) = (one for one in check(find([str(tmp_path)]), Options()).documents if one.document.kind == "flink-conf")
    assert conf.target.version == "1.16 to 1.18"
    assert conf.target.evidence == SEVERAL_IMAGES


def test_a_file_that_images_of_unknown_releases_mount_has_no_release(tmp_path: Path) -> None:
    service = "  {0}:\n    image: acme/orders\n    command: {0}\n    volumes: [./conf:/opt/flink/conf]\n"
    compose = "services:\n" + service.format("jobmanager") + service.format("taskmanager")
    found = documents(tmp_path, **{"docker-compose_yml": compose, "conf__flink-conf_yaml": "parallelism.default: 2\n"})
    conf = next(n for n, one in enumerate(found) if one.kind == "flink-conf")
    assert relate(found)[conf].release is None


@pytest.mark.parametrize(
    ("target", "release"),
    [("/opt/flink/conf/", ("1.18.1", "image flink:1.18.1")), ("$FLINK_HOME/usrlib/", None)],
)
def test_what_a_dockerfile_copies_to_the_configuration_has_the_release_of_the_image(
    target: str, release: tuple[str, str] | None, tmp_path: Path
) -> None:
    (tmp_path / "Dockerfile").write_text(f"FROM flink:1.18.1\nCOPY cluster {target}\n")
    found = documents(tmp_path, **{"cluster__flink-conf_yaml": "parallelism.default: 2\n"})
    conf = next(n for n, one in enumerate(found) if one.kind == "flink-conf")
    relation = relate(found).get(conf)
    assert (relation and relation.release) == release


def test_a_program_overrides_the_only_deployment_of_its_module_or_the_linked_one(tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "pom.xml").write_text("<project/>")
    script = "SET 'table.exec.state.ttl' = '1 d';\n"
    found = documents(tmp_path, orders__deploy__d_yaml=BASE, orders__sql__job_sql=script, far__d_yaml=SESSION)
    assert layers_of(found) == {"job.sql": ["FlinkDeployment jobs/shared"]}
    far = Link(("orders/sql/**",), "far/d.yaml", str(tmp_path))
    lower = relate(found, [far])[next(n for n, one in enumerate(found) if one.kind == "sql")].below
    assert [one.path for one in lower] == [str(tmp_path / "far" / "d.yaml")]


@pytest.mark.parametrize(
    ("job", "why"),
    [
        ("jarURI: local:///opt/orders-1.0-all.jar", "runs the JAR of its module"),
        ("jarURI: local:///opt/orders.jar", "runs the JAR of its module"),
        ("jarURI: local:///opt/job.jar", "the only deployment of its module"),
        ("jarURI: local:///opt/bills-1.0.jar", None),
        ("jarURI: local:///opt/orders-2.0.jar, entryClass: shop.Bills", None),
        ("jarURI: local:///opt/job.jar, entryClass: shop.Orders", "runs its class"),
        (
            "jarURI: local:///opt/flink-python-1.20.0.jar, entryClass: org.apache.flink.client.python.PythonDriver",
            "the only deployment of its module",
        ),
    ],
)
def test_a_program_overrides_the_deployment_that_runs_it(job: str, why: str | None, tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<project><artifactId>orders</artifactId><version>1.0</version></project>")
    (tmp_path / "Orders.java").write_text(
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Orders {\n  public static void main(String[] args) throws Exception {\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        "    env.setParallelism(2);\n    env.execute();\n  }\n}\n"
    )
    found = documents(tmp_path, d_yaml=SESSION + f"  job: {{{job}}}\n")
    relation = relate(found).get(next(number for number, one in enumerate(found) if one.kind == "source"))
    assert (relation.why.get(0) if relation is not None else None) == why


@pytest.mark.parametrize(
    ("name", "head", "entry", "why"),
    [
        ("Orders.kt", "package shop\n", "shop.OrdersKt", "runs its class"),
        ("orders-job.kt", "", "Orders_jobKt", "runs its class"),
        ("Main.kt", '@file:JvmName("Orders")\npackage shop\n', "shop.Orders", "runs its class"),
        ("Main.kt", '@file:JvmName("Orders")\npackage shop\n', "shop.MainKt", None),
        ("Orders.kt", "package shop\n", "shop.BillsKt", None),
    ],
)
def test_a_kotlin_file_with_functions_alone_is_run_by_the_class_that_it_is_compiled_to(
    name: str, head: str, entry: str, why: str | None, tmp_path: Path
) -> None:
    (tmp_path / "pom.xml").write_text("<project><artifactId>orders</artifactId><version>1.0</version></project>")
    (tmp_path / name).write_text(
        f"{head}import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment\n"
        "fun main(args: Array<String>) {\n"
        "  val env = StreamExecutionEnvironment.getExecutionEnvironment()\n  env.setParallelism(2)\n"
        "  env.execute()\n}\n"
    )
    job = f"  job: {{jarURI: local:///opt/job.jar, entryClass: {entry}}}\n"
    found = documents(tmp_path, d_yaml=SESSION + job)
    relation = relate(found).get(next(number for number, one in enumerate(found) if one.kind == "source"))
    assert (relation.why.get(0) if relation is not None else None) == why


_COMPOSE = """services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
  submit:
    image: flink:1.20
    command: flink run -m jobmanager:8081 {} /opt/job.jar
"""


@pytest.mark.parametrize(
    ("files", "profile"),
    [
        ({"compose_yml": _COMPOSE.format("-c shop.Orders")}, "development"),
        ({"compose_yml": _COMPOSE.format("--class shop.Orders")}, "development"),
        ({"compose_yml": _COMPOSE.format("-c shop.Bills")}, None),
        ({"compose_yml": _COMPOSE.format("")}, None),
        (
            {
                "compose_yml": _COMPOSE.format("-c shop.Orders"),
                "other__compose_yml": _COMPOSE.format("-c shop.Orders").replace(
                    "command: jobmanager", "command: jobmanager\n    deploy: {mode: replicated}"
                ),
            },
            None,
        ),
        (
            {
                "compose_yml": _COMPOSE.format("-c shop.Orders"),
                "d_yaml": f"{SESSION}  job: {{jarURI: local:///opt/job.jar, entryClass: shop.Orders}}\n",
            },
            None,
        ),
    ],
)
def test_a_program_has_the_profile_of_the_containers_that_submit_it(
    files: dict[str, str], profile: str | None, tmp_path: Path
) -> None:
    (tmp_path / "Orders.java").write_text(
        "package shop;\nimport org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Orders {\n  public static void main(String[] args) throws Exception {\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        "    env.setParallelism(2);\n    env.execute();\n  }\n}\n"
    )
    found = documents(tmp_path, **files)
    relation = relate(found).get(next(number for number, one in enumerate(found) if one.kind == "source"))
    assert (relation.profile if relation is not None else None) == profile


def test_a_configuration_that_nothing_mounts_merely_lies_in_the_module_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<project/>")
    found = documents(
        tmp_path,
        conf__config_yaml="taskmanager.numberOfTaskSlots: 2\nrest.port: 8081\n",
        job_sql="SET 'table.exec.state.ttl' = '1 d';\n",
    )
    relation = relate(found)[next(number for number, one in enumerate(found) if one.kind == "sql")]
    assert relation.why == {0: "lies in its module"}


def test_values_of_a_chart_are_not_among_the_deployments_of_a_module(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<project/>")
    values = "config:\n  flink-conf.yaml: |\n    rest.port: 8081\n    parallelism.default: 2\n"
    script = "SET 'table.exec.state.ttl' = '1 d';\n"
    found = documents(tmp_path, deploy__d_yaml=BASE, job_sql=script, values_yaml=values)
    assert sorted((one.kind, one.whole) for one in found) == [("flinkdeployment", True), ("helm", True), ("sql", False)]
    assert layers_of(found) == {"job.sql": ["FlinkDeployment jobs/shared"]}


def test_a_link_of_other_programs_links_nothing(tmp_path: Path) -> None:
    found = documents(tmp_path, job_sql="SET 'table.exec.state.ttl' = '1 d';\n", far__d_yaml=SESSION)
    assert layers_of(found, [Link(("orders/**",), "far/d.yaml", str(tmp_path))]) == {}
    assert layers_of(found, [Link(("*.sql",), "far/d.yaml", str(tmp_path))]) == {
        "job.sql": ["FlinkDeployment jobs/shared"]
    }


def findings(report: Report) -> list[tuple[str, str, object, str]]:
    return [(f.code, Path(f.path).name, f.where.start, f.message) for f in report.findings]


def test_findings_do_not_depend_on_the_order_of_the_files(tmp_path: Path) -> None:
    documents(tmp_path, base__d_yaml=BASE, c__p_yaml=PATCH, a_yaml=JOB, b_yaml=SESSION.replace("jobs", "more"))
    paths = sorted(str(path) for path in tmp_path.rglob("*.yaml"))
    results = [findings(check(find(order), Options(flink_version="1.17"))) for order in itertools.permutations(paths)]
    assert results[0]
    assert all(one == results[0] for one in results)


def test_settings_of_a_base_are_not_missing_in_its_overlay_and_are_reported_once(tmp_path: Path) -> None:
    documents(tmp_path, base__d_yaml=BASE.replace("1 min", "1 ms x"), c__p_yaml=PATCH)
    report = check(find([str(tmp_path)]), Options(select=("FLK021",)))
    assert [Path(finding.path).name for finding in report.findings] == ["d.yaml"]


DEFAULTS = """\
defaultConfiguration:
  create: true
  append: true
  flink-conf.yaml: |+
    state.checkpoints.dir: s3://acme/checkpoints
    execution.checkpointing.interval: 1 min
"""
LAST_STATE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: NAME, namespace: jobs}
spec:
  image: flink:1.20.4
  flinkVersion: v1_20
  flinkConfiguration: {state.backend.type: rocksdb}
  jobManager: {resource: {memory: 2g}}
  taskManager: {resource: {memory: 4g}}
  job: {jarURI: "local:///a.jar", parallelism: 4, upgradeMode: last-state}
"""


def test_what_the_operator_sets_by_default_does_not_override_its_configuration(tmp_path: Path) -> None:
    """Two jobs have the interval of the operator's configuration; what both report there is reported once."""
    jobs = {f"{name}_yaml": LAST_STATE.replace("NAME", name) for name in ("orders", "bills")}
    documents(tmp_path, operator__values_yaml=DEFAULTS, **jobs)
    report = check(find([str(tmp_path)]), Options(select=("FLK318",)))
    assert [(Path(one.path).name, one.where.start.line) for one in report.findings] == [("values.yaml", 6)]


@pytest.mark.parametrize("broken", ["\x00", "kind: FlinkDeployment\napiVersion: [", "\t- x: {"])
def test_a_file_that_cannot_be_read_hides_no_other(broken: str, tmp_path: Path) -> None:
    documents(tmp_path, b_yaml=SESSION.replace("1 min", "1 ms x"))
    (tmp_path / "a.yaml").write_text(broken)
    report = check(find([str(tmp_path)]), Options(select=("FLK021",)))
    assert len(report.findings) == 1


@pytest.mark.slow
def test_processes_change_nothing_for_files_of_any_kind(flint: Flint, tmp_path: Path) -> None:
    """Documents can be sent to another process, with everything that edits and relations need."""
    from tests.formats.test_robustness import SAMPLES

    for number, (name, text) in enumerate(sorted(SAMPLES.items())):
        path = tmp_path / str(number) / name.partition("/")[2]
        path.parent.mkdir(parents=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    runs = [flint("check", ".", "--output-format", "json", "-j", jobs).stdout for jobs in ("1", "3")]
    assert runs[0] == runs[1]
    assert '"edits"' in runs[0]


def test_an_option_of_a_program_overrides_all_spellings_in_lower_layers(tmp_path: Path) -> None:
    from flink_flint.linter.model.document import merge_layers

    job = (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Orders {\n  public static void main(String[] args) throws Exception {\n"
        "    Configuration conf = new Configuration();\n"
        '    conf.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "s3://bucket/own");\n'
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(conf);\n  }\n}\n"
    )
    (tmp_path / "pom.xml").write_text("<project/>")
    (tmp_path / "Orders.java").write_text(job)
    resource = BASE.replace("execution.checkpointing.interval: 1 min", "execution.checkpointing.dir: s3://bucket/other")
    found = documents(tmp_path, d_yaml=resource)
    program = next(n for n, one in enumerate(found) if one.kind == "source")
    relation = relate(found)[program]
    merged = merge_layers((*relation.below, found[program]))
    assert [
        one.entry.text for key, one in merged.items() if key.endswith(("checkpoints.dir", "checkpointing.dir"))
    ] == ["s3://bucket/own"]


def test_an_interval_that_a_program_sets_is_not_missing_in_its_deployment(tmp_path: Path) -> None:
    resource = BASE.replace("execution.checkpointing.interval: 1 min", "execution.checkpointing.dir: s3://bucket/c")
    (tmp_path / "pom.xml").write_text("<project/>")
    documents(tmp_path, deploy__d_yaml=resource, job_sql="SET 'execution.checkpointing.interval' = '1 min';\n")
    alone = check(find([str(tmp_path / "deploy")]), Options(select=("FLK301",)))
    assert [finding.code for finding in alone.findings] == ["FLK301"]
    assert check(find([str(tmp_path)]), Options(select=("FLK301",))).findings == []


CONFLUENT = """\
apiVersion: platform.confluent.io/v1beta1
kind: FlinkEnvironment
metadata: {name: dev, namespace: jobs}
spec:
  flinkApplicationDefaults:
    spec:
      flinkVersion: v1_20
      flinkConfiguration: {execution.checkpointing.interval: 5 min, state.checkpoints.dir: s3://a/b}
---
apiVersion: platform.confluent.io/v1beta1
kind: FlinkApplication
metadata: {name: orders, namespace: jobs}
spec:
  flinkEnvironment: dev
  flinkVersion: v1_20
  flinkConfiguration:
    execution.checkpointing.interval: 1 min
    execution.checkpointing.dir: file:///tmp
    web.cancel.enable: true
"""


def test_an_environment_of_confluent_takes_precedence_over_its_applications(tmp_path: Path) -> None:
    found = documents(tmp_path, a_yaml=CONFLUENT)
    assert layers_of(found) == {"FlinkApplication jobs/orders": ["FlinkEnvironment jobs/dev"]}
    merged = merge_layers(found)
    assert {key: one.entry.text for key, one in merged.items() if one.entry.style != "implied"} == {
        "execution.checkpointing.interval": "5 min", "state.checkpoints.dir": "s3://a/b", "web.cancel.enable": "true",
    }  # fmt: skip
    assert (
        layers_of(documents(tmp_path / "other", a_yaml=CONFLUENT.replace("Environment: dev", "Environment: x"))) == {}
    )


VERVERICA = """\
kind: SessionCluster
apiVersion: v1
metadata: {name: shared, namespace: jobs}
spec: {flinkVersion: "1.15", flinkConfiguration: {rest.port: 8081}}
---
kind: DeploymentDefaults
apiVersion: v1
metadata: {name: default, namespace: jobs}
spec: {template: {spec: {flinkConfiguration: {state.backend: rocksdb}}}}
---
kind: Deployment
apiVersion: v1
metadata: {name: orders, namespace: jobs}
spec:
  sessionClusterName: shared
  template: {spec: {artifact: {kind: JAR}, parallelism: 2, flinkConfiguration: {execution.checkpointing.interval: 1 s}}}
"""
PLATFORM = """\
vvp:
  globalDeploymentDefaults:
    spec: {template: {spec: {flinkConfiguration: {state.checkpoints.dir: s3://a/b}}}}
"""


def test_a_deployment_of_ververica_overrides_its_session_cluster_and_the_defaults(tmp_path: Path) -> None:
    layers = layers_of(documents(tmp_path, a_yaml=VERVERICA, values_yaml=PLATFORM))
    assert layers == {
        "DeploymentDefaults jobs/default": ["globalDeploymentDefaults"],
        "Deployment jobs/orders": [
            "globalDeploymentDefaults", "DeploymentDefaults jobs/default", "SessionCluster jobs/shared",
        ],
    }  # fmt: skip


VARIABLES = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: flink-env}
data:
  FLINK_PROPERTIES: |
    jobmanager.rpc.address: jobmanager
    taskmanager.memory.process.size: 4g
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: taskmanager}
spec:
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:1.20.4
          args: [taskmanager]
          envFrom: [{configMapRef: {name: flink-env}}]
"""
ONE_VARIABLE = """\
env: [{name: FLINK_PROPERTIES, valueFrom: {configMapKeyRef: {name: flink-env, key: FLINK_PROPERTIES}}}]"""


@pytest.mark.parametrize("source", ["envFrom: [{configMapRef: {name: flink-env}}]", ONE_VARIABLE])
def test_a_workload_overrides_the_config_map_that_its_variables_come_from(source: str, tmp_path: Path) -> None:
    found = documents(tmp_path, a_yaml=VARIABLES.replace("envFrom: [{configMapRef: {name: flink-env}}]", source))
    assert layers_of(found) == {"Deployment default/taskmanager": ["ConfigMap default/flink-env"]}
    merged = merge_layers(found)
    assert merged["taskmanager.memory.process.size"].entry.text == "4g"
    assert merged["jobmanager.rpc.address"].entry.text == "jobmanager"
    release = relate(found)[0].release
    assert release is not None
    assert release[0] == "1.20.4"


_CONTAINERS = """\
services:
  manager:
    {build}
    command: jobmanager
    hostname: jobmanager
    environment: {{FLINK_PROPERTIES: "jobmanager.rpc.address: jobmanager"}}
{volumes}"""


def is_left_aside(folder: Path, conf: str, compose: str, place: str = "", **more: str) -> bool:
    """Return whether a file `conf/flink-conf.yaml` is for the containers of a Compose file, which run without it."""
    files = {"conf__flink-conf_yaml": conf, f"{place}compose_yaml": compose, **more}
    found = documents(folder, **files)
    at = next(n for n, one in enumerate(found) if one.kind == "flink-conf")
    relation = relate(found).get(at)
    return relation is not None and relation.is_left_aside


@pytest.mark.parametrize("host", ["jobmanager", "manager", "localhost"])
def test_a_file_for_containers_that_run_without_it_is_left_aside(tmp_path: Path, host: str) -> None:
    compose = _CONTAINERS.format(build="image: flink:1.18.1", volumes="")
    assert is_left_aside(tmp_path, f"jobmanager.rpc.address: {host}\n", compose)


@pytest.mark.parametrize(
    "conf",
    [
        "jobmanager.rpc.address: flink-1.example.com\n",
        "jobmanager.rpc.address: '{{ host }}'\n",
        "parallelism.default: 2\n",
        "jobmanager.rpc.address: localhost\nhigh-availability: zookeeper\n",
        "jobmanager.rpc.address: localhost\nyarn.application.name: orders\n",
    ],
)
def test_a_file_for_other_machines_is_not_left_aside(tmp_path: Path, conf: str) -> None:
    assert not is_left_aside(tmp_path, conf, _CONTAINERS.format(build="image: flink:1.18.1", volumes=""))


@pytest.mark.parametrize(
    ("build", "volumes"),
    [
        ("image: flink:1.18.1", "    volumes: ['./conf:/opt/flink/conf']\n"),
        ("image: flink:1.18.1", "    volumes: ['${CONF}:/opt/flink/conf']\n"),
        ("image: company/stream:4", ""),
        ("build: .", ""),
    ],
)
def test_a_file_that_containers_may_have_is_not_left_aside(tmp_path: Path, build: str, volumes: str) -> None:
    compose = _CONTAINERS.format(build=build, volumes=volumes)
    assert not is_left_aside(tmp_path, "jobmanager.rpc.address: jobmanager\n", compose)


def test_a_compose_file_beside_a_folder_says_nothing_of_the_files_in_it(tmp_path: Path) -> None:
    compose = _CONTAINERS.format(build="image: flink:1.18.1", volumes="")
    assert not is_left_aside(tmp_path, "jobmanager.rpc.address: jobmanager\n", compose, "other__")
    assert is_left_aside(tmp_path / "1", "jobmanager.rpc.address: jobmanager\n", compose)


def test_the_dockerfile_of_an_image_shows_whether_it_has_a_file(tmp_path: Path) -> None:
    compose = _CONTAINERS.format(build="build: .", volumes="")
    conf = "jobmanager.rpc.address: jobmanager\n"
    for number, (lines, expected) in enumerate(
        [
            ("RUN apt-get update\n", True),
            ("COPY conf/flink-conf.yaml /opt/flink/conf/\n", False),
            ('COPY start.sh /\nENTRYPOINT ["/start.sh"]\n', True),
            ('COPY . /app\nENTRYPOINT ["/app/start.sh"]\n', False),
            ('COPY conf /app/conf\nENTRYPOINT ["/app/start.sh"]\n', False),
            ('COPY *.sh /app/\nENTRYPOINT ["/app/start.sh"]\n', False),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "Dockerfile").write_text(f"FROM flink:1.18.1\n{lines}")
        assert is_left_aside(folder, conf, compose) is expected


def test_what_no_process_has_is_advice(tmp_path: Path) -> None:
    conf = "jobmanager.rpc.address: jobmanager\nstate.checkpoints.dir: file:///data/checkpoints\n"
    documents(tmp_path, **{"conf__flink-conf_yaml": conf})
    assert [f.severity.word for f in check(find([str(tmp_path)]), Options(select=("FLK315",))).findings] == ["warning"]
    documents(tmp_path, compose_yaml=_CONTAINERS.format(build="image: flink:1.18.1", volumes=""))
    assert [f.severity.word for f in check(find([str(tmp_path)]), Options(select=("FLK315",))).findings] == ["info"]


_POD = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: taskmanager}\nspec:\n  template:\n    spec:\n"
    "      containers: [{name: taskmanager, image: 'flink:1.18.1', args: [taskmanager]}]\n"
)
_RESOURCE = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: orders}\n"
    "spec: {image: 'flink:1.18.1', flinkVersion: v1_18, jobManager: {resource: {memory: 2g}}}\n"
)
_APPLICATION = (
    "apiVersion: platform.confluent.io/v1beta1\nkind: FlinkApplication\nmetadata: {name: orders}\n"
    "spec: {image: 'flink:1.18.1', flinkVersion: v1_18, flinkEnvironment: dev, jobManager: {resource: {memory: 2g}}}\n"
)
_LOG4J = "  log4j-console.properties: |\n    log4j.rootLogger=INFO, console\n"
_FLINK_CONF = "  flink-conf.yaml: |\n    state.checkpoints.dir: file:///tmp/checkpoints\n"


def severities(folder: Path, data: str, beside: str, metadata: str = "name: flink-config", **more: str) -> set[str]:
    """Return the severities of findings in a ConfigMap beside a deployment."""
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  {metadata}\ndata:\n{data}"
    documents(folder, k8s__map_yaml=text, k8s__deployment_yaml=beside, **more)
    found = check(find([str(folder)]), Options(select=("FLK930", "FLK314"), flink_version="1.18")).findings
    return {one.severity.word for one in found if Path(one.path).name == "map.yaml"}


@pytest.mark.parametrize("beside", [_POD, _RESOURCE, _APPLICATION])
@pytest.mark.parametrize("data", [_LOG4J, _FLINK_CONF, _FLINK_CONF + _LOG4J])
@pytest.mark.parametrize("metadata", ["name: flink-config", "{name: flink-config, labels: {component: flink-config}}"])
def test_what_is_in_a_map_that_no_deployment_mounts_is_advice(
    data: str, beside: str, metadata: str, tmp_path: Path
) -> None:
    assert severities(tmp_path, data, beside, metadata) == {"info"}


@pytest.mark.parametrize("data", [_LOG4J, _FLINK_CONF])
@pytest.mark.parametrize(
    "beside",
    [
        "kind: Service\napiVersion: v1\nmetadata: {name: flink}\n",
        f"{_POD}      volumes: [{{name: conf, configMap: {{name: flink-config}}}}]\n",
        _RESOURCE.replace("spec: {", "spec: {podTemplate: {spec: {volumes: [{configMap: {name: flink-config}}]}}, "),
    ],
)
def test_what_is_in_a_map_that_something_may_mount_is_no_advice(data: str, beside: str, tmp_path: Path) -> None:
    assert "info" not in severities(tmp_path, data, beside)


def test_a_name_means_the_map_of_its_own_folder(tmp_path: Path) -> None:
    mounting = f"{_POD}      volumes: [{{name: conf, configMap: {{name: flink-config}}}}]\n"
    assert severities(tmp_path / "1", _LOG4J, _POD, other__pod_yaml=mounting) == {"error"}
    own = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: flink-config}}\ndata:\n{_FLINK_CONF}"
    assert severities(tmp_path / "2", _LOG4J, _POD, other__pod_yaml=mounting, other__own_yaml=own) == {"info"}


def test_a_program_is_not_layered_over_a_map_that_nothing_mounts(tmp_path: Path) -> None:
    program = (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\nclass Orders {\n"
        "  void run() { StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        '    env.fromSequence(1, 2).print(); env.execute("orders"); }\n}\n'
    )
    assert severities(tmp_path, _FLINK_CONF, _POD, **{"Orders.java": program}) == {"info"}


def test_a_program_is_layered_over_a_file_left_aside_where_it_is_linked(tmp_path: Path) -> None:
    program = (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\nclass Orders {\n"
        "  void run() { StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        '    env.fromSequence(1, 2).print(); env.execute("orders"); }\n}\n'
    )
    (tmp_path / "Orders.java").write_text(program)
    (tmp_path / "pom.xml").write_text("<project/>\n")
    compose = _CONTAINERS.format(build="image: flink:1.18.1", volumes="")
    found = documents(
        tmp_path, **{"conf__flink-conf_yaml": "jobmanager.rpc.address: manager\n", "compose_yaml": compose}
    )
    assert layers_of(found) == {}
    link = Link(("Orders.java",), "conf/flink-conf.yaml", str(tmp_path))
    linked = layers_of(found, [link])
    assert list(linked.values()) == [["flink-conf.yaml"]]


CLIENT = """\
services:
  client:
    image: %s
    command: %s
    volumes: ["./sql:/sql"]
    environment:
      FLINK_PROPERTIES: |
        table.exec.state.ttl: 1 d
"""
SCRIPT = "SET 'execution.checkpointing.interval' = '1 min';\n"


@pytest.mark.parametrize(
    ("image", "command", "is_known"),
    [
        ("flink:1.18.1", "/opt/flink/bin/sql-client.sh -f /sql/job.sql", True),
        ("flink:1.18.1", "sh -c 'sleep 5; sql-client.sh --file=/sql/job.sql'", True),
        ("mine:1", "sql-client.sh -f /sql/job.sql", False),
        ("flink:1.18.1", "sql-client.sh -f /elsewhere/job.sql", True),
    ],
)
def test_a_script_overrides_the_container_that_runs_it(
    tmp_path: Path, image: str, command: str, is_known: bool
) -> None:
    found = documents(tmp_path, compose_yaml=CLIENT % (image, command), sql__job_sql=SCRIPT, sql__other_sql=SCRIPT)
    assert layers_of(found) == {"job.sql": ["service client"]}
    place = next(number for number, one in enumerate(found) if one.file_name == "job.sql")
    view = View(found[place], target_from_version("1.18", "test"), nearest_index(parse_release("1.18")),
                relation=relate(found)[place])  # fmt: skip
    assert view.is_deployment_known == is_known
    assert view.is_set("table.exec.state.ttl")


def test_a_script_overrides_the_one_that_initializes_its_session(tmp_path: Path) -> None:
    command = "sql-client.sh -i /sql/init.sql -f /sql/job.sql"
    found = documents(
        tmp_path, compose_yaml=CLIENT % ("flink:1.18.1", command), sql__job_sql=SCRIPT, sql__init_sql=SCRIPT
    )
    assert layers_of(found) == {"job.sql": ["service client", "init.sql"]}


def test_of_several_scripts_with_a_name_none_is_run(tmp_path: Path) -> None:
    command = "sql-client.sh -f /elsewhere/job.sql"
    found = documents(
        tmp_path, compose_yaml=CLIENT % ("flink:1.18.1", command), sql__job_sql=SCRIPT, other__job_sql=SCRIPT
    )
    assert layers_of(found) == {}


@pytest.mark.parametrize(
    ("mounted", "profile", "release"),
    [("./sql:/sql", "development", "1.18.1"), ("./other:/sql", None, None), ("sql:/sql", None, None)],
)
def test_a_script_has_the_profile_and_release_of_the_containers_that_mount_it(
    tmp_path: Path, mounted: str, profile: str | None, release: str | None
) -> None:
    compose = _CONTAINERS.format(build="image: flink:1.18.1", volumes=f"    volumes: ['{mounted}']\n")
    found = documents(tmp_path, compose_yaml=compose, sql__job_sql=SCRIPT)
    at = next(n for n, one in enumerate(found) if one.kind == "sql")
    relation = relate(found).get(at, ALONE)
    assert relation.profile == profile
    assert (relation.release and relation.release[0]) == release


def is_not_loaded(folder: Path, name: str, compose: str = "") -> bool:
    """Return whether a file `name` is known not to be loaded by a process of Flink."""
    files = {name: "taskmanager.numberOfTaskSlots: 4\nparallelism.default: 2\n"}
    found = documents(folder, **files, **({"compose_yaml": compose} if compose else {}))
    at = next(n for n, one in enumerate(found) if one.file_name == name)
    relation = relate(found).get(at)
    return relation is not None and relation.is_not_loaded


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("flink-conf.yaml", False),
        ("flink-conf-prod.yaml", False),
        ("flink-conf.yaml.j2", False),
        ("flink-conf.yaml.bak", True),
        ("flink-conf.yaml.txt", True),
        ("flink-conf.yaml.orig", True),
        ("flink-conf-old.yaml", True),
        ("flink-conf.yaml.disabled", True),
        ("cluster.conf", True),
    ],
)
def test_a_copy_is_not_loaded(tmp_path: Path, name: str, expected: bool) -> None:
    assert is_not_loaded(tmp_path, name) is expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/opt/flink/conf/flink-conf.yaml", False),
        ("/opt/flink/conf/settings.yaml", True),
        ("/templates/settings.yaml", False),
    ],
)
@pytest.mark.parametrize("name", ["flink-conf-prod.yaml", "cluster.conf"])
def test_a_mount_shows_whether_a_file_is_loaded(tmp_path: Path, name: str, target: str, expected: bool) -> None:
    volumes = f"    volumes: ['./{name}:{target}']\n"
    compose = _CONTAINERS.format(build="image: flink:1.18.1", volumes=volumes)
    assert is_not_loaded(tmp_path, name, compose) is expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/opt/flink/conf/", False),
        ("/opt/flink/conf/flink-conf.yaml", False),
        ("/opt/flink/conf/flink-conf-production.yaml", True),
        ("/templates/flink-conf-production.yaml", False),
    ],
)
def test_a_copy_into_an_image_shows_whether_a_file_is_loaded(tmp_path: Path, target: str, expected: bool) -> None:
    (tmp_path / ".git").mkdir()
    found = documents(
        tmp_path,
        **{"flink-conf_yaml": "parallelism.default: 2\n"},
        Dockerfile=f"FROM flink:1.18.1\nCOPY flink-conf.yaml {target}\n",
    )
    at = next(n for n, one in enumerate(found) if one.file_name == "flink-conf.yaml")
    relation = relate(found).get(at)
    assert (relation is not None and relation.is_not_loaded) is expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [("flink-conf.yaml", False), ("config.yaml", False), ("flink-conf-jobmanager.yaml", False), ("metrics.yaml", True)],
)
def test_a_file_in_a_config_map_is_loaded_under_its_name_only(tmp_path: Path, key: str, expected: bool) -> None:
    text = f"data:\n  {key}: |\n    taskmanager.numberOfTaskSlots: 4\n    parallelism.default: 2\n"
    (found,) = documents(tmp_path, conf_yaml=f"kind: ConfigMap\napiVersion: v1\nmetadata: {{name: flink}}\n{text}")
    assert relate([found]).get(0, ALONE).is_not_loaded is expected


def test_what_is_not_loaded_is_advice(tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml.bak").write_text("taskmanager.memory.task.heap.size: 1g\n")
    found = check(find([str(tmp_path)]), Options(select=("FLK201",), flink_version="1.20")).findings
    assert {one.severity.word for one in found} == {"info"}
