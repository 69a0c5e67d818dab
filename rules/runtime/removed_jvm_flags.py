"""JVM flags that newer Java versions no longer know.

## What it does
Looks through the JVM options (`env.java.opts.*`, `env.java.default-opts.*`) for flags that were removed from Java:

- refused from Java 9 on: the old switches of the garbage collection log (`PrintGCDateStamps`,
  `PrintGCTimeStamps`, `UseGCLogFileRotation`, `NumberOfGCLogFiles`, `GCLogFileSize`, `PrintTenuringDistribution`,
  `PrintHeapAtGC`, `PrintGCApplicationStoppedTime` and so on) and `-Xincgc`;
- from Java 10 or 11 on: `-d64`, `-d32`, `UseParNewGC`;
- by Java 17: the CMS collector and all its flags, `UseParallelOldGC`, `AggressiveOpts`,
  `UseCGroupMemoryLimitForHeap`, `MaxPermSize`, `PermSize`, `TraceClassLoading`, `TraceClassUnloading`.

## Why it matters
Up to Flink 1.17 the JVM refuses such a flag with "Unrecognized VM option" and the process ends at once; images
changed from Java 8 to Java 11 with Flink 1.15. From 1.18 on the start scripts pass
`-XX:+IgnoreUnrecognizedVMOptions`: the process starts, but the log is not written, the collector is another one.

Which Java runs is not part of the configuration, so this is a warning as long as some Java that runs the release
takes the flag. Flink 2 needs Java 11: what that refuses already is certainly ignored, and the process starts without
it.

## What to do
Write the log with `-Xlog:gc*:file=gc.log:time,uptime:filecount=5,filesize=16M`, choose `-XX:+UseG1GC`, and leave
the rest out.

## Not when
The options hold `-XX:+IgnoreUnrecognizedVMOptions` themselves: whoever wrote that knows. `-XX:+PrintGCDetails`,
`-Xloggc` and `--illegal-access` only cause a warning of the JVM. A template that may put in options of its own hides
the value; a variable inside of an option (`-Xloggc:$FLINK_LOG_DIR/gc.log`) does not.

## Sources
- <https://openjdk.org/jeps/271>: the flags of the garbage collection log that Java 9 replaced
- <https://openjdk.org/jeps/363>: removal of CMS in Java 14
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/java_compatibility/>:
  Java versions Flink runs on
"""

import re
from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.memory.jvm_options import JvmOption, split_options, without
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View

_OF_THE_LOG = (
    "PrintGCDateStamps", "PrintGCTimeStamps", "PrintGCApplicationStoppedTime", "PrintGCApplicationConcurrentTime",
    "PrintGCCause", "PrintHeapAtGC", "PrintReferenceGC", "PrintAdaptiveSizePolicy", "PrintPromotionFailure",
    "PrintTenuringDistribution", "UseGCLogFileRotation", "NumberOfGCLogFiles", "GCLogFileSize",
)  # fmt: skip
_REFUSED_FROM = {
    **dict.fromkeys(_OF_THE_LOG, 9),
    **{"-Xincgc": 9, "-d64": 10, "-d32": 10, "UseParNewGC": 11},
    **{"AggressiveOpts": 13, "UseCGroupMemoryLimitForHeap": 12, "UseParallelOldGC": 16},
    **{"UseConcMarkSweepGC": 15, "UseCMSInitiatingOccupancyOnly": 14, "UseCMSCompactAtFullCollection": 14},
    **{"ExplicitGCInvokesConcurrentAndUnloadsClasses": 14, "MaxPermSize": 17, "PermSize": 17},
    **{"TraceClassLoading": 17, "TraceClassUnloading": 17},
}
"""Flag -> the first Java version whose JVM does not start with it."""
_OF_CMS = 14
_INSIDE = r"(?<=[\w:=/.])\$(?:\{\w+\}|[A-Za-z_]\w*)"
"""A variable that goes on where an option has begun."""
_MIN_OF_FLINK_2 = 11
_KNOWINGLY = "-XX:+IgnoreUnrecognizedVMOptions"


