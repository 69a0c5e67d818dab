"""Build files of Maven and Gradle that pack a connector for SQL, or a JAR of Spring Boot, with a program for Flink.

Each dependency is an element ``dependency``, each plugin an element ``build-plugin``. Versions and scopes that refer to
a property which the file does not have are unknown; so are those that a parent manages.
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.logging.logging_format import LoggingFormat
from flink_flint.linter.formats.syntax.xml_tree import Tag, read_xml
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_GRADLE = ("build.gradle", "build.gradle.kts")
_FLINK = regex(r"org\.apache\.flink\b|com\.ververica\b")
_PACKED = regex(r"flink-sql-connector-|spring-boot|springframework\.boot|-flink-runtime")
_REFERENCE = regex(r"\$\{([^{}\s]{1,100}+)\}")
_COORDINATES = regex(
    r"""(?m)^[ \t]*+(?P<configuration>[a-zA-Z]\w{0,60}+)[ \t]*+\(?[ \t]*+["'](?P<group>[\w.-]{1,100}+):"""
    r"""(?P<artifact>[\w.${}-]{1,100}+)(?::(?P<version>[\w.${}-]{1,100}+))?["']"""
)
_PLUGIN = regex(
    r"""(?m)^[ \t]*+(?:id\b[ \t]*+\(?[ \t]*+|apply[ \t]++plugin:[ \t]*+)["'](?P<id>[\w.-]{1,100}+)["']"""
    r"""(?P<rest>[^\n]{0,200}+)"""
)
_COMMENT = regex(r"(?<![:/\w\"'])//[^\n]*+")
_SCOPES = {
    "compileOnly": "provided", "provided": "provided", "testImplementation": "test", "testRuntimeOnly": "test",
    "testCompile": "test", "flinkShadowJar": "compile", "implementation": "compile", "compile": "compile",
    "api": "compile", "runtimeOnly": "runtime", "shadow": "provided",
}  # fmt: skip
"""Maven's scope for each configuration of Gradle; others are unknown."""
_MAX = 1_000


class BuildFile(LoggingFormat):
    """``pom.xml``, ``build.gradle`` and ``build.gradle.kts``."""

    kind = "build"
    comments = ("//",)

    def named(self, name: str) -> bool:
        """Return whether a file has the name of a build file."""
        return name == "pom.xml" or name in _GRADLE

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a build has Flink, and packs something that flint knows about."""
        return self.named(name) and _FLINK.search(head) is not None and _PACKED.search(head) is not None

    def elements(self, text: str, file: str) -> list[Element]:
        """Return the dependencies and plugins of a build."""
        return list(_of_gradle(text) if file in _GRADLE else _of_pom(text))[:_MAX]


def _of_pom(text: str) -> Iterator[Element]:
    root = read_xml(text)
    if root is None or root.name != "project":
        return
    properties = {
        one.name: one.content.value for tag in root.children if tag.name == "properties" for one in tag.children
        if one.content is not None
    }  # fmt: skip
    for part in root.children:
        if part.name == "dependencies":
            yield from (one for tag in part.children if (one := _artifact("dependency", tag, properties)) is not None)
        elif part.name == "parent":
            parent = _artifact("build-parent", part, properties)
            if parent is not None:
                yield parent
        elif part.name == "build":
            for plugins in part.children:
                if plugins.name != "plugins":
                    continue
                for tag in plugins.children:
                    plugin = _artifact("build-plugin", tag, properties)
                    if plugin is not None:
                        attributes = {**plugin.attributes, **_of_plugin(tag)}
                        yield Element(plugin.kind, plugin.name, plugin.span, attributes)


def _artifact(kind: str, tag: Tag, properties: dict[str, object]) -> Element | None:
    """Return the element of a tag with the coordinates of an artifact; None if it has none."""
    named = {one.name: one for one in tag.children if one.content is not None}
    artifact = named.get("artifactId")
    if artifact is None or artifact.content is None:
        return None
    attributes: dict[str, Attribute] = {}
    for name in ("groupId", "version", "scope", "optional", "classifier"):
        found = named.get(name)
        if found is not None and found.content is not None:
            value = _resolved(found.content.value, properties)
            attributes[name] = Attribute(value, found.content.span, found.span, str(found.content.value))
    title = _resolved(artifact.content.value, properties)
    return None if title is None else Element(kind, title, artifact.content.span, attributes)


def _of_plugin(tag: Tag) -> dict[str, Attribute]:
    """Return the goals of a plugin, and whether it is skipped."""
    attributes: dict[str, Attribute] = {}
    goals = [one for one in tag.walk() if one.name == "goal" and one.content is not None]
    if goals and goals[0].content is not None:
        words = " ".join(str(one.content.value) for one in goals if one.content is not None)
        attributes["goals"] = Attribute(words, goals[0].content.span, goals[0].span, words)
    for name in ("skip", "classifier"):
        found = next((one for one in tag.walk() if one.name == name and one.content is not None), None)
        if found is not None and found.content is not None:
            attributes[name] = Attribute(found.content.value, found.content.span, found.span)
    return attributes


def _resolved(value: object, properties: dict[str, object]) -> str | None:
    """Return a text with the properties that it refers to; None if one is unknown."""
    text = str(value)
    for _ in range(5):
        found = _REFERENCE.search(text)
        if found is None:
            return text
        known = properties.get(found[1])
        if known is None or len(text) > _MAX:
            return None
        text = text[: found.start()] + str(known) + text[found.end() :]
    return None


def _of_gradle(text: str) -> Iterator[Element]:
    plain = _COMMENT.sub(lambda one: " " * len(one[0]), text)
    for match in _COORDINATES.finditer(plain):
        if "$" in match["artifact"]:
            continue
        at = Span(*match.span("artifact"))
        attributes = {
            "groupId": Attribute(match["group"], Span(*match.span("group"))),
            "scope": Attribute(_SCOPES.get(match["configuration"]), Span(*match.span("configuration"))),
        }
        if match["version"]:
            known = None if "$" in match["version"] else match["version"]
            attributes["version"] = Attribute(known, Span(*match.span("version")))
        yield Element("dependency", match["artifact"], at, attributes)
    for match in _PLUGIN.finditer(plain):
        attributes = {}
        if "apply false" in match["rest"] or "apply(false)" in match["rest"]:
            attributes["skip"] = Attribute("true", Span(*match.span("rest")))
        yield Element("build-plugin", match["id"], Span(*match.span("id")), attributes)


FILE_FORMAT = BuildFile()
