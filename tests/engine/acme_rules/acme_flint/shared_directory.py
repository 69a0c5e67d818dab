"""Two files of a run use the same checkpoint directory."""

from collections.abc import Iterator

from flink_flint.api import Case, Finding, Project, Setting, Severity, cases_in_folders, rule

OPTION = "execution.checkpointing.dir"


@rule(code="ACME102", severity=Severity.ERROR, reads=[OPTION], scope="project", since="1.0")
def shared_directory(project: Project) -> Iterator[Finding]:
    """two files of a run use the same checkpoint directory"""
    first: dict[str, Setting] = {}
    for config in project.views:
        setting = config.get(OPTION)
        if setting.is_set and setting.is_known and first.setdefault(setting.text, setting) is not setting:
            yield setting.finding("another file has the same checkpoint directory", related=[first[setting.text]])


def cases() -> list[Case]:
    return cases_in_folders(__file__)
