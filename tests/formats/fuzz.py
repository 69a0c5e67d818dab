"""Coverage-guided fuzzing of all file formats: ``python -m tests.formats.fuzz -atheris_runs=20000``.

The first byte selects a file format and a file extension (which selects the language of some formats), the rest is
the file. Requires atheris. The corpus starts with the samples of the formats. libFuzzer writes its findings to the
current folder unless ``-artifact_prefix=`` names another.
"""

from __future__ import annotations

import atexit
import signal
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=["flink_flint.linter.formats", "flink_flint.linter.flink", "flink_flint.linter.text.embedded_text"]
):
    from flink_flint.linter.formats import file_formats
    from tests.formats.test_robustness import SAMPLES, assert_sound, sample_carrier

FORMATS = file_formats()


def _target(name: str) -> tuple[int, str]:
    base = name.rpartition("/")[2]
    return FORMATS.index(sample_carrier(name)), f"fuzzed{base[base.find('.') :] if '.' in base else ''}"


TARGETS = sorted({_target(name) for name in SAMPLES})
"""The index of a file format and a file name for it."""


def one(data: bytes) -> None:
    """Read one file; any exception is a finding."""
    if data:
        place, name = TARGETS[data[0] % len(TARGETS)]
        for document in FORMATS[place].read(name, data[1:]):
            assert_sound(document)


def main() -> None:
    """Write the samples as the initial corpus and run the fuzzer."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, text) in enumerate(SAMPLES.items()):
            first = bytes([TARGETS.index(_target(name))])
            Path(folder, str(number)).write_bytes(first + text.encode("utf-8", "surrogateescape"))
        # While Python shuts down, it no longer has a handler for the signal of libFuzzer's timer.
        atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
        atheris.Setup([*sys.argv, folder, "-max_len=6000", "-timeout=20"], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
