"""Videos: one draw for all frames, each of which is what the image transforms make of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import IMAGES
from every import EVERY

import seedsafe as ss
from seedsafe.pipeline.boxes import Edges
from seedsafe.reading import SampleError, augment_sample, augment_views, check_targets

KEY = ss.SampleKey(42, 3, 1234)
KEYS = [ss.SampleKey(42, 3, index) for index in range(6)]
SHAPE = (5, 40, 50, 3)
VIDEO = np.random.default_rng(0).integers(0, 256, SHAPE, dtype=np.uint8)
MASKS = (VIDEO[..., 0] > 128).astype(np.uint8)
AUGMENT = ss.Compose(
    [
        ss.RandomResizedCrop(24),
        ss.HorizontalFlip(),
        ss.SomeOf([ss.ColorJitter(0.4, 0.4, 0.4, 0.1), ss.ToGray(p=1), ss.GaussianBlur()], n=2),
        ss.OneOf([ss.GaussianNoise(), ss.Posterize(3, p=1)]),
        ss.Compose([ss.RandomErasing(p=0.5), ss.Rotate(20, mask_fill=7)]),
    ]
)
TO_MODEL = ss.Compose([*AUGMENT.transforms, ss.Normalize((0.5, 0.4, 0.3), (0.2, 0.2, 0.2)), ss.ToCHW()])


def frame_by_frame(augment: Any, video: np.ndarray, key: ss.SampleKey, **more: Any) -> np.ndarray:
    return np.stack([augment({"image": frame, **more}, key=key)["image"] for frame in video])


def same(made: Any, wanted: np.ndarray) -> bool:
    return (made.shape, made.dtype, made.tobytes()) == (wanted.shape, wanted.dtype, wanted.tobytes())


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("name", [name for name, one in EVERY.items() if "uint8" in one.takes])
def test_each_frame_is_what_the_image_transform_makes_of_it(name: str, dtype: str) -> None:
    one = EVERY[name]
    video = VIDEO if dtype == "uint8" else (VIDEO / np.float32(255)).astype(np.float32)
    more: dict[str, Any] = {
        "mask": {"mask": MASKS[0]},
        "boxes": {"boxes": np.array([[3.0, 4.0, 20.0, 30.0]]).view(Edges)},
    }
    more = more.get(str(one.case.needs), {})
    augment = ss.Compose([one.transform])
    for key in KEYS[:3]:
        made = augment({"video": video, **more}, key=key)["video"]
        assert same(made, frame_by_frame(augment, video, key, **more))
        assert made.flags.carray
        assert not np.shares_memory(made, video)
        drawn = augment.params(key, {"video": video, **more})
        assert repr(drawn) == repr(augment.params(key, {"image": video[0], **more}))
        assert same(augment.replay({"video": video, **more}, drawn)["video"], made)


@pytest.mark.parametrize("augment", [AUGMENT, TO_MODEL], ids=["pixels", "model"])
@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.index))
def test_a_pipeline_with_containers(augment: ss.Compose, key: ss.SampleKey) -> None:
    before = VIDEO.copy()
    grey = VIDEO[..., 0]
    assert same(augment({"video": VIDEO}, key=key)["video"], frame_by_frame(augment, VIDEO, key))
    assert same(augment(video=VIDEO, key=key)["video"], frame_by_frame(augment, VIDEO, key))
    strided = np.asfortranarray(VIDEO[::-1])
    assert same(augment({"video": strided}, key=key)["video"], frame_by_frame(augment, strided, key))
    assert augment.params(key, {"video": VIDEO}) == augment.params(key, {"video": ss.Info(SHAPE, "uint8")})
    plain = ss.Compose([ss.RandomCrop(20), ss.HorizontalFlip(), ss.Normalize((0.5,), (0.5,)), ss.ToCHW()])
    assert same(plain({"video": grey}, key=key)["video"], frame_by_frame(plain, grey, key))
    assert same(
        ss.Compose.from_json(augment.to_json())({"video": VIDEO}, key=key)["video"],
        augment(video=VIDEO, key=key)["video"],
    )
    np.testing.assert_array_equal(VIDEO, before)
    assert TO_MODEL(video=VIDEO, key=key)["video"].shape == (5, 3, 24, 24)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.index))
def test_masks_boxes_and_keypoints_go_with_the_frames(key: ss.SampleKey) -> None:
    sample = {
        "video": VIDEO,
        "video_mask": MASKS,
        "mask": MASKS[0],
        "masks": [MASKS[1], MASKS[2].astype(np.float32)],
        "boxes": np.array([[3.0, 4.0, 20.0, 30.0, 2.0]]).view(Edges),  # with the number of its frame
        "keypoints": np.array([[3.0, 4.0, 1.0]]),
        "label": "a",
    }
    rest = {name: sample[name] for name in ("mask", "masks", "boxes", "keypoints")}
    made = AUGMENT(sample, key=key)
    one = AUGMENT({"image": VIDEO[0], **rest}, key=key)
    assert made["label"] == "a"
    for name in ("mask", "boxes", "keypoints"):
        assert same(made[name], one[name])
    assert all(same(a, b) for a, b in zip(made["masks"], one["masks"], strict=True))
    wanted = np.stack([AUGMENT({"image": VIDEO[0], "mask": mask}, key=key)["mask"] for mask in MASKS])
    assert same(made["video_mask"], wanted)
    assert not np.shares_memory(made["video_mask"], MASKS)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key.index))
def test_boxes_under_rules_need_no_image(key: ss.SampleKey) -> None:
    augment = ss.Compose(
        AUGMENT.transforms,
        boxes=ss.Boxes("yolo", labels="names", min_visibility=0.2),
        keypoints=ss.Keypoints(outside="drop"),
    )
    boxes = np.array([[0.3, 0.4, 0.2, 0.3, 0.0], [0.7, 0.7, 0.3, 0.3, 4.0], [0.1, 0.1, 0.1, 0.1, 4.0]])
    parts = {"boxes": boxes, "names": ["a", "b", "c"], "keypoints": np.array([[30.0, 30.0, 2.0]])}
    made, one = augment({"video": VIDEO, **parts}, key=key), augment({"image": VIDEO[0], **parts}, key=key)
    assert made["names"] == one["names"]
    assert same(made["boxes"], one["boxes"])
    assert same(made["keypoints"], one["keypoints"])
    drawn = augment.params(key, {"video": VIDEO, "boxes": boxes})
    alone = augment.replay(parts, drawn, info={"video": ss.Info(SHAPE, "uint8", boxes)})
    assert same(alone["boxes"], one["boxes"])
    masks = augment.replay({"video_mask": MASKS}, drawn, info={"video": ss.Info(SHAPE, "uint8", boxes)})
    assert same(
        masks["video_mask"], augment({"video": VIDEO, "video_mask": MASKS, **parts}, key=key)["video_mask"]
    )


def test_an_image_beside_a_video_goes_with_it() -> None:
    made = AUGMENT({"image": VIDEO[2], "video": VIDEO}, key=KEY)
    assert same(made["image"], made["video"][2])


class Wave(ss.ImageTransform):
    """Adds a drawn number and changes the channels, in the memory that it is given."""

    def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
        return rng.integer(9), info.shape

    def out_info(self, info: ss.Info, params: Any) -> ss.Info:
        return info.reshaped(*info.shape[:2], 1)

    def apply_image(self, image: np.ndarray, params: Any, info: ss.Info) -> np.ndarray:
        assert info.shape == params[1] == image.shape
        image += np.uint8(params[0])
        return image[..., :1]


def test_a_users_transform_takes_videos() -> None:
    augment = ss.Compose([Wave(), ss.RandomCrop(8)])
    before = VIDEO.copy()
    assert same(augment(video=VIDEO, key=KEY)["video"], frame_by_frame(augment, VIDEO, KEY))
    np.testing.assert_array_equal(VIDEO, before)
    drawn = augment.params(KEY, {"video": SHAPE})
    assert drawn[0].params[1] == SHAPE[1:]


def test_what_belongs_to_the_frames_does_not_stay_behind_when_some_are_kept() -> None:
    import torch

    import seedsafe_torch as sst

    keep = ss.TemporalSample(3)
    for name, part in (("flow", VIDEO[..., :2]), ("depth", VIDEO[..., 0])):
        with pytest.raises(
            ValueError, match=f"the sample's '{name}', an array of shape .* would stay unchanged"
        ):
            keep({"video": VIDEO, name: part}, key=KEY)
    assert keep({"video": VIDEO, "label": 3}, key=KEY)["label"] == 3
    clip = torch.from_numpy(VIDEO.transpose(0, 3, 1, 2).copy())
    for augment in (keep, ss.Compose([keep, ss.HorizontalFlip()])):
        for sample in (
            (VIDEO, MASKS),
            (VIDEO, VIDEO[..., :2]),
            [clip, torch.from_numpy(MASKS)],
            (clip, clip[:, :1]),
        ):
            with pytest.raises(SampleError, match=r"\[1\], .* targets=\('video', 'video_mask'\)"):
                sst.AugmentedDataset([sample], augment, seed=1)[0]
            made = sst.AugmentedDataset([sample], augment, seed=1, targets=("video", "video_mask"))[0]
            assert len(made[0]) == len(made[1]) == 3
        assert sst.AugmentedDataset([(VIDEO, 3, np.zeros(3))], augment, seed=1)[0][1] == 3


def test_audio_beside_a_video_is_left_as_beside_an_image() -> None:
    class Half(ss.Transform):
        primary = ("image", "audio")

        def draw(self, rng: ss.Draws, info: ss.Info) -> int:
            return info.shape[0] // 2

        def apply_image(self, image: np.ndarray, rows: int) -> np.ndarray:
            return image[:rows]

        def apply_audio(self, audio: np.ndarray, rows: int) -> np.ndarray:
            return audio[:rows]

    audio = np.zeros(10, np.float32)
    made, one = Half()(video=VIDEO, audio=audio, key=KEY), Half()(image=VIDEO[0], audio=audio, key=KEY)
    assert same(made["video"], VIDEO[:, :20])
    assert made["audio"].shape == one["audio"].shape == (10,)


def test_a_transform_may_see_all_frames() -> None:
    class Blend(Wave):
        def apply_video(self, video: np.ndarray, params: Any) -> np.ndarray:
            return np.broadcast_to(video.mean(axis=0).astype(np.uint8), video.shape)

    made = Blend()({"video": VIDEO}, key=KEY)["video"]
    assert made.flags.carray
    np.testing.assert_array_equal(made[0], VIDEO.mean(axis=0).astype(np.uint8))

    class Backwards(ss.VideoTransform):
        def apply_video(self, video: np.ndarray, params: Any) -> np.ndarray:
            return video[::-1]

    np.testing.assert_array_equal(Backwards()(video=VIDEO, key=KEY)["video"], VIDEO[::-1])
    np.testing.assert_array_equal(Backwards()(VIDEO, key=KEY), VIDEO[::-1])
    with pytest.raises(
        NotImplementedError, match="Backwards changes a video's frames and has no apply_video_mask: define it"
    ):
        Backwards()({"video": VIDEO, "video_mask": MASKS}, key=KEY)


def test_frames_that_become_unequal() -> None:
    class Odd(ss.ImageTransform):
        def apply_image(self, image: np.ndarray, params: Any) -> Any:
            return image[: int(image[0, 0, 0]) % 7 + 1] if image[0, 0, 0] else None

    with pytest.raises(
        ValueError,
        match=r"the results for all frames of a video must have one shape and dtype, got \(., 50, 3\), uint8 and",
    ):
        Odd()({"video": VIDEO}, key=KEY)
    with pytest.raises(TypeError, match="apply of Odd returned NoneType: return a NumPy array"):
        Odd()({"video": np.zeros(SHAPE, np.uint8)}, key=KEY)


@pytest.mark.parametrize(
    ("sample", "error", "message"),
    [
        ({"video": VIDEO[:0]}, ValueError, r"video must not be empty, got the shape \(0, 40, 50, 3\)"),
        ({"video": VIDEO[0, :, :, 0]}, ValueError, r"video must have the shape \(T, H, W\) or \(T, H, W, C\), T frames, got"),
        ({"video": VIDEO[None]}, ValueError, r"got \(1, 5, 40, 50, 3\): put its frames together with numpy.stack\(frames\)"),
        ({"video": VIDEO[0]}, ValueError, r"got \(40, 50, 3\), which seems to be one image: put an image under 'image'"),
        ({"video": list(VIDEO)}, TypeError, "video must be a NumPy array, got builtins.list"),
        ({"video": VIDEO.transpose(0, 3, 1, 2)}, ValueError, r"channels seem to be on axis 1: pass video.transpose\(0, 2, 3, 1\)"),
        ({"video": VIDEO.transpose(3, 0, 1, 2)}, ValueError, r"channels seem to be on axis 0: pass video.transpose\(1, 2, 3, 0\)"),
        ({"video": VIDEO, "image": VIDEO[0, 1:]}, ValueError, "image and the frames of video must have the same height and width"),
        ({"video": VIDEO, "mask": MASKS}, ValueError, r"put a mask for each frame, \(T, H, W\), under 'video_mask'"),
        ({"video": VIDEO, "video_mask": MASKS[1:]}, ValueError, "video_mask and video must have the same number of frames"),
        ({"video": VIDEO, "labels_per_frame": MASKS}, ValueError, r"'labels_per_frame', an array of shape \(5, 40, 50\), .*call it 'video_mask'"),
        ({"video": VIDEO, "flow": VIDEO[..., :2]}, ValueError, "'flow', an array of shape .*call it 'video_mask'"),
        ({"video": VIDEO, "clip": VIDEO}, ValueError, "'clip', an array of shape .*call it 'video'"),
        (VIDEO, ValueError, r"pass a video as augment\(video=clip, key=key\), or to a dataset with targets=\('video', None\)"),
    ],
)  # fmt: skip
def test_bad_videos(sample: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        AUGMENT(sample, key=KEY)


@pytest.mark.parametrize("video", [VIDEO, VIDEO[..., 0]], ids=["colour", "grey"])
def test_an_array_by_itself_is_a_video_where_frames_are_chosen(video: np.ndarray) -> None:
    import torch

    augment = ss.Compose([ss.Compose([ss.TemporalSample(3)]), ss.RandomCrop(20), ss.HorizontalFlip(p=1)])
    wanted = augment(video=video, key=KEY)["video"]
    assert same(augment(video, key=KEY), wanted)
    assert augment.params(KEY, video.shape) == augment.params(KEY, {"video": video.shape})
    assert same(augment.replay(video, augment.params(KEY, video)), wanted)
    assert same(augment_sample(augment, (video, 3), KEY)[0], wanted)
    assert same(np.asarray(augment.batch(video[None], [KEY]))[0], wanted)
    tensor = torch.from_numpy(video if video.ndim == 3 else video.transpose(0, 3, 1, 2).copy())
    made = augment_sample(augment, (tensor, 3), KEY)[0].numpy()
    assert same(made if made.ndim == 3 else made.transpose(0, 2, 3, 1), wanted)


def test_channels_last_says_that_they_are() -> None:
    shape = (5, 3, 40, 50)
    augment = ss.Compose([ss.HorizontalFlip(p=1)], channels="last")
    assert augment(video=np.zeros(shape, np.uint8), key=KEY)["video"].shape == shape


# Forms of samples


def test_targets_name_a_video() -> None:
    wanted = AUGMENT(video=VIDEO, key=KEY)["video"]
    for sample, targets in (
        ((VIDEO, 3), ("video", None)),
        ((VIDEO, 3), "video"),
        ([VIDEO, 3], "video"),
        ({"video": VIDEO, "y": 3}, None),
        ({"video": VIDEO, "y": 3}, "video"),
        ({"clip": VIDEO, "y": 3}, {"clip": "video"}),
    ):
        made = augment_sample(AUGMENT, sample, KEY, check_targets(targets))
        assert type(made) is type(sample)
        video, label = made.values() if isinstance(made, dict) else made
        assert label == 3
        assert same(video, wanted)
    assert same(augment_sample(AUGMENT, VIDEO, KEY, check_targets("video")), wanted)
    views, label = augment_views(AUGMENT, (VIDEO, 3), KEYS[:2], ("video", None))
    assert label == 3
    assert all(
        same(view, AUGMENT(video=VIDEO, key=key)["video"]) for view, key in zip(views, KEYS, strict=False)
    )


def test_frames_of_other_forms() -> None:
    import PIL.Image
    import torch

    wanted, model = AUGMENT(video=VIDEO, key=KEY), TO_MODEL(video=VIDEO, key=KEY)
    pictures = [PIL.Image.fromarray(frame) for frame in VIDEO]
    tensor = torch.from_numpy(VIDEO).permute(0, 3, 1, 2)
    for frames in (pictures, list(VIDEO), tuple(VIDEO)):
        assert same(augment_sample(AUGMENT, {"video": frames}, KEY)["video"], wanted["video"])
    assert same(augment_sample(AUGMENT, pictures, KEY, "video"), wanted["video"])
    for frames in (tensor, list(tensor), tensor.long()):
        made = augment_sample(AUGMENT, {"video": frames}, KEY)["video"]
        assert isinstance(made, torch.Tensor)
        assert made.dtype == (frames[0].dtype)
        assert made.is_contiguous()
        assert same(made.to(torch.uint8).permute(0, 2, 3, 1).numpy(), wanted["video"])
        straight = augment_sample(TO_MODEL, {"video": frames}, KEY)["video"]
        assert same(straight.numpy(), model["video"])
    masks = [PIL.Image.fromarray(mask) for mask in MASKS]
    both = augment_sample(AUGMENT, {"video": pictures, "video_mask": masks}, KEY)
    assert same(both["video_mask"], AUGMENT({"video": VIDEO, "video_mask": MASKS}, key=KEY)["video_mask"])
    with pytest.raises(ValueError, match=r"got the shape \(5, 40, 50, 3\), which looks like \(T, H, W, C\)"):
        augment_sample(AUGMENT, {"video": torch.from_numpy(VIDEO)}, KEY)
    with pytest.raises(
        ValueError,
        match=r"video must have at least one frame, and all frames the same shape, got the shapes \[\]",
    ):
        augment_sample(AUGMENT, {"video": []}, KEY)
    with pytest.raises(
        ValueError, match=r"all frames the same shape, got the shapes \[\(39, 50, 3\), \(40, 50, 3\)\]"
    ):
        augment_sample(AUGMENT, {"video": [VIDEO[0], VIDEO[0, 1:]]}, KEY)


def test_a_bridge_takes_the_frames_from_the_same_seeds() -> None:
    def noisy(image: np.ndarray) -> np.ndarray:
        return image + np.random.randint(0, 9, image.shape, np.uint8)

    augment = ss.Compose([ss.bridge(noisy, returns="same"), ss.RandomCrop(20)])
    for key in KEYS:
        assert same(augment(video=VIDEO, key=key)["video"], frame_by_frame(augment, VIDEO, key))
        assert augment.params(key, {"video": VIDEO})[1] == augment.params(key, {"image": VIDEO[0]})[1]
    with pytest.raises(ValueError, match="noisy gets the image alone, but the sample also has"):
        augment({"video": VIDEO, "video_mask": MASKS}, key=KEY)
    with pytest.raises(ValueError, match="name the masks of the frames 'video_mask'"):
        augment({"video": VIDEO, "mask": MASKS[0]}, key=KEY)

    def both(image: np.ndarray, mask: np.ndarray) -> dict[str, np.ndarray]:
        turned = np.random.randint(2) == 1
        return {"image": image[::-1] if turned else image, "mask": mask[::-1] if turned else mask}

    augment = ss.Compose([ss.bridge(both, call="named")])
    turns = 0
    for key in KEYS:
        made = augment({"video": VIDEO, "video_mask": MASKS, "label": 3}, key=key)
        one = augment({"image": VIDEO[1], "mask": MASKS[1]}, key=key)
        assert same(made["video"][1], one["image"])
        assert same(made["video_mask"][1], one["mask"])
        assert set(made) == {"video", "video_mask", "label"}
        turns += not same(made["video"], VIDEO)
    assert 0 < turns < len(KEYS)


def test_the_image_cases_are_all_tried() -> None:
    assert {one.case.name for one in EVERY.values()} >= set(IMAGES)
