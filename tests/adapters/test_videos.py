"""Videos in every adapter: batches (B, T, …), the same for all workers, each sample what the pipeline makes of its clip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import seedsafe as ss
from seedsafe.reading import augment_sample

CLIPS = np.random.default_rng(0).integers(0, 256, (6, 20, 12, 16, 3), dtype=np.uint8)
MASKS = (CLIPS[..., 0] > 128).astype(np.uint8)
AUGMENT = ss.Compose(
    [
        ss.TemporalSample(4, stride=(1, 3)),
        ss.RandomResizedCrop(8),
        ss.HorizontalFlip(),
        ss.ColorJitter(0.4, 0.4),
        ss.Normalize((0.5,) * 3, (0.2,) * 3),
        ss.ToCHW(),
    ]
)


class Tuples:
    """A dataset of clips, their masks and labels."""

    def __len__(self) -> int:
        return len(CLIPS)

    def __getitem__(self, index: int) -> Any:
        return CLIPS[index], MASKS[index], index


TARGETS = ("video", "video_mask", None)


def wanted(index: int, epoch: int = 0) -> dict[str, np.ndarray]:
    sample = {"video": CLIPS[index], "video_mask": MASKS[index]}
    made: dict[str, np.ndarray] = AUGMENT(sample, key=ss.SampleKey(42, epoch, index))
    return made


def check(videos: Any, masks: Any, labels: Any, epoch: int = 0) -> None:
    """Raise AssertionError unless each sample of a batch is what the pipeline makes of its clip."""
    assert (videos.shape[1:], str(videos.dtype)) == ((4, 3, 8, 8), "float32")
    for video, mask, label in zip(videos, masks, labels, strict=True):
        one = wanted(int(label), epoch)
        np.testing.assert_array_equal(video, one["video"])
        np.testing.assert_array_equal(mask, one["video_mask"])


@pytest.mark.parametrize("workers", [0, 2])
def test_torch(workers: int) -> None:
    import seedsafe_torch as st

    data = st.AugmentedDataset(Tuples(), AUGMENT, seed=42, targets=TARGETS)
    loader = st.loader(data, batch_size=4, num_workers=workers)
    for epoch in range(2):
        batches = list(loader)
        assert [len(labels) for _, _, labels in batches] == [4, 2]
        for videos, masks, labels in batches:
            check(videos.numpy(), masks.numpy(), labels, epoch)


def test_torch_views() -> None:
    import seedsafe_torch as st

    augment = ss.Compose([ss.TemporalSample(4, clips=2), ss.ThreeCrop(8)])
    (clips, label) = st.AugmentedDataset([(CLIPS[0], 3)], augment, seed=42, targets="video", views=6)[0]
    assert label == 3
    assert len({clip.tobytes() for clip in clips}) == len(clips) == 6
    for view, clip in enumerate(clips):
        first, left = (4 + 8 * (view % 2), [0, 4, 8][view % 3])
        np.testing.assert_array_equal(clip, CLIPS[0][first : first + 4, 2:10, left : left + 8])


def test_keras() -> None:
    import keras

    from seedsafe_keras import AugmentedSequence

    class Ready(keras.utils.PyDataset):  # type: ignore[misc]
        """One ready batch."""

        def __len__(self) -> int:
            return 1

        def __getitem__(self, number: int) -> Any:
            return CLIPS, MASKS, np.arange(len(CLIPS))

    options: dict[str, Any] = {"seed": 42, "targets": TARGETS, "shuffle": False, "epoch": 1}
    sequence = AugmentedSequence(Tuples(), AUGMENT, batch_size=4, **options)
    for number in range(2):
        check(*sequence[number], epoch=1)
    check(*AugmentedSequence(Ready(), AUGMENT, **options)[0], epoch=1)


def test_tensorflow() -> None:
    import seedsafe_tf as sf

    data = sf.augment(Tuples(), AUGMENT, seed=42, batch_size=4, targets=TARGETS, epochs=1)
    assert data.element_spec[0].shape[1:] == (4, 3, 8, 8)
    for videos, masks, labels in data.as_numpy_iterator():
        check(videos, masks, labels)


def test_a_sample_by_itself() -> None:
    video, mask, label = augment_sample(AUGMENT, Tuples()[2], ss.SampleKey(42, 0, 2), TARGETS)
    check(video[None], mask[None], [label])
