"""Frames of videos: which are kept, before and after they are decoded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refused import refused

import seedsafe as ss
from seedsafe.functional import clip_frames
from seedsafe.reading import KeyedReader

KEYS = [ss.SampleKey(42, 3, index, view=index % 4) for index in range(60)]
VIDEO = np.arange(90, dtype=np.uint8)[:, None, None] + np.zeros((90, 4, 5), np.uint8)


def test_a_clip_has_the_frames_that_are_drawn() -> None:
    for key in KEYS:
        for sample in (ss.TemporalSample(8, stride=(2, 20)), ss.TemporalSample(15, stride=3, segments=3)):
            made = sample({"video": VIDEO, "video_mask": VIDEO}, key=key)
            assert made["video"][:, 0, 0].tolist() == sample.indices(90, key=key)
            np.testing.assert_array_equal(made["video"], made["video_mask"])
            assert made["video"].flags.carray
            assert not np.shares_memory(made["video"], VIDEO)


def test_clips_of_views_lie_evenly_and_draw_nothing() -> None:
    sample = ss.TemporalSample(4, stride=2, clips=3)
    for seed in (0, 1):
        starts = [sample.indices(66, key=ss.SampleKey(seed, 0, 7, view=view))[0] for view in range(6)]
        assert starts == [10, 30, 50, 10, 30, 50]  # of 60 places
    one = ss.TemporalSample(8, segments=8, clips=1)
    assert one.indices(80, key=KEYS[0]) == list(range(5, 80, 10))
    views = [ss.SampleKey(0, 0, 0, view=view) for view in range(30)]
    both = ss.Compose([ss.TemporalSample(2, clips=10), ss.ThreeCrop(2)])
    video = np.arange(60 * 2 * 9, dtype=np.int32).reshape(60, 2, 9)
    assert len({both(video=video, key=key)["video"].tobytes() for key in views}) == 30


@pytest.mark.parametrize(
    ("sample", "frames", "wanted"),
    [
        (ss.TemporalSample(8, stride=2), 5, [0, 2, 4, 1, 3, 0, 2, 4]),
        (ss.TemporalSample(8, stride=2, short="repeat"), 5, [0, 2, 4, 4, 4, 4, 4, 4]),
        (ss.TemporalSample(3), 1, [0, 0, 0]),
        (ss.TemporalSample(6, segments=6), 3, [0, 0, 1, 1, 2, 2]),
        (ss.TemporalSample(6, segments=3, stride=2), 2, [0, 0, 0, 0, 0, 0]),
        (ss.TemporalSample(6, segments=3, stride=2, short="repeat"), 2, [0, 1, 0, 1, 0, 1]),
        (ss.TemporalSample(5, stride=2, short="error"), 9, [0, 2, 4, 6, 8]),
    ],
    ids=repr,
)
def test_short_videos(sample: ss.TemporalSample, frames: int, wanted: list[int]) -> None:
    for key in KEYS:
        assert sample.indices(frames, key=key) == wanted


test_bad_arguments = refused(
    (lambda: ss.TemporalSample(0), ValueError, "n_frames must be at least 1"),
    (lambda: ss.TemporalSample(8, stride=0), ValueError, "stride must be at least 1"),
    (lambda: ss.TemporalSample(8, stride=(4, 2)), ValueError, "swap them"),
    (lambda: ss.TemporalSample(8, segments=3), ValueError, "n_frames must be a multiple of segments, got 8 and 3"),
    (lambda: ss.TemporalSample(8, stride=(1, 2), clips=3), ValueError, "stride must be one number with clips"),
    (lambda: ss.TemporalSample(8, clips=0), ValueError, "clips must be at least 1"),
    (
        lambda: ss.TemporalSample(8, stride=3, short="error")(video=VIDEO[:21], key=KEYS[0]),
        ValueError,
        'a stride of 3 needs a video of 22 frames, got 21: pass a smaller stride, or short="loop" or "repeat"',
    ),
    (lambda: ss.TemporalSample(8, segments=8, short="error")(video=VIDEO[:7], key=KEYS[0]), ValueError, "8 segments need at least as many frames, got 7"),
    (lambda: ss.TemporalSample(8)(VIDEO[:, 0, 0], key=KEYS[0]), ValueError, "video must have the shape (T, H, W)"),
    (lambda: ss.TemporalSample(8)({"image": VIDEO}, key=KEYS[0]), ValueError, "TemporalSample needs 'video' in the sample"),
    (lambda: ss.TemporalSample(8).indices(0, key=KEYS[0]), ValueError, "frames must be at least 1 and below"),
    (lambda: ss.TemporalSample(8).indices(2.5, key=KEYS[0]), TypeError, "frames must be an integer, got 2.5"),
    (lambda: ss.TemporalSample(8).indices(90), TypeError, "key"),
)  # fmt: skip


class Clips:
    """A dataset that decodes only the frames that it is told to."""

    sample = ss.TemporalSample(6, stride=(2, 4))

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {"video": VIDEO[self.sample.indices(90 - index)], "label": index}


def test_a_base_is_told_which_frames_to_decode() -> None:
    augment = ss.Compose([ss.RandomCrop(3), ss.HorizontalFlip()])
    reader = KeyedReader(Clips(), augment, seed=42)
    order = [3, 0, 4, 3]
    made = {index: reader.sample(ss.SampleIndex(index, epoch=1))["video"] for index in order}
    for index in order:
        drawn = made[index][:, 0, 0].tolist()
        assert len(set(np.diff(drawn))) == 1
        np.testing.assert_array_equal(reader.sample(ss.SampleIndex(index, epoch=1))["video"], made[index])
    again = [reader.sample(ss.SampleIndex(3, epoch=epoch))["video"][:, 0, 0].tolist() for epoch in range(8)]
    assert len({tuple(one) for one in again}) > 4


def test_what_a_pipeline_draws_does_not_depend_on_the_other_form() -> None:
    """With a key it is what the transform draws in a pipeline; without, it has a stream of its own for each call."""
    sample = ss.TemporalSample(6, stride=2, name="frames")
    augment = ss.Compose([sample, ss.HorizontalFlip(p=1)])
    for key in KEYS[:9]:
        assert augment.params(key, {"video": VIDEO})[0].params.indices == tuple(sample.indices(90, key=key))


def test_json_and_params_of_a_pipeline() -> None:
    augment = ss.Compose([ss.TemporalSample(8, segments=4, stride=(1, 3)), ss.RandomCrop(3)])
    assert ss.Compose.from_json(augment.to_json()) == augment
    drawn = augment.params(KEYS[1], {"video": (90, 4, 5)})
    assert len(drawn[0].params.indices) == 8
    made = augment({"video": VIDEO}, key=KEYS[1])["video"]
    assert made.shape == (8, 3, 3)
    np.testing.assert_array_equal(augment.replay({"video": VIDEO}, drawn)["video"], made)


def test_the_plain_function() -> None:
    with pytest.raises(
        ValueError, match="a clip of 3 frames with a stride of 2 needs a video of 5 frames, got 4"
    ):
        clip_frames(0, 3, 2, 4, "error")
