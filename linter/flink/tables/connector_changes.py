"""The changes of rows that tables of connectors have: what the planner asks a source and a sink, known without them.

Declared once, for rules and for the planner that `--plan` runs without the connectors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

CHANGELOG_FORMATS = ("debezium", "canal", "maxwell", "ogg")
"""The beginnings of the names of formats that read changes of rows."""
_CHANGES = rf"({'|'.join(CHANGELOG_FORMATS)}|changelog)-.*"
_CDC = r".*-cdc"
_UPSERT_KAFKA = r"upsert-kafka"
_LOGS = r"kafka|pulsar|pravega|rocketmq|nats"

CONNECTORS: Sequence[dict[str, Any]] = (
    {"connector": _CDC, "option": "changelog-mode=upsert", "source": "upsert"},
    {"connector": _CDC, "source": "all", "sink": "none", "lookup": False, "bounded": False},
    {"connector": f"{_UPSERT_KAFKA}|{_LOGS}", "option": "scan.bounded.mode=latest-offset", "bounded": True},
    {"connector": f"{_UPSERT_KAFKA}|{_LOGS}", "option": "scan.bounded.mode=group-offsets", "bounded": True},
    {"connector": f"{_UPSERT_KAFKA}|{_LOGS}", "option": "scan.bounded.mode=timestamp", "bounded": True},
    {"connector": f"{_UPSERT_KAFKA}|{_LOGS}", "option": "scan.bounded.mode=specific-offsets", "bounded": True},
    {"connector": _UPSERT_KAFKA, "source": "upsert", "sink": "upsert", "lookup": False, "bounded": False},
    {"connector": _LOGS, "format": _CHANGES, "source": "all", "sink": "all", "lookup": False, "bounded": False},
    {"connector": _LOGS, "source": "insert", "sink": "insert", "lookup": False, "bounded": False},
    {"connector": r"kinesis(-legacy)?", "format": _CHANGES, "source": "all", "sink": "all", "lookup": False},
    {"connector": r"kinesis(-legacy)?", "source": "insert", "sink": "insert", "lookup": False, "bounded": False},
    {"connector": r"firehose", "source": "none", "sink": "insert"},
    {"connector": r"dynamodb", "source": "none", "sink": "without update-before"},
    {"connector": r"filesystem", "format": _CHANGES, "source": "all", "sink": "all", "lookup": False},
    {"connector": r"filesystem", "source": "insert", "sink": "insert", "lookup": False},
    {"connector": r"rabbitmq|socket", "source": "insert", "sink": "insert", "lookup": False, "bounded": False},
    {"connector": r"jdbc|mongodb", "source": "insert", "sink": "keyed", "lookup": True, "bounded": True},
    {"connector": r"hbase-.*", "source": "insert", "sink": "upsert", "lookup": True, "bounded": True},
    {"connector": r"(elasticsearch|opensearch)-.*", "source": "none", "sink": "without update-before"},
    {"connector": r"http-sink", "format": _CHANGES, "source": "none", "sink": "all"},
    {"connector": r"http-sink", "source": "none", "sink": "insert"},
    {"connector": r"redis|http|rest|rest-lookup|http-.*", "lookup": True},
)
"""What is known of the tables of connectors, the first row that fits counting for each property.

`connector` and `format` are patterns of whole names, `option` an option that the table must have. `source` is what the
table yields: ``insert`` (new rows), ``upsert`` (new rows, updates and deletions by key), ``all`` (with the old rows of
updates), ``none`` (it cannot be read). `sink` is what it accepts: the same words, ``keyed`` (upsert with a primary key,
insert without one), and ``without update-before``. `lookup` says whether the table can be asked for the rows of a key,
`bounded` whether it has an end. What no row says is unknown, and must not lead to a refusal.
"""


def reads_changes(connector: str, formats: Sequence[str]) -> bool:
    """Return whether a table of a connector, with formats of its values, certainly has updates and deletions."""
    return (
        connector.endswith("-cdc")
        or connector == _UPSERT_KAFKA
        or any(one.startswith(CHANGELOG_FORMATS) for one in formats)
    )


def appends_alone(connector: str, formats: Sequence[str]) -> bool:
    """Return whether a table of a connector, written in some formats, certainly accepts new rows alone."""
    for row in CONNECTORS:
        if "sink" not in row or "option" in row or re.fullmatch(row["connector"], connector) is None:
            continue
        wanted = row.get("format")
        if wanted is None or any(re.fullmatch(wanted, one) for one in formats):
            return bool(row["sink"] == "insert")
    return False
