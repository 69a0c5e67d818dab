"""Flink does not know this value of the option.

## What it does
Checks options that take one of a list of words: the value must be one of the words that this release knows,
in any case. A hyphen is not an underscore: `EXACTLY-ONCE` and `retain-on-cancellation` are refused. Words
that came later (`MIN_RESOURCES` for `taskmanager.load-balance.mode`, 2.1) or went (`Ng` for
`jobmanager.scheduler`, 2.0) are refused in the other releases. Lists of such words count too.

## Why it matters
Flink throws an IllegalArgumentException when it reads the option: at start, or when a job is submitted.

## What to do
Write one of the words that the finding lists. The fix is safe where only case, separators or one letter
differ from exactly one of them.

## Not when
- A template fills the value in.
- Another spelling of the option wins, so that Flink never reads this one (FLK006).
- The value stands in quotes in `flink-conf.yaml`: FLK010.
- The option is a string for Flink, though few values make sense: `state.backend.type` (FLK319),
  `restart-strategy.type` (FLK602), `high-availability.type` (FLK404).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the values of each option
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/configuration/ConfigurationUtils.java>:
  how words are compared
"""

from collections.abc import Iterator

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.nearest import alike
from flink_flint.linter.flink.options import Option
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.flink.structured_options import split_escaped
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._amounts import is_quoted
from flink_flint.rules.settings._keys import shown, taken_by_all

HINTS = {
    ("jobmanager.scheduler", "reactive"): "write scheduler-mode: reactive, an option of its own",
    ("execution.runtime-mode", "stream"): "write STREAMING",
}
"""What is meant by words that are near no constant."""


@rule(
    code="FLK026",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    since="0.1",
    scope="key",
    when=["type:Enum", "type:List<Enum>"],
)
def bad_enum_value(config: View, setting: Setting) -> Iterator[Finding]:
    """Flink does not know this value of the option"""
    if setting.error is None or not setting.is_read or is_quoted(config, setting):
        return
    option = setting.option
    assert option is not None  # what no option reads is not refused
    word = _refused(option, setting)
    near = [constant for constant in option.enum if alike(word, constant)]
    yield setting.finding(
        f"{setting.written} has no value {shown(repr(word))} here, and Flink fails when it reads it",
        help=_help(config, setting, option, word, near),
        severity=Severity.INFO if _newest_knows(config, option, word) else None,
        fix=_replace(config, setting, word, near),
        evidence={"values": list(option.enum)},
    )


def _refused(option: Option, setting: Setting) -> str:
    """The word that Flink does not know: of a list the first such one."""
    if option.type == "Enum":
        return setting.text
    entry = setting.entry
    assert entry is not None
    try:
        words = entry.value if isinstance(entry.value, list) else split_escaped(entry.text, ";")
    except BadValue:
        return setting.text
    known = {constant.upper() for constant in option.enum}
    return next((str(word) for word in words if str(word).upper() not in known), setting.text)


def _newest_knows(config: View, option: Option, word: str) -> bool:
    """Whether nobody knows the release and the newest candidate takes the word: then the author's most likely does."""
    if config.target.certain:
        return False
    newest = config.catalogue.option(option.key, config.target.indices[-1])
    return newest is not None and word.upper() in (constant.upper() for constant in newest.enum)


def _help(config: View, setting: Setting, option: Option, word: str, near: list[str]) -> str:
    hint = HINTS.get((setting.key, word.lower())) or _other_releases(config, option, word)
    if hint is not None:
        return hint
    if option.type != "Enum" and "," in word:
        return "separate the words by `;`"
    return f"write {near[0]}" if len(near) == 1 else f"write one of {', '.join(option.enum)}"


def _other_releases(config: View, option: Option, word: str) -> str | None:
    """Says so when other releases know the word."""
    knowing = [
        index
        for index in range(len(MINORS))
        if (other := config.catalogue.option(option.key, index)) is not None
        and word.upper() in (constant.upper() for constant in other.enum)
    ]
    if not knowing:
        return None
    first, last = MINORS[knowing[0]], MINORS[knowing[-1]]
    when = f"Flink {first}" if first == last else f"Flink {first} to {last}"
    return f"{word} is of {when}; write one of {', '.join(option.enum)}"


