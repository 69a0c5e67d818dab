"""Where Spark cannot start, one line says what to do."""

from __future__ import annotations

import pytest

from flink_flint.calculators.history.store.spark_session import session


def test_without_java_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ValueError, match=r"Spark needs Java, which was not found: install a JDK of release 17 or 21"):
        session()


@pytest.mark.parametrize("text", ["spark.executor.memory", "=4g"])
def test_a_setting_without_key_or_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"--conf .*: write key=value"):
        session(settings=[text])
