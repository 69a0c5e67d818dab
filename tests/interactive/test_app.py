"""The application that shows the forms, and what it keeps for them."""

from __future__ import annotations

import pytest

from tests.interactive.driving import field, form

pytestmark = pytest.mark.asyncio


async def test_a_form_opens_with_the_values_it_was_given() -> None:
    app = form("kubernetes-ha", jobs=1234567)
    async with app.run_test(size=(40, 12)):
        assert field(app, "jobs").read() == 1234567
