"""The gallery has a card for each transform, whose link leads to it, and its filters do what they say."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

import seedsafe as ss

pytestmark = pytest.mark.site

SHOWN = "[...document.querySelectorAll('.card')].filter((one) => one.offsetHeight).map((one) => one.querySelector('code').innerText)"


@pytest.fixture
def gallery(page: Page, address: str) -> Page:
    page.goto(address + "gallery.html")
    return page


def test_each_transform_has_a_card(gallery: Page) -> None:
    shown = gallery.evaluate(SHOWN)
    public = {name for name in ss.__all__ if isinstance(getattr(ss, name), type)}
    kinds = {name for name in public if issubclass(getattr(ss, name), ss.Transform)}
    bases = {"Transform", "ImageTransform", "SpatialTransform", "VideoTransform", "AudioTransform"}
    assert sorted(shown) == sorted(kinds - bases | {"BatchMix"})


def test_each_card_leads_to_its_transform(gallery: Page) -> None:
    links = gallery.evaluate(
        "[...document.querySelectorAll('.card a')].map((one) => [one.innerText.trim(), one.href])"
    )
    assert len(links) > 80
    assert [name for name, link in links if not link.endswith(f".{name}")] == []
    pages = {link.partition("#")[0] for _, link in links}
    targets = {}
    for one in pages:
        gallery.goto(one)
        targets[one] = set(gallery.evaluate("[...document.querySelectorAll('dt[id]')].map((one) => one.id)"))
    assert [link for _, link in links if link.split("#")[1] not in targets[link.split("#")[0]]] == []


def test_filters(gallery: Page) -> None:
    form = gallery.locator("#gallery-filters")
    everything = gallery.evaluate(SHOWN)
    form.locator("[name=target]").select_option("audio")
    sounds = {
        name
        for name in ss.__all__
        if str(getattr(getattr(ss, name), "__module__", "")).startswith("seedsafe.audio.")
    }
    assert sounds - {"TimeMask", "FrequencyMask"} <= set(gallery.evaluate(SHOWN))
    assert "Rotate" not in gallery.evaluate(SHOWN)
    form.locator("[name=target]").select_option("boxes")
    form.locator("[name=opencv]").select_option("not needed")
    form.locator("[name=exact]").select_option("always")
    form.locator("[name=family]").select_option("Flips and turns")
    assert gallery.evaluate(SHOWN) == ["VerticalFlip", "HorizontalFlip"]  # the larger change first
    form.locator("[name=name]").fill("vertical")
    assert gallery.evaluate(SHOWN) == ["VerticalFlip"]
    assert form.locator("output").inner_text() == f"1 of {len(everything)} transforms"
    gallery.reload()  # the address holds the filters
    assert gallery.evaluate(SHOWN) == ["VerticalFlip"]


def test_without_scripts_all_cards_are_there(gallery: Page, address: str) -> None:
    context = gallery.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
    plain = context.new_page()
    plain.goto(address + "gallery.html")
    assert plain.locator(".card").count() > 80
    assert plain.locator("#gallery-filters").is_hidden()
    context.close()


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("cutout", "CoarseDropout"),
        ("GaussNoise", "GaussianNoise"),
        ("rotation", "Rotate"),
        ("flipud", "VerticalFlip"),
    ],
)
def test_names_of_other_libraries_are_found(gallery: Page, name: str, here: str) -> None:
    gallery.locator("#gallery-filters [name=name]").fill(name)
    shown = gallery.evaluate(SHOWN)
    assert here in shown
    assert len(shown) < 10
