from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


class Trainer:
    def __init__(self, model, loaders, samplers):
        self.model, self.loaders, self.samplers, self.epochs = model, loaders, samplers, 0

    def _train_epoch(self):
        self.samplers["train"].set_epoch(self.epochs)
        for batch in self.loaders["train"]:
            self.model.step(batch)
        self.epochs += 1


def main(model, train_set):
    sampler = {"train": DistributedSampler(train_set)}
    Trainer(model, {"train": DataLoader(train_set, sampler=sampler["train"])}, sampler)._train_epoch()
