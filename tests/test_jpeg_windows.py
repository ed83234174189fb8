"""A window of a JPEG that is decoded alone has the pixels of the whole, and reads differ in nothing else."""

from __future__ import annotations

import io
import os
import pickle
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image
from windows_taken import watched

import seedsafe as ss
from seedsafe import kernels
from seedsafe.data.folder import read
from seedsafe.functional.jpeg import Windows
from seedsafe.ground.info import Array
from seedsafe.reading.reader import KeyedReader

KINDS = ("411", "420", "422", "440", "444", "grey")
CROP = ss.RandomResizedCrop(24, antialias=True)
CHAIN = (CROP, ss.HorizontalFlip(), ss.Normalize((0.5,), (0.25,)), ss.ToCHW())

pytestmark = pytest.mark.skipif(kernels.why_not() is not None, reason="no compiler, or no libjpeg-turbo")


def photo(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """An image with edges, noise and flat parts."""
    few = rng.integers(0, 256, (rows // 5 + 1, columns // 7 + 1, 3)).astype(np.uint8)
    image = cv2.resize(few, (columns, rows), interpolation=int(rng.integers(0, 3)))
    noise = rng.integers(0, 256, image.shape).astype(np.uint8)
    return np.where(rng.random((rows, 1, 1)) < rng.random(), image, noise)


def jpeg(image: Array, kind: str = "420", quality: int = 90, restarts: int = 0) -> bytes:
    options = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_RST_INTERVAL, restarts]
    if kind == "grey":
        image = image[..., 0]
    else:
        options += [
            cv2.IMWRITE_JPEG_SAMPLING_FACTOR,
            getattr(cv2, f"IMWRITE_JPEG_SAMPLING_FACTOR_{kind}"),
        ]
    return cv2.imencode(".jpg", image, options)[1].tobytes()


def saved(image: Array, mode: str = "RGB", **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(image).convert(mode).save(file, "JPEG", **options)
    return file.getvalue()


def turned(order: str, orientation: int, kind: int = 3) -> bytes:
    """A JPEG with Exif data."""
    content = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}HIH", 42, 8, 2)
    content += struct.pack(f"{order}HHII", 0x100, 4, 1, 60)
    value = struct.pack(f"{order}HH", orientation, 0) if kind == 3 else struct.pack(f"{order}I", orientation)
    content += struct.pack(f"{order}HHI", 0x112, kind, 1) + value + bytes(4)
    return saved(photo(np.random.default_rng(1), 40, 60), exif=b"Exif\0\0" + content)


def whole(data: bytes) -> Array:
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)


def decoded(data: bytes, size: tuple[int, int], window: Any) -> Array:
    return read._windows.decode(data, size, lambda _: window)


def place_of(window: tuple[int, int, int, int]) -> tuple[slice, slice]:
    top, left, height, width = window
    return slice(top, top + height), slice(left, left + width)


def drawn(rng: np.random.Generator, rows: int, columns: int) -> tuple[int, int, int, int]:
    height, width = int(rng.integers(1, rows + 1)), int(rng.integers(1, columns + 1))
    return int(rng.integers(rows - height + 1)), int(rng.integers(columns - width + 1)), height, width


def test_windows_have_the_pixels_of_the_whole() -> None:
    rng = np.random.default_rng(7)
    # `make test-kernels` takes 2,500 files.
    for number in range(int(os.environ.get("SEEDSAFE_JPEGS", "75"))):
        most = int(rng.choice([9, 40, 300]))
        rows, columns = (int(side) for side in rng.integers(1, most + 1, 2))
        kind, quality, restarts = KINDS[number % 6], int(rng.integers(1, 101)), int(rng.choice([0, 1, 2, 7]))
        data = jpeg(photo(rng, rows, columns), kind, quality, restarts)
        expected = whole(data)
        for window in [drawn(rng, rows, columns) for _ in range(4)]:
            image = decoded(data, (rows, columns), window)
            where = (kind, rows, columns, window)
            np.testing.assert_array_equal(image[place_of(window)], expected[place_of(window)], str(where))


ODD = {
    "progressive": saved(photo(np.random.default_rng(1), 40, 60), progressive=True),
    "four inks": saved(photo(np.random.default_rng(1), 40, 60), "CMYK"),
    "red, green and blue": saved(photo(np.random.default_rng(1), 40, 60), keep_rgb=True),
    "turned": turned("<", 6),
    "turned, big end first": turned(">", 3),
    "an orientation of 32 bits": turned("<", 6, kind=4),
    "not the size of the header": jpeg(photo(np.random.default_rng(1), 60, 40)),
    "damaged": saved(photo(np.random.default_rng(1), 40, 60)).replace(b"\xff\xda", b"\xff\xda\xff\xd0", 1),
    "nothing": b"\xff\xd8\xff\xd9",
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_not_a_usual_jpeg_is_refused(name: str) -> None:
    assert decoded(ODD[name], (40, 60), (0, 0, 40, 60)) is None


@pytest.mark.parametrize("order", ["<", ">"])
def test_exif_data_of_an_upright_image_are_no_obstacle(order: str) -> None:
    data = turned(order, 1)
    image = decoded(data, (40, 60), (0, 0, 40, 60))
    np.testing.assert_array_equal(image, whole(data))


@pytest.mark.parametrize(
    "window", [(-1, 0, 5, 5), (0, 56, 5, 5), (0, 0, 0, 5), (36, 0, 5, 5), (0, 0, 5, 2**31 - 1)]
)
def test_c_refuses_windows_that_do_not_fit(window: Any) -> None:
    data = jpeg(photo(np.random.default_rng(1), 40, 60))
    assert decoded(data, (40, 60), window) is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of each kind, and a few that cannot be read."""
    rng = np.random.default_rng(3)
    (tmp_path / "a").mkdir()
    files = {f"{kind}-{i}": jpeg(photo(rng, 50 + i, 70 - i), kind) for kind in KINDS for i in range(3)}
    files |= {name: data for name, data in ODD.items() if name not in ("damaged", "nothing")}
    for name, data in files.items():
        (tmp_path / "a" / f"{name}.jpg").write_bytes(data)
    cv2.imwrite(str(tmp_path / "a" / "z.png"), photo(rng, 44, 55))
    return tmp_path


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each window that was asked for was decoded alone."""
    return watched(monkeypatch)


class Whole(ss.ImageFolder):
    """A folder whose reader cannot know what else it does."""


def samples(base: Any, augment: Any, **options: Any) -> list[Any]:
    reader = KeyedReader(base, augment, seed=5, **options)
    if base.loader is read.read_image and isinstance(augment, ss.Compose):
        reader = pickle.loads(pickle.dumps(reader))  # as in a worker
    epochs = range(4)  # the first reads are checked, and whole
    return [reader.sample(ss.SampleIndex(i, epoch=epoch)) for epoch in epochs for i in range(len(base))]


PIPELINES = {
    "resized": ss.Compose(CHAIN),
    "not smoothed": ss.RandomResizedCrop(24, interpolation="bicubic"),
    "cut": ss.Compose([ss.RandomCrop(30), ss.ColorJitter(0.3)]),
    "cut beyond the image": ss.Compose([ss.RandomCrop((40, 50), padding=9, mode="reflect")]),
    "the middle": ss.Compose([ss.CenterCrop(20), ss.ToFloat(), ss.ToCHW()]),
    "often": ss.Compose([ss.RandomCropFromBorders(p=0.5), ss.Resize(20)]),
    "after others": ss.Compose([ss.OneOf([ss.Invert(p=1), ss.ToGray(p=1)], p=0.5), ss.VerticalFlip(p=0.3), *CHAIN]),
    "one of ten": ss.Compose([ss.TenCrop(20)]),
    "in a container": ss.Compose([ss.OneOf([CROP, ss.Resize(24)])]),
}  # fmt: skip
NEVER = ("in a container",)


@pytest.mark.parametrize("name", PIPELINES)
def test_reads_are_those_of_whole_images(name: str, folder: Path, taken: list[bool]) -> None:
    expected = samples(Whole(folder), PIPELINES[name])
    assert not taken
    for (image, label), (wanted, target) in zip(
        samples(ss.ImageFolder(folder), PIPELINES[name]), expected, strict=True
    ):
        np.testing.assert_array_equal(image, wanted, strict=True)
        assert label == target
    assert any(taken) is (name not in NEVER)


@pytest.mark.parametrize(
    ("options", "folder_options"),
    [
        ({"views": 2}, {}),
        ({"bridge": True}, {}),
        ({"augment": ss.Compose([CROP, ss.MixUp(classes=2)])}, {}),
        ({"augment": lambda sample, key: CROP(sample, key=key)}, {}),
        ({"augment": None}, {}),
        ({}, {"transform": np.flipud}),
        ({}, {"loader": lambda path: np.asarray(read.read_image(path))}),
    ],
)
def test_windows_are_for_one_reader_of_the_image_alone(
    options: Any, folder_options: Any, folder: Path, taken: list[bool]
) -> None:
    augment = options.pop("augment", ss.Compose(CHAIN[:2]))
    result = samples(ss.ImageFolder(folder, **folder_options), augment, **options)
    assert len(result) == 4 * len(ss.ImageFolder(folder))
    assert not taken


def message(base: ss.ImageFolder, number: int) -> str:
    reader = KeyedReader(base, ss.Compose(CHAIN), seed=5)
    for epoch in range(6):
        with pytest.raises(ss.SampleError) as caught:
            reader.sample(ss.SampleIndex(number, epoch=epoch))
    return str(caught.value) + str(getattr(caught.value.__cause__, "__notes__", ""))


@pytest.mark.parametrize("fault", ["truncated", "empty", "gone", "too large", "too small"])
def test_a_file_that_cannot_be_read_is_todays_error(
    fault: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    windowed, plain = ss.ImageFolder(folder), Whole(folder)
    number = next(i for i in range(len(windowed)) if "420-1" in windowed.path(i))
    path = Path(windowed.path(number))
    data = path.read_bytes()
    if fault == "gone":
        path.unlink()
    elif fault == "too large":
        path.write_bytes(data.replace(struct.pack(">HH", 51, 69), struct.pack(">HH", 60000, 60000), 1))
    elif fault == "too small":
        monkeypatch.setattr(ss.RandomResizedCrop, "draw", lambda *_: 1 / 0)
    else:
        path.write_bytes(data[: len(data) * 2 // 3] if fault == "truncated" else b"")
    assert message(windowed, number) == message(plain, number).replace("Whole", "ImageFolder")


def test_damage_above_the_end_of_a_window_is_what_the_whole_shows(folder: Path, taken: list[bool]) -> None:
    base, plain = ss.ImageFolder(folder), Whole(folder)
    number = next(i for i in range(len(base)) if "444-0" in base.path(i))
    path = Path(base.path(number))
    data = bytearray(path.read_bytes())
    scan = data.index(b"\xff\xda") + 40
    data[scan : scan + 30] = b"\xff\xd3" * 15  # restart markers where there are none
    path.write_bytes(bytes(data))
    one, other = (KeyedReader(each, ss.Compose(CHAIN), seed=5) for each in (base, plain))
    for epoch in range(9):
        at = ss.SampleIndex(number, epoch=epoch)
        np.testing.assert_array_equal(one.sample(at)[0], other.sample(at)[0])
    assert taken
    assert not any(taken)


@pytest.fixture
def differing() -> Iterator[None]:
    yield
    kernels.other_bytes.clear()


@pytest.mark.usefixtures("differing")
def test_a_decoder_with_other_pixels_is_never_asked_again() -> None:
    asked: list[int] = []

    def theirs(data: bytes) -> Array:
        asked.append(len(data))
        image = whole(data)
        image[0, 0, 0] ^= len(asked) == 4
        return image

    windows = Windows("Theirs", theirs, turns=True)
    data = jpeg(photo(np.random.default_rng(1), 40, 60))
    assert [windows.decode(data, (40, 60), lambda _: (0, 0, 9, 9)) for _ in range(3)] == [None] * 3
    assert len(asked) == 4
    assert "Theirs and the kernels have versions of libjpeg-turbo with different pixels" in str(
        kernels.why_not()
    )


def test_without_the_kernels_files_are_read_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = samples(ss.ImageFolder(folder), PIPELINES["cut"])
    windows = Windows("OpenCV", whole, turns=True)
    monkeypatch.setattr(read, "_windows", windows)
    monkeypatch.setattr(kernels, "_opened", lambda: (None, "switched off"))
    for (image, _), (wanted, _) in zip(
        samples(ss.ImageFolder(folder), PIPELINES["cut"]), expected, strict=True
    ):
        np.testing.assert_array_equal(image, wanted)
    assert not windows._agrees
