"""A build packs the program as a JAR of Spring Boot, whose classes tasks do not find.

## What it does
Looks at build files with a dependency on Flink that the cluster provides (`provided`, `compileOnly`) and a Spring Boot
plugin that repackages the JAR (`repackage`, which the parent `spring-boot-starter-parent` adds by itself; `bootJar` of
Gradle).

## Why it matters
A JAR of Spring Boot has the program in `BOOT-INF/classes` and libraries as JARs in `BOOT-INF/lib`, which its own
launcher reads. Flink gives tasks a class loader over the JAR as it is, which looks into neither. `main` may run, and
the tasks fail: `ClassNotFoundException` of the job's own function, `StreamTaskException: Cannot load user class`.

## What to do
Build the JAR with `maven-shade-plugin` or Gradle's `shadow`, and leave `repackage` out (`<skip>true</skip>`,
`bootJar { enabled = false }`).

## Not when
Flink is in the JAR and runs in the application's own process; the plugin is skipped or gives its JAR a classifier, so
that there is another one; the build has a shade, shadow or assembly plugin as well.

## Sources
- <https://docs.spring.io/spring-boot/specification/executable-jar/nested-jars.html>: the layout of the JAR
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/debugging/debugging_classloading/>: how Flink loads
  classes of programs
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View

_PROVIDED = ("flink-streaming-java", "flink-clients", "flink-streaming-scala", "flink-table-api-java-bridge")
_OTHERS = ("maven-shade-plugin", "maven-assembly-plugin", "com.github.johnrengelman.shadow", "com.gradleup.shadow")


@rule(
    code="FLK979",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:build-plugin"],
    flink=">=1.0",
    since="0.1",
)
def spring_boot_jar(config: View) -> Iterator[Finding]:
    """a build packs a JAR of Spring Boot, whose classes tasks do not find"""
    provided = next(
        (
            one
            for one in config.elements("dependency")
            if one.name.partition("_")[0] in _PROVIDED and one.text("scope") == "provided"
        ),
        None,
    )
    plugins = config.elements("build-plugin")
    if provided is None or any(one.name in _OTHERS for one in plugins):
        return
    inherits = any(one.name == "spring-boot-starter-parent" for one in config.elements("build-parent"))
    for plugin in plugins:
        if plugin.has("skip") or plugin.has("classifier") or not _repackages(plugin, inherits=inherits):
            continue
        yield plugin.finding(
            "tasks do not find classes in this plugin's JAR: they are in BOOT-INF, where Flink's class loader does not"
            " look, and the job fails with ClassNotFoundException",
            help="pack the program with a shade or shadow plugin instead",
            related=[provided.place("scope", "a cluster runs the job")],
        )


def _repackages(plugin: ElementView, *, inherits: bool) -> bool:
    if plugin.name == "org.springframework.boot":
        return True
    return plugin.name == "spring-boot-maven-plugin" and (inherits or "repackage" in (plugin.text("goals") or ""))


_POM = """<project>%s
  <artifactId>job</artifactId>
  <dependencies>
    <dependency>
      <groupId>org.apache.flink</groupId>
      <artifactId>flink-streaming-java</artifactId>
      <version>1.20.0</version>%s
    </dependency>
  </dependencies>
  <build><plugins>
    <plugin>
      <groupId>org.springframework.boot</groupId>
      <artifactId>spring-boot-maven-plugin</artifactId>%s
    </plugin>
  </plugins></build>
</project>
"""
_SCOPE = "<scope>provided</scope>"
_GOALS = "<executions><execution><goals><goal>repackage</goal></goals></execution></executions>"
_PARENT = "<parent><groupId>a</groupId><artifactId>spring-boot-starter-parent</artifactId><version>3</version></parent>"
_GRADLE = """plugins {
    id 'java'
    id 'org.springframework.boot' version '3.3.0'%s
}
dependencies {
    compileOnly "org.apache.flink:flink-streaming-java:1.20.0"
}
"""


def cases() -> list[Case]:
    return [
        bad(
            _POM % ("", _SCOPE, _GOALS), file="pom.xml", at="spring-boot-maven-plugin", severity=Severity.WARNING,
            says="they are in BOOT-INF",
        ),
        bad(_POM % (_PARENT, _SCOPE, ""), file="pom.xml"),
        bad(_GRADLE % "", file="build.gradle"),
        good(_POM % ("", "", _GOALS), file="pom.xml"),
        good(_POM % ("", _SCOPE, ""), file="pom.xml"),
        good(_POM % ("", _SCOPE, _GOALS + "<configuration><skip>true</skip></configuration>"), file="pom.xml"),
        good(_GRADLE % " apply false", file="build.gradle"),
        good(
            (_POM % ("", _SCOPE, _GOALS)).replace(
                "<plugins>", "<plugins><plugin><artifactId>maven-shade-plugin</artifactId></plugin>"
            ),
            file="pom.xml",
        ),
    ]  # fmt: skip
