"""What releases of Flink make of hazardous settings of scheduling, as the rules of that family say it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.live.distribution import flink_home

pytestmark = pytest.mark.flink

OLD, NEW = "1.20.5", "2.3.0"
"""The last release of the first major, and the newest."""

REFUSED = {
    # restart_exponential_refused
    "max below initial": "Initial backoff cannot be higher than maximum backoff.",
    "multiplier 1": "Backoff multiplier must be greater than 1.",
    "multiplier below 1": "Backoff multiplier must be greater than 1.",
    "jitter above 1": "Jitter factor must be >= 0 and <= 1.",
    "initial 0": "Initial backoff must be at least 1.",
    "reset 0": "Threshold duration for exponential backoff reset must be at least 1.",
    "attempts 0": "The attemptsBeforeResetBackoff must be at least 1.",
    # scheduler_for_other_jobs
    "reactive session": "Reactive mode is configured for an unsupported cluster type.",
    "streaming in AdaptiveBatch": "Adaptive batch scheduler only supports batch jobs",
    # parallelism_above_maximum
    "parallelism above maximum": "parallelism (4) is higher than the max parallelism (2)",
    "adaptive above maximum": "parallelism (4) is higher than the max parallelism (2)",
    # slot_limits_contradictory
    "min above max": "IllegalStateException",
    "min between TaskManagers": "IllegalStateException",
    "min cpu above max": "IllegalStateException",
    "min memory above max": "IllegalStateException",
    # worker_start_brake
    "failure rate 0": "must be larger than 0",
    "failure rate -1": "must be larger than 0",
    # Waiting for ever is no duration, whatever the documentation of the option says.
    "wait -1": "text does not start with a number",
}
TAKEN = {
    "max equals initial": "ExponentialDelayRestartBackoffTimeStrategy",
    "reset below max": "ExponentialDelayRestartBackoffTimeStrategy",
    "Adaptive for BATCH": "AdaptiveBatch",
    "Adaptive for STREAMING": "Adaptive",
    "AdaptiveBatch for STREAMING": "AdaptiveBatch",
    "reactive beside Default": "Adaptive",
    "parallelism at maximum": "true",
    "min equals max": "4",
    "failure rate 1": "ThresholdMeter",
}


@pytest.fixture(scope="module", params=[OLD, NEW])
def came(request: pytest.FixtureRequest) -> dict[str, str]:
    """By name, what a release makes of a setting, all in one JVM."""
    program = Path(__file__).with_name("SchedulingHazards.java")
    jars = os.path.join(flink_home(request.param), "lib", "*")
    command = ["java", "-cp", jars, str(program)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return {"release": request.param} | dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)


@pytest.mark.parametrize("name", REFUSED)
def test_flink_refuses(came: dict[str, str], name: str) -> None:
    assert came[name].startswith("refused: ")
    assert REFUSED[name] in came[name]


@pytest.mark.parametrize("name", TAKEN)
def test_flink_takes(came: dict[str, str], name: str) -> None:
    assert came[name] == TAKEN[name]


def test_overrides_of_the_parallelism_have_no_effect_from_2_on(came: dict[str, str]) -> None:
    """The autoscaler's way of scaling by an upgrade (autoscaler_cannot_scale): 4 is more than the job could have."""
    assert came["override at maximum"] == "true"
    assert came["override above maximum"].startswith("refused: " if came["release"] == OLD else "true")
