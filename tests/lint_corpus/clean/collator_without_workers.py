from transformers import DataCollatorForLanguageModeling, Trainer, TrainingArguments


def trainer(tokenizer, train):
    arguments = TrainingArguments("out", dataloader_num_workers=0)
    masked = DataCollatorForLanguageModeling(tokenizer, seed=7)
    return Trainer(args=arguments, train_dataset=train, data_collator=masked)
