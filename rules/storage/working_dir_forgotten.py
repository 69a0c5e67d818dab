"""Local recovery across restarts is meant, and nothing of the working directory is found again.

## What it does
Where local recovery is on and a working directory is set, it reports
- `process.taskmanager.working-dir` or `process.working-dir` under `/tmp` or `/var/tmp`;
- a working directory without `taskmanager.resource-id`, on a standalone cluster.

## Why it matters
A TaskManager that restarts takes its local copy of the state from `<working-dir>/tm_<resource-id>`. Without a fixed
resource id the name is made of address, port and random characters, so the restarted process looks into a new, empty
directory and reads everything from the remote storage; the old copies stay on the disk. In `/tmp` the copies are gone
after a restart of the machine or the pod.

## What to do
Set the working directory to a disk that lasts, and `taskmanager.resource-id` to a name that the process keeps (the
name of a StatefulSet's pod).

## Not when
Local recovery is off, or no working directory is set: then the copies only serve tasks that restart in a process that
lives on. On YARN and native Kubernetes Flink gives the resource id.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/working_directory/>:
  what is kept, and that the id must stay
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.storage._temporary import temporary_of

_LOCAL = "execution.state-recovery.from-local"
_DIRECTORIES = ("process.taskmanager.working-dir", "process.working-dir")
_ID = "taskmanager.resource-id"


@rule(
    code="FLK106",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=_DIRECTORIES,
    of_scale=True,
    flink=">=1.15",
    since="0.1",
)
def working_dir_forgotten(config: View) -> Iterator[Finding]:
    """local recovery is meant to outlive a process, and nothing is found again"""
    if config.boolean(_LOCAL) is not True:
        return
    setting = next((found for key in _DIRECTORIES if (found := config.get(key)).is_set), None)
    if setting is None or not setting.is_known:
        return
    directory = temporary_of(setting)
    if directory is not None:
        yield setting.finding(
            f"the copies of the state for local recovery are in {directory}, and gone when the machine or pod restarts",
            help="set it to a directory on a disk that lasts",
            related=[config.get(_LOCAL)],
        )
    elif not config.is_set(_ID) and config.document.whole and config.platform == "standalone":
        yield setting.finding(
            "a TaskManager that restarts has a new random id, so it does not find the copies of its state here and"
            " reads all of it from the remote storage",
            help=f"give every process a {_ID} that it keeps",
            severity=Severity.INFO,
            related=[config.get(_LOCAL)],
        )


_ON = "state.backend.local-recovery: true\n"


def cases() -> list[Case]:
    return [
        bad(f"{_ON}process.working-dir: /tmp/flink\n", at="/tmp/flink", flink="1.18"),
        bad(f"{_ON}process.taskmanager.working-dir: /data/flink\n", at="process.taskmanager.working-dir", flink="1.18",
            platform="standalone", severity=Severity.INFO, says="random id"),
        good(f"{_ON}process.working-dir: /data/flink\n{_ID}: tm-1\n", flink="1.18", platform="standalone"),
        good("process.working-dir: /tmp/flink\n", flink="1.18"),
        good(f"{_ON}process.working-dir: ${{DIR}}\n", flink="1.18"),
        good(_ON, flink="1.18"),
        bad(f"{_ON}process.working-dir: /tmp/flink\n", flink="1.18", profile="development", severity=Severity.INFO),
        good(f"{_ON}process.working-dir: /data/${{HOST}}\n", flink="1.18", platform="standalone"),
        good(f"{_ON}process.working-dir: /data\n", flink="1.18", platform="kubernetes"),
        good(f"{_ON}process.working-dir: /tmp\n", flink="1.14"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    directory = "process.working-dir"
    return [
        flink_uses(
            "working directory", f"{directory}: /tmp/flink\n", "/tmp/flink/tm_", good=f"{directory}: /data/flink\n",
            both=_ON,
        ),
    ]  # fmt: skip
