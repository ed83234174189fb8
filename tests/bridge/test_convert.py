"""convert, with torchvision: what real pipelines become, datasets with a transform, and what is bridged or refused."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import torch

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, convert, loader

pytestmark = pytest.mark.bridge

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "torchvision.md"
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def photograph(number: int = 0, height: int = 60, width: int = 80) -> np.ndarray:
    rng = np.random.default_rng(number)
    coarse = rng.integers(0, 256, (max(height // 8, 2), max(width // 8, 2), 3), np.uint8)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)


def picture(mode: str = "RGB", number: int = 0) -> Any:
    from PIL import Image

    return Image.fromarray(photograph(number)).convert(mode)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photographs")
    for number, mode in enumerate(("RGB", "L", "P", "LA", "RGBA", "CMYK", "I;16", "1") * 2):
        place = folder / f"class{number % 2}"
        place.mkdir(exist_ok=True)
        one = picture("L", number) if mode == "I;16" else picture(mode, number)
        if mode == "I;16":
            from PIL import Image

            one = Image.fromarray(np.asarray(one).astype(np.uint16) * 257)
        one.save(place / f"{number}.{'tif' if mode == 'CMYK' else 'png'}")
    return folder


def folder(root: Path, transform: Any, **options: Any) -> Any:
    from torchvision.datasets import ImageFolder

    return ImageFolder(root, transform=transform, **options)


def usual() -> Any:
    from torchvision import transforms as v1

    return v1.Compose(
        [
            v1.RandomResizedCrop(32),
            v1.RandomHorizontalFlip(),
            v1.RandomApply([v1.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8),
            v1.RandomGrayscale(0.2),
            v1.ToTensor(),
            v1.Normalize(MEAN, STD),
        ]
    )


def pipelines() -> dict[str, Any]:
    from torchvision import transforms as v1
    from torchvision.transforms import v2

    norm1 = [v1.ToTensor(), v1.Normalize(MEAN, STD)]
    norm2 = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
    return {
        "simclr": usual(),
        "cifar": v1.Compose([v1.RandomCrop(32, padding=4), v1.RandomHorizontalFlip(), *norm1]),
        "affine": v1.Compose(
            [
                v1.Resize((40, 40)),
                v1.RandomAffine(20, (0.1, 0.1), (0.8, 1.2), 10),
                v1.RandomRotation(15),
                *norm1,
            ]
        ),
        "dino": v1.Compose(
            [
                v1.RandomResizedCrop(32, scale=(0.4, 1.0), interpolation=v1.InterpolationMode.BICUBIC),
                v1.RandomApply([v1.GaussianBlur(5)], p=0.5),
                v1.RandomSolarize(128, p=0.2),
                *norm1,
            ]
        ),
        "erasing": v1.Compose([v1.Resize((32, 48)), *norm1, v1.RandomErasing(0.7, value=0.5)]),
        "erasing noise": v1.Compose([v1.Resize((32, 48)), *norm1, v1.RandomErasing(0.7, value="random")]),
        "choices": v1.Compose(
            [
                v1.Resize((32, 32)),
                v1.RandomChoice(
                    [v1.RandomRotation((90, 90)), v1.RandomVerticalFlip(1.0), v1.RandomInvert(1.0)]
                ),
                v1.RandomOrder(
                    [v1.RandomPosterize(3), v1.RandomAdjustSharpness(3.0), v1.RandomAutocontrast()]
                ),
                *norm1,
            ]
        ),
        "v2": v2.Compose(
            [
                v2.RandomResizedCrop(32, antialias=True),
                v2.RandomHorizontalFlip(),
                v2.RandomChoice([v2.RandomEqualize(1.0), v2.RandomPerspective(p=1.0)], p=[3, 1]),
                v2.RandomCrop(30, padding=(1, 2, 3, 4), padding_mode="reflect"),
                *norm2,
            ]
        ),
        "v2 on tensors": v2.Compose(
            [
                *norm2[:2],
                v2.RandomResizedCrop(32),
                v2.RandomHorizontalFlip(),
                v2.ColorJitter(0.3, 0.3),
                norm2[2],
            ]
        ),
        "RandAugment": v1.Compose([v1.Resize((32, 32)), v1.RandAugment(), *norm1]),
        "TrivialAugmentWide": v2.Compose([v2.Resize((32, 32)), v2.TrivialAugmentWide(), *norm2]),
        "AutoAugment": v1.Compose(
            [v1.Resize((32, 32)), v1.AutoAugment(v1.AutoAugmentPolicy.CIFAR10), *norm1]
        ),
        "AugMix": v1.Compose([v1.Resize((32, 32)), v1.AugMix(), *norm1]),
        "bridged": v1.Compose([v1.Resize((32, 32)), v1.RandomAffine(9, center=(1, 2)), *norm1]),
    }


@pytest.mark.parametrize("name", list(pipelines()))
def test_samples_have_the_same_distribution(name: str) -> None:
    theirs, count = pipelines()[name], 300
    ours = convert(theirs)
    image = picture()
    torch.manual_seed(7)
    dataset = AugmentedDataset([image], ours, seed=7)
    wanted = np.stack([_features(theirs(image).numpy()) for _ in range(count)])
    made = np.stack([_features(dataset.at(0, epoch=epoch)) for epoch in range(count)])
    standard = np.sqrt((wanted.var(axis=0) + made.var(axis=0)) / count) + 1e-4
    assert (np.abs(wanted.mean(axis=0) - made.mean(axis=0)) < 4.5 * standard).all()
    assert (
        _distances(wanted, made) < 1.95 * np.sqrt(2 / count)
    ).all()  # of Kolmogorov and Smirnov, p < 0.001 each


def _features(image: np.ndarray) -> np.ndarray:
    """Return means of all channels, contrast, and means of four corners: colours, tones and places."""
    assert image.dtype == np.float32
    assert image.shape[0] == 3
    rows, columns = image.shape[1] // 2, image.shape[2] // 2
    corners = [image[:, y : y + rows, x : x + columns].mean() for y in (0, rows) for x in (0, columns)]
    edges = np.abs(np.diff(image, axis=2)).mean(), np.abs(np.diff(image, axis=1)).mean()
    return np.array([*image.mean(axis=(1, 2)), image.std(), *corners, *edges])


def _distances(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the largest distance of two empirical distributions, for each feature."""
    found = []
    for a, b in zip(np.sort(one.round(4), axis=0).T, np.sort(other.round(4), axis=0).T, strict=True):
        both = np.concatenate([a, b])
        below = np.searchsorted(a, both, "right") / len(a) - np.searchsorted(b, both, "right") / len(b)
        found.append(np.abs(below).max())
    return np.array(found)


