"""A configuration is shared by processes of several releases, and one of them does not know a key in it.

## What it does
Takes each configuration that others read: the operator's defaults, the base of overlays, a chart's values, a ConfigMap
or a file that several containers mount. For every key in it asks the release of each process that reads it (that of the
image, or of `flinkVersion`), and reports a key that one of them ignores although it has the option under an older name.

## Why it matters
Flink ignores a key it does not know and logs nothing, so a file that was written for the newest process of a platform
takes options away from the older ones. With `execution.checkpointing.dir: s3://flink/checkpoints` in the operator's
defaults:

    orders      Flink 1.20    execution.checkpointing.dir    s3://flink/checkpoints
    payments    Flink 1.19    not known                      no directory: checkpoints are on the JobManager's heap

The same happens to `high-availability.type`, `state.backend.type` and `restart-strategy.type` before 1.17 (no high
availability, the heap for state, another restart strategy) and to `pekko.framesize` before 1.18.

`key-newer-than-flink` (FLK004) judges a file by one release of its own. Such a file has none: each process alone would
be right with it, and only the list of those that read it tells.

## What to do
Write both spellings with the same value, as the fix does: each release reads the one it knows, and where it knows both
the primary one counts. Or write the older spelling alone; newer releases read it too.

## Not when
- The process has the option under another spelling, from the same or another layer, or overrides the key, or the
  operator's defaults have one for its version (`kubernetes.operator.default-configuration.flink-version.*`).
- The value is the default of the release that ignores it.
- The release has no such option under any name: nothing can be written for it.
- The release of a process is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/release-notes/flink-1.20/>: the checkpointing options got
  new names
- <https://nightlies.apache.org/flink/flink-docs-release-1.18/release-notes/flink-1.18/>: `pekko.*` in place of `akka.*`
- <https://github.com/apache/flink/blob/release-1.20/flink-core/src/main/java/org/apache/flink/configuration/Configuration.java>:
  no key that no option asks for is ever looked at
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import text_of
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.composites._places import name_of, readers, release_place
from flink_flint.rules.settings._keys import lifetime, shown

_OF_VERSIONS = "kubernetes.operator.default-configuration."
_MAX_NAMED = 3
_LATER_VALUES = {
    "high-availability.type": (
        "kubernetes", "1.16", "org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory",
    ),
    "state.backend.type": ("hashmap", "1.13", "filesystem"),
}  # fmt: skip
"""Values that came later than their options: from which release on, and what stood for them before."""


@rule(
    code="FLK053",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["irregular-key"],
    scope="project",
    compares=[],
    several=True,
    since="0.1",
)
def shared_key_not_read_by_all(project: Project) -> Iterator[Finding]:
    """a shared configuration has a key that one of the releases reading it ignores"""
    for config in project.views:
        processes = readers(project, config)
        for key in config.document.effective if processes else ():
            yield from _judge(config, key, [one for one in processes if one.owner(key) is config.document])


def _judge(config: View, key: str, processes: Sequence[View]) -> Iterator[Finding]:
    names = config.catalogue.current_names(key)
    if len(names) != 1:
        return
    setting = config.written(key)
    ignoring = [one for one in processes if _misses(one, names[0], setting)]
    reading = [one for one in processes if one.accept(key) is not None]
    if not ignoring or (not reading and _is_told_alone(config, ignoring)):
        return
    oldest = min(ignoring, key=lambda one: one.index)
    spelling, _, _ = oldest.catalogue.reading(names[0], oldest.index)
    value = _value_for(oldest, setting)
    yield setting.finding(
        f"{key} exists in {lifetime(config, key)}: "
        + (f"{_named(reading)} {_do(reading, 'read')} it, " if reading else "")
        + f"{_named(ignoring)} {_do(ignoring, 'ignore')} it and {_do(ignoring, 'take')}"
        f" {_default(ignoring[0], names[0])}",
        at="key",
        help=f"write {spelling}: {shown(value)} beside it: each release reads the one it knows",
        fix=config.document.add(spelling, value, f"add {spelling}: {shown(value)}"),
        related=[
            *(release_place(one, f"Flink {one.target.version} ignores it") for one in ignoring),
            *(release_place(one, f"Flink {one.target.version} reads it") for one in reading[:_MAX_NAMED]),
        ],
        evidence={"ignored_by": [name_of(one) for one in ignoring], "spelling": spelling},
        measure=len(ignoring),
    )


def _misses(process: View, option: str, setting: Setting) -> bool:
    """Whether a process that ignores a key has its option neither otherwise nor by default."""
    _, here, spellings = process.catalogue.reading(option, process.index)
    entry = setting.entry
    if here is None or entry is None or entry.style == "implied" or not setting.is_known or process.is_set(option):
        return False
    of_versions = [key for key in process.effective if key.startswith(_OF_VERSIONS)]
    if any(key.endswith(tuple(f".{one}" for one in (setting.written, *spellings))) for key in of_versions):
        return False
    try:
        return bool(process.configuration.parse(here, entry.value) != process.configuration.default(here))
    except BadValue:
        return True


def _is_told_alone(config: View, ignoring: Sequence[View]) -> bool:
    """Whether the file itself is judged for the releases that ignore the key, so that FLK004 tells."""
    return config.target.certain and all(one.index in config.target.indices for one in ignoring)


def _value_for(oldest: View, setting: Setting) -> str:
    """What to write for a release that may know the value by another word."""
    value, since, older = _LATER_VALUES.get(setting.key, ("", "", ""))
    return older if setting.text.lower() == value and value and not oldest.since(since) else setting.text


def _named(processes: Sequence[View]) -> str:
    """Processes with their releases, the first few by name."""
    told = [f"{name_of(one)} (Flink {one.target.version})" for one in processes[:_MAX_NAMED]]
    if more := len(processes) - len(told):
        told.append(f"{more} more")
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


def _do(processes: Sequence[View], verb: str) -> str:
    return verb if len(processes) > 1 else f"{verb}s"


def _default(process: View, option: str) -> str:
    """What a release does without the option."""
    _, here, _ = process.catalogue.reading(option, process.index)
    default = here.default if here is not None else None
    return "nothing instead" if default is None else f"the default, {text_of(default)}"


_DEFAULTS = """defaultConfiguration:
  create: true
  append: true
  flink-conf.yaml: |+
    %s
