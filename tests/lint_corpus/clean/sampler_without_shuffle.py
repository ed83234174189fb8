from torch.utils.data import DataLoader, DistributedSampler


def evaluate(dataset, epochs, step):
    sampler = DistributedSampler(dataset, shuffle=False)
    for epoch in range(epochs):
        for batch in DataLoader(dataset, sampler=sampler):
            step(batch)
