"""convert, without torchvision: callables of one's own, datasets with a transform, and what is refused. With torchvision: tests/bridge."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import ConcatDataset, Subset, TensorDataset

import seedsafe as ss
from seedsafe.reading.bound import BoundAugment
from seedsafe_torch import AugmentedDataset, convert, loader
from seedsafe_torch.conversion.recorder import chains_of
from seedsafe_torch.conversion.table import BRIDGED, ROWS

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "torchvision.md"


def known(name: str, **attributes: Any) -> Any:
    """Return an object with the attributes of one of torchvision's transforms, which is not installed here."""
    kind = type(
        name, (), {"__module__": "torchvision.transforms.transforms", "__call__": lambda self, image: image}
    )
    made = kind()
    vars(made).update(attributes)
    return made


def darker(image: Any) -> Any:
    return image.point(lambda value: value // 2)


def drawn(image: Any) -> Any:
    return image.point(lambda value: value // int(torch.randint(1, 9, (1,))))


def to_tensor(image: Any) -> Any:
    return torch.from_numpy(np.array(image)).permute(2, 0, 1)


class Photographs:
    """A dataset as many are written."""

    def __init__(self, transform: Any = darker, mode: str = "RGB", **attributes: Any) -> None:
        self.transform = transform
        self.mode = mode
        vars(self).update(attributes)

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        image = Image.fromarray(np.full((4, 6, 3), 40 * index, np.uint8))
        image = (image.convert("L") if self.mode == "I;16" else image).convert(self.mode)
        return self.transform(image), index


class Untouched(Photographs):
    def __getitem__(self, index: int) -> Any:
        return np.zeros((2, 2, 3), np.uint8), index


class Twice(Photographs):
    def __getitem__(self, index: int) -> Any:
        image, label = super().__getitem__(index)
        return image, self.transform(image), label


class Reseeded(Photographs):
    def __getitem__(self, index: int) -> Any:
        return self.paired(index)

    def paired(self, index: int) -> Any:
        torch.manual_seed(index)
        return super().__getitem__(index)


def test_known_transforms_become_ours() -> None:
    flip = known("RandomHorizontalFlip", p=0.3)
    crop = known(
        "RandomCrop", size=(4, 3), padding=[1, 2, 3, 4], pad_if_needed=False, fill=7, padding_mode="edge"
    )
    normalize = known("Normalize", mean=[0.5], std=torch.tensor([0.25]), inplace=True)
    pipeline = convert(known("Compose", transforms=[flip, crop, known("ToTensor"), normalize]))
    assert pipeline.transforms == (
        ss.HorizontalFlip(p=0.3),
        ss.RandomCrop((4, 3), padding=(2, 4, 1, 3), fill=7, mode="edge"),
        ss.Normalize(0.5, 0.25),
        ss.ToCHW(),
    )
    assert not pipeline.report.bridged
    assert [line.place for line in pipeline.report.lines] == [f"transforms[{k}]" for k in range(4)]
    angle = known(
        "RandomAffine", degrees=[-10.0, 20.0], translate=None, scale=None, shear=None, interpolation=0, fill=0
    )
    (turned,) = convert(angle).transforms
    assert turned.degrees == (-20.0, 10.0)  # type: ignore[union-attr]
    assert turned.interpolation == "nearest"  # type: ignore[union-attr]


def test_it_is_a_pipeline_like_any_other() -> None:
    pipeline = convert([known("RandomHorizontalFlip", p=0.5), known("RandomSolarize", threshold=128, p=1.0)])
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    plain = ss.Compose(pipeline.transforms)
    key = ss.SampleKey(42, 3, 7)
    assert pipeline == plain
    assert pipeline.params(key, image.shape) == plain.params(key, image.shape)
    assert ss.Compose.from_json(pipeline.to_json()) == plain
    again = pickle.loads(pickle.dumps(pipeline))  # as spawned workers get it
    assert (again, again.report) == (pipeline, pipeline.report)
    assert BoundAugment(pipeline).pipeline is pipeline
    assert not BoundAugment(pipeline).is_foreign


def test_a_compose_with_a_call_of_its_own_is_somebodys() -> None:
    class Other(ss.Compose):
        def __call__(self, *arguments: Any, **options: Any) -> Any:
            return super().__call__(*arguments, **options)

    assert BoundAugment(Other([ss.HorizontalFlip()])).pipeline is None
    assert BoundAugment(Other([ss.HorizontalFlip()])).is_foreign


def test_the_dataset_is_a_copy_that_is_read_without_its_transform() -> None:
    base = Photographs(known("Compose", transforms=[drawn, known("ToTensor")]), names=["a"])
    before = dict(vars(base))
    dataset = AugmentedDataset(base, seed=42, convert=True)
    assert vars(base) == before
    assert dataset.names is base.names
    passes = [
        [images.clone() for images, _ in loader(dataset, batch_size=3, num_workers=workers)]
        for workers in (0, 2)
    ]
    assert passes[0][0].shape == (3, 3, 4, 6)
    assert passes[0][0].dtype == torch.float32
    assert all(torch.equal(*both) for both in zip(*passes, strict=True))
    assert dataset[5][0].flags.writeable


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "PA", "LA", "RGBA", "CMYK", "1", "I;16", "F"])
def test_an_image_is_what_convert_makes_of_it(mode: str) -> None:
    def rgb(image: Any) -> Any:
        return image.convert("RGB")

    base = Photographs(rgb, mode)
    dataset = AugmentedDataset(base, seed=1, convert=True)
    assert not dataset.augment.report.bridged
    np.testing.assert_array_equal(dataset[2][0], np.asarray(base[2][0]), strict=True)


