"""ImageFolder: real photographs, odd and damaged files, and torch around it."""

import io
import os
import struct
from pathlib import Path

import cv2
import numpy as np
import pytest
import skimage.data
import sklearn.datasets
import torch
import torch.utils.data
from PIL import Image
from programs import python

import seedsafe as ss
from seedsafe import ImageFolder
from seedsafe.__main__ import main
from seedsafe.data.folder import read_image, read_image_as_stored
from seedsafe.data.stats import command as stats_cli
from seedsafe_torch import AugmentedDataset, loader

PHOTO = skimage.data.astronaut()[:128, 100:260]
CHINA, FLOWER = sklearn.datasets.load_sample_images().images


def encoded(form, image, **options):
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def picture(mode="RGB"):
    return Image.fromarray(PHOTO).convert(mode)


def deep():
    return np.arange(64 * 64, dtype=np.uint16).reshape(64, 64) * 16


def png(image):
    return cv2.imencode(".png", image)[1].tobytes()


def animation():
    frames = [picture("P"), Image.fromarray(255 - PHOTO).convert("P")]
    return encoded("GIF", frames[0], save_all=True, append_images=frames[1:])


# Files of every kind: what OpenCV's reading gives is compared with Pillow's, an independent decoder.
EXACT = {
    "png": (encoded("PNG", picture()), PHOTO),
    "grey png": (encoded("PNG", picture("L")), np.repeat(np.array(picture("L"))[..., None], 3, axis=2)),
    "palette png": (encoded("PNG", picture("P")), np.array(picture("P").convert("RGB"))),
    "png of one bit": (encoded("PNG", picture("1")), np.array(picture("1").convert("RGB"))),
    "png with alpha": (encoded("PNG", picture("RGBA")), PHOTO),
    "16-bit png": (png(deep()), np.repeat((deep() >> 8).astype(np.uint8)[..., None], 3, axis=2)),
    "tiff": (encoded("TIFF", picture()), PHOTO),
    "tiff, lzw": (encoded("TIFF", picture(), compression="tiff_lzw"), PHOTO),
    "tiff, deflate": (encoded("TIFF", picture(), compression="tiff_adobe_deflate"), PHOTO),
    "bmp": (encoded("BMP", picture()), PHOTO),
    "ppm": (encoded("PPM", picture()), PHOTO),
    "webp, lossless": (encoded("WEBP", picture(), lossless=True), PHOTO),
    "animated gif": (animation(), np.array(picture("P").convert("RGB"))),
}
CLOSE = {
    "jpeg": encoded("JPEG", picture(), quality=95),
    "progressive jpeg": encoded("JPEG", picture(), progressive=True),
    "grey jpeg": encoded("JPEG", picture("L")),
}


@pytest.mark.parametrize("kind", EXACT)
def test_lossless_files_are_read_to_the_last_bit(tmp_path, kind):
    data, expected = EXACT[kind]
    path = tmp_path / "file.png"  # the content decides, not the ending
    path.write_bytes(data)
    image = read_image(path)
    assert (image.dtype, image.shape) == (np.uint8, expected.shape)
    difference = np.abs(image.astype(int) - expected)
    assert difference.max() <= (1 if kind == "16-bit png" else 0)


@pytest.mark.parametrize("kind", CLOSE)
def test_jpeg_is_read_as_other_decoders_do(tmp_path, kind):
    path = tmp_path / "file.jpg"
    path.write_bytes(CLOSE[kind])
    expected = np.array(Image.open(path).convert("RGB"))
    assert np.abs(read_image(path).astype(int) - expected).mean() < 1


def test_cmyk_jpeg_becomes_rgb(tmp_path):
    path = tmp_path / "file.jpg"
    path.write_bytes(encoded("JPEG", picture("CMYK"), quality=95))
    image = read_image(path)
    assert image.shape == PHOTO.shape
    assert np.abs(image.astype(int) - PHOTO).mean() < 8


