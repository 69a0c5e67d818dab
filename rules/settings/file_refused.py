"""Flink refuses config.yaml, or another file cannot be parsed.

## What it does
Reports what makes Flink refuse the whole `config.yaml` and has no rule of its own: text that is not YAML,
something other than a mapping, a second document, a key that is not a text, an unknown tag, bytes that are not
UTF-8, what is left of a merge conflict. The finding quotes Flink's parser.

Of every other kind of file with Flink's settings (Kubernetes manifests, Helm values, Compose files, kustomizations,
CloudFormation templates, EMR configurations, a job's own configuration, logging files) it reports text that is not the
YAML, JSON, XML or TOML that the file claims to be: an error where kubectl, Helm, Docker Compose, Kustomize or AWS
certainly refuse it, a warning where nobody knows what reads the file. flint left out what breaks the grammar, so that
no other rule has judged it.

## Why it matters
From 1.19 on one fault anywhere in the file is enough: no setting of it is read and no process starts. The old
`flink-conf.yaml` skipped a bad line with a warning. A manifest that is not YAML is refused by kubectl, Helm and Argo CD
alike, so that the change is not applied.

## What to do
Mend the place the finding points at; the help says how. A key that is a number or a truth value gets quotes
(a safe fix, because Flink reads nothing of the file before).

## Not when
- Rules of their own speak about duplicate keys (FLK005), tabs (FLK012), missing values (FLK013) and reserved
  characters (FLK016).
- The file is a template: what Flink reads is known only when it is rendered.
- A line of such another file has a variable in it (`${NAME}`), which a program may replace before anybody parses it.
- A tab stands between a key and its value: of the parsers in question Flink's alone refuses it.
- The broken part of a file of several documents has nothing of Flink in it.

## Sources
- <https://yaml.org/spec/1.2.2/>: the grammar
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the format of the file
- <https://issues.apache.org/jira/browse/FLINK-33297>: standard YAML for the configuration
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import Refusal
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.finding import Fix
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit, Span
from flink_flint.rules.settings._plain import lone_tag, names_no_anchor

TOLD_ELSEWHERE = ("template", "duplicate-key", "tab", "null-value", "reserved-indicator")

HELP = {
    "not-a-mapping": "write `key: value` lines, with a blank behind each colon",
    "multiple-documents": "delete the `---` and what does not belong to this file",
    "undefined-alias": "define the anchor (&name) above the alias, or put the value in quotes",
    "unknown-tag": "delete the tag, or put the value in quotes",
    "non-string-key": "put the key in quotes",
    "encoding": "save the file as UTF-8",
    "binary": "delete the character",
    "nesting": "write the values out instead of anchors and aliases",
    "too-large": "split the file, or take out what is not Flink's configuration",
}
"""What to do, by the reason of the refusal."""

SYNTAX_HELP = (
    (
        "mapping values are not allowed",
        "put a value that holds a colon and a blank in quotes, and check the indentation",
    ),
    ("unexpected end of stream", "close the quotes or brackets that this value opens"),
    ("unknown escape character", "use single quotes: a backslash begins an escape in double ones"),
    ("expected ',' or", "close the bracket, or put the value in quotes"),
    ("could not find expected ':'", "write a colon and a blank behind the key"),
    ("<block end>", "indent the line like its neighbours, and let nothing follow closing quotes"),
    ("expected the node content", "put the value in quotes"),
)
"""What to do about the commonest complaints of the parser, by a part of its words."""

_CONFLICT = r"(?m)^(?:<{7}|={7}|>{7})(?= |\r?$)"
_PLACE = r"(?<!\s)\s*+\bin reader, line \d+, column \d+\s*"


@rule(code="FLK043", severity=Severity.ERROR, confidence=Confidence.HIGH, since="0.1", when=["refusal"])
def file_refused(config: View) -> Iterator[Finding]:
    """Flink refuses the whole config.yaml, or the file cannot be parsed"""
    document = config.document
    told: set[str] = set()
    for refusal in config.refusals:
        if refusal.reason in TOLD_ELSEWHERE or _is_value(config, refusal):
            continue
        if not document.is_config_yaml:
            if refusal.reason in ("syntax", "unparsed"):
                yield _unparsed(config, refusal)
            elif refusal.reason == "too-large":
                yield config.finding(refusal.message, span=refusal.span, severity=Severity.WARNING)
            continue
        if not config.since("1.19") or refusal.reason in told:
            continue
        if refusal.reason != "non-string-key":
            told.add(refusal.reason)
        conflict = re.search(_CONFLICT, document.text) if refusal.reason == "syntax" else None
        span = Span(*conflict.span()) if conflict else refusal.span
        yield config.finding(
            _message(refusal, is_conflict=conflict is not None),
            span=span,
            key=refusal.key or None,
            help=_help(refusal, is_conflict=conflict is not None),
            fix=_quote_key(config, refusal),
            evidence={"error": refusal.error} if refusal.error else None,
        )


def _unparsed(config: View, refusal: Refusal) -> Finding:
    """The finding on a file of another kind that cannot be parsed: a warning where nobody knows what reads it."""
    return config.finding(
        refusal.message,
        span=refusal.span,
        severity=None if refusal.reason == "syntax" else Severity.WARNING,
        help=_help(refusal, is_conflict="merge conflict" in refusal.message),
        evidence={"error": refusal.error},
    )


def _is_value(config: View, refusal: Refusal) -> bool:
    """Whether a value that begins with ! or * is what Flink stumbles over (FLK016)."""
    if refusal.reason == "undefined-alias":
        return names_no_anchor(config.document, refusal)
    return refusal.reason == "unknown-tag" and lone_tag(config.document, refusal)


def _message(refusal: Refusal, *, is_conflict: bool) -> str:
    if is_conflict:
        return "a merge conflict was left in the file, and Flink refuses all of it"
    message = refusal.message
    words = " ".join(re.sub(_PLACE, " ", refusal.error.partition(" (java.")[0]).split())
    if words and refusal.reason not in ("syntax", "encoding", "non-string-key", "too-large"):
        message += f" ({words})"
    return message if "refuses" in message else f"{message}, so Flink refuses the whole file"


def _help(refusal: Refusal, *, is_conflict: bool) -> str:
    if is_conflict:
        return "resolve the conflict: keep one side and delete the lines with <<<<<<<, ======= and >>>>>>>"
    if refusal.reason in ("syntax", "unparsed"):
        for words, remedy in SYNTAX_HELP:
            if words in refusal.error:
                return remedy
    return HELP.get(refusal.reason, "correct the text at this place; quotes around the value often do")


def _quote_key(config: View, refusal: Refusal) -> Fix | None:
    written = config.document.text[refusal.span.start : refusal.span.end]
    if refusal.reason != "non-string-key" or not re.fullmatch(r"[\w.+-]+", written):
        return None
    return Fix("put the key in quotes", [Edit(refusal.span, f'"{written}"')])


_RESOURCE = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n  flinkConfiguration:\n"
)


def cases() -> list[Case]:
    return [
        bad("rest.address: a: b\n", flink="1.20", severity=Severity.ERROR, says="mapping values are not allowed here"),
        bad("rest.port:8081 # the port\n", at="rest.port:8081", says="must be a mapping"),
        bad(
            "rest.port: 8081\n---\nrest.port: 8082\n",
            at="---",
            says="one YAML document",
            fixed="rest.port: 8081\n---\nrest.port: 8082\n",
        ),
        bad("rest.port: 8081\n8081: a\n", at="8081", says="not a string", fixed='rest.port: 8081\n"8081": a\n'),
        bad("rest.address: \udcff\n", says="UTF-8", file="config.yaml"),
        bad("rest.address: 'a\nrest.port: 8081\n", says="end of stream"),
        bad("rest.address: !vault secret\n", says="tag"),
        bad(
            "<<<<<<< HEAD\nrest.port: 8081\n=======\nrest.port: 8082\n>>>>>>> next\n",
            at="<<<<<<<",
            says="merge conflict",
            file="config.yaml",
        ),
        bad("rest.port: &port 8081\nrest.bind-port: *prot\n", at="*prot", says="not defined before it"),
        bad(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  image: flink:1.20\n  flinkConfiguration:\n    rest.address: a: b\n",
            file="deployment.yaml",
            at=":",
            says="so kubectl refuses the object",
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  flinkConfiguration:\n    rest.address: {{ a }}: b\n",
            file="deployment.yaml",
        ),
        good("rest.port: {{ port }}\n"),
        good("rest.address:\tb\n"),
        good("rest.port: 8081\nrest.port: 8082\n"),
        good("rest.port:\n"),
        good("web.access-control-allow-origin: *\n"),
        good("rest.address: a: b\n", flink="1.18"),
        good("rest.address: a\n"),
        good("rest.port: 8081\ns3.secret-key: *abcd\n"),
        good("rest.port: 8081\ns3.secret-key: !abcd\n"),
        bad("rest.port:\n8081: a\n", at="8081"),
        bad("rest.port: 8081\n8081: a\n8082: b\n", times=2),
        bad("rest.address: !vault a\nrest.bind-address: !vault b\n", times=1),
        bad("rest.port: 8081\n[1, 2]: a\n", fixed="rest.port: 8081\n[1, 2]: a\n"),
        bad("rest.address: a: b\nrest.port: 8081\n", fixed="rest.address: a: b\nrest.port: 8081\n"),
        good("rest.address: a: b\n", flink="1.18", file="config.yaml"),
        bad(
            "services:\n  jobmanager:\n    image: flink:1.20\n    command: a: b\n",
            file="docker-compose.yml",
            says="so Docker Compose refuses the file",
            severity=Severity.ERROR,
        ),
        bad(
            "spec:\n  flinkConfiguration:\n    rest.port: 8081\n  foo:\n    MASKED q\n    key: z\n",
            file="fragment.yaml",
            at=":",
            severity=Severity.WARNING,
        ),
        bad(
            "image: flink:1.20\nflinkConfiguration:\n  rest.port: 8081\nnote: 'a\n",
            file="values.yaml",
            says="Helm",
        ),
        bad('{"flink": {"taskmanager.numberOfTaskSlots": 2, "parallelism.default": 2,}}', file="job.json", says="JSON"),
        bad(
            "[flink]\n'taskmanager.numberOfTaskSlots' = 2\n'parallelism.default' = 2\nnote = a b\n",
            file="job.toml",
            says="this is not TOML",
        ),
        bad(
            "<configuration>\n  <logger name='org.apache.flink' level='INFO'>\n</configuration>\n",
            file="logback.xml",
            says="this is not XML",
        ),
        good("services:\n  jobmanager:\n    image: flink:1.20\n    command:\ta\n", file="docker-compose.yml"),
        good("services:\n  jobmanager:\n    image: flink:1.20\n  {{ more }}: : b\n", file="docker-compose.yml"),
        good("services:\n  jobmanager:\n    image: flink:1.20\n    command: ${A}: b\n", file="docker-compose.yml"),
        bad(_RESOURCE + "    rest.address: a\n<<<<<<< HEAD\n", file="deployment.yaml", at="<<<<<<<", says="kubectl"),
        bad(_RESOURCE + "    rest.address: a: b\n    rest.port: 1: 2\n", file="deployment.yaml"),
        bad(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  note: a: b\n  flink-conf.yaml: |\n"
            "    rest.port: 8081\n",
            file="deployment.yaml",
            at=":",
            says="kubectl",
        ),
        good(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: a: b\n---\napiVersion: v1\nkind: ConfigMap\n"
            "metadata:\n  name: a\ndata:\n  flink-conf.yaml: |\n    rest.port: 8081\n",
            file="deployment.yaml",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses("config.yaml", bad, good=good, both=both, releases=">=1.19")
        for bad, good, both in (
            ("---\nrest.address: a\n", "rest.address: a\n", "rest.port: 8081\n"),
            ("8081: a\n", "'8081': a\n", "jobmanager.rpc.port: 6123\n"),
            ("rest: {address: a\n", "rest: {address: a}\n", "jobmanager.rpc.port: 6123\n"),
        )
    ]
