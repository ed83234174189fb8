"""The compiled kernels give the bytes of the usual way, alone and in one pass with their neighbours."""

from __future__ import annotations

import ctypes
import math
import os
import runpy
import shutil
import threading
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedsafe as ss
from seedsafe import kernels
from seedsafe.functional import antialias, pillow
from seedsafe.ground.info import Array
from seedsafe.pipeline import one_pass

FILTERS = ("bilinear", "bicubic", "area", "lanczos")
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SIDE = st.integers(1, 70)
ROOT = Path(__file__).parents[1]


@pytest.fixture
def opened() -> Iterator[None]:
    """The library is opened again in the test, and once more after it."""
    kernels._opened.cache_clear()
    yield
    kernels._opened.cache_clear()


def usual(call: Any) -> Any:
    """Return the result of a call that does not see the kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "_opened", lambda: (None, "switched off"))
        return call()


def photo(rows: int, columns: int, channels: int = 3, seed: int = 0) -> Array:
    return np.random.default_rng(seed).integers(0, 256, (rows, columns, channels)).astype(np.uint8)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_they_are_there_where_a_compiler_is() -> None:
    assert kernels.library() is not None, kernels.why_not()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.float32, np.float64])
@settings(max_examples=60, deadline=None)
@given(SIDE, SIDE, SIDE, SIDE, st.integers(0, 5), st.sampled_from(FILTERS), st.integers(0, 2**32 - 1))
def test_a_resize_has_the_bytes_of_pillow(
    dtype: Any, rows: int, columns: int, height: int, width: int, channels: int, kind: str, seed: int
) -> None:
    shape = (rows + 2, columns + 3, channels) if channels else (rows + 2, columns + 3)
    values = np.random.default_rng(seed).integers(0, 256, shape)
    whole = (values > 127).astype(dtype) * 200 if seed % 3 == 0 else values.astype(dtype)
    for image in (whole[1 : 1 + rows, 2 : 2 + columns], whole[:rows, :columns][::-1, ::-1]):
        result = antialias.resize_smoothly(image, height, width, kind)
        expected = usual(lambda image=image: antialias.resize_smoothly(image, height, width, kind))
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


@settings(max_examples=60, deadline=None)
@given(SIDE, SIDE, SIDE, SIDE, st.integers(1, 5), st.sampled_from(FILTERS), st.booleans(), st.booleans())
def test_plain_c_has_the_bits_of_vectors(
    rows: int, columns: int, height: int, width: int, channels: int, kind: str, planar: bool, floats: bool
) -> None:
    image = photo(rows, columns, channels)
    affine = (np.linspace(0.1, 2, channels, dtype=np.float32), np.linspace(-1, 3, channels, dtype=np.float32))
    todo = antialias.Pass(height, width, kind, mirrors=(True, False), planar=planar)
    if floats:
        todo = todo._replace(in_units=planar, affine=affine)
    results = []
    for plain in (0, 1, 2):
        shape = (channels, height, width) if planar else (height, width, channels)
        target = np.empty(shape, np.float32 if floats else np.uint8)
        job = antialias._job(image[None], todo, target)
        job.plain = plain
        library = kernels.library()
        assert library is None or antialias._done(library.seedsafe_resize_bytes, job)
        results.append(target)
    if kernels.library() is not None:
        np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("resample", pillow.FILTERS)
@settings(max_examples=60, deadline=None)
@given(SIDE, SIDE, st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_an_affine_map_has_the_bytes_of_the_usual_way(
    resample: str, rows: int, columns: int, channels: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    shape = (rows, columns, channels) if channels else (rows, columns)
    image = rng.integers(0, 256, shape)[:, :: -1 if seed % 3 else 1]
    kind = [np.uint8, np.float32, np.int64, np.bool_][seed % (4 if resample == "nearest" else 2)]
    near = [1.0, 0, columns / 3, 0, 1, rows / 3]
    data: Any = tuple(rng.normal(0, 0.7, 6) * [1, 1, columns, 1, 1, rows] + (near if seed % 5 else 0))
    if seed % 7 == 0:
        data = tuple(float(round(number)) for number in data)
    fill: Any = [0, 1, tuple(rng.integers(0, 256, channels).tolist()) or 7, 200][
        seed % (4 if kind is np.uint8 else 2)
    ]

    def move() -> Array:
        return pillow.transform_affine(image.astype(kind), data, resample=resample, fill=fill)

    np.testing.assert_array_equal(move(), usual(move), strict=True)
    with pytest.MonkeyPatch.context() as patch:  # without Pillow, or on another processor
        patch.setattr(pillow, "_computes_like_us", lambda: False)
        np.testing.assert_array_equal(move(), usual(move), strict=True)


def test_the_nearest_pixels_of_a_large_image_are_those_of_the_usual_way() -> None:
    """A step that is a 65536th off takes another pixel only here and there."""
    image = photo(400, 500)
    for degrees in range(3, 90, 11):
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

        def move(data: Any = (cosine, -sine, 120.3, sine, cosine, -90.7)) -> Array:
            return pillow.transform_affine(image, data)

        np.testing.assert_array_equal(move(), usual(move))


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e13])
def test_an_affine_map_without_an_end_is_that_of_the_usual_way(number: float) -> None:
    def move() -> Any:
        try:
            return pillow.transform_affine(photo(9, 8), (1.0, 0.5, number, 0.1, 1, 0)).tolist()
        except Exception as error:  # noqa: BLE001  # whatever it is
            return repr(error)

    assert move() == usual(move)


FLIPS = [ss.HorizontalFlip(), ss.VerticalFlip()]
CROP = ss.RandomResizedCrop((24, 31), antialias=True)
CHAINS = {
    "all": [CROP, *FLIPS, ss.Normalize(MEAN, STD), ss.ToCHW()],
    "flips": [CROP, *FLIPS],
    "twice": [CROP, ss.HorizontalFlip(), ss.HorizontalFlip(name="again")],
    "normalised": [CROP, FLIPS[0], ss.Normalize((0.5,), (0.25,))],
    "turned": [CROP, ss.ToCHW()],
    "converted": [CROP, FLIPS[0], ss.ToFloat(), ss.ToCHW()],
    "converted and normalised": [CROP, FLIPS[0], ss.ToFloat(), ss.Normalize(MEAN, STD), ss.ToCHW()],
    "resized, if it fires": [
        ss.Resize((20, 33), antialias=True, interpolation="bicubic", p=0.5),
        *FLIPS,
        ss.ToCHW(),
    ],
    "cut": [ss.Resize(38, antialias=True), ss.CenterCrop(24), FLIPS[0], ss.Normalize(MEAN, STD), ss.ToCHW()],
    "cut when mirrored": [
        ss.Resize((38, 41), antialias=True),
        *FLIPS,
        ss.RandomCrop((30, 33)),
        FLIPS[0],
        ss.RandomCrop(20),
    ],
    "beyond the image": [ss.Resize(24, antialias=True), ss.RandomCrop(24, padding=3), FLIPS[0], ss.ToCHW()],
    "in a container": [
        ss.OneOf([ss.Compose([CROP, FLIPS[0]]), ss.VerticalFlip(p=1)]),
        ss.Normalize(MEAN, STD),
    ],
    "cut alone": [
        ss.RandomCrop((24, 31)),
        *FLIPS,
        ss.ToFloat(),
        ss.CenterCrop(20),
        ss.Normalize(MEAN, STD),
        ss.ToCHW(),
    ],
    "mirrored alone": [ss.ColorJitter(0.3), *FLIPS, ss.RandomCrop(24)],
    "two of them": [CROP, FLIPS[0], ss.Resize(20, antialias=True), FLIPS[1], ss.ToCHW()],
    "and others": [FLIPS[0], CROP, FLIPS[1], ss.ColorJitter(0.3), ss.Normalize(MEAN, STD), ss.ToCHW()],
}


@pytest.mark.parametrize("name", CHAINS)
def test_one_pass_has_the_bytes_of_its_members(name: str) -> None:
    make = CHAINS[name]
    together, apart = ss.Compose(make), usual(lambda: ss.Compose(make))
    for index in range(12):
        key, image = ss.SampleKey(42, 1, index), photo(40 + index, 60 - index, seed=index)
        before = image.copy()
        result = together(image, key=key)
        expected = usual(lambda image=image, key=key: apart(image, key=key))
        np.testing.assert_array_equal(result, expected, strict=True)
        np.testing.assert_array_equal(image, before)
        assert not np.shares_memory(result, image)
        assert repr(together.params(key, image.shape)) == repr(apart.params(key, image.shape))


@pytest.mark.skipif(kernels.library() is None, reason="no C compiler")
def test_a_pass_is_taken_where_it_can_be() -> None:
    counts = {
        name: sum(isinstance(s, one_pass.OnePass) for s in ss.Compose(chain)._chain._passes)
        for name, chain in CHAINS.items()
    }
    assert counts == dict.fromkeys(CHAINS, 1) | dict.fromkeys(
        ["in a container", "cut alone", "mirrored alone", "beyond the image"], 0
    ) | {"two of them": 2}
    counts = {
        name: sum(isinstance(s, one_pass.OnePass) for s in ss.Compose(chain)._chain._of_videos)
        for name, chain in CHAINS.items()
    }
    assert counts == dict.fromkeys(CHAINS, 1) | {"in a container": 0, "two of them": 2}

    class Own(ss.RandomResizedCrop):
        def apply_image(self, image: Array, params: Any) -> Array:
            return np.zeros((2, 2, 3), np.uint8)

    own = ss.Compose([Own(24, antialias=True), ss.HorizontalFlip()])
    assert own(photo(40, 40), key=ss.SampleKey(1, 2, 3)).shape == (2, 2, 3)


@pytest.mark.parametrize(
    "image",
    [photo(40, 50)[..., 0], photo(40, 50, 1), photo(40, 50, 5), photo(40, 50).astype(np.float32) / 255],
)
def test_what_a_pass_does_not_take_goes_through_its_members(image: Array) -> None:
    chain = [CROP, FLIPS[0], ss.Normalize((0.5,), (0.25,)), ss.ToCHW()]
    key = ss.SampleKey(4, 5, 6)
    expected = usual(lambda: ss.Compose(chain)(image, key=key))
    np.testing.assert_array_equal(ss.Compose(chain)(image, key=key), expected, strict=True)


@pytest.mark.parametrize("name", CHAINS)
def test_the_other_parts_go_with_the_image(name: str) -> None:
    rules: Any = {
        "boxes": ss.Boxes("pascal_voc", labels="labels", min_visibility=0.2),
        "keypoints": ss.Keypoints(),
    }
    together, apart = ss.Compose(CHAINS[name], **rules), usual(lambda: ss.Compose(CHAINS[name], **rules))
    for index in range(10):
        image, key = photo(60, 70, seed=index), ss.SampleKey(4, 5, index)
        sample = {
            "boxes": np.array([[4.0, 5, 50, 60], [0, 0, 9, 9]]),
            "image": image,
            "mask": image[..., 0].copy(),
            "masks": [image[..., 1].copy()],
            "keypoints": np.array([[4.0, 5], [30, 31]]),
            "labels": ["a", "b"],
        }
        result, expected = together(sample, key=key), usual(lambda s=sample, k=key: apart(s, key=k))
        assert list(result) == list(expected)
        for part in expected:
            np.testing.assert_array_equal(result[part], expected[part], strict=part != "labels")
        np.testing.assert_array_equal(result["image"], together(image, key=key), strict=True)


@pytest.mark.parametrize(
    "name",
    [
        "all",
        "flips",
        "turned",
        "cut",
        "beyond the image",
        "resized, if it fires",
        "cut alone",
        "mirrored alone",
    ],
)
def test_the_frames_of_a_clip_are_like_images(name: str) -> None:
    together, apart = ss.Compose(CHAINS[name]), usual(lambda: ss.Compose(CHAINS[name]))
    for index in range(6):
        video = np.stack([photo(50, 60, seed=frame) for frame in range(3)])
        sample, key = {"video": video, "video_mask": video[..., 0].copy()}, ss.SampleKey(4, 5, index)
        result, expected = together(sample, key=key), usual(lambda s=sample, k=key: apart(s, key=k))
        for part in expected:
            np.testing.assert_array_equal(result[part], expected[part], strict=True)


def test_the_wrong_number_of_channels_is_the_error_of_the_transform_at_fault() -> None:
    with pytest.raises(ValueError, match="mean and std must have one value for each channel"):
        ss.Compose(CHAINS["all"])(photo(40, 50, 4), key=ss.SampleKey(4, 5, 6))


def half(whole: bytes) -> bytes:
    return whole[: len(whole) // 2]


@pytest.mark.parametrize(
    ("change", "digest_of", "reason"),
    [
        (None, None, "no C compiler was found"),
        (half, None, "kernels.digest"),
        (half, bytes, "it is not whole"),
        (lambda whole: half(whole).ljust(len(whole), b"\0"), bytes, "it is not whole"),
        (lambda whole: b"", lambda whole: b"", "cannot be used"),
        (lambda whole: b"INPUT(libc.so)", lambda whole: b"INPUT(libc.so)", "cannot be used"),
    ],
    ids=["none", "half, no digest", "half", "the rest zeros", "empty", "text"],
)  # fmt: skip
def test_a_library_that_cannot_be_opened_is_left_alone(
    change: Any, digest_of: Any, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: None
) -> None:
    usual = kernels.FOLDER / kernels.NAME
    whole = usual.read_bytes() if usual.exists() else b"a library"
    monkeypatch.setattr(kernels, "FOLDER", tmp_path)
    if change is not None:
        (tmp_path / kernels.NAME).write_bytes(change(whole))
    if digest_of is not None:
        (tmp_path / "kernels.digest").write_bytes(blake2b(digest_of(whole)).digest())
    assert kernels.library() is None
    assert reason in str(kernels.why_not())
    assert ss.Resize(5, antialias=True)(photo(20, 20), key=ss.SampleKey(1, 2, 3)).shape == (5, 5, 3)


@pytest.mark.skipif(kernels.library() is None, reason="no C compiler")
def test_a_library_of_another_processor_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: None
) -> None:
    content = bytearray((kernels.FOLDER / kernels.NAME).read_bytes())
    content[18:20] = b"\xf7\x77"  # the processor, in an ELF file
    content[4:8] = bytes(4)  # and in one of macOS
    (tmp_path / kernels.NAME).write_bytes(content)
    (tmp_path / "kernels.digest").write_bytes(blake2b(content).digest())
    monkeypatch.setattr(kernels, "FOLDER", tmp_path)
    assert kernels.library() is None
    assert "cannot be used" in str(kernels.why_not())


@pytest.mark.skipif(kernels.library() is None, reason="no C compiler")
@pytest.mark.parametrize(("call", "value", "reason"), [
    ("seedsafe_vectors", b"none", "without AVX2 or NEON"),
    ("seedsafe_jpeg", -2, "headers of libjpeg-turbo were missing"),
])  # fmt: skip
def test_what_a_library_lacks_is_said(
    call: str, value: Any, reason: str, monkeypatch: pytest.MonkeyPatch, opened: None
) -> None:
    def lacking(path: str) -> Any:
        library = CDLL(path)
        setattr(library, call, lambda *_: value)
        return library

    CDLL = ctypes.CDLL  # noqa: N806  # the class
    monkeypatch.setattr(kernels.ctypes, "CDLL", lacking)
    assert kernels.library() is not None
    assert reason in str(kernels.why_not())


@pytest.mark.skipif(not hasattr(os, "fork") or kernels.library() is None, reason="no fork, or no C compiler")
def test_a_fork_waits_for_a_library_that_is_being_opened(
    monkeypatch: pytest.MonkeyPatch, opened: None
) -> None:
    inside, forking, finished = threading.Event(), threading.Event(), []
    CDLL = ctypes.CDLL  # noqa: N806  # the class

    def slow(path: str) -> Any:
        inside.set()
        forking.wait()
        library = CDLL(path)
        sum(range(10**6))
        finished.append(True)
        return library

    monkeypatch.setattr(kernels.ctypes, "CDLL", slow)
    thread = threading.Thread(target=kernels.library)
    thread.start()
    inside.wait()
    forking.set()
    child = os.fork()
    if not child:
        os._exit(0 if finished and kernels.library() is not None else 1)
    assert os.waitpid(child, 0)[1] == 0
    thread.join()


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_folder_that_cannot_be_written_keeps_what_it_has(tmp_path: Path) -> None:
    build = runpy.run_path(str(ROOT / "hatch_build.py"))
    room = tmp_path / "seedsafe" / "kernels"
    shutil.copytree(kernels.FOLDER, room, ignore=shutil.ignore_patterns("kernels.*", "__pycache__"))
    shutil.copy(kernels.FOLDER / "kernels.h", room)
    (room / kernels.NAME / "in the way").mkdir(parents=True)
    with pytest.raises(OSError, match=kernels.NAME):
        build["compiled"](tmp_path)
    assert (room / kernels.NAME / "in the way").exists()


def test_another_version_is_left_alone(monkeypatch: pytest.MonkeyPatch, opened: None) -> None:
    monkeypatch.setattr(kernels, "_VERSION", -1)
    assert kernels.library() is None
    assert "install seedsafe again" in str(kernels.why_not()) or "no C compiler" in str(kernels.why_not())


def test_they_can_be_switched_off(monkeypatch: pytest.MonkeyPatch, opened: None) -> None:
    monkeypatch.setenv("SEEDSAFE_KERNELS", "0")
    assert kernels.library() is None
    assert str(kernels.why_not()).endswith("SEEDSAFE_KERNELS is 0")


@pytest.mark.skipif(kernels.library() is None, reason="no C compiler")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[(name, number) for name in ("rows", "columns", "channels", "new_rows", "new_columns", "whole_rows") for number in (0, -1, 2**31 - 1)],
        ("filter", -1), ("filter", 4), ("layout", 2), ("source", None), ("target", None), ("offsets", 64), ("pixel_step", 4),
    ],
)  # fmt: skip
def test_c_refuses_what_it_cannot_do(field: str, value: Any) -> None:
    image = photo(8, 9)
    target = np.full((4, 5, 3), 7, np.uint8)
    job = antialias._job(image[None], antialias.Pass(4, 5, "bilinear"), target)
    setattr(job, field, value)
    library = kernels.library()
    assert library is not None
    memory = np.empty(2**16, np.uint8)
    job.scratch, job.scratch_size = ctypes.c_void_p(memory.ctypes.data), 2**16
    assert library.seedsafe_resize_bytes(job) == -1
    assert (target == 7).all()


def test_threads_and_a_fork_get_the_same() -> None:
    augment, image = ss.Compose(CHAINS["all"]), photo(90, 120)
    expected = [augment(image, key=ss.SampleKey(1, 0, index)).tobytes() for index in range(30)]
    wrong: list[int] = []

    def work() -> None:
        for index, value in enumerate(expected):
            if augment(image, key=ss.SampleKey(1, 0, index)).tobytes() != value:
                wrong.append(index)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    if hasattr(os, "fork"):
        child = os.fork()
        if not child:
            work()
            os._exit(bool(wrong))
        assert os.waitpid(child, 0)[1] == 0
    for thread in threads:
        thread.join()
    assert not wrong
