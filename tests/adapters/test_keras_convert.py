"""Keras's layers as pipelines: pixels for equal draws; and flows of an ImageDataGenerator, which are bridged or refused."""

from __future__ import annotations

from typing import Any

import cv2
import keras
import numpy as np
import pytest
import tensorflow
import tf_keras

import seedsafe as ss
from seedsafe_keras import AugmentedSequence, convert, fit

# SciPy's names, and TensorFlow's __array__.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
layers = keras.layers
KEYS = [ss.SampleKey(42, 0, index) for index in range(40)]
GENERATORS: list[Any] = [
    tensorflow.keras.preprocessing.image.ImageDataGenerator,
    tf_keras.preprocessing.image.ImageDataGenerator,
]
generators = pytest.mark.parametrize("generator_class", GENERATORS, ids=["keras", "tf_keras"])


def picture(height: int, width: int, channels: int = 3) -> Any:
    image = np.random.default_rng(0).integers(0, 256, (height, width, channels), np.uint8)
    return cv2.GaussianBlur(image, (0, 0), 3).reshape(height, width, channels)


@generators
@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({}, "shuffles by NumPy's"),
        ({"seed": 1}, "shuffles"),
        ({"seed": 1, "shuffle": False}, "seeds NumPy's"),
    ],
)
@pytest.mark.parametrize("bridge", [True, False])
def test_flows_that_are_not_a_function_of_the_key_are_refused(
    generator_class: Any, options: Any, fault: str, bridge: bool
) -> None:
    flow = generator_class(rotation_range=9).flow(np.zeros((8, 4, 4, 3)), batch_size=4, **options)
    with pytest.raises(ValueError, match=f"base is a flow.*{fault}.*shuffle=False and no seed.*bridge=True"):
        AugmentedSequence(flow, seed=42, bridge=bridge)


