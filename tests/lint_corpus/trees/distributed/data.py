import torch


class Records(torch.utils.data.Dataset):
    def __init__(self, records):
        self.records = records
        self.served = 0

    def __len__(self):
        return len(self.records)

    def __getitem__(self, index):
        self.served += 1  # expect: SSF013
        return self.records[index]


def collate(batch):
    return torch.stack(batch)
