"""On a GPU, plain and compiled, numbers are the CPU's, bit for bit, and so are the pixels that a transform moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import test_on_device as tails
import torch
from test_tensor_draws import KEYS, OF_ONE

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, OnDevice, draws, loader
from seedsafe_torch.key_tensor import key_tensor

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of torch, about its own modules
]
GPU = "cuda"
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
NUMBERS: dict[str, Callable[[Any], Any]] = {
    **OF_ONE,
    "words": lambda one: one.words(7),
    "epoch": lambda one: one.epoch,
    "many": lambda one: (one.words(5), one.normal((3, 64, 64)))[1],
    **{f"uniform {kind}": lambda one, kind=kind: one.uniform(-1.3, 2.7, (5,), dtype=kind) for kind in FLOATS},
    **{f"normal {kind}": lambda one, kind=kind: one.normal((33,), dtype=kind) for kind in FLOATS},
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name: str) -> None:
    table = key_tensor(KEYS)
    found = NUMBERS[name](draws(table.to(GPU), op="mine"))
    assert found.device.type == GPU
    assert torch.equal(found.cpu(), NUMBERS[name](draws(table, op="mine")))
    assert torch.equal(NUMBERS[name](draws(KEYS, op="mine", device=GPU)).cpu(), found.cpu())


@pytest.mark.parametrize("name", ["uniform", "integer", "chance", "normal", "permutation", "many"])
def test_compiled_numbers(name: str) -> None:
    def numbers(keys: Any) -> Any:
        return NUMBERS[name](draws(keys, op="mine"))

    table = key_tensor(KEYS)
    torch.compiler.reset()
    assert torch.equal(torch.compile(numbers)(table.to(GPU)).cpu(), numbers(table))


@pytest.mark.parametrize("images", [tails.BYTES, tails.FLOATS], ids=["uint8", "float32"])
@pytest.mark.parametrize("transform", [*tails.MOVES, *tails.VALUES], ids=repr)
def test_each_transform(transform: Any, images: Any) -> None:
    module = OnDevice(transform, channels_first=False)
    found = module(torch.from_numpy(images).to(GPU), key_tensor(tails.KEYS).to(GPU))
    assert found.device.type == GPU
    exact = transform in tails.MOVES or isinstance(transform, ss.ToFloat)
    tails.close(found.cpu(), tails.one_by_one(transform, images), ulps=0 if exact else 1)


@pytest.mark.parametrize("transform", tails.COLOURS, ids=repr)
def test_colours(transform: Any) -> None:
    found = OnDevice(transform, channels_first=False)(torch.from_numpy(tails.FLOATS).to(GPU), tails.KEYS)
    wanted = tails.one_by_one(transform, tails.FLOATS)
    np.testing.assert_allclose(found.cpu(), wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize("compiles", [False, True], ids=["plain", "compiled"])
def test_a_whole_tail_from_workers(compiles: bool) -> None:
    head, tail = tails.WHOLE.split(3)
    wanted = tails.by_number(loader(AugmentedDataset(tails.SAMPLES, tails.WHOLE, seed=42), batch_size=32))
    torch.compiler.reset()
    module = torch.compile(OnDevice(tail)) if compiles else OnDevice(tail)
    loading = loader(
        AugmentedDataset(tails.SAMPLES, head, seed=42),
        batch_size=32,
        shuffle=True,
        num_workers=2,
        pin_memory=True,
        keys=True,
    )
    found = tails.by_number(
        (module(images.to(GPU, non_blocking=True), keys.to(GPU, non_blocking=True)).cpu(), numbers)
        for images, numbers, keys in loading
    )
    assert found.keys() == wanted.keys()
    for number, image in wanted.items():
        np.testing.assert_allclose(found[number], image, rtol=0, atol=5e-6)


@pytest.mark.parametrize("options", [{"cutmix": 0}, {"mixup": 0}], ids=str)
@pytest.mark.parametrize("images", [tails.BYTES, tails.FLOATS], ids=["uint8", "float32"])
def test_mixing(options: Any, images: Any) -> None:
    module = OnDevice(ss.HorizontalFlip(), mix=ss.BatchMix(7, **options))
    labels, batch = torch.arange(tails.COUNT) % 7, torch.from_numpy(images)
    wanted, vectors = module(batch, tails.KEYS, labels=labels)
    found, mixed = module(batch.to(GPU), tails.KEYS, labels=labels.to(GPU))
    assert torch.equal(mixed.cpu(), vectors)
    np.testing.assert_array_max_ulp(
        found.cpu().numpy().astype(np.float32), wanted.numpy().astype(np.float32), 1
    )


def test_masks() -> None:
    transform = ss.Compose([one for one in tails.WHOLE.transforms[3:] if not isinstance(one, ss.Normalize)])
    masks = torch.from_numpy(tails.MASKS)
    _, wanted = OnDevice(transform)(torch.from_numpy(tails.BYTES), tails.KEYS, masks)
    _, found = OnDevice(transform)(torch.from_numpy(tails.BYTES).to(GPU), tails.KEYS, masks.to(GPU))
    assert torch.equal(found.cpu(), wanted)
