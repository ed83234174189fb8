"""Keras's ImageDataGenerator and its layers as pipelines: pixels for equal draws, and flows that are refused."""

from __future__ import annotations

import pickle
from pathlib import Path
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


def drawn(pipeline: Any, key: ss.SampleKey, image: Any) -> dict[str, Any]:
    """Return what fired, with its parameters, in the names of an ImageDataGenerator."""
    params = {one.name: one.params for one in pipeline.params(key, image.shape)}
    affine = params.get("GeneratorAffine")
    result: dict[str, Any] = {
        "flip_horizontal": params.get("HorizontalFlip") is not None,
        "flip_vertical": params.get("VerticalFlip") is not None,
        "brightness": params.get("BrightnessByPillow"),
        "channel_shift_intensity": params.get("ChannelShift"),
    }
    if affine is not None:
        result |= {"theta": affine.degrees, "tx": affine.translate[1], "ty": affine.translate[0]}
        result |= {"shear": affine.shear[0], "zx": affine.scale[0], "zy": affine.scale[1]}
    return result


@generators
@pytest.mark.parametrize("size", [(40, 40), (30, 50)])
@pytest.mark.parametrize(
    ("options", "within"),
    [
        ({"rotation_range": 40}, 0.01),
        ({"width_shift_range": 0.2, "height_shift_range": 0.1}, 0.01),
        ({"width_shift_range": 5.0, "height_shift_range": [-3, 2]}, 0.01),
        ({"width_shift_range": 4, "fill_mode": "reflect"}, 0.01),
        ({"shear_range": 20.0, "zoom_range": 0.3}, 0.01),
        ({"zoom_range": (0.5, 0.9), "interpolation_order": 0}, 0.5),
        ({"channel_shift_range": 30.0}, 0.01),
        ({"brightness_range": (0.3, 1.8)}, 0.01),
        (
            {"horizontal_flip": True, "vertical_flip": True, "rotation_range": 10, "fill_mode": "constant"},
            0.01,
        ),
        ({"rescale": 1 / 255, "samplewise_center": True, "samplewise_std_normalization": True}, 1e-5),
    ],
    ids=str,
)
def test_pixels_for_equal_draws(generator_class: Any, size: Any, options: Any, within: float) -> None:
    generator = generator_class(**options)
    pipeline = convert(generator)
    image = picture(*size)
    for key in KEYS:
        wanted = generator.apply_transform(image.astype(np.float32), drawn(pipeline, key, image))
        wanted = generator.standardize(wanted)
        apart = np.abs(wanted - pipeline(image, key=key))
        assert apart.mean() <= within


@generators
def test_draws_have_the_generators_distribution(generator_class: Any) -> None:
    generator = generator_class(
        rotation_range=30,
        width_shift_range=[-4, 2],
        height_shift_range=0.2,
        shear_range=5,
        zoom_range=(0.8, 1.1),
    )
    pipeline, image = convert(generator), picture(20, 30)
    ours = [drawn(pipeline, ss.SampleKey(1, 0, index), image) for index in range(4000)]
    np.random.seed(0)
    theirs = [generator.get_random_transform(image.shape) for _ in range(4000)]
    for name in ("theta", "tx", "ty", "shear", "zx", "zy"):
        one, other = (np.array([draw[name] for draw in draws], float) for draws in (ours, theirs))
        assert abs(one.mean() - other.mean()) < 5 * other.std() / 4000**0.5
        assert one.std() == pytest.approx(other.std(), rel=0.06)
    assert {draw["ty"] for draw in ours} == {draw["ty"] for draw in theirs}
    assert not any(draw["zx"] == draw["zy"] for draw in ours)


