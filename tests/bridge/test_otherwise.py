"""Libraries that take pictures, tensors, dicts or graphs: their READMEs' pipelines give the same for one key."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from libraries import IMAGES
from otherwise import BARE, DATASETS, MEMBERS, Painted, augmentor, yolo
from proof import Digests, digest, untouched

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

pytestmark = [pytest.mark.bridge, pytest.mark.filterwarnings("ignore")]  # the libraries' own
WAYS: list[dict[str, Any]] = [{"num_workers": 0}, {"num_workers": 2, "multiprocessing_context": "fork"}]
NAMES = [name for name in DATASETS if name in os.environ.get("SEEDSAFE_BRIDGE", ",".join(DATASETS))]


def prove(made: Callable[[], AugmentedDataset], verdict: Callable[[AugmentedDataset], str]) -> None:
    """Compare each sample of two epochs with a fresh instance's in another order, and with loaders'."""
    reference, fresh, *others = (made() for _ in range(4))  # some libraries draw when they are made
    indices = range(len(reference))
    keys = [(epoch, index) for epoch in range(2) for index in indices]
    random.Random(7).shuffle(keys)
    with untouched():
        expected = [[digest(reference.at(i, epoch=epoch)) for i in indices] for epoch in range(2)]
        assert verdict(reference) == "verified"
        assert all(one != other for one, other in zip(*expected, strict=True)), "an epoch repeats a sample"
        assert [digest(fresh.at(i, epoch=epoch)) for epoch, i in keys] == [expected[e][i] for e, i in keys]
        for other, way in zip(others, WAYS, strict=True):
            loading = loader(Digests(other), batch_size=5, shuffle=True, seed=42, **way)
            for epoch in range(2):
                got = {int(i): d for batch in loading for i, d in zip(*batch, strict=True)}
                assert [got[i] for i in indices] == expected[epoch], (way, epoch)


@pytest.mark.parametrize("name", NAMES)
def test_dataset(name: str) -> None:
    prove(
        lambda: AugmentedDataset(DATASETS[name](), seed=42, bridge=True), lambda it: it.manifest()["verdict"]
    )


@pytest.mark.parametrize("name", [name for name in MEMBERS if name in NAMES])
def test_member(name: str) -> None:
    make, samples, call = MEMBERS[name]

    def made() -> AugmentedDataset:
        return AugmentedDataset(samples[:20], ss.Compose([ss.bridge(make(), call=call)]), seed=42)

    prove(made, lambda dataset: dataset.augment.transforms[0].verdict)


@pytest.mark.parametrize("name", [name for name in BARE if name in NAMES])
def test_what_is_called_otherwise_shows_the_wrapper(name: str) -> None:
    make, samples = BARE[name]
    with pytest.raises(Exception) as raised:  # noqa: PT011  # each library's own
        ss.Compose([ss.bridge(make())])(samples[0], key=ss.SampleKey(42, 0, 0))
    said = str(raised.value) + "".join(getattr(raised.value, "__notes__", []))
    assert "If it needs another call, wrap it:\n\n    def wrapped(image):" in said


def test_masks_go_along() -> None:
    for name, call in (("solt", "dict"), ("volumentations", None)):
        make, samples, _ = MEMBERS[name]
        mask = samples[0][..., 0] if name == "solt" else samples[0]
        augment = ss.Compose([ss.bridge(make(), call=call)])
        made = [augment({"image": samples[0], "mask": mask}, key=ss.SampleKey(42, 0, i)) for i in range(8)]
        assert len({digest(one["mask"]) for one in made}) > 1


def test_a_mosaic_of_earlier_images_is_refused() -> None:
    """With a cache ultralytics draws a mosaic's images from the whole dataset, without one from those read last."""
    dataset = AugmentedDataset(yolo(cache=False), seed=42, bridge=True)
    with pytest.raises(ss.NotReproducible):
        [dataset.at(index, epoch=0) for index in range(20)]


def test_writing_to_the_datasets_pictures_is_refused() -> None:
    """Augmentor's erasing writes to the picture that it is given; a dataset that opens files does not notice."""
    from PIL import Image

    class Opened(Painted):
        def __getitem__(self, index: int) -> Any:
            return self.transform(self.samples[index])

    pictures = [Image.fromarray(np.ascontiguousarray(image)) for image in IMAGES[:20]]
    dataset = AugmentedDataset(Opened(pictures, augmentor(erasing=1)), seed=42, bridge=True)  # type: ignore[arg-type]
    with pytest.raises(ss.NotReproducible, match="changes its input's owner"):
        [dataset.at(index, epoch=0) for index in range(20)]
