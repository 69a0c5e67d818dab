"""Memory as flint derives it, against what Flink's own start scripts hand to the processes."""

from __future__ import annotations

import re

import pytest

from flink_flint.linter.flink.memory.jobmanager import jobmanager
from flink_flint.linter.flink.memory.taskmanager import taskmanager
from tests.live.cluster import Cluster

pytestmark = pytest.mark.live


def test_the_processes_run_with_the_jvm_arguments_that_flint_derives(cluster: Cluster) -> None:
    derived = {
        "jobmanager": jobmanager(cluster.configuration).jvm_args,
        "taskmanager": taskmanager(cluster.configuration).jvm_args,
    }
    for process, arguments in derived.items():
        assert f"jvm_params: {arguments}\n" in cluster.log(process)
        assert set(arguments.split()) <= set(cluster.jvm_options(process))


def test_the_taskmanager_is_told_the_parts_that_flint_derives(cluster: Cluster) -> None:
    memory = taskmanager(cluster.configuration)
    (line,) = re.findall(r"dynamic_configs: (.*)", cluster.log("taskmanager"))
    told = dict(pair.split("=", 1) for pair in line.replace("-D ", "").split())
    assert {key.removeprefix("taskmanager.memory."): size for key, size in told.items() if ".memory." in key} == {
        "framework.heap.size": f"{memory.framework_heap}b",
        "task.heap.size": f"{memory.task_heap}b",
        "managed.size": f"{memory.managed}b",
        "framework.off-heap.size": f"{memory.framework_off_heap}b",
        "task.off-heap.size": f"{memory.task_off_heap}b",
        "network.min": f"{memory.network}b",
        "network.max": f"{memory.network}b",
        "jvm-metaspace.size": f"{memory.metaspace}b",
        "jvm-overhead.min": f"{memory.overhead}b",
        "jvm-overhead.max": f"{memory.overhead}b",
    }
