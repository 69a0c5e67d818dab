"""flink-conf.yaml keeps the quotes around a value.

## What it does
Reports values of `flink-conf.yaml` that begin and end with the same quote. It is an error where Flink then
refuses the value (a number, a size, a duration, an enumerated word), and a warning otherwise.

## Why it matters
Up to 1.20 this file is not YAML, so quotes are characters like any other. `"4"` is no number, and the process
does not start; `"s3://bucket/checkpoints"` is no URI, and the first checkpoint fails; a host name with quotes
resolves to nothing.

## What to do
Write the value without quotes. It may hold blanks, colons and commas as it is; a `#` it cannot hold at all
(FLK008). The fix is safe where the value is of no use as it stands: Flink refuses it, or it is a URI or the name of
an implementation. Otherwise look twice: a job or a cluster that goes by a name with quotes changes its name.

## Not when
- `env.` keys: Flink's shell scripts read them and take one layer of quotes off.
- Options of lists and maps, where quotes protect the separators `;`, `,` and `:`.
- The value is a template's.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.18/docs/deployment/config/>: the format, flat keys and values
- <https://cwiki.apache.org/confluence/display/FLINK/FLIP-366:+Support+standard+YAML+for+FLINK+configuration>:
  the old parser is no YAML parser
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.settings._lines import is_foreign, is_known

NAMES = ("execution.checkpointing.storage", "high-availability.type", "restart-strategy.type", "state.backend.type")
"""Options whose text names an implementation; with quotes it names none."""
_ANY = ".<parameter>"
_QUOTED = regex(r"""(["']).*\1""")


@rule(
    code="FLK010", severity=Severity.WARNING, confidence=Confidence.HIGH, flink="<2", since="0.1", when=["flink-conf"]
)
def quoted_value_in_flink_conf(config: View) -> Iterator[Finding]:
    """flink-conf.yaml keeps quotes, so they become part of the value"""
    if is_foreign(config.document):
        return
    for entry in config.document.effective.values():
        raw = entry.raw
        # What an image or a variable implies is quoted as its own file wants it; Flink's file has no quotes.
        if _QUOTED.fullmatch(raw) and entry.style != "implied" and not entry.key.startswith("env."):
            yield from _judge(config, config.written(entry.key), raw)


def _judge(config: View, setting: Setting, raw: str) -> Iterator[Finding]:
    option, key = setting.option, setting.written
    if not setting.is_known or (option is not None and option.type.startswith(("List", "Map"))):
        return
    if option is not None and option.key.endswith(_ANY) and _is_newer(config, key, option.key):
        return  # a parameter that no reporter of this release reads; FLK004 is about the release
    inner = raw[1:-1]
    refused = setting.error is not None
    useless = refused or setting.key in NAMES or re.match(r"[a-z][a-z0-9+.\-]*://", inner) is not None
    known = is_known(key)
    assert setting.entry is not None
    if setting.entry.indent and not known:
        return  # the quotes are the lesser fault of a nested block
    writable = inner.strip() == inner and inner != "" and raw[0] not in inner
    yield setting.finding(
        f"flink-conf.yaml keeps quotes, so the value of {key} begins and ends with one"
        + (" and Flink refuses it" if refused else ""),
        help="write the value without quotes" if writable else "delete the quotes, or the line",
        severity=Severity.ERROR if refused else None,
        confidence=None if known else Confidence.MEDIUM,
        fix=setting.replace(inner, safe=useless and known, title="drop the quotes") if writable else None,
    )


def _is_newer(config: View, key: str, parameter: str) -> bool:
    """Whether a key, which sets any parameter of a plugin here, is an option of its own in other releases."""
    found = (config.catalogue.accept(key, index) for index in range(len(MINORS)))
    return any(accepted is not None and accepted.option.key != parameter for accepted in found)


def cases() -> list[Case]:
    return [
        bad(
            'parallelism.default: "4"\n',
            at="parallelism.default",
            flink="1.18",
            severity=Severity.ERROR,
            says="refuses",
            fixed="parallelism.default: 4\n",
        ),
        bad(
            "state.checkpoints.dir: 's3://bucket/checkpoints' # shared\n",
            at="execution.checkpointing.dir",
            file="flink-conf.yaml",
            severity=Severity.WARNING,
            fixed="state.checkpoints.dir: s3://bucket/checkpoints # shared\n",
        ),
        bad('s3.secret-key: "abcdefgh"\n', at="s3.secret-key", flink="1.14", fixed="s3.secret-key: abcdefgh\n"),
        bad('rest.address: ""\n', at="rest.address", flink="1.18", fixed='rest.address: ""\n'),
        bad('rest.address: " jm"\n', flink="1.18", fixed='rest.address: " jm"\n'),
        bad('rest.address: "jm"1"\n', flink="1.18", fixed='rest.address: "jm"1"\n'),
        bad('  rest.address: "jm"\nrest.port: 8081\n', flink="1.18"),
        bad('myapp.name: "x"\nrest.port: 8081\n', flink="1.18"),
        good('flink:\n  name: "x"\nrest.port: 8081\n', flink="1.18"),
        good("rest.address: '\nrest.port: 8081\n", flink="1.18"),
        good("pipeline.global-job-parameters: 'a:b,c:d'\n", flink="1.18"),
        good('parallelism.default: "4"\n', flink="2.0", file="flink-conf.yaml"),
        good('apiVersion: v1\nrest.address: "jm"\nrest.port: 8081\n', flink="1.18"),
        good('env.java.opts: "-Xmx1g -Dname=x"\n', flink="1.18"),
        good("pipeline.jars: 'file:///a;b.jar'\n", flink="1.18"),
        good('rest.address: "{{ host }}"\n', file="flink-conf.yaml"),
        good('parallelism.default: "4"\n', flink="1.20"),
        good('metrics.reporter.prom.filter.includes: "*:load"\nrest.port: 8081\n', file="flink-conf.yaml"),
        bad('metrics.reporter.prom.prefix: "a"\nrest.port: 8081\n', file="flink-conf.yaml"),
        good('metrics.scope.jm: "a" and "b\'\n', flink="1.18"),
        good(
            'services:\n  tm:\n    image: "flink:1.17.1"\n    command: taskmanager\n    environment:\n'
            '      JOB_MANAGER_RPC_ADDRESS: "jm"\n      TASK_MANAGER_NUMBER_OF_TASK_SLOTS: "2"\n',
            file="docker-compose.yml",
        ),
        bad(
            'services:\n  tm:\n    image: "flink:1.17.1"\n    command: taskmanager\n    environment:\n'
            "      FLINK_PROPERTIES: |\n        taskmanager.numberOfTaskSlots: '2'\n",
            file="docker-compose.yml",
            at="taskmanager.numberOfTaskSlots",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "flink-conf.yaml",
            "yarn.application.name: 'orders'\n",
            "'orders'",
            good="yarn.application.name: orders\n",
            releases="<2",
        ),
    ]