def _replace(config: View, setting: Setting, word: str, near: list[str]) -> Fix | None:
    """Write the one constant that can be meant; safe where the letters are the same."""
    if len(near) != 1 or word != setting.text or not taken_by_all(config, setting.written, near[0]):
        return None
    same = word.upper().replace("-", "_") == near[0].upper().replace("-", "_")
    return setting.replace(near[0], safe=same)


def cases() -> list[Case]:
    return [
        bad(
            "execution.checkpointing.mode: EXACTLY-ONCE\nparallelism.default: 2\n",
            at="EXACTLY-ONCE",
            severity=Severity.ERROR,
            fixed="execution.checkpointing.mode: EXACTLY_ONCE\nparallelism.default: 2\n",
        ),
        bad(
            "execution.checkpointing.externalized-checkpoint-retention: RETAIN-ON-CANCELLATION\n",
            flink="1.18",
            fixed="execution.checkpointing.externalized-checkpoint-retention: RETAIN_ON_CANCELLATION\n",
        ),
        bad("taskmanager.load-balance.mode: MIN_RESOURCES\n", file="config.yaml", flink="2.0", severity=Severity.ERROR),
        bad("jobmanager.scheduler: Ng\nparallelism.default: 2\n", severity=Severity.WARNING),
        bad("jobmanager.scheduler: reactive\n", flink="1.18", says="no value 'reactive'"),
        bad("execution.runtime-mode: stream\nparallelism.default: 2\n", flink="2.1"),
        bad("state.backend.rocksdb.compression.per.level: LZ4_COMPRESSION,NO_COMPRESSION\n", flink="2.1"),
        good("execution.checkpointing.mode: exactly_once\njobmanager.scheduler: adaptive\n", flink="1.18"),
        good("taskmanager.load-balance.mode: min_resources\nparallelism.default: 2\n", flink="2.1"),
        good("state.backend.type: no-such\nrestart-strategy.type: fixed_delay\nhigh-availability.type: zk\n"),
        good("execution.checkpointing.mode: ${MODE}\nparallelism.default: 2\n"),
        good("state.backend.rocksdb.compression.per.level: LZ4_COMPRESSION;NO_COMPRESSION\n", flink="2.1"),
        good('execution.checkpointing.mode: "EXACTLY_ONCE"\n', flink="1.18"),
        bad(
            "metrics.job.status.enable: state;TOTAL_TIM;x\n",
            flink="1.18",
            says="no value 'TOTAL_TIM'",
            fixed="metrics.job.status.enable: state;TOTAL_TIM;x\n",
        ),
        bad("metrics.job.status.enable: TOTAL_TIM\n", flink="1.18", fixed="metrics.job.status.enable: TOTAL_TIME\n"),
        bad("metrics.job.status.enable: [STATE, what]\nparallelism.default: 2\n", says="no value 'what'"),
        bad("table.exec.sink.type-length-enforcer: Error\nparallelism.default: 2\n", severity=Severity.INFO),
        bad("table.exec.sink.type-length-enforcer: ERROR\n", flink=">=2.0,<2.2", severity=Severity.WARNING),
        bad(
            "yarn.per-job-cluster.include-user-jar: FRIST\n",
            file="flink-conf.yaml",
            severity=Severity.WARNING,
            fixed="yarn.per-job-cluster.include-user-jar: FIRST\n",
        ),
        bad(
            "jobmanager.scheduler: AdaptiveBach\n", file="flink-conf.yaml", fixed="jobmanager.scheduler: AdaptiveBach\n"
        ),
        good("jobmanager.scheduler: reactive\n", flink="1.12"),
        good("execution.state-recovery.claim-mode: CLAIM\nexecution.savepoint-restore-mode: OWN\n", flink="2.0"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "options",
            "execution.checkpointing.mode: EXACTLY_TWICE\n",
            good="execution.checkpointing.mode: EXACTLY_ONCE\n",
        ),
        flink_refuses("options", "execution.runtime-mode: STREAM\n", good="execution.runtime-mode: STREAMING\n"),
    ]
