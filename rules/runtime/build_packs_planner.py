"""A job's JAR brings a planner of SQL, which Flink has already.

## What it does
Looks at builds that pack their dependencies into one JAR (a plugin `shade`, `assembly` or `shadow`). Reports
`flink-table-planner` among what is packed; other parts of Flink that every cluster has (`flink-dist`, `flink-runtime`,
`flink-streaming-java`, `flink-clients`, ...) as advice.

## Why it matters
The program ends with `ValidationException: Multiple factories for identifier 'default' that implement
'org.apache.flink.table.delegation.ExecutorFactory' found in the classpath`, or with `TableException: Could not
instantiate the executor`. From 1.15 on, `flink-table-planner-loader` is in `lib` of every distribution, and the factory
of `flink-table-planner` is found besides. Of other parts the cluster's are loaded
first, and those in the JAR only make it large, or bring an old `commons-cli` or `reference.conf` with them.

## What to do
Give them the scope `provided` (Gradle: `compileOnly`, or `flinkShadowJar` for what is packed).

## Not when
- The scope is `provided` or `test`, or not known; the plugin leaves the artifact out.
- Flink is before 1.15, which has the same planner in `lib`, or somebody replaced the one in `lib`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/configuration/advanced/#anatomy-of-table-dependencies>:
  the two JARs of the planner exclude each other
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/configuration/maven/>: what is `provided`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.runtime._packed import PACKERS, is_packed

_PLANNER = "flink-table-planner"
_PARTS = (
    "flink-dist", "flink-runtime", "flink-runtime-web", "flink-core", "flink-java", "flink-streaming-java",
    "flink-streaming-scala", "flink-scala", "flink-clients", "flink-table-runtime", "flink-table-api-java-bridge",
    "flink-table-planner-loader",
)  # fmt: skip
_SCALA = regex(r"_2\.1\d$")


@rule(
    code="FLK994",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:dependency"],
    since="0.1",
)
def build_packs_planner(config: View) -> Iterator[Finding]:
    """a job's JAR brings a planner of SQL, which Flink has already"""
    packer = next((one for one in config.elements("build-plugin") if one.name in PACKERS and not one.has("skip")), None)
    if packer is None or (packer.has("excludes") and not packer.is_known("excludes")):
        return
    left_out = packer.text("excludes") or ""
    told = False
    for one in config.elements("dependency"):
        name = _SCALA.sub("", one.name)
        if not is_packed(one) or one.has("classifier") or _leaves_out(left_out, name):
            continue
        if name == _PLANNER and config.since("1.15"):
            yield one.finding(
                f"the JAR of the job brings {one.name}, and Flink has the planner's loader in lib: it ends with"
                " 'Multiple factories for identifier 'default' that implement ...ExecutorFactory'",
                help="give it the scope provided (Gradle: compileOnly)",
                related=[packer.place(None, "packs what the program depends on")],
            )
        elif name in _PARTS and not told:
            told = True
            yield one.finding(
                f"the JAR of the job brings {one.name}, which every cluster has: it makes the JAR large, and may bring"
                " other versions of libraries",
                help="give what Flink has itself the scope provided (Gradle: compileOnly)",
                severity=Severity.INFO,
                related=[packer.place(None, "packs what the program depends on")],
            )


def _leaves_out(patterns: str, artifact: str) -> bool:
    """Return whether a plugin's patterns leave an artifact of Flink out."""
    return any(
        one.partition(":")[2].partition(":")[0].replace("*", "") in artifact
        for one in patterns.split()
        if one.startswith("org.apache.flink")
    )


_POM = """<project>
  <artifactId>job</artifactId>
  <dependencies>
    <dependency>
      <groupId>org.apache.flink</groupId><artifactId>%s</artifactId><version>%s</version>%s
    </dependency>
  </dependencies>
  <build><plugins><plugin>
    <artifactId>maven-shade-plugin</artifactId>%s
  </plugin></plugins></build>
</project>
"""
_GRADLE = """plugins { id 'com.gradleup.shadow' version '8.3.0' }
dependencies {
    %s "org.apache.flink:%s:1.20.0"
}
"""
_EXCLUDES = "<configuration><artifactSet><excludes><exclude>%s</exclude></excludes></artifactSet></configuration>"


def _pom(artifact: str = "flink-table-planner_2.12", version: str = "1.18.1", more: str = "", shade: str = "") -> str:
    return _POM % (artifact, version, more, shade)


def cases() -> list[Case]:
    return [
        bad(_pom(), file="pom.xml", at="flink-table-planner_2.12", severity=Severity.WARNING,
            says="Multiple factories"),
        bad(_GRADLE % ("implementation", "flink-table-planner_2.12"), file="build.gradle", says="Multiple factories"),
        bad(_pom(shade=_EXCLUDES % "com.google.code.findbugs:jsr305"), file="pom.xml", says="Multiple factories"),
        bad(_pom("flink-clients"), file="pom.xml", at="flink-clients", severity=Severity.INFO),
        good(_pom(more="<scope>provided</scope>"), file="pom.xml"),
        good(_pom(more="<scope>${scope}</scope>"), file="pom.xml"),
        good(_pom("flink-table-planner-blink_2.12", "1.13.6"), file="pom.xml"),
        good(_pom(shade=_EXCLUDES % "org.apache.flink:flink-table-planner*"), file="pom.xml"),
        good(_pom("flink-connector-kafka", "3.2.0-1.18"), file="pom.xml"),
        good(_pom().replace("maven-shade-plugin", "maven-compiler-plugin"), file="pom.xml"),
        good(_GRADLE % ("compileOnly", "flink-table-planner_2.12"), file="build.gradle"),
        good("configurations { flinkShadowJar }\n" + _GRADLE % ("implementation", "flink-table-planner_2.12"),
             file="build.gradle"),
        bad(_GRADLE % ("implementation", "flink-table-planner-loader"), file="build.gradle", severity=Severity.INFO),
    ]  # fmt: skip
