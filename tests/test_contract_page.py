"""The contract's pages suffice to write it again: what was written from them alone gives the golden files."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import inspect
import json
import re
import struct
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import contract_from_the_page as contract
import known
import numpy as np
import pipelines_from_the_page as golden_pipelines
import pytest
import words_from_the_page as words

import seedsafe as ss
from seedsafe.bridging.words import Words as BridgeWords
from seedsafe.bridging.words import address_of
from seedsafe.keys import decisions
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address
from seedsafe.keys.words import normal_quantiles, sixteenths
from seedsafe.mixing.batch import beta
from seedsafe.reading.faults import substitutes

KEYS = [contract.Key(key.seed, key.epoch, key.index, key.occurrence, key.view) for key in known.KEYS]
STORED = known.parts(known.files())["decisions"]
MIXES = {
    "BatchMix": (1.0, 1.0, 1.0),
    "BatchMix, MixUp": (0.2, 0.0, 0.7),
    "BatchMix, CutMix": (0.0, 2.5, 1.0),
}


PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "contract.md").read_text(encoding="utf-8")
ANSWERS = re.findall(r"^\| `(\w+\(.+)` \| `(.+)` \|$", PAGE, re.MULTILINE)
FIRST_WORDS = re.findall(r"^\|((?: [\w^/]+ \|){6}) `([0-9a-f ]{67})` \|$", PAGE, re.MULTILINE)


def of_the_script() -> dict[str, Any]:
    """Return what the names of the page's known answers mean, as it was written from the page."""
    return {
        "words": contract.Words(contract.Key(42, 3, 1234)),
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
        "truncated": contract.Words.truncated_normals,
        "cos_sin": contract.cos_sin,
        "log": contract.logarithm,
        "exp": contract.exponential,
        "log_uniform": contract.log_uniform_of,
        "quantile": contract.bell_quantile,
        "beta": contract.beta,
        "order": contract.epoch_order,
        "addressed": contract.addressed,
        "mixture": contract.mixture,
        "sampler": contract.sampler_seed,
        "replace": lambda key, place, n: contract.replacements(contract.Key(*key), place, n),
        "mix": lambda key, *options: contract.mixed(contract.Key(*key), *options),
        "noise": contract.Words.noise,
        "pieces": contract.pieces,
        "noise_value": contract.noise_value,
        "bridge": lambda key, place: contract.Words(contract.Key(*key), "seedsafe/bridge").at(place),
    }