def test_other_distributions_are_noticed() -> None:
    from torchvision import transforms as v1

    image = picture()
    one = np.stack([_features(usual()(image).numpy()) for _ in range(300)])
    other = AugmentedDataset([image], convert([v1.Resize((32, 32)), *usual().transforms[1:]]), seed=7)
    made = np.stack([_features(other.at(0, epoch=epoch)) for epoch in range(300)])
    assert not (_distances(one, made) < 1.95 * np.sqrt(2 / 300)).all()


@pytest.mark.parametrize("name", list(pipelines()))
def test_nothing_is_bridged_without_need(name: str) -> None:
    report = convert(pipelines()[name]).report
    assert [line.theirs.partition("(")[0] for line in report.bridged] == (
        ["RandomAffine"] if name == "bridged" else []
    )


def test_a_folder_gives_the_same_bits_for_any_workers(root: Path) -> None:
    base = folder(root, usual(), target_transform=lambda label: label + 10)
    dataset = AugmentedDataset(base, seed=42, convert=True)
    assert dataset.classes == base.classes
    passes = []
    for workers in (0, 2):
        batches = list(loader(dataset, batch_size=4, num_workers=workers))
        passes.append(
            (torch.cat([images for images, _ in batches]), torch.cat([labels for _, labels in batches]))
        )
    (images, labels), (others, same) = passes
    assert images.shape == (16, 3, 32, 32)
    assert images.dtype == torch.float32
    assert sorted(set(labels.tolist())) == [10, 11]
    assert torch.equal(images, others)
    assert torch.equal(labels, same)


