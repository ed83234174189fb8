"""Warps, turns and distortions: against Pillow, scikit-image, SciPy and formulas written anew."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from refused import refused
from scipy import ndimage, stats
from skimage import data, transform

import seedsafe as ss
from seedsafe import functional as F  # noqa: N812  # the field's name for it
from seedsafe.functional.affine import inverse
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address
from seedsafe.pipeline.boxes import Edges

KEY = ss.SampleKey(42, 3, 1234)
PHOTO = np.ascontiguousarray(data.astronaut()[100:300, 150:400])
SMOOTH = np.asarray(Image.fromarray(PHOTO).resize((80, 64)).resize((250, 200), Image.Resampling.BICUBIC))
N = 3000


def params(one: ss.Transform, key: ss.SampleKey = KEY, shape: tuple[int, ...] = (200, 250)) -> Any:
    return ss.Compose([one]).params(key, shape)[0].params


def drawn(one: ss.Transform, shape: tuple[int, ...] = (200, 250), n: int = N) -> list[Any]:
    return [one.draw(Draws(address(ss.SampleKey(9, 0, i), 7)), ss.Info(shape)) for i in range(n)]


# Warps

MATRICES = {
    "turned": (0.8, 0.5, 10.0, -0.5, 0.8, 60.0),
    "sheared": (1.2, -0.3, 5.53, 0.1, 0.7, 20.27),
    "perspective": (0.9, 0.1, 4.0, -0.05, 1.1, 2.0, 4e-4, -3e-4, 1.0),
}


def backwards(matrix: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns that pixels come from, found by a linear solver."""
    whole = np.array([*matrix, 0, 0, 1][:9]).reshape(3, 3)
    down, right = np.mgrid[:200, :250]
    there = np.linalg.inv(whole) @ np.stack([right.ravel(), down.ravel(), np.ones(right.size)])
    return (there[1] / there[2]).reshape(200, 250), (there[0] / there[2]).reshape(200, 250)


