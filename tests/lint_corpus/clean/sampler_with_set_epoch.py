from torch.utils.data import DataLoader, DistributedSampler


def train(dataset, epochs, step):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, sampler=sampler)
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for batch in loader:
            step(batch)
