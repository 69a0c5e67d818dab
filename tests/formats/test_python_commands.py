"""Commands of Flink in Python programs."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from tests.formats.reading import assert_edits_hold, cuts, edited, parts, read

DAG = """from airflow.operators.bash import BashOperator

# é
BashOperator(
    task_id="orders",
    bash_command="flink run -Dstate.checkpoints.dir=s3://a/c "
    '-p 4 -Dexecution.checkpointing.interval=60s orders.jar',
)
"""
SCRIPT = '''import os, subprocess
subprocess.run(["flink", "run", "-d", "-Dexecution.checkpointing.timeout=5 min", "-p", str(count), "orders.jar"])
os.system("""
flink run-application -t yarn-application \\\\
""")
os.system("flink run -Drest.port=8081 a.jar")
'''
MANIFEST = '''from airflow.providers.apache.flink.operators.flink_kubernetes import FlinkKubernetesOperator
FlinkKubernetesOperator(task_id="orders", application_file="""
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  flinkVersion: v1_20
  flinkConfiguration:
    rest.port: "8081"
""")
'''
SAMPLES = {"dag.py": DAG, "deploy.py": SCRIPT, "manifest.py": MANIFEST}


def test_a_command_of_airflow_is_read_from_all_its_literals() -> None:
    (document,) = read("dag.py", DAG)
    assert (document.kind, document.name, document.whole) == ("shell", "flink run", False)
    assert document.settings() == {
        "state.checkpoints.dir": "s3://a/c", "execution.checkpointing.interval": "60s", "parallelism.default": "4",
    }  # fmt: skip
    assert ("state.checkpoints.dir", "state.checkpoints.dir", "s3://a/c") in cuts(document)
    ((program, attributes),) = parts(document, "command")
    assert (program, attributes["arguments[0]"]) == ("flink", ("orders.jar", "orders.jar"))


def test_lists_of_words_are_commands_and_what_is_computed_is_unknown() -> None:
    first, second = read("deploy.py", SCRIPT)
    assert first.settings() == {"execution.checkpointing.timeout": "5 min", "parallelism.default": "$VALUE"}
    assert second.settings() == {"rest.port": "8081"}  # the text with an escape between them is not read


def test_a_manifest_of_airflow_is_a_custom_resource() -> None:
    (document,) = read("manifest.py", MANIFEST)
    assert (document.kind, document.name) == ("flinkdeployment", "FlinkDeployment default/orders")
    after = edited(document, "replace", document.effective["rest.port"], "8082")
    assert after is not None
    assert '    rest.port: "8082"\n""")' in after.text


@pytest.mark.parametrize("name", SAMPLES)
def test_edits_change_one_setting(name: str) -> None:
    assert sum(assert_edits_hold(document) for document in read(name, SAMPLES[name])) > 0


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess\nsubprocess.run(['ls', 'flink'])\n",
        "import os\nos.system('echo flink')\n",
        "import subprocess\nHELP = 'flink run -Drest.port=1 a.jar'\n",
        "import subprocess\nsubprocess.run(f'flink run -Drest.port={port} a.jar', shell=True)\n",
        "import subprocess\nrun(['flink', 'run'\n",
    ],
)
def test_other_programs_are_not_read(text: str) -> None:
    assert file_format_of("tool.py", text) is None


def test_windows_line_ends_change_nothing() -> None:
    for name, text in SAMPLES.items():
        plain = [document.settings() for document in read(name, text)]
        assert [document.settings() for document in read(name, text.replace("\n", "\r\n"))] == plain
