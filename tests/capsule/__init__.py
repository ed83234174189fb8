"""The capsule: 100,000 samples, each a pure function of a row's text, a kind of input and a number, and a hash of each that never changes.

``capsule.jsonl`` has a line for each row, behind a line with the SHA-256 of the rest. `scripts/compare_capsule.py` made it once and compares with it
in any environment. Inputs are bytes of SHAKE-128 and integers made of them: no library has a part in them. Neither they nor the file change
within version 1 of the contract.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import seedsafe as ss
from seedsafe.keys.draws import Draws
from seedsafe.keys.key import address
from seedsafe.pipeline.primitive import marks_of
from seedsafe.reading import KeyedReader

__all__ = [
    "FILE",
    "HASH",
    "KINDS",
    "Capsule",
    "Row",
    "declared",
    "digest",
    "made",
    "names",
    "read",
    "sample",
    "wanted",
    "written",
]

FILE = Path(__file__).parent / "capsule.jsonl"
HASH = 8
"""Bytes of a hash."""

SIZES = (
    (1, 1),
    (33, 47),
    (1, 2),
    (24, 24),
    (40, 31),
    (2, 1),
    (48, 20),
    (3, 3),
    (21, 64),
    (32, 32),
    (7, 5),
    (50, 50),
)
DTYPES = ("uint8", "float32", "uint16", "int16", "int32", "float64", "bool")
REFUSED = b"refused"


class Row(NamedTuple):
    """A line: what the samples belong to, Python's text of the transform, and by kind of input the hashes of samples 0, 1, 2 …"""

    of: str
    text: str
    hashes: dict[str, bytes]


class Capsule(NamedTuple):
    """What the file holds: the versions of the libraries that it was made with, by name, and its rows."""

    made: dict[str, str]
    rows: list[Row]


def read(file: Path = FILE) -> Capsule:
    """Return a capsule.

    Raises:
        ValueError: the file was changed, or is of another version of the contract.
        OSError: there is none.
    """
    head, _, rest = file.read_text(encoding="utf-8").partition("\n")
    try:
        first = json.loads(head)
        whole = first["sha256"] == hashlib.sha256(rest.encode()).hexdigest()
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{file} must begin with its SHA-256, and does not: take the file of a release"
        ) from None
    if not whole:
        raise ValueError(
            f"{file} must have the SHA-256 {first['sha256']} below its first line, and has another: it was changed, or copied in part; take the "
            "file of a release"
        )
    if first["contract"] != ss.CONTRACT_VERSION:
        raise ValueError(
            f"{file} must be of version {ss.CONTRACT_VERSION} of the contract, got {first['contract']!r}: take the file of this release"
        )
    lines = map(json.loads, rest.splitlines())
    rows = [
        Row(of, text, {kind: base64.b64decode(one) for kind, one in hashes.items()})
        for of, text, hashes in lines
    ]
    return Capsule(first["made"], rows)


def written(made: dict[str, str], rows: Sequence[Row]) -> str:
    """Return the file of these rows."""
    lines = [
        json.dumps(
            [row.of, row.text, {kind: base64.b64encode(one).decode() for kind, one in row.hashes.items()}]
        )
        for row in rows
    ]
    rest = "".join(f"{line}\n" for line in lines)
    head = {
        "contract": ss.CONTRACT_VERSION,
        "made": made,
        "sha256": hashlib.sha256(rest.encode()).hexdigest(),
    }
    return f"{json.dumps(head)}\n{rest}"


def wanted(hashes: bytes, number: int) -> bytes:
    """Return the hash of a sample."""
    return hashes[HASH * number : HASH * (number + 1)]


# What texts may name besides the library.


def sounds(*lengths: int) -> tuple[np.ndarray, ...]:
    """Return sounds of so many samples."""
    return tuple(_audio(f"sound {length}", (length,)) for length in lengths)


def noisy(image: np.ndarray) -> np.ndarray:
    """Return an image with what Python's and NumPy's global generators draw; a bridge keys them."""
    shift = np.random.randint(0, 40, image.shape) + random.randrange(9)
    return (image + shift).astype(image.dtype)


@cache
def names() -> dict[str, Any]:
    """Return what texts may name."""
    found = {name: getattr(ss, name) for name in ss.__all__}
    return found | {"inf": math.inf, "sounds": sounds, "noisy": noisy}


