"""The files that are measured, made from a seed: the same ones in every run."""

from __future__ import annotations

import random
from pathlib import Path

SEED = 20260101

PREFERENCES = 'flink-version = "1.20"\nplatform = "standalone"\n'

STOCK = """\
jobmanager:
  bind-host: localhost
  rpc:
    address: localhost
    port: 6123
  memory:
    process:
      size: 1600m
  execution:
    failover-strategy: region
taskmanager:
  bind-host: localhost
  host: localhost
  numberOfTaskSlots: 1
  memory:
    process:
      size: 1728m
parallelism:
  default: 1
rest:
  address: localhost
  bind-address: localhost
"""
"""The settings a release ships with."""

# What people add, each as (key, values to choose from).
CHOICES = (
    ("parallelism.default", ("1", "2", "4", "8")),
    ("taskmanager.numberOfTaskSlots", ("1", "2", "4")),
    ("taskmanager.memory.process.size", ("2g", "4g", "1728m")),
    ("jobmanager.memory.process.size", ("1600m", "2g")),
    ("execution.checkpointing.interval", ("1 min", "30 s", "10 min")),
    ("execution.checkpointing.timeout", ("10 min", "20 min")),
    ("state.backend.type", ("rocksdb", "hashmap")),
    ("rest.port", ("8081", "8082")),
    ("metrics.reporter.prom.port", ("9249", "9250")),
    ("restart-strategy.type", ("fixed-delay", "exponential-delay")),
)

# Families of keys without end, so that a file can be as long as one likes without a line being wrong.
ENDLESS = (
    "containerized.taskmanager.env.NAME_{}: value-{}",
    "containerized.master.env.NAME_{}: value-{}",
    "metrics.reporter.reporter{}.interval: {} s",
    "fs.s3a.bucket.b{}.endpoint: s3-{}.example.org",
)


def stock_folder(folder: Path) -> Path:
    """A folder with one `config.yaml` like that of a release, two thirds of it comments, and a flint.toml."""
    folder.mkdir(parents=True)
    comment = "# Lines that explain the settings below at some length, as the shipped file has them everywhere\n"
    lines = [f"{comment * 8}{line}" for line in STOCK.splitlines(keepends=True)]
    (folder / "config.yaml").write_text("".join(lines) + comment * 40, encoding="utf-8")
    (folder / "flint.toml").write_text(PREFERENCES, encoding="utf-8")
    return folder


def many_files(folder: Path, number: int) -> Path:
    """A folder of small configuration directories, half of them legacy, of five to ten settings each."""
    chance = random.Random(SEED)
    folder.mkdir(parents=True)
    (folder / "flint.toml").write_text(PREFERENCES, encoding="utf-8")
    for place in range(number):
        chosen = chance.sample(CHOICES, chance.randint(5, len(CHOICES)))
        text = "".join(f"{key}: {chance.choice(values)}\n" for key, values in chosen)
        cluster = folder / f"team-{place // 100}" / f"cluster-{place}"
        cluster.mkdir(parents=True)
        (cluster / ("config.yaml" if place % 2 else "flink-conf.yaml")).write_text(text, encoding="utf-8")
    return folder


def many_keys(folder: Path, name: str, number: int) -> Path:
    """A folder with one file of `number` settings."""
    chance = random.Random(SEED)
    folder.mkdir(parents=True)
    (folder / "flint.toml").write_text(PREFERENCES, encoding="utf-8")
    lines = ["parallelism.default: 2\n"]
    lines += [f"{chance.choice(ENDLESS).format(place, place)}\n" for place in range(1, number)]
    (folder / name).write_text("".join(lines), encoding="utf-8")
    return folder
