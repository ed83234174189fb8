"""What users hand over by mistake: each gets an error in their own words, early, and no process dies of it."""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import TRANSFORMS
from programs import ROOT, python
from refused import refused

import seedsafe as ss
import seedsafe.functional as plain
from seedsafe.data.folder import cache as cachefile
from seedsafe.pipeline.primitive import marks_of

KEY = ss.SampleKey(42, 3, 1234)
RGB = np.zeros((4, 5, 3), np.uint8)


def own_transforms() -> list[type]:
    kinds = [value for name in ss.__all__ if isinstance(value := getattr(ss, name), type)]
    return [
        kind for kind in kinds if issubclass(kind, ss.Transform) and marks_of(kind).own and is_dataclass(kind)
    ]


class TestFlags:
    @pytest.mark.parametrize("value", ["False", "no", 1, None, np.True_])
    def test_every_transforms(self, value: Any) -> None:
        seen = 0
        for kind in own_transforms():
            for one in fields(kind):
                if one.type in ("bool", bool) and one.init:
                    seen += 1
                    needed = {
                        f.name: 1
                        for f in fields(kind)
                        if f.init and f.default is f.default_factory is MISSING
                    }
                    with pytest.raises(TypeError, match=f"{one.name} must be True or False, got "):
                        kind(**needed | {one.name: value})
        assert seen > 3

    @pytest.mark.parametrize("name", sorted(set(TRANSFORMS) - {"Bridged"}))
    def test_every_transforms_probability_and_words(self, name: str) -> None:
        for one in fields(TRANSFORMS[name].kind):
            words = one.metadata.get("words")
            told = f"must be one of {', '.join(words)}, got 'x'" if words else "must be in [0, 1], got "
            for value in [*(["x"] if words else []), *((1.5, -0.1, math.nan) if one.name == "p" else ())]:
                with pytest.raises(ValueError, match=f"^{one.name} {re.escape(told)}"):
                    TRANSFORMS[name].make(**{one.name: value})

    def test_of_plain_data(self) -> None:
        data = ss.Compose([ss.RandomCrop(2)]).to_dict()
        data["transforms"][0]["pad_if_needed"] = "false"
        with pytest.raises(TypeError, match="pad_if_needed must be True or False, got 'false'"):
            ss.Compose.from_dict(data)

    def test_of_functions(self, tmp_path: Path) -> None:
        from seedsafe_torch import AugmentedDataset, loader

        (tmp_path / "a").mkdir()
        dataset = AugmentedDataset([RGB], seed=42)
        for act in (
            lambda: ss.FolderIndex(tmp_path, labelled="no"),  # type: ignore[arg-type]
            lambda: ss.bridge(np.negative, values_only="no"),  # type: ignore[arg-type]
            lambda: AugmentedDataset([RGB], seed=42, check_finite="no"),  # type: ignore[arg-type]
            lambda: loader(dataset, shuffle="no"),
        ):
            with pytest.raises(TypeError, match="must be True or False, got 'no'"):
                act()

    def test_a_users_own_class_is_its_own_affair(self) -> None:
        class Mine(ss.RandomCrop):
            __slots__ = ()

        assert Mine(2, pad_if_needed=1).pad_if_needed == 1  # type: ignore[arg-type]


test_errors_are_in_the_users_words = refused(
    (lambda: ss.SampleIndex(3.7, 0), TypeError, "index must be an integer, got 3.7 of type float"),  # type: ignore[arg-type]
    (lambda: ss.SampleIndex("3", 0), TypeError, "index must be an integer, got '3' of type str"),  # type: ignore[arg-type]
    (lambda: ss.op_of(5), TypeError, "name must be a string, got 5 of type int"),  # type: ignore[arg-type]
    (lambda: ss.ChannelStats.from_dict(None), TypeError, "data must be a dict from ChannelStats.to_dict(), got None"),  # type: ignore[arg-type]
    (lambda: ss.ChannelStats.from_json("[]"), TypeError, "data must be a dict from ChannelStats.to_dict(), got []"),
    (lambda: ss.ChannelStats.from_dict({"format": "seedsafe/channel-stats", "version": 1}), ValueError, "got one without ['dtype', 'images',"),
    (lambda: ss.Compose.from_dict({"contract": 1}, classes=[1]), TypeError, "classes must be classes of transforms, got 1"),  # type: ignore[list-item]
    (lambda: ss.record_index("\ud83d"), ValueError, "record_id must be text that UTF-8 can encode"),
    (lambda: ss.Pad(1, fill=0.5)(RGB, key=KEY), ValueError, "fill must be a whole number from 0 to 255 for uint8, got 0.5"),
    (lambda: plain.crop(RGB, -1, 0, 4, 4, fill=math.nan), ValueError, "fill must be a whole number from 0 to 255"),
    (lambda: plain.warp(RGB, (1, 0, 1, 0, 1, 0), 4, 5, fill=(0, 0.25, 0)), ValueError, "fill must be a whole number"),
)  # fmt: skip


