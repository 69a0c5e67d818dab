"""Coverage-guided fuzzing of all carriers: ``python -m tests.carriers.fuzz -atheris_runs=20000``.

The first byte chooses a carrier, the rest is the file. Wants atheris; starts from the carriers' own samples.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["linter.carriers", "linter.flink", "linter.extract"]):
    from linter.carriers import carriers
    from tests.carriers.test_robustness import SAMPLES, assert_sound, sample_carrier

CARRIERS = carriers()


def one(data: bytes) -> None:
    """Read one file; whatever is raised is a finding."""
    if data:
        carrier = CARRIERS[data[0] % len(CARRIERS)]
        for document in carrier.read("fuzzed", data[1:]):
            assert_sound(document)


def main() -> None:
    """Write the samples where the fuzzer looks for its first inputs, and run it."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, text) in enumerate(SAMPLES.items()):
            place = CARRIERS.index(sample_carrier(name))
            Path(folder, str(number)).write_bytes(bytes([place]) + text.encode("utf-8", "surrogateescape"))
        atheris.Setup([*sys.argv, folder, "-max_len=6000", "-timeout=20"], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