def test_it_is_what_torchvision_gives_where_nothing_is_drawn(root: Path) -> None:
    from torchvision import transforms as v1

    transform = v1.Compose([v1.Resize(32), v1.CenterCrop(31), v1.ToTensor(), v1.Normalize(MEAN, STD)])
    base = folder(root, transform)
    dataset = AugmentedDataset(base, seed=42, convert=True)
    for index in range(len(base)):  # of eight modes
        wanted, label = base[index]
        made, same = dataset[index]
        np.testing.assert_allclose(made, wanted.numpy(), atol=5e-7)
        assert label == same


def test_the_dataset_is_not_changed(root: Path) -> None:
    base = folder(root, usual())
    before = (base.transform, base.transforms, base.transforms.transform, dict(vars(base)))
    AugmentedDataset(base, seed=42, convert=True)[0]
    assert (base.transform, base.transforms, base.transforms.transform, dict(vars(base))) == before
    assert base[0][0].shape == (3, 32, 32)


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "LA", "RGBA", "CMYK", "1", "YCbCr"])
def test_images_are_as_the_dataset_returns_them(mode: str) -> None:
    from torchvision import transforms as v1

    class Mine:
        def __init__(self, transform: Any) -> None:
            self.transform = transform

        def __len__(self) -> int:
            return 1

        def __getitem__(self, index: int) -> Any:
            return self.transform(picture(mode))

    def rgb(image: Any) -> Any:
        return image.convert("RGB")

    for function in (rgb, lambda image: image.convert("RGB"), v1.Lambda(lambda image: image.convert("RGB"))):
        base = Mine(v1.Compose([function, v1.CenterCrop(20), v1.ToTensor()]))
        dataset = AugmentedDataset(base, seed=1, convert=True)
        assert not dataset.augment.report.bridged
        np.testing.assert_array_equal(dataset[0], base[0].numpy())
    if mode in ("RGB", "L", "1"):
        base = Mine(v1.Compose([v1.CenterCrop(20), v1.ToTensor()]))
        np.testing.assert_array_equal(AugmentedDataset(base, seed=1, convert=True)[0], base[0].numpy())


def test_subsets_and_equal_parts(root: Path) -> None:
    from torch.utils.data import ConcatDataset, Subset

    transform = usual()
    base = folder(root, transform)
    whole = AugmentedDataset(base, seed=42, convert=True)
    part = AugmentedDataset(Subset(base, [3, 5]), seed=42, ids=[3, 5], convert=True)
    np.testing.assert_array_equal(part.at(1, epoch=2)[0], whole.at(5, epoch=2)[0])
    both = AugmentedDataset(ConcatDataset([base, folder(root, usual())]), seed=42, convert=True)
    np.testing.assert_array_equal(both.at(5, epoch=2)[0], whole.at(5, epoch=2)[0])
    other = folder(root, convertible()[0])
    with pytest.raises(
        ValueError, match="have different transforms: put an AugmentedDataset with convert=True"
    ):
        AugmentedDataset(ConcatDataset([base, other]), seed=42, convert=True)


def convertible() -> tuple[Any, ...]:
    from torchvision import transforms as v1

    return (v1.Compose([v1.Resize(9), v1.ToTensor()]),)