@generators
def test_what_fit_has_found_is_kept_and_statistics_replace_it(generator_class: Any) -> None:
    images = np.random.default_rng(0).integers(0, 256, (8, 6, 5, 3), np.uint8)
    options = {"featurewise_center": True, "featurewise_std_normalization": True, "rescale": 1 / 255}
    fitted, bare = generator_class(**options), generator_class(**options)
    fitted.fit(images)
    with pytest.raises(ValueError, match=r"was not fitted: call generator.fit\(images\), or pass stats="):
        convert(bare)
    wanted = fitted.standardize(images[0].astype(np.float32))
    for pipeline in (convert(fitted), convert(bare, stats=ss.channel_stats(images))):
        np.testing.assert_allclose(pipeline(images[0], key=KEYS[0]), wanted, atol=1e-4)


@generators
def test_functions_and_what_has_no_counterpart_are_bridged(generator_class: Any) -> None:
    generator = generator_class(preprocessing_function=np.sqrt, fill_mode="wrap", rotation_range=40)
    names = [type(member).__name__ for member in convert(generator).transforms]
    assert names == ["AsFloat", "Bridged", "Bridged"]
    result = [convert(generator)(picture(9, 9), key=key) for key in (KEYS[0], KEYS[0], KEYS[1])]
    np.testing.assert_array_equal(result[0], result[1])
    assert (result[0] != result[2]).any()


def test_an_image_and_its_mask_go_together() -> None:
    generator = GENERATORS[0](rotation_range=40, zoom_range=0.2, horizontal_flip=True)
    image = picture(32, 32)
    mask = (image[..., 0] > 127).astype(np.uint8)
    sample = convert(generator)({"image": np.repeat(mask[..., None] * 255, 3, 2), "mask": mask}, key=KEYS[3])
    assert ((sample["image"][..., 0] > 127) == sample["mask"]).mean() > 0.97


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
    with pytest.raises(ValueError, match=f"base is a flow.*{fault}.*seedsafe_keras.convert"):
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
    with pytest.raises(ValueError, match=r"base holds a flow.*seeds NumPy's.*\(image_flow, mask_flow\)"):
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


def test_a_flow_is_not_a_generator() -> None:
    flow = GENERATORS[0]().flow(np.zeros((8, 4, 4, 3)))
    with pytest.raises(TypeError, match="got its flow NumpyArrayIterator: pass the generator"):
        convert(flow)
    with pytest.raises(TypeError, match="transform must be an ImageDataGenerator, a Keras layer"):
        convert(np.sqrt)


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


@generators
def test_training(generator_class: Any) -> None:
    images, labels = np.random.default_rng(0).integers(0, 256, (40, 12, 12, 3), np.uint8), np.arange(40) % 3
    pipeline = convert(generator_class(rotation_range=20, horizontal_flip=True, rescale=1 / 255))
    samples = list(zip(images, labels, strict=True))
    name = "keras" if generator_class is GENERATORS[0] else "tf_keras"
    package: Any = keras if name == "keras" else tf_keras
    runs = []
    for workers in (0, 2):
        sequence = AugmentedSequence(
            samples, pipeline, seed=42, batch_size=8, shuffle=True, workers=workers, framework=name
        )
        package.utils.set_random_seed(1)
        model = package.Sequential([package.layers.Flatten(), package.layers.Dense(3)])
        model.compile(loss=package.losses.SparseCategoricalCrossentropy(from_logits=True))
        runs.append(fit(model, sequence, epochs=2, verbose=0).history["loss"])
    assert runs[0] == runs[1]
    assert pickle.loads(pickle.dumps(pipeline)) == pipeline


def folder_of(root: Path) -> Path:
    for number in range(6):
        place = root / f"class{number % 2}"
        place.mkdir(exist_ok=True)
        cv2.imwrite(str(place / f"{number}.png"), picture(20, 30) ^ np.uint8(number))
    return root


def flow_of(kind: str, generator: Any, root: Path) -> Any:
    if kind == "directory":
        return generator.flow_from_directory(folder_of(root), target_size=(12, 12), batch_size=4)
    images = np.stack([picture(12, 12) ^ np.uint8(number) for number in range(6)])
    return generator.flow(images, np.arange(6), batch_size=4, sample_weight=np.arange(6) / 6)


