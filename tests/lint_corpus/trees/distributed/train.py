import torch
from common.seed import good_init, set_seed, worker_init
from data import Records, collate
from torch.utils.data import DataLoader, DistributedSampler


def main(records, epochs):
    set_seed(1)
    dataset = Records(records)
    sampler = DistributedSampler(dataset)  # expect: SSF010
    loader = DataLoader(dataset, sampler=sampler, worker_init_fn=worker_init, collate_fn=collate, num_workers=2)
    checked = DataLoader(dataset, worker_init_fn=good_init, num_workers=2)
    for epoch in range(epochs):
        for batch in loader:
            print(epoch, batch)
    return checked
