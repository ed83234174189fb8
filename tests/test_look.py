"""``seedsafe preview``, ``explain`` and ``demo``, ``Compose.show``, and what notebooks show."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from programs import environment, python
from skimage import data

import seedsafe as ss
from seedsafe.__main__ import main
from seedsafe_look.options import numbers, sides
from seedsafe_look.parameters import plain, text
from seedsafe_look.picture import picture_of, rgb

KEY = ss.SampleKey(42, 3, 1)
CROP = ss.Compose([ss.RandomCrop(64), ss.HorizontalFlip(p=0.5), ss.GaussianNoise(p=0.5)])

MODULE = """
import numpy as np
import seedsafe as ss
from seedsafe_torch import AugmentedDataset

augment = ss.Compose([ss.RandomCrop(16), ss.HorizontalFlip()])
flip = ss.HorizontalFlip()
images = [np.full((20, 30, 3), 30 * i, np.uint8) for i in range(5)]
boxed = [{"image": image, "boxes": np.array([[2.0, 3.0, 9.0, 12.0]])} for image in images]


def noisy(image):
    return np.clip(image + np.random.normal(0, 20, image.shape), 0, 255).astype(np.uint8)


def make():
    return augment


def dataset():
    return AugmentedDataset(boxed, ss.Compose([augment], boxes=ss.Boxes("pascal_voc")), seed=7)


def views():
    return AugmentedDataset(images, augment, seed=7, views=2)


class Plain:
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return np.random.randint(0, 255, (20, 30, 3), np.uint8), index


def broken():
    raise RuntimeError("not today")


class Unfinished:
    def __getitem__(self, index):
        raise OSError("the disk is gone")

    def __len__(self):
        return 3