class Both(keras.utils.PyDataset):
    """Images and masks by two flows with one seed."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.flows = [
            generator.flow(np.zeros((8, 4, 4, 3)), batch_size=4, **options)
            for generator in (GENERATORS[0](rotation_range=9), GENERATORS[0](rotation_range=9))
        ]

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return [flow[index] for flow in self.flows]


@pytest.mark.parametrize("bridge", [True, False])
def test_a_sequence_that_holds_such_flows_is_refused(bridge: bool) -> None:
    with pytest.raises(ValueError, match=r"base holds a flow.*seeds NumPy's.*zip\(images, masks\)"):
        AugmentedSequence(Both(shuffle=False, seed=1), seed=42, bridge=bridge)
    with pytest.warns(UserWarning, match="base holds a flow"):
        AugmentedSequence(Both(), seed=42, bridge=bridge, on_unkeyed="warn")
    AugmentedSequence(Both(), seed=42, bridge=bridge, on_unkeyed="allow")
    AugmentedSequence(Both(shuffle=False), seed=42, bridge=True, epoch=0)[0]


def test_a_flow_that_draws_needs_a_bridge() -> None:
    images = np.random.default_rng(0).random((8, 4, 4, 3))
    flow = GENERATORS[0](rotation_range=90).flow(images, batch_size=4, shuffle=False)
    with pytest.raises(ValueError, match="draws its transforms from NumPy's global generator"):
        AugmentedSequence(flow, seed=42)
    batches = [AugmentedSequence(flow, seed=42, bridge=True, epoch=0)[1] for _ in range(2)]
    np.testing.assert_array_equal(*batches)
    plain = GENERATORS[0](rescale=2).flow(images, batch_size=4, shuffle=False)
    AugmentedSequence(plain, seed=42, epoch=0)[0]


def flow_of(**options: Any) -> Any:
    return GENERATORS[0](rotation_range=9).flow(np.zeros((8, 4, 4, 3)), batch_size=4, **options)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (
            lambda: convert(GENERATORS[0]()),
            TypeError,
            r"got ImageDataGenerator, which is bridged: make its flow.*bridge=True\); .*seedsafe.bridge\(lambda image: generator",
        ),
        (lambda: convert(flow_of()), TypeError, "got NumpyArrayIterator, which is bridged: make its flow"),
        (lambda: convert(np.sqrt), TypeError, "transform must be a Keras layer"),
        (
            lambda: AugmentedSequence(flow_of(), seed=0, convert=True),
            ValueError,
            r"got it with a flow, NumpyArrayIterator: make its flow with shuffle=False.*bridge=True\)",
        ),
        (
            lambda: AugmentedSequence((flow_of(seed=1), flow_of(seed=1)), seed=0, convert=True),
            ValueError,
            r"got it with tuple: for images and masks, pass AugmentedSequence\(list\(zip",
        ),
        (
            lambda: AugmentedSequence(zip(flow_of(), flow_of(), strict=True), seed=0),
            TypeError,
            "must have a length, got zip: for images and masks",
        ),
        (
            lambda: AugmentedSequence(np.ones(3), seed=0, convert=True),
            ValueError,
            r"got it with ndarray: pass augment=seedsafe_keras.convert\(layers\)",
        ),
    ],
)
def test_generators_and_flows_are_not_converted_and_told_what_to_write(
    make: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        make()


@generators
def test_a_model_trains_on_a_bridged_flow_alike_for_any_workers(generator_class: Any) -> None:
    images = np.random.default_rng(0).integers(0, 256, (40, 12, 12, 3), np.uint8)
    generator = generator_class(rotation_range=20, horizontal_flip=True, rescale=1 / 255)
    package: Any = keras if generator_class is GENERATORS[0] else tf_keras
    runs = []
    for workers in (0, 2):
        flow = generator.flow(images, np.arange(40) % 3, batch_size=8, shuffle=False)
        sequence = AugmentedSequence(flow, seed=42, shuffle=True, bridge=True, workers=workers)
        package.utils.set_random_seed(1)
        model = package.Sequential([package.layers.Flatten(), package.layers.Dense(3)])
        model.compile(loss=package.losses.SparseCategoricalCrossentropy(from_logits=True))
        runs.append(fit(model, sequence, epochs=2, verbose=0).history["loss"])
    assert runs[0] == runs[1]


@generators
def test_a_generator_is_bridged_for_single_samples(generator_class: Any) -> None:
    generator = generator_class(rotation_range=40, fill_mode="wrap", rescale=1 / 255)
    bridged = ss.bridge(
        lambda image: generator.standardize(generator.random_transform(image.astype("float32")))
    )
    samples = [(picture(9, 9), 0)] * 2
    one, other = (AugmentedSequence(samples, bridged, seed=42, batch_size=2, epoch=0)[0][0] for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert (one[0] != one[1]).any()
    assert one.max() <= 1


LAYERS: list[tuple[Any, float]] = [
    (layers.RandomFlip("horizontal"), 0.0),
    (layers.RandomFlip("vertical"), 0.0),
    (layers.RandomFlip(), 0.0),
    (layers.Rescaling(1 / 127.5, -1), 1e-5),
    (layers.CenterCrop(20, 17), 0.0),
    (layers.Resizing(20, 31), 0.5),
]


@pytest.mark.parametrize("name", ["MixUp", "CutMix"])
def test_layers_that_mix_a_batch_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"{name} mixes the images of a batch.*put seedsafe.{name}\(\)"):
        convert(keras.Sequential([layers.RandomFlip(), getattr(layers, name)()]))


@pytest.mark.parametrize(("layer", "within"), LAYERS, ids=[layer.name for layer, _ in LAYERS])
def test_layers_give_the_same_set_of_images(layer: Any, within: float) -> None:
    image = picture(30, 40)
    pipeline = convert(layer)
    assert "bridge" not in repr(pipeline)
    theirs = [np.asarray(layer(image.astype(np.float32), training=True)) for _ in range(30)]
    for key in KEYS:
        ours = pipeline(image, key=key)
        assert min(np.abs(ours - one).mean() for one in theirs) <= within


def of_matrix(layer: Any, pipeline: Any, key: ss.SampleKey, image: Any) -> Any:
    """Move an image by the parameters of a pipeline, with a layer's own code."""
    params = pipeline.params(key, image.shape)[-1].params
    (x, y), (wide, high) = params.translate, params.scale
    given = {
        "RandomTranslation": {"translations": np.array([[x, y]], np.float32), "input_shape": image.shape},
        "RandomZoom": {
            "height_zoom": np.array([[1 / high]], np.float32),
            "width_zoom": np.array([[1 / wide]], np.float32),
            "input_shape": image.shape,
        },
    }[type(layer).__name__]
    return np.asarray(layer.transform_images(image.astype(np.float32), given, training=True))


