"""Flink cannot read the value as the number or the boolean that the option is.

## What it does
Reads the values of options that are whole numbers, floating-point numbers or booleans with Java's own
grammar, and reports those that Flink refuses: `2.0`, `1_000` and `1k` are no whole numbers, `40%` and `0,4`
are no floats, and a boolean is `true` or `false` in any case, never `yes`, `on` or `1`.

## Why it matters
Flink throws when it reads the option: some at start, some only when the feature is first used, in the middle
of the night.

## What to do
Write the number or the boolean plainly. `2.0` and `40%` say exactly what is meant, so their fix is safe.

## Not when
- A word such as `jm_heap` or `SLOTS` may stand for what a script puts in its place: the confidence is low.
- A template fills the value in.
- Another spelling of the option wins, so that Flink never reads this one (FLK006).
- The value stands in quotes in `flink-conf.yaml`, where they are part of it: FLK010.
- An option in milliseconds or seconds has a value with a unit of time (`50 s`, `1.5min`): FLK023 and FLK024.
- A `config.yaml` of unknown release gives it to an option that only 1.19 still counts in milliseconds: FLK021.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the type of each option
- <https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/lang/Integer.html#parseInt(java.lang.String)>:
  whole numbers
"""

import re
from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._amounts import counted_unit, hardly_older, is_duration_later, is_quoted, meant_duration
from flink_flint.rules.settings._keys import shown, taken_by_all

KINDS = {
    "Integer": "a whole number",
    "Long": "a whole number",
    "Float": "a number such as 0.4",
    "Double": "a number such as 0.4",
    "Boolean": "true or false",
}
_BOOLEANS = {
    "yes": "true",
    "y": "true",
    "on": "true",
    "1": "true",
    "no": "false",
    "n": "false",
    "off": "false",
    "0": "false",
}
_WHOLE = r"([-+]?\d{1,18})\.0*"
_GROUPED = r"[-+]?\d{1,3}(?:[_',]\d{3})+|\d+(?:_\d+)+"
_PERCENT = r"(\d{1,6}(?:\.\d{1,6})?)\s*%"
_COMMA = r"\d+,\d+"
_SURE = rf"{_WHOLE}|{_PERCENT}"
"""What can mean one number only."""
_PLACEHOLDER = r"[A-Za-z]+(?:_[A-Za-z]+)+|[A-Z]{3,}"
"""Words such as ``jm_heap`` that a script may replace before Flink reads the file."""


@rule(
    code="FLK025",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    since="0.1",
    scope="key",
    when=["type:Integer", "type:Long", "type:Float", "type:Double", "type:Boolean"],
)
def bad_number_or_boolean(config: View, setting: Setting) -> Iterator[Finding]:
    """Flink cannot read the value as a number or a boolean"""
    if setting.error is None or not setting.is_read or setting.is_typed or is_quoted(config, setting):
        return
    option = setting.option
    assert option is not None  # what no option reads is not refused
    if option.type not in KINDS:
        return
    if counted_unit(config, setting) and meant_duration(setting.text) is not None:
        return
    if is_duration_later(config, setting) and hardly_older(config):
        return
    text = setting.text.strip()
    meant = _meant(option.type, text)
    is_placeholder = re.fullmatch(_PLACEHOLDER, text) is not None
    is_taken = option.type == "Boolean" and setting.written.startswith("metrics.reporter.")
    outcome = "the reporter takes false for" if is_taken else "Flink fails on"
    yield setting.finding(
        f"{setting.written} must be {KINDS[option.type]}, and {outcome} {shown(repr(setting.text))}",
        help=f"write {meant}" if meant else f"write {KINDS[option.type]}",
        severity=Severity.INFO if is_placeholder else Severity.WARNING if is_taken else None,
        confidence=Confidence.LOW if is_placeholder else None,
        fix=_replace(config, setting, meant, safe=re.fullmatch(_SURE, text) is not None) if meant else None,
        evidence={"type": option.type},
    )


def _meant(option_type: str, text: str) -> str | None:
    """The value that was meant, if that can be told."""
    if option_type == "Boolean":
        return _BOOLEANS.get(text.lower().strip("\"'"))
    if option_type in ("Integer", "Long"):
        if whole := re.fullmatch(_WHOLE, text):
            return whole[1]
        return re.sub("[_',]", "", text) if re.fullmatch(_GROUPED, text) else None
    if percent := re.fullmatch(_PERCENT, text):
        from decimal import Decimal

        return format((Decimal(percent[1]) / 100).normalize(), "f")
    return text.replace(",", ".") if re.fullmatch(_COMMA, text) else None


