"""On which machines results are the same bits: what transforms declare, say and do."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS, Golden
from pixels_known import HERE

import seedsafe as ss
from seedsafe import functional
from seedsafe.functional import hsv
from seedsafe.ground.exactness import ARCHITECTURE, BUILD, EVERYWHERE, MACHINES, RESIZED, Exactness, When
from seedsafe.pipeline.primitive import marks_of

NOISE = np.random.default_rng(0).integers(0, 256, (61, 83, 3), np.uint8)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_each_transform_declares_it_and_its_docstring_says_so(name: str) -> None:
    case = TRANSFORMS[name]
    declared = marks_of(case.kind).exact
    if declared is None:
        assert case.holds
    else:
        assert " ".join(declared.sentence.split()) in " ".join(inspect.getdoc(case.kind).split())


def test_no_docstring_says_it_by_itself() -> None:
    """Each says it once, in the sentence of the declaration."""
    kinds = [
        *(getattr(ss, name) for name in TRANSFORMS),
        *(getattr(functional, name) for name in functional.__all__),
    ]
    for kind in kinds:
        assert (inspect.getdoc(kind) or "").count("xact on every machine") <= 1, kind


@pytest.mark.parametrize(
    ("transform", "dtype", "machines"),
    [
        (ss.HorizontalFlip(), "float32", MACHINES),
        (ss.ToGray(), "uint8", MACHINES),
        (ss.ToGray(), "float32", BUILD),
        (ss.RandomBrightnessContrast(), "float32", MACHINES),
        (ss.RandomBrightnessContrast(by_max=False), "uint8", MACHINES),
        (ss.RandomBrightnessContrast(by_max=False), "float32", BUILD),
        (ss.Rotate(9), "uint8", BUILD),
        (ss.Rotate(9, interpolation="nearest"), "float32", MACHINES),
        (ss.Resize(9), "uint8", ARCHITECTURE),
        (ss.Resize(9), "float32", BUILD),
        (ss.Resize(9, interpolation="bilinear exact"), "uint8", MACHINES),
        (ss.Resize(9, interpolation="bicubic"), "uint8", BUILD),
        (ss.Resize(9, interpolation="bicubic", antialias=True), "uint8", MACHINES),
        (ss.Resize(9, antialias=True), "float32", BUILD),
        (ss.Downscale(), "float32", MACHINES),
        (ss.Downscale(up="area"), "uint8", ARCHITECTURE),
        (ss.CropAndPad(3, keep_size=False), "float32", MACHINES),
        (ss.BBoxSafeCrop(), "float32", MACHINES),
        (ss.BBoxSafeCrop(9), "uint8", ARCHITECTURE),
        (ss.AddNoise(), "float32", MACHINES),
        (ss.AddNoise(color="pink"), "float32", BUILD),
        (ss.AddBackground([np.ones(9, np.float32)]), "float32", MACHINES),
        (ss.OneOf([ss.HorizontalFlip(), ss.RandomApply([ss.Resize(9)])]), "uint8", ARCHITECTURE),
        (ss.Compose([ss.Resize(9), ss.CLAHE()]), "uint8", BUILD),
        (ss.bridge(np.copy), "uint8", BUILD),
    ],
)
def test_what_is_declared(transform: Any, dtype: str, machines: str) -> None:
    assert Golden(transform, (9, 9, 3)).machines(dtype) == machines


def test_sentences() -> None:
    assert EVERYWHERE.sentence == "Exact on every machine."
    assert Exactness(build="NumPy").sentence == "Exact with the same build of NumPy."
    first, second = (When(f"with {word}", lambda *_: True) for word in ("a", "b"))
    assert Exactness((first, second)).sentence == "Exact on every machine with a and with b."
    assert RESIZED.also(first).sentence == (
        'Exact on every machine with a, with "nearest" and for uint8 with "bilinear exact" or antialias; on one architecture for '
        'uint8 with "bilinear" or "area"; else with the same build of OpenCV, or of Pillow.'
    )


class TestHSV:
    """OpenCV's builds for ARM give other values, and the integers take its place there."""

    @pytest.mark.parametrize("dtype", ["uint8", "float32"])
    def test_integers_give_the_same_bytes(self, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
        image = NOISE if dtype == "uint8" else (NOISE / 255).astype(np.float32)
        keys = [ss.SampleKey(0, 0, k) for k in range(9)]
        usual = [ss.HueSaturationValue(40, 60, 50)(image, key=key) for key in keys]
        monkeypatch.setattr(hsv, "opencv_agrees", lambda: False)
        np.testing.assert_array_equal(
            usual, [ss.HueSaturationValue(40, 60, 50)(image, key=key) for key in keys]
        )

    def test_opencv_computes_it_on_x86_alone(self) -> None:
        assert hsv.opencv_agrees() == (HERE == "x86-64")

    @pytest.mark.parametrize("wrong", ["multiply", "cvtColor"])
    def test_another_opencv_is_noticed(self, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
        import cv2

        class Other:
            def __getattr__(self, name: str) -> Any:
                return getattr(cv2, name)

        def off_by_one(*given: Any, **named: Any) -> Any:
            result = getattr(cv2, wrong)(*given, **named)
            result.reshape(-1)[-5] ^= 1
            return result

        other = Other()
        setattr(other, wrong, off_by_one)
        monkeypatch.setattr(hsv, "opencv", lambda: other)
        assert not hsv.opencv_agrees.__wrapped__()

    def test_the_integers_are_the_hexagonal_model(self) -> None:
        """A. R. Smith's, in binary64: hue in steps of 2°, saturation and value in 255."""
        made = hsv._hsv(NOISE).astype(int)
        red, green, blue = np.moveaxis(NOISE.astype(float), -1, 0)
        top, low = NOISE.max(-1).astype(float), NOISE.min(-1)
        chroma = np.maximum(top - low, 1)
        sixths = np.select(
            [top == red, top == green],
            [(green - blue) / chroma, 2 + (blue - red) / chroma],
            4 + (red - green) / chroma,
        )
        off = (made[..., 0] - sixths * 30 + 90) % 180 - 90
        assert np.abs(off).max() <= 0.5 + 5 * 255 / 8192  # the reciprocals are rounded to parts of 4096
        assert np.abs(made[..., 1] - 255 * (top - low) / np.maximum(top, 1)).max() <= 0.5 + 255 / 8192
        np.testing.assert_array_equal(made[..., 2], top)


class TestBilinearExact:
    @pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16"])
    @pytest.mark.parametrize("channels", [None, 1, 3, 5, 130])
    def test_it_is_bilinear_within_one(self, dtype: str, channels: int | None) -> None:
        shape = (40, 51) if channels is None else (40, 51, channels)
        image = np.random.default_rng(1).integers(0, 256, shape).astype(dtype)
        made = functional.resize(image, 33, 70, interpolation="bilinear exact")
        wanted = functional.resize(image.astype(np.float64), 33, 70)
        assert made.shape == wanted.shape
        assert made.dtype == image.dtype
        assert np.abs(made - wanted).max() < 1.5

    def test_it_is_the_mean_of_neighbours_in_integers(self) -> None:
        line = np.array([[0, 255]], np.uint8)
        assert functional.resize(line, 1, 4, interpolation="bilinear exact").tolist() == [[0, 64, 191, 255]]

    def test_floats_are_refused(self) -> None:
        with pytest.raises(
            TypeError,
            match='"bilinear exact" resizes integers, got an image of dtype float32: resize it before',
        ):
            ss.Resize(9, interpolation="bilinear exact")(NOISE.astype(np.float32), key=ss.SampleKey(0, 0, 0))

    def test_with_antialias_it_is_pillows_bilinear(self) -> None:
        options = {"antialias": True}
        made = functional.resize(NOISE, 20, 21, interpolation="bilinear exact", **options)
        np.testing.assert_array_equal(made, functional.resize(NOISE, 20, 21, **options))
