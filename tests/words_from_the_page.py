"""What each transform makes of its words, written again from docs/reference/words.md in plain Python integers and floats.

Nothing of the package is read, and no NumPy. Each function takes a transform's options and returns what draws: its
word 0 has been consumed, and `size` is the image's rows, columns and channels (of audio, channels and length).
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, permutations
from typing import Any, NamedTuple

from contract_from_the_page import (
    Key,
    Words,
    beta,
    cos_sin,
    exponential,
    integer_of,
    log_gamma,
    log_uniform_of,
    unit_of,
)

Size = tuple[int, ...]
Pair = tuple[float, float]
Draw = Callable[[Words, Size], Any]


class One(NamedTuple):
    """A transform: its class, what draws, its probability, its name, and the rows and columns of its result."""

    kind: str
    draw: Draw
    p: float = 1.0
    name: str | None = None
    becomes: tuple[int, int] | None = None


class Several(NamedTuple):
    """A container: its class, what chooses (None for a Compose, which has no stream), its members, its probability and its name."""

    kind: str
    choose: Callable[[Words], list[int]] | None
    members: Sequence[Any]
    p: float = 1.0
    name: str | None = None


def decisions(members: Sequence[One | Several], size: Size, key: Key, first: int) -> list[Any]:
    """Return the name and the parameters of each transform of a pipeline that is reached, from member `first` on."""
    found: list[Any] = []
    ordinals: Counter[str] = Counter()
    applied: Counter[str] = Counter()

    def named(one: One | Several) -> tuple[str, Any, list[Any]]:
        name = one.name or one.kind
        if not one.name and one.kind != "Compose":
            ordinals[name] += 1
            name += f"#{ordinals[name] - 1}" if ordinals[name] > 1 else ""
        return name, one, [named(inner) for inner in one.members] if isinstance(one, Several) else []

    def run(tree: tuple[str, Any, list[Any]], size: Size) -> Size:
        name, one, inner = tree
        chosen: Sequence[int] = range(len(inner))
        if one.kind != "Compose":
            applied[name] += 1
            name = f"{name}@{applied[name] - 1}" if applied[name] > 1 else name
            stream = Words(key, name)
            fires = stream.chance(one.p)
            if isinstance(one, One):
                found.append([name, one.draw(stream, size) if fires else None])
                return (*one.becomes, *size[2:]) if fires and one.becomes else size
            chosen = one.choose(stream) if fires and one.choose else []
            found.append([name, [list(chosen)] if fires else None])
        for place in chosen:
            size = run(inner[place], size)
        return size

    for tree in [named(member) for member in members][first:]:
        size = run(tree, size)
    return found


# Containers


def every(count: int) -> Callable[[Words], list[int]]:
    return lambda words: list(range(count))


def one_of(count: int) -> Callable[[Words], list[int]]:
    return lambda words: [words.integer(count)]


def by_weight(weights: Sequence[float]) -> Callable[[Words], list[int]]:
    def choose(words: Words) -> list[int]:
        sums = list(accumulate(weights))
        drawn = words.unit() * sums[-1]
        below = [k for k, reached in enumerate(sums) if drawn < reached]
        return [below[0] if below else max(k for k, weight in enumerate(weights) if weight)]

    return choose


def some(count: int, n: int, *, replace: bool) -> Callable[[Words], list[int]]:
    def choose(words: Words) -> list[int]:
        if replace:
            return [words.integer(count) for _ in range(n)]
        return sorted(picked(words, list(range(count)), n))

    return choose


def picked(words: Words, left: list[Any], n: int) -> list[Any]:
    """Return n of a list, each taken out of it by an integer below the number of those that are left."""
    return [left.pop(words.integer(len(left))) for _ in range(n)]


# What many transforms draw


def nothing(words: Words, size: Size) -> Any:
    return []


def noise_only(words: Words, size: Size) -> Any:
    return [words.noise()]


def uniforms(*ranges: Pair) -> Draw:
    return lambda words, size: [words.uniform(*one) for one in ranges]


def integer_from(low: int, high: int) -> Draw:
    return lambda words, size: [words.between(low, high)]


def odd(words: Words, low: int, high: int) -> int:
    return low + 2 * words.integer((high - low) // 2 + 1)


def shuffled(words: Words, n: int) -> list[int]:
    left = list(range(n))
    return [*picked(words, left, n - 1), *left]


def with_noise(draw: Draw) -> Draw:
    return lambda words, size: [*draw(words, size), words.noise()]


# Crops


def random_crop(height: int, width: int, *, padding: Sequence[int], pad: bool) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        corner = []
        for side, window, first, last in zip(
            size[:2], (height, width), padding[::2], padding[1::2], strict=True
        ):
            lacking = max(window - side - first - last, 0) if pad else 0
            before, after = first + lacking, last + lacking
            corner.append(words.integer(before + side + after - window + 1) - before)
        return corner

    return draw


def center_crop(height: int, width: int) -> Draw:
    return lambda words, size: [(size[0] - height) // 2, (size[1] - width) // 2]


def added(above: int, below: int, before: int, after: int) -> Draw:
    return lambda words, size: [-above, -before, above + size[0] + below, before + size[1] + after]


def crop_from_borders(left: float, right: float, top: float, bottom: float) -> Draw:
    def ends(words: Words, side: int, before: float, after: float) -> tuple[int, int]:
        first = min(words.integer(int(before * side) + 1), side - 1)
        low = max(first + 1, int((1.0 - after) * side))
        return first, words.between(low, side)

    def draw(words: Words, size: Size) -> Any:
        x0, x1 = ends(words, size[1], left, right)
        y0, y1 = ends(words, size[0], top, bottom)
        return [y0, x0, y1 - y0, x1 - x0]

    return draw


def corner(view: int, size: Size, height: int, width: int) -> list[int]:
    if view == 4:
        return [round((size[0] - height) / 2), round((size[1] - width) / 2), height, width]
    return [(size[0] - height) * (view // 2), (size[1] - width) * (view % 2), height, width]


def three_crop(height: int, width: int) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[0] - height, size[1] - width
        top, left = (rows + 1) // 2, (columns + 1) // 2
        end = {0: 0, 2: 1}.get(words.view % 3)
        if end is not None and size[0] > size[1]:
            top = rows * end
        elif end is not None:
            left = columns * end
        return [top, left, height, width]

    return draw


def temporal_sample(
    n_frames: int, stride: tuple[int, int], segments: int, clips: int | None, short: str
) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        frames, length = size[0], n_frames // segments
        step = stride[0] if clips else words.between(stride[0], stride[1])
        places = max(frames - (length - 1) * step, 1)
        found = []
        for k in range(segments):
            first = k * places // segments
            count = max((k + 1) * places // segments - first, 1)
            within = (2 * (words.view % clips) + 1) * count // (2 * clips) if clips else words.integer(count)
            at = [first + within + j * step for j in range(length)]
            found += [one % frames if short == "loop" else min(one, frames - 1) for one in at]
        return [found]

    return draw


def five_crop(height: int, width: int) -> Draw:
    return lambda words, size: corner(words.view % 5, size, height, width)


def ten_crop(height: int, width: int, *, vertical: bool) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        mirrored = words.view % 10 >= 5
        top, left, _, _ = corner(words.view % 5, size, height, width)
        if mirrored and vertical:
            top = size[0] - height - top
        elif mirrored:
            left = size[1] - width - left
        return [[top, left, height, width], mirrored]

    return draw


def random_resized_crop(scale: Pair, ratio: Pair) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        units = [words.unit() for _ in range(20)]
        vertical, horizontal = words.word(), words.word()
        for share, shape in zip(units[::2], units[1::2], strict=True):
            area = rows * columns * (scale[0] + (scale[1] - scale[0]) * share)
            wide = log_uniform_of(shape, *ratio)
            width, height = round(math.sqrt(area * wide)), round(math.sqrt(area / wide))
            if 0 < width <= columns and 0 < height <= rows:
                top, left = (
                    integer_of(vertical, rows - height + 1),
                    integer_of(horizontal, columns - width + 1),
                )
                return [top, left, height, width]
        height, width = rows, columns
        if columns < ratio[0] * rows:
            height = min(max(round(columns / ratio[0]), 1), rows)
        elif columns > ratio[1] * rows:
            width = min(max(round(rows * ratio[1]), 1), columns)
        return [(rows - height) // 2, (columns - width) // 2, height, width]

    return draw


def random_sized_crop(low: int, high: int, ratio: float) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        height = words.between(low, high)
        width = max(int(height * ratio), 1)
        return [words.integer(size[0] - height + 1), words.integer(size[1] - width + 1), height, width]

    return draw


FIVE = [(0, 0), (0, 4), (4, 0), (4, 4), (2, 2)]
THIRTEEN = [*FIVE, (0, 2), (2, 4), (4, 2), (2, 0), (1, 1), (1, 3), (3, 1), (3, 3)]


def multi_scale_crop(scales: Sequence[float], places: str, apart: int) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        sides = [max(int(min(rows, columns) * scale), 1) for scale in scales]
        count = range(len(sides))
        pairs = [(sides[i], sides[j]) for i in count for j in count if abs(i - j) <= apart]
        height, width = pairs[words.integer(len(pairs))]
        corners = FIVE if places == "corners" else THIRTEEN
        down, right = corners[words.integer(len(corners))]
        top, left = words.integer(rows - height + 1), words.integer(columns - width + 1)
        if places != "random":
            top, left = (rows - height) // 4 * down, (columns - width) // 4 * right
        return [top, left, height, width]

    return draw


Box = tuple[float, float, float, float]


def random_iou_crop(
    boxes: Sequence[Box],
    overlaps: Sequence[float],
    trials: int,
    scale: Pair,
    ratio: Pair,
) -> Draw:
    def overlap(box: Box, left: float, top: float, width: float, height: float) -> float:
        across = max(min(box[2], left + width) - max(box[0], left), 0.0)
        down = max(min(box[3], top + height) - max(box[1], top), 0.0)
        shared = across * down
        return shared / ((box[2] - box[0]) * (box[3] - box[1]) + width * height - shared)

    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        share = scale[1] - scale[0]
        for _ in range(6):
            needed = overlaps[int(words.unit() * len(overlaps))]
            units = [[words.unit() for _ in range(4)] for _ in range(trials)]
            if needed >= 1.0:
                break
            for one in units:
                width = math.floor(columns * (scale[0] + share * one[0]))
                height = math.floor(rows * (scale[0] + share * one[1]))
                left, top = math.floor((columns - width) * one[2]), math.floor((rows - height) * one[3])
                if width < 1 or height < 1 or not ratio[0] * height <= width <= ratio[1] * height:
                    continue
                shown = [
                    overlap(box, left, top, width, height)
                    for box in boxes
                    if left < 0.5 * (box[0] + box[2]) < left + width
                    and top < 0.5 * (box[1] + box[3]) < top + height
                ]
                if shown and max(shown) >= needed:
                    return [top, left, height, width, True]
        return [0, 0, rows, columns, False]

    return draw


def bbox_safe_crop(boxes: Sequence[Box], erosion: float) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        units = [words.unit() for _ in range(4)]
        if not boxes or erosion == 1.0:
            least = int(rows * (1.0 - erosion))
            height = max(least + int((rows - least + 1) * units[0]), 1)
            width = max(int(height * columns / rows), 1)
            return [int((rows - height + 1) * units[1]), int((columns - width + 1) * units[2]), height, width]
        x0, y0 = min(box[0] for box in boxes), min(box[1] for box in boxes)
        x1, y1 = max(box[2] for box in boxes), max(box[3] for box in boxes)
        if len(boxes) > 1:
            across, down = (x1 - x0) * erosion * 0.5, (y1 - y0) * erosion * 0.5
            x0, y0, x1, y1 = x0 + across, y0 + down, x1 - across, y1 - down
        x0, y0 = min(max(x0, 0.0), columns), min(max(y0, 0.0), rows)
        x1, y1 = min(max(x1, x0), columns), min(max(y1, y0), rows)
        left, top = min(int(x0 * units[0]), columns - 1), min(int(y0 * units[1]), rows - 1)
        right, bottom = int(x1 + (columns - x1) * units[2]), int(y1 + (rows - y1) * units[3])
        return [top, left, max(bottom - top, 1), max(right - left, 1)]

    return draw


def crop_non_empty_mask(height: int, width: int) -> Draw:
    return lambda words, size: [
        words.unit(),
        words.integer(height),
        words.integer(width),
        words.integer(size[0] - height + 1),
        words.integer(size[1] - width + 1),
    ]


# Size and padding


def to_size(height: int, width: int) -> Draw:
    return lambda words, size: [height, width, *size[:2]]


def shorter(size: Size, side: int, limit: int | None) -> list[int]:
    short, long = min(size[:2]), max(size[:2])
    new_short, new_long = side, side * long // short
    if limit is not None and new_long > limit:
        new_short, new_long = max(limit * new_short // new_long, 1), limit
    return [new_short, new_long] if size[0] <= size[1] else [new_long, new_short]


def times(side: int, factor: float) -> int:
    return max(int(side * factor + 0.5), 1)


def within(size: Size, one: float, other: float) -> list[int]:
    factor = min(max(one, other) / max(size[:2]), min(one, other) / min(size[:2]))
    return [times(size[0], factor), times(size[1], factor)]


def shorter_side(side: int, limit: int | None) -> Draw:
    return lambda words, size: [*shorter(size, side, limit), *size[:2]]


def keeping_within(one: int, other: int) -> Draw:
    return lambda words, size: [*within(size, one, other), *size[:2]]


def one_side(sides: Sequence[int], of: Callable[[Sequence[int]], int]) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        factor = sides[words.integer(len(sides))] / of(size[:2])
        return [max(round(size[0] * factor), 1), max(round(size[1] * factor), 1), *size[:2]]

    return draw


def random_scale(
    scale: Pair | None, sizes: Sequence[Any], *, between: bool, keep_ratio: bool, limit: int | None
) -> Draw:
    """`sizes` has one element for `size=`."""

    def drawn(words: Words) -> Any:
        if not between or isinstance(sizes[0], int):
            first, _ = words.word(), words.word()
            if between:
                return min(sizes) + integer_of(first, max(sizes) - min(sizes) + 1)
            return sizes[integer_of(first, len(sizes))] if sizes else None
        one, other = (sorted(size) if keep_ratio else size for size in sizes)
        return [words.between(min(ends), max(ends)) for ends in zip(one, other, strict=True)]

    def scaled(words: Words, size: Size) -> Sequence[int]:
        factor = words.uniform(*(scale or (1.0, 1.0)))
        of = drawn(words)
        if of is None:
            return [max(int(side * factor), 1) for side in size[:2]]
        if isinstance(of, int):
            return shorter(size, times(of, factor) if scale else of, limit)
        if keep_ratio:
            return within(size, of[0] * factor, of[1] * factor)
        return [times(of[0], factor), times(of[1], factor)]

    return lambda words, size: [*scaled(words, size), *size[:2]]


POSITIONS = {
    "center": (1, 1),
    "top_left": (0, 0),
    "top_right": (0, 2),
    "bottom_left": (2, 0),
    "bottom_right": (2, 2),
}


def pad_if_needed(low: Sequence[int], divisor: Sequence[int], position: str) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        given = zip(size[:2], low, divisor, strict=True)
        sides = [-(-max(side, least) // part) * part for side, least, part in given]
        free = [side - given for side, given in zip(sides, size[:2], strict=True)]
        added = [words.integer(one + 1) for one in free]
        if position != "random":
            added = [one * halves // 2 for one, halves in zip(free, POSITIONS[position], strict=True)]
        return [*(-one for one in added), *sides]

    return draw


def letter_box(height: int, width: int, *, stride: int | None, fill: bool, up: bool, center: bool) -> Draw:
    """`stride` is None without `auto`."""

    def draw(words: Words, size: Size) -> Any:
        factor = min(height / size[0], width / size[1])
        factor = factor if up else min(factor, 1.0)
        inner = [max(round(side * factor), 1) for side in size[:2]]
        free = [height - inner[0], width - inner[1]]
        if stride:
            free = [one % stride for one in free]
        elif fill:
            inner, free = [height, width], [0, 0]
        corner = [one // 2 for one in free] if center else [0, 0]
        return [inner, corner, [inner[0] + free[0], inner[1] + free[1]], list(size[:2])]

    return draw


def crop_and_pad(ranges: Sequence[Any], *, percent: bool, keep_size: bool, apart: bool) -> Draw:
    def kept(first: int, last: int, side: int) -> tuple[int, int]:
        lacking = 1 - (side + min(first, 0) + min(last, 0))
        if lacking <= 0:
            return first, last
        given = max(min(-min(first, 0), (lacking + 1) // 2), lacking + min(last, 0))
        return first + given, last + lacking - given

    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        units = [words.unit() for _ in range(4)]
        units = units if apart else units[:1] * 4
        amounts = []
        for (low, high), unit, side in zip(ranges, units, (rows, columns) * 2, strict=True):
            share = int((low + (high - low) * unit) * side)
            amounts.append(share if percent else low + int((high - low + 1) * unit))
        above, after, below, before = amounts
        above, below = kept(above, below, rows)
        before, after = kept(before, after, columns)
        window = [-above, -before, above + rows + below, before + columns + after]
        return [window, [rows, columns] if keep_size else window[2:]]

    return draw


def random_zoom_out(low: float, high: float) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        larger = words.uniform(low, high)
        height, width = int(rows * larger), int(columns * larger)
        left, top = int((width - columns) * words.unit()), int((height - rows) * words.unit())
        return [-top, -left, height, width]

    return draw


# Flips and turns


def d4(words: Words, size: Size) -> Any:
    symmetry = words.integer(8)
    return [symmetry % 4, symmetry >= 4, *size[:2]]


def random_rotate90(words: Words, size: Size) -> Any:
    return [words.integer(4), False, *size[:2]]


# Geometry

ZERO = (0.0, 0.0)


def tangent(degrees: float) -> float:
    cos, sin = cos_sin(degrees)
    return sin / cos


def moved(size: Size, degrees: float, shift: Pair, scale: Pair, shear: Pair, *, expand: bool) -> list[Any]:
    rows, columns = size[:2]
    cos, sin = cos_sin(degrees)
    tan_x, tan_y = tangent(shear[0]), tangent(shear[1])
    q, s, t = 0.0 - tan_x, 0.0 - tan_y, 1.0 + tan_x * tan_y
    a, b, d, e = cos * scale[0], sin * scale[1], 0.0 - sin * scale[0], cos * scale[1]
    a, b, d, e = a + b * s, a * q + b * t, d + e * s, d * q + e * t
    x, y = (columns - 1) * 0.5, (rows - 1) * 0.5
    c, f = x - a * x - b * y + shift[0], y - d * x - e * y + shift[1]
    height, width = rows, columns
    if expand:
        corners = [(x - 0.5, y - 0.5) for x in (0, columns) for y in (0, rows)]
        across = [a * x + b * y + c for x, y in corners]
        down = [d * x + e * y + f for x, y in corners]
        width = max(math.ceil(max(across) - min(across) - 1e-6), 1)
        height = max(math.ceil(max(down) - min(down) - 1e-6), 1)
        c += (width - 1) * 0.5 - (max(across) + min(across)) * 0.5
        f += (height - 1) * 0.5 - (max(down) + min(down)) * 0.5
    return [[a, b, c, d, e, f], [height, width], degrees, list(shift), list(scale), list(shear)]


def affine(degrees: Pair, translate: tuple[Pair, Pair], scale: Any, shear: Any, *, expand: bool) -> Draw:
    def two(words: Words, ranges: Any, *, same: bool) -> Pair:
        if isinstance(ranges[0], tuple):
            return words.uniform(*ranges[0]), words.uniform(*ranges[1])
        amount = words.uniform(*ranges)
        words.word()
        return amount, amount if same else 0.0

    def draw(words: Words, size: Size) -> Any:
        angle = words.uniform(*degrees)
        shift = words.uniform(*translate[0]) * size[1], words.uniform(*translate[1]) * size[0]
        larger, leaning = two(words, scale, same=True), two(words, shear, same=False)
        return moved(size, angle, shift, larger, leaning, expand=expand)

    return draw


def rotate(low: float, high: float, *, expand: bool, crop_border: bool) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        made = moved(size, words.uniform(low, high), ZERO, (1.0, 1.0), ZERO, expand=expand)
        if not crop_border:
            return made
        cos, sin = (abs(one) for one in cos_sin(made[2]))
        long, short = max(rows, columns), min(rows, columns)
        if short <= 2.0 * sin * cos * long or abs(sin - cos) < 1e-10:
            half = 0.5 * short
            wide, high_ = (half / sin, half / cos) if columns >= rows else (half / cos, half / sin)
        else:
            both = cos * cos - sin * sin
            wide, high_ = (columns * cos - rows * sin) / both, (rows * cos - columns * sin) / both
        height, width = min(max(int(high_ + 1e-6), 1), rows), min(max(int(wide + 1e-6), 1), columns)
        made[0][2] -= (columns - width) * 0.5
        made[0][5] -= (rows - height) * 0.5
        return [made[0], [height, width], *made[2:]]

    return draw


def inverse(matrix: Sequence[float]) -> list[float]:
    a, b, c, d, e, f, g, h, _ = matrix  # the last is 1
    size = a * (e - f * h) - b * (d - f * g) + c * (d * h - e * g)
    rows = (
        (e - f * h, c * h - b, b * f - c * e),
        (f * g - d, a - c * g, c * d - a * f),
        (d * h - e * g, b * g - a * h, a * e - b * d),
    )
    return [one / size for row in rows for one in row]


def corners_of(size: Size, inwards: Sequence[float]) -> list[list[float]]:
    x0, y0, x1, y1, x2, y2, x3, y3 = inwards
    rows, columns = size[:2]
    return [[x0, y0], [columns - x1, y1], [columns - x2, rows - y2], [x3, rows - y3]]


def from_square(corners: Sequence[Sequence[float]], across: float, down: float) -> list[float]:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    dx1, dx2, sx = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    dy1, dy2, sy = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    area = dx1 * dy2 - dx2 * dy1
    g, h = (sx * dy2 - dx2 * sy) / area, (dx1 * sy - sx * dy1) / area
    first = [(x1 - x0 + g * x1) * across, (x3 - x0 + h * x3) * down, x0]
    second = [(y1 - y0 + g * y1) * across, (y3 - y0 + h * y3) * down, y0]
    return [*first, *second, g * across, h * down, 1.0]


def of_centres(matrix: Sequence[float]) -> list[float]:
    a, b, c, d, e, f, g, h, i = matrix
    c, f, i = c + (a + b) * 0.5, f + (d + e) * 0.5, i + (g + h) * 0.5
    a, b, c = a - 0.5 * g, b - 0.5 * h, c - 0.5 * i
    d, e, f = d - 0.5 * g, e - 0.5 * h, f - 0.5 * i
    return [one / i for one in (a, b, c, d, e, f, g, h, i)]


def convex(corners: Sequence[Sequence[float]]) -> bool:
    for k, (x, y) in enumerate(corners):
        (x0, y0), (x1, y1) = corners[k - 1], corners[(k + 1) % 4]
        if (x - x0) * (y1 - y) - (y - y0) * (x1 - x) <= 0:
            return False
    return True


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    across, down = one[0] - other[0], one[1] - other[1]
    return math.sqrt(across * across + down * down)


def perspective(scale: Pair, *, keep_size: bool, fit: bool) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        rows, columns = height, width = size[:2]
        deviation = words.uniform(*scale)
        inwards = []
        for k in range(8):
            away = abs(deviation * words.normal())
            away -= math.floor(away / 0.32) * 0.32
            inwards.append(away * (rows if k % 2 else columns))
        corners = corners_of(size, inwards)
        if not keep_size:
            one, two, three, four = corners
            width = max(int(max(distance(one, two), distance(four, three))), 1)
            height = max(int(max(distance(two, three), distance(one, four))), 1)
        matrix = inverse(from_square(corners, 1.0 / width, 1.0 / height))
        if fit:
            a, b, c, d, e, f, g, h, i = matrix
            seen_x, seen_y = [0.0, float(width)], [0.0, float(height)]
            for x, y in ((0, 0), (columns, 0), (columns, rows), (0, rows)):
                depth = max(g * x + h * y + i, 1e-6 * abs(i))
                seen_x.append(min(max((a * x + b * y + c) / depth, -3.0 * width), 4.0 * width))
                seen_y.append(min(max((d * x + e * y + f) / depth, -3.0 * height), 4.0 * height))
            left, top = min(seen_x), min(seen_y)
            wide, high = max(math.ceil(max(seen_x) - left), 1), max(math.ceil(max(seen_y) - top), 1)
            across, down = (columns / wide, rows / high) if keep_size else (1.0, 1.0)
            height, width = (rows, columns) if keep_size else (high, wide)
            first = [(a - left * g) * across, (b - left * h) * across, (c - left * i) * across]
            second = [(d - top * g) * down, (e - top * h) * down, (f - top * i) * down]
            matrix = [*first, *second, g, h, i]
        return [of_centres(matrix), [height, width], corners]

    return draw


def perspective_inwards(distortion: float) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        words.word()
        reach = [min(int(distortion * (side // 2)), (side - 1) // 2) for side in (columns, rows)]
        inwards = [float(words.integer(reach[k % 2] + 1)) for k in range(8)]
        corners = corners_of(size, inwards)
        if not convex(corners):
            corners = corners_of(size, [one * 2.0 * 0.32 for one in inwards])
        return [of_centres(from_square(corners, 1.0 / columns, 1.0 / rows)), [rows, columns], corners]

    return draw


def grid_distortion(steps: int, low: float, high: float, *, normalized: bool) -> Draw:
    def lines(words: Words, side: int) -> list[float]:
        found = [0.0]
        for _ in range(steps):
            found.append(found[-1] + 1.0 + words.uniform(low, high))
        whole = found[-1] if normalized and found[-1] > 0 else float(steps)
        return [line * side / whole for line in found]

    return lambda words, size: [lines(words, size[1]), lines(words, size[0]), list(size[:2])]


def sized(draw: Draw) -> Draw:
    return lambda words, size: [*draw(words, size), list(size[:2])]


def piecewise_affine(rows: tuple[int, int], columns: tuple[int, int], scale: Pair) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        return [words.uniform(*scale), [words.between(*rows), words.between(*columns)]]

    return sized(with_noise(draw))


# Colour and tone


def color_jitter(*ranges: Pair) -> Draw:
    return lambda words, size: [*(words.uniform(*one) for one in ranges), shuffled(words, 4)]


def brightness_contrast(brightness: Pair, contrast: Pair) -> Draw:
    return lambda words, size: [1.0 + words.uniform(*contrast), words.uniform(*brightness)]


def tone_curve(scale: float, *, per_channel: bool) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        low, high = [], []
        for _ in range(size[2] if per_channel else 1):
            low.append(min(max(0.25 + scale * words.normal(), 0.0), 1.0))
            high.append(min(max(0.75 + scale * words.normal(), 0.0), 1.0))
        return [low, high]

    return draw


def channel_dropout(low: int, high: int) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        count = words.between(low, high)
        return [sorted(picked(words, list(range(size[2])), high)[:count])]

    return draw


def channel_shuffle(words: Words, size: Size) -> Any:
    return [shuffled(words, size[2])]


def fancy_pca(alpha: float) -> Draw:
    return lambda words, size: [[alpha * words.normal() for _ in range(size[2])]]


def photo_metric(brightness: Pair, contrast: Pair, saturation: Pair, hue: Pair, p: float) -> Draw:
    def step(words: Words, amounts: Pair, otherwise: float) -> float:
        chosen, amount = words.chance(p), words.uniform(*amounts)
        return amount if chosen else otherwise

    def draw(words: Words, size: Size) -> Any:
        added, scaled = step(words, brightness, 0.0), step(words, contrast, 1.0)
        first = words.chance(0.5)
        vivid, turn = step(words, saturation, 1.0), step(words, hue, 0.0)
        swapped, order = words.chance(p), list(permutations(range(3)))[words.integer(6)]
        return [added, scaled, first, vivid, turn, list(order) if swapped else [0, 1, 2]]

    return draw


# Blur


def odd_from(low: int, high: int) -> Draw:
    return lambda words, size: [odd(words, low, high)]


def gaussian_blur(low: int, high: int, sigma: Pair) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        width = words.uniform(*sigma)
        return [odd(words, low, high), width]

    return draw


def advanced_blur(sides: tuple[int, int], sigma_x: Pair, sigma_y: Pair, angle: Pair, shape: Pair) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        side, sigmas = odd(words, *sides), [words.uniform(*sigma_x), words.uniform(*sigma_y)]
        turn = words.uniform(*angle)
        low, high = (shape[0], 1.0) if words.chance(0.5) else (1.0, shape[1])
        return [side, sigmas, turn, words.uniform(low, high)]

    return with_noise(draw)


def motion_blur(low: int, high: int, angle: Pair, direction: Pair, *, shifted: bool) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        side = odd(words, low, high)
        turn, towards = words.uniform(*angle), words.uniform(*direction)
        reach = 0.5 * (side // 2) if shifted else 0.0
        return [side, turn, towards, [words.uniform(-reach, reach), words.uniform(-reach, reach)]]

    return draw


def defocus(radius: tuple[int, int], blur: Pair) -> Draw:
    return lambda words, size: [words.between(*radius), words.uniform(*blur)]


# Noise and quality


def variance_noise(low: float, high: float) -> Draw:
    return with_noise(lambda words, size: [math.sqrt(words.uniform(low, high))])


def multiplicative(low: float, high: float, *, per_channel: bool, per_pixel: bool) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        count = 0 if per_pixel else size[2] if per_channel else 1
        return [[words.uniform(low, high) for _ in range(count)]]

    return with_noise(draw)


def salt_and_pepper(amount: Pair, salt: Pair) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        share, white = words.uniform(*amount), words.uniform(*salt)
        return [share * white, share * (1.0 - white)]

    return with_noise(draw)


def shot_noise(low: float, high: float) -> Draw:
    return with_noise(lambda words, size: [words.uniform(low, high), 0.0])


# What is erased


def length(word: int, low: float, high: float, side: int) -> int:
    """Return a length in pixels: floats are shares of the side."""
    if isinstance(high, float):
        return math.floor(side * (low + (high - low) * unit_of(word)))
    most = min(high, side)
    least = min(int(low), most)
    return least + integer_of(word, most - least + 1)


def coarse_dropout(count: tuple[int, int], height: Pair, width: Pair, *, overhang: bool) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        number = words.between(*count)
        drawn = [[words.word() for _ in range(4)] for _ in range(count[1])]
        found = []
        for one in drawn[:number]:
            high, wide = length(one[0], *height, rows), length(one[1], *width, columns)
            if overhang:
                top, left = integer_of(one[2], rows) - high // 2, integer_of(one[3], columns) - wide // 2
                found.append([max(left, 0), max(top, 0), min(left + wide, columns), min(top + high, rows)])
            else:
                top, left = integer_of(one[2], rows - high + 1), integer_of(one[3], columns - wide + 1)
                found.append([left, top, left + wide, top + high])
        return [found]

    return with_noise(draw)


def random_erasing(scale: Pair, ratio: Pair, *, fitting: bool) -> Draw:
    def fit(share: float, shape: float, rows: int, columns: int) -> tuple[int, int] | None:
        least = scale[0] * rows * columns
        most = min(scale[1] * rows * columns, ratio[0] * rows * rows, columns * columns / ratio[1])
        area = least + (most - least) * share
        if most < least or area == 0:
            return None
        wide = max(ratio[0], area / (rows * rows))
        wide += (min(ratio[1], columns * columns / area) - wide) * shape
        found = min(round(math.sqrt(area / wide)), rows), min(round(math.sqrt(area * wide)), columns)
        return found if min(found) > 0 else None

    def tried(units: Sequence[float], rows: int, columns: int) -> Iterator[tuple[int, int] | None]:
        for share, shape in zip(units[::2], units[1::2], strict=True):
            area = (scale[0] + (scale[1] - scale[0]) * share) * rows * columns
            high = log_uniform_of(shape, *ratio)
            height, width = round(math.sqrt(area * high)), round(math.sqrt(area / high))
            if height < rows and width < columns:
                yield height, width
        yield None

    def draw(words: Words, size: Size) -> Any:
        rows, columns = size[:2]
        units = [words.unit() for _ in range(20)]
        vertical, horizontal = words.word(), words.word()
        found = fit(units[0], units[1], rows, columns) if fitting else next(tried(units, rows, columns))
        if found is None:
            return [[]]
        height, width = found
        top, left = integer_of(vertical, rows - height + 1), integer_of(horizontal, columns - width + 1)
        return [[[left, top, left + width, top + height]]]

    return with_noise(draw)


def extent(words: Words, limits: Pair, whole: int, most: int | None = None) -> int:
    """Return a length: floats are shares of the whole."""
    low, high = limits
    if isinstance(high, float):
        share = math.floor(whole * words.uniform(low, high))
        return share if most is None else min(share, most)
    high = high if most is None else min(high, most)
    return words.between(min(low, high), high)  # type: ignore[arg-type]  # integers


def gain_transition(decibels: Pair, duration: Pair) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        first, last = words.uniform(*decibels), words.uniform(*decibels)
        long = max(1, extent(words, duration, size[-1]))
        return [first, last, words.integer(size[-1] + long - 1) - (long - 1), long]

    return draw


def add_noise(snr: Pair, *colors: str) -> Draw:
    return with_noise(lambda words, size: [colors[words.integer(len(colors))], words.uniform(*snr)])


def add_background(count: int, snr: Pair) -> Draw:
    return lambda words, size: [words.integer(count), words.unit(), words.uniform(*snr)]


def listed(values: Sequence[float]) -> Draw:
    return lambda words, size: [values[words.integer(len(values))]]


def drop_freq(frequency: Pair, count: tuple[int, int]) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        number = words.between(*count)
        return [[words.uniform(*frequency) for _ in range(count[1])][:number]]

    return draw


def band_pass(center: Pair, bandwidth: Pair, orders: tuple[int, int]) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        middle = log_uniform_of(words.unit(), *center)
        half = middle * (words.uniform(*bandwidth) / 2)
        return [middle - half, middle + half, words.between(*orders)]

    return draw


def low_pass(cutoff: Pair, orders: tuple[int, int]) -> Draw:
    return lambda words, size: [None, log_uniform_of(words.unit(), *cutoff), words.between(*orders)]


def high_pass(cutoff: Pair, orders: tuple[int, int]) -> Draw:
    return lambda words, size: [log_uniform_of(words.unit(), *cutoff), None, words.between(*orders)]


def bands(axis: int, width: Pair, count: tuple[int, int], share: float) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        whole, number = size[axis], words.between(*count)
        found = []
        for _ in range(count[1]):
            long = extent(words, width, whole, int(whole * share))
            start = words.integer(whole - long + 1)
            found.append([start, start + long])
        return [found[:number]]

    return draw


def xy_masking(columns: tuple[int, int], rows: tuple[int, int], width: Pair, height: Pair) -> Draw:
    def stripes(words: Words, count: tuple[int, int], lengths: Pair, side: int) -> list[tuple[int, int]]:
        number = words.between(*count)
        drawn = [(words.word(), words.word()) for _ in range(count[1])]
        found = []
        for first, second in drawn[:number]:
            long = length(first, *lengths, side)
            start = integer_of(second, side - long + 1)
            found.append((start, start + long))
        return found

    def draw(words: Words, size: Size) -> Any:
        upright = [[x0, 0, x1, size[0]] for x0, x1 in stripes(words, columns, width, size[1])]
        return [upright + [[0, y0, size[1], y1] for y0, y1 in stripes(words, rows, height, size[0])]]

    return with_noise(draw)


def grid_dropout(ratio: float, unit: tuple[int, int] | None, *, shifted: bool) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        low, high = unit or (0, 0)
        side = words.between(low, high)
        cell = [side, side] if side else [max(2, one // 10) for one in size[:2]]
        start = [words.integer(one) for one in cell]
        hole = [min(max(int(one * ratio), 1), one - 1) for one in cell]
        return [cell, hole, start if shifted else [0, 0]]

    return with_noise(draw)


def grid_shuffle(rows: int, columns: int, *, drawn: bool) -> Draw:
    def sides(words: Words, side: int, parts: int) -> list[int]:
        if drawn:
            return picked(words, [side // parts + (k < side % parts) for k in range(parts)], parts)
        return [side * (k + 1) // parts - side * k // parts for k in range(parts)]

    def draw(words: Words, size: Size) -> Any:
        heights, widths = sides(words, size[0], rows), sides(words, size[1], columns)
        tiles = [(height, width) for height in heights for width in widths]
        order = [0] * len(tiles)
        for tile in dict.fromkeys(tiles):
            places = [place for place, one in enumerate(tiles) if one == tile]
            for place, old in zip(places, picked(words, list(places), len(places)), strict=True):
                order[place] = old
        return [order, heights, widths] if drawn else [order]

    return draw


# Policies

SPANS: dict[str, tuple[Pair, ...]] = {
    **dict.fromkeys(("ShearX", "ShearY"), ((0.0, 0.3), (0.0, 0.99), (0.0, 0.3))),
    **dict.fromkeys(("TranslateX", "TranslateY"), ((0.0, 150.0 / 331.0), (0.0, 32.0), (0.0, 1.0 / 3.0))),
    "Rotate": ((0.0, 30.0), (0.0, 135.0), (0.0, 30.0)),
    **dict.fromkeys(("Brightness", "Color", "Contrast", "Sharpness"), ((0.0, 0.9), (0.0, 0.99), (0.0, 0.9))),
}
SIGNED = list(SPANS)
SPANS |= {
    "Posterize": ((8.0, 4.0), (8.0, 2.0), (4.0, 0.0)),
    "Solarize": ((255.0, 0.0),) * 3,
}
ZEROS = ((0.0, 0.0),) * 3
RAND, WIDE, MIXED = range(3)
FOURTEEN = ["Identity", *SIGNED, "Posterize", "Solarize", "AutoContrast", "Equalize"]
ENHANCED = SIGNED[-4:]


def f32(x: float) -> float:
    """Return a number rounded to binary32."""
    rounded: float = struct.unpack("<f", struct.pack("<f", x))[0]
    return rounded


def at_bin(k: int, bins: int, low: float, high: float) -> float:
    step = f32(f32(f32(high) - f32(low)) / max(bins - 1, 1))
    if k < bins // 2 or bins == 1:
        return f32(f32(low) + step * k)
    return f32(f32(high) - step * (bins - 1 - k))


def amount_of(op: str, k: int, bins: int, negative: int, size: Size, span: Pair) -> float:
    low, high = span
    if op == "Posterize":
        return low - (round(f32(k / f32((bins - 1) / (low - high)))) if bins > 1 else 0)
    if op.startswith("Translate"):
        side = size[1] if op == "TranslateX" else size[0]
        amount = float(int(at_bin(k, bins, low, high * side if high <= 1 else high)))
    else:
        amount = at_bin(k, bins, low, high)
    return -amount if negative and op in SIGNED else amount


def operation(op: str, a: float, size: Size, how: str) -> list[Any]:
    matrix = None
    if op == "ShearX":
        matrix = [1.0, a, 0.0, 0.0, 1.0, 0.0]
    elif op == "ShearY":
        matrix = [1.0, 0.0, 0.0, a, 1.0, 0.0]
    elif op == "TranslateX":
        matrix = [1.0, 0.0, 0.0 - a, 0.0, 1.0, 0.0]
    elif op == "TranslateY":
        matrix = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0 - a]
    elif op == "Rotate":
        cos, sin = (round(one, 15) for one in cos_sin(0.0 - a))
        x, y = size[1] / 2.0, size[0] / 2.0
        matrix = [cos, sin, cos * -x + sin * -y + x, 0.0 - sin, cos, (0.0 - sin) * -x + cos * -y + y]
    return [op, a, matrix, how]


def span(op: str, column: int) -> Pair:
    return SPANS.get(op, ZEROS)[column]


def one_of_them(words: Words, how: Sequence[str]) -> str:
    return how[words.integer(len(how))] if len(how) > 1 else how[0]


def policy_op(op: str, ends: Pair, level: Sequence[int], bins: int, signed: bool, how: Sequence[str]) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        k = words.between(*level)
        a = amount_of(op, k, bins, words.integer(2) * signed, size, ends)
        return operation(op, a, size, one_of_them(words, how))

    return draw


WHOLE = {"Posterize": 8, "Solarize": 256, "SolarizeAdd": 128}


def policy_op_std(
    op: str, ends: Pair, level: float, std: float, most: float, signed: bool, how: Sequence[str]
) -> Draw:
    low, high = ends

    def draw(words: Words, size: Size) -> Any:
        s = words.unit() * level if math.isinf(std) else level + std * words.normal()
        share = min(max(s, 0.0), most) / 10.0
        negative = words.integer(2) and signed and op in SIGNED
        if op in WHOLE:
            steps = int(share * abs(high - low))
            a = float(min(max(low + (steps if high > low else -steps), 0), WHOLE[op]))
        else:
            a = low + share * (high - low)
            if op.startswith("Translate") and max(abs(low), abs(high)) <= 1.0:
                a *= size[1] if op == "TranslateX" else size[0]
            a = -a if negative else a
            a = max(a, -0.9) if op in ENHANCED else a
        return operation(op, a, size, one_of_them(words, how))

    return draw


def auto_augment(pairs: Sequence[Sequence[tuple[str, float, int]]], how: str) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        pair = pairs[words.integer(25)]
        shares, signs = [words.unit(), words.unit()], [words.integer(2), words.integer(2)]
        return [
            operation(op, amount_of(op, k, 10, 1 - sign, size, span(op, RAND)), size, how)
            for (op, p, k), share, sign in zip(pair, shares, signs, strict=True)
            if share <= p
        ]

    return draw


def dirichlet(words: Words, shape: float, n: int) -> list[float]:
    logarithms = [log_gamma(words, shape) for _ in range(n)]
    sizes = [exponential(max(one - max(logarithms), -700.0)) for one in logarithms]
    total = 0.0
    for size in sizes:
        total += size
    return [size / total for size in sizes]


def aug_mix(severity: int, width: int, depth: int, alpha: float, *, all_ops: bool, how: str) -> Draw:
    names = [op for op in FOURTEEN[1:] if all_ops or op not in ENHANCED]

    def draw(words: Words, size: Size) -> Any:
        lengths = [1 + words.integer(3) for _ in range(width)]
        branches = []
        for length in lengths:
            steps = []
            for _ in range(3 if depth == -1 else depth):
                op = names[words.integer(len(names))]
                k, sign = words.integer(severity), words.integer(2)
                steps.append(operation(op, amount_of(op, k, 10, sign, size, span(op, MIXED)), size, how))
            branches.append(steps[: length if depth == -1 else depth])
        kept, rest = dirichlet(words, alpha, 2)
        return [branches, [rest * one for one in dirichlet(words, alpha, width)], kept]

    return draw


# Mixing


def others(words: Words, count: int, length: int, position: int) -> list[int]:
    return picked(words, [one for one in range(length) if one != position], count)


def mix_up(length: int, position: int, alpha: float) -> Draw:
    return lambda words, size: [others(words, 1, length, position), beta(words, alpha, alpha)]


def cut_mix(length: int, position: int, alpha: float) -> Draw:
    def draw(words: Words, size: Size) -> Any:
        partners = others(words, 1, length, position)
        half = 0.5 * math.sqrt(1.0 - beta(words, alpha, alpha))
        edges = []
        for side in size[:2]:
            middle, reach = words.integer(side), int(half * side)
            edges += [max(middle - reach, 0), min(middle + reach, side)]
        top, bottom, left, right = edges
        return [partners, 1.0 - (bottom - top) * (right - left) / (size[0] * size[1]), edges]

    return draw


def mosaic(length: int, position: int, height: int, width: int, centre: Pair) -> Draw:
    return lambda words, size: [
        others(words, 3, length, position),
        int(words.uniform(*centre) * height),
        int(words.uniform(*centre) * width),
    ]


def copy_paste(length: int, position: int) -> Draw:
    return lambda words, size: [others(words, 1, length, position), words.noise()]
