"""Faulty samples in torch: raised, left out or replaced, and reported, whatever reads them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from contract import AUGMENT, LENGTH, SEED, digest, expected
from faulty import BROKEN, FILES, Faulty, replaced, write_files
from torch.utils.data import ConcatDataset, DataLoader, StackDataset, Subset, WeightedRandomSampler
from torch_driver import items
from torchdata.stateful_dataloader import StatefulDataLoader

import seedsafe as ss
from seedsafe_torch import AugmentedDataset, KeyedSampler, loader, peek, skip_collate
from seedsafe_torch.delivery import KeyedLoader

FAILING = {3, 8, 9, 15}  # without check_finite a NaN is no failure, and an image of uint8 has none
WAYS: list[dict[str, Any]] = [
    {},
    {"num_workers": 2},
    {"num_workers": 2, "persistent_workers": True},
    {"num_workers": 2, "multiprocessing_context": "spawn", "persistent_workers": True},
]
UINT8 = Faulty(broken={index: fault for index, fault in BROKEN.items() if fault != "NaN"})


made: list[AugmentedDataset] = []


def faulty(on_error: Any = "raise", base: Any = UINT8, **options: Any) -> AugmentedDataset:
    made.append(AugmentedDataset(base, AUGMENT, seed=SEED, on_error=on_error, **options))
    return made[-1]


@pytest.fixture(autouse=True)
def _asked() -> Iterator[None]:
    """Ask every dataset of a test in its end: it would warn of what nobody was told."""
    yield
    for dataset in made:
        dataset.failures()
    made.clear()


def quiet(loading: Any) -> list[tuple[int, bytes]]:
    """Return what a pass gives, without its report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return items(loading)


# Raise


@pytest.mark.parametrize(
    ("index", "cause", "message"),
    [
        (3, RuntimeError, "RuntimeError: a fault in the user's code"),
        (8, TypeError, "TypeError: the dataset returned None"),
        (9, FileNotFoundError, "FileNotFoundError: [Errno 2] No such file or directory: 'photographs/9.png'"),
        (15, ValueError, "in RandomCrop: ValueError: cannot crop 32×32 out of an image of shape (5, 40, 3)"),
        (
            20,
            ValueError,
            "the sample has 3 values of 4800 in [0] that are not finite, the first at (1, 2, 0): nan",
        ),
    ],
)
def test_an_error_names_the_sample_and_keeps_its_cause(
    index: int, cause: type[Exception], message: str
) -> None:
    dataset = faulty(base=Faulty(), check_finite=True)
    with pytest.raises(ss.SampleError) as raised:
        dataset.at(index, epoch=5)
    error = raised.value
    assert f"sample {index} ('photographs/{index}.png') failed in epoch 5, in the main process" in str(error)
    assert message in str(error)
    assert isinstance(error.__cause__, cause)
    assert (error.index, error.path, error.epoch, error.worker) == (
        index,
        f"photographs/{index}.png",
        5,
        None,
    )
    assert error.transform == ("RandomCrop" if index == 15 else None)
    assert dataset.failures() == {}


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_an_error_in_a_worker_says_the_same(method: str) -> None:
    sampler = KeyedSampler([15], seed=SEED)
    sampler.set_epoch(2)
    loading = DataLoader(faulty(), sampler=sampler, num_workers=1, multiprocessing_context=method)
    with pytest.raises(ss.SampleError) as raised:
        next(iter(loading))
    text = str(raised.value)
    assert "sample 15 ('photographs/15.png') failed in epoch 2, in worker 0, in RandomCrop" in text
    assert re.search(
        r"ValueError: cannot crop.*\n\nThe above exception was the direct cause", text, re.DOTALL
    )


def test_a_transform_that_makes_nan_is_named() -> None:
    augment = ss.Compose([ss.ToFloat(), ss.Normalize(0, 1), Overflow()])
    with pytest.raises(
        ss.SampleError, match=r"in Overflow: .*the augmented sample has .* the first at"
    ) as raised:
        AugmentedDataset(UINT8, augment, seed=SEED, check_finite=True).at(0, epoch=0)
    assert raised.value.transform == "Overflow"
    AugmentedDataset(UINT8, augment, seed=SEED).at(0, epoch=0)