@pytest.mark.parametrize("fill_mode", ["reflect", "nearest"])
@pytest.mark.parametrize(
    "make",
    [
        lambda **options: layers.RandomTranslation((-0.1, 0.3), (-0.4, 0.2), **options),
        lambda **options: layers.RandomZoom((-0.3, 0.2), **options),
        lambda **options: layers.RandomZoom(0.3, (0.1, 0.4), **options),
    ],
    ids=["translation", "zoom", "two zooms"],
)
def test_layers_move_pixels_alike(make: Any, fill_mode: str) -> None:
    layer = make(fill_mode=fill_mode)
    pipeline, image = convert(layer), picture(30, 40)
    for key in KEYS:
        apart = np.abs(of_matrix(layer, pipeline, key, image) - pipeline(image, key=key))
        assert apart.mean() < 0.2


def test_a_rotation_turns_the_same_way() -> None:
    layer = layers.RandomRotation((0.125, 0.125))
    image = picture(40, 40)
    apart = np.abs(
        np.asarray(layer(image.astype(np.float32), training=True)) - convert(layer)(image, key=KEYS[0])
    )
    assert apart.mean() < 0.2


def test_colour_layers_have_keras_s_values() -> None:
    image = picture(20, 20).astype(np.float32)
    for layer, name in (
        (layers.RandomContrast((0.4, 0.2)), "contrast_factor"),
        (layers.RandomBrightness(0.3), "rgb_delta"),
    ):
        pipeline = convert(layer)
        for key in KEYS:
            value = np.float32(pipeline.params(key, image.shape)[-1].params)
            wanted = layer.transform_images(image, {name: np.full((1, 1, 1), value)}, training=True)
            np.testing.assert_allclose(pipeline(image, key=key), np.asarray(wanted), atol=1e-3)
            assert (0.8 <= value <= 1.4) if name == "contrast_factor" else (abs(value) <= 76.5)


def test_a_model_of_layers_with_one_that_is_bridged() -> None:
    model = keras.Sequential(
        [layers.RandomFlip("horizontal"), layers.RandomGrayscale(), layers.Rescaling(1 / 255)]
    )
    pipeline = convert([model, layers.RandomCrop(8, 8)])
    names = [type(member).__name__ for member in pipeline.transforms]
    assert names == ["AsFloat", "HorizontalFlip", "Bridged", "Rescale", "RandomCrop"]
    image = picture(10, 12)
    results = [pipeline(image, key=KEYS[0]) for _ in range(2)]
    np.testing.assert_array_equal(*results)
    assert results[0].shape == (8, 8, 3)


def test_names_do_not_depend_on_the_layers_made_before() -> None:
    makes = [layers.RandomHue, layers.RandomInvert, layers.RandomHue]
    one, other = (convert([make(0.5) for make in makes]) for _ in range(2))
    assert [stream.name for stream in one.streams()] == [stream.name for stream in other.streams()]
    assert one.streams()[-1].name.endswith("random_hue_1")
    mine = convert(layers.RandomHue(0.5, name="mine"))
    assert mine.streams()[-1].name.endswith("mine")


def test_a_bridged_sequential_is_no_error() -> None:
    model = keras.Sequential([layers.RandomInvert(1.0)])
    bridged = ss.bridge(lambda image: np.asarray(model(image[None], training=True))[0])
    assert ss.bridge(model).function is model
    np.testing.assert_array_equal(ss.Compose([bridged])(picture(4, 4), key=KEYS[0]), 255.0 - picture(4, 4))


def test_a_functional_model_gets_a_batch() -> None:
    entry = keras.Input((9, 9, 3))
    model = keras.Model(entry, layers.RandomFlip("vertical")(entry))
    image = picture(9, 9)
    found = {convert(model)(image, key=key).tobytes() for key in KEYS}
    assert found == {image.astype(np.float32).tobytes(), image[::-1].astype(np.float32).tobytes()}
