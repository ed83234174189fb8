"""What docs/reference/known-answers.json asks, answered by words_from_the_page.py and contract_from_the_page.py.

Nothing of the package is read. It runs with the folder docs beside its own, and nothing else of the project.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace as Options
from typing import Any

import contract_from_the_page as contract
import words_from_the_page as words
from words_from_the_page import Draw, One, Pair, Several, Size

__all__ = ["ANSWERS", "PAGE", "answer", "differing", "plain", "read"]

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
ANSWERS, PAGE = REFERENCE / "known-answers.json", REFERENCE / "words.md"


def read(path: Path) -> dict[str, Any]:
    """Return the known answers of a file.

    Raises:
        ValueError: the file is damaged, was changed, or is of another version of the contract.
    """
    head, _, rest = path.read_bytes().partition(b"\n")
    found = re.fullmatch(rb'\{"sha256": "([0-9a-f]{64})",', head)
    way_out = f"take {path.name} of the release again"
    if found is None:
        raise ValueError(f'{path} must begin with {{"sha256": "…",, got {head[:80]!r}: {way_out}')
    digest = hashlib.sha256(rest).hexdigest()
    if digest != found[1].decode():
        raise ValueError(
            f"{path} must have the SHA-256 {found[1].decode()} below its first line, got {digest}: {way_out}"
        )
    content: dict[str, Any] = json.loads(b"{" + rest)
    if content["contract"] != 1:
        raise ValueError(
            f"{path} must be of contract 1, got {content['contract']!r}: use the release that wrote it"
        )
    return content


def plain(value: Any) -> Any:
    """Return what is drawn as the file has it: an integer of more than 53 bits is text."""
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return str(value) if isinstance(value, int) and abs(value) > 2**53 else value


def differing(content: Mapping[str, Any]) -> list[str]:
    """Return what is asked in the file and answered otherwise here."""
    asked = [(part, one) for part in ("words", "functions", "pipelines") for one in content[part]]
    return [
        json.dumps(one)
        for part, one in asked
        if json.dumps(plain(answer(part, one, content["keys"]))) != json.dumps(one["gives"])
    ]


def answer(part: str, asked: Mapping[str, Any], keys: list[list[Any]]) -> Any:
    """Return what is drawn where an entry of the file asks for it."""
    if part == "words":
        return [f"{word:016x}" for word in first_words(asked)]
    if part == "functions":
        return FUNCTIONS[asked["function"]](*(given(one) for one in asked["of"]))
    size = tuple(asked["given"]["shape"])
    members = [member(one, Options(**asked["given"])) for one in asked["pipeline"]["transforms"]]
    at = [contract.Key(*map(int, keys[number])) for number in asked["keys"]]
    return [words.decisions(members, size, key, asked["first"]) for key in at]


def first_words(asked: Mapping[str, Any]) -> list[int]:
    """Return the words of an entry's stream from a place on."""
    found = contract.Words(contract.Key(*map(int, asked["key"])), asked["op"] or 0, asked["jumps"])
    return [found.at(asked["place"] + k) for k in range(len(asked["gives"]))]


def given(value: Any) -> Any:
    """Return an argument as the functions here take it: "words" is a fresh stream, {"int": …} an integer, and {"key": …} a key."""
    if value == "words":
        return contract.Words(contract.Key(42, 3, 1234))
    if isinstance(value, dict):
        return int(value["int"]) if "int" in value else contract.Key(*map(int, value["key"]))
    return value


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "op": contract.op_of,
    "record": contract.record_index,
    "unit": contract.Words.unit,
    "uniform": contract.Words.uniform,
    "integer": contract.Words.integer,
    "normal": contract.Words.normal,
    "permutation": contract.Words.permutation,
    "choice": contract.Words.choice,
    "weighted": contract.Words.weighted,
    "multinomial": contract.Words.multinomial,
    "normals": contract.Words.normals,
    "after_normals": lambda drawn, n: [drawn.unit(), drawn.normals(n), drawn.word()][2],
    "truncated": contract.Words.truncated_normals,
    "cos_sin": contract.cos_sin,
    "log": contract.logarithm,
    "exp": contract.exponential,
    "log_uniform": contract.log_uniform_of,
    "quantile": contract.bell_quantile,
    "beta": contract.beta,
    "order": contract.epoch_order,
    "addressed": contract.addressed,
    "position": contract.position_of,
    "mixture": contract.mixture,
    "sampler": contract.sampler_seed,
    "replace": contract.replacements,
    "mix": contract.mixed,
    "pieces": lambda key, name, n: contract.pieces(contract.Words(key, name).noise(), n),
    "noise_value": contract.noise_value,
    "seeded": contract.seeded,
}
"""The functions of the file by the names that they have there."""