def test_a_pipeline_that_does_nothing_gives_arrays_that_can_be_written_to() -> None:
    dataset = AugmentedDataset(Photographs(known("Identity")), seed=1, convert=True)
    assert dataset[1][0].flags.writeable


@pytest.mark.parametrize(
    "wrap",
    [lambda one: Subset(one, [1, 3]), lambda one: ConcatDataset([one, one])],
    ids=["Subset", "ConcatDataset"],
)
def test_datasets_of_torch_are_looked_into(wrap: Callable[[Any], Any]) -> None:
    base = Photographs()
    wrapped = wrap(base)
    dataset = AugmentedDataset(wrapped, seed=1, convert=True)
    np.testing.assert_array_equal(dataset[1][0], np.asarray(wrapped[1][0]))
    assert base.transform is darker


BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: convert(3), TypeError, "transform must be a torchvision Compose or another of its transforms, or a list of them, got 3"),
        (lambda: convert("flip"), TypeError, "got 'flip': pass the object"),
        (lambda: convert(Photographs), TypeError, "pass the object that a dataset gets as transform="),
        (lambda: convert(Photographs()), TypeError, r"got the dataset Photographs: pass AugmentedDataset\(dataset"),
        (lambda: convert(ss.HorizontalFlip()), TypeError, "which is seedsafe's already"),
        (lambda: convert([3]), TypeError, r"transforms\[0\] must be callable, got 3"),
        (lambda: convert([known("SanitizeBoundingBoxes")]), ValueError, r"at transforms\[0\], needs the boxes.*targets="),
        (lambda: convert([known("MixUp")]), ValueError, r"mixes batches: leave it out, and pass collate_fn=seedsafe_torch\.mix"),
        (lambda: of(Photographs(), convert="yes"), TypeError, "convert must be True or False, got 'yes'"),
        (lambda: of(Photographs(), ss.HorizontalFlip()), ValueError, r"got augment=HorizontalFlip\(\) as well: leave one"),
        (lambda: of(Photographs(None)), ValueError, "Photographs has none in its attribute `transform`: leave convert out"),
        (lambda: of([1, 2]), ValueError, "list has none in its attribute `transform`"),
        (lambda: of(TensorDataset(torch.zeros(2))), ValueError, "needs a dataset with a transform"),
        (lambda: of(Photographs(transforms=darker)), ValueError, "take an image and its target together.*targets="),
        (lambda: of(Reseeded()), ValueError, r"seeds generators while it reads.*targets=\(.image., .mask.\)"),
        (lambda: of(Photographs(target_transform=known("RandomRotation"))), ValueError, "draws RandomRotation in its target_transform.*targets="),
        (
            lambda: of(Photographs(target_transform=known("Compose", transforms=[known("RandomApply", transforms=[known("RandomCrop")])]))),
            ValueError,
            "draws RandomCrop in its target_transform",
        ),
        (lambda: of(ConcatDataset([Photographs(), Photographs(drawn)])), ValueError, "the datasets inside ConcatDataset have different transforms"),
        (lambda: of(Photographs(dataset=Photographs())), ValueError, "the Photographs inside Photographs has a transform of its own.*augment="),
        (lambda: of(Untouched())[0], ss.SampleError, "Untouched called its transform 0 times for the sample 0"),
        (lambda: of(Twice())[0], ss.SampleError, "Twice called its transform 2 times.*views=2"),
        (lambda: setattr(of(Photographs()), "transform", darker), AttributeError, "because the AugmentedDataset has converted it"),
        (lambda: run([lambda image: [image, image]]), TypeError, "Lambda must return one image, got a list of 2.*views="),
        (
            lambda: run([to_tensor, known("RandomHorizontalFlip", p=1.0), known("ToTensor")]),
            TypeError,
            "to_tensor must return a PIL image for the next transform, got a tensor: convert the list up to it",
        ),
        (lambda: run([darker], np.zeros((2, 2, 5), np.uint8)), TypeError, r"of shape \(2, 2, 5\) and dtype uint8 cannot be a PIL image"),
    ]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "words"), BAD, ids=[words for *_, words in BAD])