def test_a_file_name_that_is_not_utf8_has_an_id(tmp_path: Path) -> None:
    folder = bytes(tmp_path / "cat")
    import os

    os.mkdir(folder)
    for name in (b"caf\xe9.png", b"ok.png"):
        Path(os.fsdecode(folder + b"/" + name)).touch()
    index = ss.FolderIndex(tmp_path)
    assert [ss.record_index(index.relative(i)) for i in range(2)] == index.record_ids.tolist()


def test_an_index_cache_with_words_that_changed_places_is_made_anew(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for number in range(300):
        (root / f"class{number % 7}").mkdir(parents=True, exist_ok=True)
        (root / f"class{number % 7}" / f"image-{number:05}.png").touch()
    cache = tmp_path / "cache"
    expected = ss.FolderIndex(root, cache=cache)
    whole = cache.read_bytes()
    paths = [expected.path(i) for i in range(300)]
    words = np.frombuffer(whole, "<u8")
    rng = np.random.default_rng(0)
    for distance in (1, 8, 512, None):
        for _ in range(20):
            damaged = words.copy()
            one = int(rng.integers(4, len(words)))
            other = one + distance if distance else int(rng.integers(4, len(words)))
            if other >= len(words) or damaged[one] == damaged[other]:
                continue
            damaged[[one, other]] = damaged[[other, one]]
            cache.write_bytes(damaged.tobytes())
            assert cachefile.load(str(cache), expected._options) is None
    assert [ss.FolderIndex(root, cache=cache).path(i) for i in range(300)] == paths
    assert cachefile.load(str(cache), expected._options) is not None  # made anew
    cache.write_bytes(b"seedsafe index 1" + whole[16:])  # of an older release
    assert cachefile.load(str(cache), expected._options) is None
    ss.FolderIndex(root, cache=cache)
    assert cachefile.load(str(cache), expected._options) is not None


class TestCoordinates:
    """Integers that their dtype cannot hold are refused, whatever moves them."""

    @pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
    def test_what_does_not_fit(self, dtype: Any) -> None:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        low = np.array([[least, least, 0, 0]], dtype)
        for act in (
            lambda: plain.horizontal_flip_points(low, 100),
            lambda: plain.vertical_flip_points(low, 100),
            lambda: plain.horizontal_flip_boxes(low, 100),
            lambda: plain.shift_points(low, 7, 7),
            lambda: plain.quarter_turn_points(low, 2, 100, 100),
            lambda: plain.resize_points(low, (10, 10), (20, 20)),
            lambda: plain.warp_points(low, (1, 0, -5, 0, 1, 0)),
            lambda: plain.shift_boxes(np.array([[0, 0, most, most]], dtype), -9, -9, 2**40, 2**40),
        ):
            with pytest.raises(
                ValueError, match=f"coordinates must fit into their dtype {np.dtype(dtype)}, got -?[0-9]"
            ):
                act()

    def test_a_wide_image_does_not_matter_where_the_result_fits(self) -> None:
        points = np.array([[100, 3]], np.int8)
        augment = ss.Compose([ss.HorizontalFlip(p=1)])
        wide = np.zeros((10, 200), np.uint8)
        assert augment({"image": wide, "keypoints": points}, key=KEY)["keypoints"].tolist() == [[99, 3]]
        with pytest.raises(ValueError, match="coordinates must fit into their dtype int8, got 196"):
            augment({"image": wide, "keypoints": points[:, ::-1].copy()}, key=KEY)

    def test_int64_and_floats_are_as_they_were(self) -> None:
        points = np.array([[3, 4]])
        assert plain.horizontal_flip_points(points, 10).tolist() == [[6, 4]]
        assert plain.shift_boxes(np.array([[0, 0, 2**40, 5]]), 1, 1, 9, 9).tolist() == [[0, 0, 9, 4]]
        assert plain.horizontal_flip_points(points.astype(np.float32), 10).dtype == np.float32


def zero_strides() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 200, (1, 24, 3), dtype=np.uint8)
    return [
        np.broadcast_to(rows, (16, 24, 3)),
        np.broadcast_to(rows[:, :1], (16, 24, 3)),
        np.broadcast_to(rows[..., :1], (16, 24, 3)),
        np.broadcast_to(np.uint8(7), (16, 24, 3)),
        rows[0][None],
    ]


def functions_of_images() -> list[str]:
    needs = {
        name: inspect.signature(getattr(plain, name)).parameters
        for name in plain.__all__
        if callable(getattr(plain, name))
    }
    return [
        name
        for name, given in needs.items()
        if next(iter(given), "") == "image"
        and all(one.default is not one.empty for one in list(given.values())[1:])
    ]


