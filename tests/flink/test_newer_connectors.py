"""What Maven prints about newer releases of connectors is read."""

from __future__ import annotations

from flink_flint.linter.flink.generate.connectors.newer import newest_listed, updates_in

_OUTPUT = """\
[INFO] The following dependencies in Dependencies have newer versions:
[INFO]   org.apache.flink:flink-connector-kafka ....... 3.4.0-1.20 -> 5.0.0-2.2
[INFO]   org.apache.flink:flink-connector-elasticsearch7_2.12 ...
[INFO]                                                             1.14.4 -> 1.14.6
[INFO]
"""


def test_updates_are_found_on_one_line_and_on_two() -> None:
    assert updates_in(_OUTPUT) == [
        ("org.apache.flink:flink-connector-kafka", "3.4.0-1.20", "5.0.0-2.2"),
        ("org.apache.flink:flink-connector-elasticsearch7_2.12", "1.14.4", "1.14.6"),
    ]


def test_each_artifact_is_asked_about_once_with_its_last_release() -> None:
    listed = {release.artifact: release.version for release in newest_listed()}
    assert len(listed) == len(newest_listed())
    assert listed["org.apache.flink:flink-connector-kafka"] == "5.0.0-2.2"
