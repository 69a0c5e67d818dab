"""Determines the purpose of a file (production, test, example, development or unbuilt), with the evidence.

Paths say it for files of every kind (``src/test/``, ``examples/``), imports and class names for programs. A path is
read from the root of its repository, so that neither the folder of the checkout nor the way a file was named matters.

- Below ``src/main`` (or ``src/production``) a folder is a package, and packages do not make tests: ``it.unibo`` is a
  university, ``com.example`` a placeholder. Source sets do: ``src/test``, ``src/integrationTest``, ``src/jmh``.
- ``overlays/test`` next to ``overlays/prod`` is an environment that something is deployed to, not a test.
- A sheet of SQL statements that somebody runs one by one, and looks at, is no script.
- Names of files say what is for a developer's machine: ``dev-application.conf``, ``docker-compose.local.yml``.
- ``deploy/dev`` is where somebody tries things out, and so is a resource that runs an example which Flink ships: they
  are judged like examples.
- A program with a main method in a production source set is a deployment, even if it starts a MiniCluster or imports
  a library for tests; one called ``TestJob``, ``JobTest``, ``JobTest01``, ``JobDemo`` or ``JobExample`` is there to try
  something out. A SQL script called ``hive-test.sql`` is a test.
- A program whose comment says that it is an exercise of Flink's training is an example.
- A Kubernetes object whose label `environment` (or `env`) is `dev`, `development`, `test` or `sandbox`, or whose
  namespace is one of these, says the same of itself. `staging` rehearses production and is judged like it.
- What runs for a benchmark is thrown away after it: a repository whose name or title says so is for development.
- A Java source that the POM of its module excludes from compilation is left out, as tests are.
- The classes of Flink itself, in its own source tree, are what programs call; they are for development.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.excluded_sources import excluded_by
from flink_flint.linter.filesystem.folders import CHART, absolute_path, names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.model.document import Document

PRODUCTION, TEST, EXAMPLE, DEVELOPMENT, UNBUILT = "production", "test", "example", "development", "unbuilt"


class Purpose(NamedTuple):
    """The purpose of a file (``production``, ``test``, ``example``, ``development``, ``unbuilt``), and the evidence."""

    name: str
    evidence: str = ""


_PRODUCTION = Purpose(PRODUCTION)

_SOURCES = ("main", "production")
_TEST_SOURCE_SET = regex(
    r"(?i)(?:test|tests|it|itest|e2e|jmh|perf|benchmarks?|[a-z0-9]+[-_]?tests?|tests?[-_]?fixtures|[a-z0-9]*-e2e)"
)
"""The names of source sets in ``src/`` that contain tests: ``test``, ``it``, ``integrationTest``, ``testFixtures``."""
_TEST_FOLDERS = frozenset({
    *("tests", "testing", "testdata", "test-data", "test_data", "testfixtures", "__tests__", "itest", "itests"),
    *("integ", "e2e", "bench", "benchmark", "benchmarks", "jmh", "molecule", "test-resources", "test_resources"),
    *("test-scripts", "test_scripts"),
})  # fmt: skip
_TEST_MODULE = regex(r"(?i).+[-_](?:tests?|e2e|its?|itests?|benchmarks?|jmh|test-utils?|test-common|testkit)")
"""The names of modules of tests: ``flink-tests``, ``connector-e2e``."""
_END_TO_END = regex(r"(?:[\w.-]+[-_])?(?:e2e|end[-_]to[-_]end)[-_]tests?")
"""The names of folders of tests whose subfolders are no sources: ``e2e-tests``, ``flink-end-to-end-tests``."""
_ENVIRONMENTS = frozenset({
    *("prod", "production", "prd", "live", "dev", "development", "staging", "stage", "stg", "qa", "uat", "acc"),
    *("acceptance", "preprod", "pre-prod", "int", "integration"),
})  # fmt: skip
"""Names that a folder ``test`` has as neighbors if it is an environment."""
_DOMAINS = frozenset({"com", "org", "io", "net", "de", "edu"})
"""The first parts of the names of packages."""
_LEFT_BEHIND = ("old", "old-code", "old_code", "attic", "archived", "obsolete", "unused")
"""Folders with what nobody deploys any more."""
_EXAMPLE_FOLDERS = frozenset({
    *("example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials", "doc", "docs"),
    *("documentation", "quickstart", "quickstarts", "quick-start", "exercise", "exercises", "solution", "solutions"),
    *("playground", "playgrounds", "workshop", "workshops", "getting-started", "getting_started", "cookbook"),
    *_LEFT_BEHIND,
    *("sandbox", "sandboxes", "archetype-resources", "walkthrough", "walkthroughs", "recipes", "experiments"),
})  # fmt: skip
_EXAMPLE_PACKAGES = _EXAMPLE_FOLDERS - {
    *("example", "sample", "demo", "doc", "docs", "documentation", "solutions", "experiments"),
    *_LEFT_BEHIND,
}
"""Without those that companies and placeholders have in their names (``com.example``, ``com.acme.solutions``).

