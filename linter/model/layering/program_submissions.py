"""The profile of the containers whose commands submit a program that no deployment in the run is known to be of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from flink_flint.linter.model.document import Document

_DEVELOPMENT = "development"


def submitted_for_development(programs: Sequence[Document], documents: Sequence[Document]) -> frozenset[int]:
    """Return the ids of the programs that commands submit by their classes, all of them for development."""
    by_class: Mapping[str, list[Document]] = defaultdict(list)
    for program in programs:
        for job in program.elements_of(("job",)):
            if job.name:
                by_class[job.name].append(program)
    found: dict[int, bool] = {}
    for document in documents if by_class else ():
        is_for_development = document.profile == _DEVELOPMENT or document.purpose != "production"
        for element in document.elements_of(("container", "command")):
            words = [
                word
                for name, one in element.attributes.items()
                if isinstance(one.value, str) and name.startswith(("args", "options."))
                for word in one.value.split()
            ]
            for name in {word.strip("\"'").rpartition(".")[2].removesuffix("Kt") for word in words}:
                for program in by_class.get(name, ()):
                    found[id(program)] = found.get(id(program), True) and is_for_development
    return frozenset(program for program, is_for_development in found.items() if is_for_development)