def test_the_orientation_of_exif_is_applied(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    path = tmp_path / "turned.jpg"
    path.write_bytes(encoded("JPEG", picture(), exif=exif, quality=95))
    assert read_image(path).shape == (160, 128, 3)
    assert np.abs(read_image(path).astype(int) - np.rot90(PHOTO, -1)).mean() < 4
    assert read_image_as_stored(path).shape == PHOTO.shape


@pytest.mark.parametrize("kind", [*EXACT, *CLOSE])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_an_error_in_every_format(tmp_path, kind, share):
    data = EXACT[kind][0] if kind in EXACT else CLOSE[kind]
    path = tmp_path / "cut.jpg"
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(
        ValueError, match=r"cannot read the image '.*cut.jpg' \(\d+ bytes\): it is truncated, damaged"
    ):
        read_image(path)


@pytest.mark.parametrize("kind", ["png", "16-bit png", "palette png"])
def test_damage_within_a_png_is_an_error(tmp_path, kind):
    data = bytearray(EXACT[kind][0])
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(200)
    path = tmp_path / "damaged.png"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="cannot read the image"):
        read_image(path)


@pytest.mark.parametrize("kind", ["jpeg", "tiff"])
def test_a_damaged_header_is_an_error(tmp_path, kind):
    data = bytearray(EXACT[kind][0] if kind in EXACT else CLOSE[kind])
    data[:8] = bytes(8)
    path = tmp_path / "damaged.jpg"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="cannot read the image"):
        read_image(path)


def test_an_empty_file_and_one_that_is_no_image_are_errors(tmp_path):
    for name, data, message in [
        ("empty.png", b"", "the file is empty"),
        ("text.png", b"Dear diary, " * 20, "not an image"),
    ]:
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=rf"cannot read the image '.*{name}'.*{message}"):
            read_image(tmp_path / name)


@pytest.mark.parametrize(
    "kind", ["png", "jpg", "webp", "lossless.webp", "bmp", "tif", "gif", "ppm", "pgm", "sr"]
)
def test_a_picture_of_too_many_pixels_is_refused(tmp_path, kind):
    options = [cv2.IMWRITE_WEBP_QUALITY, 80] if kind == "webp" else []
    image = np.zeros((30, 51) if kind == "pgm" else (30, 51, 3), np.uint8)
    path = tmp_path / f"picture.{kind}"
    path.write_bytes(cv2.imencode(path.suffix, image, options)[1])
    for read in (read_image, read_image_as_stored):
        assert read(path, max_pixels=30 * 51).shape[:2] == (30, 51)
        with pytest.raises(
            ValueError, match=r"(51 × 30|30 × 51) pixels, more than max_pixels=1529: leave it out"
        ):
            read(path, max_pixels=30 * 51 - 1)


@pytest.mark.parametrize(
    "header",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 20_000, 20_000),
        b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x11\x08" + struct.pack(">HH", 20_000, 20_000),
        b"RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0" + 2 * (19_999).to_bytes(3, "little"),
        b"BM" + bytes(12) + struct.pack("<Iii", 40, 20_000, -20_000),
        b"MM\0*" + struct.pack(">IH", 8, 2) + struct.pack(">HHIIHHII", 256, 4, 1, 20_000, 257, 4, 1, 20_000),
        b"P6 # a comment\n20000\n# another\n20000\n255\n",
    ],
    ids=["png", "jpeg", "webp", "bmp", "tiff", "ppm"],
)
def test_the_size_is_asked_before_memory_is_taken(tmp_path, header):
    path = tmp_path / "bomb"
    path.write_bytes(header + bytes(64))
    with pytest.raises(ValueError, match="has 20000 × 20000 pixels, more than max_pixels=178956970"):
        read_image(path)
    with pytest.raises(ValueError, match="max_pixels must be at least 1"):
        read_image(path, max_pixels=0)


def test_depth_channels_and_colours_are_kept_if_asked(tmp_path):
    path = tmp_path / "file"
    for data, expected in [
        (png(deep()), deep()),
        (encoded("PNG", picture("RGBA")), np.array(picture("RGBA"))),
        (encoded("PNG", picture("L")), np.array(picture("L"))),
        (encoded("PNG", picture()), PHOTO),
    ]:
        path.write_bytes(data)
        np.testing.assert_array_equal(read_image_as_stored(path), expected)


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "photos"
    for name, image in {
        "cat/chelsea.png": skimage.data.chelsea(),
        "flower/dahlia.png": FLOWER,
        "landscape/china.png": CHINA,
        "landscape/rocket.jpg": skimage.data.rocket(),
        "landscape/日本 é.png": PHOTO,
    }.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(path / name)
    return path


