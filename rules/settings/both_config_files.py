"""A directory holds flink-conf.yaml and config.yaml, and Flink reads one of them.

## What it does
Reports a directory with both files, on the one Flink ignores: `config.yaml` under 1.19 and 1.20,
`flink-conf.yaml` from 2.0 on. Where the release is not known, or several are meant, the finding stands on
`config.yaml` and says which release reads which file.

## Why it matters
Flink 1.19 and 1.20 look for `flink-conf.yaml` first and take it even if it is empty; 2.x looks for `config.yaml`
alone. Nothing of the other file is read, and the log names only the one that is, so an edit of it does nothing.
Images of 1.19 and 1.20 ship a `config.yaml`: whoever adds a `flink-conf.yaml` loses all that stands in it, the
bind addresses and Java options included.

## What to do
Keep one file: `config.yaml` from 1.19 on. Flink's `bin/migrate-config-file.sh` (1.19 and 1.20) turns the
old one into it, but loses keys that begin with another key. From 2.0 on it is an error
if the ignored file sets keys that the other does not.

## Not when
- Up to 1.18 only `flink-conf.yaml` is read (`wrong-config-file`, FLK018, speaks about the other).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/>: which file is read
- <https://issues.apache.org/jira/browse/FLINK-33297>: standard YAML for the configuration
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF, pick
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View

_MAX_KEYS = 3
_BOTH = (FLINK_CONF, CONFIG_YAML)


@rule(
    code="FLK017",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    flink=">=1.19",
    since="0.1",
    scope="project",
    compares=["folder"],
)
def both_config_files(project: Project) -> Iterator[Finding]:
    """flink-conf.yaml and config.yaml stand side by side, and Flink reads one"""
    for views in project.directories.values():
        files = {view.document.file_name: view for view in views}
        old, new = files.get(FLINK_CONF), files.get(CONFIG_YAML)
        if old is None or new is None:
            continue
        read = {pick(_BOTH, index) for index in new.target.indices if index >= FIRST_CONFIG_YAML}
        if read == {FLINK_CONF}:
            yield _ignored(new, old)
        elif read == {CONFIG_YAML}:
            yield _ignored(old, new)
        else:
            yield new.finding(
                "flink-conf.yaml stands beside this file: Flink 1.19 and 1.20 read only that one, 2.0 and later only"
                " this one",
                help="keep one of the two files",
                related=[Place(old.document.path, old.document.head, "the other file")],
            )


def _ignored(loser: View, winner: View) -> Finding:
    lost = [key for key in loser.document.effective if not _is_set(winner, key)]
    name = winner.document.file_name
    shown = ", ".join(lost[:_MAX_KEYS]) + (f" and {len(lost) - _MAX_KEYS} more" if len(lost) > _MAX_KEYS else "")
    version = loser.target.version or winner.target.version
    found = loser.finding(
        f"Flink {version} reads {name} beside this file and ignores this one"
        + (f", so {shown} {'is' if len(lost) == 1 else 'are'} not set" if lost else ""),
        help=f"move what is still wanted to {name} and delete this file"
        if name == CONFIG_YAML
        else "keep one file: config.yaml with the settings of both, and no flink-conf.yaml",
        severity=Severity.ERROR if lost and name == CONFIG_YAML else None,
        related=[Place(winner.document.path, winner.document.head, "this file is read")],
    )
    found.voids = True
    return found


def _is_set(view: View, key: str) -> bool:
    """Whether a file sets a key or another spelling of its option."""
    names = view.catalogue.current_names(key)
    return key in view.document.effective or any(view.is_set(name) for name in names)


def cases() -> list[Case]:
    return [
        bad(
            "rest.port: 8081\nrest.address: a\n",
            file="config.yaml",
            flink="1.20",
            beside={"flink-conf.yaml": "rest.port: 8082\n"},
            severity=Severity.WARNING,
            says="rest.address is not set",
        ),
        bad(
            "state.checkpoints.dir: s3://bucket/checkpoints\n",
            file="flink-conf.yaml",
            flink="2.0",
            beside={"config.yaml": "rest.port: 8082\n"},
            severity=Severity.ERROR,
            says="reads config.yaml",
        ),
        good("rest.port: 8081\n", file="flink-conf.yaml", flink="1.18", beside={"config.yaml": "rest.port: 8082\n"}),
        good("rest.port: 8081\n", file="config.yaml", flink="1.20", beside={"zoo.cfg": "clientPort=2181\n"}),
        *cases_in_folders(__file__),
    ]
