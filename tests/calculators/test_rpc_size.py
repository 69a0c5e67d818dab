"""RPC sizes: what was measured on clusters and reported from the field, and which cure each of them needs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.declaration import BadInput, MissingInput, draft, inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.calculators.formulas.quantity import BadQuantity
from flink_flint.calculators.inputs.rpc_size import FRAME, MESSAGE, CurrentRpc, RpcSize, heap_within
from flink_flint.calculators.rpc_size import CALCULATOR, load_of_rpc, size_rpc
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.flink.releases import MINORS, NEWEST, parse_release, release_at

RELEASE = release_at(NEWEST)


@pytest.mark.parametrize(
    ("elements", "message", "fits"),
    [(1_310_000, 10_484_868, True), (1_400_000, 11_204_868, False), (2_000_000, 16_004_868, False)],
)
def test_messages_measured_on_a_cluster(elements: int, message: int, fits: bool) -> None:
    answer = size_rpc(RpcSize(list_elements=elements), RELEASE)
    assert answer.value("message") == message
    assert (message <= ack.DEFAULT_FRAME) is fits
    assert bool(answer.errors) is not fits
    assert answer.warnings  # 1.31 million fill the default frame to the last 892 bytes


@pytest.mark.parametrize(
    ("subtasks", "elements", "threshold", "metadata"),
    # One ListState<Long> named "longs00": inlined up to 20 KiB, else in a file of its own.
    [(1, 10, 20480, 1206), (2, 1000, 20480, 33_406), (8, 1000, 20480, 131_566), (2, 3000, 20480, 48_906),
     (2, 20_000, 0, 320_906), (2, 100_000, 1 << 20, 3_201_406), (1, 1_000_000, 20480, 8_000_796)],
)  # fmt: skip
def test_metadata_files_measured_on_a_cluster(subtasks: int, elements: int, threshold: int, metadata: int) -> None:
    answer = size_rpc(RpcSize(list_elements=elements, parallelism=subtasks, threshold=threshold), RELEASE)
    assert answer.value("metadata") == metadata


def test_two_sequences_of_200_million_make_the_metadata_of_3_gib_that_was_seen() -> None:
    answer = size_rpc(RpcSize(sequence=200_000_000, parallelism=8, tasks=2, frame=100_485_760), RELEASE)
    assert answer.value("list_elements") == 25_000_000
    assert answer.value("metadata") / (1 << 30) == pytest.approx(2.98, abs=0.005)
    assert answer.value("heap") / (1 << 30) == 10
    assert answer.settings == {"pekko.framesize": f"{239 << 20}b", "jobmanager.memory.heap.size": 10 << 30}
    assert "jobmanager.memory.process.size" in answer.remove


@pytest.mark.parametrize(
    ("line", "frame", "elements", "mebibytes"),
    [
        ("The rpc invocation size 199965215 exceeds the maximum akka framesize.", "100485760b", 24_995_043, 239),
        ("The rpc invocation size 19598830 exceeds the maximum akka framesize.", "10485760b", 2_449_245, 24),
        (
            (
                "Discarding oversized payload sent to Actor[akka://x]: max allowed size 10485760 bytes, actual size "
                "of encoded class org.apache.flink.runtime.rpc.messages.RemoteFencedMessage was 11204928 bytes."
            ),
            "10485760b",
            1_400_007,
            14,
        ),
    ],
)
def test_a_line_of_a_log_tells_the_elements_and_the_frame(line: str, frame: str, elements: int, mebibytes: int) -> None:
    answer = size_rpc(RpcSize(observed=MESSAGE.parse(line), frame=FRAME.parse(frame)), RELEASE)
    assert answer.value("list_elements") == elements
    assert answer.value("frame") == mebibytes << 20
    assert answer.errors


def test_list_elements_are_cured_by_fewer_of_them_and_not_by_the_threshold() -> None:
    answer = size_rpc(RpcSize(observed=199_965_215, frame=100_485_760, threshold=1024, parallelism=8), RELEASE)
    steps = " ".join(answer.steps)
    assert "Remedy 1 is fewer list elements" in steps
    assert "A lower threshold does not help" in steps
    assert "over 20 subtasks" in steps  # 200 million elements with a fifth of the frame to spare
    assert "execution.checkpointing.data-inline-threshold" not in answer.settings
    assert any("only delays the failure" in warning for warning in answer.warnings)


def test_a_threshold_cannot_explain_gigabytes() -> None:
    answer = size_rpc(RpcSize(handles=5, parallelism=120), RELEASE)
    assert answer.value("inlined") == 12_288_000
    assert not answer.errors
    assert not answer.warnings
    assert not answer.settings


def test_inlined_state_is_cured_by_the_threshold() -> None:
    answer = size_rpc(RpcSize(handles=32, parallelism=100, threshold=1 << 20), RELEASE)
    assert answer.settings == {"execution.checkpointing.data-inline-threshold": 20 << 10}
    assert any("32 x 100 = 3 200 files" in step for step in answer.steps)
    # Measured on 1.20: given with `flink run -D` alone the threshold changes nothing.
    assert any("only together with execution.checkpointing.storage" in warning for warning in answer.warnings)
    assert "execution.checkpointing.storage=filesystem" in answer.elsewhere[0].text


def test_too_many_files_leave_the_frame_and_the_heap() -> None:
    answer = size_rpc(RpcSize(handles=320, parallelism=32, threshold=1 << 20), RELEASE)
    assert set(answer.settings) == {"pekko.framesize", "jobmanager.memory.heap.size"}
    assert any("10 240 files" in step and "too many" in step for step in answer.steps)


def test_names_of_files_are_cured_by_fewer_files() -> None:
    answer = size_rpc(RpcSize(files=100_000), RELEASE)
    assert "names of 100 000 files" in answer.binding
    assert any("manual-compaction.min-interval" in step for step in answer.steps)
    assert not any("manual-compaction" in step for step in size_rpc(RpcSize(files=100_000), release_at(5)).steps)


@pytest.mark.parametrize(("release", "inlines_up_to"), [("1.10", 1 << 10), ("1.11", 20 << 10), ("2.1", 20 << 10)])
def test_a_threshold_above_1_mib_is_ignored(release: str, inlines_up_to: int) -> None:
    answer = size_rpc(RpcSize(handles=5, threshold=2 << 20), parse_release(release))
    assert answer.value("threshold") == inlines_up_to
    assert any("is above 1 MiB: Flink ignores it" in warning for warning in answer.warnings)


def test_no_frame_carries_more_than_2047_mib() -> None:
    answer = size_rpc(RpcSize(list_elements=400_000_000), RELEASE)
    assert any("no frame is large enough" in error for error in answer.errors)
    assert "pekko.framesize" not in answer.settings
    assert any("A larger frame does not help" in step for step in answer.steps)
    assert answer.values[0].text == "none"
    assert "fewer list elements in one subtask is the remedy" in answer.values[0].explanation
    assert answer.binding.endswith("make up the message, and Flink accepts frames up to 2047 MiB")
    # What never arrives takes no heap, either.
    assert answer.settings == {}
    assert not any("OutOfMemoryError" in error for error in answer.errors)


def test_a_heap_beyond_reason_is_an_error_and_no_setting() -> None:
    answer = size_rpc(RpcSize(list_elements=100_000_000, parallelism=30), RELEASE)
    assert answer.value("heap") > 32 << 30
    assert "jobmanager.memory.heap.size" not in answer.settings
    assert any(
        "which no setting fixes: fewer list elements or fewer retained checkpoints" in error for error in answer.errors
    )


def test_sources_of_sequences_are_shown_only_where_a_sequence_was_told() -> None:
    assert size_rpc(RpcSize(list_elements=25_000_000), RELEASE).elsewhere == ()
    told = size_rpc(RpcSize(sequence=200_000_001, parallelism=8), RELEASE).elsewhere
    assert "env.fromSequence(1, 200000001);" in told[1].text


def test_the_reason_of_what_is_carried_is_a_sentence() -> None:
    assert load_of_rpc(CurrentRpc(), RELEASE).binding == (
        "the frame of 10 MiB fits no more elements with a fifth to spare"
    )
    assert load_of_rpc(CurrentRpc(parallelism=1000), RELEASE).binding == (
        "the JobManager's heap of 1 GiB has no room for more elements of 1 000 subtasks"
    )


@pytest.mark.parametrize(
    ("release", "symptom", "outcome"),
    [
        ("1.14", "The rpc invocation size N exceeds", "the checkpoint fails"),
        ("1.15", "Discarding oversized payload", "the checkpoint expires at its timeout"),
        ("2.3", "Discarding oversized payload", "the checkpoint expires at its timeout"),
    ],
)
def test_the_symptom_is_that_of_the_release(release: str, symptom: str, outcome: str) -> None:
    answer = size_rpc(RpcSize(list_elements=1_400_000), parse_release(release))
    assert symptom in answer.steps[-1]
    assert answer.errors[0].endswith(outcome)


@pytest.mark.parametrize(
    ("release", "keys"),
    [
        ("1.12", {"akka.framesize", "state.backend.fs.memory-threshold", "jobmanager.memory.heap.size"}),
        ("1.14", {"akka.framesize", "state.storage.fs.memory-threshold", "jobmanager.memory.heap.size"}),
        ("1.18", {"pekko.framesize", "state.storage.fs.memory-threshold", "jobmanager.memory.heap.size"}),
        ("1.20", {"pekko.framesize", "execution.checkpointing.data-inline-threshold", "jobmanager.memory.heap.size"}),
        ("2.1", {"pekko.framesize", "execution.checkpointing.data-inline-threshold", "jobmanager.memory.heap.size"}),
    ],
)
def test_settings_are_spelled_for_their_release(release: str, keys: set[str]) -> None:
    target = parse_release(release)
    lists = size_rpc(RpcSize(sequence=200_000_000, parallelism=8), target).settings
    inlined = size_rpc(RpcSize(handles=32, threshold=1 << 20), target).settings
    found = spelled({**lists, **inlined}, target)
    assert set(found.settings) == keys
    assert found.unknown == ()


def test_before_1_11_the_heap_has_another_key() -> None:
    release = parse_release("1.10")
    answer = size_rpc(RpcSize(sequence=200_000_000, parallelism=8), release)
    assert spelled(answer.settings, release).unknown == ("jobmanager.memory.heap.size",)
    assert any(snippet.text.startswith("jobmanager.heap.size: ") for snippet in answer.elsewhere)


@pytest.mark.parametrize(("heap", "metadata", "dies"), [(115, 20_000_000, True), (154, 40_000_000, True)])
def test_heaps_that_were_too_small_on_a_cluster_are(heap: int, metadata: int, dies: bool) -> None:
    # 10 MB messages of 2 and of 4 subtasks; the JobManager ended with OutOfMemoryError.
    held = ack.held(metadata, retained=1)
    assert (held > ack.room_on_heap(heap << 20)) is dies


@pytest.mark.parametrize(("heap", "metadata"), [(120, 20_000_000), (172, 40_000_000), (280, 80_000_000)])
def test_heaps_that_sufficed_on_a_cluster_are_not_above_what_is_reckoned(heap: int, metadata: int) -> None:
    idle = 64 << 20  # the heap of a JobManager without any checkpoint
    assert ack.held(metadata, retained=1) + idle >= heap << 20


def test_the_heap_in_force_is_judged() -> None:
    load = {"sequence": 200_000_000, "parallelism": 8, "frame": 250_609_664}
    assert any("OutOfMemoryError" in error for error in size_rpc(RpcSize(**load, heap=2 << 30), RELEASE).errors)
    wide = size_rpc(RpcSize(**load, heap=10 << 30), RELEASE)
    assert not wide.errors
    assert "jobmanager.memory.heap.size" not in wide.settings


def test_what_frame_and_threshold_carry() -> None:
    answer = load_of_rpc(CurrentRpc(frame=10 << 20, list_elements=1_400_000), RELEASE)
    assert answer.value("most_list_elements") == 1_310_111
    assert answer.errors
    safe = load_of_rpc(CurrentRpc(frame=10 << 20), RELEASE)
    assert not safe.errors
    assert safe.value("safe_handles") == (10 << 20) * 4 // 5 // (20 << 10)


def test_the_heap_bounds_what_many_subtasks_report() -> None:
    answer = load_of_rpc(CurrentRpc(frame=100 << 20, parallelism=100, heap=4 << 30), RELEASE)
    assert answer.binding.startswith("the JobManager's heap")
    assert answer.value("safe_list_elements") < answer.value("most_list_elements")


@given(elements=st.integers(0, 50_000_000), parallelism=st.integers(1, 64))
def test_forward_and_back_agree(elements: int, parallelism: int) -> None:
    sized = size_rpc(RpcSize(list_elements=elements, parallelism=parallelism), RELEASE)
    back = load_of_rpc(
        CurrentRpc(
            list_elements=elements, parallelism=parallelism, frame=sized.value("frame"), heap=sized.value("heap")
        ),
        RELEASE,
    )
    assert back.value("safe_list_elements") >= elements
    assert not back.errors
    assert not back.warnings


@given(message=st.integers(1, 1_600_000_000))
def test_a_frame_is_whole_mebibytes_and_carries_its_message(message: int) -> None:
    frame = ack.frame_for(message)
    assert frame % (1 << 20) == 0
    assert max(message * 1.25, ack.DEFAULT_FRAME) <= frame <= ack.LARGEST_FRAME


@given(more=st.integers(1, 1_000_000), elements=st.integers(0, 5_000_000), handles=st.integers(0, 100))
def test_more_state_never_makes_a_smaller_message(more: int, elements: int, handles: int) -> None:
    def message(**load: int) -> int:
        return int(size_rpc(RpcSize(**load, threshold=0), RELEASE).value("message"))

    assert message(list_elements=elements + more, handles=handles) > message(list_elements=elements, handles=handles)
    assert message(list_elements=elements, handles=handles + 1) > message(list_elements=elements, handles=handles)


@pytest.mark.parametrize(
    ("typed", "bytes_"),
    [("10485760b", 10 << 20), ("10m", 10 << 20), ("10MB", 10_000_000), ("10mb", 10 << 20), ("64 MiB", 64 << 20)],
)
def test_a_frame_is_read_as_flink_reads_it(typed: str, bytes_: int) -> None:
    assert FRAME.parse(typed) == bytes_


@pytest.mark.parametrize("size", [10 << 20, 100_485_760, 32_000, 199_965_215])
def test_what_is_shown_can_be_typed_again(size: int) -> None:
    assert FRAME.parse(FRAME.spell(size)) == size
    assert MESSAGE.parse(MESSAGE.spell(size)) == size


@pytest.mark.parametrize(
    ("values", "name", "told"),
    [
        ({}, "list_elements", "is missing"),
        ({"list_elements": -1}, "list_elements", "at least 0"),
        ({"list_elements": 5, "frame": 1000}, "frame", "32 000 bytes to"),
        ({"list_elements": 5, "retained": 0}, "retained", "at least 1"),
        ({"list_elements": 5, "sequence": 5}, "list_elements", "give one of the two"),
    ],
)
def test_bad_inputs_name_themselves_and_what_is_allowed(values: dict[str, int], name: str, told: str) -> None:
    with pytest.raises(BadInput, match=told) as bad:
        collect(RpcSize, values)
    assert bad.value.name == name


def test_nothing_is_asked_that_a_log_line_tells() -> None:
    matter = {declared.name for declared in inputs_of(RpcSize) if declared.matters(draft(RpcSize, {"observed": 5}))}
    assert not {"list_elements", "sequence", "handles", "files", "operators"} & matter
    with pytest.raises(MissingInput):
        collect(RpcSize, {"parallelism": 5})
    with pytest.raises(BadQuantity):
        FRAME.parse("ten")


@pytest.mark.parametrize("release", MINORS)
def test_both_examples_answer_for_every_release(release: str) -> None:
    for way in (CALCULATOR.forward, CALCULATOR.reverse):
        by = {declared.name: declared for declared in inputs_of(way.inputs)}
        values = {name: by[name].read(text) for name, text in way.example.items()}
        answer = way.answer(collect(way.inputs, values), parse_release(release))
        assert answer.values
        assert answer.steps
        assert answer.binding
        assert answer.chart


def test_the_heap_is_the_part_of_the_process_that_flink_leaves_it() -> None:
    assert heap_within(1600 << 20) == 1 << 30
    assert heap_within(8 << 30) == 7_328_287_936
    load = {"sequence": 200_000_000, "parallelism": 8, "frame": 250_609_664}
    assert not size_rpc(RpcSize(**load, process=8 << 30), RELEASE).settings
    with pytest.raises(BadInput, match="above 576 MiB"):
        RpcSize(**load, process=500 << 20)