def test_items_and_attributes_are_those_of_torchvision(root):
    photos = ImageFolder(root)
    assert len(photos) == 5
    assert photos.classes == ["cat", "flower", "landscape"]
    assert photos.class_to_idx == {"cat": 0, "flower": 1, "landscape": 2}
    assert photos.targets.tolist() == [0, 1, 2, 2, 2]
    assert photos.samples[0] == (str(root / "cat/chelsea.png"), 0)
    assert photos.samples[-1] == (str(root / "landscape/日本 é.png"), 2)
    assert list(photos.imgs) == photos.samples[:] == [photos.samples[i] for i in range(5)]
    assert photos.samples[3:1:-1] == [photos.samples[3], photos.samples[2]]
    np.testing.assert_array_equal(photos[2][0], CHINA)
    np.testing.assert_array_equal(photos[-1][0], PHOTO)
    assert photos[np.int64(1)][1] == 1
    assert [target for _, target in photos] == [0, 1, 2, 2, 2]
    for position in (5, -6):
        for sequence in (photos, photos.samples):
            with pytest.raises(IndexError, match=rf"position must be in \[-5, 4\], got {position}"):
                sequence[position]
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        photos[1.0]


def test_transforms_and_loaders_are_the_callers(root):
    photos = ImageFolder(root, transform=np.shape, target_transform=lambda target: target * 10)
    assert photos[1] == (FLOWER.shape, 10)
    paths = ImageFolder(root, loader=os.path.basename)
    assert [name for name, _ in paths][:2] == ["chelsea.png", "dahlia.png"]


def test_empty_classes_and_missing_classes_are_errors(root, tmp_path):
    (root / "void").mkdir()
    (root / "abyss").mkdir()
    with pytest.raises(
        FileNotFoundError,
        match=r"2 of 5 classes in .* have no images: 'abyss', 'void'\. Add files ",
    ):
        ImageFolder(root)
    with pytest.raises(TypeError, match="has no allow_empty: remove the folders of classes without images"):
        ImageFolder(root, allow_empty=True)
    (tmp_path / "bare").mkdir()
    with pytest.raises(FileNotFoundError, match="contains no folders: give each class a folder"):
        ImageFolder(tmp_path / "bare")


def test_a_file_that_vanished_is_named(root):
    photos = ImageFolder(root)
    for name in ("china.png", "rocket.jpg"):
        (root / "landscape" / name).unlink()
    message = r"sample 2, '.*china.png', has vanished since the folder was indexed: make a new ImageFolder"
    with pytest.raises(FileNotFoundError, match=message):
        photos[2]
    assert photos[4][0].shape == PHOTO.shape


def test_a_damaged_file_is_named_with_its_position(root):
    path = root / "landscape/china.png"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match="truncated, damaged") as caught:
        ImageFolder(root)[2]
    assert caught.value.__notes__ == [f"while reading sample 2 of ImageFolder({str(root)!r}): {str(path)!r}"]


# torch


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("cached", [False, True])
def test_a_loader_gives_the_same_images_with_workers(root, tmp_path, method, cached):
    photos = ImageFolder(root, cache=tmp_path / "index" if cached else None)
    data = torch.utils.data.DataLoader(photos, batch_size=None, num_workers=2, multiprocessing_context=method)
    for (image, target), (other, label) in zip(data, photos, strict=True):
        np.testing.assert_array_equal(image, other)
        assert target == label


def test_plus_and_subset(root):
    photos = ImageFolder(root)
    both = photos + photos
    assert isinstance(both, torch.utils.data.ConcatDataset)
    assert len(both) == 10
    np.testing.assert_array_equal(both[7][0], CHINA)
    assert len(torch.utils.data.TensorDataset(torch.zeros(3)) + photos) == 8
    subset = torch.utils.data.Subset(photos, [4, 2])
    np.testing.assert_array_equal(subset[1][0], CHINA)


def test_plus_needs_torch_and_says_so(root):
    code = f"""
import seedsafe, sys
photos = seedsafe.ImageFolder({str(root)!r})
try:
    photos + photos
except TypeError as error:
    print(error)
assert "torch" not in sys.modules and "cv2" not in sys.modules
"""
    path = str(Path(__file__).parents[1])
    result = python("-c", code, env={**os.environ, "PYTHONPATH": path}, check=False)
    assert "import torch first" in result.stdout, result.stderr