def _replace(config: View, setting: Setting, value: str, *, safe: bool) -> Fix | None:
    return setting.replace(value, safe=safe) if taken_by_all(config, setting.written, value) else None


def cases() -> list[Case]:
    return [
        bad(
            "metrics.reporter.prom.filterLabelValueCharacters: off\n",
            flink="1.20",
            severity=Severity.WARNING,
            says="the reporter takes false for 'off'",
        ),
        bad(
            "parallelism.default: 2.0\n",
            at="2.0",
            flink="1.18",
            severity=Severity.ERROR,
            fixed="parallelism.default: 2\n",
        ),
        bad(
            "taskmanager.memory.managed.fraction: 40%\nparallelism.default: 2\n",
            at="40%",
            fixed="taskmanager.memory.managed.fraction: 0.4\nparallelism.default: 2\n",
        ),
        bad(
            "execution.checkpointing.incremental: yes\n", at="yes", fixed="execution.checkpointing.incremental: true\n"
        ),
        bad(
            "taskmanager.memory.network.fraction: 0,1\n",
            flink="1.18",
            says="a number such as 0.4",
            fixed="taskmanager.memory.network.fraction: 0.1\n",
        ),
        bad("parallelism.default: 1k\n", flink="1.18", says="whole number", fixed="parallelism.default: 1k\n"),
        bad("parallelism.default: 1,2\n", flink="1.18", fixed="parallelism.default: 1,2\n"),
        bad("parallelism.default: 2 d\n", flink="1.18"),
        bad("rest.port: 99_999_999_999\n", flink="1.18", fixed="rest.port: 99_999_999_999\n"),
        bad("blob.service.cleanup.interval: 3_600\n", flink="1.18", fixed="blob.service.cleanup.interval: 3600\n"),
        bad("kubernetes.jobmanager.cpu: two\n", flink="1.16"),
        bad("taskmanager.network.request-backoff.max: 99999999999\n", flink="1.18"),
        bad("taskmanager.network.request-backoff.max: ''\nparallelism.default: 2\n"),
        bad("taskmanager.network.netty.num-arenas: many\n", flink="1.18"),
        bad(
            "web.submit.enable: \"'Yes'\"\nparallelism.default: 2\n",
            fixed='web.submit.enable: "true"\nparallelism.default: 2\n',
        ),
        good("heartbeat.timeout: soon\n", flink="1.20"),
        bad("rest.port: 8_081\n", flink="1.18", fixed="rest.port: 8081\n"),
        good(
            "parallelism.default: +2\ntaskmanager.memory.managed.fraction: 4e-1f\nweb.submit.enable: FALSE\n",
            flink="1.18",
        ),
        good('parallelism.default: "2"\nrest.port: 0x1F91\n'),
        good('parallelism.default: "2"\n', flink="1.18"),
        good("parallelism.default: {{ slots }}\nrest.port: ${PORT}\n", flink="1.18"),
        good("heartbeat.timeout: 50 s\nheartbeat.interval: 10 s\n", flink="1.18"),
        good("slot.idle.timeout: 1.5min\nmetrics.reporter.influx.connectTimeout: 30s\n", flink="1.16"),
        good("blob.service.cleanup.interval: 1 h\nparallelism.default: 2\n", flink="1.18"),
        bad("heartbeat.timeout: soon\n", flink="1.18", severity=Severity.ERROR),
        bad("taskmanager.numberOfTaskSlots: tm_slots\n", flink="1.18", severity=Severity.INFO),
        good("heartbeat.timeout: soon\nparallelism.default: 2\n"),
        good("parallelism.default:\nrest.port: ~\nstate.backend.type: rocksdb\n"),
        good("env.java.opts.all: -Da=yes\npekko.framesize: 10m\n"),
        good("taskmanager.memory.network.fraction: 0.1\ntaskmanager.network.memory.fraction: 0,1\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses("options", "parallelism.default: two\n", good="parallelism.default: 2\n"),
        flink_refuses("options", "taskmanager.numberOfTaskSlots: 1.5\n", good="taskmanager.numberOfTaskSlots: 1\n"),
        flink_refuses(
            "options", "cluster.evenly-spread-out-slots: yes\n", good="cluster.evenly-spread-out-slots: true\n"
        ),
        flink_refuses(
            "options", "taskmanager.memory.managed.fraction: 0,4\n", good="taskmanager.memory.managed.fraction: 0.4\n"
        ),
    ]
