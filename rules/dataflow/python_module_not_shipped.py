"""A Python function uses a module that its workers do not have.

## What it does
Looks at PyFlink programs whose functions (`map`, `process`, `@udf`, ...) use a module of the repository beside the
program, where a command or a FlinkDeployment submits the program alone: `flink run -py job.py` without `--pyFiles`.

## Why it matters
The job is submitted well, and fails at its first record: `ModuleNotFoundError: No module named 'parsers'`, raised in
`pyflink/fn_execution/beam/beam_operations.py` on a TaskManager. The client runs the program in its folder and finds the
module. A worker gets the function itself, in which the module is only a name, and starts in another folder, often on
another machine.

## What to do
Ship the modules with the job: `flink run -py job.py --pyFiles parsers.py` (a folder or zip file for a package),
`python.files` in the configuration, or `env.add_python_file("parsers.py")` in the program. Or install them in the image
of the TaskManagers.

## Not when
The program or the command ships files, a package (`setup.py`, `pyproject.toml`) or the Dockerfile may install them, or
nothing in the repository submits the program.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/python/dependency_management/#python-libraries>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/cli/#submitting-pyflink-jobs>: `--pyFiles`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.filesystem.python_modules import local_module
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View

_SHIP = ("pyFiles", "pyfs", "pyArchives", "pyarch", "pyModule", "pym")
_MODULE = "element:worker-module"
_PROGRAM = ("-py", "--python")


@rule(
    code="FLK479",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[_MODULE],
    scope="project",
    compares=[([_MODULE], ["element:command"]), ([_MODULE], ["element:kubernetes-object/FlinkDeployment"])],
    flink=">=1.10",
    since="0.1",
)
def python_module_not_shipped(project: Project) -> Iterator[Finding]:
    """a Python function uses a module that its workers do not have"""
    programs = [view for view in project.views if view.elements("worker-module")]
    if not programs or any(view.document.mentions("PYTHONPATH") for view in project.views):
        return
    submitted = dict(_submitted(project))
    for view in programs:
        start = submitted.get(view.document.file_name)
        if start is None or view.get("python.files").is_set:
            continue
        for module in view.elements("worker-module"):
            found = local_module(view.document.directory, module.name)
            if found is None:
                continue
            yield module.finding(
                f"{module.text('function')} runs in workers that do not have {found}: the job fails at its first"
                f" record (No module named '{module.name.partition('.')[0]}')",
                help=f"ship it: --pyFiles {found.partition('/')[0]} where the job is submitted, or"
                f" env.add_python_file('{found.partition('/')[0]}')",
                related=[start.place(None, "submits the program alone")],
            )


def _submitted(project: Project) -> Iterator[tuple[str, ElementView]]:
    """Yield the names of the Python programs that are submitted without other files, each with what does it."""
    for view in project.views:
        for command in view.elements("command"):
            program = command.text("options.python")
            if program is None or command.text("action") not in ("run", "run-application"):
                continue
            if not any(command.has(f"options.{name}") for name in _SHIP) and not _ships(view):
                yield program.rpartition("/")[2], command
        for one in view.elements("kubernetes-object"):
            given = [item.value for _, item in one.under("spec.job")] if one.name == "FlinkDeployment" else []
            words = [word for word in given if isinstance(word, str)]
            if any(word.lstrip("-") in _SHIP for word in words) or _ships(view):
                continue
            for place, word in enumerate(words[:-1]):
                if word in _PROGRAM:
                    yield words[place + 1].rpartition("/")[2], one


def _ships(view: View) -> bool:
    return any(map(view.document.mentions, ("python.files", "pyFiles", "pyfs", "python.archives")))


_JOB = """from pyflink.datastream import StreamExecutionEnvironment
from parsers import parse_trade


%s
env = StreamExecutionEnvironment.get_execution_environment()
%senv.from_collection(["1,2"]).map(%s).print()
env.execute("trades")
"""
_TAG = "def tag(line):\n    return parse_trade(line)\n\n"
_PARSERS = {"parsers.py": "def parse_trade(line):\n    return line.split(',')\n"}
_RUN = {"run.sh": "flink run -d -py /opt/jobs/job.py%s\n"}
_DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: trades}
spec:
  image: trades:1
  flinkVersion: v1_20
  job:
    jarURI: local:///opt/flink/opt/flink-python-1.20.0.jar
    entryClass: org.apache.flink.client.python.PythonDriver
    args: ["-py", "/opt/jobs/job.py"%s]
"""


def _run(more: str = "") -> dict[str, str]:
    return {**_PARSERS, "run.sh": _RUN["run.sh"] % more}


def cases() -> list[Case]:
    return [
        bad(
            _JOB % ("", "", "parse_trade"), file="job.py", at="parsers", severity=Severity.WARNING, beside=_run(),
            says="workers that do not have parsers.py: the job fails at its first record (No module named 'parsers')",
        ),
        bad(_JOB % (_TAG, "", "tag"), file="job.py", beside=_run(), says="tag runs in workers"),
        bad(
            _JOB % (_TAG, "", "tag"), file="job.py",
            beside={**_PARSERS, "deployment.yaml": _DEPLOYMENT % ""},
        ),
        good(
            _JOB % (_TAG, "", "tag"), file="job.py",
            beside={**_PARSERS, "deployment.yaml": _DEPLOYMENT % ', "-pyfs", "p"'},
        ),
        good(_JOB % (_TAG, "", "tag"), file="job.py", beside=_run(" --pyFiles /opt/jobs/parsers.py")),
        good(_JOB % (_TAG, 'env.add_python_file("parsers.py")\n', "tag"), file="job.py", beside=_run()),
        good(_JOB % (_TAG, "", "tag"), file="job.py", beside={"run.sh": _RUN["run.sh"] % ""}),
        good(_JOB % (_TAG, "", "tag"), file="job.py", beside=_PARSERS),
        good(_JOB % (_TAG, "", "tag"), file="job.py", beside={**_run(), "setup.py": "setup(py_modules=['parsers'])\n"}),
        good(_JOB % ("parse_trade('')\n", "", "str"), file="job.py", beside=_run()),
    ]  # fmt: skip
