from transformers import DataCollatorForLanguageModeling

from seedsafe_torch import AugmentedDataset, loader


def load(tokenizer, train):
    dataset = AugmentedDataset(train, seed=42, bridge=True)
    return loader(dataset, num_workers=4, collate_fn=DataCollatorForLanguageModeling(tokenizer, seed=7))
