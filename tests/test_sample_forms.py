"""Pictures of PIL's, tensors of torch's and integers of 64 bits, wherever an array is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import skimage.data
import torch
from PIL import Image
from programs import python

import seedsafe as ss
from seedsafe.reading import augment_sample, augment_views
from seedsafe_torch import AugmentedDataset

KEY = ss.SampleKey(42, 3, 7)
PHOTO = np.ascontiguousarray(skimage.data.astronaut()[100:140, 200:248])
CROP = ss.Compose([ss.RandomCrop((24, 32)), ss.HorizontalFlip(), ss.GaussianNoise()])
MOVE = ss.Compose([ss.RandomCrop((24, 32)), ss.HorizontalFlip(p=1)])


def chw(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))


PICTURES: dict[str, tuple[Any, np.ndarray]] = {
    "RGB": (Image.fromarray(PHOTO), PHOTO),
    "L": (Image.fromarray(PHOTO[..., 0]), PHOTO[..., 0]),
    "RGBA": (Image.fromarray(np.dstack([PHOTO, PHOTO[..., 0]])), np.dstack([PHOTO, PHOTO[..., 0]])),
    "LA": (Image.fromarray(PHOTO[..., :2].copy(), "LA"), PHOTO[..., :2]),
    "1": (Image.fromarray(PHOTO[..., 0] > 99), np.where(PHOTO[..., 0] > 99, 255, 0).astype(np.uint8)),
    "I;16": (Image.fromarray(PHOTO[..., 0] * np.uint16(257)), PHOTO[..., 0] * np.uint16(257)),
    "I": (Image.fromarray(PHOTO[..., 0] * np.int32(70_000)), PHOTO[..., 0] * np.int32(70_000)),
    "F": (Image.fromarray(PHOTO[..., 0] / np.float32(7)), PHOTO[..., 0] / np.float32(7)),
}


@pytest.mark.parametrize("mode", PICTURES)
def test_a_picture_is_augmented_as_its_array_is(mode: str) -> None:
    picture, array = PICTURES[mode]
    assert picture.mode == mode
    for target in (None, "image"):
        sample = (picture, 7) if target is None else {"image": picture, "label": 7}
        made = augment_sample(MOVE, sample, KEY)
        image = made[0] if target is None else made["image"]
        np.testing.assert_array_equal(image, MOVE(np.ascontiguousarray(array), key=KEY))
        assert image.dtype == array.dtype
        assert type(image) is np.ndarray


def test_inks_are_no_colours() -> None:
    inks = np.dstack([PHOTO, PHOTO[..., 0]])
    image = Image.fromarray(inks, "CMYK")
    with pytest.raises(ss.SampleError, match="the mode CMYK, whose 4 channels are inks") as error:
        AugmentedDataset([(image, 7)], MOVE, seed=1)[0]
    first, second = (
        eval(str(error.value).partition(" pass ")[2].split(", or ")[0]),
        np.asarray(image),
    )
    for form, array in ((first, np.asarray(image.convert("RGB"))), (second, inks)):
        made = AugmentedDataset([(form, 7)], MOVE, seed=1).at(0, epoch=0)[0]
        np.testing.assert_array_equal(made, MOVE(array.copy(), key=ss.SampleKey(1, 0, 0)))
    assert AugmentedDataset([(image, 7)], seed=1)[0][0] is image  # nothing is augmented


def test_the_bytes_of_a_16_bit_picture_are_put_in_order() -> None:
    array = PHOTO[..., 0] * np.uint16(257)
    picture = Image.frombytes("I;16B", array.shape[::-1], array.astype(">u2").tobytes())
    np.testing.assert_array_equal(augment_sample(MOVE, picture, KEY), MOVE(array, key=KEY))


def test_a_palette_is_colours_in_an_image_and_indices_in_a_mask() -> None:
    palette = Image.fromarray(PHOTO).convert("P", palette=Image.Palette.ADAPTIVE, colors=9)
    colours, indices = np.asarray(palette.convert("RGB")), np.asarray(palette)
    made = augment_sample(MOVE, {"image": palette, "mask": palette}, KEY)
    wanted = MOVE({"image": colours, "mask": indices}, key=KEY)
    np.testing.assert_array_equal(made["image"], wanted["image"])
    np.testing.assert_array_equal(made["mask"], wanted["mask"])
    clear = palette.copy()
    clear.info["transparency"] = 0
    assert augment_sample(MOVE, clear, KEY).shape == (24, 32, 4)
    with_alpha = palette.convert("PA")
    assert augment_sample(MOVE, with_alpha, KEY).shape == (24, 32, 4)
    made = augment_sample(MOVE, {"image": palette, "mask": with_alpha}, KEY)
    assert made["mask"].shape == (24, 32)
    bits = Image.fromarray(PHOTO[..., 0] > 99)
    made = augment_sample(MOVE, {"image": palette, "mask": bits}, KEY)
    assert made["mask"].dtype == bool


@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.int16, torch.int64, torch.float16, torch.float32, torch.float64], ids=str
)
def test_a_tensor_comes_back_as_one_in_its_layout(dtype: torch.dtype) -> None:
    tensor = chw(PHOTO).to(dtype)
    wanted = MOVE(PHOTO, key=KEY)
    made = augment_sample(MOVE, (tensor, 7), KEY)[0]
    assert made.dtype == dtype
    assert made.is_contiguous()
    assert torch.equal(made, chw(wanted).to(dtype))
    grey = augment_sample(MOVE, tensor[0], KEY)
    assert torch.equal(grey, torch.from_numpy(wanted[..., 0].copy()).to(dtype))
    assert torch.equal(tensor, chw(PHOTO).to(dtype))  # it is never changed


def test_what_a_tensor_may_be() -> None:
    tensor = chw(PHOTO)
    wanted = chw(CROP(PHOTO, key=KEY))
    for form in (
        tensor.clone().to(memory_format=torch.contiguous_format),
        tensor[None].contiguous(memory_format=torch.channels_last)[0],
        torch.nn.Parameter(tensor.float()),
    ):
        made = augment_sample(CROP, form, KEY)
        same = wanted if form.dtype == torch.uint8 else chw(CROP(PHOTO.astype(np.float32), key=KEY))
        assert torch.equal(made, same)
    spread = torch.full((3, 1, 1), 9, dtype=torch.uint8).expand(3, 40, 48)  # one value, and strides of zero
    assert torch.equal(augment_sample(MOVE, spread, KEY), spread[:, :24, :32])


def test_pipelines_that_end_in_another_layout_or_dtype() -> None:
    tensor = chw(PHOTO)
    floats = ss.Compose([ss.RandomCrop(24), ss.Normalize(0.5, 0.5)])
    assert torch.equal(augment_sample(floats, tensor, KEY), chw(floats(PHOTO, key=KEY)))
    first = ss.Compose([ss.RandomCrop(24), ss.ToFloat(), ss.ToCHW()])
    assert torch.equal(augment_sample(first, tensor, KEY), torch.from_numpy(first(PHOTO, key=KEY)))
    mask = tensor[:1]
    made = augment_sample(
        ss.Compose([ss.HorizontalFlip(p=1), ss.ToCHW()]), {"image": tensor, "mask": mask}, KEY
    )
    assert torch.equal(made["mask"], mask.flip(2))
    nothing = (tensor, 3)
    assert augment_sample(ss.Compose([]), nothing, KEY)[0] is tensor


def test_parts_go_by_their_targets_and_labels_are_never_touched() -> None:
    boxes = torch.tensor([[4.0, 5.0, 20.0, 21.0]])
    label, name, more = torch.tensor(3), "astronaut", Image.fromarray(PHOTO[:9])
    sample = {
        "image": chw(PHOTO),
        "boxes": boxes,
        "mask": chw(PHOTO)[0],
        "label": label,
        "name": name,
        "x": more,
    }
    flip = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("pascal_voc"))
    with pytest.raises(ValueError, match=r"\['x'\], an Image of shape \(9, 48\), must be named"):
        augment_sample(flip, sample, KEY)
    made = augment_sample(flip, sample, KEY, {"image": "image", "boxes": "boxes", "mask": "mask", "x": None})
    plain = {"image": PHOTO, "boxes": boxes.numpy(), "mask": PHOTO[..., 0].copy()}
    wanted = flip(plain, key=KEY)
    assert torch.equal(made["boxes"], torch.from_numpy(wanted["boxes"]))
    assert torch.equal(made["mask"], torch.from_numpy(wanted["mask"]))
    assert all(made[key] is sample[key] for key in ("label", "name", "x"))
    assert type(sample["image"]) is torch.Tensor  # the dict is not changed
    made = augment_sample(flip, (label, Image.fromarray(PHOTO), name), KEY, (None, "image", None))
    np.testing.assert_array_equal(made[1], PHOTO[:, ::-1])
    assert made[0] is label
    assert made[2] is name


def test_views_of_a_tensor() -> None:
    keys = [ss.SampleKey(42, 0, 0, view=view) for view in range(2)]
    (one, other), label = augment_views(CROP, (chw(PHOTO), 7), keys)
    assert label == 7
    assert torch.equal(one, chw(CROP(PHOTO, key=keys[0])))
    assert torch.equal(other, chw(CROP(PHOTO, key=keys[1])))


def test_audio_of_tensors_keeps_its_layout() -> None:
    sound = torch.sin(torch.arange(600.0)).reshape(2, 300)
    augment = ss.Compose([ss.RandomSegment(100), ss.Amplitude()])
    wanted = augment(sound.numpy(), key=KEY)
    for sample in (sound, {"audio": sound}):
        made = augment_sample(augment, sample, KEY)
        assert torch.equal(made["audio"] if isinstance(made, dict) else made, torch.from_numpy(wanted))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_wide_integers_of_an_image_are_the_uint8_that_they_hold(dtype: Any) -> None:
    wide = PHOTO.astype(dtype)
    for sample in (wide, (wide, 1), {"image": wide}):
        made = augment_sample(CROP, sample, KEY)
        made = made["image"] if isinstance(made, dict) else made[0] if isinstance(made, tuple) else made
        assert made.dtype == dtype
        np.testing.assert_array_equal(made, CROP(PHOTO, key=KEY))
    floats = ss.Compose([ss.ToFloat()])
    np.testing.assert_array_equal(augment_sample(floats, wide, KEY), floats(PHOTO, key=KEY))
    labels = np.arange(40 * 48, dtype=dtype).reshape(40, 48)
    made = augment_sample(MOVE, {"image": wide, "mask": labels}, KEY)["mask"]
    np.testing.assert_array_equal(made, MOVE({"image": PHOTO, "mask": labels}, key=KEY)["mask"])
    with pytest.raises(TypeError, match=f"got dtype {np.dtype(dtype)}"):
        augment_sample(CROP, labels, KEY)  # no image of 8 bits


@pytest.mark.parametrize(
    ("sample", "error", "message"),
    [
        (torch.zeros(40, 48, 3), ValueError, r"must be a tensor of \(C, H, W\), got the shape \(40, 48, 3\)"),
        (torch.zeros(3, 40, 48, dtype=torch.bfloat16), TypeError, "one of torch.bfloat16"),
        (torch.zeros(3, 40, 48).to_sparse(), TypeError, "torch.sparse_coo"),
        (torch.zeros(3, 40, 48, device="meta"), TypeError, "a tensor on the CPU, got one on meta"),
        (("photo.png", 3), TypeError, "must be a NumPy array, got builtins.str"),
    ],
    ids=map(str, range(5)),
)
def test_what_cannot_be_an_image(sample: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        augment_sample(CROP, sample, KEY)


def test_a_callable_of_the_users_is_given_what_there_is() -> None:
    picture = Image.fromarray(PHOTO)

    def turned(image: Any, *, key: ss.SampleKey) -> Any:
        assert image is picture
        return image.rotate(90)

    assert augment_sample(turned, (picture, 3), KEY)[0].size == (48, 40)


@pytest.mark.parametrize(
    "sample", [PHOTO, (PHOTO, 3), {"image": PHOTO}, Image.fromarray(PHOTO)], ids=range(4)
)
def test_an_augmentation_that_returns_nothing_is_an_error(sample: Any) -> None:
    def forgetful(image: Any, *, key: ss.SampleKey) -> None:
        return None

    for apply, given in ((augment_sample, KEY), (augment_views, [KEY])):
        with pytest.raises(TypeError, match="augment returned None: return the augmented sample"):
            apply(forgetful, sample, given)  # type: ignore[operator]

    def lossy(parts: Any, *, key: ss.SampleKey) -> Any:
        return {"image": parts["image"]}

    with pytest.raises(
        TypeError, match=r"without \['mask'\] for a dict: return a dict with the same entries"
    ):
        augment_sample(lossy, {"image": PHOTO, "mask": PHOTO[..., 0]}, KEY)


def test_neither_pillow_nor_torch_is_imported() -> None:
    code = (
        "import sys, numpy as np, seedsafe as ss; from seedsafe.reading import augment_sample;"
        "augment_sample(ss.HorizontalFlip(), (np.zeros((4, 4), 'int64'), 1), ss.SampleKey(0, 0, 0));"
        "print({'torch', 'PIL'} & set(sys.modules))"
    )
    done = python("-c", code)
    assert done.stdout.strip() == "set()"
