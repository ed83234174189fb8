"""Snow, rain, fog, shadows and sun flares.

They follow albumentations 2.0.8, which follows U. Saxena's Automold, a library of augmentations for roads. Images of float32 are
converted to uint8 and back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, ClassVar, Final

import numpy as np

import seedsafe as ss
from seedsafe_albumentations.arguments import number_of, only, pair_of, several_of, word_of
from seedsafe_albumentations.table import Row

__all__ = ["ROWS"]

_Range = tuple[float, float]


@dataclass(frozen=True)
class Weather(ss.ImageTransform):
    """Base class of these transforms, which change images of uint8 in place."""

    channels: ClassVar[Any] = "last"
    colours: ClassVar[bool] = True
    """Whether the image must have three channels."""

    def apply_image(self, image: Any, params: Any) -> Any:
        """Return the changed image."""
        if self.colours and (image.ndim != 3 or image.shape[2] != 3):
            raise ValueError(
                f"{type(self).__name__} needs three channels, got the shape {image.shape}: read RGB"
            )
        if image.dtype == np.uint8:
            return self.change(image.copy(), params)
        if image.dtype != np.float32:
            raise TypeError(
                f"{type(self).__name__} needs uint8 or float32, got dtype {image.dtype}: "
                "pass (image / 65535).astype(numpy.float32) of 16 bits, image.astype(numpy.float32) of floats in [0, 1]"
            )
        deep = np.rint(np.clip(image, 0, 1) * 255).astype(np.uint8)
        return self.change(deep, params).astype(np.float32) / np.float32(255)

    def change(self, image: Any, params: Any) -> Any:
        """Change an image of uint8, in place or not, and return it."""
        raise NotImplementedError


@dataclass(frozen=True)
class Snow(Weather):
    """Bleach the pixels that are darker than a threshold, the snow point.

    Args:
        snow_point: the range of the snow point. 0 is a third of the range of values, 1 is five sixths of it.
        brightness: the factor of lightness.
    """

    snow_point: _Range
    brightness: float

    def draw(self, rng: ss.Draws, info: ss.Info) -> float:
        """Return the snow point."""
        return rng.uniform(*self.snow_point)

    def change(self, image: Any, params: float) -> Any:
        """Return the image with lighter shadows."""
        cv2: Any = ss.opencv.load()
        result = cv2.cvtColor(image, cv2.COLOR_RGB2HLS)
        levels = np.arange(256, dtype=np.float32)
        levels[levels < params * 255 / 2 + 255 / 3] *= np.float32(self.brightness)
        result[:, :, 1] = cv2.LUT(result[:, :, 1], np.clip(levels, 0, 255).astype(np.uint8))
        return cv2.cvtColor(result, cv2.COLOR_HLS2RGB)


@dataclass(frozen=True)
class Rain(Weather):
    """Draw slanted lines, blur them, add them, and darken the image.

    Args:
        slant: the range of the shift of a line's end, in pixels.
        length: the length of a drop, in pixels, or None to use an eighth of the height.
        width: the width of a drop, in pixels.
        colour: the colour of a drop, RGB from 0 to 255.
        blur: the side of the blur, in pixels.
        brightness: the factor of all pixels.
        many: the number of drops for each row of pixels.
    """

    slant: _Range
    length: int | None
    width: int
    colour: tuple[float, ...]
    blur: int
    brightness: float
    many: float

    def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
        """Return the slant, the length, and the drops' upper ends (x, y)."""
        rows, columns = info.image_size()
        length = max(1, rows // 8) if self.length is None else self.length
        if length >= rows:
            raise ValueError(
                f"drop_length must be below the image's height, got {length} of {rows}: pass fewer pixels"
            )
        slant = rng.uniform(*self.slant)
        begins = rng.units(2 * int(rows * self.many)).reshape(-1, 2) * (columns, rows - length)
        return slant, length, begins.astype(int).tolist()

    def change(self, image: Any, params: Any) -> Any:
        """Return the image with drops."""
        cv2: Any = ss.opencv.load()
        slant, length, drops = params
        begins = np.array(drops, np.float64).reshape(-1, 2)
        if not len(begins):
            return image
        layer = np.zeros_like(image)
        lines = np.stack([begins, begins + np.array([slant, length])], axis=1).astype(np.int32)
        cv2.polylines(layer, list(lines), False, self.colour, self.width, lineType=cv2.LINE_4)
        layer = cv2.blur(layer, (self.blur, self.blur)) if self.blur > 1 else layer
        every: Any = np.arange(256, dtype=np.uint8)
        darker = cv2.multiply(every, np.full(256, self.brightness), dtype=cv2.CV_8U)
        return cv2.LUT(cv2.add(image, layer), darker)


@dataclass(frozen=True)
class Fog(Weather):
    """Lay many faint white discs over the image, most of them near its centre, and blur it a little.

    Args:
        strength: the range of the strength, from 0 to 1.
        alpha: the share of white in a disc at full strength.
    """

    strength: _Range
    alpha: float

    def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
        """Return the strength, and the discs' centres and radii."""
        rows, columns = info.image_size()
        strength = rng.uniform(*self.strength)
        region = max(1, int(columns // 3 * strength))
        x, y = int((columns - 1) / 2), int((rows - 1) / 2)
        largest = max(2, int(min(rows, columns) * 0.1 * strength))
        smallest = max(1, largest // 2)
        discs = []
        wide, high = columns, rows
        for _ in range(10):
            if wide <= region or high <= region:
                break
            for _ in range(int(wide * high / (region * region) * strength * 10)):
                centre = (
                    x - wide // 2 + rng.integer(wide // 2 * 2 + 1),
                    y - high // 2 + rng.integer(high // 2 * 2 + 1),
                )
                discs.append((*centre, smallest + rng.integer(largest - smallest)))
            wide, high = int(wide * 0.9), int(high * 0.9)
        return strength, discs

    def change(self, image: Any, params: Any) -> Any:
        """Return the image with fog. Only the number of discs over a pixel counts."""
        cv2: Any = ss.opencv.load()
        strength, discs = params
        rows, columns = image.shape[:2]
        counts = np.zeros((rows, columns), np.uint16)
        shapes: dict[int, Any] = {}
        for x, y, radius in discs:
            if radius not in shapes:
                blank = np.zeros((2 * radius + 1, 2 * radius + 1), np.uint8)
                shapes[radius] = cv2.circle(blank, (radius, radius), radius, 1, -1)
            top, left = max(y - radius, 0), max(x - radius, 0)
            part = counts[top : max(y + radius + 1, 0), left : max(x + radius + 1, 0)]
            above, before = top - (y - radius), left - (x - radius)
            part += shapes[radius][above : above + part.shape[0], before : before + part.shape[1]]
        share = self.alpha * strength
        steps: list[Any] = [np.arange(256, dtype=np.uint8)]
        for _ in range(int(counts.max())):
            steps.append(cv2.addWeighted(np.full_like(steps[0], 255), share, steps[-1], 1 - share, 0).ravel())
        result = np.array(steps)[counts[:, :, None], image]
        side = max(3, min(rows, columns) // 30) | 1
        return cv2.GaussianBlur(result, (side, side), 0)


@dataclass(frozen=True)
class Shadow(Weather):
    """Darken polygons.

    Args:
        area: the rectangle (x0, y0, x1, y1) of their corners, as shares of width and height.
        count: the range of their number.
        corners: the number of corners of a polygon.
        strength: the range of the share by which pixels get darker.
    """

    colours = False

    area: tuple[float, ...]
    count: tuple[int, int]
    corners: int
    strength: _Range

    def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
        """Return polygons, each with its strength."""
        rows, columns = info.image_size()
        x0, x1 = (int(share * columns) for share in self.area[::2])
        y0, y1 = (int(share * rows) for share in self.area[1::2])
        low, high = self.count
        return [
            (
                [
                    (x0 + rng.integer(max(1, x1 - x0)), y0 + rng.integer(max(1, y1 - y0)))
                    for _ in range(self.corners)
                ],
                rng.uniform(*self.strength),
            )
            for _ in range(low + rng.integer(high - low + 1))
        ]

    def change(self, image: Any, params: Any) -> Any:
        """Return the image with shadows."""
        cv2: Any = ss.opencv.load()
        for corners, strength in params:
            mask = cv2.fillPoly(np.zeros(image.shape[:2], np.uint8), [np.array(corners, np.int32)], 1) == 1
            image[mask] = (image[mask] * (1 - strength)).astype(np.uint8)
        return image


@dataclass(frozen=True)
class SunFlare(Weather):
    """Draw the sun, and coloured circles on a line through it.

    Args:
        area: the rectangle (x0, y0, x1, y1) of the sun's centre, as shares of width and height.
        radius: the radius of the sun, in pixels.
        colour: the colour of the sun, RGB from 0 to 255.
        angle: the range of the line's angle, in turns.
        count: the range of the number of circles.
    """

    area: tuple[float, ...]
    radius: int
    colour: tuple[float, ...]
    angle: _Range
    count: tuple[int, int]

    def draw(self, rng: ss.Draws, info: ss.Info) -> Any:
        """Return the sun's centre, and for each circle its share, centre, radius and colour."""
        rows, columns = info.image_size()
        angle = 2 * np.pi * rng.uniform(*self.angle)
        x = int(columns * rng.uniform(*self.area[::2]))
        y = int(rows * rng.uniform(*self.area[1::2]))
        low, high = self.count
        step, largest = max(1, int(np.hypot(rows, columns) * 0.01)), max(2, int(rows * 0.01))
        along = range(-x, columns - x, step)
        spread = int(max(self.colour) * 0.2)
        circles = []
        for _ in range(low + rng.integer(high - low + 1)):
            share, t = rng.uniform(0.05, 0.2), along[rng.integer(len(along))]
            radius = (1 + rng.integer(largest)) ** 3
            dark = [max(int(one) - spread, 0) for one in self.colour]
            colour = [d + rng.integer(int(one) - d + 1) for d, one in zip(dark, self.colour, strict=True)]
            circles.append((share, (int(x + t * np.cos(angle)), int(y + t * np.sin(angle))), radius, colour))
        return (x, y), circles

    def change(self, image: Any, params: Any) -> Any:
        """Return the image with the sun."""
        cv2: Any = ss.opencv.load()
        sun, circles = params
        overlay = image.copy()
        for share, centre, radius, colour in circles:
            cv2.circle(overlay, centre, radius, colour, -1)
            image = cv2.addWeighted(overlay, share, image, 1 - share, 0)
        overlay = image.copy()
        radii = [radius for _, _, radius, _ in circles]
        products = (share * radius for share, _, radius, _ in circles)
        brightest = 5 * reduce(add, products) / sum(radii)  # `sum` of floats depends on Python's version
        many = self.radius // 10
        shares = np.linspace(0.0, min(brightest, 1.0), many)[::-1] ** 3
        for radius, share in zip(np.linspace(1, self.radius, many), shares, strict=True):
            cv2.circle(overlay, sun, int(radius), self.colour, -1)
            image = cv2.addWeighted(overlay, share, image, 1 - share, 0)
        return image


def _share(value: Any, name: str) -> _Range:
    """Return a range within [0, 1]."""
    low, high = pair_of(value, name)
    if low < 0 or high > 1:
        raise ValueError(f"{name} must be in [0, 1], got {value!r}: pass shares")
    return low, high


def _area(value: Any, name: str) -> tuple[float, ...]:
    area = several_of(value, name)
    if len(area) != 4 or not (0 <= area[0] <= area[2] <= 1 and 0 <= area[1] <= area[3] <= 1):
        raise ValueError(
            f"{name} must be (x_min, y_min, x_max, y_max) in [0, 1], got {value!r}: pass shares of the sides"
        )
    return area


def _count(value: Any, name: str) -> tuple[int, int]:
    low, high = pair_of(value, name)
    if low < 1 or low != low // 1 or high != high // 1:
        raise ValueError(f"{name} must be whole numbers from 1 on, got {value!r}: pass a range of counts")
    return int(low), int(high)


def _with_ends(kind: Any, argument: str, end: str) -> Callable[..., Any]:
    """Return a function that builds a transform from a range, or from its two ends as in 1.x."""

    def build(**options: Any) -> Any:
        ends = [options.pop(f"{end}_{which}") for which in ("lower", "upper")]
        both = zip(options[argument], ends, strict=True)
        options[argument] = tuple(default if one is None else one for default, one in both)
        return kind(**options)

    return build


_DROPS: Final = word_of({"drizzle": 1 / 4, "heavy": 1, "torrential": 2, "default": 1 / 3, None: 1 / 3})

ROWS: Final = {
    "RandomSnow": Row(
        Snow,
        "brightness_coeff=2.5, snow_point_range=(0.1, 0.3), method='bleach', p=0.5, *, snow_point_lower=None, "
        "snow_point_upper=None",
        {
            "brightness_coeff": ("brightness", number_of),
            "snow_point_range": ("snow_point", _share),
            "method": only("bleach", "use seedsafe.bridge(albumentations.RandomSnow(method='texture'))"),
        },
        build=_with_ends(Snow, "snow_point", "snow_point"),
    ),
    "RandomRain": Row(
        Rain,
        "slant_range=(-10, 10), drop_length=None, drop_width=1, drop_color=(200, 200, 200), blur_value=7, "
        "brightness_coefficient=0.7, rain_type='default', p=0.5, *, slant_lower=None, slant_upper=None",
        {
            "slant_range": ("slant", pair_of),
            "drop_length": "length",
            "drop_width": ("width", number_of),
            "drop_color": ("colour", several_of),
            "blur_value": ("blur", number_of),
            "brightness_coefficient": ("brightness", number_of),
            "rain_type": ("many", _DROPS),
        },
        build=_with_ends(Rain, "slant", "slant"),
    ),
    "RandomFog": Row(
        Fog,
        "alpha_coef=0.08, fog_coef_range=(0.3, 1), p=0.5, *, fog_coef_lower=None, fog_coef_upper=None",
        {"alpha_coef": ("alpha", number_of), "fog_coef_range": ("strength", _share)},
        build=_with_ends(Fog, "strength", "fog_coef"),
    ),
    "RandomShadow": Row(
        Shadow,
        "shadow_roi=(0, 0.5, 1, 1), num_shadows_limit=(1, 2), shadow_dimension=5, shadow_intensity_range=(0.5, 0.5), p=0.5, "
        "*, num_shadows_lower=None, num_shadows_upper=None",
        {
            "shadow_roi": ("area", _area),
            "num_shadows_limit": ("count", _count),
            "shadow_dimension": ("corners", number_of),
            "shadow_intensity_range": ("strength", _share),
        },
        build=_with_ends(Shadow, "count", "num_shadows"),
    ),
    "RandomSunFlare": Row(
        SunFlare,
        "flare_roi=(0, 0, 1, 0.5), src_radius=400, src_color=(255, 255, 255), angle_range=(0, 1), "
        "num_flare_circles_range=(6, 10), method='overlay', p=0.5, *, angle_lower=None, angle_upper=None, "
        "num_flare_circles_lower=None, num_flare_circles_upper=None",
        {
            "flare_roi": ("area", _area),
            "src_radius": ("radius", number_of),
            "src_color": ("colour", several_of),
            "angle_range": ("angle", _share),
            "num_flare_circles_range": ("count", _count),
            "method": only(
                "overlay", "use seedsafe.bridge(albumentations.RandomSunFlare(method='physics_based'))"
            ),
        },
        build=_with_ends(_with_ends(SunFlare, "count", "num_flare_circles"), "angle", "angle"),
    ),
}
