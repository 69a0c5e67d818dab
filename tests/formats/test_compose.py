"""Docker Compose services that run Flink: their settings, spans, and edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.suppressions import read_suppressions
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

_BLOCK_ITEM = """\
services:
  jobmanager:
    image: flink:1.18.1-scala_2.12
    command: jobmanager
    ports:
      - "8081:8081"
    environment:
      - |
        FLINK_PROPERTIES=
        jobmanager.rpc.address: jobmanager   # who else
        state.backend.type: rocksdb
      - JAVA_TOOL_OPTIONS=-Xss1m
    volumes:
      - ./checkpoints:/opt/flink/checkpoints
"""

_ANCHORS = """\
x-common: &common
  image: flink:1.20.1
  environment: &environment
    FLINK_PROPERTIES: |
      jobmanager.rpc.address: jobmanager
      state.backend.type: rocksdb
    TZ: UTC
services:
  jobmanager:
    <<: *common
    command: jobmanager
  taskmanager:
    <<: *common
    command: [taskmanager]
    deploy: {replicas: 2}
  other:
    image: postgres:16
    environment:
      POSTGRES_USER: flink
"""

_ARGUMENTS = """\
services:
  jm:
    image: "flink:2.0.0-java17"
    entrypoint: /docker-entrypoint.sh
    command: standalone-job -Dstate.checkpoints.dir=s3://b/c -D "rest.port=8082" -j a.B -Dblob.server.port=6124
    mem_limit: 2g
  tm:
    image: flink:2.0.0-java17
    command:
      - taskmanager
      - -Dtaskmanager.numberOfTaskSlots=4
      - "-Dtaskmanager.memory.process.size=${TM_MEMORY:-2g}"