class Overflow(ss.ImageTransform):
    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return np.where(image > 0.5, np.inf, image)


def test_a_dataset_without_an_end_still_ends() -> None:
    class Endless:
        def __getitem__(self, index: int) -> Any:
            return [np.zeros((2, 2))][index]

    assert len(list(AugmentedDataset(Endless(), seed=0, epoch=0))) == 1
    with pytest.raises(ValueError, match="define __len__ on the base"):
        AugmentedDataset(Endless(), seed=0, on_error="replace")


def test_an_inner_dataset_speaks_for_itself() -> None:
    outer = AugmentedDataset(faulty(), ss.Compose([ss.VerticalFlip()]), seed=1)
    with pytest.raises(ss.SampleError, match=r"^sample 3 .*RuntimeError") as raised:
        outer.at(3, epoch=0)
    assert isinstance(raised.value.__cause__, RuntimeError)
    with pytest.raises(
        ss.SampleError, match=r"a dataset inside left it out: 'photographs/3.png': RuntimeError: a fault"
    ):
        AugmentedDataset(faulty("skip"), None, seed=1).at(3, epoch=0)
    both = AugmentedDataset(faulty("skip"), None, seed=1, on_error="replace")
    assert both.at(3, epoch=0)[1] not in FAILING
    assert "left it out: 'photographs/3.png': RuntimeError" in both.failures()[0][3]


# Skip


@pytest.mark.parametrize("options", WAYS[:3], ids=str)
def test_skipped_samples_are_left_out_and_reported(options: dict[str, Any]) -> None:
    dataset = faulty("skip")
    loading = loader(dataset, batch_size=4, shuffle=True, **options)
    assert isinstance(loading, KeyedLoader)
    for epoch in range(2):
        with pytest.warns(
            UserWarning, match=rf"4 samples failed in epoch {epoch} and were left out: 3, 8, 9, 15\."
        ):
            seen = items(loading)
        assert seen == [(i, content) for i, content in expected(epoch, shuffle=True) if i not in FAILING]
    failures = dataset.failures()
    assert {epoch: list(found) for epoch, found in failures.items()} == {0: [3, 8, 9, 15], 1: [3, 8, 9, 15]}
    assert failures[1][3] == "'photographs/3.png': RuntimeError: a fault in the user's code"


def test_a_batch_of_failures_alone_is_left_out() -> None:
    order = [3, 8, 9, 15, 3, 0]
    for workers in (0, 2):
        loading = loader(faulty("skip"), batch_size=2, sampler=order, num_workers=workers)
        assert [label for label, _ in quiet(loading)] == [0]
        assert len(iter(loading)) == 3
    plain = DataLoader(
        faulty("skip"), batch_size=2, sampler=KeyedSampler(order, seed=SEED), collate_fn=skip_collate
    )
    with pytest.raises(
        ss.SampleError, match=r"all 2 samples of a batch failed, the first, 3, with 'photographs/3"
    ) as raised:
        next(iter(plain))
    assert raised.value.index == 3


@pytest.mark.parametrize("workers", [0, 2])
def test_without_batches(workers: int) -> None:
    loading = loader(faulty("skip"), batch_size=None, num_workers=workers)
    with pytest.warns(UserWarning, match="4 samples failed"):
        seen = [label for _, label in loading]
    assert seen == [i for i in range(LENGTH) if i not in FAILING]


def by_label(samples: list[Any]) -> dict[int, torch.Tensor]:
    return {label: torch.from_numpy(image) for image, label in samples}


def test_a_collate_function_of_the_users_gets_what_is_left() -> None:
    for collate in (by_label, partial(by_label)):
        loading = loader(faulty("skip"), batch_size=4, collate_fn=collate, num_workers=1)
        with pytest.warns(UserWarning, match="4 samples failed"):
            assert [list(batch) for batch in loading][:3] == [[0, 1, 2], [4, 5, 6, 7], [10, 11]]
    plain = DataLoader(
        faulty("skip", epoch=0), batch_size=4, collate_fn=partial(skip_collate, collate=by_label)
    )
    assert list(next(iter(plain))) == [0, 1, 2]


