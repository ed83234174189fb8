from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


class Trainer:
    def __init__(self, model, loaders, steps):
        self.model, self.loaders, self.steps, self.epochs = model, loaders, steps, 0

    def run(self):
        while self.epochs * len(self.loaders["train"]) < self.steps:
            self._train_epoch()

    def _train_epoch(self):
        for batch in self.loaders["train"]:
            self.model.step(batch)
        self.epochs += 1


def main(model, train_set, world, rank):
    sampler = {"train": DistributedSampler(train_set, num_replicas=world, rank=rank)}  # expect: SSF010
    Trainer(model, {"train": DataLoader(train_set, sampler=sampler["train"])}, 1000).run()
