"""Command lines of Flink in scripts and CI files."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from tests.formats.reading import assert_edits_hold, cuts, edited, parts, read

SCRIPT = """\
#!/bin/bash
# flink run -Dstate.backend=hashmap old.jar
echo "now flink run -p 3"
$FLINK_HOME/bin/flink run-application -t yarn-application \\
  -Dtaskmanager.memory.process.size=4g -D "jobmanager.memory.process.size=2g" \\
  -Dexecution.checkpointing.interval='60 s' "-Dstate.backend=rocksdb" \\
  -Dyarn.application.name=$NAME -Dpipeline.name="orders $ENV" -Dö=ä \\
  -c com.example.Main ./job.jar -p 3 -Dnot=flinks
"""
OLD = "flink run -m yarn-cluster -yjm 1024 -ytm 4g -ys 4 -p 8 -yD state.backend=rocksdb -d -s $SAVEPOINT app.jar\n"
SESSIONS = (
    'cd "$FLINK_HOME" && ./bin/kubernetes-session.sh -Dkubernetes.cluster-id=orders -Dbare > out.log 2>&1\n'
    "yarn-session.sh -jm 2048m -tm 4096 -s 4 -nm orders -d; start-cluster.sh\n"
    '"${FLINK_HOME}/bin/flink" stop --savepointPath s3://backup $(cat job.id)\n'
    "sql-client.sh -f job.sql | tee log\n"
)
WRITES = """\
cat > "$FLINK_HOME/conf/flink-conf.yaml" <<EOF
jobmanager.rpc.address: $HOST
state.backend: rocksdb
EOF
flink run app.jar
"""
CI = """\
stages: [deploy]
deploy:
  script:
    - "flink run -Dstate.backend=rocksdb -p 4 app.jar"
    - |
      flink run -t kubernetes-application \\
        -Dparallelism.default=4 app.jar
