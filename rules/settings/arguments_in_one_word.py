"""An option and its value are one word of a list of arguments, and nothing splits it.

The container ends with `exec: jobmanager -D...: not found`, or the job starts without the argument and with `No data
for required key`.

## What it does
Reports items such as `--job-classname com.example.Job` or `jobmanager -Drest.port=8082` in the lists of a container's
command and arguments, and in `spec.job.args` of Flink's resources on Kubernetes.

## Why it matters
Only a shell splits words at blanks. An item of a list is one argument, whatever it contains:

- `--job-classname com.example.Job` is an option that Flink does not know. It stops reading options there, hands the
  rest to the job's program, and looks for another class to start.
- `-D rest.port=8082` sets the key ` rest.port`, with a blank at its start, which nothing reads.
- `jobmanager -Drest.port=8082` is no command of the image; it is run as a program of that name, which does not exist.
- `--topic orders` is an option named `topic orders` without a value for `ParameterTool`, and no option for argparse.

## What to do
Write two items, `--job-classname` and `com.example.Job`, `-D` and `rest.port=8082`.

## Not when
A shell gets the words (`bash -c`), or the item has other text before the blank, such as `--name=my job`.

## Sources
- <https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/>: each item is
  an argument
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: what the image does with its arguments
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.image_names import is_official
from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.settings._words import shown

_KINDS = ("FlinkDeployment", "FlinkSessionJob", "FlinkCluster")
_SHELL = regex(r"(?:^|/)(?:ba|da|a|z)?sh$")
_OPTION = regex(r"(-D|--?[A-Za-z][\w.-]*)[ \t]+([^\s-][^\r\n]*|-\d[^\r\n]*)")
_START = regex(
    r"((?:/[\w./-]*)?(?:docker-entrypoint\.sh|(?:job|task)manager(?:\.sh)?|standalone-job(?:\.sh)?|sql-gateway\.sh"
    r"|history-server|historyserver\.sh|flink))[ \t]+\S[^\r\n]*"
)


@rule(
    code="FLK088",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:container", *(f"element:kubernetes-object/{kind}" for kind in _KINDS)],
    since="0.1",
)
def arguments_in_one_word(config: View) -> Iterator[Finding]:
    """an option and its value are one item of a list, and nothing splits it"""
    for container in config.elements("container"):
        if (found := _of_container(container)) is not None:
            yield found
    for part in config.elements("kubernetes-object"):
        if part.name not in _KINDS:
            continue
        for number, word in enumerate(part.element.listed("spec.job.args")):
            match = _OPTION.fullmatch(str(word.value or ""))
            if match is not None:
                yield _finding(part, f"spec.job.args[{number}]", match[1], match[2])
                break


def _of_container(container: ElementView) -> Finding | None:
    words = [str(word.value) for word in container.element.listed("args")]
    if any(_SHELL.search(word) is not None for word in words):
        return None
    is_certain = not container.has("dockerfile") and is_official(container.text("image") or "")
    for number, word in enumerate(words):
        name = f"args[{number}]"
        if number == 0:
            start = _START.fullmatch(word)
            if start is not None and (is_certain or "/" in start[1]):
                return container.finding(
                    f"'{shown(word)}' is one word, the name of a program that does not exist: the container ends with"
                    " 'not found'",
                    of=name,
                    key="args",
                    help="write each argument as an item of its own",
                    severity=Severity.ERROR,
                )
        elif (match := _OPTION.fullmatch(word)) is not None:
            return _finding(container, name, match[1], match[2])
    return None


def _finding(part: ElementView, name: str, option: str, value: str) -> Finding:
    if option == "-D":
        return part.finding(
            f"'-D {shown(value)}' is one word: it sets a key that begins with a blank, which nothing reads",
            of=name,
            key="args",
            help=f"write -D and {value} as two items",
        )
    return part.finding(
        f"'{option} {shown(value)}' is one word, no option that is known: {option} is not set",
        of=name,
        key="args",
        help=f"write {option} and its value as two items",
    )


_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-jobmanager}
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: %s
          %s
"""
_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: registry.example.org/orders:7
  flinkVersion: v1_20
  jobManager: {resource: {memory: 2g}}
  taskManager: {resource: {memory: 2g}}
  job:
    jarURI: local:///opt/flink/usrlib/orders.jar
    args: [%s]
"""


def cases() -> list[Case]:
    official = "flink:1.20"
    return [
        bad(
            _POD % (official, 'args: ["standalone-job", "--job-classname com.example.Job"]'), file="flink.yaml",
            at='"--job-classname com.example.Job"', severity=Severity.WARNING,
            says="is one word, no option that is known: --job-classname is not set",
        ),
        bad(_RESOURCE % '"--topic orders", "--group g"', file="orders.yaml", at='"--topic orders"', times=1),
        bad(
            _POD % (official, 'args: ["jobmanager -Drest.port=8082"]'), file="flink.yaml", severity=Severity.ERROR,
            says="the container ends with 'not found'",
        ),
        bad(_POD % (official, 'args: ["jobmanager", "-D rest.port=8082"]'), file="flink.yaml", says="with a blank"),
        bad(_POD % ("own/flink:1", 'command: ["/docker-entrypoint.sh jobmanager"]'), file="flink.yaml"),
        bad(
            "services:\n  jobmanager:\n    image: flink:1.20\n    command:\n    - standalone-job\n"
            "    - --job-classname com.example.Job\n",
            file="docker-compose.yml",
        ),
        bad(_RESOURCE % '"-py /opt/job.py"', file="orders.yaml"),
        bad(_RESOURCE % '"--offset -5"', file="orders.yaml"),
        good(_POD % (official, 'args: ["standalone-job", "--job-classname", "com.example.Job"]'), file="flink.yaml"),
        good(_RESOURCE % '"--topic", "orders", "--name=my job", "SELECT 1 - 2"', file="orders.yaml"),
        good(_RESOURCE % '"--a --b"', file="orders.yaml"),
        good(_POD % (official, 'args: ["bash", "-c", "jobmanager.sh start-foreground"]'), file="flink.yaml"),
        good(_POD % ("own/flink-jobs:1", 'args: ["jobmanager -Drest.port=8082"]'), file="flink.yaml"),
        good(_POD % (official, 'args: ["jobmanager", "-D", "rest.port=8082"]'), file="flink.yaml"),
        good(
            "services:\n  jobmanager:\n    image: flink:1.20\n"
            "    command: standalone-job --job-classname com.example.Job\n",
            file="docker-compose.yml",
        ),
        good(_RESOURCE % '"{{ .Values.args }}"', file="templates/orders.yaml"),
    ]  # fmt: skip