def member(options: Mapping[str, Any], about: Options) -> One | Several:
    """Return a transform or container of the file."""
    o = Options(**{name: tuple_of(value) for name, value in options.items()})
    kind, p, name = o.transform, getattr(o, "p", 1.0), getattr(o, "name", None)
    if kind in POLICIES:
        made = POLICIES[kind](o)
        return Several(kind, made[0], [One(f"{name or kind}.{op}", draw) for op, draw in made[1]], p, name)
    if kind in CONTAINERS:
        members = [member(one, about) for one in options["transforms"]]
        return Several(kind, CONTAINERS[kind](o), members, p, name)
    becomes = o.size if kind == "RandomCrop" else None
    return One(kind, DRAWS[kind](o, about), p, name, becomes)


def tuple_of(value: Any) -> Any:
    """Return an option with tuples for lists; infinity is text in the file."""
    if isinstance(value, list):
        return tuple(tuple_of(one) for one in value)
    return math.inf if value == "inf" else value


def pairs(policy: str) -> list[list[tuple[str, float, int]]]:
    """Return AutoAugment's pairs, as the page prints them."""
    rows = re.findall(r"^\| \d+ \| (\w+ [\d.]+ \d+, .+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    column = ["imagenet", "cifar10", "svhn"].index(policy)
    cells = [row.split(" | ")[column].split(", ") for row in rows]
    return [[(op, float(p), int(k)) for op, p, k in (one.split() for one in cell)] for cell in cells]


def sides(padding: Any) -> tuple[int, ...]:
    """Return a padding as above, below, before and after."""
    if isinstance(padding, int):
        return (padding,) * 4
    return padding if len(padding) == 4 else (padding[0], padding[0], padding[1], padding[1])


def uniforms(*names: str) -> Callable[[Options, Options], Draw]:
    return lambda o, _: words.uniforms(*(getattr(o, name) for name in names))


def nothing(o: Options, _: Options) -> Draw:
    return words.nothing


def noise_only(o: Options, _: Options) -> Draw:
    return words.noise_only


def odd(o: Options, _: Options) -> Draw:
    return words.odd_from(*o.size)


def factors(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def policy_op(o: Options, _: Options) -> Draw:
    if o.std is not None:
        return words.policy_op_std(o.op, o.span, o.level, o.std, o.most, o.signed, factors(o.interpolation))
    return words.policy_op(o.op, o.span, o.level, o.bins, o.signed, factors(o.interpolation))


def fourteen(o: Options, spans: int, level: Pair) -> list[tuple[str, Draw]]:
    how = factors(o.interpolation)
    return [
        (op, words.policy_op(op, words.span(op, spans), level, o.bins, True, how)) for op in words.FOURTEEN
    ]


POLICIES: dict[str, Callable[[Options], tuple[Callable[..., list[int]], list[tuple[str, Draw]]]]] = {
    "RandAugment": lambda o: (words.some(14, o.n, replace=True), fourteen(o, words.RAND, (o.magnitude,) * 2)),
    "TrivialAugmentWide": lambda o: (words.one_of(14), fourteen(o, words.WIDE, (0, o.bins - 1))),
}

CONTAINERS: dict[str, Callable[[Options], Any]] = {
    "Compose": lambda o: None,
    "RandomApply": lambda o: words.every(len(o.transforms)),
    "OneOf": lambda o: words.one_of(len(o.transforms)),
    "Choice": lambda o: words.by_weight(o.weights or (1.0,) * len(o.transforms)),
    "SomeOf": lambda o: words.some(len(o.transforms), o.n, replace=o.replace),
}


def random_scale(o: Options, _: Options) -> Draw:
    sizes = o.sizes or (() if o.size is None else (o.size,))
    return words.random_scale(o.scale, sizes, between=o.between, keep_ratio=o.keep_ratio, limit=o.max_size)


def resize(o: Options, _: Options) -> Draw:
    if isinstance(o.size, int):
        return words.shorter_side(o.size, o.max_size)
    return (words.keeping_within if o.keep_ratio else words.to_size)(*o.size)


def crop_and_pad(o: Options, _: Options) -> Draw:
    ranges, percent = (o.px, False) if o.percent is None else (o.percent, True)
    return words.crop_and_pad(ranges, percent=percent, keep_size=o.keep_size, apart=o.sample_independently)


def perspective(o: Options, _: Options) -> Draw:
    if o.distortion_scale is not None:
        return words.perspective_inwards(o.distortion_scale)
    return words.perspective(o.scale, keep_size=o.keep_size, fit=o.fit_output)


def random_segment(o: Options, _: Options) -> Draw:
    return lambda drawn, size: [drawn.integer(max(size[-1] - o.length, 0) + 1)]


def orders(o: Options) -> tuple[int, int]:
    return o.rolloff[0] // 6, o.rolloff[1] // 6


def shape_of(drawn: contract.Words, size: Size) -> Any:
    return [size[1]]


DRAWS: dict[str, Callable[[Options, Options], Draw]] = {
    "RandomCrop": lambda o, _: words.random_crop(*o.size, padding=sides(o.padding), pad=o.pad_if_needed),
    "CenterCrop": lambda o, _: words.center_crop(*o.size),
    "Crop": lambda o, _: lambda drawn, size: [o.top, o.left, o.height, o.width],
    "Pad": lambda o, _: words.added(*sides(o.padding)),
    "RandomCropFromBorders": lambda o, _: words.crop_from_borders(
        o.crop_left, o.crop_right, o.crop_top, o.crop_bottom
    ),
    "ThreeCrop": lambda o, _: words.three_crop(*o.size),
    "FiveCrop": lambda o, _: words.five_crop(*o.size),
    "TenCrop": lambda o, _: words.ten_crop(*o.size, vertical=o.vertical_flip),
    "RandomResizedCrop": lambda o, _: words.random_resized_crop(o.scale, o.ratio),
    "RandomSizedCrop": lambda o, _: words.random_sized_crop(*o.heights, o.ratio),
    "MultiScaleCrop": lambda o, _: words.multi_scale_crop(o.scales, o.places, o.max_distort),
    "RandomIoUCrop": lambda o, about: words.random_iou_crop(
        about.boxes,
        o.sampler_options,
        o.trials,
        (o.min_scale, o.max_scale),
        (o.min_aspect_ratio, o.max_aspect_ratio),
    ),
    "BBoxSafeCrop": lambda o, about: words.bbox_safe_crop(about.boxes, o.erosion_rate),
    "CropNonEmptyMask": lambda o, _: words.crop_non_empty_mask(*o.size),
    "Resize": resize,
    "SmallestMaxSize": lambda o, _: words.one_side(factors(o.size), min),
    "LongestMaxSize": lambda o, _: words.one_side(factors(o.size), max),
    "RandomScale": random_scale,
    "PadIfNeeded": lambda o, _: words.pad_if_needed(o.size or (1, 1), o.divisor or (1, 1), o.position),
    "LetterBox": lambda o, _: words.letter_box(
        *o.size, stride=o.stride if o.auto else None, fill=o.scale_fill, up=o.scale_up, center=o.center
    ),
    "CropAndPad": crop_and_pad,
    "RandomZoomOut": lambda o, _: words.random_zoom_out(*o.side_range),
    "HorizontalFlip": lambda o, _: shape_of,
    "VerticalFlip": lambda o, _: lambda drawn, size: [size[0]],
    "D4": lambda o, _: words.d4,
    "RandomRotate90": lambda o, _: words.random_rotate90,
    "Transpose": nothing,
    "Affine": lambda o, _: words.affine(o.degrees, o.translate, o.scale, o.shear, expand=o.expand),
    "Rotate": lambda o, _: words.rotate(*o.degrees, expand=o.expand, crop_border=o.crop_border),
    "Perspective": perspective,
    "GridDistortion": lambda o, _: words.grid_distortion(
        o.num_steps, *o.distort_limit, normalized=o.normalized
    ),
    "OpticalDistortion": lambda o, _: words.sized(words.uniforms(o.distort_limit)),
    "ElasticTransform": lambda o, _: words.sized(words.with_noise(words.uniforms(o.alpha, o.sigma))),
    "PiecewiseAffine": lambda o, _: words.piecewise_affine(o.nb_rows, o.nb_cols, o.scale),
    "ColorJitter": lambda o, _: words.color_jitter(o.brightness, o.contrast, o.saturation, o.hue),
    "LinearColorJitter": uniforms("brightness", "contrast", "saturation", "hue"),
    "Gamma": uniforms("gamma"),
    "RandomBrightnessContrast": lambda o, _: words.brightness_contrast(o.brightness, o.contrast),
    "ToneCurve": lambda o, _: words.tone_curve(o.scale, per_channel=o.per_channel),
    "ChannelDropout": lambda o, _: words.channel_dropout(*o.count),
    "ChannelShuffle": lambda o, _: words.channel_shuffle,
    "FancyPCA": lambda o, _: words.fancy_pca(o.alpha),
    "RGBShift": uniforms("red", "green", "blue"),
    "ToGray": nothing,
    "ToSepia": nothing,
    "HueSaturationValue": uniforms("hue", "saturation", "value"),
    "PhotoMetricDistortion": lambda o, _: words.photo_metric(
        o.brightness, o.contrast, o.saturation, o.hue, o.step_p
    ),
    "CLAHE": uniforms("clip"),
    "AutoContrast": nothing,
    "Equalize": nothing,
    "Invert": nothing,
    "Posterize": lambda o, _: words.integer_from(*o.bits),
    "Solarize": uniforms("threshold"),
    "Blur": odd,
    "GaussianBlur": lambda o, _: words.gaussian_blur(*o.size, o.sigma),
    "GlassBlur": noise_only,
    "MedianBlur": odd,
    "AdvancedBlur": lambda o, _: words.advanced_blur(o.size, o.sigma_x, o.sigma_y, o.angle, o.beta),
    "Defocus": lambda o, _: words.defocus(o.radius, o.blur),
    "MotionBlur": lambda o, _: words.motion_blur(*o.size, o.angle, o.direction, shifted=o.shifted),
    "Emboss": uniforms("alpha", "strength"),
    "Sharpen": uniforms("alpha", "lightness"),
    "GaussianNoise": lambda o, _: (
        words.with_noise(words.uniforms(o.std)) if o.variance is None else words.variance_noise(*o.variance)
    ),
    "ISONoise": lambda o, _: words.with_noise(words.uniforms(o.color_shift, o.intensity)),
    "MultiplicativeNoise": lambda o, _: words.multiplicative(
        *o.factor, per_channel=o.per_channel, per_pixel=o.per_pixel
    ),
    "SaltAndPepper": lambda o, _: words.salt_and_pepper(o.amount, o.salt),
    "ShotNoise": lambda o, _: words.shot_noise(*o.scale),
    "Downscale": uniforms("scale"),
    "ImageCompression": lambda o, _: words.integer_from(*o.quality),
    "CoarseDropout": lambda o, _: words.coarse_dropout(o.count, o.height, o.width, overhang=o.overhang),
    "RandomErasing": lambda o, _: words.random_erasing(o.scale, o.ratio, fitting=o.fitting),
    "XYMasking": lambda o, _: words.xy_masking(o.columns, o.rows, o.width, o.height),
    "GridDropout": lambda o, _: words.grid_dropout(o.ratio, o.unit, shifted=o.shifted),
    "GridShuffle": lambda o, _: words.grid_shuffle(*o.grid, drawn=o.uneven == "drawn"),
    "PixelDropout": noise_only,
    "Normalize": nothing,
    "ToFloat": nothing,
    "ToCHW": nothing,
    "TemporalSample": lambda o, _: words.temporal_sample(o.n_frames, o.stride, o.segments, o.clips, o.short),
    "Amplitude": uniforms("gain"),
    "Gain": uniforms("decibels"),
    "GainTransition": lambda o, _: words.gain_transition(o.decibels, o.duration),
    "PeakNormalize": nothing,
    "Clipping": uniforms("share"),
    "PolarityInversion": nothing,
    "Reverse": nothing,
    "TimeShift": lambda o, _: lambda drawn, size: [words.extent(drawn, o.shift, size[-1])],
    "RandomSegment": random_segment,
    "AddNoise": lambda o, _: words.add_noise(o.snr, *o.color),
    "AddBackground": lambda o, _: words.add_background(o.sounds, o.snr),
    "TimeStretch": uniforms("rate"),
    "PitchShift": uniforms("semitones"),
    "SpeedPerturb": lambda o, _: words.listed(o.factors),
    "DropChunk": lambda o, _: words.bands(-1, o.length, o.count, 1.0),
    "DropFreq": lambda o, _: words.drop_freq(o.frequency, o.count),
    "LowPass": lambda o, _: words.low_pass(o.cutoff, orders(o)),
    "HighPass": lambda o, _: words.high_pass(o.cutoff, orders(o)),
    "BandPass": lambda o, _: words.band_pass(o.center, o.bandwidth, orders(o)),
    "TimeMask": lambda o, _: words.bands(-1, o.width, o.count, o.max_share),
    "FrequencyMask": lambda o, _: words.bands(-2, o.width, o.count, 1.0),
    "PolicyOp": policy_op,
    "AutoAugment": lambda o, _: words.auto_augment(pairs(o.policy), o.interpolation),
    "AugMix": lambda o, _: words.aug_mix(
        o.severity, o.mixture_width, o.chain_depth, o.alpha, all_ops=o.all_ops, how=o.interpolation
    ),
    "MixUp": lambda o, about: words.mix_up(about.length, about.position, o.alpha),
    "CutMix": lambda o, about: words.cut_mix(about.length, about.position, o.alpha),
    "Mosaic": lambda o, about: words.mosaic(about.length, about.position, *o.size, o.centre),
    "CopyPaste": lambda o, about: words.copy_paste(about.length, about.position),
}
"""What a transform with these options draws."""
