"""The form of a calculator: what it asks, what it says of what is typed, and the answer that follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Tabs

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import inputs_of
from flink_flint.calculators.interactive.fields import ChoiceField, Field, TextField
from flink_flint.calculators.interactive.question_screen import QuestionScreen
from tests.interactive.driving import CONFIG, field, fill, form, question, seen, type_in, visible
from tests.marks import mostly_slow

pytestmark = pytest.mark.asyncio


class Alone(App[None]):
    """An app with nothing but a field that chooses a word."""

    def __init__(self, field: ChoiceField) -> None:
        super().__init__()
        self._field = field

    def compose(self) -> ComposeResult:
        """Yield the field."""
        yield self._field


@pytest.mark.slow
async def test_the_answer_appears_with_the_last_required_number_and_follows_every_key() -> None:
    app = form("async-io")
    async with app.run_test(size=(120, 40)) as pilot:
        await fill(pilot, app, read_timeout="2s", pool="200")
        assert "waiting for  rate" in seen(app)
        await fill(pilot, app, capacity="5000")
        assert question(app).asked is not None
        assert question(app).asked.answer.value("timeout") == 52
        assert "25 calls are queued for each of 200 threads" in seen(app)
        await type_in(pilot, "0")
        await pilot.pause()
        assert question(app).asked.answer.value("timeout") == 502
        assert "250 calls are queued for each of 200 threads" in seen(app)


@pytest.mark.slow
async def test_a_value_out_of_range_is_told_below_its_field_with_what_is_allowed() -> None:
    app = form("async-io", read_timeout=2.0, capacity=100, pool=10)
    async with app.run_test(size=(80, 24)) as pilot:
        await fill(pilot, app, utilization="170 %")
        assert "✗ utilization" in seen(app)
        assert "170 % is out of range; allowed: above 0 %, at most 100 %" in " ".join(seen(app).split())


async def test_a_text_without_its_unit_says_how_to_write_it() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        await fill(pilot, app, read_timeout="20")
        assert "'20' has no unit; write it like 2s, 350ms or 5min; allowed: above 0 s" in seen(app)


@pytest.mark.slow
async def test_the_last_answer_stays_marked_as_outdated_while_a_number_is_half_typed() -> None:
    app = form("async-io", read_timeout=2.0, capacity=5000, pool=200)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        field(app, "read_timeout").control.focus()
        await pilot.press("end", "backspace")
        await pilot.pause()
        assert "✗ outdated  read timeout" in seen(app)
        assert "25 calls are queued" in seen(app)
        assert question(app).asked is None, "what is outdated must not be copied or written"
        await type_in(pilot, "s")
        await pilot.pause()
        assert "outdated" not in seen(app)


@pytest.mark.slow
async def test_a_contradiction_is_told_at_the_field_it_is_about() -> None:
    app = form("async-io", read_timeout=2.0, capacity=100, pool=10)
    async with app.run_test(size=(120, 40)) as pilot:
        await fill(pilot, app, latency="3s")
        assert field(app, "latency").has_class("-wrong")
        assert "3 s is above the read timeout of 2 s" in " ".join(seen(app).split())


@pytest.mark.slow
async def test_fields_without_a_part_in_the_answer_are_hidden() -> None:
    app = form("async-io")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert {"pool", "utilization"} <= set(visible(app))
        assert "pooled" not in visible(app)
        await fill(pilot, app, connect_timeout="1s")
        assert "pooled" in visible(app)
        field(app, "client").control.focus()
        await pilot.press("right")
        await pilot.pause()
        assert field(app, "client").text == "async"
        assert not {"pool", "utilization"} & set(visible(app))


@pytest.mark.slow
async def test_a_hidden_field_with_a_bad_text_does_not_keep_the_answer_back() -> None:
    app = form("async-io", read_timeout=2.0, capacity=100, pool=10)
    async with app.run_test(size=(120, 40)) as pilot:
        await fill(pilot, app, utilization="9")
        assert question(app).asked is None
        field(app, "client").control.focus()
        await pilot.press("a")
        await pilot.pause()
        assert question(app).asked is not None


async def test_what_is_required_and_what_is_assumed_are_told_apart_in_words() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        lines = seen(app).splitlines()
        assert next(line for line in lines if "read timeout" in line).split()[0] == "•"
        assert "required" in next(line for line in lines if "• read timeout" in line)
        assert "assumed: none" in next(line for line in lines if "  retries" in line)
        default = next(line for line in lines if "  parallelism" in line)
        assert "default of Flink 1.20" in default
        assert "assumed" not in default


@pytest.mark.slow
async def test_the_focused_field_tells_its_meaning_unit_and_range() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        field(app, "utilization").control.focus()
        await pilot.pause()
        assert "The share of time in which threads or the client may be busy" in seen(app)
        assert "fraction · above 0 %, at most 100 % · like 70 %" in seen(app)


@pytest.mark.slow
async def test_an_ambiguous_text_is_shown_as_it_was_understood() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        await fill(pilot, app, read_timeout="5m", retries="1")
        lines = seen(app).splitlines()
        assert "= 5 min" in next(line for line in lines if "• read timeout" in line)
        assert "=" not in next(line for line in lines if "  retries" in line)


@pytest.mark.slow
async def test_up_and_down_move_a_number_by_a_nice_step_within_its_range() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        await fill(pilot, app, read_timeout="2s")
        await pilot.press("up")
        assert field(app, "read_timeout").text == "2.2 s"
        await pilot.press("down", "down")
        assert field(app, "read_timeout").text == "1.8 s"
        field(app, "retries").control.focus()
        await pilot.press("down")
        assert field(app, "retries").text == "0", "the assumed value is where stepping begins; the range ends it"
        await pilot.press("up", "up")
        assert field(app, "retries").text == "2"


@pytest.mark.slow
async def test_a_question_mark_goes_back_to_what_is_assumed() -> None:
    app = form("async-io", read_timeout=2.0, capacity=100, pool=10, client="async")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        field(app, "client").control.focus()
        await pilot.press("question_mark")
        assert field(app, "client").text == ""
        field(app, "utilization").control.focus()
        await type_in(pilot, "?")
        await pilot.pause()
        assert question(app).asked is not None
        assert question(app).asked.inputs["utilization"] == 0.7


@pytest.mark.slow
async def test_a_choice_turns_with_arrows_and_goes_to_the_word_that_starts_with_a_letter() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        field(app, "client").control.focus()
        for key, word in (("right", "async"), ("right", "pool"), ("left", "async"), ("p", "pool"), ("a", "async")):
            await pilot.press(key)
            assert field(app, "client").text == word
        await pilot.press("z")
        assert field(app, "client").text == "async"


async def test_a_letter_goes_to_the_next_word_that_starts_with_it() -> None:
    field = ChoiceField(("pool", "async", "push"), "")
    async with Alone(field).run_test() as pilot:
        field.focus()
        for key, word in (("a", "async"), ("p", "push"), ("p", "pool"), ("P", "push"), ("z", "push")):
            await pilot.press(key)
            assert field.value == word


@pytest.mark.slow
async def test_the_whole_form_can_be_walked_with_tab_and_left_again() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        first = app.focused
        walked = []
        for _ in range(60):
            walked.append(app.focused)
            await pilot.press("tab")
            if app.focused is first:
                break
        assert app.focused is first, "tab goes round"
        controls = [one.control for one in question(app).query(Field) if one.display]
        assert all(control in walked for control in controls)
        await pilot.press("shift+tab")
        assert app.focused is walked[-1]
        for control in controls:
            control.focus()
            await pilot.press("enter")
            assert app.focused is not control, "enter leads on from every field"


@pytest.mark.slow
async def test_every_pane_is_reached_by_its_key() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+g")
        await pilot.pause()
        for key, told in (
            ("f3", "Threads: 1 500/s x 40 ms / 0.7"),
            ("f4", "Timeout needed against capacity"),
            ("f5", "Executors.newFixedThreadPool("),
            ("f2", "because"),
        ):
            await pilot.press(key)
            await pilot.pause()
            assert told in seen(app), key


@pytest.mark.slow
async def test_the_answer_scrolls_while_the_focus_stays_in_the_field() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+g")
        await pilot.pause()
        focused = app.focused
        assert "carried rate" not in seen(app)
        await pilot.press("pagedown", "pagedown")
        await pilot.pause()
        assert "carried rate" in seen(app)
        assert app.focused is focused


@pytest.mark.slow
async def test_turned_round_the_form_asks_the_other_way_and_keeps_what_both_ask() -> None:
    app = form("async-io", read_timeout=2.0, capacity=5000, pool=200, rate=100.0)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert question(app).reverse
        assert field(app, "read_timeout").text == "2 s"
        assert "load of the settings" in seen(app)
        await fill(pilot, app, timeout="52s")
        assert question(app).asked is not None
        assert question(app).asked.answer.value("safe_capacity") == 5000
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert not question(app).reverse
        assert field(app, "rate").text == "100/s", "what only this way asks is still there"
        assert field(app, "timeout").text == "52s"


@pytest.mark.slow
async def test_another_release_spells_the_settings_its_own_way() -> None:
    app = form("rpc-size", version="1.17")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+g", "f5")
        await pilot.pause()
        assert "akka." in seen(app)
        await pilot.press("ctrl+l")
        await pilot.pause()
        assert "For which release" in seen(app)
        await pilot.press("home", "enter")
        await pilot.pause()
        assert str(app.release) == "2.3"
        assert "akka." not in seen(app)
        assert "pekko." in seen(app)


@pytest.mark.slow
async def test_a_configuration_fills_in_what_it_sets_and_is_compared_with(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG)
    app = form("taskmanager-memory", config=config)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+g")
        await pilot.pause()
        lines = seen(app).splitlines()
        assert "config.yaml:6" in next(line for line in lines if "process size" in line and "config.yaml" in line)
        assert question(app).asked is not None
        assert question(app).asked.changes
        await pilot.press("f5")
        await pilot.pause()
        assert "~ taskmanager.memory.process.size: 4096m →" in seen(app)


@pytest.mark.slow
async def test_a_memory_answer_shows_its_bars() -> None:
    app = form("taskmanager-memory")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert "├ JVM metaspace" in seen(app)
        assert "█" in seen(app)


@pytest.mark.slow
async def test_a_window_too_small_for_a_chart_says_so() -> None:
    app = form("async-io")
    async with app.run_test(size=(60, 16)) as pilot:
        await pilot.press("ctrl+g", "f4")
        await pilot.pause()
        assert "A larger window shows a chart." in seen(app)


@pytest.mark.slow
async def test_resizing_changes_the_layout_and_keeps_what_is_typed() -> None:
    app = form("async-io")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+g", "f4")
        await pilot.pause()
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert "timeout  6 s" in seen(app)
        assert "F4 Chart" in seen(app)
        await pilot.press("f4")
        await pilot.resize_terminal(130, 45)
        await pilot.pause()
        assert "F4 Chart" not in seen(app), "the chart has a place of its own"
        assert "Timeout needed against capacity" in seen(app)
        assert field(app, "rate").text == "3000/s"


@pytest.mark.slow
async def test_a_window_that_grows_keeps_its_pane() -> None:
    app = form("kubernetes-ha")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f5")
        await pilot.resize_terminal(110, 38)
        await pilot.pause()
        assert question(app).query_one(Tabs).active == "settings"


@pytest.mark.parametrize("name", mostly_slow(NAMES, every=16))
async def test_a_form_is_made_from_the_declaration_and_answers_its_example_both_ways(name: str) -> None:
    app = form(name)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+g")
        await pilot.pause()
        made = {one.declared.name: one.control for one in question(app).query(Field)}
        declared = inputs_of(calculator(name).forward.inputs)
        assert list(made) == [one.name for one in declared]
        for one in declared:
            words = bool(one.unit.choices) or one.unit.name == "yes/no"
            assert isinstance(made[one.name], ChoiceField if words else TextField)
        assert question(app).asked is not None, seen(app)
        await pilot.press("ctrl+r", "ctrl+g")
        await pilot.pause()
        assert question(app).asked is not None, seen(app)


@pytest.mark.parametrize("size", mostly_slow([(20, 5), (60, 20), (80, 24), (40, 12), (200, 60)], every=5))
@pytest.mark.slow
async def test_no_size_of_the_window_breaks_the_form(size: tuple[int, int]) -> None:
    app = form("taskmanager-memory")
    async with app.run_test(size=size) as pilot:
        await pilot.press("ctrl+g", "f3", "f4", "f5", "f2", "pagedown", "f1", "escape", "ctrl+l", "escape")
        await pilot.pause()
        assert isinstance(app.screen, QuestionScreen)
        assert all(len(line) <= size[0] for line in seen(app).splitlines())


@pytest.mark.slow
async def test_values_given_on_the_command_line_stand_in_the_fields_exactly() -> None:
    app = form("taskmanager-memory", live_set=1234567891, slots=3)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert field(app, "live_set").read() == 1234567891
        assert field(app, "slots").text == "3"


@pytest.mark.slow
async def test_a_form_left_and_opened_again_is_as_it_was() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        await fill(pilot, app, read_timeout="7s")
        await pilot.press("escape")
        await pilot.pause()
        assert "What is the problem?" in seen(app)
        await pilot.press("enter")
        await pilot.pause()
        assert field(app, "read_timeout").text == "7s"


async def test_control_c_ends_the_program() -> None:
    app = form("async-io")
    async with app.run_test(size=(80, 24)) as pilot:
        field(app, "client").control.focus()
        await pilot.press("ctrl+c")
        await pilot.pause()
    assert app.return_code == 0
    assert not app.is_running