@generators
@pytest.mark.parametrize("kind", ["arrays", "directory"])
def test_a_flow_is_converted_as_a_whole(generator_class: Any, kind: str, tmp_path: Path) -> None:
    options = {"rotation_range": 30, "horizontal_flip": True, "rescale": 1 / 255}
    flow = flow_of(kind, generator_class(**options), tmp_path)
    plain = flow_of(kind, generator_class(), tmp_path)
    plain.shuffle = False
    parts = [np.concatenate(part) for part in zip(*(plain[number] for number in range(2)), strict=True)]
    sequence = AugmentedSequence(flow, seed=42, epoch=3, convert=True)
    assert (len(sequence), sequence.batch_size, sequence.shuffle) == (2, 4, True)
    assert sequence.augment == convert(generator_class(**options))
    order = ss.epoch_order(42, 3, 6)
    batches = [sequence[number] for number in range(2)]
    for index, *sample in zip(
        order, *(np.concatenate(part) for part in zip(*batches, strict=True)), strict=True
    ):
        expected = sequence.augment(parts[0][index], key=ss.SampleKey(42, 3, int(index)))
        np.testing.assert_array_equal(sample[0], expected)
        for part, rest in zip(sample[1:], parts[1:], strict=True):
            assert part.dtype == rest.dtype
            np.testing.assert_array_equal(part, rest[index])
    if kind == "directory":
        assert sequence.class_indices == {"class0": 0, "class1": 1}
    again = pickle.loads(pickle.dumps(sequence))
    np.testing.assert_array_equal(again[1][0], sequence[1][0])
    assert hasattr(flow, "lock")  # the flow itself is as before