And without a product's own experiments, with two variants of a page, and its archived orders.
"""
_EXAMPLE_WORDS = r"examples?|samples?|demos?|tutorials?|quick-?starts?|playgrounds?|workshops?|cookbook|sandbox"
"""The last words of the names of modules and repositories that have examples."""
_EXAMPLE_MODULE = regex(rf"(?i).+[-_ ](?:{_EXAMPLE_WORDS}|walkthroughs?)")
_EXAMPLE_FILE = regex(r"(?i)(?:examples?|sample)[-_.].+|.+[-_.](?:examples?|sample)(?:\.[a-z0-9]+)*")
_DEPLOYMENT_FOLDERS = frozenset({
    *("deploy", "deployment", "deployments", "overlays", "envs", "environments", "k8s", "kubernetes", "manifests"),
})  # fmt: skip
_DEVELOPMENT = frozenset({"dev", "development", "local"})
"""The environments, below a folder of deployments, in which somebody tries things out."""
_DEVELOPMENT_OBJECTS = _DEVELOPMENT | {"devel", "sandbox", "test", "testing"}
"""The environments that a Kubernetes object names where somebody tries things out."""
_LABELS = ("environment", "env", "app.kubernetes.io/environment")
_SHIPPED_EXAMPLES = "/flink/examples/"
"""A part of the paths of the examples in Flink's images."""
_LEARNING = (
    r"(?:flink|kafka|streaming)[-_]learning|learn|introduction|intro|basics|101|hands-?on|training|course|study|studies"
    r"|poc"
)
"""The last words of the names of repositories in which somebody learns or tries something."""
_EXAMPLE_REPOSITORY = regex(rf"(?i)(?:.*[-_+. ])?(?:{_EXAMPLE_WORDS}|exercises|recipes|(?:home-?)?labs?|{_LEARNING})")
_EXAMPLE_TITLE = regex(
    r"(?i)\b(?:examples|code samples|sample (?:code|application|project)|tutorials?|workshop|playgrounds?"
    r"|(?:training|coding) exercises|training course|cookbook|recipes)\b"
)
_BENCHMARK_REPOSITORY = regex(r"(?i)(?:.*[-_+. ])?bench(?:marks?|marking)?(?:[-_+. ].*)?")
_BENCHMARK_TITLE = regex(r"(?i)\bbenchmark(?:s|ing)?\b")
_TITLE = regex(r"(?m)\A\s*+(?:<[^>\n]*>\s*+){0,20}(?:#\s+([^\n]+)|([^\n]+)\n=+[ \t]*$)")
READMES = ("README.md", "README.rst", "README.adoc", "README")
"""The files at the root of a repository of which the first says in its title what the repository is for."""

_PACKAGE_OF_FLINK = regex(r"(?m)^package[ \t]++org\.apache\.flink\b")
_PYFLINK = "/pyflink/"
"""A part of the paths of PyFlink's sources."""

