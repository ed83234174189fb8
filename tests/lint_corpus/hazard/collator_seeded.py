import transformers
from torch.utils.data import DataLoader
from transformers import DataCollatorForLanguageModeling, Trainer, TrainingArguments
from transformers.data.data_collator import DataCollatorForWholeWordMask


def loaders(tokenizer, train, args):
    masked = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15, seed=args.seed)  # expect: SSF002
    words = DataCollatorForWholeWordMask(tokenizer=tokenizer, seed=7)  # expect: SSF002
    yield DataLoader(train, batch_size=8, num_workers=4, collate_fn=masked)
    yield DataLoader(train, batch_size=8, num_workers=4, collate_fn=words)
    yield Trainer(
        args=TrainingArguments("out", dataloader_num_workers=4),
        train_dataset=train,
        data_collator=transformers.DataCollatorForLanguageModeling(tokenizer, seed=7),  # expect: SSF002
    )
