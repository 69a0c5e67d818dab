"""The distribution, the jobs and the clusters of the live tests."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Generator, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.live.cluster import Cluster, Launch, start_cluster
from tests.live.distribution import compile_jobs, flink_home

_TAIL = 6000


@pytest.fixture(scope="session")
def home() -> Path:
    """The real Flink; without it the tests fail, for they would show nothing."""
    try:
        return flink_home()
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.fail(f"no Flink distribution: {error}")


@pytest.fixture(scope="session")
def jobs(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of the test jobs."""
    try:
        return compile_jobs(home, tmp_path_factory.mktemp("jobs"))
    except FileNotFoundError:
        pytest.fail("no javac: the live tests need a JDK of at least 17")
    except subprocess.CalledProcessError as error:
        pytest.fail(f"the test jobs do not compile:\n{error.stderr}")


@pytest.fixture(scope="session")
def launch(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launch]:
    """Starts a cluster: ``with launch({"pekko.framesize": "20971520b"}) as cluster``."""

    def started(settings: Mapping[str, str]) -> AbstractContextManager[Cluster]:
        return start_cluster(home, tmp_path_factory.mktemp("cluster"), settings)

    # A run that is told to end (a CI job that is cancelled) must end its clusters too, as after Ctrl+C.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield started
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="session")
def cluster(launch: Launch) -> Iterator[Cluster]:
    """A cluster with Flink's defaults in all that matters here."""
    with launch({}) as running:
        yield running


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows the end of the logs of the clusters that the test was given, and where they are."""
    report = yield
    arguments: dict[str, Any] = getattr(item, "funcargs", {})
    if report.failed:
        for running in arguments.values():
            if isinstance(running, Cluster):
                for process in running.processes:
                    report.sections.append((f"{process}, {running.logs}", running.log(process)[-_TAIL:]))
    return report
