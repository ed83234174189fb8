from torch.utils.data import Dataset


class Words(Dataset):
    def __init__(self, rows):
        self.words = list(set(row.word for row in rows))  # expect: SSF018
        self.numbers = {label: i for i, label in enumerate(set(row.label for row in rows))}  # expect: SSF018
        self.rows = rows

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        word = self.words[index]
        return word, self.numbers[self.rows[index].label]
