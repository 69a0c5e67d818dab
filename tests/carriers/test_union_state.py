"""Union lists in operator state, found in programs."""

from __future__ import annotations

import pytest

from tests.carriers.reading import parts, read

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
