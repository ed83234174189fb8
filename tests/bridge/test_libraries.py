"""The real libraries under a bridge: the same bytes for every order, number and kind of workers, and instance.

They need an environment of their own: ``make test-bridge``.
"""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest
import torch
from libraries import IMAGES, LIBRARIES, OfImage, Pictures
from proof import Digests, digest, untouched

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, loader

pytestmark = pytest.mark.bridge
EPOCHS = 2
WAYS: list[dict[str, Any]] = [
    {"num_workers": 0},
    {"num_workers": 2, "multiprocessing_context": "fork"},
    {"num_workers": 4, "multiprocessing_context": "fork"},
    {"num_workers": 2, "multiprocessing_context": "spawn", "persistent_workers": True},
    {"num_workers": 4, "multiprocessing_context": "spawn", "persistent_workers": True},
]
NAMES = [name for name in LIBRARIES if name in os.environ.get("SEEDSAFE_BRIDGE", ",".join(LIBRARIES))]


@pytest.fixture(autouse=True)
def _untouched_globals() -> Any:
    with untouched():
        yield


def member(name: str) -> AugmentedDataset:
    make, samples = LIBRARIES[name]
    return AugmentedDataset(samples, ss.Compose([ss.bridge(make())]), seed=42)


def dataset(name: str) -> AugmentedDataset:
    make, samples = LIBRARIES[name]
    transform = OfImage(make()) if name == "albumentations" else make()
    return AugmentedDataset(Pictures(samples, transform), seed=42, bridge=True)


@pytest.mark.parametrize("made", [member, dataset])
@pytest.mark.parametrize("name", NAMES)
def test_library(name: str, made: Any) -> None:
    reference = made(name)
    expected = [[digest(reference.at(i, epoch=epoch)) for i in range(100)] for epoch in range(EPOCHS)]
    verdict = reference.augment.transforms[0].verdict if made is member else reference.manifest()["verdict"]
    assert verdict == "verified"
    assert all(one != other for one, other in zip(*expected, strict=True)), "an epoch repeats a sample"
    keys = [(epoch, index) for epoch in range(EPOCHS) for index in range(100)]
    random.Random(7).shuffle(keys)
    fresh = made(name)
    assert [digest(fresh.at(i, epoch=epoch)) for epoch, i in keys] == [expected[e][i] for e, i in keys]
    for way in WAYS if made is member else WAYS[:4]:
        loading = loader(Digests(made(name)), batch_size=5, shuffle=True, seed=42, **way)
        for epoch in range(EPOCHS):
            got = {int(i): d for batch in loading for i, d in zip(*batch, strict=True)}
            assert [got[i] for i in range(100)] == expected[epoch], (name, way, epoch)


def test_without_a_bridge_they_differ() -> None:
    """What the proof would look like if it proved nothing."""
    make, samples = LIBRARIES["torchvision v1"]
    plain = Pictures(samples, make())
    random_state = torch.get_rng_state()
    assert digest(plain[0]) != digest(plain[0])
    torch.set_rng_state(random_state)


def test_albumentations_moves_mask_and_image_together() -> None:
    import albumentations as A  # noqa: N812

    augment = ss.Compose([ss.bridge(A.Compose([A.RandomCrop(24, 24), A.HorizontalFlip()]))])
    made = augment({"image": IMAGES[0], "mask": IMAGES[0, ..., 0], "id": 3}, key=ss.SampleKey(42, 0, 0))
    np.testing.assert_array_equal(made["image"][..., 0], made["mask"])
    assert made["id"] == 3


def test_monais_dictionary_transforms() -> None:
    from monai import transforms as M  # noqa: N812

    first = M.EnsureChannelFirstd(["image", "mask"], channel_dim="no_channel")
    flip = ss.bridge(
        M.Compose([first, M.RandFlipd(["image", "mask"], prob=0.5, spatial_axis=1)]), call="dict"
    )
    sample = {"image": IMAGES[0, ..., 0], "mask": IMAGES[0, ..., 0]}
    keys = [ss.SampleKey(42, 0, index) for index in range(20)]
    made = [ss.Compose([flip])(sample, key=key) for key in keys]
    for one in made:
        np.testing.assert_array_equal(one["image"], one["mask"])
    assert 0 < sum((one["mask"] == sample["mask"]).all() for one in made) < 20
    assert flip.verdict == "verified"
