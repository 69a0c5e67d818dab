"""Plans the SQL scripts of a run, each with the planner of its release, and adds what the planner says to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from flink_flint.linter.engine.planning.flink_libraries import Libraries, found_libraries, is_inside, is_planned
from flink_flint.linter.engine.planning.isolated_planner import Java, PlanningError, Script, find_java, plan
from flink_flint.linter.engine.planning.planned_statements import Answer, plan_elements
from flink_flint.linter.engine.planning.script_steps import Step, steps_of
from flink_flint.linter.filesystem.user_cache import cache_folder
from flink_flint.linter.flink.releases import release_at
from flink_flint.linter.formats.sql.sql_script import SqlScript
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.target import Target
from flink_flint.linter.text.named_tuple import NamedTuple

Answers = Mapping[str, Mapping[int, Answer]]


def is_script(file_format: FileFormat) -> bool:
    """Return whether files of a format are scripts, which are planned; texts within other files are not."""
    return isinstance(file_format, SqlScript)


class ToPlan(NamedTuple):
    """A script with its target, and the settings that its deployment makes."""

    document: Document
    target: Target
    below: Mapping[str, str]


class Planning:
    """The planners that the user has: the libraries and the JDK, and what could not be planned."""

    def __init__(
        self,
        libraries: Sequence[Libraries],
        java: Java | None,
        ask: Callable[[Sequence[Script], Libraries, Java | None], Answers] | None = None,
    ) -> None:
        self.libraries = libraries
        self._java = java
        self._ask = ask
        self.notes: list[str] = []
        """Why scripts are not planned."""

    def add_plans(self, scripts: Sequence[ToPlan]) -> None:
        """Plan scripts and add an element for each planned or refused statement to their documents."""
        by_libraries: dict[Libraries, list[tuple[ToPlan, list[Step]]]] = {}
        for script in scripts:
            found = self._libraries_for(script.target)
            if found is None:
                self._note_missing(script.target)
            else:
                below = script.below
                by_libraries.setdefault(found, []).append((script, steps_of(script.document.text, below)))
        for libraries, planned in by_libraries.items():
            self._plan(libraries, planned)

    def _libraries_for(self, target: Target) -> Libraries | None:
        """Return the libraries of the newest release that a script may run on."""
        for index in reversed(target.in_question):
            for one in self.libraries:
                if one.minor == release_at(index).name:
                    return one
        return None

    def _note_missing(self, target: Target) -> None:
        minor = release_at(target.in_question[-1]).name
        note = f"no libraries of Flink {target.version or minor} to plan with: run `flint plan --install {minor}`"
        if not is_planned(minor):
            note = f"flint does not plan with Flink {target.version or minor}"
        if note not in self.notes:
            self.notes.append(note)

    def _plan(self, libraries: Libraries, planned: Sequence[tuple[ToPlan, list[Step]]]) -> None:
        questions: list[Script] = []
        for number, (_, steps) in enumerate(planned):
            asked: list[dict[str, Any]] = [{"number": one.number, **one.question} for one in steps if one.question]
            questions.append((str(number), asked))
        try:
            if self._ask is not None:
                answers = self._ask(questions, libraries, self._java)
            elif self._java is not None:
                answers = plan(questions, libraries, self._java)
            else:
                return
        except PlanningError as error:
            self.notes.append(str(error))
            return
        for number, (script, steps) in enumerate(planned):
            found = answers.get(str(number), {})
            elements = list(plan_elements(script.document.text, libraries.minor, steps, found))
            document = script.document
            document.elements = (*document.elements, *elements)
            document.warnings = (*document.warnings, *_passed_over(document, elements))


def _passed_over(document: Document, elements: Sequence[Element]) -> Iterator[str]:
    """Yield why statements are not planned."""
    for element in elements:
        if element.name == "passed over":
            line = document.lines.position(element.span.start).line
            yield f"the statement in line {line} is not planned: {element.value('reason')}"


def find_planning(homes: Sequence[str], trees: Sequence[str]) -> Planning:
    """Find the libraries and the JDK to plan with; raise `PlanningError` if there are none."""
    if is_inside(cache_folder() or "", trees):
        raise PlanningError("the cache folder is inside of what is checked: set FLINT_CACHE_DIR to another one")
    libraries = found_libraries(homes, trees)
    if not libraries:
        raise PlanningError("--plan needs the libraries of Flink: run `flint plan --install RELEASE`, such as 1.20")
    return Planning(libraries, find_java(trees))