@pytest.mark.parametrize("name", MATRICES)
def test_bilinear_warps_are_scipys(name: str) -> None:
    coordinates = backwards(MATRICES[name])
    for channel in range(3):
        wanted = ndimage.map_coordinates(
            SMOOTH[..., channel].astype(float), coordinates, order=1, mode="grid-constant", cval=30
        )
        made = F.warp(SMOOTH, MATRICES[name], 200, 250, fill=30)[..., channel]
        # OpenCV 4 counts coordinates in 1/32 pixel, where this image rises by at most 12 a pixel away from its frame.
        assert np.abs(made - wanted).max() <= 5
        assert np.abs(made - wanted).mean() <= 0.3


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "bool"])
def test_nearest_warps_are_the_pixels_there(name: str, dtype: str) -> None:
    labels = (PHOTO[..., 0] // 40).astype(dtype)
    down, right = (np.rint(one).astype(int) for one in backwards(MATRICES[name]))
    inside = (down >= 0) & (down < 200) & (right >= 0) & (right < 250)
    wanted = np.where(inside, labels[down.clip(0, 199), right.clip(0, 249)], 1).astype(dtype)
    made = F.warp(labels, MATRICES[name], 200, 250, interpolation="nearest", fill=1)
    assert (made != wanted).mean() < 1e-4  # places in the middle between two pixels


@pytest.mark.parametrize(
    ("mode", "scipys"), [("edge", "nearest"), ("reflect", "mirror"), ("symmetric", "reflect")]
)
def test_what_stands_outside(mode: str, scipys: str) -> None:
    coordinates = backwards(MATRICES["turned"])
    wanted = ndimage.map_coordinates(SMOOTH[..., 0].astype(float), coordinates, order=1, mode=scipys)
    made = F.warp(SMOOTH[..., 0], MATRICES["turned"], 200, 250, mode=mode)
    assert np.abs(made - wanted).max() <= 2
    mask = F.warp(SMOOTH[..., 0], MATRICES["turned"], 200, 250, mode=mode, interpolation="nearest")
    wanted = ndimage.map_coordinates(SMOOTH[..., 0], coordinates, order=0, mode=scipys)
    assert (mask != wanted).mean() < 1e-3


def test_each_channel_has_its_fill() -> None:
    for channels in (1, 2, 3, 4, 6, 9):
        image = np.zeros((5, 6, channels), np.uint8)
        fill = tuple(range(10, 10 + channels))
        for interpolation in ("nearest", "bilinear"):
            made = F.warp(image, (1, 0, 50, 0, 1, 0), 5, 6, fill=fill, interpolation=interpolation)
            assert (made == np.array(fill)).all()
    with pytest.raises(ValueError, match="one for each channel"):
        F.warp(np.zeros((5, 6, 3), np.uint8), (1, 0, 1, 0, 1, 0), 5, 6, fill=(1, 2))


def test_channels_do_not_change_each_other() -> None:
    deep = np.random.default_rng(0).integers(0, 256, (40, 50, 16)).astype(np.uint8)
    matrix = MATRICES["sheared"]
    whole = F.warp(deep, matrix, 40, 50)
    for k in range(16):
        np.testing.assert_array_equal(
            whole[..., k], F.warp(np.ascontiguousarray(deep[..., k]), matrix, 40, 50)
        )


numbers = st.floats(-3, 3)


@given(st.tuples(numbers, numbers, numbers, numbers, numbers, numbers))
def test_inverse_and_points(matrix: tuple[float, ...]) -> None:
    a, b, _, d, e, _ = matrix
    if abs(a * e - b * d) < 1e-2:
        return
    points = np.array([[1.0, 2.0], [-5.0, 7.0]])
    back = F.warp_points(F.warp_points(points, matrix), inverse(matrix))
    np.testing.assert_allclose(back, points, atol=1e-7)


def test_what_cannot_be_warped_is_refused() -> None:
    image = np.zeros((5, 6), np.uint8)
    with pytest.raises(ValueError, match="matrix must have an inverse"):
        F.warp(image, (1, 1, 0, 1, 1, 0), 5, 6)
    with pytest.raises(ValueError, match="up to 32766 pixels a side"):
        F.warp(image, (1, 0, 0, 0, 1, 0), 40_000, 6)
    with pytest.raises(ValueError, match="interpolation must be one of nearest"):
        F.warp(image, (1, 0, 0, 0, 1, 0), 5, 6, interpolation="area")
    with pytest.raises(ValueError, match="mode must be one of"):
        F.warp(image, (1, 0, 0, 0, 1, 0), 5, 6, mode="wrap")
    with pytest.raises(TypeError, match="cannot be interpolated"):
        F.warp(image.astype(np.int64), (1, 0, 0, 0, 1, 0), 5, 6)
    with pytest.raises(ValueError, match=r"must have the shape \(H, W\)"):
        F.warp(np.zeros((2, 3, 4, 5), np.uint8), (1, 0, 0, 0, 1, 0), 5, 6)
    # With "nearest", OpenCV returned the result's memory as it was: other values in every call.
    for shape in ((0, 6), (5, 0, 3)):
        for interpolation in ("nearest", "bilinear"):
            with pytest.raises(ValueError, match="must not be empty"):
                F.warp(np.zeros(shape, np.uint8), (1, 0, 0, 0, 1, 0), 5, 6, interpolation=interpolation)


# Affine and Rotate


def reference_matrix(degrees: float, translate: Any, scale: Any, shear: Any, shape: Any) -> np.ndarray:
    """torchvision's RandomAffine, written with matrices: T · C · R · scale · shear y · shear x · C⁻¹."""
    turn, lean_x, lean_y = (math.radians(one) for one in (-degrees, *shear))
    x, y = (shape[1] - 1) / 2, (shape[0] - 1) / 2

    def three(*rows: Any) -> np.ndarray:
        return np.array([*rows, (0, 0, 1)], float)

    return (
        three((1, 0, translate[0] + x), (0, 1, translate[1] + y))
        @ three((math.cos(turn), -math.sin(turn), 0), (math.sin(turn), math.cos(turn), 0))
        @ np.diag([scale[0], scale[1], 1])
        @ three((1, 0, 0), (-math.tan(lean_y), 1, 0))
        @ three((1, -math.tan(lean_x), 0), (0, 1, 0))
        @ three((1, 0, -x), (0, 1, -y))
    )


def test_affine_is_torchvisions_matrix() -> None:
    augment = ss.Affine(170, translate=(0.1, 0.2), scale=((0.5, 2), (0.8, 1.1)), shear=((-30, 30), (-20, 10)))
    for one in drawn(augment, n=200):
        wanted = reference_matrix(one.degrees, one.translate, one.scale, one.shear, (200, 250))
        np.testing.assert_allclose(np.reshape(one.matrix, (2, 3)), wanted[:2], atol=1e-9)


def test_shift_scale_rotate_is_an_affine() -> None:
    found = ss.Affine.shift_scale_rotate(shift=0.1, scale=(-0.2, 0.3), rotate=(10, 20), p=0.4)
    assert found == ss.Affine((10, 20), translate=0.1, scale=(0.8, 1.3), p=0.4)


@pytest.mark.parametrize("degrees", [30, -75.5, 90, 180, 200])
def test_rotate_is_pillows(degrees: float) -> None:
    made = ss.Rotate((degrees, degrees))(SMOOTH, key=KEY).astype(float)
    wanted = np.asarray(Image.fromarray(SMOOTH).rotate(degrees, Image.Resampling.BILINEAR), float)
    inner = np.asarray(Image.new("L", (248, 198), 255).rotate(degrees, expand=False)) > 0
    both = np.zeros((200, 250), bool)
    both[1:-1, 1:-1] = inner
    # Pillow has no values between its frame and the outside.
    difference = np.abs(made - wanted)[ndimage.binary_erosion(both, iterations=3)]
    assert difference.max() <= 3
    assert difference.mean() <= 0.6


@pytest.mark.parametrize(("degrees", "turns"), [(90, 1), (180, 2), (-90, 3), (450, 1)])
def test_quarters_are_exact(degrees: float, turns: int) -> None:
    for image in (PHOTO, PHOTO[:30, :31], PHOTO[:7, :4]):
        made = ss.Rotate((degrees, degrees), expand=True)(image, key=KEY)
        np.testing.assert_array_equal(made, np.rot90(image, turns))


def test_expand_shows_all_and_crop_border_nothing_else() -> None:
    white = np.full((60, 90), 255, np.uint8)
    for degrees in range(-180, 181, 7):
        whole = ss.Rotate((degrees, degrees), expand=True)(white, key=KEY)
        assert abs(int(whole.sum(dtype=np.int64)) / 255 - 60 * 90) < 30  # of the frame, half is there
        inside = ss.Rotate((degrees, degrees), crop_border=True, interpolation="nearest")(white, key=KEY)
        assert (inside[1:-1, 1:-1] == 255).all()
        turned = math.radians(degrees)
        widest = 60 * 90 / max(60 * abs(math.cos(turned)) + 90 * abs(math.sin(turned)), 90)
        assert inside.size > 0.3 * widest


def test_boxes_by_ellipse_are_closer() -> None:
    boxes = np.array([[100.0, 80, 140, 120]]).view(Edges)
    for degrees in (0, 30, 45, 90):
        by = [
            ss.Rotate((degrees, degrees), rotate_method=method)({"image": PHOTO, "boxes": boxes}, key=KEY)[
                "boxes"
            ][0]
            for method in ("corners", "ellipse")
        ]
        turned = math.radians(degrees)
        reach = 40 * (abs(math.cos(turned)) + abs(math.sin(turned)))
        np.testing.assert_allclose(by[0][2:] - by[0][:2], reach)
        np.testing.assert_allclose(by[1][2:] - by[1][:2], 40)
        np.testing.assert_allclose(by[0][:2] + by[0][2:], by[1][:2] + by[1][2:])


# Turns


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 1), (5, 7, 3), (5, 7, 5), (3, 4, 200)], ids=str)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "int32", "int64", "float16", "float64"])
def test_turns_are_numpys(shape: tuple[int, ...], dtype: str) -> None:
    image = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    for turns in range(-4, 8):
        np.testing.assert_array_equal(F.quarter_turn(image, turns), np.rot90(image, turns))
    np.testing.assert_array_equal(F.transpose(image), image.swapaxes(0, 1))


