"""The list of questions."""

from __future__ import annotations

import pytest
from textual.widgets import OptionList

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.interactive.calculator_picker import PickerScreen
from flink_flint.calculators.interactive.screen_frame import Keys
from tests.interactive.driving import form, question, seen, type_in

pytestmark = pytest.mark.asyncio


async def test_all_calculators_are_listed_by_their_question() -> None:
    app = form()
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        for name in NAMES:
            assert calculator(name).question in seen(app)


@pytest.mark.slow
async def test_typing_narrows_the_list_and_enter_opens_what_is_marked() -> None:
    app = form()
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, "async time")
        await pilot.pause()
        assert "My async calls time out" in seen(app)
        assert calculator("yarn").question not in seen(app)
        await pilot.press("enter")
        await pilot.pause()
        assert question(app).calculator.name == "async-io"


async def test_an_option_of_flink_finds_the_calculator_that_asks_for_it() -> None:
    app = form()
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, "taskmanager.numberOfTaskSlots".lower())
        await pilot.pause()
        assert calculator("taskmanager-memory").question in seen(app)
        assert calculator("async-io").question not in seen(app)


async def test_the_marked_question_moves_while_the_words_stay() -> None:
    app = form()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "down", "up")
        await pilot.press("enter")
        await pilot.pause()
        assert question(app).calculator.name == NAMES[1]


async def test_the_marked_question_stays_when_the_window_grows() -> None:
    app = form()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down")
        await pilot.resize_terminal(82, 30)
        await pilot.pause()
        assert app.screen.query_one(OptionList).highlighted == 1


async def test_a_click_on_quit_at_the_bottom_ends_the_program() -> None:
    app = form()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.click(Keys, offset=(seen(app).splitlines()[-1].index("Quit"), 0))
        await pilot.pause()
        assert not app.is_running


async def test_words_that_fit_nothing_say_so_and_escape_shows_all_again() -> None:
    app = form()
    async with app.run_test(size=(80, 24)) as pilot:
        await type_in(pilot, "zebra")
        await pilot.pause()
        assert "No calculator matches" in seen(app)
        await pilot.press("enter")
        assert isinstance(app.screen, PickerScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert calculator("async-io").question in seen(app)


async def test_help_tells_the_keys_and_closes() -> None:
    app = form()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f1")
        await pilot.pause()
        assert "next field" in seen(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "What is the problem?" in seen(app)
