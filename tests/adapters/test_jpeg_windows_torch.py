"""A converted ImageFolder of torchvision decodes only the window of a JPEG that the first crop draws."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image
from windows_taken import watched

import seedsafe as ss
import seedsafe_torch

pytestmark = pytest.mark.skipif(ss.kernels.why_not() is not None, reason="no compiler, or no libjpeg-turbo")


@pytest.fixture
def image_folder(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A class like torchvision's ImageFolder, in modules of its name: the environment has no torchvision."""
    torchvision, folder = ModuleType("torchvision"), ModuleType("torchvision.datasets.folder")

    def default_loader(path: str) -> Any:
        with open(path, "rb") as file:
            return Image.open(file).convert("RGB")

    class ImageFolder:
        def __init__(
            self,
            root: Path,
            transform: Any = None,
            target_transform: Any = None,
            loader: Any = default_loader,
        ) -> None:
            self.samples = [(str(path), number) for number, path in enumerate(sorted(root.iterdir()))]
            self.transform, self.target_transform, self.loader = transform, target_transform, loader

        def __len__(self) -> int:
            return len(self.samples)

        def __getitem__(self, index: int) -> Any:
            path, target = self.samples[index]
            image = self.transform(self.loader(path))
            return image, target if self.target_transform is None else self.target_transform(target)

    for name, value in (("ImageFolder", ImageFolder), ("default_loader", default_loader)):
        setattr(folder, name, value)
    torchvision.get_image_backend = lambda: "PIL"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torchvision", torchvision)
    monkeypatch.setitem(sys.modules, "torchvision.datasets.folder", folder)
    return ImageFolder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    options: dict[str, dict[str, Any]] = {
        "colours.jpg": {"subsampling": 2},
        "grey.jpg": {"mode": "L"},
        "progressive.jpg": {"progressive": True},
        "turned.jpg": {"exif": b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"},
        "still.png": {},
    }
    for name, option in options.items():
        values = np.repeat(np.repeat(rng.integers(0, 256, (12, 15, 3)), 5, 0), 6, 1).astype(np.uint8)
        Image.fromarray(values).convert(option.pop("mode", "RGB")).save(tmp_path / name, **option)
    return tmp_path


def read(base: Any, convert: Any) -> list[Any]:
    dataset = seedsafe_torch.AugmentedDataset(base, seed=3, convert=convert)
    return [dataset.at(index, epoch=epoch) for epoch in range(5) for index in range(len(base))]


@pytest.mark.parametrize("target_transform", [None, lambda target: target * 10])
def test_reads_are_those_of_whole_images(
    target_transform: Callable[[int], int] | None,
    image_folder: Any,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = watched(monkeypatch)

    class Own(image_folder):  # type: ignore[misc]
        pass

    augment = ss.Compose([ss.RandomResizedCrop(20, antialias=True), ss.HorizontalFlip()])
    monkeypatch.setattr("seedsafe_torch.conversion.sources.convert", lambda _: augment)
    expected = read(Own(root, list, target_transform), convert=True)
    assert not taken
    for (image, label), (wanted, target) in zip(
        read(image_folder(root, list, target_transform), convert=True), expected, strict=True
    ):
        np.testing.assert_array_equal(image, wanted)
        assert label == target
    assert sum(taken) > len(taken) // 2 > 0
    taken.clear()
    other = image_folder(root, list, loader=lambda path: Image.open(path).convert("RGB"))
    assert len(read(other, convert=True)) == 25
    assert not taken
