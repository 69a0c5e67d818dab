"""What rules about networks and high availability say of Flink, on real releases: one JVM each."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.live.distribution import flink_home

pytestmark = pytest.mark.flink

ANSWERS = {
    # Servers with their ports, and the path: commas part servers, and the first slash begins the path.
    "quorum a:1,b": "a|1 b|2181 null",
    "quorum a:1 , b:2": "a|1 b|2 null",
    "quorum a:1,,b:2": "a|1 b|2 null",
    "quorum a:1;b:2": "a:1;b|2 null",
    "quorum a:1 b:2": "a:1 b|2 null",
    "quorum a:1/flink,b:2": "a|1 /flink,b:2",
    "quorum a:1,b:2/flink": "a|1 b|2 /flink",
    "quorum a:1,b:x": '!For input string: "x"',
    # Nothing checks the times of an election.
    "election 15s 15s 5s": "stands",
    "election 10s 30s 5s": "stands",
    "election 15s 5s 15s": "stands",
    # Only under ZooKeeper does jobmanager.rpc.port (6200) not count.
    "port under none": "6200",
    "port under zookeeper": "0",
    "port under kubernetes": "6200",
    "port under org.apache.flink.kubernetes.highavailability.KubernetesHaServicesFactory": "6200",
    "storage": "file:/ha/orders",
    "storage by default": "file:/ha/default",
    "client 10": "taken",
}
PORTS = ("taskmanager.rpc.port", "blob.server.port", "rest.bind-port", "high-availability.jobmanager.port")
TOO_LONG = "!The client's heartbeat interval should be less than the heartbeat timeout."


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_hazards_of_networks(version: str) -> None:
    program = Path(__file__).with_name("NetworkHazards.java")
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", f"{flink_home(version)}/lib/*", str(program)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    answers = dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)
    assert {name: answers[name] for name in ANSWERS} == ANSWERS
    for port in PORTS:
        assert (answers[f"{port} 0"], answers[f"{port} 6200"]) == ("7777", "6200")
        assert answers[f"{port} 6200-6210"].startswith(f"!{port} should be specified to a fixed port.")
    assert answers["client 30"].startswith(TOO_LONG)
    assert answers["client 40"].startswith(TOO_LONG)
