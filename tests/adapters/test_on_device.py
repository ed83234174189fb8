"""The tail of a pipeline on a batch of tensors does what the CPU's pipeline does to each sample."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, OnDevice, loader, mix
from seedsafe_torch.key_tensor import key_tensor

COUNT = 48
RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, (COUNT, 30, 38, 3), np.uint8)
FLOATS = BYTES.astype(np.float32) / 255
MASKS = RNG.integers(0, 9, (COUNT, 30, 38), np.int64)
KEYS = [ss.SampleKey(42, 3, 2**63 + n, view=n % 3) for n in range(COUNT)]

MOVES: list[Any] = [
    ss.HorizontalFlip(),
    ss.VerticalFlip(p=1),
    ss.RandomCrop((12, 17)),
    ss.RandomCrop(24, padding=(3, 0, 5, 9), fill=7, mask_fill=255),
    ss.RandomCrop((40, 30), pad_if_needed=True, fill=(1, 2, 3)),
    *(ss.RandomCrop((18, 26), padding=6, mode=mode) for mode in ("edge", "reflect", "symmetric")),
    ss.RandomErasing(p=0.7),
    ss.RandomErasing(p=1, fill=(9, 8, 7), mask_fill=3),
    ss.RandomErasing(fitting=True),
    ss.CoarseDropout((1, 4), fill=5),
    ss.CoarseDropout((0, 3), 0.5, 7, overhang=True, mask_fill=1, p=0.6),
    ss.CoarseDropout((0, 30), (0.0, 0.2), (0.0, 0.2), p=0.6),
]
VALUES: list[Any] = [
    ss.ToFloat(),
    ss.Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.1)),
    ss.Normalize(0.5, 0.25),
    ss.GaussianNoise(std=(0, 0.2)),
    ss.GaussianNoise(std=(0, 60.0), p=0.5),
    ss.GaussianNoise(variance=(10, 50)),
    ss.GaussianNoise(std=12, per_channel=False),
    ss.Compose([ss.ToCHW(), ss.GaussianNoise(std=3)]),
    ss.Compose([ss.GaussianNoise(std=3), ss.ToCHW(), ss.GaussianNoise(std=3, p=0.5)]),
]
COLOURS: list[Any] = [
    ss.ColorJitter(0.4),
    ss.ColorJitter(contrast=0.8),
    ss.ColorJitter(saturation=(0.0, 2.0)),
    ss.ColorJitter(0.4, 0.4, 0.4, p=0.8),
    ss.ColorJitter((0.0, 3.0), (0.0, 3.0), p=0.5),
    ss.ColorJitter(),
]
WHOLE = ss.Compose(
    [
        ss.RandomResizedCrop(36),
        ss.HorizontalFlip(),
        ss.RandomCrop(32),
        ss.HorizontalFlip(),
        ss.RandomCrop(32, padding=4),
        ss.ToFloat(),
        ss.ColorJitter(0.4, 0.4, 0.4, p=0.8),
        ss.GaussianNoise(std=(0, 0.1), p=0.5),
        ss.Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.2)),
        ss.RandomErasing(mask_fill=99),
        ss.ToCHW(),
    ]
)


def one_by_one(pipeline: Any, images: Any, masks: Any = None) -> Any:
    """Return what the CPU makes of each image, or of images and masks."""
    augment = ss.Compose([pipeline])
    if masks is None:
        return np.stack([augment(image, key=key) for image, key in zip(images, KEYS, strict=True)])
    samples = [
        augment({"image": image, "mask": mask}, key=key)
        for image, mask, key in zip(images, masks, KEYS, strict=True)
    ]
    return [np.stack([sample[name] for sample in samples]) for name in ("image", "mask")]


def first(images: Any) -> Tensor:
    return torch.from_numpy(images).permute(0, 3, 1, 2)


def close(found: Tensor, wanted: Any, ulps: int = 0) -> None:
    assert found.is_contiguous()
    assert found.numpy().dtype == wanted.dtype
    if ulps and wanted.dtype == np.float32:
        np.testing.assert_array_max_ulp(found.numpy(), wanted, ulps)
    else:
        np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize(
    "images", [BYTES, FLOATS, BYTES[..., :1], FLOATS[..., 0]], ids=["u", "f", "u1", "f2"]
)
@pytest.mark.parametrize("transform", [*MOVES, *VALUES], ids=repr)
def test_each_transform(transform: Any, images: Any) -> None:
    options = ss.Compose([transform]).to_json()
    of_three = any(f'"{name}": [\n' in options for name in ("fill", "mean"))
    if of_three and (images.ndim == 3 or images.shape[3] == 1):
        pytest.skip("for three channels")
    wanted = one_by_one(transform, images)
    module = OnDevice(transform, channels_first=False)
    before = images.copy()
    close(module(torch.from_numpy(images), key_tensor(KEYS)), wanted, ulps=1)
    np.testing.assert_array_equal(images, before)
    if images.ndim == 4 and "CHW" not in options and "GaussianNoise" not in options:
        close(
            OnDevice(transform, channels_first=True)(first(images), KEYS),
            wanted.transpose(0, 3, 1, 2),
            ulps=1,
        )


@pytest.mark.parametrize("images", [FLOATS, FLOATS[..., :1], FLOATS[..., 1]], ids=["rgb", "one", "grey"])
@pytest.mark.parametrize("transform", COLOURS, ids=repr)
def test_colours(transform: Any, images: Any) -> None:
    wanted = one_by_one(transform, images)
    found = OnDevice(transform, channels_first=False)(torch.from_numpy(images), KEYS).numpy()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6)
    untouched = [row for row in range(COUNT) if np.array_equal(wanted[row], images[row])]
    np.testing.assert_array_equal(found[untouched], images[untouched])


@pytest.mark.parametrize("transform", [*MOVES, ss.ToFloat(), WHOLE.split(3)[1]], ids=repr)
def test_masks(transform: Any) -> None:
    images, masks = one_by_one(transform, BYTES, MASKS)
    module = OnDevice(transform)
    found, moved = module(torch.from_numpy(BYTES), KEYS, torch.from_numpy(MASKS))
    close(moved, masks)
    np.testing.assert_allclose(found, images, rtol=0, atol=1e-5)
    for dtype in (np.uint8, np.float32, np.int64):
        several = np.stack([MASKS, MASKS[:, ::-1]], 3).astype(dtype)
        _, wanted = one_by_one(transform, BYTES, several)
        _, moved = module(torch.from_numpy(BYTES), KEYS, torch.from_numpy(several))
        close(moved, wanted)
        _, moved = module(first(BYTES), KEYS, first(several))
        close(moved, wanted.transpose(0, 3, 1, 2))


SAMPLES = [(image, number) for number, image in enumerate(RNG.integers(0, 256, (96, 48, 40, 3), np.uint8))]


def by_number(batches: Any) -> dict[int, Any]:
    return {
        number: image
        for images, numbers in batches
        for number, image in zip(numbers.tolist(), images, strict=True)
    }


def on_device(module: Any, loading: Any) -> dict[int, Any]:
    return by_number((module(images, keys), numbers) for images, numbers, keys in loading)


@pytest.mark.parametrize("k", [1, 3, 4])
def test_head_and_tail_are_the_whole(k: int) -> None:
    head, tail = WHOLE.split(k)
    epochs = [
        by_number(loader(AugmentedDataset(SAMPLES, WHOLE, seed=42, epoch=n), batch_size=32)) for n in range(2)
    ]
    module = OnDevice(tail)

    def loading(**options: Any) -> Any:
        return loader(AugmentedDataset(SAMPLES, head, seed=42), shuffle=True, keys=True, **options)

    usual = loading(batch_size=32)
    several = [on_device(module, usual) for _ in range(2)]
    for found, wanted in zip(several, epochs, strict=True):
        assert found.keys() == wanted.keys()
        for number, image in wanted.items():
            np.testing.assert_allclose(found[number], image, rtol=0, atol=5e-6)
    workers = loading(batch_size=64, num_workers=2)
    stopped = loading(batch_size=32)
    batches = iter(stopped)
    begun = on_device(module, [next(batches), next(batches)])
    resumed = loading(batch_size=64)
    resumed.load_state_dict(stopped.state_dict())
    for found in (on_device(module, workers), begun | on_device(module, resumed)):
        assert found.keys() == several[0].keys()
        assert all(torch.equal(found[number], image) for number, image in several[0].items())


@pytest.mark.parametrize("options", [{"cutmix": 0}, {"mixup": 0}, {}, {"p": 0.4}], ids=str)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_mixing(options: Any, dtype: Any) -> None:
    head, tail = ss.Compose([ss.RandomCrop(32), ss.HorizontalFlip(), ss.ToCHW()]).split(1)
    samples = [(image.astype(dtype), number % 7) for image, number in SAMPLES]
    whole = ss.Compose([*head.transforms, *tail.transforms])
    wanted = loader(
        AugmentedDataset(samples, whole, seed=42),
        batch_size=40,
        shuffle=True,
        collate_fn=mix(7, channels_first=True, **options),
    )
    module = OnDevice(tail, mix=ss.BatchMix(7, **options))
    loading = loader(AugmentedDataset(samples, head, seed=42), batch_size=40, shuffle=True, keys=True)
    for (images, vectors), (cropped, labels, keys) in zip(wanted, loading, strict=True):
        found, mixed = module(cropped, keys, labels=labels)
        assert found.dtype is images.dtype
        assert torch.equal(found, images)
        assert torch.equal(mixed, vectors)


def test_gradients() -> None:
    images = torch.from_numpy(FLOATS).requires_grad_()
    module = OnDevice(WHOLE.split(3)[1])
    result = module(images, KEYS)
    result.square().sum().backward()
    assert images.grad is not None
    assert images.grad.isfinite().all()
    assert images.grad.abs().sum() > 0
    with torch.no_grad():
        assert torch.equal(module(images, KEYS), result)
        assert not module(images, KEYS).requires_grad
    flipped = OnDevice(ss.HorizontalFlip(p=1))
    assert torch.autograd.gradcheck(
        lambda some: flipped(some.float(), KEYS[:2]).double(),
        torch.rand(2, 3, 2, 2).double().requires_grad_(),
        atol=1e-2,
        eps=1e-2,
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_are_rounded_once(dtype: torch.dtype) -> None:
    images = torch.from_numpy(FLOATS).to(dtype)
    module = OnDevice(WHOLE.split(3)[1])
    found = module(images, KEYS)
    assert found.dtype is dtype
    assert torch.equal(found, module(images.float(), KEYS).to(dtype))
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(module(torch.from_numpy(FLOATS), KEYS), module(torch.from_numpy(FLOATS), KEYS))
        assert module(torch.from_numpy(FLOATS), KEYS).dtype is torch.float32


def test_no_images() -> None:
    module = OnDevice(WHOLE.split(3)[1])
    images, masks = module(torch.empty(0, 30, 38, 3), [], torch.empty(0, 30, 38, dtype=torch.bool))
    assert (images.shape, images.dtype) == ((0, 3, 32, 32), torch.float32)
    assert (masks.shape, masks.dtype) == ((0, 32, 32), torch.bool)
    mixed = OnDevice(ss.ToFloat(), mix=ss.BatchMix(3))
    images, labels = mixed(torch.empty(0, 30, 38, 3), [], labels=torch.empty(0, dtype=torch.int64))
    assert (len(images), tuple(labels.shape)) == (0, (0, 3))


def test_meta_tensors() -> None:
    module = OnDevice(WHOLE.split(3)[1])
    found = module(torch.empty(COUNT, 3, 30, 38, device="meta"), KEYS)
    assert (tuple(found.shape), found.device.type) == ((COUNT, 3, 32, 32), "meta")
    with pytest.raises(ValueError, match="keys must have values"):
        module(torch.from_numpy(FLOATS), key_tensor(KEYS).to("meta"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, about its own modules
def test_compiled_code_makes_the_same() -> None:
    module = OnDevice(WHOLE.split(3)[1])
    torch.compiler.reset()
    compiled = torch.compile(module, backend="aot_eager")
    images, masks = torch.from_numpy(FLOATS), torch.from_numpy(MASKS)
    for number in range(2):
        keys = key_tensor([ss.SampleKey(42, number, n) for n in range(COUNT)])
        for found, usual in zip(compiled(images, keys, masks), module(images, keys, masks), strict=True):
            assert torch.equal(found, usual)


def test_the_result_is_new_memory() -> None:
    erasing = ss.RandomErasing(p=1)  # which leaves masks as they are
    as_it_is = (ss.Compose([]), ss.ToFloat(), ss.ColorJitter(), ss.HorizontalFlip(p=0), ss.ToCHW())
    for pipeline in (*as_it_is, erasing):
        images, masks = torch.from_numpy(FLOATS.copy()), torch.from_numpy(MASKS.copy())
        found, moved = OnDevice(pipeline)(images, KEYS, masks)
        found.zero_()
        moved.zero_()
        assert torch.equal(images, torch.from_numpy(FLOATS))
        assert torch.equal(masks, torch.from_numpy(MASKS))


def test_a_module_is_a_value() -> None:
    module = OnDevice(WHOLE.split(3)[1], channels_first=False)
    wanted = module(torch.from_numpy(FLOATS), KEYS)
    for twin in (pickle.loads(pickle.dumps(module)), copy.deepcopy(module), torch.nn.Sequential(module)[0]):
        assert torch.equal(twin(torch.from_numpy(FLOATS), KEYS), wanted)
    assert not module.state_dict()
    assert repr(module) == f"OnDevice({module.pipeline!r}, channels_first=False)"
    assert torch.equal(module.eval()(torch.from_numpy(FLOATS), KEYS), wanted)


def test_other_pipelines_name_what_came_before() -> None:
    head = ss.Compose([ss.RandomCrop(20), ss.HorizontalFlip()])
    with pytest.raises(ValueError, match="HorizontalFlip is the name of a transform in both"):
        OnDevice(ss.HorizontalFlip(), after=head)
    OnDevice(ss.HorizontalFlip(name="second"), after=head)
    first, tail = ss.Compose([*head.transforms, ss.HorizontalFlip()]).split(2)
    OnDevice(tail, after=first)
    with pytest.raises(TypeError, match="after must be a Compose"):
        OnDevice(tail, after="RandomCrop")  # type: ignore[arg-type]


class Own(ss.HorizontalFlip):
    pass


@pytest.mark.parametrize(
    ("transform", "match"),
    [
        (ss.Rotate(10), "Rotate of the pipeline has no counterpart"),
        (ss.RandomApply([ss.HorizontalFlip()]), "RandomApply of the pipeline"),
        (Own(), "Own of the pipeline"),
        (ss.ColorJitter(hue=0.1), r"hue=\(-0.1, 0.1\) of ColorJitter has no counterpart"),
        (ss.RandomErasing(fill="normal"), "fill='normal' of RandomErasing"),
        (ss.CoarseDropout(fill="noise"), "fill='noise' of CoarseDropout"),
        (ss.Compose([ss.HorizontalFlip()], boxes=ss.Boxes("yolo")), "HorizontalFlip moves or hides boxes"),
        (ss.Compose([ss.RandomErasing()], keypoints=ss.Keypoints()), "RandomErasing moves or hides boxes"),
        (ss.Compose([ss.Compose([ss.VerticalFlip()], boxes=ss.Boxes("coco"))]), "VerticalFlip moves"),
    ],
)
def test_what_has_no_counterpart(transform: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        OnDevice(transform)


def test_colours_of_boxes_are_no_matter() -> None:
    head, tail = ss.Compose([ss.HorizontalFlip(), ss.ToFloat(), ss.ToCHW()], boxes=ss.Boxes("yolo")).split(1)
    assert head.boxes is not None
    assert OnDevice(tail)(torch.from_numpy(BYTES), KEYS).shape == (COUNT, 3, 30, 38)


IMAGES = torch.from_numpy(FLOATS)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ((FLOATS, KEYS), TypeError, "images must be a tensor"),
        ((IMAGES.double(), KEYS), TypeError, r"images\.float\(\)"),
        ((IMAGES[0, 0], KEYS), ValueError, "images must have the shape"),
        ((torch.zeros(COUNT, 5, 30, 38), KEYS), ValueError, "does not say which axis"),
        ((IMAGES[:, :0], KEYS), ValueError, "must not be empty"),
        ((IMAGES, KEYS[1:]), ValueError, "as many keys as images, got 47 for 48"),
        ((IMAGES, key_tensor(KEYS).double()), TypeError, "keys must be int64"),
        ((IMAGES, key_tensor(KEYS)[:, :3]), ValueError, r"shape \(N, 4\)"),
        ((IMAGES, 42), TypeError, "list of SampleKeys"),
        ((IMAGES, KEYS, MASKS), TypeError, "masks must be a tensor"),
        ((IMAGES, KEYS, torch.zeros(COUNT, 38, 30)), ValueError, "masks must have the images'"),
        ((IMAGES, KEYS, torch.zeros(COUNT - 1, 30, 38)), ValueError, "masks must have the images'"),
        ((IMAGES, KEYS, torch.zeros(COUNT, 30, 38, 1, 1)), ValueError, "masks must have the images'"),
        ((IMAGES, KEYS, torch.zeros(COUNT, 30, 38, device="meta")), ValueError, "on one device"),
        ((IMAGES, KEYS, None, torch.zeros(COUNT)), ValueError, "with mix=, and to no other"),
    ],
)
def test_bad_arguments(arguments: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        OnDevice(ss.HorizontalFlip())(*arguments)


def test_bad_arguments_of_mixing() -> None:
    module = OnDevice(ss.Compose([]), mix=ss.BatchMix(3))
    with pytest.raises(ValueError, match="with mix="):
        module(IMAGES, KEYS)
    with pytest.raises(ValueError, match="masks cannot be mixed"):
        module(IMAGES, KEYS, torch.from_numpy(MASKS), torch.zeros(COUNT).long())
    with pytest.raises(ValueError, match="below classes=3, got 3"):
        module(IMAGES, KEYS, labels=torch.full((COUNT,), 3))
    with pytest.raises(ValueError, match="there must be as many labels as images"):
        module(IMAGES, KEYS, labels=torch.zeros(1).long())
    with pytest.raises(TypeError, match="labels must be a tensor"):
        module(IMAGES, KEYS, labels=[1] * COUNT)
    with pytest.raises(TypeError, match="mix must be a BatchMix"):
        OnDevice(ss.ToFloat(), mix=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="channels_first must be"):
        OnDevice(ss.ToFloat(), channels_first=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pipeline must be a Compose"):
        OnDevice(torch.nn.Identity())  # type: ignore[arg-type]


def test_what_the_cpu_refuses_too() -> None:
    images = torch.from_numpy(BYTES)
    with pytest.raises(ValueError, match=r"cannot crop 99×99.*\n?.*RandomCrop|cannot crop 99×99"):
        OnDevice(ss.RandomCrop(99))(images, KEYS)
    with pytest.raises(
        TypeError, match=r"needs float32 images on the device, got uint8: put ToFloat\(\) before"
    ):
        OnDevice(ss.ColorJitter(0.4))(images, KEYS)
    OnDevice(ss.Compose([ss.ToFloat(), ss.ColorJitter(0.4)]))(images, KEYS)
    with pytest.raises(ValueError, match="one value for each channel"):
        OnDevice(ss.Normalize((0.5, 0.5), (0.5, 0.5)))(images, KEYS)
    with pytest.raises(ValueError, match="pad an image by"):
        OnDevice(ss.RandomCrop(90, padding=90, mode="reflect"))(images, KEYS)
    with pytest.raises(ValueError, match="fill must be"):
        OnDevice(ss.RandomCrop(30, padding=20, fill=0.5))(images, KEYS)
    with pytest.raises(ValueError, match="needs images with their channels last"):
        OnDevice(ss.Compose([ss.ToCHW(), ss.GaussianNoise(per_channel=False)]))(images, KEYS)
    with pytest.raises(ValueError, match="3 channels"):
        OnDevice(ss.ColorJitter(0.4))(torch.zeros(COUNT, 4, 30, 38), KEYS)


def test_a_device_without_float64() -> None:
    class Mps(Tensor):
        device = torch.device("mps")

    with pytest.raises(ValueError, match="mps lacks"):
        OnDevice(ss.HorizontalFlip())(IMAGES.as_subclass(Mps), KEYS)
