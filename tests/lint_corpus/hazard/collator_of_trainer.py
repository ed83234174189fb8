import numpy as np
from transformers import DataCollatorForLanguageModeling, Trainer


class Spans(DataCollatorForLanguageModeling):
    def torch_mask_tokens(self, inputs, special_tokens_mask=None):
        start = np.random.randint(inputs.shape[1])  # expect: SSF001
        labels = inputs.clone()
        inputs[:, start : start + 3] = self.tokenizer.mask_token_id
        return inputs, labels


class Packer:
    def __init__(self, size):
        self.size = size
        self.rng = np.random.default_rng(0)

    def __call__(self, features):
        order = self.rng.permutation(len(features))  # expect: SSF002
        return {"ids": [features[i]["ids"][: self.size] for i in order]}


def train(model, data, tokenizer):
    Trainer(model=model, train_dataset=data, data_collator=Packer(512)).train()
    Trainer(model=model, train_dataset=data, data_collator=Spans(tokenizer)).train()
