"""antialias=True: Pillow's result for each channel by itself, and that of torchvision's order, crop first."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import PIL
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from programs import python
from skimage import data

import seedsafe as ss
from seedsafe import functional as F  # noqa: N812  # the field's name for it
from seedsafe.pipeline.boxes import Edges
from seedsafe.pipeline.transform import options

KEY = ss.SampleKey(42, 3, 1234)
PHOTOS = {"astronaut": data.astronaut(), "chelsea": data.chelsea(), "coffee": data.coffee()}
FILTERS = {
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "area": Image.Resampling.BOX,
    "lanczos": Image.Resampling.LANCZOS,
}


def of_pillow(image: np.ndarray, height: int, width: int, interpolation: str) -> np.ndarray:
    """Return what Pillow makes of each channel of a uint8 or float32 image by itself."""
    planes = image.reshape(*image.shape[:2], -1)
    made = [
        np.asarray(
            Image.fromarray(np.ascontiguousarray(planes[..., k])).resize(
                (width, height), FILTERS[interpolation]
            )
        )
        for k in range(planes.shape[2])
    ]
    return np.stack(made, -1).reshape(height, width, *image.shape[2:])


@pytest.mark.parametrize("interpolation", FILTERS)
@pytest.mark.parametrize("photo", PHOTOS)
def test_photographs_are_pillows(photo: str, interpolation: str) -> None:
    image = PHOTOS[photo]
    for scale in (1.01, 1.3, 1.34, 2, 3, 4, 5.7, 8, 0.5, 0.77):
        height, width = round(image.shape[0] / scale), round(image.shape[1] / scale)
        resize = ss.Resize((height, width), interpolation=interpolation, antialias=True)
        wanted = np.asarray(Image.fromarray(image).resize((width, height), FILTERS[interpolation]))
        np.testing.assert_array_equal(resize(image, key=KEY), wanted)


@pytest.mark.skipif(
    int(PIL.__version__.split(".")[0]) < 13, reason="older Pillows take the rows last, always"
)
@settings(max_examples=150)
@given(st.data())
def test_any_size_layout_and_number_of_channels_is_pillows(data: st.DataObject) -> None:
    side = st.integers(1, 40)
    rows, columns, height, width = (data.draw(side) for _ in range(4))
    channels = data.draw(st.sampled_from([None, 1, 2, 3, 4, 5, 6, 7, 9]))
    dtype = data.draw(st.sampled_from(["uint8", "float32"]))
    interpolation = data.draw(st.sampled_from(sorted(FILTERS)))
    shape = (rows, columns) if channels is None else (rows, columns, channels)
    image = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 256, shape).astype(dtype)
    layout = data.draw(st.sampled_from(["C", "F", "mirrored", "window", "every second", "broadcast"]))
    if layout == "F":
        image = np.asfortranarray(image)
    elif layout == "mirrored":
        image = image[::-1, ::-1]
    elif layout == "window":
        image = np.pad(image, ((1, 2), (3, 4)) + ((0, 0),) * (image.ndim - 2))[1:-2, 3:-4]
    elif layout == "every second":
        image = image.repeat(2, 0).repeat(2, 1)[::2, ::2]
    elif layout == "broadcast":
        image = np.broadcast_to(image[:1], shape)
    before = image.copy()
    made = F.resize(image, height, width, interpolation=interpolation, antialias=True)
    np.testing.assert_array_equal(made, of_pillow(image, height, width, interpolation))
    np.testing.assert_array_equal(image, before)
    assert made.dtype == image.dtype


def test_alpha_is_a_channel_like_any_other() -> None:
    image = np.dstack([PHOTOS["chelsea"], PHOTOS["chelsea"][::-1, :, 0]])
    made = F.resize(image, 90, 110, antialias=True)
    np.testing.assert_array_equal(made[..., :3], F.resize(image[..., :3], 90, 110, antialias=True))
    together = np.asarray(Image.fromarray(image, "RGBA").resize((110, 90), Image.Resampling.BILINEAR))
    assert (made != together).any()  # Pillow multiplies by it first


def test_a_crop_comes_first() -> None:
    image = PHOTOS["astronaut"]
    crop = ss.RandomResizedCrop(64, antialias=True)
    top, left, height, width = ss.Compose([crop]).params(KEY, image.shape)[0].params
    window = Image.fromarray(image).crop((left, top, left + width, top + height))
    np.testing.assert_array_equal(crop(image, key=KEY), window.resize((64, 64), Image.Resampling.BILINEAR))
    box = (left, top, left + width, top + height)
    beyond = np.asarray(Image.fromarray(image).resize((64, 64), Image.Resampling.BILINEAR, box))
    assert (beyond != crop(image, key=KEY)).any()  # Pillow's box= looks at what is around it


RESIZING: dict[str, Any] = {
    "Resize": ss.Resize((50, 60), antialias=True),
    "SmallestMaxSize": ss.SmallestMaxSize(50, antialias=True),
    "LongestMaxSize": ss.LongestMaxSize(60, antialias=True),
    "RandomScale": ss.RandomScale((0.3, 0.4), antialias=True),
    "LetterBox": ss.LetterBox(64, antialias=True),
    "CropAndPad": ss.CropAndPad(percent=(0.1, 0.3), antialias=True),
    "RandomResizedCrop": ss.RandomResizedCrop(40, antialias=True),
    "RandomSizedCrop": ss.RandomSizedCrop(40, heights=(150, 280), antialias=True),
    "MultiScaleCrop": ss.MultiScaleCrop(40, antialias=True),
    "BBoxSafeCrop": ss.BBoxSafeCrop(40, antialias=True),
}
"""All transforms that resize pixels."""


@pytest.mark.parametrize("name", RESIZING)
def test_the_image_alone_is_smoothed(name: str) -> None:
    image = PHOTOS["chelsea"]
    sample = {
        "image": image,
        "mask": image[..., 0] // 64,
        "boxes": np.array([[10.0, 20, 200, 220]]).view(Edges),
    }
    plain = type(RESIZING[name])(
        **{key: value for key, value in options(RESIZING[name]).items() if key != "antialias"}
    )
    made, coarse = RESIZING[name](sample, key=KEY), plain(sample, key=KEY)
    assert made["image"].shape == coarse["image"].shape
    assert (made["image"] != coarse["image"]).any()
    np.testing.assert_array_equal(made["mask"], coarse["mask"])
    np.testing.assert_array_equal(made["boxes"], coarse["boxes"])


def test_each_transform_that_interpolates_in_another_size_has_the_option() -> None:
    options = {name: getattr(getattr(ss, name), "__dataclass_fields__", {}) for name in ss.__all__}
    resizing = {
        name
        for name, fields in options.items()
        if "interpolation" in fields and "area" in fields["interpolation"].metadata["words"]
    }
    assert resizing == set(RESIZING) == {name for name, fields in options.items() if "antialias" in fields}


def test_integers_of_16_bits_are_rounded_and_cut_off() -> None:
    image = np.uint16(65535) * (PHOTOS["coffee"][..., 0] > 128)
    for interpolation in FILTERS:
        floats = of_pillow(image.astype(np.float32), 150, 170, interpolation)
        assert interpolation in ("bilinear", "area") or floats.max() > 65535  # it overshoots
        made = F.resize(image, 150, 170, interpolation=interpolation, antialias=True)
        np.testing.assert_array_equal(made, np.clip(np.rint(floats), 0, 65535))
    signed = (image // 2).astype(np.int16) - 16384
    floats = of_pillow(signed.astype(np.float32), 150, 170, "lanczos")
    made = F.resize(signed, 150, 170, interpolation="lanczos", antialias=True)
    np.testing.assert_array_equal(made, np.clip(np.rint(floats), -32768, 32767))


def test_float64_has_the_precision_of_float32() -> None:
    image = PHOTOS["coffee"] / 255
    made = F.resize(image, 99, 121, interpolation="bicubic", antialias=True)
    floats = of_pillow(image.astype(np.float32), 99, 121, "bicubic")
    assert made.dtype == np.float64
    np.testing.assert_array_equal(made, floats)


@pytest.mark.parametrize("dtype", ["int32", "bool", "float16", "int8"])
def test_other_dtypes_are_refused(dtype: str) -> None:
    with pytest.raises(TypeError, match=f"dtype {dtype} cannot be interpolated: pass .*astype"):
        ss.Resize(20, antialias=True)(np.zeros((40, 40), dtype), key=KEY)


def test_nearest_has_nothing_to_smooth() -> None:
    labels = np.arange(35 * 41).reshape(35, 41)  # any dtype
    both = (F.resize(labels, 9, 11, interpolation="nearest", antialias=flag) for flag in (False, True))
    np.testing.assert_array_equal(*both)


def test_plain_data_name_it_only_where_it_is_on() -> None:
    off, on = (ss.Compose([ss.Resize(20, antialias=flag)]) for flag in (False, True))
    assert off.to_json() == ss.Compose([ss.Resize(20)]).to_json()
    assert "antialias" not in off.to_json()
    assert json.loads(on.to_json())["transforms"][0]["antialias"] is True
    assert ss.Compose.from_json(on.to_json()) == on != off
    assert repr(ss.Resize(20, antialias=True)) == "Resize(antialias=True, size=20)"


def test_a_missing_pillow_is_said_where_it_is_needed() -> None:
    code = """
