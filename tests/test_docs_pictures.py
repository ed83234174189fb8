"""Each transform has its picture in the reference, which shows what it does, and its own parameters above it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import seedsafe as ss

sys.path.append(str(Path(__file__).parents[1] / "docs" / "_ext"))

import gallery
import pictures
import signatures
import sounds
from cases import CASES, PUBLIC
from pictures import CELL, TRANSFORMS, draw, shrunk


def kinds(room: str) -> list[str]:
    """Return the names of a room's public classes."""
    named = {name: getattr(ss, name) for name in ss.__all__}
    return [
        name
        for name, one in named.items()
        if isinstance(one, type) and one.__module__.startswith(f"seedsafe.{room}.")
    ]


def cells(name: str) -> list[np.ndarray]:
    """Return the images of a picture, without the keys below them."""
    picture = draw(name)
    return [picture[:CELL, start : start + CELL] for start in range(0, picture.shape[1], CELL + 8)]


def test_every_image_transform_has_one() -> None:
    assert sorted(TRANSFORMS) == sorted(kinds("image"))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_picture_shows_what_the_transform_does(name: str) -> None:
    original, *drawn = cells(name)
    assert len(drawn) == 3
    if CASES[name].shown:
        assert any(not np.array_equal(original, image) for image in drawn)


@pytest.mark.parametrize("name", pictures.MIXING)
def test_a_picture_of_mixed_samples_shows_others(name: str) -> None:
    original, *drawn = cells(name)
    assert len({image.tobytes() for image in (original, *drawn)}) > 2


def test_three_keys_give_three_images() -> None:
    for name in ("RandomCrop", "FiveCrop", "Rotate", "ColorJitter", "GaussianNoise"):
        assert len({image.tobytes() for image in cells(name)}) == 4


def test_boxes_and_masks_are_drawn_where_they_move() -> None:
    green = np.array([0, 255, 120], np.uint8)
    for name, drawn in (("Rotate", True), ("GridShuffle", True), ("Blur", False)):
        assert bool((draw(name) == green).all(axis=-1).any()) is drawn


