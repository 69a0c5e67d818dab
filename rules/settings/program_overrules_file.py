"""A program sets an option that its deployment sets otherwise, and the program wins.

## What it does
Compares what a program sets on its environment (`enableCheckpointing(60000)`, `setParallelism(4)`, a `Configuration`)
with the configuration it runs with: the deployment that runs its class, or the one that `[[link]]` in the preferences
names. It reports an option that both set, to different values; where the configuration has Flink's default, as the file
that Flink ships has it, as a suggestion. A configuration file that is written for the containers of a Compose file, but
that none of them has, is no deployment.

## Why it matters
What the program says counts; the line in the configuration does nothing for this job, and nothing is logged. Whoever
changes the interval of checkpoints in the deployment to relieve the store, or the parallelism to catch up, waits for an
effect that does not come.

## What to do
Take the call out of the program, so that the configuration decides; keep in the program what belongs to its logic.

## Not when
Both say the same. The program's value is not known, or depends on a condition; of a parameter or a variable of the
environment with a default, what the deployment passes counts. Managed Service for Apache Flink, which
decides by itself what counts (`managed-default-overrides`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/execution/execution_configuration/>: what
  programs set
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/execution/parallel/#setting-the-parallelism>:
  the environment's parallelism overwrites the default
"""

from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.spans import Span


@rule(
    code="FLK041",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:job"],
    since="0.1",
)
def program_overrules_file(config: View) -> Iterator[Finding]:
    """a program sets what its deployment sets otherwise, and the program wins"""
    if config.platform == "msf":
        return
    for key in config.document.effective:
        setting = config.written(key)
        lower = _beneath(config, setting)
        if lower is None or _same(config, setting, lower[1]):
            continue
        document, entry = lower
        yield setting.finding(
            f"the program sets {setting.key} to {setting.text}, and what counts is that, not the {entry.text} of"
            f" {document.file_name}",
            help="take the call out of the program, so that the configuration decides",
            severity=Severity.INFO if _is_default(config, setting, entry) else None,
            related=[
                Place(document.path, Span(entry.key_span.start, entry.value_span.end), "does nothing for this job")
            ],
        )


def _beneath(config: View, setting: Setting) -> tuple[Document, Entry] | None:
    """What the uppermost document beneath the program that sets the option says."""
    for document in reversed(config.below):
        for key, entry in document.effective.items():
            if setting.key in config.catalogue.current_names(key):
                return document, entry
    return None


def _same(config: View, setting: Setting, entry: Entry) -> bool:
    """Whether an entry says what the program says, or nobody knows what one of them says."""
    if setting.option is None or setting.value is None or is_templated(entry.text):
        return True
    said = _parsed(config, setting, entry)
    return said is None or bool(said == setting.value)


def _is_default(config: View, setting: Setting, entry: Entry) -> bool:
    """Whether an entry says what Flink does without it, as the file that Flink ships does."""
    return setting.default is not None and bool(_parsed(config, setting, entry) == setting.default)


def _parsed(config: View, setting: Setting, entry: Entry) -> object:
    """What an entry says of the option that the program sets; None where it is no value of it."""
    try:
        return None if setting.option is None else config.configuration.parse(setting.option, entry.value)
    except BadValue:
        return None


_DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: flink:1.20
  flinkVersion: v1_20
  flinkConfiguration:
    execution.checkpointing.interval: %s
  job:
    jarURI: local:///opt/flink/usrlib/orders.jar
    entryClass: shop.Orders
    parallelism: 8
"""
_PROGRAM = """package shop;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        %s
        env.fromSequence(1, 10).print();
        env.execute("orders");
    }
}
"""


_LEFTOVER = {
    "jobs/pom.xml": "<project/>\n",
    "jobs/conf/flink-conf.yaml": "jobmanager.rpc.address: jobmanager\nparallelism.default: 2\n",
}
_COMPOSE = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment: {JOB_MANAGER_RPC_ADDRESS: jobmanager}
%s  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    environment: {JOB_MANAGER_RPC_ADDRESS: jobmanager}
"""
_MOUNTED = "    volumes: ['./jobs/conf/flink-conf.yaml:/opt/flink/conf/flink-conf.yaml']\n"


