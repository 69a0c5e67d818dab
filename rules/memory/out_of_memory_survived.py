"""A TaskManager lives on after an OutOfMemoryError.

## What it does
Tells, where Kubernetes or YARN would start a new TaskManager, that neither `taskmanager.jvm-exit-on-oom` is true nor
the JVM options of TaskManagers hold `-XX:+ExitOnOutOfMemoryError` or `-XX:+CrashOnOutOfMemoryError`. As Flink's default
is what it speaks about, it runs only where it is selected.

## Why it matters
A task whose thread runs out of heap fails, and the job restarts on the same TaskManager, whose heap still holds what
filled it. If the error strikes another thread (of Netty, of an asynchronous client, of the user's own pool) that
thread is gone and nobody is told: records wait for an answer that never comes. A new process has neither.

## What to do
Set `taskmanager.jvm-exit-on-oom: true` for errors in tasks; `-XX:+ExitOnOutOfMemoryError` in
`env.java.opts.taskmanager` covers all threads.

## Not when
On machines of one's own, where nothing starts a new TaskManager. A template may hold the option.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-jvm-exit-on-oom>: the option
  and its default
- <https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html>: `-XX:+ExitOnOutOfMemoryError`
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.jvm_options import keys_for, split_options
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_EXIT = "taskmanager.jvm-exit-on-oom"
_FLAGS = ("ExitOnOutOfMemoryError", "CrashOnOutOfMemoryError")
_SUPERVISED = ("kubernetes", "operator", "yarn", "emr")


@rule(
    code="FLK223",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=["taskmanager.memory.", "taskmanager.numberOfTaskSlots", _EXIT],
    pedantic=True,
    of_scale=True,
    since="0.1",
)
def out_of_memory_survived(config: View) -> Iterator[Finding]:
    """a TaskManager lives on after an OutOfMemoryError"""
    if config.platform not in _SUPERVISED or config.boolean(_EXIT) is not False:
        return
    for key in keys_for("taskmanager"):
        options = config.get(key)
        if not options.is_known or any(one.flag in _FLAGS and one.is_enabled for one in split_options(options.text)):
            return
    yield config.get(_EXIT).finding(
        "after an OutOfMemoryError a TaskManager goes on with a full heap, and perhaps without one of its threads",
        help=f"set {_EXIT}: true, or add -XX:+ExitOnOutOfMemoryError to env.java.opts.taskmanager: a new one starts",
    )


_FILE = "taskmanager.memory.process.size: 4g\n"


def cases() -> list[Case]:
    return [
        bad(_FILE, platform="kubernetes", severity=Severity.INFO, says="goes on with a full heap"),
        bad("taskmanager.numberOfTaskSlots: 2\n", platform="yarn", flink="1.14"),
        bad(f"{_EXIT}: false\nenv.java.opts.jobmanager: -XX:+ExitOnOutOfMemoryError\n", at=_EXIT, platform="operator"),
        bad(f"{_FILE}env.java.opts.all: -XX:-ExitOnOutOfMemoryError\n", platform="emr"),
        good(f"{_FILE}{_EXIT}: true\n", platform="kubernetes"),
        good(f"{_FILE}{_EXIT}: '{{{{ exit }}}}'\n", platform="kubernetes"),
        good(f"{_FILE}env.java.opts.taskmanager: -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError\n", platform="kubernetes"),
        good(f"{_FILE}env.java.opts: -XX:+CrashOnOutOfMemoryError\n", platform="yarn", flink="1.13"),
        good(f"{_FILE}env.java.opts.all: '{{{{ opts }}}}'\n", platform="kubernetes"),
        good(_FILE, platform="standalone"),
        good(_FILE, flink="1.18"),
    ]  # fmt: skip
