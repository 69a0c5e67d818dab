"""Chains of causes over several files, each as a small project: what is found, where, and which places are told."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.model.finding import Finding, Severity

FOLDER = Path(__file__).parents[1] / "fixtures" / "composites"


@pytest.fixture
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A project where it would stand (below `tests` it would count as a test)."""
    return Path(shutil.copytree(FOLDER / request.param, tmp_path / request.param))


def found(project: Path, code: str) -> list[Finding]:
    """What a rule says of all files of a project."""
    report = check(find([str(project)]), Options(select=(code,)))
    assert not report.crashed
    return report.findings


def told(project: Path, finding: Finding) -> dict[str, str]:
    """The related places, by file and line, each with what it adds."""
    return {f"{Path(place.path).relative_to(project)}:{place.start.line}": place.message for place in finding.located}


def at(project: Path, finding: Finding) -> str:
    return f"{Path(finding.path).relative_to(project)}:{finding.where.start.line}"


def fixed(project: Path, codes: Sequence[str]) -> dict[str, str]:
    """The files that fixes of some rules change, with what they then hold."""
    sources = [one for one in find([str(project)]) if isinstance(one, Source)]
    done = fix(sources, Options(select=tuple(codes)), unsafe=True)
    for one in done:
        Path(one.after.path).write_bytes(one.after.data)
    return {str(Path(one.after.path).relative_to(project)): one.after.data.decode() for one in done if one.changed}


@pytest.mark.parametrize("project", ["sequences_fill_jobmanager"], indirect=True)
def test_two_scripts_fill_the_heap_of_one_jobmanager(project: Path) -> None:
    (finding,) = found(project, "FLK051")
    assert at(project, finding) == "sql/orders.sql:12"
    assert finding.severity == Severity.ERROR
    assert "80,000,000 numbers of sequences are 610.4 MiB" in finding.message
    assert "1831.1 MiB of that on a heap of 1 GiB" in finding.message
    assert told(project, finding) == {
        "sql/customers.sql:12": "20,000,000 more numbers",
        "k8s/session.yaml:11": "16 subtasks acknowledge with 28.6 MiB each",
        "k8s/session.yaml:13": "a frame of 64 MiB carries that",
        "k8s/session.yaml:17": "a heap of 1 GiB",
    }
    (project / "sql" / "customers.sql").unlink()
    (alone,) = found(project, "FLK051")
    assert "1373.3 MiB" in alone.message


@pytest.mark.parametrize("project", ["sequences_fill_jobmanager"], indirect=True)
def test_the_heap_that_is_named_holds_the_sequences(project: Path) -> None:
    deployment = project / "k8s" / "session.yaml"
    (finding,) = found(project, "FLK051")
    assert finding.help is not None
    assert "only a heap of 3840 MiB would hold them" in finding.help
    text = deployment.read_text()
    for memory, left in (("4400m", 1), ("4700m", 0)):  # heaps of 3576 and 3846 MiB
        deployment.write_text(text.replace("memory: 1600m", f"memory: {memory}"))
        assert len(found(project, "FLK051")) == left


@pytest.mark.parametrize("project", ["platform_spelling_wins"], indirect=True)
def test_a_platform_takes_over_a_directory_of_checkpoints(project: Path) -> None:
    orders, payments = sorted(found(project, "FLK052"), key=lambda one: one.path)
    assert (at(project, orders), orders.severity) == ("teams/orders.yaml:11", Severity.WARNING)
    assert (at(project, payments), payments.severity) == ("teams/payments.yaml:11", Severity.ERROR)
    assert told(project, orders) == {
        "platform/values.yaml:7": "wins from 1.20 on, though it is the lower layer",
        "teams/orders.yaml:6": "Flink 1.19.3 today",
    }
    assert told(project, payments) == {
        "platform/values.yaml:7": "wins, though it is the lower layer",
        "teams/payments.yaml:6": "Flink 1.20.4 today",
    }


@pytest.mark.parametrize("project", ["platform_spelling_wins"], indirect=True)
def test_layers_meet_in_one_key_once_fixed(project: Path) -> None:
    changed = fixed(project, ["FLK052"])
    assert (
        "    state.checkpoints.dir: s3://orders/checkpoints\n    execution.checkpointing.dir: s3://orders/checkpoints\n"
        in changed["teams/orders.yaml"]
    )
    assert "    execution.checkpointing.dir: s3://payments/checkpoints\n" in changed["teams/payments.yaml"]
    assert "state.checkpoints.dir" not in changed["teams/payments.yaml"]
    assert found(project, "FLK052") == []


@pytest.mark.parametrize("project", ["shared_key_not_read_by_all"], indirect=True)
def test_a_shared_key_is_read_by_the_newer_release_alone(project: Path) -> None:
    defaults, sessions = sorted(found(project, "FLK053"), key=lambda one: one.path)
    assert at(project, defaults) == "operator/values.yaml:9"
    assert told(project, defaults) == {
        "jobs/payments.yaml:6": "Flink 1.19.3 ignores it",
        "jobs/orders.yaml:6": "Flink 1.20.4 reads it",
    }
    assert at(project, sessions) == "sessions/conf/flink-conf.yaml:5"
    assert told(project, sessions) == {
        "sessions/docker-compose.yml:4": "Flink 1.17.2 ignores it",
        "sessions/docker-compose.yml:9": "Flink 1.18.1 reads it",
    }
    assert found(project, "FLK004") == []