def _beside(interval: str = "3 min") -> dict[str, str]:
    return {"orders.yaml": _DEPLOYMENT % interval}


_BY_PARAMETER = 'env.enableCheckpointing(ParameterTool.fromArgs(args).getLong("every", 60000));'
_BY_VARIABLE = 'env.enableCheckpointing(Long.parseLong(System.getenv().getOrDefault("EVERY_MS", "5000")));'
_IMAGE = "FROM flink:1.20\nENV EVERY_MS=180000\nCOPY orders.jar /opt/flink/usrlib/\n"


def _passing(value: str, name: str = "every") -> dict[str, str]:
    """Return the deployment with an argument of the program."""
    return {"orders.yaml": f'{_DEPLOYMENT % "3 min"}    args: ["--{name}", "{value}"]\n'}


def cases() -> list[Case]:
    return [
        bad(
            _PROGRAM % "env.enableCheckpointing(60000);",
            file="Orders.java",
            beside=_beside(),
            severity=Severity.WARNING,
            at="60000",
            says="the 3 min of orders.yaml",
        ),
        bad(
            _PROGRAM % "env.setParallelism(4);",
            file="Orders.java",
            beside=_beside(),
            at="4",
            says="sets parallelism.default to 4",
        ),
        bad(
            _PROGRAM % "env.setParallelism(4);",
            file="Orders.java",
            beside={"orders.yaml": (_DEPLOYMENT % "3 min").replace("parallelism: 8", "parallelism: 1")},
            severity=Severity.INFO,
        ),
        good(_PROGRAM % "env.enableCheckpointing(60000);", file="Orders.java", beside=_beside("1 min")),
        good(_PROGRAM % "env.enableCheckpointing(60000);", file="Orders.java", beside=_beside("${EVERY}")),
        good(_PROGRAM % "env.enableCheckpointing(60000);", file="Orders.java"),
        bad(_PROGRAM % "env.setParallelism(1);", file="jobs/src/main/java/shop/Orders.java", beside=_LEFTOVER),
        bad(
            _PROGRAM % "env.setParallelism(1);",
            file="jobs/src/main/java/shop/Orders.java",
            beside={**_LEFTOVER, "compose.yaml": _COMPOSE % _MOUNTED},
        ),
        good(
            _PROGRAM % "env.setParallelism(1);",
            file="jobs/src/main/java/shop/Orders.java",
            beside={**_LEFTOVER, "compose.yaml": _COMPOSE % ""},
        ),
        bad(_PROGRAM % _BY_PARAMETER, file="Orders.java", beside=_beside(), says="interval to 60000 ms"),
        good(_PROGRAM % _BY_PARAMETER, file="Orders.java", beside=_passing("180000")),
        bad(_PROGRAM % _BY_PARAMETER, file="Orders.java", beside=_passing("90000"), says="interval to 90000 ms"),
        good(_PROGRAM % _BY_PARAMETER, file="Orders.java", beside=_passing("$(EVERY)")),
        bad(_PROGRAM % _BY_PARAMETER, file="Orders.java", beside=_passing("90000", "between"), says="to 60000 ms"),
        good(
            _PROGRAM % _BY_PARAMETER,
            file="Orders.java",
            beside={**_beside(), "run.sh": "flink run orders.jar --every 180000\n"},
        ),
        good(_PROGRAM % _BY_VARIABLE, file="Orders.java", beside={**_beside(), "Dockerfile": _IMAGE}),
        bad(_PROGRAM % _BY_VARIABLE, file="Orders.java", beside=_beside(), says="interval to 5000 ms"),
        *cases_in_folders(__file__),
    ]
