"""Flink cannot read the value as the list or the map that the option is.

## What it does
Reads the values of list and map options with Flink's own grammar and reports those that Flink refuses: a map with the
same key twice (`a:b,a:c`, also with equal values), an item without a colon or with a second one, a quote that is not
closed or stands inside a part, a list of numbers or durations with an element that is none.

## Why it matters
`Could not parse value 'a:b,a:c' for key 'kubernetes.jobmanager.labels'`, caused by `IllegalStateException: Duplicate
key a (attempted merging values b and c)` (on Java 8: `Duplicate key b`): Flink throws when it reads the option. Some
options are read at the start of a process, others when a job is submitted.

## What to do
Write a map as `key:value,key:value` with each key once, and a list as `a;b`. Put a part that holds a separator in
single quotes (`'k1:a:b'` as an item of a map needs them around the value: `k1:'a:b'` is refused, `'k1:''a:b'''` is
read). In `config.yaml` a YAML mapping or list needs no quotes.

## Not when
- A template fills the value in.
- Another spelling of the option wins, so that Flink never reads this one (FLK006).
- One entry of a map has a key of its own (`kubernetes.jobmanager.labels.team: a`): the last one counts.
- A mapping of `config.yaml` has a key twice: then Flink refuses the whole file (FLK005).
- The elements are words of which Flink knows a few (FLK026).

## Sources
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/configuration/ConfigurationUtils.java>:
  how maps and lists are read
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/configuration/StructuredOptionsSplitter.java>:
  how quotes work
- <https://bugs.openjdk.org/browse/JDK-8040892>: the message about duplicate keys in Java 8
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._amounts import is_quoted

KINDS = {
    "Map": ("map", "write key:value,key:value, and put an item that holds a further colon in quotes"),
    "List<String>": ("list", "separate the elements by `;`, and close the quotes of one that holds a separator"),
    "List<Map>": ("list of maps", "write key:value,key:value for each map, and separate the maps by `;`"),
}
"""How to name a type, and what to write, by the type's name in the catalogue."""
_REPEATED = "Duplicate key "


@rule(
    code="FLK049",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    since="0.1",
    scope="key",
    when=["type:Map", "type:List<String>", "type:List<Map>"],
)
def bad_list_or_map(config: View, setting: Setting) -> Iterator[Finding]:
    """Flink cannot read the value as a list or a map"""
    option = setting.option
    if option is None or option.type not in KINDS or not setting.is_read or is_quoted(config, setting):
        return
    accepted = config.accept(setting.written)
    if accepted is None or accepted.how == "map":  # one entry of a map, under a key of its own
        return
    error = setting.error
    if error is None:
        return
    if error.startswith(_REPEATED):
        # The values stay out of the message: some maps hold credentials.
        key = error.removeprefix(_REPEATED).partition(" (attempted merging")[0]
        message = f"{setting.written} has the key {key!r} twice, and Flink fails when it reads the map"
        help_text = f"keep one of the entries of {key!r}"
    else:
        kind, help_text = KINDS[option.type]
        message = f"{setting.written} must be a {kind}, and Flink fails when it reads this value"
    yield setting.finding(message, help=help_text, evidence={"type": option.type})


def cases() -> list[Case]:
    return [
        bad(
            "kubernetes.jobmanager.labels: team:a,tier:b,team:c\n",
            at="team:a,tier:b,team:c",
            flink="1.18",
            severity=Severity.ERROR,
            says="has the key 'team' twice",
        ),
        bad(
            "kubernetes.jobmanager.labels: team:a, team :a\nparallelism.default: 2\n", flink="2.1", says="'team' twice"
        ),
        bad("pipeline.global-job-parameters: a\nparallelism.default: 2\n", says="must be a map"),
        bad("kubernetes.taskmanager.labels: a:b:c\nparallelism.default: 2\n", flink="1.13"),
        bad("kubernetes.jobmanager.tolerations: a:b,a:c;d:e\n", flink="1.20", says="'a' twice"),
        bad("pipeline.jars: 'file:///a;file:///b\n", flink="1.18", says="must be a list"),
        bad("SET 'pipeline.global-job-parameters' = 'a:b,a:c';\n", file="job.sql", says="'a' twice"),
        good("kubernetes.jobmanager.labels: team:a,tier:b\n", flink="1.18"),
        good("kubernetes.jobmanager.labels:\n  team: a\n  tier: b\nparallelism.default: 2\n", flink="2.1"),
        good("kubernetes.jobmanager.labels.team: a\nkubernetes.jobmanager.labels.tier: b\n", flink="1.18"),
        good("kubernetes.jobmanager.labels: team:a,Team:b\n", flink="1.18"),
        good("kubernetes.jobmanager.labels: '{team: a, tier: b}'\nparallelism.default: 2\n", flink="2.1"),
        good("kubernetes.jobmanager.labels: team:${TEAM},team:b\nparallelism.default: 2\n"),
        good("metrics.job.status.enable: STATE;WHAT\nparallelism.default: 2\n"),
        good("pipeline.jars: file:///a.jar;file:///b.jar\nparallelism.default: 2\n"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses("options", "pipeline.global-job-parameters: a\n", good="pipeline.global-job-parameters: a:1\n"),
        flink_refuses(
            "options",
            "kubernetes.jobmanager.labels: team:a,tier:b,team:c\n",
            good="kubernetes.jobmanager.labels: team:a,tier:b\n",
        ),
        flink_refuses(
            "Kubernetes JobManager",
            "kubernetes.env.secretKeyRef: A=s3/access\n",
            good="kubernetes.env.secretKeyRef: env:A,secret:s3,key:access\n",
            releases=">=1.14",
        ),
        flink_refuses("options", "pipeline.jars: 'file:///a;file:///b\n", good="pipeline.jars: file:///a;file:///b\n"),
    ]
