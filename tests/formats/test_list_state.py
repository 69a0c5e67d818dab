"""Lists in operator state of programs."""

from __future__ import annotations

import pytest

from tests.formats.reading import parts, read

_CLASS = """\
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

class Writer implements CheckpointedFunction {
    public void initializeState(FunctionInitializationContext context) throws Exception {
        %s
    }
}
"""


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ('s = context.getOperatorStateStore().getUnionListState(new ListStateDescriptor<>("é", String.class));', ["é"]),
        (
            'ListStateDescriptor<String> d = new ListStateDescriptor<>("a", T.class); s = store.getUnionListState(d);',
            ["a"],
        ),
        ("s = store.getUnionListState(descriptor);", [""]),
        ("s = store.getUnionListState(descriptors(2));", [""]),
        ('s = store.getListState(new ListStateDescriptor<>("a", String.class));', []),
        ("s = getUnionListState(descriptor); s = store.getUnionListState();", []),
    ],
)
def test_union_lists_have_the_names_of_their_descriptors(statement: str, names: list[str]) -> None:
    (document,) = read("Writer.java", _CLASS % statement)
    assert [name for name, _ in parts(document, "union-state")] == names


_SINK = """\
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

class Sink implements CheckpointedFunction {
    private transient ListState<String> state;
    private final List<String> buffered = new ArrayList<>();

    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        %s
    }

    public void initializeState(FunctionInitializationContext context) throws Exception {
        state = %s(new ListStateDescriptor<>("buffer", String.class));
    }

    void other() { state.update(buffered); }
}
"""
_STORE = "context.getOperatorStateStore().getListState"


@pytest.mark.parametrize(
    ("statement", "source", "by"),
    [
        ("for (String one : buffered) { state.add(one); }", _STORE, ["for"]),
        ("for (int i = 0; i < buffered.size(); i++) state.add(buffered.get(i));", _STORE, ["for"]),
        ("buffered.forEach(one -> state.add(one));", _STORE, ["forEach"]),
        ("state.update(buffered);", _STORE, ["collection"]),
        ("state.addAll(buffered);", _STORE.replace("List", "UnionList"), ["collection"]),
        ("state.update(new ArrayList<>(seen.values()));", _STORE, ["collection"]),
        ("state.clear(); state.add(String.join(buffered));", _STORE, []),
        ("state.update(Collections.singletonList(total));", _STORE, []),
        ("state.update(List.of(first, last));", _STORE, []),
        ("for (String one : buffered) { state.add(one); }", "getRuntimeContext().getListState", []),
        ("for (String one : buffered) { other.add(one); }", _STORE, []),
    ],
)
def test_lists_as_long_as_the_data(statement: str, source: str, by: list[str]) -> None:
    (document,) = read("Sink.java", _SINK % (statement, source))
    found = parts(document, "list-state")
    assert [name for name, _ in found] == ["buffer"] * len(by)
    assert [attributes["by"][0] for _, attributes in found] == by
