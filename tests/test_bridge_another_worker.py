"""A bridge's verifying read is another worker's: a sample that depends on the worker is told, and nothing else sees it."""

import multiprocessing.util
import os
import threading
from os import getpid as number_of_process

import numpy as np
import pytest
import torch
from torch.utils.data import get_worker_info

import seedsafe as ss
from seedsafe.bridging.another_worker import AnotherWorker
from seedsafe_torch import AugmentedDataset, loader

OWN = os.getpid()
INFO, PROCESS = r"torch\.utils\.data\.get_worker_info\(\)", r"os\.getpid\(\)"


def of_info(name, get=get_worker_info):
    info = torch.utils.data.get_worker_info() if name == "num_workers" else get_worker_info()
    return 0 if info is None else getattr(info, name)


def late():
    import os as system

    return system.getpid()


def late_function():
    from os import getpid

    return getpid()


WAYS = {
    "id": (lambda: of_info("id"), INFO),
    "seed": (lambda: of_info("seed") % 2**32, INFO),
    "num_workers": (lambda: of_info("num_workers"), INFO),
    "process": (lambda: os.getpid(), PROCESS),
    "process by another name": (lambda: number_of_process(), PROCESS),
    "process by a late import": (late, PROCESS),
    "process by a late import of the function": (late_function, PROCESS),
}


class Noisy:
    def __init__(self, way):
        self.way = way

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.random.default_rng((WAYS[self.way][0](), index)).random(2)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("workers", [0, 2])
def test_a_sample_that_depends_on_the_worker_is_told(way, workers):
    batches = loader(AugmentedDataset(Noisy(way), seed=1, bridge=True), batch_size=4, num_workers=workers)
    with pytest.raises(
        ss.NotReproducible, match=f"in another worker: it depends on {WAYS[way][1]}, so on .*current_key"
    ):
        list(batches)


class Files(Noisy):
    """It holds a thing for each worker, and fails where there is none."""

    def __init__(self, workers):
        self.files = {(worker, max(workers, 1)): worker for worker in range(max(workers, 1))}
        self.process = None

    def __getitem__(self, index):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        assert self.files[worker, workers] == worker
        self.process = os.getpid()  # as what is opened again after a fork
        return np.array([index, np.random.randint(1000)])


@pytest.mark.parametrize("workers", [0, 2])
def test_a_sample_that_does_not_depend_on_it_is_not(workers):
    runs = [
        [batch.tolist() for batch in loader(dataset, batch_size=4, num_workers=workers)]
        for dataset in (
            AugmentedDataset(Files(workers), seed=1, bridge=bridge)
            for bridge in (True, ss.Bridge(verify=False))
        )
    ]
    assert runs[0] == runs[1]


class Shown(Noisy):
    """It notes what its reads see, and shows none of it."""

    def __init__(self):
        self.seen = []

    def __getitem__(self, index):
        self.seen.append((os.getpid(), get_worker_info()))
        return np.random.randint(1000)


def test_other_reads_see_their_own():
    base = Shown()
    dataset = AugmentedDataset(base, seed=1, bridge=True)
    for index in range(40):
        dataset.at(index % 8, epoch=0)
    own = (os.getpid(), None)
    others = [seen for seen in base.seen if seen != own]
    assert len(others) <= 33  # the verifying ones
    assert all(process == own[0] + 1 and info.id == 1 and info.num_workers == 2 for process, info in others)
    assert base.seen[-1] == own
    assert others
    AugmentedDataset(base, seed=1, bridge=ss.Bridge(verify=False)).at(0, epoch=0)
    assert base.seen[-1] == own


def interrupted():
    with AnotherWorker(None):
        assert number_of_process() == os.getpid() != OWN
        assert late() == late_function() == os.getpid()
        assert os.path.exists(__file__)
        assert multiprocessing.util.os.getpid() == OWN  # finalizers ask there
        raise KeyboardInterrupt


def test_names_are_restored_after_an_error():
    before = os.getpid, number_of_process, torch.utils.data.get_worker_info, get_worker_info, __import__
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (
        os.getpid,
        number_of_process,
        torch.utils.data.get_worker_info,
        get_worker_info,
        __import__,
    ) == before


def test_other_threads_see_their_own():
    seen = []
    own = os.getpid()
    with AnotherWorker(None):
        thread = threading.Thread(target=lambda: seen.append((os.getpid(), get_worker_info(), late())))
        thread.start()
        thread.join()
    assert seen == [(own, None, own)]
