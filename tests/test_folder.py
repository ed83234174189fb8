"""FolderIndex: order, cache, problems and memory, on trees made for the purpose."""

import json
import os
import pickle
import random
import socket
import stat
import sys
from multiprocessing import get_context

import numpy as np
import pytest

import seedsafe as ss
from seedsafe import FolderIndex
from seedsafe.data.folder import IMAGE_EXTENSIONS
from seedsafe.data.folder import cache as cache_module
from seedsafe.data.folder import index as index_module
from seedsafe.data.folder import scan as scan_module
from seedsafe.data.folder.command import main
from seedsafe.data.folder.index import ListingIndex

LONG_AGO = 1_600_000_000


def grow(root, *names, age=LONG_AGO):
    """Make empty files, and date all folders back so that a cache may believe them."""
    for name in names:
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb"):
            pass
    if age is not None:
        date_back(root, age)


def date_back(root, age=LONG_AGO):
    for folder, _, _ in os.walk(root):
        os.utime(folder, (age, age))


def names_of(index):
    return [index.relative(place) for place in range(len(index))]


TREE = [
    "b/x.png",
    "b/a/2.png",
    "b/a/10.png",
    "b/a.png",
    "b/a-1.png",
    "a/Z.jpg",
    "a/a.JPG",
    "a/ä.jpeg",
    "a-b/1.png",
]
ORDER = sorted(TREE, key=os.fsencode)


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    grow(path, *TREE)
    return path


def test_files_are_ordered_bytewise_by_relative_path(root):
    index = FolderIndex(root)
    assert names_of(index) == ORDER
    assert index.classes == ["a", "a-b", "b"]
    assert [index.classes[target] for target in index.targets] == [name.split("/")[0] for name in ORDER]
    assert [index.target(place) for place in range(len(index))] == index.targets.tolist()
    assert index.path(0) == os.path.join(root, *ORDER[0].split("/"))


def random_tree(seed):
    rng = random.Random(seed)
    parts = ["a", "a-", "a.b", "ab", "b", "é", "z0", "z"]
    return sorted({"/".join(rng.choices(parts, k=rng.randint(2, 5))) + ".png" for _ in range(200)})


@pytest.mark.parametrize("seed", range(4))
def test_any_tree_comes_in_bytewise_order_whatever_the_order_of_creation(tmp_path, seed):
    names = random_tree(seed)
    shuffled = random.Random(seed).sample(names, len(names))
    grow(tmp_path / "one", *names)
    grow(tmp_path / "two", *shuffled)
    first, second = FolderIndex(tmp_path / "one"), FolderIndex(tmp_path / "two")
    assert names_of(first) == names_of(second) == sorted(names, key=os.fsencode)
    assert first.fingerprint == second.fingerprint


def torchvision_samples(root):
    """The list of (path, class) as torchvision's make_dataset documents it: walk, sort, filter by ending."""
    classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
    found = []
    for number, name in enumerate(classes):
        for folder, _, files in sorted(os.walk(os.path.join(root, name), followlinks=True)):
            found += [
                (os.path.join(folder, file), number)
                for file in sorted(files)
                if file.lower().endswith(IMAGE_EXTENSIONS)
            ]
    return found


def test_flat_class_folders_come_in_the_order_of_torchvision(tmp_path):
    grow(
        tmp_path,
        *(f"n{number}/{name}.JPEG" for number in range(5) for name in random_names(20)),
        "n1/readme.txt",
    )
    index = FolderIndex(tmp_path)
    found = [(index.path(place), index.target(place)) for place in range(len(index))]
    assert found == torchvision_samples(tmp_path)


def test_nested_folders_hold_the_same_files_as_torchvision(root):
    index = FolderIndex(root)
    found = [(index.path(place), index.target(place)) for place in range(len(index))]
    assert sorted(found) == sorted(torchvision_samples(root))


def random_names(count):
    rng = random.Random(count)
    return {f"{rng.randrange(10**6)}" for _ in range(count)}


def test_endings(tmp_path):
    grow(tmp_path, "a/1.png", "a/2.PNG", "a/3.txt", "a/png", "a/4.gif", "top.png")
    assert names_of(FolderIndex(tmp_path)) == ["a/1.png", "a/2.PNG"]
    flat = FolderIndex(tmp_path, labelled=False)
    assert names_of(flat) == ["a/1.png", "a/2.PNG", "top.png"]
    assert (flat.classes, flat.targets.tolist()) == ([], [-1, -1, -1])


