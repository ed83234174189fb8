from data import train_loader


def train(model, train_set, epochs, world, rank):
    loader = train_loader(train_set, world, rank)
    for epoch in range(epochs):
        for batch in loader:
            model.step(batch)