def made(text: str, kind: str) -> Any:
    """Return what a row's text makes, for a kind of input."""
    if kind.startswith("drop-in"):
        import seedsafe_albumentations as drop_in

        boxes = drop_in.BboxParams("pascal_voc", label_fields=["names"])
        points = drop_in.KeypointParams("xy", remove_invisible=False)
        one = eval(text, {"A": drop_in})
        return drop_in.Compose([one], bbox_params=boxes, keypoint_params=points)
    if kind in ("order", "draws"):
        return text
    if kind == "converted":
        from torchvision.transforms import v2

        from seedsafe_torch import convert

        return convert(eval(text, {"v2": v2}))
    one = eval(text, names())
    if kind in ("mixed", "loader"):
        return one
    if kind.startswith("targets"):
        return ss.Compose(
            [one], boxes=ss.Boxes("pascal_voc", labels="names"), keypoints=ss.Keypoints(), channels="last"
        )
    return ss.Compose([one], channels="last")


# Inputs.


def _bytes(label: str, n: int) -> np.ndarray:
    return np.frombuffer(hashlib.shake_128(label.encode()).digest(n), np.uint8)


def _look(label: str, number: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return values of 16 bits: noise, something smooth, or four levels with the ends among them."""
    height, width, *rest = shape
    values = _bytes(label, 2 * math.prod(shape)).view("<u2").reshape(shape).astype(np.int64)
    if number % 3 == 1:
        rows, columns = np.arange(height)[:, None] * 4096 // height, np.arange(width)[None] * 4096 // width
        a, b, c, d = (
            int(one) + 1 for one in values.reshape(-1)[:1].repeat(4) >> np.array([0, 4, 8, 12]) & 15
        )
        smooth = a * rows + b * columns + (c * rows * columns >> 12) + (d * (rows - columns) ** 2 >> 12)
        values = (smooth.reshape(height, width, *[1] * len(rest)) + values % 1500) % 65536
    elif number % 3 == 2:
        values = (values >> 14) * 21845
    return values


def _as(values: np.ndarray, dtype: str) -> np.ndarray:
    """Return values of 16 bits in the usual range of a dtype."""
    if dtype == "bool":
        return values > 32767
    if dtype in ("float32", "float64"):
        return values.astype(dtype) / np.dtype(dtype).type(65535)
    return (values >> (8 if dtype == "uint8" else 1 if dtype == "int16" else 0)).astype(dtype)


def _in_memory(image: np.ndarray, number: int) -> np.ndarray:
    """Return the same values in another place of memory: as they are, by columns, mirrored, or as a window."""
    if number % 4 == 1:
        return np.asfortranarray(image)
    if number % 4 == 2:
        return np.ascontiguousarray(image[:, ::-1])[:, ::-1]
    if number % 4 == 3:
        around = np.zeros((image.shape[0] + 2, image.shape[1] + 3, *image.shape[2:]), image.dtype)
        around[1:-1, 2:-1] = image
        return around[1:-1, 2:-1]
    return image


def _channels(kind: str, number: int) -> tuple[int, ...]:
    if kind.endswith("grey"):
        return ((), (1,))[number % 2]
    return ((2,), (4,), (5,))[number % 3] if kind.endswith("channels") else (3,)


def _image(kind: str, number: int) -> np.ndarray:
    size = SIZES[number % len(SIZES)]
    shape = (*size, *_channels(kind, number))
    return _in_memory(
        _as(_look(f"{kind} {number}", number, shape), kind.split()[-1 if "targets" in kind else 0]), number
    )


def _audio(label: str, shape: tuple[int, ...]) -> np.ndarray:
    values = _bytes(label, 2 * math.prod(shape)).view("<u2").astype(np.float32).reshape(shape)
    return (values - np.float32(32768)) / np.float32(40000)


def _key(number: int, more: int = 0) -> ss.SampleKey:
    seed = 2**127 + number if number % 7 == 6 else 42
    return ss.SampleKey(seed, number % 5, 1000 * more + number, occurrence=number % 2, view=number % 11)


def _targets(kind: str, number: int) -> dict[str, Any]:
    image = _image(kind, number)
    height, width = image.shape[:2]
    a, b, c, d, e, f = (int(one) for one in _bytes(f"boxes {number}", 6))
    left, top = a * (width - 1) // 255, b * (height - 1) // 255
    box = [left, top, left + 1 + c * (width - left - 1) // 255, top + 1 + d * (height - top - 1) // 255]
    return {
        "image": image,
        "mask": (_look(f"mask {number}", 2, (height, width)) >> 14).astype(np.uint8),
        "masks": np.stack(
            [(_look(f"masks {number} {k}", 1, (height, width)) >> 15).astype(np.uint8) for k in range(2)]
        ),
        "boxes": np.array([box, [0, 0, width, height]], np.float32 if number % 2 else np.float64),
        "names": ["one", "two"],
        "keypoints": np.array(
            [[e * width / 256, f * height / 256], [0, 0], [width - 1, height - 1]], np.float64
        ),
    }


# The kinds: what a text's transform gives at a number.


def _of_image(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    image = _image(kind, number)
    return image, one(image, key=_key(number))


def _of_targets(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    given = _targets(kind, number)
    return given, one(given, key=_key(number))


def _of_batch(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    size = SIZES[number % len(SIZES)]
    of = range(1 + number % 5)
    images = np.stack(
        [_as(_look(f"{kind} {number} {k}", number + k, (*size, 3)), kind.split()[-1]) for k in of]
    )
    return images, one.batch(images, [_key(number, k) for k in of])


def _of_video(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    size = SIZES[number % len(SIZES)]
    frames = np.stack(
        [_as(_look(f"{kind} {number} {k}", number, (*size, 3)), "uint8") for k in range(1 + number % 6)]
    )
    return frames, one({"video": frames}, key=_key(number))["video"]


def _of_audio(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    shape = ((2, 3001), (1600,), (1, 800), (4000,))[number % 4]
    audio = _audio(f"{kind} {number}", shape)
    return audio, one({"audio": audio}, key=_key(number))["audio"]


def _of_spectrogram(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    shape = ((40, 101), (2, 20, 60), (1, 1), (80, 30))[number % 4]
    values = _audio(f"{kind} {number}", shape)
    return values, one({"spectrogram": values}, key=_key(number))["spectrogram"]


def _of_dataset(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    count = 3 + number % 5
    size = SIZES[number % len(SIZES)]
    base = []
    for k in range(count):
        image = _as(_look(f"{kind} {number} {k}", number + k, (*size, 3)), kind.split()[-1])
        masks = (_look(f"{kind} mask {number} {k}", 2, size) > 40000).astype(np.uint8)[None]
        base.append({"image": image, "label": np.eye(10, dtype=np.float32)[k], "masks": masks})
    if not isinstance(one.transforms[0], ss.CopyPaste):
        base = [{name: part for name, part in given.items() if name != "masks"} for given in base]
    reader = KeyedReader(base, one, seed=42)
    position = number % count
    return base[position], reader.sample(ss.SampleIndex(position, number % 5, number % 2, number % 3))


def _of_mixed(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    size = SIZES[number % len(SIZES)]
    n = 1 + number % 6
    dtype = ("uint8", "float32")[number % 2]
    images = np.stack([_as(_look(f"{kind} {number} {k}", number + k, (*size, 3)), dtype) for k in range(n)])
    images = np.moveaxis(images, -1, 1) if one.channels_first else images
    return images, one(images, np.arange(n) % one.classes, key=_key(number))


def _of_drop_in(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    image = _image(kind.removeprefix("drop-in "), number)
    return image, one(
        image=image, bboxes=np.zeros((0, 4)), keypoints=np.zeros((0, 2)), names=[], key=_key(number)
    )["image"]


def _of_drop_in_targets(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    given = _targets(kind.removeprefix("drop-in "), number)
    given["bboxes"] = given.pop("boxes")
    given["masks"] = list(given["masks"])
    return given, one(**given, key=_key(number))


def _of_order(text: str, kind: str, number: int) -> tuple[Any, Any]:
    n = int(_bytes(f"{kind} {number}", 2).view("<u2")[0]) % 700 + 1
    return None, np.asarray(ss.epoch_order(_key(number).seed, number % 9, n, order=text)[:], np.int64)


DRAWS: dict[str, Callable[[Draws, int], Any]] = {
    "word": lambda words, _: [words.word() for _ in range(9)],
    "unit": lambda words, n: words.uniform(0.0, 1.0, n + 1),
    "uniform": lambda words, n: words.uniform(-n, 3.0 * n + 1, n + 1),
    "integer": lambda words, n: words.integer(n * n * n + 1, n + 1),
    "normal": lambda words, n: words.normal(n + 1),
    "truncated_normal": lambda words, n: words.truncated_normal(-1.0 - n, 0.5, n + 1),
    "permutation": lambda words, n: words.permutation(n + 1),
    "choice": lambda words, n: words.choice(n + 5, n % 5),
    "weighted": lambda words, n: words.choice(
        4, 3, weights=[0.5, 0.25 * (n + 1), 3, 1.5], replace=n % 2 == 1
    ),
    "multinomial": lambda words, n: words.multinomial(n + 1, [1, 2, 3]),
}


def _of_draws(text: str, kind: str, number: int) -> tuple[Any, Any]:
    return None, DRAWS[text](Draws(address(_key(number), ss.op_of(text))), number % 50)


def _of_converted(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    image = _image("uint8", number)
    return image, one(image, key=_key(number))


def _of_loader(one: Any, kind: str, number: int) -> tuple[Any, Any]:
    import torch

    from seedsafe_torch import AugmentedDataset, loader

    size = ((32, 32), (24, 24), (40, 31))[number % 3]
    images = np.stack([_as(_look(f"{kind} {number} {k}", number + k, (*size, 3)), "uint8") for k in range(6)])
    planes = number % 2 == 1
    base = [
        (torch.tensor(image.transpose(2, 0, 1).copy()) if planes else image, k)
        for k, image in enumerate(images)
    ]
    loading = loader(
        AugmentedDataset(base, ss.Compose([one], channels="last"), seed=number), batch_size=4, shuffle=True
    )
    parts = [part for batch in loading for part in batch]
    return images, [part.numpy() if isinstance(part, torch.Tensor) else part for part in parts]


def _kinds() -> dict[str, Callable[[Any, str, int], tuple[Any, Any]]]:
    found: dict[str, Callable[[Any, str, int], tuple[Any, Any]]] = {}
    for dtype in DTYPES:
        found[dtype] = _of_image
    for dtype in ("uint8", "float32"):
        found |= {f"{dtype} grey": _of_image, f"{dtype} channels": _of_image}
        found |= {
            f"targets {dtype}": _of_targets,
            f"batch {dtype}": _of_batch,
            f"dataset {dtype}": _of_dataset,
        }
        found |= {f"drop-in {dtype}": _of_drop_in, f"drop-in targets {dtype}": _of_drop_in_targets}
    return found | {
        "video": _of_video,
        "audio": _of_audio,
        "spectrogram": _of_spectrogram,
        "mixed": _of_mixed,
        "order": _of_order,
        "draws": _of_draws,
        "converted": _of_converted,
        "loader": _of_loader,
    }


KINDS = _kinds()
"""What computes a sample, by the kind of input: of the transform, the kind and the number, what is given and what comes out."""


def digest(value: Any) -> bytes:
    """Return the hash of a result: of its arrays' dtypes, shapes and bytes, and of other values as Python writes them."""
    whole = hashlib.sha256()
    for part in _parts(value):
        whole.update(part)
    return whole.digest()[:HASH]


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, dict):
        for name in sorted(value):
            yield f"{name}:".encode()
            yield from _parts(value[name])
    elif isinstance(value, tuple | list):
        yield f"[{len(value)}".encode()
        for one in value:
            yield from _parts(one)
    elif isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        yield f"{array.dtype.newbyteorder('<').str}{array.shape}".encode()
        yield array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    elif hasattr(value, "numpy"):
        yield from _parts(value.numpy())
    else:
        yield repr(value).encode()


def sample(one: Any, kind: str, number: int) -> tuple[bytes, bool]:
    """Return the hash of a sample, and whether it differs from what was given. What is refused has the name of the error.

    Raises:
        ImportError: a library is missing.
    """
    try:
        given, came = KINDS[kind](one, kind, number)
    except (ValueError, TypeError, NotImplementedError, ss.SampleError) as error:
        return hashlib.sha256(REFUSED + type(error).__name__.encode()).digest()[:HASH], False
    result = digest(came)
    return result, given is None or result != digest(given)


# What is declared.


def declared(one: Any, kind: str) -> set[tuple[str, str]]:
    """Return what is declared of the parts of a transform: "every machine", "one architecture" or "one build", and the libraries' names."""
    dtype = next(
        (word for word in kind.split() if word in DTYPES),
        "float32" if kind in ("audio", "spectrogram") else "uint8",
    )
    one = getattr(one, "pipeline", one)
    if isinstance(one, str | ss.BatchMix):
        return {("every machine", "")}
    exact = marks_of(type(one)).exact
    if exact is not None:
        return {(exact.of(one, dtype), exact.build)}
    members = getattr(one, "transforms", ())
    return (
        {found for member in members for found in declared(member, kind)} if members else {("one build", "")}
    )
