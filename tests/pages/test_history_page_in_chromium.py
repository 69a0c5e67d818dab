"""The history page in headless Chromium: on phones, wide screens and paper, in light and dark mode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from flink_flint.calculators.pages.history_page import history_page
from flink_flint.calculators.pages.html_page import whole_page
from tests.chromium import chromium
from tests.pages.test_history_page import NASTY, example

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


class Opened:
    """An open page, by default the example, with its requests and errors."""

    def __init__(self, browser: Browser, folder: Path, width: int, scheme: str, text: str = "") -> None:
        file = folder / "report.html"
        file.write_text(text or history_page(example()), encoding="utf-8")
        self.asked: list[str] = []
        self.output: list[str] = []
        self.page: Page = browser.new_page(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.output.append(message.text))
        self.page.on("pageerror", lambda error: self.output.append(str(error)))
        self.page.on("dialog", lambda dialog: self.output.append(f"a dialog: {dialog.message}"))
        self.page.goto(file.as_uri())
        self.own = [file.as_uri()]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1400])
def test_the_page_fits_and_is_quiet(browser: Browser, tmp_path: Path, width: int, scheme: str) -> None:
    opened = Opened(browser, tmp_path, width, scheme)
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert opened.overflow() == 0
    for heading in page.locator("h1, h2, h3, h4").all():
        assert heading.is_visible(), heading.inner_text()
    narrowest = page.evaluate("Math.min(...[...document.querySelectorAll('svg.chart')].map((one) => one.clientWidth))")
    assert narrowest > 250
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (light == "rgb(255, 255, 255)") == (scheme == "light")
    picture = page.screenshot(path=tmp_path / f"report-{width}-{scheme}.png", full_page=True)
    assert len(picture) > 40_000, "a picture of text and charts, not of an empty page"
    assert opened.asked == opened.own
    assert opened.output == []
    page.close()


def test_the_texts_of_charts_are_as_large_on_a_phone_as_on_a_wide_screen(browser: Browser, tmp_path: Path) -> None:
    sizes = []
    for width in (360, 1400):
        opened = Opened(browser, tmp_path, width, "light")
        sizes.append(
            opened.page.locator("svg.chart text.tick").first.evaluate("(one) => one.getBoundingClientRect().height")
        )
        opened.page.close()
    assert sizes[0] == pytest.approx(sizes[1], abs=0.5)
    assert sizes[0] >= 11


def test_paper_is_white_shows_what_is_folded_and_leaves_the_navigation_out(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path, 1000, "dark")
    page = opened.page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav.toc").is_visible()
    assert page.locator("details.settings dl").first.is_visible()
    assert opened.overflow() == 0
    page.screenshot(path=tmp_path / "report-print.png", full_page=True)
    paper = page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert paper.startswith(b"%PDF")
    assert opened.asked == opened.own
    assert opened.output == []
    page.close()


def test_jobs_are_found_by_name_and_reached_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path, 1400, "light")
    page = opened.page
    page.get_by_label("Find a job").fill("ORD")
    assert page.locator("#found").inner_text() == "1 of 2"
    assert page.locator("section.job:visible h2").all_inner_texts() == ["orders"]
    page.get_by_label("Find a job").fill("")
    assert page.locator("section.job:visible").count() == 2
    page.locator(".toc a", has_text="orders").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#job-1"
    page.locator("article .evidence summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("article .evidence").first.get_attribute("open") is not None
    assert page.locator("h2", has_text=NASTY).count() == 1
    assert opened.output == []
    page.close()


@pytest.mark.parametrize("width", [360, 1400])
def test_the_page_of_a_backtest_fits_and_is_quiet(browser: Browser, tmp_path: Path, width: int) -> None:
    text = whole_page("backtest.html.j2", source="traces", judged=example().backtest)
    opened = Opened(browser, tmp_path, width, "light", text)
    assert opened.overflow() == 0
    assert opened.page.locator("svg.chart .mark.ours").is_visible()
    opened.page.screenshot(path=tmp_path / f"backtest-{width}.png", full_page=True)
    assert opened.asked == opened.own
    assert opened.output == []
    opened.page.close()


def test_without_scripts_everything_is_there_but_the_search(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(history_page(example()), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert not page.locator("#search").is_visible()
    assert page.locator("section.job").count() == 2
    assert page.locator("article svg.chart").first.is_visible()
    context.close()
