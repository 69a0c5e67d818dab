"""Kubernetes high availability: where jobs hold requests, and where they no longer do."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.formulas.api_server_requests import jobs_within, requests
from flink_flint.calculators.kubernetes_ha import (
    CurrentKubernetesHa,
    KubernetesHa,
    load_of_kubernetes_ha,
    size_kubernetes_ha,
)
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import parse_release

OLD = parse_release("1.13")


@pytest.mark.parametrize(
    ("jobs", "need", "limit", "hangs"), [(20, 64, 80, False), (21, 67, 84, True), (60, 184, 230, True)]
)
def test_three_requests_a_job_end_at_twenty_jobs(jobs: int, need: int, limit: int, hangs: bool) -> None:
    answer = size_kubernetes_ha(KubernetesHa(jobs=jobs), OLD)
    assert answer.value("requests") == need
    assert answer.value("limit") == limit
    assert bool(answer.errors) is hangs


def test_the_limit_is_set_where_the_client_reads_it() -> None:
    answer = size_kubernetes_ha(KubernetesHa(jobs=60), OLD)
    assert spelled(answer.settings, OLD) == (
        {"containerized.master.env.KUBERNETES_MAX_CONCURRENT_REQUESTS": "230"},
        (),
    )


def test_the_first_patches_read_it_from_nowhere() -> None:
    answer = size_kubernetes_ha(KubernetesHa(jobs=60), parse_release("1.12.2"))
    assert answer.settings == {}
    assert "1.12.3 is the first" in answer.warnings[0]
    assert "KUBERNETES_MAX_CONCURRENT_REQUESTS to 230" in answer.warnings[0]
    assert (answer.values[0].name, answer.values[0].value) == ("jobs_carried", 20)
    assert "the remedy is Flink 1.12.3" in answer.binding
    # What the release does not read has no effect, whatever is set.
    assert size_kubernetes_ha(KubernetesHa(jobs=60, limit=500), parse_release("1.12.2")).errors
    assert not size_kubernetes_ha(KubernetesHa(jobs=10), parse_release("1.12.2")).warnings
    assert size_kubernetes_ha(KubernetesHa(jobs=60), parse_release("1.12.3")).settings


@pytest.mark.parametrize("version", ["1.14", "1.15", "1.18", "1.20", "2.3"])
def test_a_shared_watch_serves_any_number_of_jobs(version: str) -> None:
    release = parse_release(version)
    answer = size_kubernetes_ha(KubernetesHa(jobs=500, limit=64), release)
    assert answer.value("requests") == 1
    assert answer.errors == ()
    assert answer.settings == {}
    assert "has no effect" in answer.warnings[0]
    assert answer.values[0].text == "unlimited"
    assert "concurrent requests are not the cause: look in" in answer.warnings[1]
    assert load_of_kubernetes_ha(CurrentKubernetesHa(limit=64), release).value("jobs") == math.inf


@pytest.mark.parametrize(("version", "maps", "renewals"), [("1.14", 63, 12.6), ("1.15", 61, 0.2), ("2.1", 61, 0.2)])
def test_one_election_took_the_place_of_one_a_job(version: str, maps: int, renewals: float) -> None:
    answer = size_kubernetes_ha(KubernetesHa(jobs=60), parse_release(version))
    assert answer.value("config_maps") == maps
    assert answer.value("renewals") == pytest.approx(renewals)


def test_leftovers_of_cancelled_jobs_are_told() -> None:
    answer = size_kubernetes_ha(KubernetesHa(jobs=10, leftovers=50), OLD)
    assert answer.value("config_maps") == 63
    assert "50 ConfigMaps of canceled jobs" in answer.warnings[0]


def test_before_1_12_there_is_none() -> None:
    with pytest.raises(BadInput, match=r"1\.11 has no Kubernetes high availability"):
        size_kubernetes_ha(KubernetesHa(jobs=1), parse_release("1.11"))


@given(st.integers(1, 5000))
def test_what_jobs_need_carries_them_and_one_request_less_does_not(jobs: int) -> None:
    need = requests(jobs, OLD)
    assert jobs_within(need, OLD) == jobs
    assert jobs_within(need - 1, OLD) == jobs - 1


def test_the_chart_of_a_million_jobs_has_a_few_points() -> None:
    chart = size_kubernetes_ha(KubernetesHa(jobs=1_000_000), parse_release("1.13")).chart
    assert chart is not None
    assert len(chart.series[0].points) < 50


@given(st.integers(1, 100_000), st.integers(0, 100_000))
def test_more_jobs_never_want_a_lower_limit(jobs: int, more: int) -> None:
    one, other = (
        size_kubernetes_ha(KubernetesHa(jobs=count), parse_release("1.13")).value("limit")
        for count in (jobs, jobs + more)
    )
    assert other >= one