number = 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with three photographs, a pipeline and a module, whose name differs for each test."""
    photos = tmp_path / "photos"
    photos.mkdir()
    for name in ("astronaut", "chelsea", "coffee"):
        cv2.imwrite(str(photos / f"{name}.jpg"), getattr(data, name)()[::4, ::4, ::-1])
    (tmp_path / "p.json").write_text(CROP.to_json())
    (tmp_path / "mine.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    return tmp_path


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def pictures(self) -> list[np.ndarray]:
        found = [a["src"].removeprefix("data:image/png;base64,") for t, a in self.tags if t == "img"]
        return [
            cv2.imdecode(np.frombuffer(base64.b64decode(one), np.uint8), cv2.IMREAD_COLOR_RGB)
            for one in found
        ]


def preview(*arguments: str) -> int:
    return main(["preview", *" ".join(arguments).split()])


def test_the_page_shows_what_training_sees_and_stands_alone(folder: Path) -> None:
    assert preview("p.json --images photos --epochs 0,3 --seed 42 --cell 64 -o a.html") == 0
    page = (folder / "a.html").read_text(encoding="utf-8")
    parsed = Page(page)
    pictures = parsed.pictures()
    assert len(pictures) == 3 * 3
    chelsea = cv2.imread("photos/chelsea.jpg", cv2.IMREAD_COLOR_RGB)
    np.testing.assert_array_equal(pictures[5], CROP(chelsea, key=ss.SampleKey(42, 3, 1)))
    assert "chelsea.jpg" in page
    assert f"RandomCrop {text(CROP.params(KEY, chelsea.shape)[0].params)}" in page
    assert {tag for tag, _ in parsed.tags}.isdisjoint({"script", "link", "iframe"})
    assert "http" not in page


def test_a_sheet_is_one_picture(folder: Path) -> None:
    assert preview("p.json", "--images", "photos", "--samples", "2", "--views", "3", "-o", "a.png") == 0
    sheet = cv2.imread("a.png")
    assert sheet.shape[1] == 4 * 224
    assert sheet.shape[0] > 2 * 224


def test_what_was_drawn_is_told_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert preview("p.json --images photos --indices 2,0 --epochs 5 --json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert [row["sample"] for row in facts["rows"]] == ["2: coffee.jpg", "0: astronaut.jpg"]
    shape = cv2.imread("photos/coffee.jpg").shape
    drawn_there = facts["rows"][0]["cells"][1]["applied"]
    assert drawn_there == [
        {"name": one.name, "params": plain(one.params)} for one in CROP.params(ss.SampleKey(0, 5, 2), shape)
    ]
    assert Path("preview.html").exists()


def test_boxes_keypoints_and_masks_are_drawn(folder: Path) -> None:
    augment = ss.Compose([ss.HorizontalFlip(p=1)], boxes=ss.Boxes("yolo", labels="names"))
    (folder / "boxes.json").write_text(augment.to_json())
    coco = {
        "images": [{"id": 1, "file_name": "chelsea.jpg"}],
        "categories": [{"id": 3, "name": "eye"}],
        "annotations": [
            {"image_id": 1, "category_id": 3, "bbox": [10, 20, 30, 40], "keypoints": [80, 10, 2]}
        ],
    }
    (folder / "coco.json").write_text(json.dumps(coco))
    (folder / "masks").mkdir()
    mask = np.zeros((75, 113), np.uint8)
    mask[60:, :20] = 1
    cv2.imwrite("masks/chelsea.png", mask)
    call = "boxes.json --images photos --indices 1 --epochs 0 --cell 113 -o a.html"
    assert preview(call, "--annotations coco.json --masks masks") == 0
    before, after = Page((folder / "a.html").read_text(encoding="utf-8")).pictures()
    green = [0, 255, 120]
    assert before[20, 20].tolist() == before[59, 20].tolist() == before[40, 10].tolist() == green
    assert after[20, 112 - 20].tolist() == after[40, 112 - 10].tolist() == green
    assert before[10, 80].tolist() == after[10, 112 - 80].tolist() == green
    image = cv2.imread("photos/chelsea.jpg", cv2.IMREAD_COLOR_RGB)
    assert (before[65, 5] != image[65, 5]).any()
    assert (after[65, 112 - 5] != image[65, 5]).any()
    np.testing.assert_array_equal(before[5, 5], image[5, 5])


def test_boxes_by_file_name(folder: Path) -> None:
    (folder / "notes.json").write_text('{"chelsea.jpg": {"boxes": [[10, 20, 40, 60]]}}')
    call = "p.json --images photos --indices 1 --epochs 0 --cell 113 -o a.html"
    assert preview(call, "--annotations notes.json") == 0
    before, _ = Page((folder / "a.html").read_text(encoding="utf-8")).pictures()
    assert before[20, 20].tolist() == before[59, 39].tolist() == [0, 255, 120]


def test_a_misspelt_entry_of_annotations_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "notes.json").write_text('{"chelsea.jpg": {"boxs": [[10, 20, 40, 60]]}}')
    assert preview("p.json --images photos -o a.html", "--annotations notes.json") == 2
    assert 'an object with "boxes" or "keypoints"' in capsys.readouterr().err


def test_an_image_without_boxes_is_drawn_without(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    around = ss.Compose([ss.BBoxSafeCrop((24, 24))], boxes=ss.Boxes("pascal_voc"))
    (folder / "safe.json").write_text(around.to_json())
    (folder / "notes.json").write_text('{"chelsea.jpg": {"boxes": [[10, 20, 40, 60]]}}')
    assert preview("safe.json --images photos --epochs 0 -o a.html", "--annotations notes.json") == 0
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"{one}.jpg has no entry in --annotations: drawn without" for one in ("astronaut", "coffee")
    ]


@pytest.mark.parametrize("name", ["augment", "flip", "noisy", "make"])
def test_pipelines_of_a_module(name: str, folder: Path) -> None:
    assert preview(f"mine:{name}", "--images", "photos", "--samples", "1", "-o", "a.png") == 0


@pytest.mark.parametrize("name", ["dataset", "views", "Plain"])
def test_datasets_of_a_module_have_their_own_samples(name: str, folder: Path) -> None:
    assert preview(f"mine.py:{name}", "--samples", "2", "--views", "2", "-o", "a.html") == 0
    pictures = Page((folder / "a.html").read_text(encoding="utf-8")).pictures()
    assert len(pictures) == 2 * 3
    if name == "Plain":  # keyed by a bridge: each view has other pixels, and they are the same the next time
        assert (pictures[1] != pictures[2]).any()
        assert preview(f"mine.py:{name}", "--samples", "2", "--views", "2", "-o", "b.html") == 0
        again = Page((folder / "b.html").read_text(encoding="utf-8")).pictures()
        for one, other in zip(pictures, again, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_sample_that_fails_is_shown_and_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "photos" / "broken.jpg").write_bytes(b"\xff\xd8\xff")
    (folder / "wide.json").write_text(ss.Compose([ss.RandomCrop(128)]).to_json())
    assert preview("wide.json", "--images", "photos", "-o", "a.html") == 1
    told = capsys.readouterr().err
    assert "broken.jpg: cannot read the image" in told
    assert "cannot crop 128×128" in told
    assert "cannot read the image" in (folder / "a.html").read_text(encoding="utf-8")
    assert preview("mine:Unfinished", "-o", "a.png") == 1
    assert "the disk is gone" in capsys.readouterr().err


@pytest.mark.fork  # and such a name
def test_names_are_escaped(folder: Path) -> None:
    Path("photos/chelsea.jpg").rename("photos/<script>alert(1)<script>.jpg")
    assert preview("p.json", "--images", "photos", "-o", "a.html") == 0
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def explain(*arguments: str) -> int:
    return main(["explain", *" ".join(arguments).split()])


def test_explain_tells_what_the_pipeline_drew(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["p.json", "--seed", "42", "--epoch", "3", "--index", "1"]
    assert explain(*call, "--size", "75x113", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    expected = CROP.params(KEY, (75, 113, 3))
    assert [(one["name"], one["params"]) for one in told["applied"]] == [
        (one.name, plain(one.params)) for one in expected
    ]
    assert [one["fired"] for one in told["applied"]] == [one.params is not None for one in expected]
    assert [one["op"] for one in told["applied"]] == [stream.op for stream in CROP.streams()]
    assert told["key"] == {"seed": 42, "epoch": 3, "index": 1, "occurrence": 0, "view": 0}
    assert explain(*call, "--image", "photos/chelsea.jpg") == 0
    first, crop, *_ = capsys.readouterr().out.splitlines()
    assert first == "seed 42, epoch 3, index 1"
    assert crop.split(maxsplit=1) == ["RandomCrop", text(expected[0].params)]


def test_explain_reads_a_datasets_sample_for_its_size(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain("mine:dataset", "--index", "-1", "--epoch", "2", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["key"]["seed"] == 7
    assert told["key"]["index"] == 4
    drawn_there = ss.Compose([ss.RandomCrop(16)]).params(ss.SampleKey(7, 2, 4), (20, 30, 3))
    assert told["applied"][0]["params"] == plain(drawn_there[0].params)


def test_explain_knows_the_length_of_a_dataset_whose_samples_are_mixed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "mixing.py").write_text(
        "import numpy as np\nimport seedsafe as ss\nfrom seedsafe_torch import AugmentedDataset\n"
        "base = [(np.zeros((20, 20, 3), np.uint8), k) for k in range(5)]\n"
        "augment = ss.Compose([ss.RandomCrop(16), ss.MixUp(classes=5)])\n"
        "dataset = AugmentedDataset(base, augment, seed=42)\n"
    )
    augment = ss.Compose([ss.RandomCrop(16), ss.MixUp(classes=5)])
    drawn = augment.params(ss.SampleKey(42, 0, 2), ss.Info((20, 20, 3), length=5))[1].params
    for size in ([], ["--size", "20x20"]):
        assert main(["explain", f"{folder}/mixing.py:dataset", "--index", "2", *size]) == 0
        assert f"partners=({drawn.partners[0]})" in capsys.readouterr().out
    assert main(["explain", f"{folder}/mixing.py:augment", "--size", "20x20"]) == 2
    assert "the dataset's length" in capsys.readouterr().err


def test_a_file_is_imported_from_its_own_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, size in (("first", 3), ("second", 5)):
        (folder / name).mkdir()
        text = f"import seedsafe as ss\naugment = ss.Compose([ss.RandomCrop({size})])\n"
        (folder / name / "of_two_folders.py").write_text(text)
        sys.path.append(str(folder / name))
    assert explain("second/of_two_folders.py:augment", "--size", "4x4") == 2
    assert "cannot crop 5×5" in capsys.readouterr().err
    del sys.modules["of_two_folders"]


def test_what_a_module_prints_is_no_result(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "loud.py").write_text(f"print('loss 0.3'){MODULE}")
    assert explain("loud:augment", "--size", "40x40", "--json") == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["pipeline"] == "loud:augment"
    assert told.err == "loss 0.3\n"


def test_explain_needs_a_size_only_where_draws_depend_on_it(folder: Path) -> None:
    (folder / "noise.json").write_text(ss.Compose([ss.GaussianNoise(), ss.ColorJitter(0.3)]).to_json())
    assert explain("noise.json") == 0


def test_explain_takes_audio_and_boxes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "audio.json").write_text(ss.Compose([ss.RandomSegment(100)]).to_json())
    assert explain("audio.json", "--size", "16000") == 0
    assert "RandomSegment  start=" in capsys.readouterr().out
    clips = ss.Compose([ss.TemporalSample(3), ss.RandomCrop(8)])
    (folder / "video.json").write_text(clips.to_json())
    assert explain("video.json", "--size", "30x20x25x3", "--json") == 0
    told = json.loads(capsys.readouterr().out)["applied"]
    expected = clips.params(ss.SampleKey(0, 0, 0), {"video": (30, 20, 25, 3)})
    assert [one["params"] for one in told] == [plain(one.params) for one in expected]
    (folder / "safe.json").write_text(ss.Compose([ss.BBoxSafeCrop()]).to_json())
    assert explain("safe.json", "--size", "40x60", "--boxes", "[[5,5,20,20]]") == 0
    assert explain("safe.json", "--size", "40x60", "--boxes", "[[5,5") == 2


def test_explain_needs_no_opencv(folder: Path) -> None:
    (folder / "rotate.json").write_text(ss.Compose([ss.Rotate(20), ss.ElasticTransform()]).to_json())
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from missing import Missing; sys.meta_path.insert(0, Missing('cv2'))\n"
        "import importlib.util; found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'cv2' else found(name, *rest)\n"
        "from seedsafe.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    call = [sys.executable, "-c", code, "explain", "rotate.json", "--size", "40x60"]
    done = subprocess.run(call, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "degrees=" in done.stdout
    call[3:] = ["preview", "rotate.json", "--images", "photos"]
    done = subprocess.run(call, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        'seedsafe preview: preview needs OpenCV: pip install "seedsafe[image]"\n',
    )


def test_yaml_and_classes_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.yaml").write_text(
        "contract: 1\ntransform: Compose\ntransforms:\n- {transform: RandomCrop, size: [8, 8]}\n"
    )
    assert explain("p.yaml", "--size", "9x9") == 0
    (folder / "p.yaml").write_text(
        "contract: 1\ntransform: Compose\ntransforms:\n- {transform: Mine, size: [8, 8]}\n"
    )
    assert explain("p.yaml", "--size", "9x9") == 2
    assert "--class MODULE:NAME" in capsys.readouterr().err
    (folder / "own.py").write_text(
        "from dataclasses import dataclass\nimport seedsafe as ss\n\n@dataclass(frozen=True)\n"
        "class Mine(ss.RandomCrop):\n    pass\n"
    )
    assert explain("p.yaml", "--size", "9x9", "--class", "own:Mine") == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["preview", "nothing.json"], "no file nothing.json"),
        (["preview", "p.json"], "pass --images DIR"),
        (["preview", "p.json", "--images", "nowhere"], "nowhere"),
        (["preview", "p.json", "--images", "photos", "-o", "a.gif"], "--output must end in"),
        (["preview", "p.json", "--images", "photos", "-o", "nowhere/a.png"], "create it"),
        (["preview", "p.json", "--images", "photos", "-o", "x" * 300 + ".html"], "pass another path"),
        (["preview", "p.json", "--images", "photos", "--indices", "7"], "--indices must be below 3"),
        (["preview", "p.json", "--images", "photos", "--annotations", "p.json"], "must be the JSON of COCO"),
        (["preview", "p.json", "--images", "photos", "--epochs", "3-1"], "must be ascending"),
        (["preview", "mine:dataset", "--images", "photos"], "leave out --images"),
        (["preview", "mine:dataset", "--seed", "1"], "has the seed 7"),
        (["preview", "mine:number"], "neither a pipeline nor a dataset"),
        (["explain", "mine:nothing"], "has no 'nothing': it has ['AugmentedDataset', "),
        (["explain", "mine:augmen"], "has no 'augmen': did you mean augment?"),
        (["explain", "mine:broken"], "raised RuntimeError: not today"),
        (["explain", "mine"], "PIPELINE must be"),
        (["explain", "no_such_module:x"], "cannot be imported"),
        (["explain", "no_such.py:x"], "no file no_such.py"),
        (["explain", "p.json"], "pass --size HxW"),
        (["explain", "p.json", "--size", "large"], "must be HEIGHTxWIDTH"),
        (["explain", "p.json", "--size", "8x8"], "cannot crop 64×64"),
        (["explain", "p.json", "--size", "99x99", "--epoch", "-1"], "epoch must be at least 0"),
        (["explain", "p.json", "--image", "nothing.jpg"], "nothing.jpg"),
        (["explain", "p.json", "--size", "99x99", "--dtype", "uint8"], "no draw depends on it"),
        (["explain", "p.json", "--size", "99x99", "--boxes", "{}"], "--boxes must be JSON such as"),
        (["explain", "mine:dataset", "--index", "5"], "out of range"),
        (["explain", "mine:Plain"], "use `seedsafe preview`"),
        (["explain", "photos/coffee.jpg"], "PIPELINE must be"),
        (["demo", "--workers", "1"], "must be from 2 to 16"),
        (["demo", "--image", "nowhere.jpg"], "'nowhere.jpg': pass another photograph"),
        (["demo", "-o", "demo.png"], "--output needs --image"),
        (["demo", "--image", "images/0.png", "-o", "demo.gif"], "must end in .png"),
        (["demo", "--image", "images/0.png", "-o", "no/demo.png"], "a folder that exists"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_wrong_calls(call: list[str], words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(call) == 2
    told = capsys.readouterr().err
    assert words in told
    assert "Traceback" not in told


def test_the_demo_shows_the_bug_and_the_cure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--workers", "3", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["usual"]["repeats"] == 20  # all but the four crops of one worker in one epoch
    assert facts["seedsafe"]["repeats"] == 0
    augment = ss.Compose([ss.RandomCrop(224)])
    for epoch, crops in enumerate(facts["seedsafe"]["crops"]):
        for index, crop in enumerate(crops):
            assert tuple(crop) == augment.params(ss.SampleKey(42, epoch, index), (1224, 1224))[0].params


def test_the_demo_writes_the_crops_of_an_image(tmp_path: Path) -> None:
    rows, columns = np.mgrid[:400, :600]
    cv2.imwrite(
        str(tmp_path / "mine.png"), np.stack([rows // 2, columns // 3, rows * 0], -1).astype(np.uint8)
    )
    out = tmp_path / "demo.png"
    assert main(["demo", "--workers", "2", "--image", str(tmp_path / "mine.png"), "-o", str(out)]) == 0
    sheet = cv2.imread(str(out))
    height, width = (side // 4 for side in sheet.shape[:2])
    parts = [
        sheet[k * height : (k + 1) * height, half * 2 * width : (half + 1) * 2 * width]
        for k in range(4)
        for half in (0, 1)
    ]
    seen = [
        part[part.shape[0] // 2 - 20 : part.shape[0] // 2 + 20, width - 20 : width + 20].mean((0, 1))
        for part in parts
    ]
    assert (
        np.ptp(seen[:4], axis=0).max() < 8
    )  # the usual code cuts the same window for each worker in each epoch
    assert np.ptp(seen[4:], axis=0).max() > 20


def test_a_sample_is_shown_with_its_masks_boxes_and_keypoints() -> None:
    sample = {
        "image": np.zeros((40, 60, 3), np.uint8),
        "mask": np.ones((40, 60), np.uint8),
        "boxes": np.array([[5.0, 5.0, 30.0, 30.0]]),
        "keypoints": np.array([[50.0, 20.0]]),
    }
    before = {name: part.copy() for name, part in sample.items()}
    augment = ss.Compose([ss.RandomCrop(32), ss.ToCHW()], boxes=ss.Boxes("pascal_voc"))
    figure = augment.show(sample, seed=42, index=5, epochs=[7, 8], views=None)
    assert [axes.get_title() for axes in figure.axes] == ["sample", "epoch 7", "epoch 8"]
    shown = figure.axes[2].images[0].get_array()
    np.testing.assert_array_equal(shown, picture_of(augment(sample, key=ss.SampleKey(42, 8, 5))))
    assert augment.params(ss.SampleKey(42, 7, 5), (40, 60))[0].name in figure.axes[1].get_xlabel()
    assert figure._repr_png_().startswith(b"\x89PNG")
    for name, part in before.items():
        np.testing.assert_array_equal(sample[name], part)
    titles = [axes.get_title() for axes in augment.show(sample, epochs=3, views=2).axes]
    assert titles == ["sample", "epoch 0, view 0", "epoch 0, view 1"]
    assert len(ss.Compose([ss.PolarityInversion()]).show(np.zeros(100, np.float32), epochs=1).axes) == 2
    for wrong in (0, [], -1):
        with pytest.raises(ValueError, match="epochs must be at least"):
            augment.show(sample, epochs=wrong)


def test_a_video_is_shown_as_four_of_its_frames() -> None:
    video = np.arange(8, dtype=np.uint8)[:, None, None, None] * 30 + np.zeros((8, 6, 5, 3), np.uint8)
    masks = np.zeros((8, 6, 5), np.uint8)
    shown = picture_of({"video": video, "video_mask": masks})
    assert shown.shape == (6, 20, 3)
    assert shown[0, ::5, 0].tolist() == [0, 60, 120, 180]
    masks[2, 0, 0] = 1
    assert picture_of({"video": video, "video_mask": masks})[0, 5].tolist() != [60, 60, 60]
    assert picture_of({"video": video[:3]}).shape == (6, 15, 3)
    assert len(ss.Compose([ss.TemporalSample(4)]).show({"video": video}, epochs=2).axes) == 3


def test_show_loads_matplotlib_and_says_what_it_lacks() -> None:
    code = (
        "import sys, numpy as np, seedsafe as ss\nsys.modules['matplotlib'] = None\n"
        "augment = ss.Compose([ss.RandomCrop(2)])\naugment.params(ss.SampleKey(0, 0, 0), (4, 4))\n"
        "try: augment.show(np.zeros((4, 4), np.uint8))\nexcept ImportError as error: print(error)"
    )
    done = python("-c", code)
    assert done.stdout == 'show and image files of a preview need matplotlib: pip install "seedsafe[tools]"\n'


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (np.array([[0, 255]], np.uint8), [0, 255]),
        (np.array([[False, True]]), [0, 255]),
        (np.array([[0, 65535]], np.uint16), [0, 255]),
        (np.array([[0.0, 1.0]], np.float32), [0, 255]),
        (np.array([[0.0, 128.0]], np.float32), [0, 255]),
        (np.array([[-2.0, 2.0]], np.float32), [0, 255]),
        (np.array([[0, 7]], np.int64), [0, 255]),
        (np.array([[np.nan, 1.0]]), [0, 255]),
    ],
)
def test_any_image_can_be_shown(image: np.ndarray, expected: list[int]) -> None:
    made = rgb(image)
    assert made[0, :, 0].tolist() == made[0, :, 2].tolist() == expected


def test_channels_are_shown_as_rgb() -> None:
    image = np.arange(5 * 6 * 4, dtype=np.uint8).reshape(5, 6, 4)
    np.testing.assert_array_equal(rgb(image), image[..., :3])
    np.testing.assert_array_equal(rgb(image.transpose(2, 0, 1)), image[..., :3])
    assert rgb(image[..., :2]).shape == (5, 6, 3)
    with pytest.raises(ValueError, match="an image must have the shape"):
        rgb(np.zeros((2, 2, 2, 2)))


@pytest.mark.parametrize("text_of_range", ["", "x", "3-1", "-1", "0-99999"])
def test_wrong_ranges(text_of_range: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        numbers(text_of_range)
    assert numbers("0,5,9-11") == [0, 5, 9, 10, 11]
    assert sides("4×5x3") == (4, 5, 3)
    for wrong in ("", "0x3", "1x2x3x4x5"):
        with pytest.raises(ValueError, match="must be HEIGHTxWIDTH"):
            sides(wrong)


def test_parameters_are_plain_json() -> None:
    every = {"a": (1, 2.5, None), "b": np.float32(1), "c": np.arange(3), "d": float("nan"), "e": [KEY]}
    assert json.loads(json.dumps(plain(every)))["c"] == [0, 1, 2]
    assert text(None) == "did not fire"
    assert text(()) == "fired"
    assert text(ss.Compose([ss.bridge(np.copy)]).params(KEY, (2, 2))[0].params) == "drawn by the original"


class Marked(ss.HorizontalFlip):
    def __repr__(self) -> str:
        return "<b>Marked</b>"


def test_notebooks_show_pipelines_datasets_and_results() -> None:
    from seedsafe_torch import AugmentedDataset

    augment = ss.Compose(
        [
            ss.RandomCrop(2, name="first"),
            ss.OneOf([ss.RandomCrop(2), ss.Compose([ss.RandomCrop(2)])]),
            Marked(),
        ],
        boxes=ss.Boxes("coco"),
    )
    page = augment._repr_html_()
    for name in (stream.name for stream in augment.streams()):
        assert f"{name}</td>" in page
    assert "&lt;b&gt;Marked" in page
    assert "<b>" not in page
    assert "coco" in page
    base = [np.zeros((4, 4), np.uint8)] * 3
    shown = AugmentedDataset(base, augment, seed=42)._repr_html_()
    assert "AugmentedDataset, seed 42, base of 3: list" in shown
    assert "RandomCrop#1" in shown
    assert "HorizontalFlip()" in AugmentedDataset(base, ss.HorizontalFlip(), seed=1)._repr_html_()
    (applied,) = ss.Compose([ss.RandomCrop(2)]).params(KEY, (4, 4))
    assert "<td" in applied._repr_html_()
    assert "top" in applied._repr_html_()
    assert "did not fire" in ss.Applied("x", None)._repr_html_()
    stats = ss.channel_stats(base)
    assert "3 images of uint8" in stats._repr_html_()
