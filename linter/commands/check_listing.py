"""`flint check --show-files` and `--show-flint-config`: list the files or configuration, without checking."""

from __future__ import annotations

import json
from typing import Any

from flink_flint.linter.config.flint_config import FlintConfigFile
from flink_flint.linter.engine.check_run import Report
from flink_flint.linter.engine.discovery import EXCLUDED, IGNORES
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.flink.secret_places import name_without_secrets
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.safe_text import neutral_line

_WANTED = (EXCLUDED, IGNORES)


def show_flint_config(flint_config: FlintConfigFile) -> int:
    """Print the effective flint configuration and return the exit status."""
    print(json.dumps({"path": flint_config.path, "flint-config": flint_config.values}, indent=1))
    return 0


def show_files(report: Report, output_format: str) -> None:
    """Print the files of a report, with the target of each document, and what is not checked, with the reason.

    The target is the Flink release, platform and profile. Folders and files that the user excludes are left out.
    """
    files: dict[str, list[dict[str, object]]] = {}
    for judged in report.documents:
        row: dict[str, object] = {
            "kind": judged.document.kind,
            "flink_version": judged.target.version,
            "evidence": judged.target.evidence,
            "platform": judged.target.platform,
            "profile": judged.target.profile,
            "purpose": judged.document.purpose,
        }
        files.setdefault(judged.document.path, []).append({"document": _name(judged), **row})
    # A file is described by its first document with settings; if there are several, all are listed.
    configures = {one.document.path: _name(one) for one in reversed(report.documents) if one.document.entries}
    recognition = {one.document.path: evidence_object(one.document) for one in report.documents}
    rows = [
        {"path": path, "recognition": recognition[path]}
        | {k: v for k, v in _first(members, configures.get(path)).items() if k != "document"}
        | ({"documents": members} if len(members) > 1 else {})
        for path, members in files.items()
    ]
    skipped = [{"path": one.path, "reason": one.reason} for one in report.skipped if one.reason not in _WANTED]
    if output_format.startswith("json"):
        print(json.dumps({"version": 1, "files": rows, "skipped": skipped}, indent=1, ensure_ascii=False))
        return
    shown = None
    for path, row in ((path, row) for path, members in files.items() for row in members):
        named = f" ({row['document']})" if row["document"] else ""
        platform = f", {row['platform']}" if row["platform"] else ""
        is_named = row["flink_version"] and not str(row["evidence"]).startswith("unknown")
        version = f"Flink {row['flink_version']} ({row['evidence']})" if is_named else f"Flink {row['evidence']}"
        purpose = "" if row["purpose"] == "production" else f", {row['purpose']}"
        print(neutral_line(f"{path}{named}: {row['kind']}, {version}{platform}, {row['profile']}{purpose}"))
        if path != shown:
            shown = path
            for reason in recognition[path]["reasons"]:
                print(neutral_line(f"  {reason}"))
    for one in skipped:
        print(neutral_line(f"{one['path']}: not checked ({one['reason']})"))


def evidence_object(document: Document) -> dict[str, Any]:
    """Return the evidence for and against a document's file being Flink's, as an object of the JSON output."""
    evidence = document.evidence
    reasons = [*evidence.reasons]
    if document.purpose_evidence:
        reasons.append(f"{document.purpose}: {document.purpose_evidence}")
    return {"for": evidence.in_favor, "against": evidence.against, "reasons": reasons}


def _name(judged: Judged) -> str | None:
    name = judged.document.name
    return None if name is None else name_without_secrets(name)


def _first(members: list[dict[str, object]], name: str | None) -> dict[str, object]:
    """Return the row of the document with a name, otherwise the first."""
    return next((row for row in members if row["document"] == name), members[0])
