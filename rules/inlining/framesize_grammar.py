"""The RPC frame size is refused, or is not the size it seems to be.

## What it does
Reads `pekko.framesize` (`akka.framesize` up to 1.17) by the grammar Flink hands it to, that of Typesafe Config,
which is not Flink's grammar of memory sizes:

- `10m`, `10M`, `10MiB`, `10485760` and `10485760b` are ten mebibytes;
- `10MB` and `10kB` are decimal: 10 000 000 and 10 000 bytes;
- `10mb`, `10kb`, `1gb` are refused;
- less than 32 000 bytes or more than 2 147 483 647 bytes are refused, so `2g` and `3g` are too.

Reports what is refused; a decimal unit; a frame smaller than the default of 10 485 760 bytes; and a number of
bytes that looks like a mistyped number of mebibytes, such as `100485760b` for `104857600b`: the same digits in
another order, or one digit off.

## Why it matters
A refused value keeps JobManager and TaskManagers from starting. A frame smaller than meant drops messages:
from 1.15 on a checkpoint acknowledgement that does not fit is discarded with one line in the TaskManager's log, and
all the JobManager sees is a checkpoint that times out.

## What to do
Write a multiple of 1 048 576 followed by `b`: `10485760b`, `104857600b`. JobManager and TaskManagers need the
same value.

## Not when
A size that is no whole number of mebibytes but resembles none, such as `100000000b`, is taken to be meant.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#pekko-framesize>: the option
- <https://github.com/lightbend/config/blob/main/HOCON.md#size-in-bytes-format>: the grammar
- <https://issues.apache.org/jira/browse/FLINK-39738>: an acknowledgement above the frame size, and the wait for the
  timeout
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.acknowledgement import DEFAULT_FRAME, SMALLEST_FRAME
from flink_flint.linter.flink.frame_size import parse_hocon_bytes
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import MAX_INT
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.ascii_numbers import whole

_DECIMAL = {"kb": 10, "mb": 20, "gb": 30, "kilobyte": 10, "megabyte": 20, "gigabyte": 30}
"""Units that look binary to users of Flink -> the power of two they stand for then."""


@rule(
    code="FLK385", severity=Severity.ERROR, confidence=Confidence.HIGH, reads=["pekko.framesize"], since="0.1",
)  # fmt: skip
def framesize_grammar(config: View) -> Iterator[Finding]:
    """the RPC frame size is refused, or is not the size it seems to be"""
    setting = config.get("pekko.framesize")
    if not setting.is_known or setting.text[:1] in ("'", '"'):
        return
    try:
        size = int(parse_hocon_bytes(setting.text))
    except BadValue as refused:
        yield _refused(setting, str(refused))
        return
    meant = _meant(setting.text)
    if meant is not None and meant != size:
        yield setting.finding(
            f"{setting.text} is {_spell(size)} here, not {_spell(meant)}: two-letter units of a frame size are decimal",
            help=f"write {meant}b",
            severity=Severity.WARNING if size < DEFAULT_FRAME else Severity.INFO,
            fix=setting.replace(f"{meant}b"),
        )
    elif likely := _mistyped(size):
        yield setting.finding(
            f"{_spell(size)} looks like {_spell(likely)} ({likely >> 20} MiB) mistyped",
            help=f"write {likely}b if {likely >> 20} MiB were meant",
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
            fix=setting.replace(f"{likely}b"),
        )
    elif size < DEFAULT_FRAME:
        yield setting.finding(
            f"a frame of {_spell(size)} is smaller than the default of {_spell(DEFAULT_FRAME)}: larger messages,"
            " such as checkpoint acknowledgements, are dropped",
            help=f"write {DEFAULT_FRAME}b or more, or delete the setting",
            severity=Severity.WARNING,
            fix=setting.replace(f"{DEFAULT_FRAME}b"),
        )


def _refused(setting: Setting, reason: str) -> Finding:
    meant = _meant(setting.text)
    right = meant is not None and SMALLEST_FRAME <= meant <= MAX_INT
    return setting.finding(
        f"Flink refuses the frame size '{setting.text}': {reason}; JobManager and TaskManagers do not start",
        help=f"write {meant}b" if right else "write a multiple of 1048576 followed by b, such as 10485760b",
        fix=setting.replace(f"{meant}b", safe=True) if right else None,
    )


def _meant(text: str) -> int | None:
    """The bytes of a size whose unit people take for a binary one; None for other units."""
    trimmed = text.strip()
    number = trimmed.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    unit = trimmed[len(number) :].lower().removesuffix("s").replace("ib", "b")
    count = whole(number.strip())
    return None if count is None or unit not in _DECIMAL or len(number) > 12 else count << _DECIMAL[unit]


def _mistyped(size: int) -> int | None:
    """The whole mebibytes whose digits are those of `size` in another order, or differ in one place."""
    if size % 1024 == 0:
        return None
    digits = str(size)
    for mebibytes in range(1, MAX_INT >> 20):
        candidate = mebibytes << 20
        other = str(candidate)
        if len(other) != len(digits):
            continue
        slips = sum(a != b for a, b in zip(digits, other, strict=True))
        if slips == 1 or (slips and sorted(digits) == sorted(other) and _likely(mebibytes)):
            return candidate
    return None


def _likely(mebibytes: int) -> bool:
    """Whether people choose such a number: a power of two, or a multiple of ten."""
    return mebibytes % 10 == 0 or not mebibytes & (mebibytes - 1)


def _spell(size: int) -> str:
    return f"{size:,} bytes".replace(",", " ")


def cases() -> list[Case]:
    return [
        bad(
            "akka.framesize: 10mb\n",
            at="10mb",
            flink="1.17",
            fixed="akka.framesize: 10485760b\n",
            severity=Severity.ERROR,
            says="do not start",
        ),
        bad(
            "akka.framesize: 1 gb\n",
            at="pekko.framesize",
            file="flink-conf.yaml",
            fixed="akka.framesize: 1073741824b\n",
        ),
        bad("pekko.framesize: 3g\n", flink="1.18", severity=Severity.ERROR),
        bad("pekko.framesize: 10k\n", flink="1.18", says="at least 32000 bytes"),
        bad(
            "akka.framesize: 10MB\n",
            flink="1.14",
            severity=Severity.WARNING,
            says="10 000 000 bytes",
            fixed="akka.framesize: 10485760b\n",
        ),
        bad("pekko.framesize: 100MB\n", severity=Severity.INFO, fixed="pekko.framesize: 104857600b\n"),
        bad(
            "akka.framesize: 100485760b\n",
            flink="1.11",
            severity=Severity.WARNING,
            says="looks like 104 857 600 bytes",
            fixed="akka.framesize: 104857600b\n",
        ),
        bad(
            "akka.framesize: 1048576b\n",
            flink="1.13",
            severity=Severity.WARNING,
            says="smaller than the default",
            fixed="akka.framesize: 10485760b\n",
        ),
        good("akka.framesize: 10485760b\n", flink="1.13"),
        good("akka.framesize: 104857600b\npekko.framesize: 30mib\n", flink="1.13"),
        good("pekko.framesize: 64MiB\n"),
        good("pekko.framesize: 20m\n", flink="1.20"),
        good("akka.framesize: 100000000b\n", flink="1.17"),
        good('akka.framesize: "{{ framesize }}mb"\n', flink="1.17"),
        good("akka.framesize: ${FRAMESIZE}\n", flink="1.17"),
        good("akka.framesize: '10mb'\n", flink="1.17"),
        good('akka.framesize: "10mb"\n', flink="1.17"),
        bad("pekko.framesize: 3gb\n", flink="1.18", fixed="pekko.framesize: 3gb\n"),
        bad("pekko.framesize: 10kb\n", flink="1.18", fixed="pekko.framesize: 10kb\n"),
        bad("pekko.framesize: 1.5mb\n", flink="1.18", fixed="pekko.framesize: 1.5mb\n"),
        bad(
            "pekko.framesize: 20 megabytes\n",
            says="20 000 000 bytes here, not 20 971 520 bytes",
            fixed="pekko.framesize: 20971520b\n",
        ),
        bad("akka.framesize: 30mib\n", flink="1.13", severity=Severity.ERROR, fixed="akka.framesize: 31457280b\n"),
        good("pekko.framesize: 10568704b\n"),
        bad("pekko.framesize: 67108846b\n", says="looks like 67 108 864 bytes"),
        bad("pekko.framesize: 1048577b\n", says="looks like 1 048 576 bytes"),
        good("pekko.framesize: 11534363b\n"),
        good("pekko.framesize: 10485791b\n"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses("run", "akka.framesize: 10mb\n", good="akka.framesize: 10485760b\n", releases=">=1.12"),
    ]
