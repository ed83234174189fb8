from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train_loader(train_set, world, rank):
    sampler = DistributedSampler(train_set, num_replicas=world, rank=rank)  # expect: SSF010
    return DataLoader(train_set, sampler=sampler)
