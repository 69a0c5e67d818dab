"""What an editor offers for a key or a value."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.lsp.completion import Offer, offers
from tests.lsp.cursors import At


def offered(
    text: str, *, name: str = "flink-conf.yaml", minor: str = "1.20", written: tuple[str, ...] = ()
) -> list[Offer]:
    at = At(name, text)
    spot = at.spot
    assert spot is not None
    return offers(spot, MINORS.index(minor), written)


def named(found: list[Offer], label: str) -> Offer | None:
    return next((one for one in found if one.label == label), None)


@pytest.mark.parametrize(
    ("key", "minor", "expected"),
    [
        ("execution.checkpointing.unaligned", "1.20", [("true", ""), ("false", "the default")]),
        ("execution.checkpointing.mode", "1.20", [("EXACTLY_ONCE", "the default"), ("AT_LEAST_ONCE", "")]),
        ("rest.port", "1.20", [("8081", "the default")]),
        ("web.timeout", "1.20", [("10 min", "the default")]),
        ("state.checkpoints.dir", "1.20", []),
        ("own.key", "1.20", []),
        ("pipeline.global-job-parameters.team", "1.20", []),
        ("env.log.dir", "1.20", []),
        ("cluster.io-pool.size", "1.20", []),
        ("classloader.parent-first-patterns.default", "1.20", []),
    ],
)  # fmt: skip
def test_values(key: str, minor: str, expected: list[tuple[str, str]]) -> None:
    found = offered(f"{key}: ‸", minor=minor)
    assert [(one.label, one.detail) for one in found] == expected
    assert all(one.text == one.label for one in found)


def test_keys_that_are_written_are_not_offered_again_but_the_one_at_the_cursor() -> None:
    written = ("rest.port", "rest.address")
    found = {one.label for one in offered("rest.port‸: 1", written=written)}
    assert "rest.port" in found
    assert "rest.address" not in found
    assert "rest.bind-port" in found


def test_a_key_comes_with_its_separator_type_and_default() -> None:
    found = named(offered("rest.po‸"), "rest.port")
    assert found == Offer("rest.port", "rest.port: ", "option", "rest.port", "Integer, default 8081")
    assert named(offered("rest.po‸: 1"), "rest.port") == found._replace(text="rest.port")
    assert named(offered("a‸", minor="1.9"), "execution.checkpointing.interval") is None


def test_keys_of_a_mapping_and_mappings_of_several_keys() -> None:
    found = offered("execution:\n  check‸", name="config.yaml")
    assert named(found, "checkpointing.interval") is not None
    mapping = named(found, "checkpointing")
    assert mapping is not None
    assert (mapping.kind, mapping.text) == ("mapping", "checkpointing:")
    assert mapping.detail.endswith(" options")
    assert named(found, "rest.port") is None
    # A mapping of one option, and a file that knows no mappings.
    assert all(int(one.detail.split()[0]) > 1 for one in found if one.kind == "mapping")
    assert all(one.kind == "option" for one in offered("exec‸"))


def test_options_of_a_family_take_the_names_in_the_file() -> None:
    family = "metrics.reporter.<name>.class"
    assert named(offered("metrics.rep‸", written=("taskmanager.memory.process.size",)), family) is not None
    for written in ("metrics.reporter.prom.port", "metrics.reporter.prom.class"):
        found = offered("metrics.rep‸", written=(written,))
        assert named(found, family) is None
        assert (named(found, "metrics.reporter.prom.class") is None) == (written == "metrics.reporter.prom.class")
        assert named(found, "metrics.reporter.prom.interval") is not None
    typed = offered("metrics.reporter.jmx.‸")
    assert named(typed, "metrics.reporter.jmx.class") is not None
    # A name that is not complete is none.
    assert named(offered("metrics.reporter.jm‸"), family) is not None
    assert named(offered("metrics.reporter.‸"), family) is not None
    assert named(offered("metrics.reporter..‸"), family) is not None
    # Of several names, the first is taken.
    typed = offered("external-resource.gpu.‸")
    assert named(typed, "external-resource.gpu.param.<param>") is not None
    assert named(typed, "external-resource.<resource_name>.param.<param>") is None