def test_joint_transforms_are_refused(root: Path) -> None:
    from torchvision import transforms as v1
    from torchvision.datasets import ImageFolder, VisionDataset
    from torchvision.transforms import v2

    class Segmentation(VisionDataset):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return self.transforms(picture(), picture("L"))

    with pytest.raises(ValueError, match=r"which may take an image and its target together.*targets="):
        AugmentedDataset(Segmentation(root, transforms=lambda *both: both), seed=1, convert=True)
    made = AugmentedDataset(
        Segmentation(root, transform=convertible()[0], target_transform=np.asarray),
        seed=1,
        targets="image",
        convert=True,
    )
    assert made[0][0].shape == (3, 9, 12)
    assert made[0][1].shape == (60, 80)
    turned = ImageFolder(root, transform=usual(), target_transform=v1.Compose([v1.RandomHorizontalFlip()]))
    with pytest.raises(ValueError, match="draws RandomHorizontalFlip in its target_transform"):
        AugmentedDataset(turned, seed=1, convert=True)
    with pytest.raises(ValueError, match=r"RandomIoUCrop, at transforms\[0\], needs the boxes"):
        convert(v2.Compose([v2.RandomIoUCrop(), v2.ToImage()]))
    with pytest.raises(ValueError, match="mixes batches: leave it out, and pass collate_fn="):
        convert(v2.Compose([v2.RandomApply([v2.CutMix(num_classes=3)])]))


