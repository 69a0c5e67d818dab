"""The cluster on the page about upgrades: written for 1.16, to be upgraded to 2.1."""

from __future__ import annotations

from pathlib import Path

FLINK_CONF = """\
jobmanager.rpc.address: flink-jobmanager
jobmanager.memory.process.size: 2g
taskmanager.memory.process.size: 16g
taskmanager.numberOfTaskSlots: 4
akka.framesize: 20m
state.backend: rocksdb
state.backend.rocksdb.checkpointdir: /data/rocksdb
state.checkpoints.dir: s3://orders/checkpoints
execution.checkpointing.dir: s3://orders-new/checkpoints
execution.checkpointing.interval: 60 s
s3.access-key: AKIAEXAMPLEEXAMPLE12
s3.secret-key: wJalrXUtnFEMIK7MDENG
cluster.evenly-spread-out-slots: true
jobmanager.scheduler: ng
heartbeat.timeout: 60000
execution.checkpointing.unaligned.enabled: true
"""
FLINT_TOML = 'flink-version = "1.16"\n'


def write_example(folder: Path) -> None:
    """Write the files of the example."""
    (folder / "conf").mkdir()
    (folder / "conf" / "flink-conf.yaml").write_text(FLINK_CONF)
    (folder / "flint.toml").write_text(FLINT_TOML)