def test_a_loader_without_the_collate_says_what_is_missing() -> None:
    with pytest.raises(TypeError, match=r"sample 3 failed .* pass collate_fn=seedsafe_torch\.skip_collate"):
        next(iter(DataLoader(faulty("skip", epoch=0), batch_size=4)))


def test_wrappers_outside_let_the_mark_through() -> None:
    chosen = Subset(faulty("skip"), [3, 5, 8, 20, 1])
    assert quiet(loader(chosen, batch_size=3, num_workers=2)) == [
        (i, content) for i, content in expected(0, shuffle=False) if i in (5,)
    ] + [(i, dict(expected(0, shuffle=False))[i]) for i in (20, 1)]
    second = faulty("skip", index_offset=LENGTH)
    both = loader(ConcatDataset([faulty("skip"), second]), batch_size=5)
    with pytest.warns(UserWarning, match="dataset") as caught:
        assert len(items(both)) == 2 * (LENGTH - 4)
    assert [str(one.message)[:16] for one in caught] == ["dataset 1 of 2: ", "dataset 2 of 2: "]
    stacked = loader(StackDataset(faulty("skip"), torch.arange(LENGTH)), batch_size=4)
    with pytest.warns(UserWarning, match="4 samples failed"):
        numbers = torch.cat([number for _, number in stacked])
    assert numbers.tolist() == [i for i in range(LENGTH) if i not in FAILING]


def test_a_pass_that_was_left_is_reported_by_the_next() -> None:
    loading = loader(faulty("skip"), batch_size=4)
    passing = iter(loading)
    next(passing), next(passing)
    with pytest.warns(UserWarning, match=r"1 sample failed in epoch 0 .*: 3\."):
        iter(loading)
    assert peek(loading)[1].tolist() == [0, 1, 2]


# Replace


@pytest.mark.parametrize(
    "options", [*WAYS, {"num_workers": 2, "multiprocessing_context": "forkserver"}], ids=str
)
def test_a_replacement_is_chosen_by_the_key_and_augmented_under_it(options: dict[str, Any]) -> None:
    dataset = faulty("replace")
    loading = loader(dataset, batch_size=4, **options)
    for epoch in range(2):
        with pytest.warns(
            UserWarning, match=rf"4 samples failed in epoch {epoch} and were replaced: 3, 8, 9, 15\."
        ):
            seen = items(loading)
        wanted = expected(epoch, shuffle=False)
        for index in FAILING:
            other, image = replaced(index, epoch, FAILING)
            wanted[index] = other, digest(image)
        assert seen == wanted
    other, _ = replaced(3, 1, FAILING)
    assert dataset.failures()[1][3].endswith(f"a fault in the user's code (replaced by sample {other})")
    assert {replaced(3, epoch, FAILING)[0] for epoch in range(20)} > {
        other
    }  # not always the same, nor the next


def test_occurrences_and_views_have_replacements_of_their_own() -> None:
    dataset = faulty("replace")
    sampler = WeightedRandomSampler([0.0] * 3 + [1.0] + [0.0] * 19, 6)
    assert quiet(loader(dataset, batch_size=2, sampler=sampler)) == [
        (label, digest(image)) for label, image in (replaced(3, 0, FAILING, occurrence=k) for k in range(6))
    ]
    (first, second), label = faulty("replace", views=2).at(3, epoch=0, view=1)
    other, image = replaced(3, 0, FAILING, view=2)
    assert (label, digest(first)) == (other, digest(image))
    assert digest(second) == digest(AUGMENT(UINT8[other][0], key=ss.SampleKey(SEED, 0, 3, view=3)))


def test_a_subset_outside_keeps_the_replacement() -> None:
    seen = quiet(loader(Subset(faulty("replace"), [9, 1]), batch_size=2))
    other, image = replaced(9, 0, FAILING)
    assert seen[0] == (other, digest(image))