@pytest.mark.linux
def test_names_that_are_no_unicode_are_kept(tmp_path):
    grow(tmp_path, b"a/\xff\xfe.png", b"a/\xc3\xa4 \n.png", "b/日本.png")
    index = FolderIndex(tmp_path)
    assert all(os.path.exists(index.path(place)) for place in range(3))
    assert index.record_ids[1] == ss.record_index(b"a/\xff\xfe.png")


def test_positions_outside_are_errors(root):
    index = FolderIndex(root)
    for position in (-1, len(TREE)):
        with pytest.raises(IndexError, match=rf"position must be in \[0, 8\], got {position}"):
            index.path(position)


def test_an_empty_root_has_no_files(tmp_path):
    index = FolderIndex(tmp_path)
    assert (len(index), index.classes, index.targets.size, index.record_ids.size) == (0, [], 0, 0)


# Links and other trouble


def test_links_to_files_and_folders_are_followed(root, tmp_path):
    grow(tmp_path / "elsewhere", "deep/1.png")
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    (root / "a" / "one.png").symlink_to(tmp_path / "elsewhere/deep/1.png")
    assert set(names_of(FolderIndex(root))) == {*TREE, "linked/deep/1.png", "a/one.png"}


@pytest.mark.parametrize("target", [".", "..", "../.."])
def test_a_loop_of_links_is_reported_and_ends(root, target):
    os.symlink(target, root / "b" / "a" / "loop")
    index = ListingIndex(root)
    assert names_of(index) == ORDER
    (problem,) = index.problems
    assert (problem.kind, problem.path) == ("loop", "b/a/loop")
    with pytest.raises(
        OSError, match=r"1 entry below .* could not be indexed \(loop: 1\); the first is 'b/a/loop'"
    ):
        FolderIndex(root)


def test_a_loop_through_the_folder_above_the_root_ends(root):
    os.symlink("../..", root / "b" / "up")
    index = ListingIndex(root)
    assert {problem.kind for problem in index.problems} == {"loop"}
    assert set(ORDER) <= set(names_of(index))


def test_two_folders_that_link_to_each_other_end(root):
    os.symlink("../b", root / "a" / "to-b")
    os.symlink("../a", root / "b" / "to-a")
    with pytest.raises(OSError, match=r"loop: 2.*Fix or remove them; `seedsafe index` lists them"):
        FolderIndex(root)
    index = ListingIndex(root)
    assert sorted(problem.path for problem in index.problems) == ["a/to-b/to-a", "b/to-a/to-b"]


@pytest.mark.fork  # and os.mkfifo
def test_broken_links_and_special_files_are_counted(root):
    os.symlink("nowhere", root / "a" / "gone.png")
    os.symlink("self.png", root / "a" / "self.png")
    os.symlink("nowhere", root / "a" / "irrelevant.txt")
    os.mkfifo(root / "b" / "pipe.png")
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(root)
        server.bind("socket.jpg")
    index = ListingIndex(root, labelled=False)
    kinds = sorted((problem.kind, problem.path) for problem in index.problems)
    assert kinds == [
        ("broken link", "a/gone.png"),
        ("broken link", "a/self.png"),
        ("not a file", "b/pipe.png"),
        ("not a file", "socket.jpg"),
    ]
    with pytest.raises(OSError, match="broken link: 2, not a file: 2"):
        FolderIndex(root, labelled=False)


def test_unreadable_folders_are_counted(root, monkeypatch):
    scandir = os.scandir

    def refuse(path):
        if path.endswith(b"/b/a/"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)  # file modes do not stop root
    index = ListingIndex(root)
    assert index.problems == (("unreadable", "b/a", "Permission denied"),)
    assert "b/a/2.png" not in names_of(index)
    with pytest.raises(OSError, match="unreadable: 1"):
        FolderIndex(root)


def test_a_folder_that_vanishes_while_it_is_read_is_reported(root, monkeypatch):
    scandir = os.scandir

    def vanish(path):
        if path.endswith(b"/a-b/"):
            raise FileNotFoundError(2, "No such file or directory")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", vanish)
    assert ListingIndex(root).problems[0].kind == "vanished"


def test_a_root_that_is_none_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"root must be a folder that exists, got '.*nothing'"):
        FolderIndex(tmp_path / "nothing")


@pytest.mark.parametrize("kind", [FolderIndex, ss.ImageFolder])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"on_problem": "warn"},
            "has no on_problem: leave it out: .* `seedsafe index` lists it; it takes root",
        ),
        ({"threads": 2}, "has no threads: leave it out: one thread reads as fast"),
        ({"is_valid_file": len}, "has no is_valid_file: leave it out: a dataset with len"),
        ({"extensions": ".png"}, "has no extensions: leave it out: a dataset with len"),
        (
            {"progress": True},
            "has no progress: leave it out: a million files take about a second",
        ),
    ],
)
def test_options_of_earlier_releases_say_what_to_do_instead(root, kind, options, message):
    with pytest.raises(TypeError, match=message):
        kind(root, **options)


