"""The form in a browser: served to this machine alone, driven in a headless Chromium."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_flint.calculators.interactive.web_server import _Served, command, run_web
from tests.chromium import FLAGS


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`flint size --web` on a free port, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "flink_flint", "size", "--web", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://\S+/", line)
    assert found, line + process.stdout.read()
    yield process, found[0]
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    process.wait(timeout=20)
    process.stdout.close()


def test_it_says_where_it_is_serves_a_page_and_ends_cleanly_when_interrupted(
    served: tuple[subprocess.Popen[str], str],
) -> None:
    process, address = served
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    with urllib.request.urlopen(address) as page:
        text = page.read().decode()
    assert "flint size" in text
    elsewhere = [url for url in re.findall(r"""(?:src|href)="([^"]+)|url\("([^"]+)""", text) for url in url if url]
    assert all(url.startswith((address, "data:")) for url in elsewhere), "the page loads nothing from elsewhere"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0
    assert process.stdout is not None
    assert "Traceback" not in process.stdout.read()


@pytest.mark.parametrize("header", [{"Origin": "https://elsewhere.example"}, {"Host": "elsewhere.example"}])
def test_pages_of_other_sites_are_refused(served: tuple[subprocess.Popen[str], str], header: dict[str, str]) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(served[1], headers=header))
    assert refused.value.code == 403
    refused.value.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "flink.example", "::"])
def test_only_this_machine_is_served(host: str) -> None:
    with pytest.raises(ValueError, match="only served on this machine"):
        run_web(None, host, 0, None, None)


def test_a_port_that_is_taken_and_a_configuration_that_is_missing_are_told(
    served: tuple[subprocess.Popen[str], str], tmp_path: Path
) -> None:
    port = int(served[1].rstrip("/").rpartition(":")[2])
    with pytest.raises(ValueError, match=f"--port {port}: .*in use"):
        run_web(None, "127.0.0.1", port, None, None)
    with pytest.raises(ValueError, match=r"missing\.yaml"):
        run_web(None, "127.0.0.1", 0, str(tmp_path / "missing.yaml"), None)


def test_a_window_gets_name_configuration_and_release(tmp_path: Path) -> None:
    words = command("async-io", str(tmp_path / "my conf.yaml"), "1.20")
    assert words[1:] == [
        "-m", "flink_flint.calculators.interactive", "--calculator", "async-io", "--config",
        str(tmp_path / "my conf.yaml"),
        "--flink-version", "1.20",
    ]  # fmt: skip
    assert command(None, None, None)[1:] == ["-m", "flink_flint.calculators.interactive"]


@pytest.mark.parametrize(("address", "page"), [("127.0.0.1", "http://127.0.0.1:8080"), ("::1", "http://[::1]:8080")])
def test_the_address_of_the_page_is_a_url_for_both_kinds_of_loopback(address: str, page: str) -> None:
    assert _Served("flint", address, 8080).public_url == page


@pytest.mark.tools
def test_a_browser_opens_the_form_types_and_reads_the_answer(
    served: tuple[subprocess.Popen[str], str], tmp_path: Path
) -> None:
    from playwright.sync_api import sync_playwright

    received: list[str] = []
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            str(tmp_path / "profile"), executable_path="/usr/bin/chromium", headless=True, args=FLAGS,
            viewport={"width": 1280, "height": 800}, permissions=["clipboard-read", "clipboard-write"],
        )  # fmt: skip
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(_text(frame))))

        def wait_for(text: str) -> None:
            for _ in range(300):
                if text in "".join(received):
                    return
                page.wait_for_timeout(100)
            page.screenshot(path=tmp_path / "failed.png")
            raise AssertionError(f"{text!r} never came: {''.join(received)[-2000:]}")

        page.goto(served[1])
        wait_for("What is the problem?")
        page.keyboard.type("async")
        page.keyboard.press("Enter")
        wait_for("waiting for")
        page.keyboard.press("Control+g")
        wait_for("2 calls are queued for each of 86 threads")
        page.keyboard.press("End")
        page.keyboard.press("Backspace")
        wait_for("'2' has no unit")
        page.keyboard.type("0s")
        wait_for("may take 20 s")
        page.keyboard.press("Control+y")
        wait_for("\x1b]52;c;")
        page.wait_for_timeout(300)
        assert "AsyncDataStream." in page.evaluate("navigator.clipboard.readText()")
        picture = page.screenshot(path=tmp_path / "form.png")
        assert len(picture) > 20_000, "a picture of text, not of an empty page"
        page.keyboard.press("Control+q")
        page.wait_for_selector("body.-closed")
        browser.close()
    assert all(url.startswith((served[1], "data:", "ws://127.0.0.1:")) for url in asked), asked


def _text(frame: str | bytes) -> str:
    """What a frame says, without the escape sequences that color it and move the cursor."""
    text = frame if isinstance(frame, str) else frame.decode("utf-8", "replace")
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