def test_d4_is_the_eight_symmetries() -> None:
    image = np.arange(6, dtype=np.uint8).reshape(2, 3)
    seen: dict[bytes, int] = {}
    for k in range(N):
        made = ss.D4()(image, key=ss.SampleKey(0, 0, k))
        seen[made.tobytes() + bytes(made.shape)] = seen.get(made.tobytes() + bytes(made.shape), 0) + 1
    wanted = {
        np.rot90(one, k).tobytes() + bytes(np.rot90(one, k).shape)
        for k in range(4)
        for one in (image, image[:, ::-1])
    }
    assert set(seen) == wanted
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3
    turns = np.bincount([one.turns for one in drawn(ss.RandomRotate90())])
    assert stats.chisquare(turns).pvalue > 1e-3


@given(st.integers(0, 3), st.booleans(), st.integers(1, 9), st.integers(1, 9), st.data())
def test_points_and_boxes_turn_with_the_pixels(
    turns: int, mirrored: bool, rows: int, columns: int, d: Any
) -> None:
    x, y = d.draw(st.integers(0, columns - 1)), d.draw(st.integers(0, rows - 1))
    image = np.zeros((rows, columns), np.uint8)
    image[y, x] = 1
    values = (turns, mirrored, rows, columns)
    one = ss.D4()
    (down,), (right,) = np.nonzero(one.apply_image(image, values))
    for dtype in (np.int32, np.float32):
        np.testing.assert_array_equal(one.apply_keypoints(np.array([[x, y]], dtype), values), [[right, down]])
        boxes = one.apply_boxes(np.array([[x, y, x + 1, y + 1]], dtype), values)
        np.testing.assert_array_equal(boxes, [[right, down, right + 1, down + 1]])


