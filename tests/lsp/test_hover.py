"""What an editor shows of an option and of a value, in files and by release."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.lsp.hover import hover
from flink_flint.linter.lsp.option_markdown import describe, meaning
from tests.lsp.cursors import At


def shown(name: str, text: str, minor: str = "1.20") -> tuple[str, str] | None:
    """Return the first line that is shown at the cursor, and the text it is about."""
    at = At(name, text)
    found = hover(at.buffer, at.offset, at.file_format, at.documents, MINORS.index(minor))
    if found is None:
        return None
    return found.markdown.partition("\n")[0], at.buffer.text[slice(*found.span)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("‸rest.port: 8081\n", ("**`rest.port`**", "rest.port")),
        ("rest.por‸t: 8081\n", ("**`rest.port`**", "rest.port")),
        ("web.timeout: ‸10 min\n", ("600 000 ms (10 min)", "10 min")),
        ("web.timeout: 10 mi‸n\n", ("600 000 ms (10 min)", "10 min")),
        ("web.timeout:‸ 10 min\n", None),
        ("jobmanager.memory.process.size: ‸1600m\n", ("1 677 721 600 bytes (1600 MiB)", "1600m")),
        ("rest.port: 80‸81\n", None),
        ("own.key‸: 1\n", None),
        ("# rest‸.port: 8081\n", None),
        ("‸\n", None),
        ("s3.secret-key: 10‸ min\n", None),
        ("web.timeout: https://me:hush@h‸ost\n", None),
    ],
)
def test_what_is_at_the_cursor(text: str, expected: tuple[str, str] | None) -> None:
    assert shown("flink-conf.yaml", f"parallelism.default: 1\n{text}") == expected


@pytest.mark.parametrize(("key", "expected"), [('"rest.port‸"', '"rest.port"'), ('"rest.port"‸', None)])
def test_a_key_ends_behind_its_quotes(key: str, expected: str | None) -> None:
    resource = (
        '{"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "spec": {"flinkConfiguration": {%s: 1}}}'
    )
    found = shown("deployment.json", resource % key)
    assert (found and found[1]) == expected


def test_a_line_that_does_not_parse_is_explained_too() -> None:
    assert shown("config.yaml", "a: [\nrest.por‸t: 8081\n") == ("**`rest.port`**", "rest.port")
    assert shown("config.yaml", "a: [\nweb.timeout: 1‸ min\n") == ("60 000 ms (1 min)", "1 min")
    assert shown("config.yaml", "a: [\n‸\n") is None


@pytest.mark.parametrize(
    ("key", "minor"),
    [
        ("rest.port", "1.20"),
        ("state.backend", "1.20"),
        ("state.backend", "2.0"),
        ("taskmanager.heap.size", "1.9"),
        ("taskmanager.heap.mb", "2.0"),
        ("execution.checkpointing.storage", "1.13"),
        ("metrics.reporter.prom.class", "1.20"),
        ("env.java.opts.all", "1.12"),
        ("pipeline.global-job-parameters.team", "1.20"),
        ("akka.ask.timeout", "1.18"),
        ("restart-strategy", "1.16"),
        ("high-availability.kubernetes.leader-election.lease-duration", "1.20"),
        ("kubernetes.operator.reconcile.interval", "1.20"),
        ("fs.azure.account.key.x", "1.20"),
        ("jobmanager.memory.process.size", "1.20"),
    ],
)
def test_an_option_is_described_as_it_was(key: str, minor: str, golden: Callable[[str, str], None]) -> None:
    golden(f"options/{key}-{minor}.md", f"{describe(key, MINORS.index(minor))}\n")


def test_what_no_release_knows_has_no_description() -> None:
    assert describe("own.key", MINORS.index("1.20")) is None


@pytest.mark.parametrize(
    ("key", "text", "says"),
    [
        ("web.timeout", "10 min", "600 000 ms (10 min)"),
        ("web.timeout", "1 ns", "1 ns"),
        ("web.timeout", "1500 micros", "1 500 000 ns"),
        ("web.timeout", "soon", "Flink 1.20 refuses this value: "),
        ("taskmanager.memory.process.size", "lots", "Flink 1.20 refuses this value: "),
        ("parallelism.default", "many", None),
        ("parallelism.default", "4", None),
        ("own.key", "10 min", None),
        ("pipeline.global-job-parameters.team", "10 min", None),
    ],
)
def test_the_meaning_of_a_value(key: str, text: str, says: str | None) -> None:
    found = meaning(key, text, MINORS.index("1.20"), yaml=True)
    assert found is None if says is None else found is not None and found.startswith(says)