class Darker:
    """A class of somebody's own: it draws from torch, and takes PIL images."""

    def __call__(self, image: Any) -> Any:
        assert hasattr(image, "getbands")
        return image.point(lambda value: value // int(torch.randint(2, 5, (1,))))


class Noisy(torch.nn.Module):
    """Another, of tensors."""

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        assert image.ndim == 3
        assert image.shape[0] == 3
        return image + torch.rand(1)


def test_own_callables_stay_where_they_are_and_are_keyed() -> None:
    from torchvision import transforms as v1

    pipeline = convert(
        v1.Compose(
            [
                Darker(),
                v1.RandomHorizontalFlip(),
                Darker(),
                v1.Lambda(lambda image: np.asarray(image)[:20]),
                v1.ToTensor(),
                Noisy(),
                v1.Normalize(MEAN, STD),
                v1.RandomApply([Noisy()]),
            ]
        )
    )
    assert len(pipeline.report.bridged) == 5
    assert pipeline.transforms[2].function.functions[0].__class__ is Darker
    dataset = AugmentedDataset([photograph()], pipeline, seed=3)
    samples = [dataset.at(0, epoch=epoch) for epoch in (0, 1, 0)]
    assert samples[0].shape == (3, 20, 80)
    np.testing.assert_array_equal(samples[0], samples[2])
    assert not np.array_equal(samples[0], samples[1])


def test_what_stands_last_may_return_anything() -> None:
    from torchvision import transforms as v1

    image = picture()
    stack = v1.Lambda(lambda crops: torch.stack([v1.ToTensor()(crop) for crop in crops]))
    for transform in (
        v1.Compose([v1.Resize(40), v1.FiveCrop(24), stack]),
        v1.Compose([v1.TenCrop(24), stack, v1.Normalize(MEAN, STD)]),
        v1.Compose([v1.Resize(40), lambda one: v1.ToTensor()(one)]),
        v1.Compose([v1.CenterCrop(20), v1.Lambda(lambda one: np.asarray(one)[..., 0])]),
        v1.Compose([v1.ToTensor(), v1.Lambda(lambda one: one.flatten())]),
        v1.Compose([v1.CenterCrop(20), v1.Lambda(lambda one: one)]),
    ):
        made = AugmentedDataset([image], convert(transform), seed=1)[0]
        np.testing.assert_allclose(made, np.asarray(transform(image)), atol=5e-7)
    twice = AugmentedDataset([image], convert(v1.Compose([v1.FiveCrop(24)])), seed=1)
    with pytest.raises(ss.SampleError, match=r"must return one image, got a tuple of 5.*views="):
        twice[0]


def test_own_conversions_to_tensors_are_seen_from_what_follows() -> None:
    from torchvision import transforms as v1

    image = picture()
    for between in ([], [v1.RandomHorizontalFlip(1.0)]):
        transform = v1.Compose(
            [
                v1.Resize(20),
                v1.Lambda(np.array),
                lambda one: v1.functional.to_tensor(one),
                *between,
                v1.Normalize(MEAN, STD),
            ]
        )
        made = AugmentedDataset([image], convert(transform), seed=1)[0]
        np.testing.assert_allclose(made, transform(image).numpy(), atol=5e-7)


def test_arguments_that_are_not_known_are_bridged() -> None:
    from torchvision import transforms as v1
    from torchvision.transforms import v2

    class Resize(v1.Resize):
        """Of the user's own."""

        def forward(self, img: Any) -> Any:
            return img

    odd = v1.RandomHorizontalFlip()
    odd.more = 3
    hooked = v1.RandomVerticalFlip()
    hooked.register_forward_hook(lambda *_: None)
    for transform, why in (
        (Resize(20), "is your own"),
        (odd, "has an unknown argument: more=3"),
        (hooked, "has a hook"),
        (v1.RandomRotation(5, center=(1, 2)), "turns around a point other than the middle"),
        (v1.GaussianBlur((3, 5)), "has a kernel that is not square"),
        (v1.Resize(20, v1.InterpolationMode.HAMMING), "has interpolation=hamming"),
        (v2.Pad(2, fill={torch.Tensor: 1, "others": 2}), "has a fill for each type"),
        (v1.Pad((-1, -1)), "has an unknown value"),
        (v2.JPEG(50), "has no counterpart"),
        (v1.RandAugment(), ""),
        (v1.RandomApply([v1.ToTensor()]), "contains a transform that returns a form other than"),
        (v1.RandomOrder([v1.RandomInvert()] * 5), "puts 5 transforms into any order"),
        (v2.ToDtype(torch.float16), ""),
    ):
        lines = convert(v1.Compose([transform, v1.PILToTensor()])).report.lines
        assert bool(why) == bool(lines[0].why), (transform, lines[0])
        assert why in lines[0].why
    assert "needs floats" in convert([v1.PILToTensor(), v1.Normalize(MEAN, STD)]).report.bridged[0].why


def test_lists_that_were_edited_and_nested(root: Path) -> None:
    from torchvision import transforms as v1

    transform = v1.Compose(
        [v1.Compose([v1.Resize(20)]), torch.nn.Sequential(v1.CenterCrop(9)), v1.ToTensor()]
    )
    transform.transforms.insert(1, v1.RandomInvert(1.0))
    report = convert(transform).report
    assert [line.place for line in report.lines] == [
        "transforms[0].transforms[0]",
        "transforms[1]",
        "transforms[2].transforms[0]",
        "transforms[3]",
    ]
    assert convert(transform.transforms) == convert(transform)
    assert convert(v1.Resize(20)).transforms == convert([v1.Resize(20)]).transforms


def test_arrays_and_tensors_come_in_too() -> None:
    from torchvision import transforms as v1
    from torchvision.transforms import v2

    image = photograph()
    first = v1.Compose([v1.ToPILImage(), v1.CenterCrop(20), v1.ToTensor()])
    floats = torch.rand(3, 30, 40)
    for given in (image, torch.from_numpy(image).permute(2, 0, 1), floats):
        made = AugmentedDataset([given], convert(first), seed=1)[0]
        np.testing.assert_allclose(np.asarray(made), first(given).numpy(), atol=5e-7)
    tail = v1.Compose([v1.CenterCrop(20), v1.Normalize(MEAN, STD)])
    np.testing.assert_allclose(AugmentedDataset([floats], convert(tail), seed=1)[0], tail(floats), atol=5e-7)
    scaled = v2.Compose([v2.CenterCrop(20), v2.ToDtype(torch.float32, scale=True)])
    whole = torch.from_numpy(image).permute(2, 0, 1)
    made = np.asarray(AugmentedDataset([whole], convert(scaled), seed=1)[0])
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, scaled(whole), atol=5e-7)


