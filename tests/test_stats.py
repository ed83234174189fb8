"""Channel statistics against exact arithmetic, in any order, for any number of workers."""

import itertools
import math
import multiprocessing
import os
import signal
import tracemalloc
from concurrent.futures.process import BrokenProcessPool
from fractions import Fraction

import cv2
import numpy as np
import pytest
import skimage.data
import sklearn.datasets
import torch
import torch.utils.data
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import seedsafe as ss
from seedsafe import ChannelStats, channel_stats
from seedsafe.data.stats import sums
from seedsafe.data.stats.command import main
from seedsafe.data.stats.run import _delay_interrupt


def photographs():
    return [
        skimage.data.astronaut(),
        skimage.data.coffee(),
        skimage.data.chelsea(),
        skimage.data.rocket(),
        *sklearn.datasets.load_sample_images().images,
    ]


def exact(images):
    """Mean and variance of each channel by rational arithmetic, the slow way."""
    channels = images[0].shape[2]
    found = []
    for channel in range(channels):
        values = [
            Fraction(v) for image in images for v in image[..., channel].ravel().tolist() if math.isfinite(v)
        ]
        mean = sum(values) / len(values)
        variance = sum((v - mean) ** 2 for v in values) / len(values)
        found.append((mean, variance, len(values)))
    return found


def is_nearest(value, square):
    """Whether the float `value` is the nearest to the root of `square`."""
    value = float(value)
    low = (Fraction(value) + Fraction(math.nextafter(value, -1))) / 2
    high = (Fraction(value) + Fraction(math.nextafter(value, math.inf))) / 2
    return (low <= 0 or low * low <= square) and square <= high * high


RNG = np.random.default_rng(20261121)
EXACT = {
    "uint8": [
        RNG.integers(0, 256, (5, 7, 3), dtype=np.uint8),
        RNG.integers(0, 256, (2, 3, 3), dtype=np.uint8),
    ],
    "uint8, one channel": [RNG.integers(250, 256, (9, 4, 1), dtype=np.uint8)],
    "uint8, seven channels": [RNG.integers(0, 256, (5, 4, 7), dtype=np.uint8)],
    "uint16": [RNG.integers(0, 65536, (6, 5, 2), dtype=np.uint16)],
    "float32": [RNG.normal(size=(8, 8, 3)).astype(np.float32), RNG.random((3, 3, 3), dtype=np.float32)],
    "float32 of all sizes": [
        (RNG.normal(size=(20, 20, 3)) * 10.0 ** RNG.integers(-44, 38, (20, 20, 3))).astype(np.float32)
    ],
    "float32, mean far above std": [(1000 + RNG.normal(size=(16, 16, 1)) * 1e-3).astype(np.float32)],
    "float32, smallest and largest": [np.array([[[1e-45], [3.4e38], [-3.4e38], [0.0]]], np.float32)],
}


@pytest.mark.parametrize("name", EXACT)
def test_mean_and_std_are_the_floats_nearest_to_the_exact_ones(name):
    images = EXACT[name]
    stats = channel_stats(images)
    assert channel_stats(iter(images)) == stats  # added up in one part, instead of merged
    for channel, (mean, variance, count) in enumerate(exact(images)):
        assert stats.count[channel] == count
        assert stats.mean[channel] == float(mean)
        assert is_nearest(stats.std[channel], variance)
        values = np.concatenate([image[..., channel].ravel() for image in images])
        assert (stats.minimum[channel], stats.maximum[channel]) == (values.min(), values.max())


@settings(max_examples=60)
@given(hnp.arrays(np.float32, st.integers(1, 40), elements=st.floats(width=32)))
def test_float_sums_have_no_error_at_all(values):
    finite = [Fraction(v) for v in values.tolist() if math.isfinite(v)]
    found = sums.plane_sums(values)
    assert found.total == sum(finite) * 2**149
    assert found.squares == sum(v * v for v in finite) * 2**298
    assert (found.nan, found.inf) == (np.isnan(values).sum(), np.isinf(values).sum())