@rule(
    code="FLK960",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["env.java.opts.", "env.java.default-opts."],
    scope="key",
    since="0.1",
)
def removed_jvm_flags(config: View, setting: Setting) -> Iterator[Finding]:
    """JVM flags that newer Java versions no longer know"""
    if not setting.is_read or _hides_options(setting):
        return
    options = split_options(setting.text)
    removed = [(option, refused) for option in options if (refused := _refused_from(option)) is not None]
    if not removed or any(option.text == _KNOWINGLY for option in options):
        return
    flags = ", ".join(option.text for option, _ in removed)
    first = min(refused for _, refused in removed)
    evidence = {"flags": flags, "refused_from_java": first}
    if config.since("2.0"):
        gone = [option for option, refused in removed if refused <= _MIN_OF_FLINK_2]
        if gone:
            flags = ", ".join(option.text for option in gone)
            message = f"{flags} {_verb(gone)} ignored: every Java that runs Flink 2 (11 and later) has dropped this"
        else:
            message = f"{flags} {_verb(removed)} ignored by Java {first} and later, which Flink runs on"
        safe = bool(gone) and config.target.certain
        rest = without(setting.text, gone or [option for option, _ in removed])
        yield setting.finding(
            message,
            help=_remedy([option for option, _ in removed]),
            fix=setting.replace(rest, safe=safe) if rest.strip("\"' ") else setting.remove(safe=safe),
            evidence=evidence,
        )
    elif config.since("1.18"):
        either = (
            "refused (up to Flink 1.17) or " if not (config.target.certain or config.document.is_config_yaml) else ""
        )
        yield setting.finding(
            f"{flags} {_verb(removed)} {either}ignored without a word by Java {first} and later",
            help=_remedy([option for option, _ in removed]),
            evidence=evidence,
        )
    else:
        yield setting.finding(
            f"with {flags} a JVM of Java {first} or later does not start (Unrecognized VM option)",
            help=_remedy([option for option, _ in removed]),
            evidence=evidence,
        )


def _hides_options(setting: Setting) -> bool:
    """Whether a template may put whole options into the value; a variable inside of one may not."""
    return not setting.is_known and is_templated(re.sub(_INSIDE, "", setting.text))


def _refused_from(option: JvmOption) -> int | None:
    flag = option.flag
    if option.text.startswith("-XX:") and flag.startswith("CMS"):
        return _OF_CMS
    return _REFUSED_FROM.get(flag) if flag != option.text or flag.startswith("-") else None


def _verb(flags: list[JvmOption] | list[tuple[JvmOption, int]]) -> str:
    return "is" if len(flags) == 1 else "are"


def _remedy(options: list[JvmOption]) -> str:
    parts = []
    if any(option.flag in _OF_THE_LOG for option in options):
        parts.append("write the log with -Xlog:gc*:file=...:time,uptime:filecount=5,filesize=16M")
    if any("CMS" in option.flag or option.flag in ("UseConcMarkSweepGC", "UseParNewGC") for option in options):
        parts.append("choose -XX:+UseG1GC")
    return "; ".join(["take the flags out", *parts])


def cases() -> list[Case]:
    return [
        bad(
            "env.java.opts: -XX:+UseConcMarkSweepGC -XX:+CMSClassUnloadingEnabled -Dx=y\n",
            at="env.java.opts.all",
            flink="1.14",
            severity=Severity.WARNING,
            says="Java 14 or later does not start",
        ),
        bad(
            'env.java.opts.taskmanager: "-XX:+UseGCLogFileRotation -XX:GCLogFileSize=16M -XX:+UseG1GC"\n',
            at="env.java.opts.taskmanager",
            flink="1.18",
            says="ignored without a word by Java 9 and later",
        ),
        bad(
            'env.java.opts.all: "-XX:+UseG1GC -XX:+PrintGCDateStamps -Dx=y"\n',
            at="env.java.opts.all",
            flink="2.0",
            severity=Severity.WARNING,
            fixed='env.java.opts.all: "-XX:+UseG1GC -Dx=y"\n',
        ),
        bad(
            "env.java.opts.jobmanager: -XX:MaxPermSize=128m\nparallelism.default: 2\n",
            flink="2.0",
            severity=Severity.WARNING,
            fixed="parallelism.default: 2\n",
        ),
        bad("env.java.opts.all: -XX:+PrintGCDateStamps\n", severity=Severity.WARNING),
        bad(
            "env.java.opts: -XX:+PrintGCDateStamps\n",
            file="flink-conf.yaml",
            says="refused (up to Flink 1.17) or ignored",
        ),
        bad("env.java.opts.client: -d64\n", at="env.java.opts.client", flink="1.13"),
        good("env.java.opts: -XX:+IgnoreUnrecognizedVMOptions -XX:+UseConcMarkSweepGC\n", flink="1.14"),
        good("env.java.opts.all: -XX:+UseG1GC -XX:+PrintGCDetails -Xloggc:gc.log --illegal-access=permit\n"),
        good("env.java.opts.all: -Dgc=UseParNewGC -DCMSx=1\n"),
        bad(
            "env.java.opts.jobmanager: -Xloggc:$FLINK_LOG_DIR/gc.log -XX:+UseGCLogFileRotation\n",
            at="env.java.opts.jobmanager",
            flink="1.15",
            says="with -XX:+UseGCLogFileRotation a JVM of Java 9",
        ),
        good("env.java.opts.jobmanager: $JAVA_OPTS -XX:+UseGCLogFileRotation\n", flink="1.15"),
        good("env.java.opts.all: '{{ java_opts }} -XX:+UseParNewGC'\n"),
    ]
