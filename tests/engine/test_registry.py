"""How the rules are found."""

from __future__ import annotations

import pytest

from flink_flint.linter.engine import registry as registry_module
from flink_flint.linter.engine.registry import registry


def test_a_module_that_declares_no_rule_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    known = registry().by_name["blob-storage-in-tmp"]
    monkeypatch.setattr(registry_module, "modules", lambda: [known.module, "flink_flint.linter.text.spans"])
    assert registry.__wrapped__().declarations == [known]