"""
_DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: %s
spec:
  image: flink:%s
  flinkVersion: %s
  flinkConfiguration:
    %s
  job:
    jarURI: local:///opt/flink/usrlib/job.jar
    parallelism: 2
"""
_SLOTS = 'taskmanager.numberOfTaskSlots: "2"'
_OLD = _DEPLOYMENT % ("payments", "1.19.3", "v1_19", _SLOTS)
_NEW = _DEPLOYMENT % ("orders", "1.20.4", "v1_20", _SLOTS)
_DIRECTORY = "execution.checkpointing.dir: s3://flink/checkpoints"
_TWO = """services:
  old:
    image: flink:1.17.2
    command: jobmanager
    volumes: ["./conf:/opt/flink/conf"]
  new:
    image: flink:%s
    command: jobmanager
    volumes: ["./conf:/opt/flink/conf"]
"""


def cases() -> list[Case]:
    return [
        bad(
            _DEFAULTS % _DIRECTORY,
            file="operator/values.yaml",
            beside={"payments.yaml": _OLD, "orders.yaml": _NEW},
            severity=Severity.ERROR,
            at="execution.checkpointing.dir",
            says="orders (Flink 1.20.4) reads it, payments (Flink 1.19.3) ignores it and takes nothing instead",
            fixed=_DEFAULTS % (_DIRECTORY + "\n    state.checkpoints.dir: s3://flink/checkpoints"),
        ),
        # Nobody reads it: a file of no release of its own is right in itself.
        bad(_DEFAULTS % _DIRECTORY, file="operator/values.yaml", beside={"payments.yaml": _OLD}),
        good("pekko.ask.timeout: 10 s\n", file="conf/flink-conf.yaml", beside={"docker-compose.yml": _TWO % "1.18.1"}),
        # What fields imply is nobody's spelling, and what nobody knows is FLK001's.
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20.4\n"
            "  flinkVersion: v1_20\n"
            "  flinkConfiguration:\n"
            "    no.such.key: 1\n"
            "  taskManager: {resource: {cpu: 1}}\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/job.jar\n"
            "    parallelism: 2\n",
            file="base/orders.yaml",
            beside={
                "overlays/old/orders.yaml": (
                    "apiVersion: flink.apache.org/v1beta1\n"
                    "kind: FlinkDeployment\n"
                    "metadata:\n"
                    "  name: orders\n"
                    "spec:\n"
                    "  image: flink:1.16.3\n"
                )
            },
        ),
        *cases_in_folders(__file__),
    ]
