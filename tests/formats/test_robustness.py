"""Any text, however broken, can be read: without exceptions and without spans outside the text."""

from __future__ import annotations

import importlib
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.formats import file_format_of, file_formats
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.text.spans import Span
from tests.formats.reading import file_format as named_format
from tests.marks import mostly_slow

HERE = Path(__file__).parent

SAMPLES: dict[str, str] = {
    "conf/flink-conf.yaml": "# ä\njobmanager.rpc.address: jm # here\n a: b\nx:y\nblob.server.port : 50\n",
    "conf/config.yaml": "taskmanager:\n  memory:\n    process: {size: 4g}\nparallelism.default: !!int 2\nx: [a, 'b']\n",
}
"""The samples of all format tests: text by file name."""
for module in sorted(HERE.glob("test_*.py")):
    if module.stem not in ("test_robustness", "test_edits"):
        found = importlib.import_module(f"tests.formats.{module.stem}")
        SAMPLES.update({f"{module.stem}/{name}": text for name, text in getattr(found, "SAMPLES", {}).items()})

_SCRAPS = (
    "{{", "}}", "{%", "<%=", "${", "\x00", "\t", "\r", "'", '"', "|", ">", "[", "{", ":", "- ", "#", "\\", "/*", "--",
    "\ufeff", "\U0001f980", "&a ", "*a", "<<: *a", "\n---\n", "<![CDATA[", "&#x0;", "$(", "`", "EOF\n", ",", "=",
    "(", ")",
)  # fmt: skip


def sample_carrier(name: str) -> FileFormat:
    base = name.partition("/")[2]
    found = file_format_of(base.rpartition("/")[2], SAMPLES[name][: 64 * 1024])
    assert found is not None, f"no file format recognizes the sample {name}"
    return found


def assert_sound(document: Document) -> None:
    """Check that all spans are within the text and all derived values can be computed."""
    length = len(document.text)

    def inside(span: Span) -> bool:
        return 0 <= span.start <= span.end <= length

    assert inside(document.head)
    for entry in document.entries:
        assert inside(entry.key_span), entry
        assert inside(entry.value_span), entry
        assert all(map(inside, entry.path_spans)), entry
        assert isinstance(entry.text, str)
    for skipped in document.skipped:
        assert inside(skipped.span)
    for refusal in document.refusals:
        assert inside(refusal.span)
    for element in document.elements:
        assert inside(element.span), element
        for name, attribute in element.attributes.items():
            assert inside(attribute.span), (element, name)
            assert attribute.key_span is None or inside(attribute.key_span), (element, name)
    document.settings()


def broken(text: str, seed: int) -> str:
    """Return a text with parts removed, duplicated, moved, or replaced by unusual characters."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 1, 3, 20, 200)))
        how = chance.randrange(5)
        if how == 0:
            text = text[:start] + text[end:]
        elif how == 1:
            text = text[:start] + chance.choice(_SCRAPS) + text[end if chance.random() < 0.3 else start :]
        elif how == 2:
            text = text[:end] + text[start:end] + text[end:]
        elif how == 3:
            text = text[:start]
        else:
            text = text.replace("\n", chance.choice(("\r\n", "\r", "\n\n")))
    return text


def test_there_are_samples_of_every_format() -> None:
    kinds = {type(sample_carrier(name)) for name in SAMPLES}
    assert {type(file_format) for file_format in file_formats()} - kinds == set()


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_sample_is_read_and_its_places_are_sound(name: str) -> None:
    file_format = sample_carrier(name)
    documents = file_format.read(name, SAMPLES[name].encode("utf-8", "surrogateescape"))
    assert documents
    for document in documents:
        assert_sound(document)


@pytest.mark.parametrize("name", mostly_slow(sorted(SAMPLES), every=4))
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_a_broken_sample_is_read_all_the_same(name: str, seed: int) -> None:
    text = broken(SAMPLES[name], seed)
    for document in sample_carrier(name).read(name, text.encode("utf-8", "surrogateescape")):
        assert_sound(document)


@pytest.mark.parametrize("file_format", file_formats(), ids=lambda file_format: type(file_format).__name__)
@settings(max_examples=30)
@given(data=st.binary(max_size=300))
def test_any_bytes_are_read(file_format: FileFormat, data: bytes) -> None:
    for document in file_format.read("a", data):
        assert_sound(document)


@pytest.mark.parametrize("file_format", file_formats(), ids=lambda file_format: type(file_format).__name__)
@pytest.mark.parametrize("length", mostly_slow([200, 2_000, 20_000], every=3))
def test_deep_and_endless_texts_are_read(file_format: FileFormat, length: int) -> None:
    half = length // 2
    texts = [
        "[" * length, "{" * length, "(" * length, "a: " * half, "- " * half, "<a>" * (half // 2), "'" * (half - 1),
        "{{" * (half - 1),
    ]  # fmt: skip
    failed = []
    for text in texts:
        try:
            for document in file_format.read("a", text.encode()):
                assert_sound(document)
        except Exception as error:
            failed.append(f"{text[:4]!r}...: {type(error).__name__}: {error}")
    assert not failed, "\n\n".join(failed)


def test_a_function_that_is_called_where_it_is_written_is_no_configuration() -> None:
    text = 'import org.apache.flink.x.Y\nfun main() {\n  { setString("state.backend", "rocksdb") }()\n}\n'
    (document,) = named_format("Job.kt", text).read("Job.kt", text.encode())
    assert document.entries == []


def test_a_program_whose_name_tells_no_language_is_read_all_the_same() -> None:
    text = "import org.apache.flink.x.Y;\nclass Job { }\n"
    (document,) = named_format("Job.java", text).read("-", text.encode())
    assert document.name == "Job"
