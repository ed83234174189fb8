from torch.utils.data import DataLoader


class DataCollatorForLanguageModeling:
    def __init__(self, tokenizer, seed):
        self.tokenizer, self.seed = tokenizer, seed

    def __call__(self, batch):
        return self.tokenizer.pad(batch)


def load(tokenizer, train):
    return DataLoader(train, num_workers=4, collate_fn=DataCollatorForLanguageModeling(tokenizer, seed=7))