_TRIAL_NAME = regex(
    r"Test(?:[A-Z]\w*)?|(?:[A-Z]\w*)?(?:(?<!AB)(?<!Load)(?<!Stress)Tests?|Demo|Examples?)(?:_?\d{1,4})?"
)
"""A class with a main function that somebody tries something out with: `TestJob`, `JobTest`, `JobTest01`, `JobDemo`.

Not the evaluation of an A/B test, and not a job that puts a cluster under load.
"""
_TEST_SCRIPT = regex(r"(?i)(?:[\w.-]*[-_.])?(?<!\bab[-_])tests?[-_]?\d{0,4}")
"""The names of SQL scripts that test something: `test2.sql`, `hive-test.sql`."""
_LOCAL_WORDS = frozenset({"local", "localhost"})
_DEVELOPMENT_WORDS = _LOCAL_WORDS | {"dev", "devel", "development"}
_DEVELOPMENT_LINE = regex(
    r"""(?m)^[ \t]*+["']?(?:environment|env)["']?[ \t]*+[:=][ \t]*+"""
    r"""["']?(?:local|localhost|dev|development)["']?[ \t]*+,?\r?$"""
)
_CONNECTOR = regex(r"""(?i)['"]connector['"]\s*=\s*['"]([^'"\n]*)['"]""")
_GENERATED, _SHOWN = frozenset({"datagen", "faker"}), frozenset({"print", "blackhole"})
_OF_ONE_MACHINE = frozenset({"properties", "flink-conf", "config.yaml", "compose", "shell", "sql", "source", "logging"})
"""The kinds of files in which ``dev`` means a developer's machine; in others it is an environment like production."""

_TEST_NAME = regex(
    r"(?:[A-Z]\w*)?(?:Test|Tests|TestBase|TestCase|TestSuite|IT|ITCase|Benchmark|Benchmarks|BenchmarkBase)"
)
_PYTHON_TEST = regex(r"(?:test_\w+|\w+_tests?|conftest)\.py")
_LIBRARY = regex(
    r"(?m)^[ \t]*+(?:import|from)[ \t]+(?:static[ \t]+)?("
    r"(?:org\.junit|junit\.framework|org\.testng|org\.scalatest(?:plus)?|org\.specs2|utest|munit|zio\.test"
    r"|weaver|io\.kotest|org\.spekframework|kotlin\.test|org\.assertj|org\.mockito|io\.mockk|org\.hamcrest"
    r"|org\.testcontainers|com\.dimafeng\.testcontainers|org\.openjdk\.jmh|spock\.lang"
    r"|org\.apache\.flink\.(?:test\.(?:util|junit5|testutils|resources)|core\.testutils|connector\.testframe"
    r"|api\.connector\.source\.lib\.util|benchmark)"
    r"|org\.apache\.flink\.runtime\.testutils|pytest|unittest|pyflink\.testing)\b[\w.]*"
    r"|org\.apache\.flink\.[\w.]*\.(?:MiniClusterWithClientResource|MiniClusterExtension|MiniClusterResource"
    r"|\w*TestHarness|TestingMiniCluster|AbstractTestBase(?:JUnit4)?))"
)
"""Imports of libraries that are on the class path of tests only."""
_MAIN = regex(
    r"\bstatic\s+(?:final\s+)?void\s+main\s*\(|\bdef\s+main\s*[\[(]|\bfun\s+main\s*\(|\bextends\s+App\b"
    r"|(?m:^if\s+__name__\s*==)|@main\b"
)
_OF_TRAINING = regex(r"(?i)\bexercise\b[^.]{0,80}\bFlink training\b|\bFlink training\b[^.]{0,80}\bexercises?\b")
"""What the programs of Flink's training say of themselves, also where somebody has copied them."""
_LETTERS_OF_NAME = 1 << 16
"""How much of a program is searched for imports."""


def purpose_of(path: str, text: str = "", kind: str = "") -> Purpose:
    """Return the purpose of a file; for programs (`kind` ``source``), the text is evidence too.

    A relative path is relative to the current folder. Nothing is read but names of folders and the repository's README.
    """
    full = absolute_path(path)
    folder, name = os.path.split(full)
    found = _of_folder(folder)
    if found.name == TEST:
        return found
    if name.endswith(".java") and (pattern := excluded_by(full)) is not None:
        return Purpose(UNBUILT, f"pom.xml excludes {pattern}")
    if kind == "source":
        of_program = _of_program(folder, name, text[:_LETTERS_OF_NAME])
        found = of_program if of_program.name == TEST else found
    if found.name != PRODUCTION:
        return found
    if kind == "source" and (of_flink := _of_flink(full, folder, text)) is not None:
        return of_flink
    if kind == "source" and _OF_TRAINING.search(text[:_LETTERS_OF_NAME]) is not None:
        return Purpose(EXAMPLE, "it is an exercise of Flink's training")
    if ("example" in name.lower() or "sample" in name.lower()) and _EXAMPLE_FILE.fullmatch(name) is not None:
        return Purpose(EXAMPLE, f"the name {name}")
    return _of_name(name, text, kind)