# The cache


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "index"


@pytest.fixture
def read(monkeypatch):
    """The folders that are read from disk, by the last part of their names."""
    scandir, seen = os.scandir, []

    def note(path):
        seen.append(os.path.basename(os.fsdecode(path).rstrip("/")))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", note)
    return seen


def test_a_cache_is_opened_without_reading_a_folder(root, cache, read):
    first = FolderIndex(root, cache=cache)
    assert sorted(read) == ["a", "a", "a-b", "b", "root"]
    read.clear()
    again = FolderIndex(root, cache=cache)
    assert read == []
    assert names_of(again) == names_of(first) == ORDER
    assert (again.targets == first.targets).all()
    assert again.fingerprint == first.fingerprint == FolderIndex(root).fingerprint


@pytest.mark.parametrize("seed", range(6))
def test_a_cache_follows_any_change(tmp_path, cache, seed):
    rng = random.Random(seed)
    names = random_tree(seed)
    root = tmp_path / "root"
    grow(root, *names)
    FolderIndex(root, cache=cache)
    for step in range(1, 5):
        for name in rng.sample(sorted(names_of(FolderIndex(root))), 15):
            (root / name).unlink()
            folder = (root / name).parent
            os.utime(folder, (LONG_AGO + step, LONG_AGO + step))
        for _ in range(15):
            folder = root / rng.choice(names).rpartition("/")[0]
            (folder / f"n{rng.randrange(10**9)}.png").touch()
            os.utime(folder, (LONG_AGO + step, LONG_AGO + step))
        index, anew = FolderIndex(root, cache=cache), FolderIndex(root)
        assert names_of(index) == names_of(anew)
        assert index.targets.tolist() == anew.targets.tolist()


def test_a_folder_that_changed_just_before_it_was_read_is_read_again(root, cache, read):
    os.utime(root / "a")
    FolderIndex(root, cache=cache)
    read.clear()
    FolderIndex(root, cache=cache)
    assert sorted(read) == ["a", "a", "a-b", "b", "root"]


def test_a_folder_with_a_problem_is_read_again_until_it_is_mended(root, cache, read):
    os.symlink("nowhere", root / "a" / "gone.png")
    date_back(root)
    ListingIndex(root, cache=cache)
    read.clear()
    with pytest.raises(OSError, match="broken link"):
        FolderIndex(root, cache=cache)
    assert "a" in read
    os.unlink(root / "a" / "gone.png")
    date_back(root)
    assert FolderIndex(root, cache=cache).problems == ()


def damage_end(data):
    return data[:-70] + bytes([data[-70] ^ 1]) + data[-69:]


def damage_middle(data):
    middle = len(data) // 2 // 8 * 8
    return data[:middle] + b"\xa5" * 8 + data[middle + 8 :]


def damage_header(data):
    return data[:40] + b"\x00" + data[41:]