# Perspective


def test_perspective_takes_corners_to_corners() -> None:
    edges = np.array([[0, 0], [250, 0], [250, 200], [0, 200]], float)
    for one in drawn(ss.Perspective(scale=0.2), n=100):
        moved = F.warp_points(np.array(one.corners) - 0.5, one.matrix) + 0.5
        np.testing.assert_allclose(moved, edges, atol=1e-8)
    for one in drawn(ss.Perspective(distortion_scale=1), n=300):
        moved = F.warp_points(edges - 0.5, one.matrix) + 0.5
        np.testing.assert_allclose(moved, np.array(one.corners), atol=1e-8)
    for one in drawn(ss.Perspective(fit_output=True, keep_size=False), n=100):
        moved = F.warp_points(edges - 0.5, one.matrix) + 0.5
        assert moved.min() >= -1e-6
        assert (moved <= np.array(one.size[::-1]) + 1e-6).all()


def test_perspective_is_scikit_images() -> None:
    one = params(ss.Perspective(distortion_scale=0.5, p=1))
    edges = np.array([[0, 0], [250, 0], [250, 200], [0, 200]], float)
    fitted = transform.ProjectiveTransform.from_estimate(np.array(one.corners) - 0.5, edges - 0.5)
    wanted = transform.warp(SMOOTH.astype(float), fitted, order=1, cval=0, preserve_range=True)
    made = ss.Perspective(distortion_scale=0.5, p=1)(SMOOTH, key=KEY)
    difference = np.abs(made - wanted)[ndimage.binary_erosion((wanted > 0).all(-1), iterations=2)]
    assert difference.max() <= 3


# Distortions


def test_grid_distortion_is_numpys_interp() -> None:
    one = params(ss.GridDistortion(4, distort_limit=0.5, p=1))
    assert len(one.across) == len(one.down) == 5
    assert (one.across[0], one.across[-1], one.down[-1]) == (0, 250, 200)
    right = np.interp(np.arange(250) + 0.5, np.linspace(0, 250, 5), one.across) - 0.5
    down = np.interp(np.arange(200) + 0.5, np.linspace(0, 200, 5), one.down) - 0.5
    wanted = ndimage.map_coordinates(
        SMOOTH[..., 1].astype(float), np.meshgrid(down, right, indexing="ij"), order=1
    )
    made = ss.GridDistortion(4, distort_limit=0.5, p=1)(SMOOTH, key=KEY)[..., 1]
    assert np.abs(made - wanted)[1:-1, 1:-1].max() <= 2
    widths = np.array([np.diff(one.across) / 62.5 for one in drawn(ss.GridDistortion(4, normalized=False))])
    assert stats.kstest(widths.ravel(), "uniform", args=(0.7, 0.6)).pvalue > 1e-3