"""

SAMPLES = {
    "docker-compose.yml": _BLOCK_ITEM,
    "compose.yaml": _ANCHORS,
    "docker-compose.arguments.yml": _ARGUMENTS,
}


@pytest.fixture
def one() -> Document:
    """Return the document of the only service."""
    (document,) = read("docker-compose.yml", _BLOCK_ITEM)
    return document


def _container(document: Document) -> Element:
    return next(element for element in document.elements if element.kind == "container")


def test_a_block_item_is_read_as_the_old_file_reader_does(one: Document) -> None:
    written = [cut for cut in cuts(one) if entry(one, cut[0]).style != "implied"]
    assert written == [
        ("jobmanager.rpc.address", "jobmanager.rpc.address", "jobmanager"),
        ("state.backend.type", "state.backend.type", "rocksdb"),
    ]
    assert (one.name, one.kind, one.platform, one.profile) == (
        "service jobmanager",
        "compose",
        "compose",
        "development",
    )
    assert one.release == ("1.18.1", "image flink:1.18.1-scala_2.12")
    assert one.is_flink_conf
    assert one.whole
    assert not one.replaces_shipped_file


def test_what_the_image_sets_of_itself_is_implied(one: Document) -> None:
    implied = {e.key: (e.text, e.layer) for e in one.entries if e.style == "implied"}
    assert implied == {
        "blob.server.port": ("6124", "the image"),
        "jobmanager.memory.process.size": ("1600m", "the image"),
        "taskmanager.memory.process.size": ("1728m", "the image"),
    }


def test_a_container_has_its_ports_volumes_and_variables(one: Document) -> None:
    ((name, attributes),) = parts(one, "container")
    assert name == "jobmanager"
    assert attributes["image"] == ("flink:1.18.1-scala_2.12", "flink:1.18.1-scala_2.12")
    assert attributes["role"] == ("jobmanager", "jobmanager")
    assert attributes["ports[0].published"] == ("8081", "8081")
    assert attributes["volumes[0].source"] == ("./checkpoints", "./checkpoints")
    assert attributes["volumes[0].target"] == ("/opt/flink/checkpoints", "/opt/flink/checkpoints")
    assert attributes["volumes[0].kind"][0] == "bind"
    assert attributes["environment.JAVA_TOOL_OPTIONS"] == ("-Xss1m", "-Xss1m")


def test_edits_change_one_setting_and_nothing_else(one: Document) -> None:
    assert assert_edits_hold(one) >= 4
    added = edited(one, "add", "rest.port", "8081")
    assert added is not None
    assert added.settings() == {**one.settings(), "rest.port": "8081"}
    renamed = edited(one, "rename", entry(one, "state.backend.type"), "state.backend")
    assert renamed is not None
    assert "state.backend" in renamed.settings()
    implied = entry(one, "blob.server.port")
    assert edited(one, "replace", implied, "1") is None


def test_services_that_share_their_text_are_one_document() -> None:
    (document,) = read("compose.yaml", _ANCHORS)
    assert document.name == "services jobmanager, taskmanager"
    assert [element.name for element in document.elements if element.kind == "container"] == [
        "jobmanager",
        "taskmanager",
    ]
    assert document.syntax == "map"
    assert document.settings()["state.backend.type"] == "rocksdb"
    assert assert_edits_hold(document, "hashmap") >= 4


def test_arguments_of_services_that_share_their_text_are_parts() -> None:
    text = _ANCHORS.replace("[taskmanager]", "[taskmanager, -Dtaskmanager.numberOfTaskSlots=4]")
    both, part = read("compose.yaml", text)
    assert (part.name, part.whole) == ("service taskmanager", False)
    assert cuts(part) == [("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", "4")]
    assert "taskmanager.numberOfTaskSlots" not in both.settings()


def test_arguments_are_settings_with_places_in_the_command() -> None:
    job, task = read("docker-compose.yml", _ARGUMENTS)
    assert [cut for cut in cuts(job) if entry(job, cut[0]).style != "implied"] == [
        ("state.checkpoints.dir", "state.checkpoints.dir", "s3://b/c"),
        ("rest.port", "rest.port", "8082"),
        ("blob.server.port", "blob.server.port", "6124"),
    ]
    assert _container(job).value("role") == "jobmanager"
    assert _container(job).value("memory") == 2 * 1024**3
    given = [cut for cut in cuts(task) if entry(task, cut[0]).style != "implied"]
    assert given == [
        ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", "4"),
        ("taskmanager.memory.process.size", "taskmanager.memory.process.size", "${TM_MEMORY:-2g}"),
    ]
    assert task.settings()["taskmanager.memory.process.size"] == "2g"
    after = edited(job, "replace", entry(job, "rest.port"), "8083")
    assert after is not None
    assert after.settings()["rest.port"] == "8083"


@pytest.mark.parametrize(
    "environment",
    [
        "- 'FLINK_PROPERTIES=rest.port: 8082'",
        '- "FLINK_PROPERTIES=rest.port: 8082"',
        "- |\n        FLINK_PROPERTIES=\n        rest.port: 8082",
        "- |-\n        FLINK_PROPERTIES=rest.port: 8082\n        rest.address: é jm",
        "FLINK_PROPERTIES: |2\n         \n        rest.port: 8082\n",
        'FLINK_PROPERTIES: "rest.address: jm\\nrest.port: 8082"',
        "FLINK_PROPERTIES: 'rest.address: é\n\n        rest.port: 8082'",
        "FLINK_PROPERTIES: >-\n        rest.address: jm\n\n        rest.port: 8082",
        "# é\n      FLINK_PROPERTIES: &a |\n        rest.address: jm # ü\n\n        rest.port: 8082\n",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_however_the_text_is_written_its_places_are_exact(environment: str, end: str) -> None:
    text = f"services:\n  jm:\n    image: flink:1.18\n    command: jobmanager\n    environment:\n      {environment}\n"
    (document,) = read("docker-compose.yml", text.replace("\n", end))
    found = entry(document, "rest.port")
    assert document.text[slice(*found.value_span)] == "8082"
    assert document.text[slice(*found.key_span)] == "rest.port"
    after = edited(document, "replace", found, "8083")
    assert after is None or after.settings() == {**document.settings(), "rest.port": "8083"}


def test_a_text_of_a_new_image_loses_its_white_space() -> None:
    (document,) = read("docker-compose.yml", _BLOCK_ITEM.replace("1.18.1", "1.20.1"))
    assert document.settings()["jobmanager.rpc.address"] == "jobmanager#whoelse"
    lines = parts(document, "property-line")
    assert lines[0][1]["comment"] == ("# who else", "# who else")
    assert lines[0][1]["value"] == ("jobmanager", "jobmanager")


def test_variables_have_the_values_of_the_env_file_or_their_defaults(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("VERSION=1.19.2  # the newest\nexport ADDRESS='jm'\nEMPTY=\n")
    path = tmp_path / "docker-compose.yml"
    text = """\