@pytest.mark.parametrize("workers", [0, 2])
def test_augmented_datasets_take_it_as_their_base(root, workers):
    data = AugmentedDataset(ImageFolder(root), ss.RandomCrop(32), seed=7, epoch=3)
    batches = list(loader(data, batch_size=2, num_workers=workers))
    images = np.concatenate([images.numpy() for images, _ in batches])
    expected = [
        ss.RandomCrop(32)(image, key=ss.SampleKey(7, 3, i)) for i, (image, _) in enumerate(ImageFolder(root))
    ]
    np.testing.assert_array_equal(images, np.stack(expected))


def test_keys_by_record_id_stay_when_the_folder_grows(root):
    def augmented(photos):
        crop = ss.RandomCrop(32)
        return {
            path: crop(image, key=ss.SampleKey(7, 0, int(record))).tobytes()
            for (path, _), (image, _), record in zip(photos.samples, photos, photos.record_ids, strict=True)
        }

    before = augmented(ImageFolder(root))
    Image.fromarray(PHOTO).save(root / "cat" / "a new one.png")
    after = augmented(ImageFolder(root))
    assert before.items() < after.items()


# Statistics of folders


def test_the_statistics_command_reads_any_tree(root, tmp_path, capsys):
    file = tmp_path / "stats.json"
    Image.fromarray(PHOTO).save(root / "top.png")
    assert stats_cli.main([str(root), "--workers", "2", "--json", str(file)]) == 0
    stats = ss.ChannelStats.from_json(file.read_text())
    expected = ss.channel_stats([*(image for image, _ in ImageFolder(root)), PHOTO])
    assert stats == expected
    out = capsys.readouterr().out
    assert out.startswith("6 images, 3 channels of uint8, ")
    assert f"{stats.mean[0] / 255:.6g}" in out


def test_the_statistics_command_names_a_damaged_file(root, tmp_path, capsys):
    path = root / "landscape/china.png"
    path.write_bytes(path.read_bytes()[:1000])
    assert stats_cli.main([str(root)]) == 1
    err = capsys.readouterr().err
    assert "china.png" in err
    assert "in sample 2 of the dataset" in err
    assert stats_cli.main([str(tmp_path / "nothing")]) == 2


def test_a_file_that_vanishes_is_an_error_and_no_missing_path(root, capsys, monkeypatch):
    monkeypatch.setattr(stats_cli, "read_image", lambda path: Path(path + ".gone").read_bytes())
    assert stats_cli.main([str(root)]) == 1
    assert "in sample 0 of the dataset" in capsys.readouterr().err


def test_the_statistics_command_can_be_interrupted(root, capsys, monkeypatch):
    def stop(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(stats_cli, "read_image", stop)
    assert main(["stats", str(root)]) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize(
    ("option", "way_out"),
    [
        (["--resume", "kept"], "merge them: a | b"),
        (["--histogram"], "numpy.bincount"),
        (["--as-stored"], "read_image_as_stored) to channel_stats"),
        (["--strict"], "8-bit RGB has no NaN"),
        (["--no-progress"], "nothing is shown"),
    ],
)
def test_the_statistics_command_says_what_to_do_without_an_option_of_earlier_releases(
    root, capsys, option, way_out
):
    for call in ([str(root), *option], [*option, str(root)]):
        assert main(["stats", *call]) == 2
        said = capsys.readouterr().err
        assert f"argument {option[0]}: is gone: " in said
        assert way_out in said
    assert main(["stats", "--help"]) == 0
    assert option[0] not in capsys.readouterr().out


def test_the_command_says_early_what_it_cannot_do(root, tmp_path, capsys):
    assert stats_cli.main([str(root), "--json", str(tmp_path / "nowhere" / "x.json")]) == 2
    said = capsys.readouterr()
    assert "--json must be a file in a folder that exists" in said.err
    assert said.out == ""
    assert stats_cli.main([str(root), "--json", str(tmp_path)]) == 2
    assert "--json must be a file, got the folder" in capsys.readouterr().err
    (root / "broken.png").symlink_to("nowhere")
    assert stats_cli.main([str(root)]) == 1
    assert "broken link" in (said := capsys.readouterr().err)
    assert "`seedsafe index --flat` lists them" in said
