"""What an answer changes in a configuration."""

from __future__ import annotations

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.setting_changes import Change, LeftAlone, changes, left_alone
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.releases import parse_release


def _answer(settings: dict[str, object], *remove: str) -> Answer:
    return Answer(values=(), binding="", steps=(), settings=settings, remove=remove)


def test_changes_add_change_and_remove() -> None:
    configuration = Configuration(
        {"taskmanager.memory.flink.size": "1g", "parallelism.default": "4"}, parse_release("1.20"), yaml=False
    )
    answer = _answer(
        {"taskmanager.memory.process.size": 2 << 30, "parallelism.default": 8}, "taskmanager.memory.flink.size"
    )
    found = changes(answer, configuration)
    assert found == [
        Change("taskmanager.memory.process.size", None, "2gb"),
        Change("parallelism.default", "4", "8"),
        Change("taskmanager.memory.flink.size", "1g", None),
    ]
    assert [change.kind for change in found] == ["add", "change", "remove"]


def test_what_already_means_the_same_stays() -> None:
    configuration = Configuration({"execution.checkpointing.interval": "60000"}, parse_release("1.20"), yaml=False)
    assert changes(_answer({"execution.checkpointing.interval": 60.0}), configuration) == []


def test_an_old_spelling_is_changed_where_it_stands() -> None:
    configuration = Configuration({"akka.framesize": "10485760b"}, parse_release("1.20"), yaml=False)
    assert changes(_answer({"pekko.framesize": "20971520b"}), configuration) == [
        Change("akka.framesize", "10485760b", "20971520b")
    ]


def test_a_removed_key_that_is_not_set_changes_nothing() -> None:
    configuration = Configuration({}, parse_release("1.20"), yaml=False)
    assert changes(_answer({}, "taskmanager.memory.flink.size"), configuration) == []


def test_a_template_is_left_alone_under_every_spelling() -> None:
    configuration = Configuration(
        {"akka.framesize": "${FRAME}", "parallelism.default": "{{ p }}", "taskmanager.memory.flink.size": "$SIZE"},
        parse_release("1.20"),
        yaml=False,
    )
    answer = _answer({"pekko.framesize": "20971520b", "parallelism.default": 8}, "taskmanager.memory.flink.size")
    assert changes(answer, configuration) == []
    assert left_alone(answer, configuration) == [
        LeftAlone("akka.framesize", "${FRAME}", "20971520b"),
        LeftAlone("parallelism.default", "{{ p }}", "8"),
        LeftAlone("taskmanager.memory.flink.size", "$SIZE", None),
    ]


def test_a_key_without_a_value_is_changed() -> None:
    configuration = Configuration({"parallelism.default": None}, parse_release("2.3"), yaml=True)
    answer = _answer({"parallelism.default": 8})
    assert changes(answer, configuration) == [Change("parallelism.default", "null", "8")]
    assert left_alone(answer, configuration) == []


def test_a_removed_key_that_the_release_does_not_know_changes_nothing() -> None:
    configuration = Configuration({"some.key": "1"}, parse_release("1.20"), yaml=False)
    assert changes(_answer({}, "unknown.key"), configuration) == []
