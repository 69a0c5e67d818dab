"""The real factories of two connectors say again what the catalogue has."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.flink.generate.connectors.factories import records
from flink_flint.linter.flink.generate.connectors.lines import FLINK, LINES
from flink_flint.linter.flink.generate.connectors.maven import bring
from flink_flint.linter.flink.generate.connectors.merge import dumped, merged
from flink_flint.linter.flink.tables.connectors import SECTIONS, Connectors, connectors
from tests.live.distribution import connectors_cache, flink_libraries

pytestmark = [pytest.mark.tools, pytest.mark.slow]

VERSIONS = {"kafka": "3.4.0-1.20", "jdbc": "3.3.0-1.20", "flink": "1.20.5"}


def test_two_connectors_are_regenerated(tmp_path: Path) -> None:
    lines = [
        line._replace(releases=tuple(one for one in line.releases if one.version == VERSIONS[line.name]))
        for line in (FLINK, *LINES)
        if line.name in VERSIONS
    ]
    releases = [one for line in lines if line.name != "flink" for one in line.releases]
    for release in bring(releases, connectors_cache()):
        (tmp_path / release.name).symlink_to(connectors_cache() / release.name)
    asked = records(lines, tmp_path, flink_libraries)
    found, known = Connectors(dumped(merged(lines, asked))), connectors()
    compared = 0
    for section in SECTIONS:
        for name in found.names(section):
            new, kept = found.factory(section, name), known.factory(section, name)
            assert new is not None
            assert kept is not None, name
            versions = [one.version for one in kept.line.releases]
            place = versions.index(VERSIONS[kept.line.name])
            assert new.options([0]) == kept.options([place]), name
            assert new.prefixes([0]) == kept.prefixes([place]), name
            assert new.is_open([0]) == kept.is_open([place]), name
            assert set(new.kinds) == {
                kind for kind, spans in kept.kinds.items() if any(a <= place <= b for a, b in spans)
            }
            compared += len(new.options([0]))
    assert compared > 100
