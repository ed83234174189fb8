from torch.utils.data import DataLoader
from torch.utils.data import DistributedSampler as DS


def loader(dataset, world, rank):
    sampler = DS(dataset, num_replicas=world, rank=rank)  # expect: SSF010
    return DataLoader(dataset, sampler=sampler), sampler


def fit(model, dl, epochs):
    for ep in range(epochs):
        for batch in dl:
            model(batch)
