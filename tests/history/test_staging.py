"""How samples are distributed over the slices of a store."""

from __future__ import annotations

import pytest

from flink_flint.calculators.history.pipeline.staging import slice_of
from flink_flint.calculators.history.samples import JOB, JOBMANAGER, STREAM, TASK, TASKMANAGER, SeriesKey

CLUSTERS = [f"cluster-{number}" for number in range(30)]


@pytest.mark.parametrize("scope", [JOBMANAGER, TASKMANAGER, STREAM])
def test_all_series_of_the_processes_of_a_cluster_are_in_one_slice(scope: str) -> None:
    for cluster in CLUSTERS:
        keys = [SeriesKey("m", scope, cluster, job) for job in ("", "orders", "clicks")]
        assert len({slice_of(key) for key in keys}) == 1


def test_all_series_of_a_job_are_in_one_slice_and_jobs_are_spread() -> None:
    for cluster in CLUSTERS:
        keys = [SeriesKey("m", TASK, cluster, "my orders", task="t"), SeriesKey("n", JOB, cluster, "my_orders")]
        assert len({slice_of(key) for key in keys}) == 1
    assert len({slice_of(SeriesKey("m", JOB, "eu", f"job-{number}")) for number in range(30)}) > 10
