"""The heap dump that is asked for goes where nobody finds it, or where there is no room for it.

## What it does
Looks for `-XX:+HeapDumpOnOutOfMemoryError` in the JVM options and tells, as advice, where

- no `-XX:HeapDumpPath` goes with it, so that the dump goes to the working directory of the process;
- the path is below `/tmp` or `/var/tmp`;
- the path is one file (`….hprof`) for all TaskManagers.

## Why it matters
A dump is as large as the heap was full. The working directory of a container is in its own layer: what is written
there counts as ephemeral storage of the pod, which is evicted above its limit, and is gone with the container, which
is replaced right after the error. A directory of temporary files is often memory, or too small. And the JVM never
overwrites: a second process on the machine, or a second error, finds the file and writes nothing ("Unable to create
…: File exists").

## What to do
Name a directory on a volume that outlives the container and has room for the heap and a fifth more:
`-XX:HeapDumpPath=/data/dumps`. Each process then writes `java_pid<pid>.hprof`. In containers all processes have the
same number: give each pod a path of its own, or let `-XX:OnOutOfMemoryError` move the file.

## Not when
The options are the client's. A template may put in the path.

## Sources
- <https://docs.oracle.com/en/java/javase/17/troubleshoot/command-line-options1.html>: the options, the name of the file
  and where it goes
- <https://kubernetes.io/docs/concepts/storage/ephemeral-storage/>: what counts as ephemeral storage, and eviction
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.jvm_options import split_options
from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_DUMP = "HeapDumpOnOutOfMemoryError"
_PATH = "HeapDumpPath"
_KEYS = ("env.java.opts.all", "env.java.opts.jobmanager", "env.java.opts.taskmanager")


@rule(
    code="FLK116",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=_KEYS,
    scope="key",
    of_scale=True,
    since="0.1",
)
def heap_dump_path(config: View, setting: Setting) -> Iterator[Finding]:
    """a heap dump goes where nobody finds it, or where there is no room"""
    if not setting.is_read:
        return
    options = {option.flag: option for option in split_options(setting.text)}
    dump = options.get(_DUMP)
    if dump is None or not dump.is_enabled:
        return
    where = _path_of(config, setting)
    if where is None:
        return
    if not where:
        why = "without a -XX:HeapDumpPath the dump goes to the working directory, which goes with the container"
    elif locate(where).is_temporary:
        why = f"the dump, as large as the heap, goes to {where}, where there may be no room and where systems clean up"
    elif where.endswith(".hprof") and not setting.key.endswith(".jobmanager") and "%p" not in where:
        why = (
            f"all processes dump to the one file {where}, and the JVM never overwrites: only the first dump is written"
        )
    else:
        return
    yield setting.finding(
        why, help=f"set -XX:{_PATH} to a directory on a volume that stays, with room for the heap and a fifth more"
    )


def _path_of(config: View, setting: Setting) -> str | None:
    """Where the dump goes: empty without a path; None where another option may say it."""
    process = setting.key.rpartition(".")[2]
    found = ""
    for key in (*_KEYS[:1], *(f"env.java.opts.{one}" for one in (process,) if one != "all")):
        if not config.is_known(key):
            return None
        for option in split_options(config.get(key).text):
            if option.flag == _PATH:
                found = option.text.partition("=")[2].strip("\"'")
    if not found and process == "all" and any(_PATH in config.get(key).text for key in _KEYS):
        return None
    return found


_ON = "-XX:+HeapDumpOnOutOfMemoryError"


def cases() -> list[Case]:
    return [
        bad(f"env.java.opts.taskmanager: {_ON}\n", at="env.java.opts.taskmanager", severity=Severity.INFO,
            says="goes to the working directory"),
        bad(f"env.java.opts: {_ON} -XX:HeapDumpPath=/tmp/dumps\n", at="env.java.opts.all", flink="1.13",
            says="goes to /tmp/dumps"),
        bad(f"env.java.opts.all: {_ON} -XX:HeapDumpPath=/data/taskmanager.hprof\n",
            says="one file /data/taskmanager.hprof"),
        bad(f"env.java.opts.all: -XX:HeapDumpPath=/var/tmp\nenv.java.opts.taskmanager: {_ON}\n",
            at="env.java.opts.taskmanager"),
        bad(f"env.java.opts.all: {_ON}\nenv.java.opts.client: -XX:HeapDumpPath=/data\n", at="env.java.opts.all"),
        bad(f"env.java.opts.jobmanager: {_ON}\n", at="env.java.opts.jobmanager"),
        good(f"env.java.opts: {_ON}\nenv.java.opts.all: -XX:+UseG1GC\n", flink="1.18"),
        good(f"env.java.opts.all: {_ON} -XX:HeapDumpPath=/data/dumps\n"),
        good(f"env.java.opts.all: {_ON} -XX:HeapDumpPath=/data/dump-%p.hprof\n"),
        good(f"env.java.opts.jobmanager: {_ON} -XX:HeapDumpPath=/data/jobmanager.hprof\n"),
        good(f"env.java.opts.all: -XX:HeapDumpPath=/data\nenv.java.opts.taskmanager: {_ON}\n"),
        good(f"env.java.opts.all: {_ON}\nenv.java.opts.taskmanager: -XX:HeapDumpPath=/data\n"),
        good(f"env.java.opts.all: '{{{{ opts }}}}'\nenv.java.opts.taskmanager: {_ON}\n"),
        good(f"env.java.opts.all: '{_ON} {{{{ opts }}}}'\n"),
        good("env.java.opts.all: -XX:-HeapDumpOnOutOfMemoryError\n"),
        good("env.java.opts.all: -XX:+UseG1GC\n"),
        good(f"env.java.opts.client: {_ON}\n"),
    ]  # fmt: skip
