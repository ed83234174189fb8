"""Every page, at two widths: no error, nothing wider than the window, no code to scroll, and none too long."""

from __future__ import annotations

import re

import cv2
import numpy as np
import pytest
from conftest import SITE, SIZES, listen, pages
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.site

HEIGHT = 15_000
BYTES = 400_000

MEASURE = """() => {
  for (const image of document.images) image.loading = "eager";
  const code = [...document.querySelectorAll("pre")].filter((one) => one.scrollWidth > one.clientWidth + 1);
  const {scrollHeight, scrollWidth, clientWidth} = document.documentElement;
  return [scrollHeight, scrollWidth - clientWidth, code.map((one) => one.innerText.slice(0, 80))];
}"""
MISSING = """() => Promise.all([...document.images].map(async (one) => {
  await one.decode().catch(() => 0); return one.naturalWidth ? "" : one.src; }))"""


@pytest.mark.parametrize("size", SIZES)
def test_pages_fit(browser: Browser, address: str, size: str) -> None:
    tab, errors, found = browser.new_page(viewport=SIZES[size]), [], []  # type: ignore[var-annotated]
    listen(tab, errors)
    for name in pages():
        tab.goto(address + name)
        height, wider, code = tab.evaluate(MEASURE)
        if wider > 0:
            found.append(f"{name} is {wider} pixels wider than the window")
        if size == "laptop":
            found += [f"{name} is {height} pixels high"] * (height > HEIGHT)
            found += [f"{name} has code to scroll: {one}" for one in code]
            found += [f"{name} lacks {one}" for one in tab.evaluate(MISSING) if one]
        found += [f"{name}: {error}" for error in errors]
        errors.clear()
    tab.close()
    assert found == []


def test_pages_are_light() -> None:
    assert [name for name in pages() if (SITE / name).stat().st_size > BYTES] == []


def test_a_long_page_would_be_noticed(page: Page, address: str) -> None:
    page.goto(address + "reference/transforms.html")
    page.evaluate(
        "document.querySelector('article').innerHTML += '<pre style=\"white-space: pre\">' + 'x'.repeat(300) + '</pre>' +"
        "'<p style=\"height: 15000px; width: 2000px\">'"
    )
    height, wider, code = page.evaluate(MEASURE)
    assert height > HEIGHT
    assert wider > 0
    assert len(code) == 1


def test_images_are_loaded_when_they_are_seen(page: Page, address: str) -> None:
    for name in ("gallery.html", "reference/transforms/crops.html"):
        page.goto(address + name)
        ways = page.evaluate("[...document.querySelectorAll('article img')].map((one) => one.loading)")
        assert len(ways) > 5
        assert set(ways) == {"lazy"}


@pytest.mark.parametrize("size", SIZES)
def test_the_first_screen_has_image_install_and_code(browser: Browser, address: str, size: str) -> None:
    tab = browser.new_page(viewport=SIZES[size])
    tab.goto(address)
    ends = tab.evaluate(
        "[...document.querySelectorAll('.first img, .first pre')].map((one) => one.getBoundingClientRect().bottom)"
    )
    tab.close()
    assert len(ends) == 3
    assert max(ends) <= SIZES[size]["height"]


def test_constructors_are_shown_with_their_parameters() -> None:
    """Frameworks are mocked while the pages are built, and a class of theirs takes anything."""
    shown = (SITE / "reference" / "torch.html").read_text(encoding="utf-8")
    entry = shown[shown.index('id="seedsafe_torch.dataset.AugmentedDataset"') :]
    assert "seed" in entry[: entry.index("</dt>")]


def test_classes_read_as_users_write_them() -> None:
    for page, name, shown in (
        ("reference/transforms/crops.html", "seedsafe.image.window.CenterCrop", "ss.CenterCrop(size"),
        (
            "reference/torch.html",
            "seedsafe_torch.dataset.AugmentedDataset",
            "seedsafe_torch.AugmentedDataset(base",
        ),
        (
            "reference/functional/crops.html",
            "seedsafe.functional.window.crop",
            "seedsafe.functional.crop(image",
        ),
        (
            "reference/keys.html",
            "seedsafe.keys.draws.weighted_choice",
            "seedsafe.keys.draws.weighted_choice(",
        ),
    ):
        entry = (SITE / page).read_text(encoding="utf-8").partition(f'id="{name}"')[2].partition("</dt>")[0]
        assert shown in re.sub(r"<[^>]*>", "", entry), entry


@pytest.mark.parametrize("name", ["how-to/trainers.html", "how-to/migrate.html", "how-to/index.html"])
def test_tables_of_text_fit_a_telephone(browser: Browser, address: str, name: str) -> None:
    tab = browser.new_page(viewport=SIZES["telephone"])
    tab.goto(address + name)
    wider = tab.evaluate(
        "[...document.querySelectorAll('.table-wrapper')].map((one) => one.scrollWidth - one.clientWidth)"
    )
    tab.close()
    assert wider
    assert max(wider) <= 0


@pytest.mark.parametrize("name", ["reference/speed.html", "reference/contract.html"])
def test_a_scrolled_table_still_names_its_rows(browser: Browser, address: str, name: str) -> None:
    tab = browser.new_page(viewport=SIZES["telephone"])
    tab.goto(address + name)
    seen = tab.evaluate(
        """() => [...document.querySelectorAll('.table-wrapper')].map((table) => {
          table.scrollLeft = 10_000;
          const left = (one) => one.getBoundingClientRect().left;
          return table.scrollLeft && left(table.querySelector('td')) - left(table);
        }).filter((shift) => shift)"""
    )
    scrolled = tab.evaluate("[...document.querySelectorAll('.table-wrapper')].some((one) => one.scrollLeft)")
    tab.close()
    assert scrolled
    assert [shift for shift in seen if abs(shift) > 4] == []  # the table's border and padding


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_charts_suit_the_theme(browser: Browser, address: str, theme: str) -> None:
    tab = browser.new_page(color_scheme=theme)  # type: ignore[arg-type]
    tab.goto(address + "explanation/what-it-costs.html")
    chart = tab.locator("article img[src$='.svg']").first
    corner = cv2.imdecode(np.frombuffer(chart.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)[2, 2]
    tab.close()
    assert (corner > 200) == (theme == "light")


def test_pages_work_from_files(browser: Browser, errors: list[str]) -> None:
    tab = browser.new_page()
    listen(tab, errors)
    for name in pages():
        tab.goto((SITE / name).as_uri())
    tab.goto((SITE / "gallery.html").as_uri())
    tab.locator("#gallery-filters input").first.fill("cutout")
    shown = tab.locator(".cards .card:visible")
    assert 0 < shown.count() < 10
    tab.goto((SITE / "playground.html").as_uri())
    assert tab.locator("#playground-here [role=status]").inner_text()
    assert errors == []
    tab.goto((SITE / "search.html").as_uri() + "?q=custom+transform")
    tab.locator("#search-results li a").first.wait_for()  # without excerpts, which Sphinx fetches
    tab.close()