@pytest.mark.parametrize("pixels", [1, 2**15, 2**15 + 1, 2**18 - 1])
def test_float_sums_are_exact_over_several_blocks(pixels):
    values = np.random.default_rng(pixels).random(pixels, dtype=np.float32)
    scaled = [int(v) for v in (values.astype(np.float64) * 2.0**48).tolist()]
    found = sums.plane_sums(values)
    assert found.total == sum(scaled) << (149 - 48)
    assert found.squares == sum(v * v for v in scaled) << (298 - 96)


@pytest.mark.parametrize("seed", range(8))
def test_uint16_sums_are_exact_where_one_norm_of_the_whole_image_is_not(seed):
    rng = np.random.default_rng(seed)
    image = rng.integers(60000, 65536, (1400, 1400), dtype=np.uint16)
    wide = image.astype(np.int64)
    stats = channel_stats([image])
    assert stats.total == (int(wide.sum()),)
    assert stats.squares == (int((wide * wide).sum()),)


@pytest.mark.parametrize("value", [255, 65535])
def test_sums_of_the_largest_values_are_exact(value):
    image = np.full((1500, 1501), value, np.uint8 if value == 255 else np.uint16)
    stats = channel_stats([image])
    assert (stats.total, stats.squares) == ((value * image.size,), (value * value * image.size,))
    assert stats.std == (0.0,)


def test_photographs_agree_with_numpy_in_float64():
    images = photographs()
    stats = channel_stats(images)
    pixels = np.concatenate([image.reshape(-1, 3) for image in images])
    np.testing.assert_allclose(stats.mean, pixels.mean(0, dtype=np.float64), rtol=1e-13)
    np.testing.assert_allclose(stats.std, pixels.std(0, dtype=np.float64), rtol=1e-12)
    means, stds = ([f(image, axis=(0, 1)) for image in images] for f in (np.mean, np.std))
    np.testing.assert_allclose(stats.image_mean, np.mean(means, axis=0), rtol=1e-12)
    np.testing.assert_allclose(stats.image_std, np.mean(stds, axis=0), rtol=1e-12)
    assert stats.images == len(images)


def test_deviations_of_images_of_one_size_average_to_less_than_that_of_all_pixels():
    images = [photo[:300, :400] for photo in photographs()]
    stats = channel_stats(images)
    assert all(own < whole for own, whole in zip(stats.image_std, stats.std, strict=True))
    assert stats.image_mean == pytest.approx(stats.mean, abs=1e-12)


