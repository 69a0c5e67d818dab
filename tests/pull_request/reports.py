"""Reports as written by `flint check`, created for the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flink_flint.linter.pull_request.untrusted_report import Reported, reported_of


def finding(number: int = 1, **changed: Any) -> dict[str, Any]:
    """Return a finding with changed members; the number determines its identity and its line."""
    return {
        "code": "FLK101",
        "rule": "blob-storage-in-tmp",
        "family": "storage",
        "severity": "warning",
        "confidence": "high",
        "message": "job jars are stored under /tmp",
        "help": "set blob.storage.directory to a folder that nothing cleans",
        "note": None,
        "url": "https://example.org/not-asked",
        "path": "conf/flink-conf.yaml",
        "start": {"line": number, "column": 1},
        "end": {"line": number, "column": 10},
        "document": None,
        "key": "blob.storage.directory",
        "flink_version": "1.18",
        "fingerprint": f"{number:032x}",
        "measure": None,
        "excerpt": {"line": number, "lines": ["blob.storage.directory: /tmp"], "start": 1, "end": 10},
        "related": [],
        "evidence": {"directory": "/tmp"},
        "fix": None,
    } | changed


def fix(line: int, before: str, text: str, *, safe: bool = True, path: str = "conf/flink-conf.yaml") -> dict[str, Any]:
    """Return a fix that replaces a whole line."""
    return {
        "safety": "safe" if safe else "unsafe",
        "title": "write it so",
        "edits": [
            {
                "path": path,
                "start": {"line": line, "column": 1},
                "end": {"line": line, "column": len(before) + 1},
                "text": text,
            }
        ],
        "before": {"line": line, "lines": [before]},
    }


def deployment(process_size: int | None, document: str | None = None, **parts: int | None) -> dict[str, Any]:
    """Return a whole document with the memory of its TaskManager."""
    return {
        "path": "conf/flink-conf.yaml",
        "document": document,
        "flink_version": "1.18",
        "memory": {
            "taskmanager": {"process_size": process_size, "error": None, **parts},
            "jobmanager": {"process_size": 1024, "error": None},
        },
    }


def report(*findings: dict[str, Any], deployments: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """Return a report according to which the files of its findings and one more were read."""
    files = sorted({"conf/flink-conf.yaml", *(one["path"] for one in findings if isinstance(one["path"], str))})
    return {
        "version": 1, "flint": "0", "files": 1, "findings": list(findings), "deployments": list(deployments),
        "suppressed": {"comment": 0, "baseline": 0, "flint_toml": 0}, "silenced": [], "settings": [],
        "coverage": {"read": len(files), "files": files, "skipped": [], "unreadable": []},
    }  # fmt: skip


def read(*findings: dict[str, Any], deployments: tuple[dict[str, Any], ...] = ()) -> Reported:
    """Return a parsed report."""
    return reported_of(json.dumps(report(*findings, deployments=deployments)).encode())


def save(path: Path, *findings: dict[str, Any], deployments: tuple[dict[str, Any], ...] = ()) -> str:
    """Save a report to a file and return its path."""
    path.write_text(json.dumps(report(*findings, deployments=deployments)))
    return str(path)