@pytest.mark.parametrize("lens", ["camera", "fisheye"])
@pytest.mark.parametrize("strength", [-0.6, -0.2, 0.3, 2.0])
def test_optical_distortion_is_its_formula(lens: str, strength: float) -> None:
    augment = ss.OpticalDistortion((strength, strength), lens=lens, p=1)
    down, right = np.mgrid[:200, :250] - np.array([99.5, 124.5])[:, None, None]
    if lens == "camera":
        square = (right / 250) ** 2 + (down / 200) ** 2
        larger = 1 + strength * square + strength * square**2
    else:
        larger = 1 + strength * (right**2 + down**2) / (100**2 + 125**2)
    coordinates = [down * larger + 99.5, right * larger + 124.5]
    wanted = ndimage.map_coordinates(SMOOTH[..., 1].astype(float), coordinates, order=1, mode="grid-constant")
    assert np.abs(augment(SMOOTH, key=KEY)[..., 1] - wanted).max() <= 5


def test_elastic_displacements_have_their_size() -> None:
    for alpha, sigma in ((100, 4), (300, 9), (20, 1), (5, 0.5)):
        one = params(ss.ElasticTransform(alpha, sigma, p=1), shape=(300, 300))
        field = ss.ElasticTransform(alpha, sigma).source(one)
        x, y = np.arange(300.0)[None], np.arange(300.0)[:, None]
        there_x, there_y = field(x, y)
        for shift in (there_x - x, there_y - y):
            noise = np.random.default_rng(0).standard_normal((400, 400)) / 4.325
            wanted = alpha * ndimage.gaussian_filter(noise, sigma)
            assert 0.7 < shift.std() / wanted.std() < 1.4
            turn = [np.corrcoef(one[:, 8:].ravel(), one[:, :-8].ravel())[0, 1] for one in (shift, wanted)]
            assert abs(turn[0] - turn[1]) < 0.2
        assert abs(np.corrcoef((there_x - x).ravel(), (there_y - y).ravel())[0, 1]) < 0.4
        np.testing.assert_array_equal(field(x[0, :50], y[:50, 0])[0], there_x[np.arange(50), np.arange(50)])
    same = ss.ElasticTransform(100, 4, same_dxdy=True).source(one)
    there_x, there_y = same(x, y)
    np.testing.assert_allclose(there_x - x, there_y - y, atol=1e-9)


def test_elastic_displacements_grow_towards_repeated_edges() -> None:
    augment, x, y = (
        ss.ElasticTransform(100, 6, repeat_edges=True, p=1),
        np.arange(91.0)[None],
        np.arange(80.0)[:, None],
    )
    found, wanted = [], []
    for index in range(300):
        field = augment.source(params(augment, ss.SampleKey(0, 0, index), (80, 91)))
        found.append(field(x, y)[0] - x)
        noise = np.random.default_rng(index).standard_normal((80, 91)) / 4.325
        wanted.append(100 * ndimage.gaussian_filter(noise, 6, mode="nearest"))
    ours, scipys = np.std(found, axis=0), np.std(wanted, axis=0)
    middle = slice(25, 55)
    assert ours[middle, middle].mean() == pytest.approx(scipys[middle, middle].mean(), rel=0.1)
    for edge in ((0, middle), (-1, middle), (middle, 0), (middle, -1), (0, 0), (0, -1), (-1, 0), (-1, -1)):
        assert np.mean(ours[edge]) == pytest.approx(np.mean(scipys[edge]), rel=0.35)
        assert np.mean(ours[edge]) > 1.7 * ours[middle, middle].mean()


