"""A Spark session for the tests of a worker, and small ways to make and read stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    from flink_flint.calculators.history.store.spark_session import session

    started = session("local[2]", settings=["spark.driver.memory=1g"])
    yield started
    started.stop()