services:
  jm:
    image: flink:${VERSION}
    command: ["jobmanager"]
    environment:
      S3: x
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: $ADDRESS
        rest.port: ${PORT:-8082}
        rest.address: ${UNKNOWN}
        s3.secret-key: $${S3}
        s3.access-key: $$NOBODY
        web.title: a${EMPTY:-b}
"""
    file_format = file_format_of("docker-compose.yml", text)
    assert file_format is not None
    (document,) = file_format.read(str(path), text.encode())
    assert document.release == ("1.19.2", "image flink:1.19.2")
    settings = document.settings()
    assert settings["jobmanager.rpc.address"] == "jm"
    assert settings["rest.port"] == "8082"
    assert is_templated(settings["rest.address"])
    assert settings["s3.secret-key"] == "x"
    assert is_templated(settings["s3.access-key"])
    assert settings["web.title"] == "ab"
    cut = {key: value for key, _, value in cuts(document)}
    assert cut["rest.port"] == "${PORT:-8082}"
    undefined = [attributes for _, attributes in parts(document, "property-line") if "undefined[0]" in attributes]
    assert [attributes["undefined[0]"] for attributes in undefined] == [("NOBODY", "$$NOBODY")]


def test_the_release_comes_from_the_dockerfile_of_the_build(tmp_path: Path) -> None:
    (tmp_path / "flink").mkdir()
    (tmp_path / "flink" / "Dockerfile").write_text("ARG V=1.17\nFROM flink:${V}-java11\nRUN true\n")
    text = "services:\n  jm:\n    build:\n      context: ./flink\n      args: {V: 1.19.1}\n    command: jobmanager\n"
    file_format = file_format_of("docker-compose.yml", text)
    assert file_format is not None
    (document,) = file_format.read(str(tmp_path / "docker-compose.yml"), text.encode())
    assert document.release == ("1.19.1", "FROM flink:1.19.1-java11 of its Dockerfile")
    assert [one.value("dockerfile") for one in document.elements_of(("container",))] == ["flink/Dockerfile"]
    assert document.whole
    (tmp_path / "flink" / "Dockerfile").write_text("FROM flink:1.17\nCOPY flink-conf.yaml /opt/flink/conf/\n")
    (document,) = file_format.read(str(tmp_path / "docker-compose.yml"), text.encode())
    assert document.release is not None
    assert document.release[0] == "1.17"


@pytest.mark.parametrize(
    ("extra", "profile"),
    [
        ("", "development"),
        ("    deploy:\n      placement: {constraints: [node.role == manager]}\n", None),
        ("  second:\n    image: flink:1.18\n    command: jobmanager\n", None),
        ("    environment:\n      FLINK_PROPERTIES: 'high-availability.type: zookeeper'\n", None),
        ("    environment:\n      FLINK_PROPERTIES: 'high-availability: NONE'\n", "development"),
    ],
)
def test_one_jobmanager_on_one_machine_is_development(extra: str, profile: str | None) -> None:
    text = f"services:\n  first:\n    image: flink:1.18\n    command: jobmanager\n{extra}"
    assert read("docker-compose.yml", text)[0].profile == profile


@pytest.mark.parametrize(
    ("service", "role"),
    [
        ("command: jobmanager", "jobmanager"),
        ("command: 'taskmanager'", "taskmanager"),
        ("command: [standalone-job, --job-classname, a.B]", "jobmanager"),
        ("command: bin/jobmanager.sh start-foreground", "jobmanager"),
        ("command: bash -c \"sleep 5 && /docker-entrypoint.sh taskmanager\"", "taskmanager"),
        ("command: >\n      bash -c \"\n      bin/start-cluster.sh &&\n      tail -f /dev/null\n      \"", "cluster"),
        ("command: /opt/flink/bin/sql-client.sh embedded", "client"),
        ("entrypoint: ['/bin/bash', '-c']\n    command: ['exec ./bin/sql-gateway.sh start-foreground']", "sql-gateway"),
        ("command: flink run -d job.jar -Dx=y", "client"),
        ("command: ./start.sh", None),
        ("hostname: jm", None),
    ],
)  # fmt: skip
def test_the_command_determines_the_role(service: str, role: str | None) -> None:
    (document,) = read("docker-compose.yml", f"services:\n  a:\n    image: flink:1.18\n    {service}\n")
    assert _container(document).value("role") == role


def test_a_service_without_a_command_has_the_role_of_its_name() -> None:
    text = (
        "services:\n  flink-jobmanager:\n    image: acme/flink-orders:7\n  my_taskmanager_1:\n    image: acme/flink:7\n"
    )
    assert [_container(document).value("role") for document in read("compose.yml", text)] == [
        "jobmanager",
        "taskmanager",
    ]


def test_arguments_behind_the_jar_are_the_programs() -> None:
    text = "services:\n  a:\n    image: flink:1.18\n    command: flink run -Dparallelism.default=2 job.jar -Dx=y\n"
    (document,) = read("docker-compose.yml", text)
    assert "x" not in document.settings()
    assert document.settings()["parallelism.default"] == "2"


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        ('"8081:8081"', {"published": "8081", "target": "8081"}),
        ("8081:8081/tcp", {"published": "8081", "target": "8081"}),
        ('"127.0.0.1:80:8081"', {"address": "127.0.0.1", "published": "80", "target": "8081"}),
        ('"[::1]:80:8081"', {"address": "[::1]", "published": "80", "target": "8081"}),
        ('"127.0.0.1::8081"', {"address": "127.0.0.1", "target": "8081"}),
        ('"${PORT:-18081}:8081"', {"published": "18081", "target": "8081"}),
        ('"${PORT}:8081"', {"published": None, "target": "8081"}),
        ("8081", {"target": "8081"}),
        (
            "{target: 8081, published: 80, host_ip: 127.0.0.1}",
            {"address": "127.0.0.1", "published": "80", "target": "8081"},
        ),
    ],
)
def test_ports_are_read_in_both_forms(port: str, expected: dict[str, str | None]) -> None:
    text = f"services:\n  jm:\n    image: flink:1.18\n    ports:\n      - {port}\n"
    (document,) = read("docker-compose.yml", text)
    found = _container(document).items("ports")
    assert {name: attribute.value for name, attribute in found[0].attributes.items()} == expected


@pytest.mark.parametrize(
    ("volume", "source", "target", "kind"),
    [
        ("data:/data", "data", "/data", "volume"),
        ("./data:/data:ro", "./data", "/data", "bind"),
        ("/data", None, "/data", "volume"),
        ("${DIR:-./x}:/data", "./x", "/data", "bind"),
        ("{type: bind, source: /a, target: /data}", "/a", "/data", "bind"),
        ("{type: tmpfs, target: /data}", None, "/data", "tmpfs"),
    ],
)
def test_volumes_are_read_in_both_forms(volume: str, source: str | None, target: str, kind: str) -> None:
    text = f"services:\n  jm:\n    image: flink:1.18\n    volumes:\n      - {volume}\n"
    (document,) = read("docker-compose.yml", text)
    (found,) = _container(document).items("volumes")
    assert (found.value("source"), found.value("target"), found.value("kind")) == (source, target, kind)


@pytest.mark.parametrize(
    ("item", "source", "target", "kind"),
    [
        ("configs: [{source: conf, target: /opt/flink/conf/a}]", "my/config.yaml", "/opt/flink/conf/a", "config"),
        ("configs: [conf]", "my/config.yaml", "/conf", "config"),
        ("configs: [{source: conf}]", "my/config.yaml", "/conf", "config"),
        ("configs: [{source: inline, target: inline.yaml}]", None, "/inline.yaml", "content"),
        ("configs: [outside]", None, "/outside", "config"),
        ("configs: [missing]", None, "/missing", "config"),
        ("configs: [filled]", "7.yaml", "/filled", "config"),
        ("secrets: [key]", "./key.txt", "/run/secrets/key", "secret"),
        ("secrets: [{source: key, target: /etc/key}]", "./key.txt", "/etc/key", "secret"),
        ("secrets: [variable]", None, "/run/secrets/variable", "content"),
    ],
)  # fmt: skip
def test_configs_and_secrets_are_files_of_a_container(item: str, source: str | None, target: str, kind: str) -> None:
    text = (
        f"services:\n  jm:\n    image: flink:1.20\n    {item}\n"
        "configs:\n  conf: {file: my/config.yaml}\n  inline: {content: a}\n  outside: {external: true}\n"
        "  filled: {file: '${NAME:-7}.yaml'}\nsecrets: {key: {file: ./key.txt}, variable: {environment: KEY}}\n"
    )
    (document,) = read("docker-compose.yml", text)
    (found,) = _container(document).items("volumes")
    assert (found.value("source"), found.value("target"), found.value("kind")) == (source, target, kind)


def test_an_item_of_configs_without_a_name_is_none() -> None:
    text = "services:\n  jm: {image: 'flink:1.20', configs: [{target: /a}, [a]]}\nconfigs: 7\n"
    (document,) = read("docker-compose.yml", text)
    assert not _container(document).items("volumes")


@pytest.mark.parametrize(
    ("declared", "is_ignored"), [("file: conf/flink-conf.yaml", True), ("content: 'parallelism.default: 2'", False)]
)
def test_variables_change_a_configuration_that_compose_writes(declared: str, is_ignored: bool) -> None:
    text = (
        "services:\n  jobmanager:\n    image: flink:1.18\n    command: jobmanager\n"
        "    environment: {FLINK_PROPERTIES: 'parallelism.default: 3'}\n"
        "    configs: [{source: conf, target: /opt/flink/conf/flink-conf.yaml}]\n"
        f"configs: {{conf: {{{declared}}}}}\n"
    )
    (document,) = read("docker-compose.yml", text)
    assert _container(document).attributes.keys().isdisjoint({"reads-no-variables"}) is not is_ignored


@pytest.mark.parametrize("has_volume", [True, False])
def test_a_file_of_configs_has_the_volumes_of_its_services(has_volume: bool, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    settings = "jobmanager:\n  rpc:\n    address: jobmanager\nexecution:\n  checkpointing:\n    interval: 1 min\n"
    (tmp_path / "conf" / "config.yaml").write_text(f"{settings}    dir: file:///opt/flink/checkpoints\n")
    volume = "    volumes: ['./data:/opt/flink/checkpoints']\n" if has_volume else ""
    service = (
        "  {0}:\n    image: flink:1.20\n    command: {0}\n{1}"
        "    configs: [{{source: conf, target: /opt/flink/conf/config.yaml}}]\n"
    )
    text = "services:\n" + service.format("jobmanager", volume) + service.format("taskmanager", volume)
    (tmp_path / "docker-compose.yaml").write_text(f"{text}configs:\n  conf:\n    file: ./conf/config.yaml\n")
    report = check(find([str(tmp_path)]), Options(select=("FLK315",)))
    assert bool(report.findings) is not has_volume


def test_a_mounted_configuration_makes_the_rest_a_part() -> None:
    text = "services:\n  jm:\n    image: flink:1.18\n    command: jobmanager\n    volumes: ['./conf:/opt/flink/conf']\n"
    (document,) = read("docker-compose.yml", text)
    assert not document.whole
    assert document.settings() == {}


def test_a_replaced_entrypoint_reads_no_variables() -> None:
    text = _BLOCK_ITEM.replace("command: jobmanager", "entrypoint: /opt/flink/bin/jobmanager.sh start-foreground")
    (document,) = read("docker-compose.yml", text)
    assert document.settings() == {}


def test_variables_imply_settings_unless_the_text_sets_them() -> None:
    text = """\
