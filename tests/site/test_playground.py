"""The playground without Pyodide: its controls, its address and the code that it makes; see test_pyodide.py."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.site


@pytest.fixture
def playground(page: Page, address: str) -> Page:
    page.goto(address + "playground.html")
    return page


def test_without_a_place_for_pyodide_it_says_so(playground: Page) -> None:
    assert "does not say where Pyodide is" in playground.locator("[role=status]").inner_text()
    assert playground.locator("#playground-here button").is_hidden()
    assert "playground_pyodide" in playground.locator("article").inner_text()


def test_the_address_holds_everything(playground: Page, address: str) -> None:
    form = playground.locator("#playground-here form")
    form.locator("[name=pipeline]").fill("ss.Rotate(30)")
    form.locator("[name=epoch]").fill("11")
    form.locator("[name=view]").fill("1")
    code = playground.locator("#playground-here .code").inner_text()
    assert (
        code
        == "import seedsafe as ss\n\naugment = ss.Rotate(30)\naugment(sample, key=ss.SampleKey(42, 11, 7, view=1))"
    )
    link = playground.url
    playground.goto(address)
    playground.goto(link)
    assert form.locator("[name=pipeline]").input_value() == "ss.Rotate(30)"
    assert playground.locator("#playground-here .code").inner_text() == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("size = 9\nss.RandomCrop(size)", "size = 9\naugment = ss.RandomCrop(size)"),
        ("augment = ss.RandomCrop(9)", "augment = ss.RandomCrop(9)"),
        ("ss.Compose([\n    ss.RandomCrop(9),\n])", "augment = ss.Compose([\n    ss.RandomCrop(9),\n])"),
        ('{"contract": 1}', "augment = ss.Compose.from_json('''{\"contract\": 1}''')"),
    ],
)
def test_the_code_is_a_script(playground: Page, text: str, code: str) -> None:
    playground.locator("[name=pipeline]").fill(text)
    assert f"\n\n{code}\naugment(sample" in playground.locator("#playground-here .code").inner_text()


def test_an_address_is_text_and_nothing_else(playground: Page, address: str) -> None:
    playground.goto(address)
    playground.goto(
        f"{address}playground.html#pipeline={quote('</textarea><img src=x onerror=document.title=1>')}&seed=-3"
    )
    assert playground.title() != "1"
    assert playground.locator("#playground-here img").count() == 0
    assert "whole numbers" in playground.locator("[role=status]").inner_text()


def test_a_huge_index_stays_as_it_was_typed(playground: Page, address: str) -> None:
    playground.goto(address)
    playground.goto(f"{address}playground.html#index=18446744073709551615")
    assert "18446744073709551615" in playground.locator("#playground-here .code").inner_text()