import os, sys
sys.modules["PIL"] = None
os.environ["SEEDSAFE_KERNELS"] = "0"
import numpy as np, seedsafe as ss
image, key = np.zeros((40, 40), np.uint8), ss.SampleKey(1, 2, 3)
ss.Resize(20)(image, key=key)
ss.Resize(20, interpolation="nearest", antialias=True)(image, key=key)
assert "PIL.Image" not in sys.modules
try:
    ss.Resize(20, antialias=True)(image, key=key)
except ImportError as error:
    print(error)
"""
    done = python("-c", code)
    assert done.stdout == 'antialias=True needs Pillow: pip install "seedsafe[antialias]"\n'


def test_all_that_is_imported_is_imported_while_no_process_can_be_forked() -> None:
    code = """
import os, sys
os.environ["SEEDSAFE_KERNELS"] = "0"
import numpy as np, seedsafe as ss
from seedsafe.ground.process import importing
image, key = np.zeros((40, 40, 3), np.uint8), ss.SampleKey(1, 2, 3)
ss.Resize(20)(image, key=key)

class Watch:
    def find_spec(self, name, path=None, target=None):
        print(name.partition(".")[0], importing._is_owned())

sys.meta_path.insert(0, Watch())
for dtype in ("uint8", "float32", "uint16"):
    ss.Resize(20, antialias=True)(image.astype(dtype), key=key)
"""
    done = python("-c", code)
    imported = set(done.stdout.splitlines())
    assert "PIL True" in imported
    assert not {line for line in imported if line.endswith("False")}