def test_piecewise_affine_is_scikit_images() -> None:
    augment = ss.PiecewiseAffine((0.03, 0.03), nb_rows=4, nb_cols=3, p=1)
    field = augment.source(params(augment))
    x, y = np.meshgrid(np.linspace(-0.5, 249.5, 3), np.linspace(-0.5, 199.5, 4))
    there = np.stack(field(x, y), -1)
    shift = (there - np.stack([x, y], -1)) / [250, 200]
    assert 0.01 < np.abs(shift[1:-1, 1:-1]).mean() < 0.06
    assert there.min() >= -0.5 - 1e-9
    assert (there <= np.array([249.5, 199.5]) + 1e-9).all()
    # On the lines of the lattice all triangulations agree.
    steps = np.linspace(0, 1, 9)
    for row in range(4):
        for column in range(2):
            along = x[row, column] + (x[row, column + 1] - x[row, column]) * steps
            found = np.stack(field(along, np.full(9, y[row, column])), -1)
            ends = there[row, column], there[row, column + 1]
            np.testing.assert_allclose(found, ends[0] + (ends[1] - ends[0]) * steps[:, None], atol=1e-9)


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (3, 6), (2, 2)])
def test_piecewise_affine_pixels_are_scikit_images_warp(rows: int, columns: int) -> None:
    """imgaug's own is scikit-image's warp by a PiecewiseAffineTransform between the even lattice and the shifted one."""
    augment = ss.PiecewiseAffine((0.03, 0.03), nb_rows=rows, nb_cols=columns, fill=30, p=1)
    x, y = np.meshgrid(np.linspace(-0.5, 249.5, columns), np.linspace(-0.5, 199.5, rows))
    even = np.stack([x.ravel(), y.ravel()], -1)
    for index in range(3):
        key = ss.SampleKey(4, 0, index)
        shifted = np.stack(augment.source(params(augment, key))(even[:, 0], even[:, 1]), -1)
        # Cells are squares cut in two by either diagonal: a little leaning decides which one Delaunay's triangles take.
        leaning = even + np.stack([1e-4 * even[:, 1], np.zeros(len(even))], -1)
        field = transform.PiecewiseAffineTransform.from_estimate(leaning, shifted)
        wanted = (
            transform.warp(SMOOTH, field, order=1, mode="constant", cval=30 / 255, output_shape=(200, 250))
            * 255
        )
        made = augment(SMOOTH, key=key)
        # OpenCV 4 counts coordinates in 1/32 pixel; at the frame, what stands outside comes in between.
        apart = np.abs(made[2:-2, 2:-2] - wanted[2:-2, 2:-2])
        assert apart.max() <= 6
        assert apart.mean() <= 0.35


@pytest.mark.parametrize(
    "augment",
    [
        ss.GridDistortion(5, distort_limit=0.9, p=1),
        ss.OpticalDistortion((1.5, 2), p=1),
        ss.OpticalDistortion((-0.4, -0.3), p=1),
        ss.OpticalDistortion((0.5, 2), lens="fisheye", p=1),
        ss.ElasticTransform(120, 6, p=1),
        ss.PiecewiseAffine((0.03, 0.05), p=1),
    ],
    ids=repr,
)
def test_forward_is_the_way_back_of_source(augment: Any) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(40, 210, 500), rng.uniform(40, 160, 500)
    for k in range(10):
        one = params(augment, ss.SampleKey(5, 0, k))
        there = augment.forward(one)(*augment.source(one)(x, y))
        far = np.hypot(there[0] - x, there[1] - y)
        assert np.quantile(far, 0.98) < 0.05  # where nothing is folded


FOLLOWED: dict[str, Any] = {
    "PiecewiseAffine": ss.PiecewiseAffine((0.03, 0.05), p=1),
    "PiecewiseAffine, folded": ss.PiecewiseAffine((0.06, 0.1), nb_rows=6, nb_cols=5, p=1),
    "GridDistortion": ss.GridDistortion(5, distort_limit=0.3, p=1),
    "GridDistortion, far": ss.GridDistortion(4, distort_limit=0.8, p=1),
    "ElasticTransform": ss.ElasticTransform(60, 6, p=1),
}


FINENESS = 1e-3 if cv2.__version__ >= "5" else 1 / 64
"""How far OpenCV moves a place before it interpolates, in pixels: OpenCV 4 looks at 32 places a pixel."""


