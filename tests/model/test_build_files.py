"""The release that build files name, themselves or one step away."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.model.release_evidence.build_files import release_of_build

POM = "<project>{}</project>"
DEPENDENCY = (
    "<dependencies><dependency><groupId>org.apache.flink</groupId><artifactId>{}</artifactId>"
    "<version>{}</version></dependency></dependencies>"
)


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("pom.xml", POM.format("<properties><flink-version>1.20.0</flink-version></properties>"), "1.20.0"),
        ("pom.xml", POM.format("<properties><version.flink>1.18.1</version.flink></properties>"), "1.18.1"),
        ("pom.xml", POM.format(DEPENDENCY.format("flink-clients_2.12", "1.13.6")), "1.13.6"),
        (
            "pom.xml",
            POM.format(
                "<properties><streaming>1.17.2</streaming></properties>"
                + DEPENDENCY.format("flink-streaming-java", "${streaming}")
            ),
            "1.17.2",
        ),
        (
            "pom.xml",
            POM.format("<properties><engine>1.19.1</engine><flink.version>${engine}</flink.version></properties>"),
            "1.19.1",
        ),
        ("pom.xml", POM.format("<properties><flink.version>2.1-SNAPSHOT</flink.version></properties>"), "2.1"),
        ("build.gradle", "def flink_version = '1.16.1'", "1.16.1"),
        ("build.gradle", "ext.versions = [flinkVersion: '1.16.1']", "1.16.1"),
        ("build.gradle", "set('flinkVersion', '1.16.1')", "1.16.1"),
        ("build.gradle", "implementation 'org.apache.flink:flink-streaming-java:1.17.0'", "1.17.0"),
        (
            "build.gradle",
            "def engine = '1.17.1'\nimplementation \"org.apache.flink:flink-streaming-java_${scala}:${engine}\"",
            "1.17.1",
        ),
        ("build.gradle.kts", 'val flinkVersion by extra("1.18.0")', "1.18.0"),
        ("build.gradle.kts", 'extra["flinkVersion"] = "1.18.0"', "1.18.0"),
        ("build.gradle.kts", 'implementation("org.apache.flink", "flink-clients", "1.18.0")', "1.18.0"),
        ("build.sbt", '"org.apache.flink" %% "flink-streaming-scala" % "1.14.6" % Provided', "1.14.6"),
        (
            "build.sbt",
            'val engine = "1.14.6"\nval d = Seq("org.apache.flink" %% "flink-streaming-scala" % engine)',
            "1.14.6",
        ),
        ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = "1.19.1"\n', "1.19.1"),
        ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = "^1.19.1"\n', ">=1.19.1,<2"),
        ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = { version = "~1.19.1" }\n', "1.19"),
        (
            "pyproject.toml",
            '[tool.poetry.dependencies]\napache-flink = { version = ">=1.19,<2.3", optional = true }\n',
            ">=1.19,<2.3",
        ),
        ("build.gradle", "def flinkVersion = System.getenv('FLINK') ?: '1.14.3'", "1.14.3"),
        ("build.gradle.kts", 'val flinkVersion = System.getenv("FLINK") ?: "1.14.3"', "1.14.3"),
        (
            "build.gradle",
            (
                "def engine = project.findProperty('v') ?: '1.17.1'\n"
                'implementation "org.apache.flink:flink-clients:$engine"'
            ),
            "1.17.1",
        ),
        ("Pipfile", '[packages]\napache-flink = "==1.18.1"\n', "1.18.1"),
        ("setup.py", "install_requires=['apache-flink==1.17.0']", "1.17.0"),
    ],
)
def test_a_build_file_that_names_the_release(name: str, text: str, version: str, root: Path) -> None:
    write(root, {name: text})
    assert release_of_build(str(root / "src" / "main")) == (version, name)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (
            {
                "pom.xml": POM.format(
                    "<parent><relativePath>parent</relativePath></parent>"
                    + DEPENDENCY.format("flink-clients", "${engine}")
                ),
                "parent/pom.xml": POM.format("<properties><engine>1.17.2</engine></properties>"),
            },
            ("1.17.2", "pom.xml"),
        ),
        (
            {
                "build.gradle": 'implementation "org.apache.flink:flink-clients:$engine"',
                "gradle.properties": "engine = 1.17.2\n",
            },
            ("1.17.2", "gradle.properties"),
        ),
        (
            {
                "build.gradle.kts": "implementation(libs.flink.clients)",
                "gradle/libs.versions.toml": '[versions]\nengine = "1.18.1"\n[libraries]\n'
                'c = { module = "org.apache.flink:flink-clients", version.ref = "engine" }\n',
            },
            ("1.18.1", "gradle/libs.versions.toml"),
        ),
        (
            {
                "gradle/libs.versions.toml": '[versions]\nconnector = "3.1.0"\nflink = { strictly = "1.18.1" }\n'
                '[libraries]\nk = { module = "org.apache.flink:flink-connector-kafka", version.ref = "connector" }\n'
            },
            ("1.18.1", "gradle/libs.versions.toml"),
        ),
        (
            {
                "build.sbt": "libraryDependencies ++= Dependencies.flink",
                "project/Dependencies.scala": 'val flink = Seq("org.apache.flink" % "flink-clients" % Versions.engine)',
                "project/Versions.scala": 'object Versions { val engine: String = "1.15.4" }',
            },
            ("1.15.4", "project/Versions.scala"),
        ),
        (
            {
                "build.sbt": "libraryDependencies ++= Dependencies.flink",
                "project/Versions.scala": 'object Versions { val flinkVersion = "1.15.4" }',
            },
            ("1.15.4", "project/Versions.scala"),
        ),
        (
            {
                "build.sbt": "libraryDependencies ++= Dependencies.flink.core",
                "project/Dependencies.scala": 'object Dependencies {\n  object fs2 { private val version = "3.9.2" }\n'
                '  object flink {\n    private val version = "1.17.1"\n'
                '    val core = "org.apache.flink" % "flink-core" % version\n  }\n}\n',
            },
            ("1.17.1", "project/Dependencies.scala"),
        ),
        (
            {
                "build.sbt": '"org.apache.flink" % "flink-core" % V.flink',
                "project/V.scala": 'object Old { val flink = "1.9.3" }\nobject V { val flink = "1.16.2" }\n',
            },
            ("1.16.2", "project/V.scala"),
        ),
    ],
)
def test_a_release_one_step_away(files: dict[str, str], found: tuple[str, str], root: Path) -> None:
    write(root, files)
    assert release_of_build(str(root / "src")) == found


STRAY = (
    "<dependency><groupId>org.apache.flink</groupId><artifactId>flink-table-common</artifactId>"
    "<version>1.11.2</version></dependency>"
)
CLIENTS = "<dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients_2.12</artifactId>{}</dependency>"


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"pom.xml": POM.format(STRAY + CLIENTS.format("<version>1.14.0</version>"))}, "1.14.0"),
        (
            {
                "core/pom.xml": POM.format("<parent><artifactId>p</artifactId></parent>" + STRAY + CLIENTS.format("")),
                "pom.xml": POM.format(
                    "<dependencyManagement>" + CLIENTS.format("<version>1.14.0</version>") + "</dependencyManagement>"
                ),
            },
            "1.14.0",
        ),
        (
            {
                "core/pom.xml": POM.format("<parent><artifactId>p</artifactId></parent>" + STRAY + CLIENTS.format("")),
                "pom.xml": POM.format(""),
            },
            "1.11.2",
        ),
        (
            {"pom.xml": POM.format("".join(CLIENTS.format(f"<version>{v}</version>") for v in ("1.17.1", "1.14.0")))},
            ">=1.14,<=1.17",
        ),
        (
            {
                "build.gradle": "implementation 'org.apache.flink:flink-table-common:1.11.2'\n"
                "def engine = '1.17.1'\nimplementation \"org.apache.flink:flink-clients:${engine}\""
            },
            "1.17.1",
        ),
        (
            {
                "build.gradle": "implementation 'org.apache.flink:flink-clients:1.14.0'\n"
                "implementation 'org.apache.flink:flink-runtime:1.17.1'\n"
            },
            ">=1.14,<=1.17",
        ),
        (
            {
                "build.gradle": "version = '0.1.0'\n"
                "implementation group: 'org.apache.flink', name: 'flink-clients', version: '1.17.1'\n"
            },
            "1.17.1",
        ),
        (
            {
                "build.sbt": '"org.apache.flink" % "flink-table-common" % "1.11.2",\n'
                '"org.apache.flink" %% "flink-streaming-scala" % engine,\nval engine = "1.17.1"\n'
            },
            "1.17.1",
        ),
        (
            {
                "build.sbt": '"org.apache.flink" % "flink-clients" % "1.14.0",\n'
                '"org.apache.flink" %% "flink-streaming-scala" % "1.17.1"\n'
            },
            ">=1.14,<=1.17",
        ),
        (
            {
                "gradle/libs.versions.toml": "[libraries]\n"
                'common = { module = "org.apache.flink:flink-table-common", version = "1.11.2" }\n'
                'clients = { group = "org.apache.flink", name = "flink-clients", version = "1.17.1" }\n'
            },
            "1.17.1",
        ),
    ],
)  # fmt: skip
def test_what_a_program_runs_with_counts_more_than_a_library(files: dict[str, str], version: str, root: Path) -> None:
    write(root, files)
    found = release_of_build(str(root / "core" if len(files) == 2 else root))
    assert found is not None
    assert found[0] == version


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pom.xml", POM.format(DEPENDENCY.format("flink-connector-kafka", "3.0.1-1.18"))),
        ("pom.xml", POM.format(DEPENDENCY.format("flink-kubernetes-operator", "1.9.0"))),
        ("pom.xml", POM.format("<!-- <properties><flink.version>1.9.0</flink.version></properties> -->")),
        ("pom.xml", POM.format("<properties><flink.version>${flink.version}</flink.version></properties>")),
        ("build.gradle", "implementation 'org.apache.flink:flink-connector-kafka:3.0.1'"),
        ("build.gradle", "implementation 'com.acme:flink-streaming-java:1.17.0'"),
        ("build.sbt", '"com.acme" %% "flink-streaming-scala" % "1.14.6"'),
        ("requirements.txt", "apache-flink-libraries==1.17.0\n"),
        ("requirements.txt", "# apache-flink==1.17.0\n"),
        ("pyproject.toml", 'dependencies = ["apache-flink>=1.18"]'),
    ],
)
def test_what_names_no_release(name: str, text: str, root: Path) -> None:
    write(root, {name: text})
    assert release_of_build(str(root)) is None


@pytest.mark.parametrize(
    "files",
    [
        {"pom.xml": POM.format("<parent><relativePath>missing/pom.xml</relativePath></parent>")},
        {"build.sbt": "", "project/notes.md": 'val flinkVersion = "1.15.4"'},
    ],
)
def test_files_that_are_missing_or_no_part_of_the_build_name_no_release(files: dict[str, str], root: Path) -> None:
    write(root, files)
    assert release_of_build(str(root)) is None


def test_the_nearest_file_counts_but_only_inside_of_the_repository(root: Path) -> None:
    inner = root / "inner"
    write(root, {"pom.xml": POM.format("<properties><flink.version>1.17.2</flink.version></properties>")})
    write(root, {"inner/jobs/requirements.txt": "apache-flink==1.19.0\n", "inner/.git/HEAD": ""})
    assert release_of_build(str(inner / "jobs")) == ("1.19.0", "requirements.txt")
    assert release_of_build(str(inner)) is None
    write(root, {"inner/pom.xml": POM.format("<parent><relativePath>../pom.xml</relativePath></parent>")})
    assert release_of_build(str(inner / "other")) is None


@pytest.mark.parametrize("text", ["<dependency>" * 80_000, "<properties>" * 80_000, "<a>" * 300_000, "<!--" * 250_000])
def test_work_grows_with_the_length_of_the_file(text: str, root: Path) -> None:
    write(root, {"pom.xml": text})
    assert release_of_build(str(root)) is None


PROFILES = POM.format(
    "<properties><flink.version>1.18.1</flink.version></properties><profiles>"
    "<profile><properties><flink.version>1.20.0</flink.version></properties></profile>"
    "<profile><properties><flink.version>2.0.0</flink.version></properties></profile></profiles>"
)
SEVERAL = """\
[versions]
flink120 = "1.20.1"
flink21 = { strictly = "2.1.0" }
[libraries]
a = { module = "org.apache.flink:flink-streaming-java", version.ref = "flink120" }
b = { module = "org.apache.flink:flink-streaming-java", version.ref = "flink21" }
"""


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        (".", (">=1.18,<=2.0", "pom.xml")),
        ("common/src", (">=1.18,<=2.0", "pom.xml")),
        ("flink-2.0/src", ("2.0", "the folder flink-2.0")),
        ("flink-1.20-shaded", ("1.20", "the folder flink-1.20-shaded")),
        ("flink/v1.18/runtime/src", ("1.18", "the folder v1.18")),
        ("flink-9.9", (">=1.18,<=2.0", "pom.xml")),
        ("docs/v1.19", (">=1.18,<=2.0", "pom.xml")),
    ],
)
def test_a_module_of_a_build_for_several_releases_is_for_that_of_its_folder(
    folder: str, found: tuple[str, str], root: Path
) -> None:
    write(root, {"pom.xml": PROFILES})
    (root / folder).mkdir(parents=True, exist_ok=True)
    assert release_of_build(str(root / folder)) == found


def test_a_module_that_names_the_release_of_its_folder_says_the_patch(root: Path) -> None:
    module = POM.format("<properties><flink.version>2.0.1</flink.version></properties>")
    write(root, {"pom.xml": PROFILES, "flink-2.0/pom.xml": module})
    assert release_of_build(str(root / "flink-2.0")) == ("2.0.1", "pom.xml")


def test_a_catalog_of_several_releases_names_a_range(root: Path) -> None:
    write(root, {"gradle/libs.versions.toml": SEVERAL})
    assert release_of_build(str(root)) == (">=1.20,<=2.1", "gradle/libs.versions.toml")
