"""Faulty samples without a framework: the error, the check for NaN, the partner, and the list of failures."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from fault_workers import adding, rank
from programs import python

import seedsafe as ss
import seedsafe_albumentations
from seedsafe.keys.key import address, op_of, philox
from seedsafe.pipeline.boxes import Edges
from seedsafe.reading import (
    FailureLog,
    KeyedReader,
    augment_sample,
    read_batch,
    require_finite,
    require_finite_after,
)
from seedsafe.reading.faults import TRIES, Faults, NotFiniteError, Skipped, path_of, substitutes, transform_of

KEY = ss.SampleKey(42, 3, 7)
ROOT = Path(__file__).parents[1]


# The error


def test_the_error_survives_pickling_and_being_made_of_its_message_alone() -> None:
    error = ss.SampleError(
        "sample 7 failed", index=7, path="7.png", epoch=3, worker=1, transform="RandomCrop"
    )
    other = pickle.loads(pickle.dumps(error))
    assert type(other) is ss.SampleError
    assert (str(other), vars(other)) == ("sample 7 failed", vars(error))
    again = ss.SampleError("Caught SampleError in DataLoader worker process 1.")
    assert again.index is None
    assert isinstance(again, RuntimeError)


class Failing(ss.ImageTransform):
    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        raise KeyError("no such colour")


class Undrawable(Failing):
    def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
        raise KeyError("no such number")


def bare(image: np.ndarray, *, key: ss.SampleKey) -> np.ndarray:
    raise KeyError("a callable that is no transform")


IMAGE = np.zeros((8, 8), np.uint8)


def test_a_callable_of_a_package_whose_name_begins_like_ours_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "seedsafe_mine.py").write_text(
        "class Cut:\n    def __call__(self, sample, *, key):\n        raise ValueError('too small')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import seedsafe_mine

    with pytest.raises(ValueError, match="too small") as raised:
        augment_sample(seedsafe_mine.Cut(), np.zeros((2, 2), np.uint8), ss.SampleKey(1, 2, 3))
    assert transform_of(raised.value) == "Cut"


def test_the_path_is_found_through_datasets() -> None:
    files = SimpleNamespace(samples=[("0.png", 0), ("1.png", 1), ("2.png", 0)])
    assert path_of(files, 1) == "1.png"
    assert path_of(SimpleNamespace(path=lambda place: Path("x", str(place))), 4) == "x/4"
    subset = torch.utils.data.Subset(files, [2, 0])  # type: ignore[arg-type]
    assert path_of(subset, 0) == "2.png"
    both = SimpleNamespace(datasets=[subset, files], cumulative_sizes=[2, 5])
    assert [path_of(both, place) for place in range(5)] == ["2.png", "0.png", "0.png", "1.png", "2.png"]
    assert path_of(SimpleNamespace(dataset=files), 2) == "2.png"
    for unknown in ([IMAGE], SimpleNamespace(path="/data"), SimpleNamespace(samples=[IMAGE]), files):
        assert path_of(unknown, 99 if unknown is files else 0) is None


# The transform's name, however the transform was reached


class Cut:
    def __init__(self, error: type[Exception] = KeyError) -> None:
        self.error = error

    def __call__(self, sample: Any, *, key: ss.SampleKey) -> Any:
        raise self.error("no such colour")

    def method(self, sample: Any, *, key: ss.SampleKey) -> Any:
        return self(sample, key=key)


class AroundAPipeline:
    def __call__(self, sample: Any, *, key: ss.SampleKey) -> Any:
        return ss.Compose([Failing()])(sample, key=key)


class OwnCall(ss.Compose):
    def __call__(self, sample: Any = None, *, key: ss.SampleKey | None = None, **parts: Any) -> Any:
        return super().__call__(sample, key=key, **parts)


class Picky(ss.OneOf):
    def choose(self, draws: Any) -> Any:
        raise KeyError("no such transform")


class FailingMix(ss.MixUp):
    def mix_images(self, images: Any, params: Any) -> Any:
        raise KeyError("no such share")


@dataclass(frozen=True)
class FrozenError(ValueError):
    """An error whose attributes cannot be set."""

    reason: str = "frozen"


def base_with_a_pipeline(index: int) -> np.ndarray:
    return ss.Compose([Failing(name="in the base")])(IMAGE)  # type: ignore[no-any-return]


def drop_in(image: np.ndarray, *, key: ss.SampleKey) -> Any:
    return seedsafe_albumentations.Compose([seedsafe_albumentations.RandomCrop(99, 99)])(
        image=image, key=key
    )["image"]


class Base:
    """Images, or what a function returns instead."""

    def __init__(self, read: Any = lambda index: np.zeros((8, 8, 3), np.uint8)) -> None:
        self.read = read

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> Any:
        return self.read(index)


class SettlesBadly(ss.ImageTransform):
    def settle(self, params: Any, sample: Any, info: ss.Info) -> Any:
        raise KeyError("no such part")

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return image


class Nests(ss.ImageTransform):
    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        return ss.Compose([Failing(name="inner")])(image, key=KEY)  # type: ignore[no-any-return]


class FailsFor(ss.ImageTransform):
    def __init__(self, value: int) -> None:
        self.value = value

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        if (image == self.value).all():
            raise KeyError("no such value")
        return image


class Shy(ss.SpatialTransform):
    """Without apply_keypoints."""

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        raise KeyError("no such colour")


def raising(image: np.ndarray) -> np.ndarray:
    raise KeyError("no such image")


NAMED: dict[str, tuple[Any, Any, str | None]] = {
    "leaf": ([ss.HorizontalFlip(p=1), Failing(name="paint")], None, "paint"),
    "draw": ([Undrawable()], None, "Undrawable"),
    "dict": ([Failing()], lambda index: {"image": IMAGE}, "Failing"),
    "settled": ([SettlesBadly()], lambda index: {"image": IMAGE}, "SettlesBadly"),
    "member of OneOf": ([ss.OneOf([Failing()], p=1)], None, "Failing"),
    "member of RandomApply": ([ss.RandomApply([ss.ToGray(p=1), Failing()], p=1)], None, "Failing"),
    "member of Compose": ([ss.Compose([ss.Compose([Failing()])])], None, "Failing"),
    "member applied again": (
        [ss.SomeOf([ss.RandomCrop(8), ss.RandomCrop(9)], n=4, replace=True)],
        None,
        "RandomCrop#1",
    ),
    "lone": (Failing(name="lone"), None, "lone"),
    "lone container": (ss.OneOf([Failing()]), None, "Failing"),
    "the user's container": ([Picky([Failing()])], None, "Picky"),
    "nested": ([Nests()], None, "Nests"),
    "mixing": ([FailingMix(classes=3, p=1)], lambda index: (np.zeros((8, 8, 3), np.uint8), 1), "FailingMix"),
    "a partner's transform": (
        [FailsFor(8), ss.MixUp(label=None, p=1)],
        lambda index: np.full((8, 8, 3), 8 * (index != 7), np.uint8),
        "MixUp",
    ),
    "bridged": ([ss.bridge(raising, name="foreign")], None, "foreign"),
    "function": (bare, None, "bare"),
    "object": (Cut(), None, "Cut"),
    "method": (Cut().method, None, "Cut.method"),
    "partial": (partial(bare), None, "bare"),
    "pipeline in a callable": (AroundAPipeline(), None, "AroundAPipeline"),
    "Compose with a call of its own": (OwnCall([Failing()]), None, "OwnCall"),
    "frozen error": (Cut(FrozenError), None, "Cut"),
    "drop-in": (drop_in, None, "drop_in"),
    "in the base": (None, base_with_a_pipeline, "in the base"),
    "the base": ([ss.HorizontalFlip()], Cut().method, None),
    "the sample's form": ([ss.HorizontalFlip()], lambda index: (3, IMAGE), None),
    "the augmentation's result": (lambda image, *, key: None, None, None),
}


@pytest.mark.parametrize("views", [None, 2])
@pytest.mark.parametrize("case", NAMED)
def test_the_error_names_the_transform(case: str, views: int | None) -> None:
    augment, read, expected = NAMED[case]
    augment = ss.Compose(augment) if isinstance(augment, list) else augment
    base: Any = Base() if read is None else Base(read)
    if augment is None:
        views = None
    reader = KeyedReader(base, augment, seed=42, views=views)
    with pytest.raises(ss.SampleError) as raised:
        reader.sample(ss.SampleIndex(7, epoch=3))
    assert raised.value.transform == expected
    assert (f", in {expected}:" in str(raised.value)) == (expected is not None)


@pytest.mark.parametrize("ready", [False, True])
def test_an_error_of_a_batch_names_the_transform(ready: bool) -> None:
    augment = ss.Compose([ss.HorizontalFlip(), ss.RandomCrop(9)])
    if ready:
        reader = KeyedReader([np.zeros((32, 8, 8, 3), np.uint8)], augment, seed=42)
        with pytest.raises(ss.SampleError) as raised:
            reader.batch(ss.SampleIndex(0, epoch=3), 32)
    else:
        reader = KeyedReader(Base(), augment, seed=42)
        with pytest.raises(ss.SampleError) as raised:
            read_batch(reader, [ss.SampleIndex(k, epoch=3) for k in range(32)])
    assert raised.value.transform == "RandomCrop"


def test_an_error_of_a_replay_and_of_memory_of_the_caller_names_the_transform() -> None:
    augment = ss.Compose([Failing(name="paint")])
    for sample in (IMAGE, {"image": IMAGE}):
        with pytest.raises(KeyError) as raised:
            augment.replay(sample, [("paint", ())])
        assert transform_of(raised.value) == "paint"
    for target in (np.zeros((3, 2), np.uint8), {"keypoints": np.zeros((1, 2))}):
        with pytest.raises((KeyError, ValueError, NotImplementedError)) as raised:
            ss.Compose([Shy()]).replay(target, [("Shy", ())], info=(8, 8))
        assert transform_of(raised.value) == "Shy"
    reader = KeyedReader(Base(), ss.Compose([ss.HorizontalFlip(), ss.Normalize((0, 0), (1, 1))]), seed=42)
    with pytest.raises(ss.SampleError) as failed:
        reader.sample(ss.SampleIndex(7, epoch=3), row=np.empty((8, 8, 3), np.float32))
    assert failed.value.transform == "Normalize"


def test_a_name_goes_with_its_error_alone() -> None:
    with pytest.raises(KeyError) as raised:
        ss.Compose([Failing()])(IMAGE, key=KEY)
    assert transform_of(raised.value) == "Failing"
    assert transform_of(KeyError("no such colour")) is None
    with pytest.raises(KeyError) as raised:
        ss.Compose([Failing(name="another")])(IMAGE, key=KEY)
    assert transform_of(raised.value) == "another"


# NaN and infinity


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (
            np.array([[1, np.nan], [np.inf, 0]], np.float32),
            r"2 values of 4 that are not finite, the first at \(0, 1\): nan",
        ),
        (
            (IMAGE, np.array([-np.inf])),
            r"1 value of 1 in \[1\] that is not finite, the first at \(0,\): -inf",
        ),
        ({"image": IMAGE, "more": [1.0, {"y": float("nan")}]}, r"nan in \['more'\]\[1\]\['y'\]"),
        (np.float32("inf"), "inf in itself"),
        (torch.tensor([0.0, torch.nan], dtype=torch.bfloat16), r"1 value of 2 .*\(1,\): nan"),
        (np.array([1 + 1j * np.inf]), r"1 value of 1"),
    ],
    ids=map(str, range(6)),
)
def test_what_is_not_finite_is_found(sample: Any, message: str) -> None:
    with pytest.raises(NotFiniteError, match=message):
        require_finite(sample)


def test_what_is_finite_passes() -> None:
    largest = np.full(9, np.finfo(np.float32).max, np.float32)  # their sum is not finite
    require_finite(
        (largest, IMAGE, 3, "nan", None, {"a": torch.zeros(2), "b": torch.ones(2, dtype=torch.int64)})
    )


class Divide(ss.ImageTransform):
    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return image / image


def test_the_member_that_made_nan_is_named() -> None:
    augment = ss.Compose([ss.RandomCrop(4), ss.ToFloat(), Divide(), ss.Normalize(0, 1)])

    def again(other: Any) -> Any:
        return augment_sample(other, IMAGE, KEY)

    with pytest.raises(NotFiniteError, match="the augmented sample has 16 values of 16") as raised:
        require_finite_after(augment, again(augment), again)
    assert transform_of(raised.value) == "Divide"
    with pytest.raises(NotFiniteError) as raised:
        require_finite_after(Divide(name="by itself"), again(Divide()), again)
    assert transform_of(raised.value) == "Divide"


# The partner


def test_partners_are_drawn_from_their_own_stream_and_never_the_sample_itself() -> None:
    words = philox(address(KEY, op_of("seedsafe/replace"))).random_raw(TRIES).tolist()
    for count in (2, 3, 1000):
        for place in range(min(count, 8)):
            others = [index for index in range(count) if index != place]
            assert substitutes(KEY, place, count) == [others[word * len(others) >> 64] for word in words]
    assert substitutes(KEY, 0, 1) == []
    assert (
        len(set(substitutes(ss.SampleKey(42, 3, 8), 8, 10**6)) | set(substitutes(KEY, 8, 10**6))) == 2 * TRIES
    )


def test_the_tries_are_bounded_and_the_error_says_so() -> None:
    faults = Faults("replace")
    tried = []

    def make(other: int) -> Any:
        tried.append(other)
        raise OSError("gone as well")

    cause = OSError("gone")
    with pytest.raises(
        ss.SampleError, match=r"sample 7 failed in epoch 3.*OSError: gone; 16 other samples"
    ) as raised:
        faults.recover(cause, [None] * 9, 7, KEY, make, None)
    assert raised.value.__cause__ is cause
    assert tried == substitutes(KEY, 7, 9)


def test_bad_policies() -> None:
    with pytest.raises(ValueError, match=r"on_error must be one of 'raise', 'replace', got 'ignore'"):
        Faults("ignore")
    with pytest.raises(ValueError, match=r"define __len__ on the base"):
        Faults("replace").require_length(object())
    Faults("raise").require_length(object())


def test_a_mark_cannot_be_taken_for_a_sample() -> None:
    mark = pickle.loads(pickle.dumps(Skipped(7, "OSError: gone", "torch's collate")))
    for use in (iter, len, lambda it: it[0], bool, np.stack, tuple):
        with pytest.raises(TypeError, match=r"sample 7 failed .* nothing dropped it: use torch's collate"):
            use(mark)


# The list of failures


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_every_process_adds_to_the_list_of_its_parent(method: str) -> None:
    log = FailureLog("left out")
    context: Any = multiprocessing.get_context(method)
    with context.Pool(3) as pool:
        pool.starmap(adding, [(log, 100 * number) for number in range(6)])
    found = log.failures()
    assert list(found) == [1]
    assert list(found[1]) == [100 * number + place for number in range(6) for place in range(50)]
    assert {len(reason) for reason in found[1].values()} == {len("ValueError: " + "long " * 150)}


def test_a_rank_that_was_handed_the_list_hears_of_its_own_workers() -> None:
    log = FailureLog("left out")
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=rank, args=(log, results))
    process.start()
    assert results.get(timeout=60) == {1: [*range(50), *range(100, 150)]}
    process.join()
    assert log.failures() == {}


def test_every_thread_adds_to_it() -> None:
    log = FailureLog("left out")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda start: adding(log, start), range(0, 800, 100)))
    assert len(log.failures()[1]) == 400


def test_copies_begin_anew() -> None:
    log = FailureLog("left out")
    log.add(0, 1, "gone")
    for other in (copy.deepcopy(log), pickle.loads(pickle.dumps(log))):
        other.add(0, 2, "gone")
        assert other.failures() == {0: {2: "gone"}}
    assert log.failures() == {0: {1: "gone"}}


def test_a_report_tells_each_failure_once() -> None:
    log = FailureLog("replaced")
    for index in range(30):
        log.add(0, index, f"reason {index}")
    log.add(ss.VALIDATION_EPOCH, 4, "gone")
    with pytest.warns(UserWarning, match="dataset|validation") as caught:
        log.report("dataset 1 of 2: ")
    first, second = (str(one.message) for one in caught)
    assert first.startswith("dataset 1 of 2: 30 samples failed in epoch 0 and were replaced: 0, 1, 2,")
    assert first.endswith("19, …. The first: reason 0. failures() lists them all")
    assert "1 sample failed in the validation epoch and was replaced: 4. The first: gone" in second
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log.report()
    log.add(0, 3, "again")
    with pytest.warns(UserWarning, match=r"1 sample failed in epoch 0 .*: 3\. The first: again"):
        log.report()
    assert len(log.failures()[0]) == 30


def test_what_nobody_was_told_is_told_at_the_end_and_the_files_go() -> None:
    log = FailureLog("left out")
    log.add(0, 1, "gone")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(log.add, 0, 1, "gone").result()
    paths = log._files.found()
    assert len(paths) == 2
    logs = [log]
    del log
    with pytest.warns(UserWarning, match="1 sample failed in epoch 0 and was left out: 1"):
        logs.clear()
    assert not any(map(os.path.exists, paths))
    asked = FailureLog("left out")
    asked.add(0, 1, "gone")
    asked.failures()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del asked


def test_a_file_that_was_swept_away_is_made_again() -> None:
    log = FailureLog("left out")
    log.add(0, 1, "gone")
    assert log.failures() == {0: {1: "gone"}}
    (path,) = log._files.found()
    os.unlink(path)
    assert log.failures() == {0: {1: "gone"}}
    log.add(0, 2, "gone")
    assert log.failures() == {0: {1: "gone", 2: "gone"}}


def test_the_end_of_the_program_tells_as_well() -> None:
    code = "from seedsafe.reading import FailureLog; log = FailureLog('left out'); log.add(0, 5, 'gone'); print(*log._files.found())"
    done = python("-c", code, cwd=ROOT)
    assert "1 sample failed in epoch 0 and was left out: 5. The first: gone" in done.stderr
    (path,) = done.stdout.split()
    assert not os.path.exists(path)


# Users' transforms


class InPlace(ss.SpatialTransform):
    """Breaks the rule: it changes what it is given."""

    def apply_image(self, image: np.ndarray, params: Any) -> np.ndarray:
        image += 1
        return image

    def apply_keypoints(self, keypoints: np.ndarray, params: Any) -> np.ndarray:
        keypoints += 1
        return keypoints

    apply_boxes = apply_keypoints

    apply_mask = apply_image


@pytest.mark.parametrize("augment", [InPlace(), ss.Compose([ss.HorizontalFlip(), InPlace()])], ids=repr)
def test_a_users_transform_cannot_change_the_callers_memory(augment: Any) -> None:
    sample = {
        "image": np.zeros((4, 4), np.uint8),
        "mask": np.zeros((4, 4), np.uint8),
        "keypoints": np.zeros((3, 2), np.float32),
        "boxes": np.zeros((3, 4), np.float32).view(Edges),
    }
    for index in range(8):  # the flip fires for some
        made = augment(sample, key=ss.SampleKey(0, 0, index))
        assert all((part == 0).all() for part in sample.values())
        assert (made["image"] == 1).all()
        assert (made["mask"] == 1).all()
        assert (augment(sample["image"], key=ss.SampleKey(0, 0, index)) == 1).all()
    frozen = np.zeros((4, 4), np.uint8)
    frozen.flags.writeable = False
    assert (augment(frozen, key=KEY) == 1).all()
