"""torchvision among seedsafe's transforms: it leaves NumPy arrays alone, so it is given tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from libraries import IMAGES

import seedsafe as ss

pytestmark = pytest.mark.bridge
KEY = ss.SampleKey(42, 3, 7)


def flips() -> list[Any]:
    import torch
    from torchvision import transforms as v1
    from torchvision.transforms import v2

    return [
        v1.RandomHorizontalFlip(1.0),
        v2.RandomHorizontalFlip(1.0),
        v2.Compose([v2.Compose([v2.RandomHorizontalFlip(1.0)])]),
        torch.nn.Sequential(v2.RandomHorizontalFlip(1.0)),
    ]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize(
    "image", [IMAGES[0], IMAGES[0][..., 0], IMAGES[0][..., :1]], ids=lambda i: str(i.shape)
)
def test_a_flip_flips_an_array(number: int, image: np.ndarray) -> None:
    made = ss.Compose([ss.bridge(flips()[number])])(image, key=KEY)
    np.testing.assert_array_equal(made, image[:, ::-1], strict=True)


def test_it_stands_among_ours() -> None:
    augment = ss.Compose([ss.RandomCrop(24), ss.bridge(flips()[1]), ss.ToCHW()])
    ours = ss.Compose([ss.RandomCrop(24), ss.HorizontalFlip(p=1), ss.ToCHW()])
    np.testing.assert_array_equal(augment(IMAGES[0], key=KEY), ours(IMAGES[0], key=KEY), strict=True)


def test_a_mask_beside_the_image_is_refused() -> None:
    sample = {"image": IMAGES[0], "mask": IMAGES[0][..., 0]}
    with pytest.raises(ValueError, match="gets the image alone"):
        ss.Compose([ss.bridge(flips()[1])])(sample, key=KEY)


def test_a_video_goes_frame_by_frame_from_the_same_seeds() -> None:
    import torch
    from torchvision import tv_tensors
    from torchvision.transforms import v2

    from seedsafe.reading import augment_sample

    clip = np.stack([IMAGES[0], IMAGES[0][::-1], IMAGES[0]])
    augment = ss.Compose([ss.RandomCrop(24), ss.bridge(v2.RandomHorizontalFlip(0.5)), ss.HorizontalFlip()])
    for index in range(4):
        key = ss.SampleKey(42, 3, index)
        wanted = np.stack([augment(frame, key=key) for frame in clip])
        np.testing.assert_array_equal(augment(video=clip, key=key)["video"], wanted, strict=True)
        video = tv_tensors.Video(torch.from_numpy(clip).permute(0, 3, 1, 2))
        made = augment_sample(augment, (index, video), key, (None, "video"))[1]
        assert isinstance(made, tv_tensors.Video)
        np.testing.assert_array_equal(made.permute(0, 2, 3, 1).numpy(), wanted, strict=True)
