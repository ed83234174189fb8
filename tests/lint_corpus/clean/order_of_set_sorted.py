from torch.utils.data import Dataset


class Words(Dataset):
    def __init__(self, rows):
        self.words = sorted(set(row.word for row in rows))
        self.numbers = {label: i for i, label in enumerate(sorted({row.label for row in rows}))}
        self.seen = set(self.words)
        self.rows = rows

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return self.words[index], self.numbers[self.rows[index].label], self.rows[index].word in self.seen
