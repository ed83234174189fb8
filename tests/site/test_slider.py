"""The key in JavaScript makes the words of the golden files, and the first page's sliders show what the library makes."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SITE
from playwright.sync_api import Page

import seedsafe as ss

sys.path.append(str(Path(__file__).parents[1]))

import key_in_javascript

pytestmark = pytest.mark.site

AUGMENT = ss.Compose([ss.RandomCrop(176), ss.HorizontalFlip(), ss.RandomBrightnessContrast(0.2, 0.3)])
PIXELS = """(which) => {
  const canvas = document.querySelector(which);
  const {data, width} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return [width, btoa(Array.from(data, (one) => String.fromCharCode(one)).join(""))];
}"""


@pytest.fixture
def front(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_function("globalThis.seedsafe?.drawn")
    return page


def test_the_key_in_javascript(front: Page) -> None:
    assert key_in_javascript.wrong(lambda code: front.evaluate(code)) == []


def test_it_is_about_a_kilobyte() -> None:
    assert (SITE / "_static" / "key.js").stat().st_size < 1300


def test_the_code_shown_is_the_code_tested(front: Page) -> None:
    shown = front.locator("pre", has_text="RandomBrightnessContrast(").inner_text()
    assert repr(eval(shown.partition("= ")[2], {"ss": ss})) == repr(AUGMENT)


def move(page: Page, **key: int) -> None:
    for name, value in key.items():
        page.locator(f".sliders [name={name}]").fill(str(value))


@pytest.mark.parametrize("key", [(42, 3, 7), (0, 0, 0), (99, 19, 99), (5, 11, 64)])
def test_sliders_show_the_librarys_sample(front: Page, key: tuple[int, int, int]) -> None:
    move(front, seed=key[0], epoch=key[1], index=key[2])
    drawn: dict[str, Any] = front.evaluate("globalThis.seedsafe.drawn")
    crop, flip, tones = AUGMENT.params(ss.SampleKey(*key), (240, 240, 3))
    assert (drawn["top"], drawn["left"]) == tuple(crop.params)[:2]
    assert drawn["flip"] is (flip.params is not None)
    assert (drawn["factor"], drawn["offset"]) == tuple(tones.params)

    def pixels(of: str) -> Any:
        width, data = front.evaluate(PIXELS, of)
        return np.frombuffer(base64.b64decode(data), np.uint8).reshape(-1, width, 4)[..., :3]

    photograph = front.evaluate(
        """() => { const canvas = document.createElement("canvas"), image = document.querySelector(".sliders img");
        [canvas.width, canvas.height, canvas.id] = [image.naturalWidth, image.naturalHeight, "whole"];
        canvas.getContext("2d").drawImage(image, 0, 0); document.body.append(canvas); return canvas.width; }"""
    )
    assert photograph == 240
    expected = AUGMENT(pixels("#whole"), key=ss.SampleKey(*key))
    np.testing.assert_array_equal(pixels(".sliders .after"), expected)
