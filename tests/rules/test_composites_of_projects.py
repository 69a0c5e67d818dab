"""Hazards of several applications together, each as a small project: what is found, where, and what is told besides."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flink_flint.linter.model.finding import Severity
from tests.rules.test_composites import FOLDER, at, found, told


@pytest.fixture
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A project where it would stand (below `tests` it would count as a test)."""
    return Path(shutil.copytree(FOLDER / request.param, tmp_path / request.param))


@pytest.mark.parametrize("project", ["two_jobs_one_identity"], indirect=True)
def test_two_programs_have_one_prefix_of_transactional_ids(project: Path) -> None:
    prefix, _ = found(project, "FLK056")
    assert (at(project, prefix), prefix.severity) == ("orders/src/main/java/shop/Orders.java:25", Severity.ERROR)
    assert "Bills and Orders both write to kafka.shop.example:9092" in prefix.message
    assert told(project, prefix) == {
        "bills/src/main/java/shop/Bills.java:25": "Bills uses it too",
        "bills/k8s/bills.yaml:2": "runs Bills",
        "orders/k8s/orders.yaml:2": "runs Orders",
    }
    program = Path(prefix.path)
    program.write_text(program.read_text().replace('"shop"', '"shop-orders"'))
    assert len(found(project, "FLK056")) == 1


@pytest.mark.parametrize("project", ["two_jobs_one_identity"], indirect=True)
def test_two_namespaces_have_one_folder_of_high_availability(project: Path) -> None:
    _, folder = found(project, "FLK056")
    assert at(project, folder) == "sessions/us.yaml:4"
    assert "s3://flink/ha/adhoc" in folder.message
    assert told(project, folder) == {
        "platform/values.yaml:7": "below which both have the folder of their name",
        "sessions/eu.yaml:4": "adhoc of shop-eu",
    }
    session = Path(folder.path)
    session.write_text(
        session.read_text().replace(
            "  serviceAccount: flink\n",
            "  serviceAccount: flink\n  flinkConfiguration:\n    high-availability.storageDir: s3://flink/ha/shop-us\n",
        )
    )
    assert len(found(project, "FLK056")) == 1


@pytest.mark.parametrize("project", ["shards_do_not_add_up"], indirect=True)
def test_shards_that_fit_each_job_do_not_fit_all(project: Path) -> None:
    bids, shared, written = found(project, "FLK057")
    assert at(project, shared) == "infra/main.tf:4"
    assert "0.67 MB/s for each" in shared.message
    assert told(project, shared) == {
        f"fleet/{name}.java:17": f"{name} polls every 600 ms" for name in ("Alerts", "Archive", "Tracks")
    }
    assert at(project, written) == "infra/main.tf:19"
    assert told(project, written) == {
        "fleet/Trucks.java:17": "Trucks writes here what trucks brings",
        "fleet/Vans.java:17": "Vans writes here what vans brings",
        "infra/main.tf:9": "trucks: 3 shards",
        "infra/main.tf:14": "vans: 2 shards",
    }
    assert (at(project, bids), bids.severity) == ("bids/k8s/bids.yaml:22", Severity.INFO)
    assert told(project, bids) == {
        "bids/topics.yaml:8": "12 partitions",
        "bids/src/main/java/shop/Bids.java:11": "reads bids",
    }
    assert found(project, "FLK831") == found(project, "FLK837") == found(project, "FLK807") == []


@pytest.mark.parametrize("project", ["shards_do_not_add_up"], indirect=True)
def test_the_shards_that_are_named_carry_all_jobs(project: Path) -> None:
    infra = project / "infra" / "main.tf"
    _, shared, written = found(project, "FLK057")
    assert shared.help is not None
    assert "let 1 of them fan out" in shared.help
    assert written.help is not None
    assert "make 5 shards of 4" in written.help
    streams = infra.read_text().split("\n\n")
    infra.write_text("\n\n".join([*streams[:-1], streams[-1].replace("= 4", "= 5")]))
    (project / "fleet" / "Archive.java").unlink()
    assert [one.path for one in found(project, "FLK057")] == [str(project / "bids" / "k8s" / "bids.yaml")]


@pytest.mark.parametrize("project", ["async_calls_under_load"], indirect=True)
def test_calls_that_hold_alone_do_not_hold_together(project: Path) -> None:
    barrier, pool = found(project, "FLK058")
    program = "enrichment/src/main/java/shop/Enrichment.java"
    assert (at(project, barrier), barrier.severity) == (f"{program}:14", Severity.WARNING)
    assert "240 s in all: 40% of the 600 s" in barrier.message
    assert told(project, barrier) == {
        f"{program}:15": "90 s more",
        "platform/values.yaml:7": "what a checkpoint may take",
    }
    assert (at(project, pool), pool.severity) == ("enrichment/src/main/java/shop/Service.java:12", Severity.ERROR)
    assert "the last needs 162 s, has 90 s" in pool.message
    assert [place.message for place in pool.located] == [
        "1 000 in flight", "1 000 in flight", "150 s for each record", "90 s for each record",
        "slots of one process, which has the pool once",
    ]  # fmt: skip
    assert found(project, "FLK880") == found(project, "FLK890") == []


