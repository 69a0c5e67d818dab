"""The documentation site, built without a network and viewed in a headless Chromium."""

from __future__ import annotations

import functools
import http.server
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.chromium import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.tools

ROOT = Path(__file__).resolve().parent.parent

LOOKED_AT = (
    "", "install/", "reports/", "rules/", "rules/blob-storage-in-tmp/", "rules/busy-skew/", "options/",
    "calculators/async-io/", "cli/", "flint-config/", "files/", "404.html",
)  # fmt: skip

WITHOUT_NETWORK = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        raise PermissionError(f"{event} {arguments}")

sys.addaudithook(refuse)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site as `make docs` builds it; any name lookup or connection fails."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "refusing").mkdir()
    (folder / "refusing" / "sitecustomize.py").write_text(WITHOUT_NETWORK, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder / "site")],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={
            **os.environ,
            "NO_MKDOCS_2_WARNING": "1",
            "PYTHONPATH": os.pathsep.join([str(folder / "refusing"), str(ROOT)]),
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder / "site"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


class Opened:
    """A page of the site, with its requests and errors."""

    def __init__(self, browser: Browser, address: str, path: str, width: int, scheme: str = "light") -> None:
        self.asked: list[str] = []
        self.messages: list[str] = []
        self.page: Page = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
        )
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.goto(address + path)
        self.page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("path", LOOKED_AT)
def test_a_page_fits_is_quiet_and_asks_nobody_else(
    browser: Browser, address: str, tmp_path: Path, path: str, width: int, scheme: str
) -> None:
    opened = Opened(browser, address, path, width, scheme)
    page = opened.page
    too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(too_wide) == 0
    assert page.locator("h1").is_visible()
    # A code block scrolls in itself; a table folds its rows rather than be cut.
    cut = "[...document.querySelectorAll('.md-typeset__scrollwrap')].filter((one) => one.scrollWidth > one.clientWidth)"
    assert width > 390 or page.evaluate(f"{cut}.length") == 0
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    page.screenshot(path=tmp_path / f"{path.replace('/', '-')}{width}-{scheme}.png", full_page=True)
    assert [url for url in opened.asked if not url.startswith((address, "data:", "blob:"))] == []
    assert opened.messages == []
    page.close()


def test_rules_stand_in_the_navigation_by_family(browser: Browser, address: str) -> None:
    opened = Opened(browser, address, "rules/blob-storage-in-tmp/", 1400)
    sidebar = opened.page.locator(".md-sidebar--primary")
    assert sidebar.get_by_text("storage", exact=True).first.is_visible()
    assert sidebar.locator(".md-nav__link:visible", has_text="FLK102").count() == 1
    assert sidebar.locator(".md-nav__link:visible", has_text="FLK306").count() == 0
    sidebar.locator(".md-nav__link", has_text=re.compile(r"^\s*checkpoints\s*$")).first.click()
    opened.page.wait_for_load_state("networkidle")
    assert sidebar.locator(".md-nav__link:visible", has_text="FLK306").count() == 1
    assert opened.messages == []
    opened.page.close()


def test_the_search_finds_an_option_and_a_rule(browser: Browser, address: str) -> None:
    opened = Opened(browser, address, "", 1400)
    page = opened.page
    page.locator("input.md-search__input").click()
    page.keyboard.type("blob.storage.directory")
    result = page.locator(".md-search-result__link").first
    result.wait_for()
    assert page.locator(".md-search-result__link", has_text="blob-storage-in-tmp").count() >= 1
    assert [url for url in opened.asked if not url.startswith((address, "data:", "blob:"))] == []
    assert opened.messages == []
    page.close()