"""

SAMPLES = {
    "run.sh": SCRIPT,
    "old.bash": OLD,
    "session.sh": SESSIONS,
    "entrypoint.sh": WRITES,
    ".gitlab-ci.yml": CI,
    "Makefile": "deploy:\n\tflink run -Dstate.backend=$(BACKEND) -p 4 app.jar\n",
}


def test_settings_behind_d_are_cut_out_with_their_quotes() -> None:
    (document,) = read("run.sh", SCRIPT)
    assert (document.kind, document.name, document.platform) == ("shell", "flink run-application", "yarn")
    assert cuts(document) == [
        ("execution.target", "-t", "yarn-application"),
        ("taskmanager.memory.process.size", "taskmanager.memory.process.size", "4g"),
        ("jobmanager.memory.process.size", "jobmanager.memory.process.size", "2g"),
        ("execution.checkpointing.interval", "execution.checkpointing.interval", "'60 s'"),
        ("state.backend", "state.backend", "rocksdb"),
        ("yarn.application.name", "yarn.application.name", "$NAME"),
        ("pipeline.name", "pipeline.name", '"orders $ENV"'),
        ("ö", "ö", "ä"),
    ]
    assert document.settings()["execution.checkpointing.interval"] == "60 s"


def test_arguments_behind_the_jar_belong_to_the_program() -> None:
    (document,) = read("run.sh", SCRIPT)
    ((name, attributes),) = parts(document, "command")
    assert name == "flink"
    assert attributes["options.class"][0] == "com.example.Main"
    assert attributes["arguments[0]"] == ("./job.jar", "./job.jar")
    assert "not" not in document.settings()


def test_options_stand_for_settings() -> None:
    (document,) = read("old.bash", OLD)
    assert document.platform == "yarn"
    assert document.settings() == {
        "jobmanager.memory.process.size": "1024m", "taskmanager.memory.process.size": "4g",
        "taskmanager.numberOfTaskSlots": "4", "parallelism.default": "8", "state.backend": "rocksdb",
    }  # fmt: skip
    implied = {entry.key: entry.layer for entry in document.entries if entry.style == "implied"}
    assert implied["parallelism.default"] == "-p"
    ((_, attributes),) = parts(document, "command")
    assert attributes["options.fromSavepoint"] == (None, "$SAVEPOINT")
    assert attributes["options.detached"] == (True, "-d")


def test_sessions_have_the_platform_of_their_script() -> None:
    kubernetes, yarn, standalone, stop, sql = read("session.sh", SESSIONS)
    assert (kubernetes.platform, yarn.platform, standalone.platform) == ("kubernetes", "yarn", "standalone")
    assert kubernetes.settings() == {"kubernetes.cluster-id": "orders", "bare": "true"}
    assert yarn.settings()["taskmanager.memory.process.size"] == "4096m"
    assert dict(parts(stop, "command"))["flink"]["options.savepointPath"][0] == "s3://backup"
    assert dict(parts(stop, "command"))["flink"]["arguments[0]"][0] is None
    assert dict(parts(sql, "command"))["sql-client.sh"]["options.file"][0] == "job.sql"


def test_a_here_document_of_the_configuration_is_one() -> None:
    written, run = read("entrypoint.sh", WRITES)
    assert (written.name, written.syntax, written.kind) == ("flink-conf.yaml", "flink-conf", "shell")
    assert cuts(written)[1] == ("state.backend", "state.backend", "rocksdb")
    assert run.name == "flink run"
    assert assert_edits_hold(written) >= 3


def test_commands_in_ci_files_end_with_the_string_they_stand_in() -> None:
    first, second = read(".gitlab-ci.yml", CI)
    assert first.settings() == {"state.backend": "rocksdb", "parallelism.default": "4"}
    assert second.settings() == {"execution.target": "kubernetes-application", "parallelism.default": "4"}
    assert second.platform == "kubernetes"


def test_variables_of_make_are_unknown() -> None:
    (document,) = read("Makefile", SAMPLES["Makefile"])
    assert document.settings()["state.backend"] == "$(BACKEND)"


def test_what_is_spoken_of_is_no_command() -> None:
    assert file_format_of("help.sh", "# flink run -Da=b\necho use flink run -Da=b\n") is None
    assert file_format_of("a.yml", "text: flink run -Da=b app.jar\n") is None
    assert file_format_of("b.sh", "my-flink run x\nflink-run -Da=b\n") is None


def test_edits_change_the_one_setting() -> None:
    (document,) = read("run.sh", SCRIPT)
    assert assert_edits_hold(document) >= 8
    after = edited(document, "replace", document.effective["execution.checkpointing.interval"], "5 min")
    assert after is not None
    assert "-Dexecution.checkpointing.interval='5 min'" in after.text
    (old,) = read("old.bash", OLD)
    after = edited(old, "add", "state.backend.incremental", "true")
    assert after is not None
    assert "-yD state.backend.incremental=true -d" in after.text


def test_a_value_with_a_quote_is_not_written() -> None:
    (document,) = read("run.sh", SCRIPT)
    assert edited(document, "replace", document.effective["state.backend"], "a'b") is None


def test_line_ends_of_windows_keep_the_places() -> None:
    (document,) = read("run.sh", SCRIPT.replace("\n", "\r\n"))
    assert cuts(document)[4] == ("state.backend", "state.backend", "rocksdb")


def test_the_output_of_a_command_makes_a_value_unknown() -> None:
    (document,) = read("a.sh", "flink run -Dparallelism.default=$(nproc --all) -Dstate.backend=`cat b` app.jar\n")
    assert document.effective["parallelism.default"].value is None
    assert document.effective["state.backend"].value is None


def test_an_option_is_removed_with_its_quotes() -> None:
    for option in ("-Drest.port=1", "'-Drest.port=1'", '"-Drest.port=1"', "-Drest.port='1'"):
        (document,) = read("run.sh", f"flink run -d {option} app.jar\n")
        after = edited(document, "remove", document.effective["rest.port"])
        assert after is not None
        assert after.text == "flink run -d app.jar\n", option


HERE = """\
cat <<EOF | kubectl apply -f -
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: $NAME
spec:
  flinkVersion: v1_20
  flinkConfiguration:
    rest.port: "8081" # é
    rest.address: ${HOST}
    web.timeout: `timeout`
EOF
cat > job.sql <<'SQL'
SET 'parallelism.default' = '4';
CREATE TABLE a (i INT) WITH ('connector' = 'print');
SQL
cat > other.yaml <<EOF
flink run -p 8 not-a-command.jar
EOF
./bin/sql-client.sh -f job.sql
"""
WORKFLOW = """on: push
jobs:
  deploy:
    steps:
      - run: |
          kubectl apply -f - <<EOF
          apiVersion: flink.apache.org/v1beta1
          kind: FlinkSessionJob
          metadata: {name: orders}
          spec:
            flinkConfiguration:
              rest.port: "8081"
          EOF
      - run: flink run -Drest.port=8082 job.jar
