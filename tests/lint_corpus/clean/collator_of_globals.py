from torch.utils.data import DataLoader
from transformers import DataCollatorForLanguageModeling


def load(tokenizer, train):
    masked = DataCollatorForLanguageModeling(tokenizer, mlm=True, mlm_probability=0.15, seed=None)
    causal = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    return DataLoader(train, num_workers=4, collate_fn=masked), DataLoader(train, collate_fn=causal)
