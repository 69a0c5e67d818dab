"""Four reports from the field, each as the project in which it happened: flint finds the cause and accepts the fix."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.finding import Finding, Severity

FOLDER = Path(__file__).parent / "fixtures" / "field_reports"


def report(name: str, folder: Path) -> Report:
    """Check a project in a temporary folder (below `tests` it would be taken for a test)."""
    shutil.copytree(FOLDER / name, folder / name)
    return check(find([str(folder / name)]), Options())


def found(report: Report) -> dict[str, Finding]:
    """Return the findings by code."""
    return {finding.code: finding for finding in report.findings}


@pytest.fixture
def telemetry(tmp_path: Path) -> dict[str, Finding]:
    return found(report("telemetry", tmp_path))


def test_asynchronous_calls_cannot_finish_in_time(telemetry: dict[str, Finding]) -> None:
    """25 threads, 10 000 in flight, 2 s a call: the last one needs 802 s and has 4."""
    finding = telemetry["FLK880"]
    assert finding.severity == Severity.ERROR
    assert Path(finding.path).name == "EnrichmentJob.java"
    assert "802 s, has 4 s" in finding.message
    assert {Path(place.path).name for place in finding.located} == {"EnrichmentJob.java", "AssetLookup.java"}


def test_an_unthrottled_stream_feeds_a_database(telemetry: dict[str, Finding]) -> None:
    assert telemetry["FLK866"].where.start.line == 29
    assert "Cassandra" in telemetry["FLK866"].message


def test_disks_fill_on_yarn(telemetry: dict[str, Finding]) -> None:
    """Blobs under /tmp, a debug log, metrics into the log and records printed to standard output."""
    assert telemetry["FLK101"].key == "blob.storage.directory"
    assert telemetry["FLK118"].severity == Severity.WARNING
    assert telemetry["FLK928"].severity == Severity.WARNING
    assert telemetry["FLK115"].where.start.line == 34


def test_failed_containers_end_the_session_on_releases_that_count_them(telemetry: dict[str, Finding]) -> None:
    assert "more containers failed than TaskManagers" in telemetry["FLK750"].message


def test_the_corrected_calls_are_accepted(tmp_path: Path) -> None:
    """200 threads, 5 000 in flight, 52 s, and a reader with a limit."""
    codes = found(report("telemetry-corrected", tmp_path))
    assert {"FLK880", "FLK866", "FLK115"}.isdisjoint(codes)


def test_sequences_of_a_source_fill_every_acknowledgement(tmp_path: Path) -> None:
    """8 bytes for each number, whatever the frame and the threshold of inlining are."""
    finding = found(report("sequences", tmp_path))["FLK380"]
    assert finding.severity == Severity.ERROR
    assert "25,000,000" in finding.message
    assert "8 bytes" in finding.message
    assert "200 MB" in finding.message
    assert finding.help is not None
    said = f"{finding.message} {finding.help}"
    assert "threshold" in said
    assert "frame" in said


def test_a_session_cluster_has_more_jobs_than_requests(tmp_path: Path) -> None:
    codes = found(report("shared-session", tmp_path))
    assert "22 jobs hold 70 Kubernetes requests" in codes["FLK405"].message
    assert len(codes["FLK405"].located) == 22
    assert codes["FLK406"].key == "kubernetes.max.concurrent.requests"


def test_a_session_of_fewer_jobs_is_accepted(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "shared-session", tmp_path / "fewer")
    jobs = tmp_path / "fewer" / "jobs.yaml"
    jobs.write_text("---\n".join(jobs.read_text().split("---\n")[:20]))
    assert "FLK405" not in found(check(find([str(tmp_path)]), Options()))


def test_old_jobs_come_back_from_zookeeper(tmp_path: Path) -> None:
    finding = found(report("zookeeper", tmp_path))["FLK409"]
    assert finding.severity == Severity.ERROR
    assert finding.flink_version == "1.5.2"
    assert "an old job starts again" in finding.message