@pytest.mark.parametrize("project", ["async_calls_under_load"], indirect=True)
@pytest.mark.parametrize(("takes", "count"), [(799, 1), (800, 0)])
def test_what_a_service_takes_is_for_flint_toml_to_say(project: Path, takes: int, count: int) -> None:
    (project / "flint.toml").write_text(f"[thresholds.async-calls-under-load]\ncalls = {takes}\nshare = 0.5\n")
    *service, pool = sorted(found(project, "FLK058"), key=lambda one: one.severity)
    assert "share one pool" in pool.message
    assert len(service) == count
    for one in service:
        assert "16 subtasks make 50 calls at once each, 800 in all" in one.message
        assert told(project, one)["enrichment/k8s/enrichment.yaml:22"] == "16 subtasks"


@pytest.mark.parametrize("project", ["durable_path_out_of_reach"], indirect=True)
def test_durable_paths_are_followed_to_what_is_behind_them(project: Path) -> None:
    expiring, missing, outdated, claim = found(project, "FLK059")
    assert (at(project, expiring), expiring.severity) == ("infra/main.tf:18", Severity.ERROR)
    assert told(project, expiring) == {
        "infra/main.tf:14": "what expires",
        "orders/orders.yaml:10": "checkpoints",
        "platform/values.yaml:7": "files are shared among checkpoints",
    }
    assert at(project, missing) == "local/docker-compose.yml:3"
    assert told(project, missing) == {"local/conf/flink-conf.yaml:2": "checkpoints"}
    assert at(project, outdated) == "local/docker-compose.yml:11"
    assert told(project, outdated) == {
        "local/docker-compose.yml:8": "the image of 1.18.1",
        "local/conf/flink-conf.yaml:2": "checkpoints",
    }
    assert (at(project, claim), claim.severity) == ("sessions/claim.yaml:8", Severity.WARNING)
    assert told(project, claim) == {
        "sessions/adhoc.yaml:10": "checkpoints",
        "sessions/adhoc.yaml:21": "mounted in jobmanager and taskmanager",
    }
    assert found(project, "FLK315") == found(project, "FLK317") == []


@pytest.mark.parametrize("project", ["durable_path_out_of_reach"], indirect=True)
def test_durable_paths_in_reach_are_accepted(project: Path) -> None:
    for path, old, new in (
        ("infra/main.tf", '"orders/"', '"orders/savepoints/"'),
        ("sessions/claim.yaml", "ReadWriteOnce", "ReadWriteMany"),
        ("local/docker-compose.yml", "hadoop-1.17.2", "hadoop-1.18.1"),
        (
            "local/docker-compose.yml",
            "jobmanager\n    volumes",
            "jobmanager\n    environment:\n      ENABLE_BUILT_IN_PLUGINS: flink-s3-fs-presto-1.18.1.jar\n    volumes",
        ),
    ):
        text = (project / path).read_text()
        assert old in text
        (project / path).write_text(text.replace(old, new))
    assert found(project, "FLK059") == []


@pytest.mark.parametrize("project", ["value_lost_on_the_way"], indirect=True)
def test_a_value_is_followed_to_the_process(project: Path) -> None:
    operator, newer, older = found(project, "FLK060")
    assert at(project, operator) == "k8s/orders.yaml:10"
    assert told(project, operator) == {"k8s/orders.yaml:17": "the variable of jobmanager"}
    assert at(project, newer) == "new/conf/config.yaml:5"
    assert "the image of Flink 1.20.4 fills variables into FLINK_PROPERTIES alone" in newer.message
    assert told(project, newer) == {
        "new/docker-compose.yml:6": "the variable of jobmanager",
        "new/docker-compose.yml:8": "brings the file",
        "new/docker-compose.yml:3": "whose entrypoint it is",
    }
    assert at(project, older) == "old/conf/flink-conf.yaml:2"
    assert "of 8 characters 2 arrive as s3.secret-key" in older.message
    assert told(project, older) == {
        "old/docker-compose.yml:6": "the variable of jobmanager",
        "old/docker-compose.yml:8": "brings the file",
    }
    assert found(project, "FLK008") == found(project, "FLK032") == []


@pytest.mark.parametrize("project", ["value_lost_on_the_way"], indirect=True)
def test_no_part_of_a_secret_is_told(project: Path) -> None:
    (project / "old" / "conf" / "flink-conf.yaml").write_text("s3.secret-key: hidden$treasure\n")
    told_of = [one for one in found(project, "FLK060") if one.path.endswith("flink-conf.yaml")]
    assert len(told_of) == 1
    assert "treasure" not in f"{told_of[0].message} {told_of[0].help}"