def of_the_package() -> dict[str, Any]:
    """Return what they mean in the package."""

    def mix(key: tuple[int, int, int], n: int, height: int, width: int, *options: float) -> Any:
        return ss.BatchMix(10, *options).params(ss.SampleKey(*key), (n, height, width, 3))

    def mixture(seed: int, epoch: int, shares: list[int], lengths: list[int], step: int) -> list[int]:
        mixed = ss.Mixture(
            {str(i): range(n) for i, n in enumerate(lengths)},
            shares={str(i): s for i, s in enumerate(shares)},
        )
        source, position = mixed.place(ss.SampleKey(seed, epoch, step))
        return [int(source), position]

    def sampler(seed: int, epoch: int) -> int:
        return Draws(address(ss.SampleKey(seed, epoch, 0), ss.op_of("seedsafe/sampler"))).word() % 2**63

    def bridge(key: tuple[int, int, int], place: int) -> int:
        """Return a word where one of the bridge's generators begins."""
        seeds = BridgeWords(address_of(ss.SampleKey(*key)))
        if place < 960:
            return int.from_bytes(seeds.head(place // 312)[:2].astype("<u4").tobytes(), "little")
        return seeds.integer((place - 960) // 320)

    return {
        "words": Draws(address(ss.SampleKey(42, 3, 1234))),
        "op": ss.op_of,
        "record": ss.record_index,
        "unit": Draws.unit,
        "uniform": Draws.uniform,
        "integer": Draws.integer,
        "normal": decisions.normal,
        "permutation": lambda words, n: words.permutation(n).tolist(),
        "choice": lambda words, n, k: words.choice(n, k).tolist(),
        "weighted": lambda words, weights, k, replace: words.choice(
            len(weights), k, weights=weights, replace=replace
        ).tolist(),
        "multinomial": lambda words, n, weights: words.multinomial(n, weights).tolist(),
        "normals": lambda words, n: words.normal(n).tolist(),
        "truncated": lambda words, low, high, n: words.truncated_normal(low, high, n).tolist(),
        "cos_sin": decisions.cos_sin_degrees,
        "log": decisions.logarithm,
        "exp": decisions.exponential,
        "log_uniform": decisions.log_uniform_at,
        "quantile": decisions.normal_quantile,
        "beta": beta,
        "order": lambda *given: ss.epoch_order(*given).tolist(),
        "addressed": lambda *given: ss.epoch_order(*given[:3], order="addressed")[given[3]],
        "mixture": mixture,
        "sampler": sampler,
        "replace": lambda key, place, n: substitutes(ss.SampleKey(*key), place, n),
        "mix": mix,
        "noise": Draws.noise,
        "pieces": sixteenths,
        "noise_value": lambda piece: float(normal_quantiles()[piece]),
        "bridge": bridge,
    }


@pytest.mark.parametrize("names", [of_the_script, of_the_package])
@pytest.mark.parametrize(("what", "gives"), ANSWERS)
def test_answers_on_the_page(what: str, gives: str, names: Any) -> None:
    assert json.dumps(known.plain(eval(what, names()))).replace('"', "") == gives


def test_every_known_answer_is_found_on_the_page() -> None:
    asked = {what.partition("(")[0] for what, _ in ANSWERS}
    assert asked == set(of_the_script()) - {"words"} == set(of_the_package()) - {"words"}
    assert len(FIRST_WORDS) == len(known.KNOWN_ANSWERS) + 4


@pytest.mark.parametrize(("fields", "first"), FIRST_WORDS)
def test_first_words_on_the_page(fields: str, first: str) -> None:
    *numbers, op = fields.replace("2^64", str(2**64)).replace("|", "").split()
    seed, epoch, index, occurrence, view = map(int, numbers)
    found = contract.Words(
        contract.Key(seed, epoch, index, occurrence, view), 0 if op == "0" else contract.op_of(op)
    )
    assert " ".join(f"{found.word():016x}" for _ in range(4)) == first
    key = ss.SampleKey(seed, epoch, index, occurrence=occurrence, view=view)
    drawn = Draws(address(key, 0 if op == "0" else ss.op_of(op)))
    assert " ".join(f"{drawn.word():016x}" for _ in range(4)) == first


def test_numbers_on_the_page() -> None:
    assert contract.QUANTILE in PAGE
    for number in (contract.DEGREE, contract.LN2_HIGH, contract.LN2_LOW):
        assert f"{number!r}" in PAGE


def test_the_noise_table_can_be_made_again() -> None:
    upper = struct.pack("<32768d", *(contract.noise_value(piece) for piece in range(32768, 65536)))
    assert upper == normal_quantiles()[32768:].astype("<f8").tobytes()
    assert hashlib.sha256(upper).hexdigest() in PAGE


@pytest.mark.parametrize("module", [contract, words, golden_pipelines])
def test_nothing_of_the_package_is_read(module: ModuleType) -> None:
    read = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Import):
            read |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            read.add(str(node.module).partition(".")[0])
    assert read <= sys.stdlib_module_names | {"contract_from_the_page", "words_from_the_page"}


def test_addresses() -> None:
    stored = known.stored("decisions.json")
    del stored["pipelines"]
    assert stored == {
        "order": [contract.epoch_order(key.seed, key.epoch, 12) for key in KEYS],
        "noise": [contract.pieces(contract.Words(key, "GaussianNoise").noise(), 7) for key in KEYS],
        "ops": {name: contract.op_of(name) for name in stored["ops"]},
        "records": {name: str(contract.record_index(name)) for name in stored["records"]},
    }


@pytest.mark.parametrize("name", [name for name in STORED if name not in MIXES])
def test_decisions(name: str) -> None:
    pipeline = golden_pipelines.PIPELINES[name.removesuffix(", nearest")]
    assert [known.plain(words.decisions(*pipeline, key)) for key in KEYS] == STORED[name]


@pytest.mark.parametrize("name", MIXES)
def test_mixes(name: str) -> None:
    assert [known.plain(contract.mixed(key, 7, 19, 23, *MIXES[name])) for key in KEYS] == STORED[name]


def test_no_golden_pipeline_is_left_out() -> None:
    pipelines = golden_pipelines.PIPELINES.keys() - set(known.NO_WHEEL)
    assert {name.removesuffix(", nearest") for name in STORED} == {*pipelines, *MIXES}


REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
WORDS_PAGE = "".join(page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("words*.md")))


OF_PIXELS = [
    "recordings",
    "antialias",
    "fill",
    "mask_fill",
    "mode",
    "interpolation",
    "rotate_method",
    "method",
    "by_max",
    "swap",
    "rounds",
    "reach",
    "label",
    "classes",
]


def call(transform: Any) -> str:
    """Return the call that makes a transform, with all options that a draw may depend on."""
    if isinstance(transform, ss.Compose):
        return f"Compose([{', '.join(map(call, transform.transforms))}])"
    options = []
    for one in dataclasses.fields(transform):
        value = getattr(transform, one.name)
        if one.name == "transforms":
            options.append(f"[{', '.join(map(call, value))}]")
        elif one.name not in OF_PIXELS and value is not None:
            options.append(f"{one.name}={value!r}")
    return f"{type(transform).__name__}({', '.join(options)})"


def row(name: str) -> str:
    """Return the row of the known answers for a golden pipeline: at the first key, from key 1 on, at which it fires."""
    golden, drawn = known.GOLDENS[name][1], STORED[name]
    number = next(k for k in (1, 2, 3, 4, 5, 0) if drawn[k][0][1] is not None)
    gives = drawn[number][0][1] if all(len(one) == 1 for one in drawn) else drawn[number]
    info = golden.shape if isinstance(golden.shape, ss.Info) else ss.Info(golden.shape)
    given = " × ".join(map(str, info.shape))
    if info.given_boxes is not None:
        given += f", boxes {info.boxes.tolist()}"
    if info.position is not None:
        given += f", sample {info.position} of {info.length}"
    written = json.dumps(gives).replace('"', "")
    return f"| `{call(golden.transform)}` | {given} | {number} | `{written}` |"


@pytest.mark.parametrize("name", [name for name in golden_pipelines.PIPELINES if name not in known.NO_WHEEL])
def test_known_answers_of_transforms(name: str) -> None:
    assert row(name) in WORDS_PAGE


def test_the_keys_of_the_known_answers() -> None:
    for number, key in enumerate(known.KEYS):
        assert f"- {number}: {key!r}" in WORDS_PAGE.replace("`", "")


def test_every_transform_stands_on_the_page_of_words() -> None:
    from cases import PUBLIC

    assert [name for name in PUBLIC if not re.search(rf"\b{name}\b", WORDS_PAGE)] == ["Bridged"]


SIZES = ((37, 53, 3), (53, 37, 1), (9, 200, 4), (64, 64, 3), (11, 10, 2))
BOX = [(3.0, 2.0, 7.5, 8.25)]
OTHERS: dict[str, tuple[Any, Any]] = {
    "RandomCrop": (
        ss.RandomCrop((30, 12), padding=(1, 9, 3, 5), pad_if_needed=True),
        words.random_crop(30, 12, padding=(1, 9, 3, 5), pad=True),
    ),
    "RandomCropFromBorders": (
        ss.RandomCropFromBorders(crop_left=1.0, crop_right=1.0, crop_top=0.7, crop_bottom=0.9),
        words.crop_from_borders(1.0, 1.0, 0.7, 0.9),
    ),
    "ThreeCrop": (ss.ThreeCrop((5, 2)), words.three_crop(5, 2)),
    "TemporalSample": (
        ss.TemporalSample(24, stride=(1, 7), segments=12),
        words.temporal_sample(24, (1, 7), 12),
    ),
    "TemporalSample, clips": (
        ss.TemporalSample(12, stride=3, segments=4, clips=7, short="repeat"),
        words.temporal_sample(12, (3, 3), 4, 7, "repeat"),
    ),
    "FiveCrop": (ss.FiveCrop((4, 7)), words.five_crop(4, 7)),
    "TenCrop": (ss.TenCrop((4, 7)), words.ten_crop(4, 7)),
    "RandomResizedCrop": (
        ss.RandomResizedCrop(8, scale=(0.9, 1.0), ratio=(0.2, 0.5)),
        words.random_resized_crop((0.9, 1.0), (0.2, 0.5)),
    ),
    "MultiScaleCrop": (
        ss.MultiScaleCrop(8, scales=(1.0, 0.4, 0.7), max_distort=2, places="grid"),
        words.multi_scale_crop((1.0, 0.4, 0.7), "grid", 2),
    ),
    "RandomIoUCrop": (
        ss.RandomIoUCrop(
            min_scale=0.1,
            max_scale=0.6,
            min_aspect_ratio=0.8,
            max_aspect_ratio=1.1,
            sampler_options=(0.0, 0.2, 1.0),
        ),
        words.random_iou_crop(BOX, (0.0, 0.2, 1.0), 40, (0.1, 0.6), (0.8, 1.1)),
    ),
    "BBoxSafeCrop": (ss.BBoxSafeCrop(erosion_rate=0.5), words.bbox_safe_crop(BOX, 0.5)),
    "BBoxSafeCrop that erodes all": (ss.BBoxSafeCrop(erosion_rate=1.0), words.bbox_safe_crop(BOX, 1.0)),
    "Resize": (ss.Resize(30), words.shorter_side(30, None)),
    "SmallestMaxSize": (ss.SmallestMaxSize([3, 8]), words.one_side((3, 8), min)),
    "RandomScale of a number": (
        ss.RandomScale((0.5, 2.0), size=20, max_size=30),
        words.random_scale((0.5, 2.0), [20], limit=30),
    ),
    "RandomScale between numbers": (
        ss.RandomScale(sizes=[30, 10], between=True),
        words.random_scale(sizes=[30, 10], between=True),
    ),
    "RandomScale of pairs": (
        ss.RandomScale((0.5, 2.0), sizes=[(20, 30), (50, 9)]),
        words.random_scale((0.5, 2.0), [(20, 30), (50, 9)]),
    ),
    "RandomScale between pairs": (
        ss.RandomScale(sizes=[(20, 30), (50, 9)], between=True, keep_ratio=False),
        words.random_scale(sizes=[(20, 30), (50, 9)], between=True, keep_ratio=False),
    ),
    **{
        f"PadIfNeeded {position}": (
            ss.PadIfNeeded((40, 50), divisor=(8, 6), position=position),
            words.pad_if_needed((40, 50), (8, 6), position),
        )
        for position in ("center", "top_left", "top_right", "bottom_left", "bottom_right", "random")
    },
    "LetterBox auto": (ss.LetterBox((48, 90), auto=True), words.letter_box(48, 90, stride=32)),
    "LetterBox filled": (ss.LetterBox((48, 90), scale_fill=True), words.letter_box(48, 90, fill=True)),
    "LetterBox in the corner": (
        ss.LetterBox((48, 90), scale_up=False, center=False),
        words.letter_box(48, 90, up=False, center=False),
    ),
    "CropAndPad": (
        ss.CropAndPad(((-30, 1), (-40, 2), (-30, 3), (-40, 4))),
        words.crop_and_pad([(-30, 1), (-40, 2), (-30, 3), (-40, 4)]),
    ),
    "CropAndPad together": (
        ss.CropAndPad((-30, 4), sample_independently=False),
        words.crop_and_pad([(-30, 4)] * 4, apart=False),
    ),
    "CropAndPad percent": (
        ss.CropAndPad(percent=((-0.7, 0.1), (-0.7, 0.2), (-0.7, 0.3), (0.1, 0.4)), keep_size=False),
        words.crop_and_pad(
            [(-0.7, 0.1), (-0.7, 0.2), (-0.7, 0.3), (0.1, 0.4)], percent=True, keep_size=False
        ),
    ),
    "Affine": (
        ss.Affine(400, shear=((-20, 3), (5, 40))),
        words.affine((-400.0, 400.0), shear=((-20.0, 3.0), (5.0, 40.0))),
    ),
    "Rotate": (ss.Rotate(180, crop_border=True), words.rotate(-180.0, 180.0, crop_border=True)),
    "Rotate by right angles": (
        ss.Rotate((90, 90), expand=True),
        words.rotate(90.0, 90.0, expand=True),
    ),
    "Rotate by 44 degrees": (
        ss.Rotate((44, 44), crop_border=True),
        words.rotate(44.0, 44.0, crop_border=True),
    ),
    "Rotate by 45 degrees": (
        ss.Rotate((45, 45), crop_border=True),
        words.rotate(45.0, 45.0, crop_border=True),
    ),
    "Affine of one range": (
        ss.Affine(0, scale=(0.5, 2), shear=30),
        words.affine(scale=(0.5, 2.0), shear=(-30.0, 30.0)),
    ),
    "Perspective not of the image's size": (
        ss.Perspective((0.2, 0.4), keep_size=False, p=1),
        words.perspective((0.2, 0.4), keep_size=False),
    ),
    "Perspective of all": (
        ss.Perspective((0.2, 0.4), fit_output=True, p=1),
        words.perspective((0.2, 0.4), fit=True),
    ),
    "Perspective inwards": (ss.Perspective(distortion_scale=1.0, p=1), words.perspective_inwards(1.0)),
    "GridDistortion": (
        ss.GridDistortion(4, distort_limit=(-1, -1), p=1),
        words.grid_distortion(4, -1.0, -1.0),
    ),
    "XYMasking": (
        ss.XYMasking((1, 4), (0, 2), width=(0.1, 0.3), height=(2, 90)),
        words.xy_masking((1, 4), (0, 2), (0.1, 0.3), (2, 90)),
    ),
    "CoarseDropout": (
        ss.CoarseDropout((2, 5), height=(3, 90), width=(0.0, 1.0), overhang=True),
        words.coarse_dropout((2, 5), (3, 90), (0.0, 1.0), overhang=True),
    ),
    "RandomErasing": (
        ss.RandomErasing((0.3, 0.9), (0.2, 0.4), fitting=True, p=1),
        words.random_erasing((0.3, 0.9), (0.2, 0.4), fitting=True),
    ),
    "GridDropout": (ss.GridDropout(0.9, shifted=False), words.grid_dropout(0.9, shifted=False)),
    "GridShuffle": (ss.GridShuffle((5, 7)), words.grid_shuffle(5, 7)),
    "ChannelShuffle": (ss.ChannelShuffle(), words.channel_shuffle),
    "FancyPCA": (ss.FancyPCA(3.0), words.fancy_pca(3.0)),
}
"""Options that no golden pipeline has: what draws in the package, and what was written from the page."""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", OTHERS)
def test_other_options(name: str, size: tuple[int, ...]) -> None:
    transform, draw = OTHERS[name]
    pipeline = ss.Compose([transform])
    info = ss.Info(size, "uint8", boxes=BOX)
    for key, sample in zip(KEYS, known.KEYS, strict=True):
        drawn = words.decisions([words.One(type(transform).__name__, draw)], size, key)
        assert known.plain(drawn) == known.plain(pipeline.params(sample, info))


@pytest.mark.parametrize("size", SIZES)
def test_a_safe_crop_without_boxes(size: tuple[int, ...]) -> None:
    pipeline = ss.Compose([ss.BBoxSafeCrop(erosion_rate=0.6)])
    for key, sample in zip(KEYS, known.KEYS, strict=True):
        drawn = words.decisions([words.One("BBoxSafeCrop", words.bbox_safe_crop([], 0.6))], size, key)
        info = ss.Info(size, "uint8", boxes=np.zeros((0, 4)))
        assert known.plain(drawn) == known.plain(pipeline.params(sample, info))