services:
  tm:
    image: flink:1.18
    command: taskmanager
    environment:
      - JOB_MANAGER_RPC_ADDRESS=jm
      - TASK_MANAGER_NUMBER_OF_TASK_SLOTS=4
      - "FLINK_PROPERTIES=jobmanager.rpc.address: other"
"""
    (document,) = read("docker-compose.yml", text)
    slots = entry(document, "taskmanager.numberOfTaskSlots")
    assert (slots.text, slots.layer) == ("4", "TASK_MANAGER_NUMBER_OF_TASK_SLOTS")
    assert text[slice(*slots.value_span)] == "4"
    assert [e.text for e in document.entries if e.key == "jobmanager.rpc.address"] == ["other"]


def test_extended_services_are_followed() -> None:
    text = """\
services:
  base:
    image: flink:1.18
    environment: {FLINK_PROPERTIES: "rest.port: 8082", A: b}
  jm:
    extends: base
    command: jobmanager
    environment: {A: c}
"""
    document = read("docker-compose.yml", text)[-1]
    assert document.settings()["rest.port"] == "8082"
    assert [e.value("environment.A") for e in document.elements if e.name == "jm"] == ["c"]


def test_other_files_are_left_alone() -> None:
    for text in (
        "services:\n  db:\n    image: postgres\n",
        "apiVersion: v1\nkind: Pod\nservices: flink image: flink\n",
        "rest.port: 8081\nservices: jobmanager\nx: taskmanager\n",
    ):
        file_format = file_format_of("a.yml", text)
        assert file_format is None or file_format.kind != "compose" or file_format.read("a.yml", text.encode()) == []


def test_suppressions_are_comments_of_yaml(one: Document) -> None:
    text = _BLOCK_ITEM.replace('- "8081:8081"', '- "8081:8081"  # flint: ignore[rest-exposed] behind a proxy')
    assert len(read_suppressions(read("docker-compose.yml", text))) == 1
    assert not read_suppressions([one])


@pytest.mark.parametrize(
    "data",
    [
        b"services:\n  jm:\n    image: flink\n\xff\xfe",
        b"services:\n  jm:\n    image: flink:1.18\n    ports: [[[[",
        b"services:\n  jm: &a\n    image: flink:1.18\n    extends: jm\n    <<: *a\n",
        b'services:\n  jm:\n    image: flink:1.18\n    command: "' + b"\\" * 2001,
        b"services:\n  jm:\n    image: [flink]\n    environment: {FLINK_PROPERTIES: [a]}\n    ports: {a: b}\n",
        b"services:\n  jm:\n    image: flink:1.18\n    build: {context: [x], args: [A, B=c]}\n    command: {a: b}\n\0",
        b'services:\n  jm:\n    image: flink:1.18\n    env_file: ["\\0", {path: x}]\n',
    ],
)
def test_broken_files_do_no_harm(data: bytes) -> None:
    file_format = file_format_of("docker-compose.yml", _BLOCK_ITEM)
    assert file_format is not None
    file_format.read("docker-compose.yml", data)


def test_a_volume_one_letter_off_the_mounted_directory_is_found(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flink-conf.yaml").write_text("state.checkpoints.dir: file:///data/checkpoints-directory\n")
    service = (
        "  {0}:\n    image: flink:1.9-scala_2.11\n    command: {0}\n    volumes:\n"
        "      - ./conf:/opt/flink/conf\n      - data:/data/{1}-directory\n"
    )
    text = "services:\n" + service.format("jobmanager", "checkpoint") + service.format("taskmanager", "checkpoints")
    (tmp_path / "docker-compose.yaml").write_text(text)
    report = check(find([str(tmp_path)]), Options(select=("FLK315",)))
    messages = [(Path(finding.path).name, finding.message) for finding in report.findings]
    assert any(
        name == "docker-compose.yaml" and "jobmanager the metadata to its own disk" in message
        for name, message in messages
    ), messages


def test_a_service_reports_its_network_and_host_name() -> None:
    text = (
        "services:\n  taskmanager:\n    image: flink:1.18\n    command: taskmanager\n    hostname: tm # é\n"
        "    network_mode: service:jobmanager\n    env_file: flink.env\n"
    )
    ((_, attributes),) = parts(read("docker-compose.yml", text)[0], "container")
    assert attributes["hostname"] == ("tm", "tm")
    assert attributes["network"] == ("service:jobmanager", "service:jobmanager")
    assert attributes["environment"][0] is None


def test_variables_of_a_service_in_another_file_are_not_all_known() -> None:
    text = (
        "services:\n  taskmanager:\n    image: flink:1.18\n    command: taskmanager\n"
        "    extends:\n      file: base.yml\n      service: flink\n"
    )
    ((_, attributes),) = parts(read("docker-compose.yml", text)[0], "container")
    assert "environment" in attributes


_NAMES_A_FILE = """\
services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    env_file: {}
    environment:
      FLINK_PROPERTIES: "rest.port: ${{PORT}}"
