"""How the site looks: its mark and version, one colour, one column for text, code and tables, charts that can be read."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT, SITE, SIZES, listen
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.site

COLOURS = {"light": "rgb(31, 95, 191)", "dark": "rgb(138, 184, 255)"}
COLUMN = """() => {
  const column = document.querySelector('article').getBoundingClientRect();
  const parts = [...document.querySelectorAll('article > section > p, article > section > section > :is(p, .highlight-python, .table-wrapper)')];
  return parts.map((one) => [one.tagName, one.getBoundingClientRect().left - column.left, one.getBoundingClientRect().right - column.right]);
}"""


def test_the_menu_has_the_mark_the_version_and_its_captions(page: Page, address: str) -> None:
    page.goto(address)
    mark = page.locator(".sidebar-drawer .mark")
    assert mark.bounding_box()["width"] > 16
    assert "mark.svg" in mark.evaluate("(one) => getComputedStyle(one).backgroundImage")
    assert page.title().rpartition(" ")[2] in page.locator(".front").inner_text().split()
    captions = page.locator(".sidebar-tree .caption").all_inner_texts()
    assert [one.lower() for one in captions] == ["learn", "see", "look up"]


def test_the_menu_leads_to_the_repository_once_it_has_an_address() -> None:
    shown = (SITE / "index.html").read_text(encoding="utf-8").partition('class="front"')[2][:1000]
    base = re.search(
        r'^base = "([^"]*)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert base is not None
    assert (">repository<" in shown) == bool(base[1])


@pytest.mark.parametrize("theme", COLOURS)
@pytest.mark.parametrize("size", SIZES)
def test_links_and_names_have_one_colour(browser: Browser, address: str, size: str, theme: str) -> None:
    tab, errors = browser.new_page(viewport=SIZES[size], color_scheme=theme), []  # type: ignore[arg-type,var-annotated]
    listen(tab, errors)
    found = set()
    for name in ("index.html", "how-to/index.html", "reference/transforms/crops.html"):
        tab.goto(address + name)
        found |= set(
            tab.evaluate(
                "[...document.querySelectorAll('article p a, article td a, dt .sig-name')].map((one) => getComputedStyle(one).color)"
            )
        )
    tab.close()
    assert (found, errors) == ({COLOURS[theme]}, [])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["how-to/bridge.html", "explanation/the-bug.html", "reference/audit.html"])
def test_text_code_and_tables_share_a_column(browser: Browser, address: str, size: str, name: str) -> None:
    tab = browser.new_page(viewport=SIZES[size])
    tab.goto(address + name)
    parts = tab.evaluate(COLUMN)
    tables = tab.evaluate(
        "[...document.querySelectorAll('article table')].map((one) => one.getBoundingClientRect().left - one.parentElement.getBoundingClientRect().left)"
    )
    tab.close()
    assert len(parts) > 5
    assert [one for one in parts if abs(one[1]) > 3 or abs(one[2]) > 3] == []
    assert [left for left in tables if left > 5] == []  # at the left, as the text


def test_the_gallery_begins_with_what_is_seen_best(page: Page, address: str) -> None:
    page.goto(address + "gallery.html")
    families = page.locator(".family > .rubric").all_inner_texts()
    assert families[0] == "Geometry"
    assert len(families) > 8
    assert page.locator(".family").count() == len(families)


@pytest.mark.parametrize("name", ["index.html", "explanation/what-it-costs.html"])
def test_a_charts_letters_are_read_on_a_telephone(browser: Browser, address: str, name: str) -> None:
    tab = browser.new_page(viewport=SIZES["telephone"])
    tab.goto(address + name)
    charts = tab.locator("article img[src$='.svg']")
    assert charts.count() == 1
    shown = charts.first.bounding_box()["width"]
    text = (SITE / "_images" / charts.first.get_attribute("src").rpartition("/")[2]).read_text()
    tab.close()
    units = float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])
    letters = [float(size) for size in re.findall(r"font(?:-size)?: ?([\d.]+)px", text)]
    assert letters
    assert min(letters) * shown / units >= 9