@pytest.mark.parametrize("project", ["shared_key_not_read_by_all"], indirect=True)
def test_both_spellings_are_written_once_fixed(project: Path) -> None:
    changed = fixed(project, ["FLK053"])
    assert changed["operator/values.yaml"].endswith(
        "    execution.checkpointing.dir: s3://flink/checkpoints\n    state.checkpoints.dir: s3://flink/checkpoints\n"
    )
    assert "pekko.framesize: 31457280b\nakka.framesize: 31457280b\n" in changed["sessions/conf/flink-conf.yaml"]
    assert found(project, "FLK053") == []


@pytest.mark.parametrize("project", ["restart_budget"], indirect=True)
def test_a_restart_takes_longer_than_a_transaction_and_a_checkpoint_than_the_health_check(project: Path) -> None:
    health, transaction = sorted(found(project, "FLK054"), key=lambda one: one.path)
    assert (at(project, transaction), transaction.severity) == (
        "orders/src/main/java/shop/Orders.java:31",
        Severity.WARNING,
    )
    assert "bears 12 min of checkpoints" in transaction.message
    assert "22 min in all" in transaction.message
    assert told(project, transaction) == {
        "orders/src/main/java/shop/Orders.java:15": "checkpoints 60 s apart",
        "orders/src/main/java/shop/Orders.java:26": "each may take 5 min",
        "platform/values.yaml:9": "1 may fail in a row",
        "platform/values.yaml:8": "a restart waits for 5 min at most",
    }
    assert (at(project, health), health.severity) == ("archive/k8s/archive.yaml:23", Severity.ERROR)
    assert "every 30 min, and the program takes one every 40 min" in health.message
    assert told(project, health) == {
        "archive/src/main/java/shop/Archive.java:15": "checkpoints 40 min apart",
        "platform/values.yaml:9": "the failures that the operator reckons with",
        "platform/values.yaml:14": "the health check",
    }


@pytest.mark.parametrize("project", ["restart_budget"], indirect=True)
def test_the_timeout_that_is_named_bears_a_restart(project: Path) -> None:
    (transaction,) = (one for one in found(project, "FLK054") if one.path.endswith(".java"))
    assert transaction.help is not None
    assert "raise transaction.timeout.ms to 1584000" in transaction.help
    program = Path(transaction.path)
    program.write_text(program.read_text().replace('"900000"', '"1584000"'))
    assert [one.path for one in found(project, "FLK054") if one.path.endswith(".java")] == []


@pytest.mark.parametrize("project", ["memory_in_several_places"], indirect=True)
def test_a_container_holds_less_than_is_written_about_it(project: Path) -> None:
    container, variable, releases = sorted(found(project, "FLK055"), key=lambda one: (one.path, -one.severity))
    assert (at(project, container), container.severity) == ("jobs/orders.yaml:27", Severity.ERROR)
    assert "has 1781.8 MiB" in container.message
    assert "are 906.2 MiB too much" in container.message
    assert told(project, container) == {
        "jobs/orders.yaml:34": "1587.2 MiB of heap, 471 MiB direct, 1372.2 MiB managed",
        "platform/values.yaml:7": "2 GiB: RocksDB with 1 GiB in each of 2 slots",
        "jobs/orders.yaml:10": "slots, each with a RocksDB",
        "jobs/orders.yaml:19": "and glibc's malloc keeps what is freed (MALLOC_ARENA_MAX unset, 8 arenas a core)",
    }
    assert at(project, variable) == "jobs/orders.yaml:17"
    assert "-Xmx1459m to the jobmanager and -Xmx1587m to the taskmanager" in variable.message
    assert at(project, releases) == "sessions/conf/flink-conf.yaml:3"
    assert told(project, releases) == {
        "sessions/docker-compose.yml:4": "Flink 1.16.3: task heap 17.6 GiB, managed 43.9 GiB, network 1 GiB",
        "sessions/docker-compose.yml:9": "Flink 1.18.1: task heap 12.3 GiB, managed 43.9 GiB, network 6425.6 MiB",
    }


@pytest.mark.parametrize("project", ["memory_in_several_places"], indirect=True)
def test_the_overhead_that_is_named_makes_room(project: Path) -> None:
    deployment = project / "jobs" / "orders.yaml"
    (container,) = (one for one in found(project, "FLK055") if one.severity == Severity.ERROR)
    assert container.help is not None
    assert "min and .max to 1920m" in container.help
    slots = '    taskmanager.numberOfTaskSlots: "2"\n'
    for size, left in (("1856m", 1), ("1920m", 0)):
        bounds = "".join(f"    taskmanager.memory.jvm-overhead.{bound}: {size}\n" for bound in ("min", "max"))
        deployment.write_text(
            (FOLDER / project.name / "jobs" / "orders.yaml").read_text().replace(slots, slots + bounds)
        )
        assert len([one for one in found(project, "FLK055") if "too much" in one.message]) == left