"""
SAMPLES |= {"here.sh": HERE, "workflow.yml": WORKFLOW}


def test_manifests_and_sql_in_here_documents_are_read_as_such() -> None:
    manifest, sql, *commands = read("here.sh", HERE)
    assert (manifest.kind, manifest.name) == ("flinkdeployment", "FlinkDeployment default/${NAME}")
    assert manifest.release == ("1.20", "spec.flinkVersion")
    written = {key: text for key, text in manifest.settings().items() if key.startswith(("rest", "web.timeout"))}
    assert written == {"rest.port": "8081", "rest.address": "${HOST}", "web.timeout": "${output}"}
    assert ("web.timeout", "web.timeout", "`timeout`") in cuts(manifest)
    assert (sql.kind, sql.settings()) == ("sql", {"parallelism.default": "4"})
    assert [command.name for command in commands] == ["flink run", "sql-client.sh"]


def test_a_workflow_may_apply_manifests() -> None:
    job, command = read("workflow.yml", WORKFLOW)
    assert (job.name, job.settings()) == ("FlinkSessionJob default/orders", {"rest.port": "8081"})
    after = edited(job, "add", "rest.address", "a")
    assert after is not None
    assert '              rest.address: "a"\n' in after.text
    assert command.settings() == {"rest.port": "8082"}


@pytest.mark.parametrize(
    ("script", "release", "tag"),
    [
        ("helm repo add o https://x.org/flink-kubernetes-operator-1.14.0/\nhelm install a o/flink-kubernetes-operator",
         "1.14.0", None),
        ("helm -n f upgrade -i a ./flink-kubernetes-operator-1.13.0-helm.tgz --set image.tag=x,image.repository=y",
         "1.13.0", "x"),
        ("helm install a o/flink-kubernetes-operator --version=1.9.0 \\\n  --set image.tag=$TAG", "1.9.0", None),
        ("helm install a flink-kubernetes-operator --repo https://x.de/flink-kubernetes-operator-1.8.0", "1.8.0", None),
        ("helm install a o/flink-kubernetes-operator --version $RELEASE", None, None),
    ],
)  # fmt: skip
def test_commands_that_install_the_operator_name_its_release(script: str, release: str | None, tag: str | None) -> None:
    found = [element for document in read("install.sh", f"{script}\n") for element in document.elements]
    assert [(element.value("release"), element.value("image.tag")) for element in found] == [(release, tag)]


@pytest.mark.parametrize("command", ["helm install a b/other", "helm repo add o https://x.org/flink", "helm list"])
def test_commands_that_do_not_install_the_operator_are_not_read(command: str) -> None:
    assert file_format_of("install.sh", f"# flink-kubernetes-operator\n{command}\n") is None


def test_a_run_of_an_example_of_the_distribution_is_a_smoke_test() -> None:
    script = (
        "/usr/lib/flink/bin/flink run -p 2 /usr/lib/flink/examples/batch/WordCount.jar\n"
        'flink run "$FLINK_HOME/examples/streaming/StateMachineExample.jar"\n'
        "flink run -py examples/python/table/word_count.py\n"
        "flink run -p 2 /opt/acme/examples.jar\n"
        "flink run -p 2 job.jar examples/batch/WordCount.jar\n"
    )
    assert [one.profile for one in read("check.sh", script)] == ["development"] * 3 + [None] * 2


def test_a_flag_without_a_value_does_not_take_the_jar_for_one() -> None:
    (document,) = read("run.sh", "flink run -m yarn-cluster -yst -yd job.jar\n")
    ((_, attributes),) = parts(document, "command")
    assert attributes["options.yarnstreaming"] == (True, "-yst")
    assert attributes["arguments[0]"] == ("job.jar", "job.jar")


APPENDS = """\
#!/bin/bash
FLINK_VERSION=1.14.3
echo "jobmanager.web.upload.dir: $FLINK_HOME" >> "$FLINK_HOME/conf/flink-conf.yaml"
if [ -n "$HA" ]; then
  echo 'state.checkpoints.dir: s3://b/$c' >> $FLINK_HOME/conf/flink-conf.yaml
