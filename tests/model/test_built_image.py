"""What the image of a Dockerfile in the repository brings to the pods and services that run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.deployments import deployments_of, place_of, read_project
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.processes.process import Process

SLOTS = "taskmanager.numberOfTaskSlots"
PARALLELISM = "parallelism.default"

POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: flink-tm}}
spec:
  template:
    spec:
      containers:
      - name: taskmanager
        image: {image}
        args: [taskmanager{arguments}]
        env: [{env}]
        volumeMounts: [{mounts}]
      volumes: [{volumes}]
"""
DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: acme/orders:3
  flinkVersion: v1_18
  jobManager: {resource: {memory: 2g, cpu: 1}}
  taskManager: {resource: {memory: 4g, cpu: 1}}
  podTemplate:
    spec:
      containers:
      - name: flink-main-container
        env: [{name: MODE, value: pod}]
"""
CONF = f"{SLOTS}: 2\n{PARALLELISM}: 2\n"


def pod(image: str = "acme/orders:3", arguments: str = "", env: str = "", mounts: str = "", volumes: str = "") -> str:
    return POD.format(image=image, arguments=arguments, env=env, mounts=mounts, volumes=volumes)


def processes(folder: Path, **files: str) -> list[Process]:
    """Return the processes of files given by their path with two underscores for a slash and one for a dot."""
    (folder / ".git").mkdir()
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    sources = [source for source in find([str(folder)]) if isinstance(source, Source)]
    found = deployments_of(read_project(sources, Options()), place_of([str(folder)], sources), Options())
    return [
        process
        for one in found
        for process in one.processes
        if process.document.kind not in ("flink-conf", "config.yaml")
    ]


def chain(process: Process, key: str) -> list[tuple[str, str]]:
    """Return the values that a setting is given and the names of the files that give them, the winner first."""
    return [(place.text, Path(place.document.path).name) for place in process.settings[key].chain]


def dockerfile(*lines: str, base: str = "flink:1.18.1") -> str:
    return "\n".join((f"FROM {base}", *lines, ""))


COPY = "COPY flink-conf.yaml /opt/flink/conf/"


def test_a_pod_has_what_its_image_brings(tmp_path: Path) -> None:
    built = dockerfile(
        COPY, f'RUN echo "{PARALLELISM}: 4" >> $FLINK_HOME/conf/flink-conf.yaml', f'ENV FLINK_PROPERTIES="{SLOTS}: 7"'
    )
    (one,) = processes(tmp_path, pod_yaml=pod(), orders__Dockerfile=built, **{"orders__flink-conf_yaml": CONF})
    assert one.dockerfile == str(tmp_path / "orders/Dockerfile")
    assert [(file.path, file.is_read) for file in one.files] == [("/opt/flink/conf/flink-conf.yaml", True)]
    assert chain(one, SLOTS) == [("7", "Dockerfile"), ("2", "flink-conf.yaml")]
    assert chain(one, PARALLELISM) == [("4", "Dockerfile"), ("2", "flink-conf.yaml")]
    assert "image built by Dockerfile" in one.settings[SLOTS].origin.layer
    assert one.unknown == ()


def test_an_argument_overrides_the_image(tmp_path: Path) -> None:
    built = dockerfile(f'ENV FLINK_PROPERTIES="{SLOTS}: 7"')
    (one,) = processes(tmp_path, pod_yaml=pod(arguments=f", -D{SLOTS}=9"), orders__Dockerfile=built)
    assert chain(one, SLOTS) == [("9", "pod.yaml"), ("7", "Dockerfile")]


def test_a_variable_of_the_pod_replaces_that_of_the_image(tmp_path: Path) -> None:
    built = dockerfile(f'ENV FLINK_PROPERTIES="{PARALLELISM}: 7" MODE=image', "ENV OTHER=image")
    env = f'{{name: FLINK_PROPERTIES, value: "{SLOTS}: 3"}}, {{name: MODE, value: pod}}'
    (one,) = processes(tmp_path, pod_yaml=pod(env=env), orders__Dockerfile=built)
    assert chain(one, SLOTS) == [("3", "pod.yaml")]
    assert PARALLELISM not in one.settings
    values = {name: fact.value for name, fact in one.environment.items()}
    assert (values["MODE"], values["OTHER"]) == ("pod", "image")


def test_properties_of_the_image_override_a_variable_of_the_pod(tmp_path: Path) -> None:
    """The entrypoint writes the number of slots first, and appends FLINK_PROPERTIES."""
    built = dockerfile(f'ENV FLINK_PROPERTIES="{SLOTS}: 7"')
    env = '{name: TASK_MANAGER_NUMBER_OF_TASK_SLOTS, value: "3"}'
    (one,) = processes(tmp_path, pod_yaml=pod(env=env), orders__Dockerfile=built)
    assert chain(one, SLOTS) == [("7", "Dockerfile"), ("3", "pod.yaml")]


@pytest.mark.parametrize(
    ("volume", "counts"),
    [
        ("emptyDir: {}", "variables"),
        ("persistentVolumeClaim: {claimName: conf}", "variables"),
        ("configMap: {name: flink-conf}", "nothing"),
        ("secret: {secretName: flink-conf}", "nothing"),
    ],
)
def test_a_volume_over_the_configuration_hides_that_of_the_image(volume: str, counts: str, tmp_path: Path) -> None:
    """The entrypoint cannot write to a ConfigMap or Secret either, so that FLINK_PROPERTIES have no effect."""
    built = dockerfile(
        COPY, 'RUN echo "rest.port: 1" >> /opt/flink/conf/flink-conf.yaml', f'ENV FLINK_PROPERTIES="{SLOTS}: 7"'
    )
    given = pod(mounts="{name: conf, mountPath: /opt/flink/conf}", volumes=f"{{name: conf, {volume}}}")
    (one,) = processes(tmp_path, pod_yaml=given, orders__Dockerfile=built, **{"orders__flink-conf_yaml": CONF})
    assert "rest.port" not in one.settings
    assert PARALLELISM not in one.settings
    assert (SLOTS in one.settings) == (counts == "variables")


def test_a_volume_over_one_file_hides_that_file(tmp_path: Path) -> None:
    built = dockerfile("COPY conf/ /opt/flink/conf/", base="flink:1.20.1")
    given = pod(
        mounts="{name: conf, mountPath: /opt/flink/conf/config.yaml, subPath: config.yaml}",
        volumes="{name: conf, configMap: {name: flink-conf}}",
    )
    files = {"orders__conf__config_yaml": CONF, "orders__conf__log4j_properties": "rootLogger.level = INFO\n"}
    (one,) = processes(tmp_path, pod_yaml=given, orders__Dockerfile=built, **files)
    assert SLOTS not in one.settings
    assert [part.what for part in one.unknown] == ["ConfigMap flink-conf at /opt/flink/conf/config.yaml"]


@pytest.mark.parametrize(
    ("copy", "where"),
    [
        ("COPY flink-conf.yaml /opt/flink/conf/flink-conf.yaml", "orders"),
        ("COPY flink-conf.yaml conf/", "orders"),
        ("WORKDIR /opt/flink/conf\nCOPY flink-conf.yaml ./", "orders"),
        ("WORKDIR conf\nCOPY flink-conf.yaml .", "orders"),
        ("COPY . /opt/flink/conf", "orders"),
        ("COPY *.yaml $FLINK_HOME/conf/", "orders"),
        ("COPY a/flink-conf.yaml b/flink-conf.yaml /opt/flink/conf/", "orders__b"),
        ("COPY deploy/flink-conf.yaml /opt/flink/conf/", "deploy"),
    ],
)
def test_copied_files_are_found_in_the_context_of_the_build(copy: str, where: str, tmp_path: Path) -> None:
    files = {f"{where}__flink-conf_yaml": CONF}
    (one,) = processes(tmp_path, pod_yaml=pod(), orders__Dockerfile=dockerfile(copy), **files)
    assert one.settings[SLOTS].text == "2"


@pytest.mark.parametrize(
    ("copy", "unknown"),
    [
        ("COPY flink-conf.yaml /opt/flink/conf/", "flink-conf.yaml at /opt/flink/conf/"),
        ("COPY --from=build /conf /opt/flink/conf", "/conf of build at /opt/flink/conf"),
        ("RUN sed -i s/a/b/ /opt/flink/conf/flink-conf.yaml", "how Dockerfile changes /opt/flink/conf/flink-conf.yaml"),
        ('ENTRYPOINT ["/start.sh"]', 'what its entrypoint ["/start.sh"] does'),
    ],
)
def test_what_a_dockerfile_does_not_say_is_unknown(copy: str, unknown: str, tmp_path: Path) -> None:
    """Of two files that the build may copy, it is unknown which one it is."""
    files = {"flink-conf_yaml": CONF, "orders__flink-conf_yaml": CONF}
    (one,) = processes(tmp_path, pod_yaml=pod(), orders__Dockerfile=dockerfile(copy), **files)
    assert unknown in [part.what for part in one.unknown]


def test_the_contents_of_another_base_are_unknown(tmp_path: Path) -> None:
    built = dockerfile(f'ENV FLINK_PROPERTIES="{SLOTS}: 7"', base="acme/flink-base:1.18.1")
    (one,) = processes(tmp_path, pod_yaml=pod(), orders__Dockerfile=built)
    assert one.settings[SLOTS].text == "7"
    assert [part.what for part in one.unknown] == ["the configuration in image acme/flink-base:1.18.1"]
    assert "taskmanager.memory.process.size" not in one.settings


def test_the_file_of_the_official_image_counts_unless_it_is_replaced(tmp_path: Path) -> None:
    (one,) = processes(tmp_path, pod_yaml=pod(), orders__Dockerfile=dockerfile("RUN true"))
    assert chain(one, "taskmanager.memory.process.size") == [("1728m", "Dockerfile")]


def test_the_file_of_the_official_image_does_not_count_if_it_is_replaced(tmp_path: Path) -> None:
    files = {"orders__flink-conf_yaml": CONF}
    (one,) = processes(tmp_path, pod_yaml=pod(), orders__Dockerfile=dockerfile(COPY), **files)
    assert "taskmanager.memory.process.size" not in one.settings


def test_an_image_of_another_release_is_not_built_by_the_dockerfile(tmp_path: Path) -> None:
    built = dockerfile(f'ENV FLINK_PROPERTIES="{SLOTS}: 7"')
    (one,) = processes(tmp_path, pod_yaml=pod("acme/orders:v3-flink1.20"), orders__Dockerfile=built)
    assert (one.dockerfile, SLOTS in one.settings) == (None, False)


def test_two_dockerfiles_of_one_name_build_no_image_for_certain(tmp_path: Path) -> None:
    built = dockerfile(f'ENV FLINK_PROPERTIES="{SLOTS}: 7"')
    (one,) = processes(tmp_path, pod_yaml=pod(), a__orders__Dockerfile=built, b__orders__Dockerfile=built)
    assert (one.dockerfile, SLOTS in one.settings) == (None, False)


def test_under_the_operator_only_variables_of_the_image_count(tmp_path: Path) -> None:
    built = dockerfile(COPY, f'ENV FLINK_PROPERTIES="{SLOTS}: 7" ENABLE_BUILT_IN_PLUGINS=flink-azure.jar MODE=image')
    files = {"orders__flink-conf_yaml": CONF}
    manager, worker = processes(tmp_path, pod_yaml=DEPLOYMENT, orders__Dockerfile=built, **files)
    for one in (manager, worker):
        assert SLOTS not in one.settings
        assert one.files == ()
        values = {name: fact.value for name, fact in one.environment.items()}
        assert (values["ENABLE_BUILT_IN_PLUGINS"], values["MODE"]) == ("flink-azure.jar", "pod")


SERVICES = """\
services:
  jobmanager: {{build: {build}, command: jobmanager}}
  taskmanager:
    build: {build}
    command: taskmanager
    environment: {{{env}}}
