"""One named file in a large project: what reading the project around it costs, cold and warm."""

from __future__ import annotations

import os
from pathlib import Path

LONG_AGO = 1_600_000_000

JOB = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: job-{number}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  serviceAccount: flink
  flinkConfiguration:
    execution.checkpointing.interval: 5min
    state.backend.type: rocksdb
    execution.checkpointing.dir: s3://acme/{number}
  jobManager: {{resource: {{memory: 2048m, cpu: 1}}}}
  taskManager: {{resource: {{memory: 4096m, cpu: 2}}}}
  job: {{jarURI: "local:///opt/flink/usrlib/job.jar", upgradeMode: last-state, parallelism: 2}}
"""
OTHERS = {
    "deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: service-{number}}}\nspec:\n"
    + "".join(f"  setting{line}: value {line}\n" for line in range(40)),
    "values.yaml": "".join(f"setting{line}: value {line}\n" for line in range(60)),
    "Service.java": "package com.acme;\n\nimport java.util.List;\n\nclass Service{number} {{\n"
    + "".join(f"    int field{line} = {line};\n" for line in range(80))
    + "}}\n",
    "schema.sql": "".join(f"CREATE TABLE t{line} (id BIGINT, name VARCHAR(20));\n" for line in range(20)),
    "package.json": '{{"name": "service-{number}", "version": "1.0.0", "dependencies": {{"a": "1", "b": "2"}}}}\n',
}


def large_project(root: Path, files: int = 10_000, flinks: int = 500) -> Path:
    """Write a repository with a number of files, some of them Flink's, and return one of those."""
    (root / ".git").mkdir(parents=True)
    written = 0
    for number in range(flinks):
        _write(root / f"team-{number % 50}" / f"job-{number}" / "deployment.yaml", JOB.format(number=number))
        written += 1
    names = list(OTHERS)
    while written < files:
        name = names[written % len(names)]
        folder = root / f"team-{written % 50}" / f"service-{written // len(names)}"
        _write(folder / name, OTHERS[name].format(number=written))
        written += 1
    return root / "team-1" / "job-1" / "deployment.yaml"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (LONG_AGO, LONG_AGO))