DAMAGE = {
    "last bytes": damage_end,
    "middle": damage_middle,
    "header": damage_header,
    "sum": lambda data: data[:24] + b"\x00" * 8 + data[32:],
    "length": lambda data: data[:16] + b"\xff" * 8 + data[24:],
    "cut short": lambda data: data[: len(data) // 3],
    "cut by a block": lambda data: data[:-64],
    "cut in the header": lambda data: data[:20],
    "too long": lambda data: data + bytes(64),
    "empty": lambda data: b"",
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_cache_is_made_anew(root, cache, read, how):
    FolderIndex(root, cache=cache)
    whole = cache.read_bytes()
    damaged = DAMAGE[how](whole)
    assert damaged != whole
    cache.write_bytes(damaged)
    read.clear()
    index = FolderIndex(root, cache=cache)
    assert names_of(index) == ORDER
    assert len(read) == 5
    assert cache.read_bytes() == whole


def test_a_cache_of_another_folder_or_of_other_options_is_made_anew(root, tmp_path, cache):
    grow(tmp_path / "other", "x/1.png", "2.png")
    FolderIndex(root, cache=cache)
    other = FolderIndex(tmp_path / "other", cache=cache)
    assert names_of(other) == ["x/1.png"]
    flat = FolderIndex(tmp_path / "other", cache=cache, labelled=False)
    assert names_of(flat) == ["2.png", "x/1.png"]
    assert names_of(FolderIndex(root, cache=cache)) == ORDER


def test_a_folder_that_was_moved_keeps_its_cache(root, cache, read):
    FolderIndex(root, cache=cache)
    moved = root.rename(root.parent / "moved")
    read.clear()
    index = FolderIndex(moved, cache=cache)
    assert (read, index.path(0)) == ([], str(moved / ORDER[0]))


def test_a_file_that_is_no_cache_is_left_alone(root, cache):
    cache.write_text("a thesis")
    with pytest.raises(ValueError, match="is not a seedsafe index: pass another path, or remove the file"):
        FolderIndex(root, cache=cache)
    assert cache.read_text() == "a thesis"


def test_a_cache_in_the_folder_is_refused(root):
    with pytest.raises(ValueError, match="cache must lie outside root"):
        FolderIndex(root, cache=root / "a" / "index")


def test_a_cache_that_cannot_be_written_is_a_warning(root, tmp_path):
    with pytest.warns(UserWarning, match="the index could not be written to"):
        index = FolderIndex(root, cache=tmp_path / "no" / "such" / "folder")
    assert names_of(index) == ORDER


def test_an_interrupted_write_leaves_the_old_cache_and_no_other_file(root, cache, monkeypatch):
    FolderIndex(root, cache=cache)
    before = cache.read_bytes()
    grow(root, "a/new.png", age=LONG_AGO + 1)
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        FolderIndex(root, cache=cache)
    assert cache.read_bytes() == before
    assert sorted(path.name for path in cache.parent.iterdir()) == ["index", "root"]


def test_an_open_index_keeps_what_it_had_when_the_cache_is_replaced(root, cache):
    old = FolderIndex(root, cache=cache)
    grow(root, "a/new.png", age=LONG_AGO + 1)
    new = FolderIndex(root, cache=cache)
    assert (len(old), len(new)) == (9, 10)
    assert names_of(old) == ORDER


@pytest.fixture
def as_windows(monkeypatch):
    """Files are read whole, as on Windows, and those of a list cannot be replaced, as when they are open there."""
    busy, replace = [], os.replace

    def refuse(old, new):
        if os.fspath(new) in busy:
            raise PermissionError(13, "Access is denied")
        replace(old, new)

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(cache_module, "_MAPS", False)
    return busy


def test_no_file_stays_open_where_a_file_in_use_cannot_be_replaced(root, cache, as_windows):
    index = FolderIndex(root, cache=cache)
    memory = index._tree.files.blob
    while isinstance(memory, np.ndarray):
        memory = memory.base
    assert isinstance(memory, bytes)
    assert names_of(FolderIndex(root, cache=cache)) == names_of(index) == ORDER
    assert names_of(pickle.loads(pickle.dumps(index))) == ORDER


def test_a_cache_that_another_program_has_open_is_a_warning(root, cache, as_windows):
    FolderIndex(root, cache=cache)
    before = cache.read_bytes()
    as_windows.append(str(cache))
    grow(root, "a/new.png", age=LONG_AGO + 1)
    with pytest.warns(UserWarning, match=r"could not be written .* that no other program has open"):
        index = FolderIndex(root, cache=cache)
    assert (len(index), cache.read_bytes()) == (10, before)
    assert names_of(pickle.loads(pickle.dumps(index))) == names_of(index)
    as_windows.clear()
    assert len(FolderIndex(root, cache=cache)) == 10
    assert cache.read_bytes() != before
    assert sorted(path.name for path in cache.parent.iterdir()) == ["index", "root"]


def test_a_cache_that_another_process_has_just_written_is_taken(root, cache, as_windows, monkeypatch):
    FolderIndex(root, cache=cache)
    written = cache.read_bytes()
    cache.unlink()

    def write_first(old, new):
        cache.write_bytes(written)
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(os, "replace", write_first)
    assert names_of(FolderIndex(root, cache=cache)) == ORDER
    assert sorted(path.name for path in cache.parent.iterdir()) == ["index", "root"]


def test_paths_have_the_separators_of_the_system(root, monkeypatch):
    index = FolderIndex(root)
    monkeypatch.setattr(scan_module, "_SEPARATOR", b"\\")
    assert index.relative(ORDER.index("b/a/2.png")) == "b/a/2.png"
    assert index.path(ORDER.index("b/a/2.png")) == f"{os.path.join(root, '')}b\\a\\2.png"


def test_numbers_of_folders_may_have_128_bits(root, cache, read, monkeypatch):
    usual = os.stat

    def wide(path, **options):
        status = list(usual(path, **options))
        status[stat.ST_INO] |= 1 << 100
        return os.stat_result(status, {"st_mtime_ns": status[stat.ST_MTIME] * 10**9})

    monkeypatch.setattr(os, "stat", wide)
    FolderIndex(root, cache=cache)
    read.clear()
    FolderIndex(root, cache=cache)
    assert read == []


# Ids


def test_record_ids_are_those_of_the_relative_paths(root):
    index = FolderIndex(root)
    assert index.record_ids.tolist() == [ss.record_index(name) for name in ORDER]
    assert not index.record_ids.flags.writeable


def test_record_ids_stay_when_the_folder_grows(root):
    before = FolderIndex(root)
    ids = dict(zip(names_of(before), before.record_ids.tolist(), strict=True))
    grow(root, "a/0.png", "0/1.png", "b/a/3.png")
    after = FolderIndex(root)
    grown = dict(zip(names_of(after), after.record_ids.tolist(), strict=True))
    assert ids.items() < grown.items()


def test_two_files_of_one_id_are_an_error(root, monkeypatch):
    monkeypatch.setattr(index_module, "_digest", lambda path: bytes(7) + path[:1])
    with pytest.raises(
        ValueError, match=r"'a-b/1.png' and 'a/Z.jpg' have the same 64-bit record id: rename one"
    ):
        FolderIndex(root).record_ids  # noqa: B018


# Other processes, and memory


def names_there(index):
    return names_of(index), index.targets.tolist()


@pytest.mark.parametrize("cached", [False, True])
def test_an_index_goes_to_a_spawned_process(root, cache, cached):
    index = FolderIndex(root, cache=cache if cached else None)
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(names_there, (index,)) == names_there(index)


def test_a_cached_index_travels_without_its_arrays(tmp_path, cache):
    grow(tmp_path / "root", *(f"a/{number:05}.png" for number in range(2000)))
    index = FolderIndex(tmp_path / "root", cache=cache)
    packed = pickle.dumps(index)
    assert len(packed) < 2000
    assert pickle.loads(packed).path(1999) == index.path(1999)
    cache.write_bytes(damage_end(cache.read_bytes()))
    with pytest.raises(RuntimeError, match="changed or vanished while the index was being sent"):
        pickle.loads(packed)


def test_an_index_is_within_24_bytes_a_file_and_its_name(tmp_path):
    names = [f"n{number % 10:08}/n{number % 10:08}_{number:05}.JPEG" for number in range(5000)]
    grow(tmp_path, *names)
    index = FolderIndex(tmp_path)
    mean = sum(len(name.split("/")[1]) for name in names) / len(names)
    assert index.nbytes / len(index) + index.targets.itemsize <= 24 + mean
    assert index.nbytes >= sum(len(os.fsencode(name)) - 10 for name in names)
    assert sys.getsizeof(index.__dict__) < 2000


# The command


def test_the_command_reports_and_keeps(root, tmp_path, capsys):
    cache = tmp_path / "kept"
    assert main([str(root), "--cache", str(cache)]) == 0
    assert capsys.readouterr().out.startswith("9 files, 3 classes, ")
    assert cache.exists()
    assert main([str(root), "--flat", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["files"], facts["classes"], facts["problems"]) == (9, 0, [])
    for option, words in (("--keep", "pass --cache PATH"), ("--no-progress", "nothing is shown")):
        with pytest.raises(SystemExit):
            main([str(root), option])
        assert words in capsys.readouterr().err


def test_the_command_lists_classes_with_their_counts(root, capsys):
    assert main([str(root)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    index = FolderIndex(root)
    expected = [[name, str((index.targets == label).sum())] for label, name in enumerate(index.classes)]
    assert rows == expected
    assert main([str(root), "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)["class_files"]
    assert {name: str(count) for name, count in counts.items()} == dict(expected)


def test_the_command_lists_problems_and_errors(root, tmp_path, capsys):
    os.symlink(".", root / "a" / "loop")
    assert main([str(root)]) == 1
    assert "1 of kind loop:\n  a/loop: a link to the folder 1 levels above it" in capsys.readouterr().out
    assert main([str(tmp_path / "nothing")]) == 2
    assert capsys.readouterr().err.startswith("seedsafe index: root must be a folder")


def test_the_command_says_that_it_could_not_keep_the_index(root, tmp_path, capsys):
    assert main([str(root), "--cache", str(tmp_path / "nowhere" / "kept")]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("seedsafe index: the index could not be written to")
    assert "cache:" not in said.out


def test_targets_are_an_array_that_cannot_be_changed(root):
    targets = FolderIndex(root).targets
    assert targets.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        targets[0] = 1