"""


def test_a_service_has_what_the_image_that_it_builds_brings(tmp_path: Path) -> None:
    built = dockerfile(COPY, f'ENV FLINK_PROPERTIES="{SLOTS}: 7"')
    text = SERVICES.format(build="./orders", env=f'FLINK_PROPERTIES: "{PARALLELISM}: 3"')
    files = {"orders__flink-conf_yaml": CONF}
    manager, worker = processes(tmp_path, compose_yaml=text, orders__Dockerfile=built, **files)
    assert chain(manager, SLOTS) == [("7", "Dockerfile"), ("2", "flink-conf.yaml")]
    assert chain(worker, SLOTS) == [("2", "flink-conf.yaml")]
    assert chain(worker, PARALLELISM) == [("3", "compose.yaml"), ("2", "flink-conf.yaml")]


def test_properties_of_the_image_override_its_file_in_a_service(tmp_path: Path) -> None:
    built = dockerfile('ENV FLINK_PROPERTIES="taskmanager.memory.process.size: 5g"')
    text = SERVICES.format(build="./orders", env="")
    _, worker = processes(tmp_path, compose_yaml=text, orders__Dockerfile=built)
    assert chain(worker, "taskmanager.memory.process.size")[0] == ("5g", "Dockerfile")


@pytest.mark.parametrize(
    ("build", "is_known"),
    [
        ("{context: ./orders, args: {OTHER: 1}}", True),
        ("{context: ./orders, args: {SLOTS: 9}}", False),
        ("{context: ./orders, target: plain}", False),
        ("{context: ./orders, target: tuned}", True),
    ],
)
def test_arguments_and_targets_that_change_the_settings_leave_them_unknown(
    build: str, is_known: bool, tmp_path: Path
) -> None:
    built = "FROM flink:1.18.1 AS plain\n" + dockerfile(
        "ARG SLOTS=7", f'ENV FLINK_PROPERTIES="{SLOTS}: $SLOTS"', base="plain AS tuned"
    )
    _, worker = processes(tmp_path, compose_yaml=SERVICES.format(build=build, env=""), orders__Dockerfile=built)
    assert (SLOTS in worker.settings) == is_known
    assert [part.what for part in worker.unknown] == (
        [] if is_known else ["what the arguments or the target of its build change"]
    )


@pytest.mark.parametrize(("mode", "slots"), [("", "7"), (":ro", "2")])
def test_the_entrypoint_cannot_write_a_file_that_a_service_mounts_read_only(
    mode: str, slots: str, tmp_path: Path
) -> None:
    built = dockerfile(f'ENV FLINK_PROPERTIES="{SLOTS}: 7"')
    volumes = f"    volumes: ['./conf:/opt/flink/conf{mode}']\n"
    text = SERVICES.format(build="./orders", env="") + volumes
    files = {"conf__flink-conf_yaml": CONF}
    _, worker = processes(tmp_path, compose_yaml=text, orders__Dockerfile=built, **files)
    assert worker.settings[SLOTS].text == slots


def test_a_command_in_place_of_the_entrypoint_reads_no_properties_of_the_image(tmp_path: Path) -> None:
    built = dockerfile(f'ENV FLINK_PROPERTIES="{SLOTS}: 7"')
    text = SERVICES.format(build="./orders", env="") + "    entrypoint: [/opt/flink/bin/taskmanager.sh]\n"
    _, worker = processes(tmp_path, compose_yaml=text, orders__Dockerfile=built)
    assert ("7", "Dockerfile") not in (chain(worker, SLOTS) if SLOTS in worker.settings else [])