def small_images(dtype):
    rng = np.random.default_rng(5)
    shapes = rng.integers(1, 40, (37, 2)).tolist()
    if dtype == "float32":
        images = [rng.normal(size=(*shape, 3)).astype(np.float32) for shape in shapes]
        images[20][0, 0] = np.nan, np.inf, 1.0
        return images
    return [rng.integers(0, np.iinfo(dtype).max, (*shape, 3), dtype=dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@pytest.mark.fork
@pytest.mark.parametrize(("workers", "method"), [(1, "fork"), (2, "fork"), (2, "spawn"), (3, "forkserver")])
def test_any_number_of_workers_gives_the_same_bits(dtype, workers, method):
    images = small_images(dtype)
    found = channel_stats(images, num_workers=workers, start_method=method)
    assert found.to_json() == channel_stats(images).to_json()


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_any_order_and_any_way_of_merging_gives_the_same_bits(dtype):
    images = small_images(dtype)
    whole = channel_stats(images)
    backwards = channel_stats(images[::-1])
    assert (backwards.total, backwards.squares) == (whole.total, whole.squares)
    assert (backwards.mean_total, backwards.std_total) == (whole.mean_total, whole.std_total)
    cuts = [0, 5, 6, 20, 37]
    parts = [channel_stats(images[start:stop]).renumbered(start) for start, stop in itertools.pairwise(cuts)]
    for order in itertools.permutations(parts):
        a, b, c, d = order
        assert ((a | b) | (c | d)) == (a | (b | (c | d))) == whole


def test_nan_and_infinity_are_counted_by_image_and_left_out():
    images = small_images("float32")
    stats = channel_stats(images)
    assert (stats.nan, stats.inf, stats.faulty) == (1, 1, ((20, 1, 1),))
    pixels = sum(image[..., 0].size for image in images)
    assert stats.count == (pixels - 1, pixels - 1, pixels)
    assert stats.mean[0] == float(exact(images)[0][0])
    assert all(math.isfinite(value) for value in stats.mean + stats.std)


def test_an_image_of_nan_alone_has_no_numbers():
    stats = channel_stats([np.full((3, 3), np.nan, np.float32)])
    assert (stats.count, stats.minimum, stats.maximum, stats.image_count) == ((0,), (None,), (None,), (0,))
    assert math.isnan(stats.mean[0])
    assert math.isnan(stats.std[0])
    assert math.isnan(stats.image_mean[0])
    assert ChannelStats.from_json(stats.to_json()) == stats


def test_minus_zero_and_zero_are_one_value():
    zeros = [np.array([[sign * 0.0]], np.float32) for sign in (1, -1)]
    assert channel_stats(zeros).to_json() == channel_stats(zeros[::-1]).to_json()


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_layouts_of_the_same_pixels_agree(dtype):
    image = photographs()[0].astype(dtype)
    expected = channel_stats([image])
    planes = np.ascontiguousarray(image.transpose(2, 0, 1))
    assert channel_stats([planes], layout="CHW") == expected
    assert channel_stats([torch.from_numpy(planes)]) == expected
    assert channel_stats([image.transpose(2, 0, 1)], layout="CHW") == expected
    assert channel_stats([image[::-1, ::-1]]) == expected
    assert channel_stats([image[None]]) == expected
    assert channel_stats(planes, layout="HW").images == 3
    grey = channel_stats([image[..., 0]])
    assert grey.total == expected.total[:1]


def test_dicts_tuples_and_masks():
    image = photographs()[1]
    mask = np.zeros(image.shape[:2], np.uint8)
    mask[100:200, 50:300] = 255
    expected = channel_stats([image[100:200, 50:300]])
    assert channel_stats([{"image": image, "mask": mask}], mask="mask") == expected
    assert channel_stats([{"photo": image, "keep": mask > 0}], image="photo", mask="keep") == expected
    assert channel_stats([("label", image, mask)], image=1, mask=2) == expected
    assert channel_stats([(image, 7)]).images == 1
    planes = image.transpose(2, 0, 1)
    assert channel_stats([(planes, mask)], mask=1, layout="CHW") == expected
    batch = {"image": np.stack([image, image]), "mask": np.stack([mask, np.zeros_like(mask)])}
    stats = channel_stats([batch], mask="mask")
    assert (stats.total, stats.images, stats.image_count) == (expected.total, 2, (1, 1, 1))


class Squares(torch.utils.data.Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return torch.from_numpy(self.images[index]).permute(2, 0, 1), index


def test_loaders_and_sequences_of_batches_agree_with_the_dataset():
    images = [photo[:64, :64].copy() for photo in photographs()]
    expected = channel_stats(images)
    loader = torch.utils.data.DataLoader(Squares(images), batch_size=4, num_workers=2)
    assert channel_stats(loader) == expected
    batches = [np.stack(images[:4]), np.stack(images[4:])]
    assert channel_stats(batches) == expected
    assert channel_stats(batches, num_workers=2) == expected
    assert channel_stats(iter(images)) == expected


class TorchWork:
    """A dataset whose items come out of torch's own threads."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        numbers = torch.full((600, 600), float(index))
        return (numbers @ numbers).clamp(0, 1).to(torch.uint8).numpy()


@pytest.mark.fork
@pytest.mark.timeout(120)
def test_forked_workers_may_use_torch_after_the_parent_did():
    data = TorchWork()
    expected = channel_stats(data)
    assert channel_stats(data, num_workers=2, start_method="fork") == expected


class Reads:
    """A dataset that counts its reads and can fail at one of them."""

    def __init__(self, images, fail=None, how=None):
        self.images, self.fail, self.how = images, fail, how
        self.read = []

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if index == self.fail:
            self.how()
        self.read.append(index)
        return self.images[index]


def fail():
    raise OSError("disk on fire")


def die():
    os._exit(3)


@pytest.mark.fork
def test_an_interrupted_computation_with_workers_ends_them(monkeypatch):
    processes, merge = [], ChannelStats.__or__

    def stop(self, other):
        if multiprocessing.parent_process() is not None:  # a worker merges its images
            return merge(self, other)
        processes.extend(multiprocessing.active_children())
        raise KeyboardInterrupt

    monkeypatch.setattr(ChannelStats, "__or__", stop)
    with pytest.raises(KeyboardInterrupt) as kept:  # with its frames, as a notebook keeps them
        channel_stats(small_images("float32"), num_workers=2, start_method="fork")
    assert processes
    assert kept.tb
    assert not any(process.is_alive() for process in processes)


def test_an_interruption_waits_until_the_workers_can_be_ended():
    reached = []

    def started_and_ended():
        with _delay_interrupt():
            signal.raise_signal(signal.SIGINT)
            reached.append(True)

    inherited = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            started_and_ended()
        assert reached
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, inherited)


@pytest.mark.parametrize("workers", [0, 1])
def test_an_error_of_the_dataset_names_the_item(workers):
    with pytest.raises(OSError, match="disk on fire") as caught:
        channel_stats(Reads(small_images("uint8"), 20, fail), num_workers=workers)
    assert caught.value.__notes__ == ["in sample 20 of the dataset"]


def test_a_worker_that_dies_is_an_error_and_not_a_wait():
    with pytest.raises(BrokenProcessPool):
        channel_stats(Reads(small_images("uint8"), 20, die), num_workers=2)


def array(*shape, dtype=np.uint8):
    return np.zeros(shape, dtype)


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ([], {}, ValueError, "data has no images"),
        (3, {}, TypeError, "data must be a map dataset .* got int"),
        ([array(2, 2)], {"layout": "WH"}, ValueError, "layout must be one of HW, HWC"),
        (
            [array(2, 2)],
            {"layout": "HWC"},
            ValueError,
            r"layout 'HWC' does not fit an image of shape \(2, 2\)",
        ),
        (
            [array(2, 2)],
            {"num_workers": -1},
            ValueError,
            "num_workers must be at least 0 and below 32768, got -1",
        ),
        (
            [array(3, 20, 20)],
            {},
            ValueError,
            r"looks like channels first: pass layout='CHW', or layout='HWC' if it",
        ),
        (
            [array(2, 2, dtype=np.float64)],
            {},
            TypeError,
            r"got float64: pass image\.astype\(numpy\.float32\) if",
        ),
        (
            iter([array(2, 2), array(2, 2, 3)]),
            {},
            ValueError,
            "images must have one dtype and number of channels, got 1 channels of uint8 and 3 of uint8",
        ),
        (
            iter([array(2, 2), array(2, 2, dtype=np.uint16)]),
            {},
            ValueError,
            "got 1 channels of uint8 and 1 of uint16",
        ),
        (
            [{"x": array(2, 2)}],
            {},
            ValueError,
            "image='image' is not in the sample: pass one of 'x' as image=",
        ),
        (
            [(array(2, 2),)],
            {"image": 1},
            ValueError,
            "image must be a position in a sample of 1 entries, got 1",
        ),
        (
            [array(2, 2)],
            {"mask": "m"},
            ValueError,
            "mask='m' needs samples that are dicts, tuples or lists, got ndarray",
        ),
        (
            [(array(2, 2), array(3, 3))],
            {"mask": 1},
            ValueError,
            r"mask of shape \(3, 3\) does not fit an image of 2 by 2",
        ),
        (
            [(array(2, 5), array(5, 2))],
            {"mask": 1},
            ValueError,
            r"mask of shape \(5, 2\) does not fit an image of 2 by 5",
        ),
        (
            [torch.zeros(2, 9, 9, 3, dtype=torch.uint8)],
            {},
            ValueError,
            r"a tensor of shape \(2, 9, 9, 3\) looks like channels last: pass layout='NHWC'",
        ),
        ("photos", {}, TypeError, "got the path 'photos': pass seedsafe.ImageFolder\\(path\\)"),
        ([None], {}, ValueError, r"got the shape \(\) of NoneType"),
        (
            [np.ma.masked_array(array(2, 2))],
            {},
            TypeError,
            "got a numpy.ma.MaskedArray: return the mask as an entry",
        ),
        (
            iter([array(2, 2)]),
            {"num_workers": 2},
            ValueError,
            "num_workers needs a map dataset",
        ),
        (
            [array(2, 2)],
            {"progress": True},
            TypeError,
            "has no progress: leave it out: compute parts of the data",
        ),
        (
            [array(2, 2)],
            {"histogram": True},
            TypeError,
            r"channel_stats has no histogram: leave it out: numpy\.bincount",
        ),
        (
            [array(2, 2)],
            {"per_image": True},
            TypeError,
            r"has no per_image: leave it out: channel_stats\(\[image\]\)\.mean",
        ),
        (
            [array(2, 2)],
            {"checkpoint": "stats.part"},
            TypeError,
            r"has no checkpoint: .* merge them with a \| b",
        ),
    ],
)
def test_errors_name_the_way_out(data, options, error, message):
    with pytest.raises(error, match=message):
        channel_stats(data, **options)


def test_statistics_that_differ_in_form_do_not_merge():
    grey, colour = channel_stats([array(2, 2)]), channel_stats([array(2, 2, 3)])
    with pytest.raises(ValueError, match="got 1 channels of uint8 and 3 of uint8: convert them to one form"):
        grey | colour


def test_an_image_of_another_form_is_found_wherever_it_is():
    images = [array(2, 2)] * 20
    for place in range(1, 20):
        data = [*images[:place], array(2, 2, 3), *images[place:]]
        with pytest.raises(ValueError, match=r"3 (channels )?of uint8") as caught:
            channel_stats(data)
        (note,) = caught.value.__notes__
        assert note in {f"in sample {p} of the dataset" for p in (place, place + 1)} | {
            f"from sample {place} of the dataset on"
        }


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_json_keeps_every_bit(dtype):
    stats = channel_stats(small_images(dtype))
    again = ChannelStats.from_json(stats.to_json())
    assert again == stats
    assert (again.total, again.squares) == (stats.total, stats.squares)
    assert again | stats == stats | again
    with pytest.raises(ValueError, match="not channel statistics of version 1, got format None"):
        ChannelStats.from_dict({})


def test_json_of_a_release_with_histograms_is_read():
    stats = channel_stats(small_images("uint8"))
    more = {"histogram": [[0] * 256] * 3, "image_numbers": [0], "image_means": [[1.0, 2.0, 3.0]]}
    assert ChannelStats.from_dict(stats.to_dict() | more) == stats
    assert ChannelStats.from_dict(stats.to_dict() | dict.fromkeys(more)) == stats


def test_normalize_brings_photographs_to_mean_0_and_deviation_1():
    images = photographs()
    normalize = channel_stats(images).normalize()
    pixels = np.concatenate(
        [
            ss.Compose([normalize])(image, key=ss.SampleKey(0, 0, index)).reshape(-1, 3)
            for index, image in enumerate(images)
        ]
    )
    assert np.abs(pixels.mean(0, dtype=np.float64)).max() < 1e-6
    assert np.abs(pixels.std(0, dtype=np.float64) - 1).max() < 1e-6


def test_normalize_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="Normalize takes uint8 or float32 images"):
        channel_stats([array(2, 2, dtype=np.uint16)]).normalize()
    with pytest.raises(ValueError, match=r"channel 0 has the standard deviation 0\.0"):
        channel_stats([array(2, 2)]).normalize()


def test_only_the_first_thousand_faulty_images_are_named():
    images = [np.full((1, 1), np.nan, np.float32)] * 1500
    stats = channel_stats(images)
    assert (stats.nan, len(stats.faulty), stats.faulty[-1]) == (1500, 1000, (999, 1, 0))
    late, early = channel_stats(images[:600]).renumbered(900), channel_stats(images[:900])
    assert (late | early).faulty == stats.faulty


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_little_memory_is_taken_beside_the_image(dtype):
    image = np.zeros((3000, 4000, 3), dtype)[:, ::-1]
    channel_stats([image[:9, :9]])
    tracemalloc.start()
    channel_stats([image, image])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 25e6


def test_the_command_ends_with_the_line_to_paste(tmp_path, capsys):
    rng = np.random.default_rng(0)
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"{number}.png"), rng.integers(0, 256, (8, 8, 3), np.uint8))
    assert main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["red", "green", "blue"]
    pasted = eval(lines[-1], {"ss": ss})
    stats = channel_stats([cv2.imread(str(path))[..., ::-1] for path in sorted(tmp_path.iterdir())])
    np.testing.assert_allclose(pasted.mean, stats.normalize().mean, rtol=1e-5)
    np.testing.assert_allclose(pasted.std, stats.normalize().std, rtol=1e-5)