"""


@pytest.mark.parametrize("outside", ["{elsewhere}/secrets.env", "../elsewhere/secrets.env", "linked.env"])
def test_no_file_outside_the_repository_is_read(outside: str, tmp_path: Path) -> None:
    """Check that untrusted files cannot make messages show values of other files."""
    repository, elsewhere = tmp_path / "repository", tmp_path / "elsewhere"
    (repository / ".git").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "secrets.env").write_text("PORT=hush-7f3a\n")
    (repository / "linked.env").symlink_to(elsewhere / "secrets.env")
    compose = repository / "compose.yaml"
    compose.write_text(_NAMES_A_FILE.format(outside.format(elsewhere=elsewhere)))
    report = check(list(find([str(compose)])), Options())
    assert "hush-7f3a" not in str([finding.message for finding in report.findings])
    (document,) = {one.document.name: one.document for one in report.documents}.values()
    assert "hush-7f3a" not in str(document.values())


def test_a_file_of_variables_elsewhere_in_the_repository_is_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy").mkdir()
    (tmp_path / "common.env").write_text("PORT=8082\n")
    (tmp_path / "deploy" / "compose.yaml").write_text(_NAMES_A_FILE.format("../common.env"))
    report = check(list(find([str(tmp_path / "deploy")])), Options())
    assert report.documents[0].document.values()["rest.port"] in ("8082", 8082)


_NAMES_FILES = """\
services:
  jobmanager:
    image: flink:1.20.1
    command: jobmanager
    env_file: [base.env, {path: own.env}, {path: missing.env, required: false}]