def test_resume_gives_the_replacements_of_the_whole_run() -> None:
    def make() -> StatefulDataLoader[Any]:
        keyed = KeyedSampler(range(LENGTH), seed=SEED)
        return StatefulDataLoader(
            faulty("replace"), batch_size=3, sampler=keyed, num_workers=2, generator=torch.Generator()
        )

    whole = quiet(make())
    run = make()
    batches = iter(run)
    seen = quiet([next(batches) for _ in range(2)])
    state = run.state_dict()
    resumed = make()
    resumed.load_state_dict(state)
    assert seen + quiet(resumed) == whole


def test_the_tries_end_with_an_error() -> None:
    dataset = faulty("replace", Faulty(broken=dict.fromkeys(range(LENGTH), "exception")))
    with pytest.raises(
        ss.SampleError, match=r"sample 4 .*a fault in the user's code; 16 other samples tried in its place"
    ):
        dataset.at(4, epoch=0)


def test_nan_is_a_fault_only_if_asked() -> None:
    base = Faulty("float32", {20: "NaN"})
    assert np.isnan(AugmentedDataset(base, None, seed=SEED).at(20, epoch=0)[0]).sum() == 3
    image, _ = faulty("replace", base, check_finite=True).at(20, epoch=0)
    assert np.isfinite(image).all()
    assert quiet(loader(faulty("skip", base, check_finite=True), batch_size=8))[-1][0] == 22


def test_other_loaders_have_their_report_in_the_end() -> None:
    dataset = faulty("skip")
    loading = DataLoader(
        dataset,
        batch_size=4,
        sampler=KeyedSampler(range(LENGTH), seed=SEED),
        collate_fn=skip_collate,
        num_workers=2,
    )
    items(loading)
    with pytest.warns(UserWarning, match=r"4 samples failed in epoch 0 and were left out: 3, 8, 9, 15\."):
        dataset.report_failures()
    dataset.failures()


def test_a_bad_mode_is_refused() -> None:
    with pytest.raises(ValueError, match=r"on_error must be one of 'raise', 'skip', 'replace', got 'drop'"):
        faulty("drop")


# Real files


@pytest.mark.parametrize(
    ("on_error", "workers", "method"),
    [
        *((on_error, 0, None) for on_error in ("raise", "skip", "replace")),
        *((on_error, 2, "fork") for on_error in ("raise", "skip", "replace")),
        ("replace", 2, "spawn"),
    ],
)
def test_files_of_every_kind(tmp_path: Path, on_error: Any, workers: int, method: str | None) -> None:
    photographs = ss.ImageFolder(write_files(tmp_path))
    names = [Path(path).name for path, _ in photographs.samples]
    bad = [place for place, name in enumerate(names) if name.startswith("x ")]
    assert sorted(names) == sorted(FILES)
    dataset = AugmentedDataset(photographs, ss.Compose([ss.RandomCrop(64)]), seed=SEED, on_error=on_error)
    loading = loader(dataset, batch_size=3, num_workers=workers, multiprocessing_context=method)
    if on_error == "raise":
        with pytest.raises(ss.SampleError) as raised:
            list(loading)
        assert re.search(rf"sample {bad[0]} \('.*{names[bad[0]]}'\) failed in epoch 0", str(raised.value))
        for place in bad:
            with pytest.raises(
                ss.SampleError, match=rf"sample {place} .*{re.escape(names[place])}.*cannot read the image"
            ):
                dataset.at(place, epoch=0)
        return
    with pytest.warns(UserWarning, match=f"{len(bad)} samples failed in epoch 0"):
        images = np.concatenate([images.numpy() for images, _ in loading])
    found = dataset.failures()[0]
    assert list(found) == bad
    assert all(names[place] in found[place] for place in bad)
    good = [place for place in range(len(names)) if place not in bad]
    assert images.shape == (len(good) if on_error == "skip" else len(names), 64, 64, 3)
    rows = range(len(good)) if on_error == "skip" else good
    for row, place in zip(rows, good, strict=True):
        assert (images[row] == dataset.at(place, epoch=0)[0]).all()