@pytest.mark.parametrize("shape", [(101, 77), (160, 210)], ids=str)
@pytest.mark.parametrize("name", FOLLOWED)
def test_boxes_and_keypoints_follow_the_pixels(name: str, shape: tuple[int, int]) -> None:
    """An image of its own coordinates says where each pixel comes from; what is drawn on the fine places is what is seen."""
    augment = FOLLOWED[name]
    height, width = shape
    # Tips of boxes are narrower than a pixel: look at more places, and at the image's edges.
    fineness = 1200 // max(shape)
    rng = np.random.default_rng(0)
    down, right = np.mgrid[:height, :width].astype(np.float32)
    across, along = (
        np.r_[0, np.arange(side * fineness) + 0.5, side * fineness] / fineness - 0.5
        for side in (width, height)
    )
    fine = np.meshgrid(across, along)
    dots = 0
    for index in range(8):
        one = params(augment, ss.SampleKey(3, 0, index), shape)
        shown = augment.apply_image(np.stack([right, down, right], -1), one)
        field = augment.source(one)
        x, y = field(right.astype(np.float64), down.astype(np.float64))
        inside = (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)
        for made, wanted in ((shown[..., 0], x), (shown[..., 1], y)):
            # The field is the pixels'.
            np.testing.assert_allclose(made[inside], wanted[inside], atol=FINENESS)
        x, y = field(*fine)
        starts = rng.integers(0, [width - 8, height - 8], (6, 2))
        ends = np.minimum(starts + rng.integers(8, [width, height], (6, 2)), [width, height])
        boxes = np.concatenate([starts, ends], axis=1).astype(np.float64)
        for (x0, y0, x1, y1), found in zip(boxes - 0.5, augment.apply_boxes(boxes, one), strict=True):
            filled = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
            rows, columns = np.flatnonzero(filled.any(1)), np.flatnonzero(filled.any(0))
            seen = [across[columns[0]], along[rows[0]], across[columns[-1]], along[rows[-1]]]
            assert np.abs(found - 0.5 - seen).max() <= 0.5
        points = rng.uniform(0, [width - 1, height - 1], (12, 2))
        for point, (at_x, at_y) in zip(points, augment.apply_keypoints(points, one), strict=True):
            away = np.hypot(x - point[0], y - point[1])
            if away.min() > 0.5 / fineness:
                continue  # squeezed, or not shown
            dots += 1
            drawn_x, drawn_y = (places[away <= 1 / fineness] for places in fine)
            assert np.hypot(drawn_x - at_x, drawn_y - at_y).min() <= 0.25
    assert dots > 40


# Errors


test_wrong_arguments = refused(
    (lambda: ss.Affine(degrees="x"), TypeError, "degrees must be a number"),
    (lambda: ss.Affine(degrees=-5), ValueError, "degrees must be"),
    (lambda: ss.Affine(degrees=(5, 1)), ValueError, "swap them"),
    (lambda: ss.Affine(degrees=(1, 2, 3)), ValueError, "one number or a pair"),
    (lambda: ss.Affine(translate=-0.1), ValueError, "translate must be"),
    (lambda: ss.Affine(translate=(-0.1, 0.1)), ValueError, "or a range for each"),
    (lambda: ss.Affine(translate=(0.1, 0.1, 0.1)), ValueError, "two for x and y"),
    (lambda: ss.Affine(scale=(0, 1)), ValueError, "scale must be"),
    (lambda: ss.Affine(scale=1.5), ValueError, "scale must be"),
    (lambda: ss.Affine(shear=90), ValueError, "shear must be"),
    (lambda: ss.Affine.shift_scale_rotate(scale=1), ValueError, "scale must be"),
    (lambda: ss.Rotate(expand=True, crop_border=True), ValueError, "cannot both be True"),
    (lambda: ss.Rotate(degrees=float("nan")), ValueError, "degrees must be"),
    (lambda: ss.Perspective(-0.1), ValueError, "scale must be"),
    (lambda: ss.Perspective(distortion_scale=2), ValueError, "distortion_scale must be"),
    (lambda: ss.Perspective(distortion_scale=0.5, fit_output=True), ValueError, "leave keep_size and fit_output out"),
    (lambda: ss.GridDistortion(0), ValueError, "num_steps must be"),
    (lambda: ss.GridDistortion(distort_limit=2), ValueError, "distort_limit must be"),
    (lambda: ss.ElasticTransform(-1), ValueError, "alpha must be"),
    (lambda: ss.ElasticTransform(1, 0), ValueError, "sigma must be"),
    (lambda: ss.PiecewiseAffine(nb_rows=1), ValueError, "nb_rows must be"),
    (lambda: ss.PiecewiseAffine(nb_cols=(5, 2)), ValueError, "nb_cols must be"),
)  # fmt: skip
