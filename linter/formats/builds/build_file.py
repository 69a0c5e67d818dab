"""Build files of Maven and Gradle with a dependency on Flink.

Each dependency is an element ``dependency``, each plugin an element ``build-plugin``. Versions and scopes that refer to
a property are unknown if the file does not have it, or if a profile gives it another value; so are those that a parent
manages. What a profile adds is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from flink_flint.linter.formats.logging.logging_format import LoggingFormat
from flink_flint.linter.formats.syntax.xml_tree import Tag, read_xml
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_GRADLE = ("build.gradle", "build.gradle.kts")
_FLINK = regex(r"org\.apache\.flink\b|com\.ververica\b")
_REFERENCE = regex(r"\$\{([^{}\s]{1,100}+)\}")
_COORDINATES = regex(
    r"""(?m)^[ \t]*+(?P<configuration>[a-zA-Z]\w{0,60}+)[ \t]*+\(?[ \t]*+["'](?P<group>[\w.-]{1,100}+):"""
    r"""(?P<artifact>[\w.${}-]{1,100}+)(?::(?P<version>[\w.${}-]{1,100}+))?["']"""
)
_IN_PARTS = regex(
    r"""(?m)^[ \t]*+(?P<configuration>[a-zA-Z]\w{0,60}+)[ \t]*+\(?[ \t]*+group[ \t]*+[:=][ \t]*+"""
    r"""["'](?P<group>[\w.-]{1,100}+)["'],[ \t]*+name[ \t]*+[:=][ \t]*+["'](?P<artifact>[\w.${}-]{1,100}+)["']"""
    r"""(?:,[ \t]*+version[ \t]*+[:=][ \t]*+["'](?P<version>[\w.${}-]{1,100}+)["'])?"""
)
_VARIABLE = regex(
    r"""(?m)^[ \t]*+(?:(?:def|val|var|const|String)[ \t]++)*+(?:ext\.)?+(?P<name>[a-zA-Z]\w{0,60}+)[ \t]*+=[ \t]*+"""
    r"""["'](?P<value>[\w.-]{1,60}+)["'][ \t]*+;?[ \t]*+$"""
)
_USE = regex(r"\$\{?(\w{1,60}+)\}?")
_PLUGIN = regex(
    r"""(?m)(?:^|\bplugins[ \t]*+\{)[ \t]*+(?:id\b[ \t]*+\(?[ \t]*+|apply[ \t]++plugin:[ \t]*+)"""
    r"""["'](?P<id>[\w.-]{1,100}+)["']"""
    r"""(?P<rest>[^\n]{0,200}+)"""
)
_COMMENT = regex(r"(?<![:/\w\"'])//[^\n]*+")
_SCOPES = {
    "compileOnly": "provided", "provided": "provided", "testImplementation": "test", "testRuntimeOnly": "test",
    "testCompile": "test", "implementation": "compile", "compile": "compile",
    "api": "compile", "runtimeOnly": "runtime", "shadow": "provided",
}  # fmt: skip
"""Maven's scope for each configuration of Gradle; others are unknown."""
_SHADOWED = "flinkShadowJar"
"""The configuration of Flink's templates of builds; where there is one, nothing else is packed."""
_MAX = 1_000


class BuildFile(LoggingFormat):
    """``pom.xml``, ``build.gradle`` and ``build.gradle.kts``."""

    kind = "build"
    comments = ("//",)

    def named(self, name: str) -> bool:
        """Return whether a file has the name of a build file."""
        return name == "pom.xml" or name in _GRADLE

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a build has an artifact of Flink's, or of Flink CDC's."""
        return self.named(name) and _FLINK.search(head) is not None

    def elements(self, text: str, file: str) -> list[Element]:
        """Return the dependencies and plugins of a build."""
        return list(_of_gradle(text) if file in _GRADLE else _of_pom(text))[:_MAX]


def _of_pom(text: str) -> Iterator[Element]:
    root = read_xml(text)
    if root is None or root.name != "project":
        return
    properties = _properties(root)
    managed = {one.name: one for tag in _below(root, "dependencyManagement", "dependencies")
               if (one := _artifact("dependency", tag, properties)) is not None}  # fmt: skip
    for part in root.children:
        if part.name == "dependencies":
            for tag in part.children:
                one = _artifact("dependency", tag, properties)
                if one is not None:
                    inherited = managed[one.name].attributes if one.name in managed else {}
                    attributes = {name: inherited[name] for name in ("version", "scope") if name in inherited}
                    yield Element(one.kind, one.name, one.span, {**attributes, **one.attributes})
        elif part.name == "parent":
            parent = _artifact("build-parent", part, properties)
            if parent is not None:
                yield parent
    for tag in _below(root, "build", "plugins"):
        plugin = _artifact("build-plugin", tag, properties)
        if plugin is not None:
            yield Element(plugin.kind, plugin.name, plugin.span, {**plugin.attributes, **_of_plugin(tag)})


def _below(root: Tag, *names: str) -> Iterator[Tag]:
    """Yield what is below tags of these names, each below the last."""
    tags = [root]
    for name in names:
        tags = [child for tag in tags for child in tag.children if child.name == name]
    for tag in tags:
        yield from tag.children


def _properties(root: Tag) -> dict[str, object]:
    """Return the properties of a POM, without those that a profile sets as well."""
    of_profiles = {one.name for one in _below(root, "profiles", "profile", "properties")}
    return {
        one.name: one.content.value for one in _below(root, "properties")
        if one.content is not None and one.name not in of_profiles
    }  # fmt: skip


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
    """Return the goals of a plugin, whether it is skipped, and the artifacts that it leaves out."""
    attributes: dict[str, Attribute] = {}
    goals = [one for one in tag.walk() if one.name == "goal" and one.content is not None]
    if goals and goals[0].content is not None:
        words = " ".join(str(one.content.value) for one in goals if one.content is not None)
        attributes["goals"] = Attribute(words, goals[0].content.span, goals[0].span, words)
    excluded = [one for one in tag.walk() if one.name == "exclude" and one.content is not None]
    if excluded and excluded[0].content is not None:
        words = " ".join(str(one.content.value) for one in excluded if one.content is not None)
        attributes["excludes"] = Attribute(words, excluded[0].content.span, excluded[0].span)
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
    scopes = {one: "provided" if _SHADOWED in plain and scope != "test" else scope for one, scope in _SCOPES.items()}
    scopes[_SHADOWED] = "compile"
    variables: dict[str, str | None] = {}
    for match in _VARIABLE.finditer(plain):
        known = variables.setdefault(match["name"], match["value"])
        variables[match["name"]] = known if known == match["value"] else None
    for match in chain(_COORDINATES.finditer(plain), _IN_PARTS.finditer(plain)):
        artifact = _filled_in(match["artifact"], variables)
        if artifact is None:
            continue
        at = Span(*match.span("artifact"))
        attributes = {
            "groupId": Attribute(match["group"], Span(*match.span("group"))),
            "scope": Attribute(scopes.get(match["configuration"]), Span(*match.span("configuration"))),
        }
        if match["version"]:
            version = _filled_in(match["version"], variables)
            attributes["version"] = Attribute(version, Span(*match.span("version")))
        yield Element("dependency", artifact, at, attributes)
    for match in _PLUGIN.finditer(plain):
        attributes = {}
        if "apply false" in match["rest"] or "apply(false)" in match["rest"]:
            attributes["skip"] = Attribute("true", Span(*match.span("rest")))
        yield Element("build-plugin", match["id"], Span(*match.span("id")), attributes)


def _filled_in(text: str, variables: dict[str, str | None]) -> str | None:
    """Return a text of Gradle with the variables that it refers to; None if one is unknown."""
    if any(variables.get(name) is None for name in _USE.findall(text)):
        return None
    filled = _USE.sub(lambda one: variables[one[1]] or "", text)
    return None if "$" in filled else filled


FILE_FORMAT = BuildFile()