def test_a_clip_is_shown_as_nine_of_its_frames() -> None:
    assert len({frame.tobytes() for frame in pictures.FILM}) == len(pictures.FILM) == 60
    original, *drawn = cells("TemporalSample")
    shown = [pictures.FILM[k * 60 // 9] for k in range(9)]
    np.testing.assert_array_equal(original[: CELL // 3], np.hstack(shown[:3]))
    assert len({one.tobytes() for one in (original, *drawn)}) == 4


def test_antialias_is_shown_beside_its_absence() -> None:
    picture = shrunk()
    without, smooth = (picture[::4, start : start + 300 : 4].astype(float) for start in (0, 308))
    assert without.shape == smooth.shape == (50, 75, 3)
    steps = [np.abs(np.diff(one, axis=1)).mean() for one in (without, smooth)]
    assert steps[0] > 1.2 * steps[1]


def test_every_audio_transform_has_its_waveforms() -> None:
    assert sorted(sounds.TRANSFORMS) == sorted(kinds("audio"))
    assert 1 < len(sounds.SOUND) / sounds.RATE < 2
    for name in sounds.TRANSFORMS:
        picture = sounds.waveforms(name)
        down, right = sounds.HEIGHT + sounds.SPECTRUM + sounds.LABEL + 8, sounds.WIDTH + 8
        original, *heard = (
            picture[top : top + sounds.HEIGHT, left : left + sounds.WIDTH]
            for top in (0, down)
            for left in (0, right)
        )
        assert len(heard) == 3
        if CASES[name].takes == ("audio",):
            assert (original == [30, 90, 160]).all(axis=2).any()
        assert any(not np.array_equal(original, one) for one in heard)


def test_pages_show_the_parameters_of_transforms() -> None:
    of_rotate = signatures.parameters(ss.Rotate)
    assert of_rotate.startswith("(degrees=(-90.0, 90.0), *, crop_border=False, mode=")
    assert of_rotate.endswith(", name=None)")
    assert signatures.parameters(ss.ImageTransform) == "(*, name=None)"
    assert signatures.parameters(ss.Compose).startswith("(transforms")
    for name in PUBLIC:
        told = signatures.parameters(getattr(ss, name))
        assert "*args" not in told
        assert "name=None" in told or name == "Bridged"


def test_arguments_come_in_the_order_of_the_signature_and_words_last() -> None:
    text = [
        "Cut.",
        "",
        "Draws it (word 1).",
        "",
        "Exact.",
        "",
        "Args:",
        "    name: a",
        "        b.",
        "    size: c.",
    ]
    text += ["", "Example:", "    >>> 1", ""]
    told = [line for line in signatures.ordered(text, ["size", "name"]) if line]
    assert told[:3] == ["Cut.", "Exact.", "Args:"]
    assert told[3:6] == ["    size: c.", "    name: a", "        b."]
    assert told[6:] == ["Example:", "    >>> 1", "Draws it (word 1)."]


def test_sphinx_is_told_the_parameters() -> None:
    told = signatures._told(None, "class", "", ss.HorizontalFlip, None, "(*args, **kwargs)", None)
    assert told == (signatures.parameters(ss.HorizontalFlip), None)
    assert signatures._told(None, "function", "", len, None, "(*args, **kwargs)", None) is None
    assert signatures._told(None, "class", "", ss.Info, None, "(shape)", None) is None


def test_every_transform_has_a_thumbnail() -> None:
    assert set(gallery.transforms()) == {*PUBLIC, "BatchMix"}
    readme = Path(__file__).parents[1] / "README.md"
    assert f"[{len(gallery.transforms())} transforms](docs/gallery.md)" in readme.read_text(encoding="utf-8")
    made = gallery.thumbnails(gallery.transforms())
    for name, one in made.items():
        assert one.shape == (CELL, CELL, 3)
        if CASES[name].shown:
            assert not np.array_equal(one, pictures.cell({"image": pictures.PHOTO})), name


def test_a_transform_without_a_thumbnail_ends_the_build() -> None:
    with pytest.raises(ValueError, match="no thumbnail of Novel, Rotate: give its case"):
        gallery.thumbnails(
            {"Novel": object, "Flip": ss.HorizontalFlip, "Rotate": ss.Rotate},
            lambda name: np.zeros((CELL, CELL, 3), np.uint8) if name == "Flip" else None,
        )
    assert gallery.thumbnail("Novel") is None


def test_what_the_gallery_says_of_a_transform() -> None:
    def told(name: str) -> tuple[str, bool, tuple[str, ...]]:
        one = gallery.describe(name)
        return one["exact"], one["opencv"], tuple(one["targets"])

    spatial = ("image", "video", "mask", "boxes", "keypoints")
    assert told("HorizontalFlip") == ("yes", False, spatial)
    assert told("Rotate") == ("nearest", True, spatial)
    assert told("Resize") == ("uint8", True, spatial)
    assert told("Amplitude") == ("yes", False, ("audio",))
    assert told("Emboss") == ("no", True, ("image", "video"))
    assert told("TemporalSample") == ("yes", False, ("video",))
    assert told("RandAugment") == ("yes", True, spatial)
    assert told("AugMix")[2] == ("image", "video")  # it refuses the others
    assert told("OneOf") == ("as its transforms", False, gallery.TARGETS)


def test_a_waveform_has_its_spectrogram_below() -> None:
    rate = np.arange(len(sounds.SOUND)) / sounds.RATE
    low, high = (sounds.spectrogram(np.sin(2 * np.pi * f * rate, dtype=np.float64)) for f in (500, 8000))
    bright = [one.astype(int).sum(axis=2)[:, 20:-20].mean(axis=1).argmax() for one in (low, high)]
    assert bright[0] > sounds.HEIGHT / 2 > 0
    assert bright[1] < bright[0]