def test_a_model_trains_on_a_converted_flow_in_processes(tmp_path: Path) -> None:
    flow = flow_of("directory", GENERATORS[0](rotation_range=30), tmp_path)
    model = keras.Sequential([keras.Input((12, 12, 3)), layers.Flatten(), layers.Dense(2)])
    model.compile("sgd", "mse")
    sequence = AugmentedSequence(flow, seed=42, convert=True, workers=2, use_multiprocessing=True)
    assert len(fit(model, sequence, epochs=2, verbose=0).history["loss"]) == 2


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (
            lambda flow: AugmentedSequence(flow, ss.Invert(), seed=0, convert=True),
            ValueError,
            "leave one of them",
        ),
        (
            lambda flow: AugmentedSequence(zip(flow, flow, strict=True), seed=0, convert=True),
            TypeError,
            r"got zip: for two flows .*\(image_flow, mask_flow\).*targets=\(",
        ),
        (
            lambda flow: AugmentedSequence(zip(flow, flow, strict=True), seed=0),
            TypeError,
            "must have a length, got zip: for two flows of images and masks",
        ),
        (
            lambda flow: AugmentedSequence((flow, np.ones(3)), seed=0, convert=True),
            TypeError,
            "got tuple: for two flows",
        ),
        (
            lambda flow: AugmentedSequence(np.ones(3), seed=0, convert=True),
            TypeError,
            "needs a flow.*for layers",
        ),
        (
            lambda flow: AugmentedSequence(with_attributes(flow, save_to_dir="a"), seed=0, convert=True),
            ValueError,
            "save_to_dir='a', which convert=True does not: leave save_to_dir out",
        ),
        (
            lambda flow: AugmentedSequence(with_attributes(flow, class_mode="input"), seed=0, convert=True),
            ValueError,
            "as its own label",
        ),
        (
            lambda flow: AugmentedSequence(with_attributes(flow, x_misc=[1]), seed=0, convert=True),
            ValueError,
            "further inputs",
        ),
    ],
)
def test_flows_that_do_more_are_refused(make: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        make(GENERATORS[0]().flow(np.zeros((8, 4, 4, 3)), batch_size=4))


def mask_flows(root: Path, **options: Any) -> Any:
    """Return the flows of the images and masks in a folder, with one seed; `options` are the mask's own."""
    moves = {"rotation_range": 40, "zoom_range": 0.2, "horizontal_flip": True, "fill_mode": "wrap"}
    common = {"class_mode": None, "target_size": (12, 12), "batch_size": 4, "seed": 1}
    generators = GENERATORS[0](brightness_range=(0.5, 1.0), **moves), GENERATORS[0](rescale=1 / 255, **moves)
    arguments = common, common | options
    return tuple(
        generator.flow_from_directory(folder_of(root), **each)
        for generator, each in zip(generators, arguments, strict=True)
    )


@pytest.mark.parametrize("fill_mode", ["wrap", "nearest"])
def test_two_flows_with_one_seed_stay_together(fill_mode: str, tmp_path: Path) -> None:
    flows = mask_flows(tmp_path)
    for flow in flows:
        flow.image_data_generator.fill_mode = fill_mode
    flows[0].image_data_generator.brightness_range = None
    sequence = AugmentedSequence(flows, seed=42, convert=True)
    assert (len(sequence), sequence.batch_size, sequence.shuffle) == (2, 4, True)
    seen = set()
    for epoch in range(2):
        for number in range(2):
            image, mask = sequence.at_epoch(epoch)[number]
            np.testing.assert_allclose(image / 255, mask, atol=1e-6)
            seen |= {part.tobytes() for part in image}
    assert len(seen) == 12
    again = pickle.loads(pickle.dumps(sequence)).at_epoch(1)[1]
    np.testing.assert_array_equal(again, sequence.at_epoch(1)[1])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": 2}, r"the same seed, got \[1, 2\]"),
        ({"shuffle": False}, r"the same shuffle, got \[True, False\]"),
        ({"batch_size": 2}, r"the same batch_size, got \[4, 2\]"),
        ({"class_mode": "binary"}, "no labels: pass class_mode=None"),
    ],
    ids=str,
)
def test_two_flows_that_do_not_go_together_are_refused(options: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=words):
        AugmentedSequence(mask_flows(tmp_path, **options), seed=42, convert=True)


def test_two_flows_without_a_seed_are_refused() -> None:
    flows = [GENERATORS[0](rotation_range=9).flow(np.zeros((8, 4, 4, 3)), shuffle=False) for _ in range(2)]
    with pytest.raises(ValueError, match="must have one seed=, got None"):
        AugmentedSequence(flows, seed=42, convert=True)


@generators
def test_methods_of_a_subclass_are_bridged(generator_class: Any) -> None:
    class Brighter(generator_class):  # type: ignore[misc]
        def random_transform(self, x: Any, seed: Any = None) -> Any:
            return super().random_transform(x, seed) + np.random.rand()

    class Scaled(generator_class):  # type: ignore[misc]
        def standardize(self, x: Any) -> Any:
            return super().standardize(x) * 3

    class Turned(generator_class):  # type: ignore[misc]
        def get_random_transform(self, img_shape: Any, seed: Any = None) -> Any:
            return super().get_random_transform(img_shape, seed) | {"flip_vertical": True}

    image = picture(9, 9)
    assert (convert(Brighter())(image, key=KEYS[0]) > image).all()
    np.testing.assert_array_equal(convert(Scaled())(image, key=KEYS[0]), image * np.float32(3))
    np.testing.assert_array_equal(convert(Turned())(image, key=KEYS[0]), image[::-1])
    replaced = generator_class(rescale=2)
    replaced.standardize = lambda x: x * 0
    assert not convert(replaced)(image, key=KEYS[0]).any()


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


def with_attributes(flow: Any, **attributes: Any) -> Any:
    vars(flow).update(attributes)
    return flow
