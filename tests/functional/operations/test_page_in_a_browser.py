"""The page of a lake in headless Chromium: by the eye's two schemes, on a phone, by keyboard.

B5: it asks nothing of any network, says nothing on the console, and axe-core finds no barrier.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, sync_playwright

from lakemirror.cli.page import html
from support.page_facts import lake

LARGE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium; make browser-install")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield found
        found.close()


@pytest.fixture
def written(tmp_path: Path) -> Path:
    page = tmp_path / "report.html"
    page.write_text(html(lake()), encoding="utf-8")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [LARGE, PHONE], ids=["large", "phone"])
def test_a_page_without_barriers(browser: Browser, written: Path, scheme: Any, size: Any) -> None:
    said: list[str] = []
    asked: list[str] = []
    page = browser.new_page(color_scheme=scheme, viewport=size)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(written.as_uri())
    for details in page.locator("details").all():
        details.evaluate("each => each.open = true")
    assert (said, asked) == ([], [written.as_uri()])
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.screenshot(path=written.with_suffix(".png"), full_page=True)
    page.close()


def test_what_is_folded_opens_by_keyboard(browser: Browser, written: Path) -> None:
    page = browser.new_page(viewport=LARGE)
    page.goto(written.as_uri())
    summaries = page.locator("summary").count()
    assert summaries
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open")
    page.close()
