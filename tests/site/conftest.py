"""The built pages in headless Chromium, at the width of a laptop and of a telephone."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("SEEDSAFE_SITE", ROOT / "docs" / "_build" / "html"))
"""The pages: make docs."""

SIZES = {"laptop": {"width": 1280, "height": 900}, "telephone": {"width": 390, "height": 844}}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that says nothing of each; there is no favicon."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # noqa: RUF012

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


class Server(http.server.ThreadingHTTPServer):
    """A server that does not mind a browser that goes away."""

    def handle_error(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the pages are, with a slash at the end."""
    assert (SITE / "index.html").exists(), f"there are no pages in {SITE}: make docs"
    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def errors() -> list[str]:
    """What the browser complained of."""
    return []


@pytest.fixture
def page(browser: Browser, errors: list[str]) -> Iterator[Page]:
    """A page at a laptop's size; after the test the console must have shown no error."""
    page = browser.new_page(viewport=SIZES["laptop"])
    listen(page, errors)
    yield page
    page.close()
    assert errors == []


def listen(page: Page, errors: list[str]) -> None:
    """Write down each error of a page's scripts and console."""
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)


def pages() -> list[str]:
    """Return the names of all pages; those of the search and of the modules' sources are Sphinx's own."""
    found = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    return [name for name in found if not name.startswith("_static/")]