class TestZeroStrides:
    @pytest.mark.parametrize("name", functions_of_images())
    @pytest.mark.parametrize("dtype", [np.uint8, np.float32])
    def test_a_broadcast_is_as_its_copy(self, name: str, dtype: Any) -> None:
        for image in zero_strides():
            given = (
                np.lib.stride_tricks.as_strided(
                    np.ascontiguousarray(image).astype(dtype),
                    image.shape,
                    [s * np.dtype(dtype).itemsize for s in np.ones(image.shape, bool).strides],
                )
                if dtype is not np.uint8
                else image
            )
            expected = getattr(plain, name)(given.copy())
            np.testing.assert_array_equal(getattr(plain, name)(given), expected)

    def test_opencv_sees_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """OpenCV takes every one of its functions from one module: here, from one that looks."""
        import importlib
        import pkgutil

        import cv2

        class Looking:
            def __getattr__(self, name: str) -> Any:
                part = getattr(cv2, name)

                def looked(*arguments: Any, **named: Any) -> Any:
                    for one in (*arguments, *named.values()):
                        assert not (isinstance(one, np.ndarray) and one.size > 1 and 0 in one.strides), name
                    return part(*arguments, **named)

                return looked if callable(part) and not isinstance(part, type) else part

        for found in pkgutil.iter_modules(plain.__path__):
            module = importlib.import_module(f"seedsafe.functional.{found.name}")
            if hasattr(module, "opencv"):
                monkeypatch.setattr(module, "opencv", Looking)
        calls = {
            "box_blur": (3,),
            "gaussian_blur": (3, 1.0),
            "median_blur": (3,),
            "convolve": (np.ones((3, 3)),),
            "resize": (7, 9),
            "crop": (-2, -2, 9, 9),
            "pad": ((1, 1, 1, 1),),
            "quarter_turn": (1,),
            "warp": ((1, 0, 1, 0, 1, 0), 5, 5),
            "compress": ("jpeg", 50),
            "adjust_gamma": (1.5,),
            "rotate_hue": (0.3,),
            "adjust_hsv": (5, 5, 5),
            "adjust_saturation": (0.5,),
            "adjust_contrast": (0.5,),
            "scale_channels": ((1.0, 2.0, 0.5),),
            "shift_channels": ((1.0, 2.0, 3.0),),
            "shuffle_channels": ((2, 0, 1),),
            "multiply_saturation": (0.5,),
            "equalize_adaptively": (2.0, (2, 2)),
            "normalize_chw": ((0.5,), (0.5,)),
            **dict.fromkeys(functions_of_images(), ()),
        }
        called = 0
        for name, arguments in calls.items():
            function = getattr(plain, name)
            try:
                inspect.signature(function).bind(RGB, *arguments)
            except TypeError:
                continue
            for image in zero_strides():
                try:
                    function(image, *arguments)
                except (TypeError, ValueError, AttributeError):
                    continue  # it takes other images or arguments
                called += 1
        assert called > 100


SIZES = {
    "ss.Pad(2**31 - 1)(small, key=KEY)": "ValueError: an image must have sides below 2**31",
    "ss.Pad(10**30)(small, key=KEY)": "ValueError: ",
    "ss.Pad(2**20, mode='edge')(small, key=KEY)": "ValueError: an image must have sides",
    "ss.Pad((0, 2**30, 0, 0), fill=3)(small, key=KEY)": "ValueError: an image must have sides",
    "plain.pad(small[..., 0], (0, 0, 0, 2**31))": "ValueError: an image must have sides",
    "plain.resize(small[..., 0], 2**31 - 1, 2**31 - 1)": "ValueError: an image must have sides",
    "ss.HorizontalFlip(p=1)(wide(2**20, 2**20), key=KEY)": "ValueError: an image must have sides",
    "ss.HorizontalFlip(p=1)(wide(2**31, 4), key=KEY)": "ValueError: an image must have sides",
    "plain.transpose(wide(2**20, 2**12))": "MemoryError: ",
}


def test_no_process_dies_of_a_size() -> None:
    lines = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import numpy as np
import seedsafe as ss
import seedsafe.functional as plain
KEY, small = ss.SampleKey(42, 3, 1234), np.zeros((4, 4, 3), np.uint8)
def wide(*shape): return np.broadcast_to(np.uint8(7), shape)
for code in {list(SIZES)}:
    try:
        eval(code)
    except (ValueError, MemoryError) as error:
        print(f"{{type(error).__name__.lstrip('_').replace('Array', '')}}: {{error}}", flush=True)
    else:
        print("nothing of", code)
"""
    done = python("-c", lines, cwd=ROOT, check=False)
    told = done.stdout.splitlines()
    assert len(told) == len(SIZES), (done.returncode, told, done.stderr[-500:])
    assert all(one.startswith(words) for one, words in zip(told, SIZES.values(), strict=True)), told