def test_pages_block_runs(root: Path, capsys: Any) -> None:
    (code,) = re.findall(
        r"^```python no-run: needs torchvision\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    names: dict[str, Any] = {"root": root}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, names)  # noqa: S102  # the page of this repository
    assert capsys.readouterr().out.startswith(
        "7 of 8 transforms converted, 1 bridged: keyed, and called as before\n"
    )
    assert names["dataset"].at(3, epoch=0)[0].shape == (3, 224, 224)


def test_torchvision_is_not_imported() -> None:
    import subprocess
    import sys

    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, seedsafe_torch as s; s.convert([len]); sys.exit('torchvision' in sys.modules)",
        ],
        check=False,
    )
    assert done.returncode == 0


@pytest.mark.parametrize("between", [[], [lambda tensor: tensor * 0.5]], ids=["nothing", "a function"])
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_a_tensor_becomes_a_picture_again(mode: str, between: list[Any]) -> None:
    from torchvision import transforms as v1

    theirs = v1.Compose([v1.ToTensor(), *between, v1.ToPILImage()])
    given = picture(mode)
    made = convert(theirs)(np.asarray(given), key=ss.SampleKey(0, 0, 0))
    np.testing.assert_array_equal(made, np.asarray(theirs(given)))


class Preset:
    """torchvision's ClassificationPresetTrain, shortened."""

    def __init__(self, module: Any, size: int) -> None:
        self.transforms = module.Compose(
            [
                module.RandomResizedCrop(size),
                module.RandomHorizontalFlip(),
                module.ToTensor(),
                module.Normalize(MEAN, STD),
            ]
        )

    def __call__(self, img: Any) -> Any:
        return self.transforms(img)


def test_presets_and_timms_transforms_are_converted() -> None:
    from timm.data import create_transform
    from torchvision import transforms as v1

    for transform in (
        Preset(v1, 32),
        create_transform(32),
        create_transform(32, is_training=True),
        create_transform(32, is_training=True, use_prefetcher=True),
        create_transform(
            32, is_training=True, auto_augment="rand-m7-n3-mstd0.5-inc1", re_prob=0.5, re_mode="pixel"
        ),
        create_transform(32, is_training=True, auto_augment="rand-m9-mstd101", interpolation="random"),
    ):
        pipeline = convert(transform)
        assert not pipeline.report.bridged, pipeline.report
        ours = pipeline(photograph(), key=ss.SampleKey(42, 0, 0))
        assert ours.shape == tuple(transform(picture()).shape)
    weighted = create_transform(32, is_training=True, auto_augment="rand-m9-tweights")
    assert [line.why for line in convert(weighted).report.bridged] == ["chooses its operations by weights"]


def test_a_policy_of_timm_is_the_string_that_made_it() -> None:
    from timm.data.auto_augment import rand_augment_transform

    for config in ("rand-m9-mstd0.5-inc1", "rand-m7-n3-p0.8", "rand-m5-mstd101-mmax7"):
        made = rand_augment_transform(config, {"img_mean": (124, 116, 104)})
        wanted = ss.policy(config, fill=(124, 116, 104))
        for key in (ss.SampleKey(42, 0, index) for index in range(20)):
            np.testing.assert_array_equal(convert(made)(photograph(), key=key), wanted(photograph(), key=key))


def test_what_is_not_drawn_by_timm_has_its_bytes() -> None:
    from timm.data import create_transform

    transform = create_transform(48, crop_pct=0.875)
    theirs = transform(picture()).numpy()
    np.testing.assert_allclose(
        convert(transform)(photograph(), key=ss.SampleKey(42, 0, 0)), theirs, atol=1e-6
    )