fi
echo "starting: flink" >> log
# echo "rest.port: 1" >> $FLINK_HOME/conf/flink-conf.yaml
exec "$FLINK_HOME/bin/jobmanager.sh" start-foreground
"""


def test_lines_that_a_script_appends_to_the_configuration_are_settings() -> None:
    appended, command = read("entrypoint.sh", APPENDS)
    assert (appended.name, appended.whole, appended.release) == ("flink-conf.yaml", False, ("1.14.3", "FLINK_VERSION"))
    assert cuts(appended) == [
        ("jobmanager.web.upload.dir", "jobmanager.web.upload.dir", "$FLINK_HOME"),
        ("state.checkpoints.dir", "state.checkpoints.dir", "s3://b/$c"),
    ]
    assert appended.settings()["jobmanager.web.upload.dir"] == "${FLINK_HOME}"
    assert command.name == "jobmanager.sh"
    assert command.release == ("1.14.3", "FLINK_VERSION")


IN_BRANCHES = """\
if [ "$1" = "jobmanager" ]; then
    echo "blob.server.port: 6124" >> "$FLINK_HOME/conf/flink-conf.yaml"
    echo "taskmanager.numberOfTaskSlots: 2" >> "$FLINK_HOME/conf/flink-conf.yaml"
elif [ "$1" = "taskmanager" ]; then
    if true; then echo started if lucky; fi
    echo "blob.server.port: 6125" >> "$FLINK_HOME/conf/flink-conf.yaml"
fi
"""
IN_CASES = """\
echo "rest.port: 8081" >> conf/flink-conf.yaml
case "$1" in
jobmanager)
    echo "blob.server.port: 6124" >> conf/flink-conf.yaml ;;
taskmanager)
    echo "blob.server.port: 6125" >> conf/flink-conf.yaml
esac
echo "rest.address: a" >> conf/flink-conf.yaml
"""
IN_FUNCTIONS = """\
jobmanager() {
    echo "blob.server.port: 6124" >> conf/flink-conf.yaml
}
function taskmanager {
    echo "blob.server.port: 6125" >> conf/flink-conf.yaml
}
"""
A_DEFAULT = """\
echo "rest.port: 8081" >> conf/flink-conf.yaml
if [ -n "$PORT" ]; then
    echo "rest.port: 8082" >> conf/flink-conf.yaml
fi
"""
PORTS = ("blob.server.port", "6124"), ("blob.server.port", "6125")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (IN_BRANCHES, [[PORTS[0], ("taskmanager.numberOfTaskSlots", "2")], [PORTS[1]]]),
        (IN_CASES, [[("rest.port", "8081"), ("rest.address", "a")], [PORTS[0]], [PORTS[1]]]),
        (IN_FUNCTIONS, [[PORTS[0]], [PORTS[1]]]),
        (A_DEFAULT, [[("rest.port", "8081")], [("rest.port", "8082")]]),
        (IN_FUNCTIONS.replace("{", "").replace("}", "").replace("function", "# if").replace("()", ""), [[*PORTS]]),
    ],
)  # fmt: skip
def test_lines_of_different_branches_are_not_one_file(script: str, expected: list[list[tuple[str, str]]]) -> None:
    documents = read("entrypoint.sh", script)
    assert [[(entry.key, entry.text) for entry in one.entries] for one in documents] == expected


def test_a_script_with_two_releases_names_none() -> None:
    for text in (APPENDS + "FLINK_VERSION=1.20.0\n", APPENDS.replace("FLINK_VERSION=1.14.3", "FLINK_VERSION=$1")):
        assert {document.release for document in read("entrypoint.sh", text)} == {None}


@pytest.mark.parametrize(
    ("lines", "release"),
    [
        (["wget {}/flink-1.17.1/flink-1.17.1-bin-scala_2.12.tgz"], ("1.17.1", "the archive that it downloads")),
        (["# wget {}/flink-1.16.0/flink-1.16.0-bin-scala_2.12.tgz"], None),
        (["wget {}/flink-1.17.1-bin-scala_2.12.tgz", "wget {}/flink-1.18.1-bin-scala_2.12.tgz"], None),
        (["FLINK_VERSION=1.18.1", "wget {}/flink-1.17.1-bin-scala_2.12.tgz"], ("1.18.1", "FLINK_VERSION")),
        (["wget {}/flink-cdc-3.1.0-bin.tar.gz"], None),
    ],
)
def test_the_archive_that_a_script_downloads_shows_the_release(
    lines: list[str], release: tuple[str, str] | None
) -> None:
    text = "\n".join([*lines, "flink run job.jar\n"]).replace("{}", "https://archive.apache.org/dist/flink")
    (document,) = read("run.sh", text)
    assert document.release == release