"""


def _read_with(folder: Path, text: str, files: dict[str, str]) -> list[Document]:
    for name, content in files.items():
        (folder / name).write_text(content)
    file_format = file_format_of("compose.yaml", text)
    assert file_format is not None
    return file_format.read(str(folder / "compose.yaml"), text.encode())


def test_settings_in_files_of_variables_count_at_the_place_that_names_the_file(tmp_path: Path) -> None:
    files = {
        "base.env": 'FLINK_PROPERTIES="rest.port: 8082"\nWHERE=base\n',
        "own.env": 'FLINK_PROPERTIES="jobmanager.rpc.address: ${HOST}\nweb.title: a\\nrest.port: 8083"\n',
        ".env": "HOST=jm\n",
    }
    (document,) = _read_with(tmp_path, _NAMES_FILES, files)
    settings = document.settings()
    assert settings["jobmanager.rpc.address"] == "jm"
    assert settings["web.title"] == "a"
    assert settings["rest.port"] == "8083"
    port = entry(document, "rest.port")
    assert port.layer == "FLINK_PROPERTIES of own.env"
    assert _NAMES_FILES[slice(*port.value_span)] == "own.env"
    ((_, attributes),) = parts(document, "container")
    assert attributes["environment.WHERE"][0] == "base"
    assert attributes["environment"][0] is None, "the file that is missing may set anything"


def test_properties_in_a_file_are_unknown_if_they_refer_to_an_unknown_variable(tmp_path: Path) -> None:
    text = _NAMES_A_FILE.format("a.env").partition("    environment")[0]
    (document,) = _read_with(tmp_path, text, {"a.env": "FLINK_PROPERTIES=rest.port: $NOBODY\n"})
    assert "rest.port" not in document.settings()
    ((_, attributes),) = parts(document, "container")
    assert attributes["environment.FLINK_PROPERTIES"][0] is None


def test_properties_of_the_service_override_those_of_a_file(tmp_path: Path) -> None:
    text = _NAMES_A_FILE.format("a.env")
    (document,) = _read_with(tmp_path, text, {"a.env": "PORT=8082\nFLINK_PROPERTIES=web.title: a\n"})
    assert document.settings()["rest.port"] == "8082"
    assert "web.title" not in document.settings()


def test_services_with_the_same_file_of_variables_are_one_document(tmp_path: Path) -> None:
    service = "  {0}:\n    image: flink:1.20.1\n    command: {0}\n    env_file: a.env\n"
    text = "services:\n" + service.format("jobmanager") + service.format("taskmanager")
    (document,) = _read_with(tmp_path, text, {"a.env": "FLINK_PROPERTIES='web.title: $a'\n"})
    assert document.name == "services jobmanager, taskmanager"
    assert document.settings()["web.title"] == "$a"


def test_a_container_without_flink_is_another_service() -> None:
    text = (
        "services:\n  zk:\n    image: zookeeper:3.4.14\n    hostname: zookeeper\n  kafka:\n    image: kafka:3.9.0\n"
        "  web:\n    build: .\n  jobmanager:\n    image: flink:1.18.1\n    command: jobmanager\n"
    )
    (document,) = read("docker-compose.yml", text)
    assert parts(document, "service") == [
        ("zk", {"image": ("zookeeper:3.4.14", "zookeeper:3.4.14"), "hostname": ("zookeeper", "zookeeper")}),
        ("kafka", {"image": ("kafka:3.9.0", "kafka:3.9.0")}),
    ]


@pytest.mark.parametrize(
    ("image", "volume", "files", "value"),
    [
        ("1.20.1", "./f.yaml:/opt/flink/conf/flink-conf.yaml", [], "1"),
        ("1.20.1", "./f.yaml:/opt/flink/conf/config.yaml", [], "1#one"),
        ("2.0.0", "./f.yaml:/opt/flink/conf/flink-conf.yaml", [], "1#one"),
        ("1.20.1", "./conf:/opt/flink/conf", ["conf/flink-conf.yaml"], "1"),
        ("1.20.1", "./conf:/opt/flink/conf", ["conf/config.yaml"], "1#one"),
        ("1.20.1", "./conf:/opt/flink/conf", [], "1"),
        ("1.20.1", "./jobs:/opt/flink/usrlib", [], "1#one"),
    ],
)
def test_comments_are_dropped_where_the_entrypoint_may_write_a_flink_conf(
    tmp_path: Path, image: str, volume: str, files: list[str], value: str
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    text = (
        f"services:\n  jm:\n    image: flink:{image}\n    command: jobmanager\n    volumes: [{volume}]\n"
        '    environment:\n      FLINK_PROPERTIES: "parallelism.default: 1 # one"\n'
    )
    file_format = file_format_of("compose.yaml", text)
    assert file_format is not None
    (document,) = file_format.read(str(tmp_path / "compose.yaml"), text.encode())
    assert document.settings()["parallelism.default"] == value


@pytest.mark.parametrize(("indent", "is_compose"), [("      ", True), ("", False)])
def test_a_version_of_kubernetes_at_the_top_only_says_whose_the_file_is(indent: str, is_compose: bool) -> None:
    text = (
        f"services:\n  jobmanager:\n    image: flink:1.18\n    command: jobmanager\n    x: |\n{indent}apiVersion: 1\n"
    )
    found = file_format_of("compose.yaml", text)
    assert (found is not None and found.kind == "compose") is is_compose