def is_in_tests(path: str) -> bool:
    """Return whether a file is in a folder of tests, whatever it contains."""
    return _of_folder(os.path.dirname(absolute_path(path))).name == TEST


def _of_name(name: str, text: str, kind: str) -> Purpose:
    """Return whether a file is for a developer's machine, by its name or the environment that it names."""
    if kind == "source" and _TRIAL_NAME.fullmatch(name.rpartition(".")[0]) is not None:
        return Purpose(DEVELOPMENT, f"the name {name}")
    if kind == "sql" and _TEST_SCRIPT.fullmatch(name.rpartition(".")[0]) is not None:
        return Purpose(TEST, f"the name {name}")
    words = name.lower().replace("_", "-").replace(".", "-").split("-")
    if "e2e" in words:
        return Purpose(TEST, f"the name {name}")
    if not (_DEVELOPMENT_WORDS if kind in _OF_ONE_MACHINE else _LOCAL_WORDS).isdisjoint(words):
        return Purpose(DEVELOPMENT, f"the name {name}")
    if kind == "sql" and "CATALOG" not in text.upper():
        connectors = {one.lower() for one in _CONNECTOR.findall(text)}
        if connectors & _GENERATED and connectors & _SHOWN and connectors <= _GENERATED | _SHOWN:
            return Purpose(EXAMPLE, "all that it reads is generated, and printed or dropped")
    if kind == "sql":
        from flink_flint.linter.formats.sql.scratch_sheets import evidence_of_sheet

        if evidence := evidence_of_sheet(text):
            return Purpose(DEVELOPMENT, evidence)
    if kind == "properties" and (line := _DEVELOPMENT_LINE.search(text)) is not None:
        return Purpose(DEVELOPMENT, f"it has {line[0].strip()}")
    return _PRODUCTION


def set_purpose(documents: Sequence[Document]) -> None:
    """Set the purpose on all documents of a file, unless it is already set."""
    first = documents[0]
    if not first.purpose_is_set:
        purpose = purpose_of(first.path, first.text, first.kind)
        for document in documents:
            of_document = _of_document(document) if purpose.name == PRODUCTION else purpose
            document.purpose, document.purpose_evidence = of_document
            document.purpose_is_set = True


def _of_document(document: Document) -> Purpose:
    """Return what a document of a file for production is for."""
    example = _shipped_example(document)
    if example:
        return Purpose(EXAMPLE, example)
    for element in document.elements:
        if element.kind == "kubernetes-object":
            for name in (*(f"metadata.labels.{label}" for label in _LABELS), "metadata.namespace"):
                value = element.value(name)
                if isinstance(value, str) and value.lower() in _DEVELOPMENT_OBJECTS:
                    return Purpose(DEVELOPMENT, f"{name} is {value}")
    return _PRODUCTION


def _shipped_example(document: Document) -> str:
    """Return the evidence that a document deploys one of the examples that Flink ships; empty if it does not."""
    if _SHIPPED_EXAMPLES not in document.text:
        return ""
    for element in document.elements:
        if element.kind == "kubernetes-object":
            jar = element.value("spec.job.jarURI")
        elif element.kind == "container":
            words = (word.value for word in element.listed("args"))
            jar = next((word for word in words if isinstance(word, str) and _SHIPPED_EXAMPLES in word), None)
        else:
            continue
        if isinstance(jar, str) and _SHIPPED_EXAMPLES in jar:
            return f"it runs {jar[-100:]}"
    return ""


@remembered
def _of_folder(folder: str) -> Purpose:
    """Return what the files of a folder are for, by the folder's path in its repository."""
    root = repository_of(folder) or _outermost(folder)
    parts = _parts(os.path.relpath(folder, root)) if root != folder else []
    example = ""
    place = root
    is_package = False
    for index, part in enumerate(parts):
        lower = part.lower()
        before = parts[index - 1].lower() if index else ""
        shown = "/".join(parts[: index + 1]) + "/"
        if is_package:
            names = _EXAMPLE_FOLDERS if _is_of_resources(parts[: index + 1]) else _EXAMPLE_PACKAGES
            example = example or (shown if lower in names else "")
        elif before == "src" and lower in _SOURCES:
            is_package = True
        elif _is_test_folder(lower, before, place, parts[index + 1 :]):
            return Purpose(TEST, f"in {shown}")
        elif _is_example_folder(lower, before):
            example = example or shown
        place = os.path.join(place, part)
    if example:
        return Purpose(EXAMPLE, f"in {example}")
    return _of_repository(root)