def test_bad_input(make: Callable[[], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        make()


def of(base: Any, augment: Any = None, convert: Any = True) -> Any:
    return AugmentedDataset(base, augment, seed=1, convert=convert)


def run(transform: Any, image: Any = None) -> Any:
    return convert(transform)(
        np.zeros((4, 6, 3), np.uint8) if image is None else image, key=ss.SampleKey(1, 0, 0)
    )


def test_a_class_with_transforms_inside_says_so() -> None:
    class TwoCrops:
        def __init__(self) -> None:
            self.size = (20, 20)
            self.base_transform = known("Compose", transforms=[known("RandomVerticalFlip", p=0.5)])

        def __call__(self, image: Any) -> Any:
            return [self.base_transform(image), self.base_transform(image)]

    views = convert(TwoCrops())
    assert isinstance(views, ss.Views)
    assert views.pipelines[0] is views.pipelines[1]
    assert views.pipelines == (convert([known("RandomVerticalFlip", p=0.5)]),) * 2
    assert [line.place for line in views.report.lines] == ["base_transform.transforms[0]"]


def test_the_page_lists_every_transform_with_its_difference() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = dict(row.strip("| ").split(" | ") for row in text.splitlines() if row.startswith("| `"))
    listed = {name.strip("` "): differs for names, differs in rows.items() for name in names.split(",")}
    assert listed == {name: row.differs or "none" for name, row in ROWS.items()}
    assert all(f"`{name}`" in text for name in BRIDGED)
    assert {name for name, row in ROWS.items() if row.within} <= {
        name for name, row in ROWS.items() if row.differs
    }


class Wrapper:
    """An object of the user's own class around transforms."""

    def __init__(self, *transforms: Any, count: int = 2) -> None:
        self.first, *_ = self.all = list(transforms)
        self.count = count


def calling(name: str, call: Callable[..., Any], base: Any = Wrapper) -> Any:
    """Return a class whose objects call their transforms as a function does."""
    return type(name, (base,), {"__call__": call, "__module__": __name__})


Passing = calling("Passing", lambda self, image: self.first(image))
TwoCrops = calling("TwoCrops", lambda self, image: [self.first(image), self.first(image)])
Comprehended = calling(
    "Comprehended", lambda self, image: tuple(self.first(image) for _ in range(self.count))
)
Mapped = calling("Mapped", lambda self, image: list(map(lambda one: one(image), self.all)))  # noqa: C417  # as it is written
Looking = calling("Looking", lambda self, image: self.first(image) if image.size else image)
Calling = calling("Calling", lambda self, image: darker(self.first(image)))
Keeping = calling("Keeping", lambda self, image: [self.first(image), image])
WithMask = calling("WithMask", lambda self, image, mask: (self.first(image), self.first(mask)))
Asking = calling("Asking", lambda self, image: (self.first if self.all[1](image) else self.all[1])(image))
Copying = calling("Copying", lambda self, image: (self.first(image.copy()), self.all[1](image.copy())))


class InTurn(Wrapper):
    def __call__(self, image: Any) -> Any:
        for transform in self.all:
            image = transform(image)
        return image


class Appended(Wrapper):
    def __call__(self, image: Any) -> Any:
        crops = [self.all[0](image)]
        for _ in range(self.count):
            crops.append(self.all[1](self.all[0](image)))
        return crops


class Counting(Wrapper):
    def __call__(self, image: Any) -> Any:
        self.count += 1
        return self.first(image)


class Remembering(Wrapper):
    def __init__(self, *transforms: Any) -> None:
        super().__init__(*transforms)
        self.seen: list[Any] = []

    def __call__(self, image: Any) -> Any:
        self.seen.append(self.first(image))
        return self.first(image)


class Named(Wrapper):
    def __init__(self, first: Any, *others: Any) -> None:
        super().__init__(first, *others)
        self.by_name = {"weak": first, "strong": others[0]}

    @staticmethod
    def last() -> str:
        return "strong"

    def __call__(self, image: Any) -> Any:
        return [self.by_name["weak"](image), self.by_name[self.last()](image)]


class Caching(Named):
    def __call__(self, image: Any) -> Any:
        self.by_name["last"] = self.first(image)
        return [self.first(image), self.first(image)]


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        (Passing, ("first",)),
        (InTurn, ("all[0]", "all[1]")),
        (TwoCrops, [("first",), ("first",)]),
        (Comprehended, [("first",), ("first",)]),
        (Mapped, [("all[0]",), ("all[1]",)]),
        (Appended, [("all[0]",), ("all[0]", "all[1]"), ("all[0]", "all[1]")]),
        (Copying, [("first",), ("all[1]",)]),
        (Named, [("by_name['weak']",), ("by_name['strong']",)]),
        *(
            (kind, None)
            for kind in (Looking, Counting, Calling, Keeping, WithMask, Asking, Remembering, Caching)
        ),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_what_a_call_does_with_its_transforms(kind: Any, paths: Any) -> None:
    wrapper = kind(darker, drawn)
    before = dict(vars(wrapper))
    chains = chains_of(wrapper)
    if isinstance(chains, list):
        assert [tuple(stored.path for stored in chain) for chain in chains] == paths
    else:
        assert (None if chains is None else tuple(stored.path for stored in chains)) == paths
    assert vars(wrapper) == before


def test_an_object_that_passes_the_image_on_is_looked_into() -> None:
    flip, invert = known("RandomHorizontalFlip", p=0.3), known("RandomInvert", p=1.0)
    pipeline = convert([Passing(flip), InTurn(invert, darker)])
    lines = [(line.place, line.ours) for line in pipeline.report.lines]
    assert lines == [
        ("transforms[0].first", "HorizontalFlip(p=0.3)"),
        ("transforms[1].all[0]", "Invert(p=1.0)"),
        ("transforms[1].all[1]", ""),
    ]


def test_a_class_that_only_sets_arguments_counts_as_its_base() -> None:
    base: Any = type(known("RandomHorizontalFlip"))
    often: Any = type(
        "Often", (base,), {"__init__": lambda self: setattr(self, "p", 0.9), "__module__": "mine"}
    )
    other: Any = type("Other", (often,), {"__call__": lambda self, image: image, "__module__": "mine"})
    (line,) = convert(often()).report.lines
    assert line.ours == "HorizontalFlip(p=0.9)"
    assert convert(other()).report.lines[0].why == "is your own"


class Methods(Wrapper):
    """It calls a method of its own, and takes an argument that nobody passes."""

    number = 3

    def one(self, image: Any) -> Any:
        return self.first(image)

    def __call__(self, image: Any, *rest: Any, flip: bool = False) -> Any:
        if rest or flip:
            image = self.all[1](image)
        return [self.one(image) for _ in range(self.number)]


class Extended(Wrapper):
    """Its transforms make several views each."""

    def __call__(self, image: Any) -> Any:
        views: list[Any] = []
        for transform in self.all:
            views.extend(transform(image))
        return views


class Given(Wrapper):
    """Its argument's default can draw."""

    def __call__(self, image: Any, rng: Any = np.random) -> Any:
        return [self.first(image) for _ in range(2 + int(rng.integers(1)))]


def flip(p: float) -> Any:
    return known("RandomHorizontalFlip", p=p)


@pytest.mark.parametrize(
    ("wrapper", "views"),
    [(Wrapped(flip(0.1), darker), [["HorizontalFlip(p=0.1)"]] * 2) for Wrapped in (TwoCrops, Comprehended)]
    + [
        (Mapped(flip(0.1), flip(0.2)), [["HorizontalFlip(p=0.1)"], ["HorizontalFlip(p=0.2)"]]),
        (
            Appended(flip(0.1), flip(0.2)),
            [["HorizontalFlip(p=0.1)"], *[["HorizontalFlip(p=0.1)", "HorizontalFlip(p=0.2)"]] * 2],
        ),
        (Methods(flip(0.1), darker), [["HorizontalFlip(p=0.1)"]] * 3),
        (
            Extended(TwoCrops(flip(0.1)), Methods(flip(0.2))),
            [*[["HorizontalFlip(p=0.1)"]] * 2, *[["HorizontalFlip(p=0.2)"]] * 3],
        ),
        (
            [known("CenterCrop", size=(2, 2)), TwoCrops(flip(0.1))],
            [["MiddleCrop(size=(2, 2), pad_if_needed=True)", "HorizontalFlip(p=0.1)"]] * 2,
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_several_views_become_views(wrapper: Any, views: list[list[str]]) -> None:
    converted = convert(wrapper)
    assert isinstance(converted, ss.Views)
    assert [list(map(repr, one.transforms)) for one in converted.pipelines] == views
    assert pickle.loads(pickle.dumps(converted)).report == converted.report
    assert json.loads(converted.to_json())["transform"] == "Views"


CROP = flip(0.3)


def twice(image: Any) -> Any:
    one = CROP(image)
    other = CROP(image)
    return one, other


def each_of(transforms: Any, count: int, image: Any, more: Any = None) -> Any:
    return [one(image) for one in transforms for _ in range(count)]


def closed_over(first: Any, *others: Any) -> Any:
    return lambda image: [first(image), *(other(first(image)) for other in others)]


@pytest.mark.parametrize(
    ("function", "views"),
    [
        (twice, [[0.3]] * 2),
        (closed_over(flip(0.1)), [[0.1]]),
        (closed_over(flip(0.1), flip(0.2)), [[0.1], [0.1, 0.2]]),
        (known("Lambda", lambd=closed_over(flip(0.1), flip(0.2))), [[0.1], [0.1, 0.2]]),
        (partial(each_of, [flip(0.1), flip(0.2)], 2), [[0.1]] * 2 + [[0.2]] * 2),
        (partial(each_of, (flip(0.1),), 1, more=3), [[0.1]]),
    ],
    ids=["global", "one", "two", "Lambda", "partial", "named"],
)
def test_functions_that_list_what_their_transforms_return_become_views(
    function: Any, views: list[list[float]]
) -> None:
    converted = convert(function)
    assert isinstance(converted, ss.Views)
    assert [[one.p for one in pipeline.transforms] for pipeline in converted.pipelines] == views


def test_functions_that_do_anything_else_stay_as_they_are() -> None:
    seen: list[Any] = []
    crop = flip(0.1)

    def remembering(image: Any) -> Any:
        seen.append(image)
        return crop(image), crop(image)

    for function in (lambda image: crop(image), remembering, partial(len)):
        assert chains_of(function) is None, function
    assert not seen
    (line,) = convert(lambda image: crop(image)).report.lines
    assert line.why == "is your own"


@pytest.mark.parametrize(
    "make",
    [
        lambda: [known("RandomVerticalFlip", p=0.5), TwoCrops(flip(0.1))],
        lambda: [TwoCrops(flip(0.1)), darker],
        lambda: Mapped(known("Compose", transforms=[TwoCrops(flip(0.1))]), flip(0.1)),
        lambda: known("RandomApply", transforms=[TwoCrops(flip(0.1))], p=0.5),
    ],
    ids=["draws before", "more after", "views of views", "at times"],
)
def test_views_inside_a_pipeline_are_refused_with_the_way_out(make: Any) -> None:
    with pytest.raises(
        ValueError, match=r"makes [23] views of an image, and a pipeline makes one: put it aro.*bridge=T"
    ):
        convert(make())


def test_code_that_may_draw_is_not_run() -> None:
    assert chains_of(Given(flip(0.1))) is None


class Cropping:
    """A dataset that applies a list of transforms itself, as SwAV's does."""

    def __init__(self, *trans: Any) -> None:
        self.trans = list(trans)
        self.photographs = np.random.default_rng(0).integers(0, 256, (4, 6, 6, 3), np.uint8)

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        image = Image.fromarray(self.photographs[index])
        return list(map(lambda trans: trans(image), self.trans)), index  # noqa: C417  # as it is written


class Turned(Cropping):
    def __getitem__(self, index: int) -> Any:
        views, index = super().__getitem__(index)
        return views[::-1], index


def test_a_dataset_with_a_list_of_transforms() -> None:
    base = Cropping(flip(0.1), flip(0.9), known("CenterCrop", size=(2, 2)))
    data = of(base)
    assert [repr(one.transforms[0]) for one in data.augment.pipelines] == [
        "HorizontalFlip(p=0.1)",
        "HorizontalFlip(p=0.9)",
        "MiddleCrop(size=(2, 2), pad_if_needed=True)",
    ]
    views, label = data.at(2, epoch=5)
    assert label == 2
    expected = data.augment(base.photographs[2], key=ss.SampleKey(1, 5, 2))
    assert [view.tobytes() for view in views] == [view.tobytes() for view in expected]
    assert all(type(one).__name__ != "Source" for one in base.trans)  # the dataset itself is as before


class Inverting(Cropping):
    def __getitem__(self, index: int) -> Any:
        image = self.photographs[index]
        return [trans(part) for trans, part in zip(self.trans, (image, 255 - image), strict=True)], index


def test_a_dataset_whose_listed_transforms_take_different_images_is_refused() -> None:
    with pytest.raises(
        ss.SampleError, match=r"to different images, and .* one image for all: pass bridge=True"
    ):
        of(Inverting(flip(0.1), flip(0.9)))[0]


def test_a_dataset_that_does_more_with_its_list_is_refused() -> None:
    with pytest.raises(ss.SampleError, match=r"Turned goes on with what its transform.*or pass bridge=True"):
        of(Turned(flip(0.1), flip(0.9)))[0]