def _outermost(folder: str) -> str:
    """Return the folder that paths outside of any repository are relative to."""
    here = os.getcwd()
    return here if folder == here or folder.startswith(here.rstrip(os.sep) + os.sep) else folder


def _parts(path: str) -> list[str]:
    return [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]


def _is_test_folder(name: str, before: str, parent: str, rest: list[str]) -> bool:
    if name in _TEST_FOLDERS or (before == "src" and _TEST_SOURCE_SET.fullmatch(name) is not None):
        return True
    if _END_TO_END.fullmatch(name) is not None:
        return True
    if name == "it":  # also the country of a package
        return "src" in rest
    if name == "test":
        return names_in(parent).isdisjoint(_ENVIRONMENTS)
    if name == "ci":  # the values that chart-testing installs a chart with
        return not rest and CHART in names_in(parent)
    return _TEST_MODULE.fullmatch(name) is not None and (not rest or "src" in rest)


def _is_of_resources(parts: list[str]) -> bool:
    """Return whether a folder below ``src/main`` is one of resources, and not of those of a package."""
    return "resources" in parts[:-1] and parts[-2] not in _DOMAINS


def _is_example_folder(name: str, before: str) -> bool:
    """Return whether a folder has examples, or an environment in which somebody tries things out."""
    if name in _EXAMPLE_FOLDERS or _EXAMPLE_MODULE.fullmatch(name) is not None:
        return True
    return name in _DEVELOPMENT and before in _DEPLOYMENT_FOLDERS


@remembered
def _of_repository(root: str) -> Purpose:
    """Return what a whole repository is for, by its name and the title of its README."""
    if repository_of(root) != root:
        return _PRODUCTION
    name = os.path.basename(root)
    if _EXAMPLE_REPOSITORY.fullmatch(name) is not None:
        return Purpose(EXAMPLE, f"in the repository {name}")
    if _BENCHMARK_REPOSITORY.fullmatch(name) is not None:
        return Purpose(DEVELOPMENT, f"in the repository {name}")
    for readme in READMES:
        if readme not in names_in(root):
            continue
        title = _TITLE.search((found_text(os.path.join(root, readme)) or "")[:4_000])
        words = (title[1] or title[2]).strip() if title is not None else ""
        for pattern, purpose in ((_EXAMPLE_TITLE, EXAMPLE), (_BENCHMARK_TITLE, DEVELOPMENT)):
            if pattern.search(words) is not None:
                return Purpose(purpose, f"the title of {readme} is {words[:80]!r}")
        break
    return _PRODUCTION


def _of_flink(path: str, folder: str, text: str) -> Purpose | None:
    """Return the purpose of a class of Flink in the source tree of one of its projects; None for other programs."""
    if _PACKAGE_OF_FLINK.search(text) is None and _PYFLINK not in path.replace("\\", "/"):
        return None
    from flink_flint.linter.filesystem.flink_sources import flink_project_of

    project = flink_project_of(folder)
    return None if project is None else Purpose(DEVELOPMENT, f"among the sources of Flink's own {project}")


def _of_program(folder: str, name: str, text: str) -> Purpose:
    """Return whether a program is a test, by its imports and its name."""
    if _PYTHON_TEST.fullmatch(name) is not None:
        return Purpose(TEST, f"the name {name}")
    in_production = any(f"/src/{one}/" in f"{folder}/".replace("\\", "/") for one in _SOURCES)
    library = _LIBRARY.search(text)
    if library is not None and not (in_production and _MAIN.search(text) is not None):
        return Purpose(TEST, f"it imports {library[1]}")
    stem = name.rpartition(".")[0]
    if in_production or name.endswith(".py") or _TEST_NAME.fullmatch(stem) is None or _MAIN.search(text) is not None:
        return _PRODUCTION
    return Purpose(TEST, f"the name {name}")
