class Signals(Dataset):
    def __init__(self, signals):
        self.signals = signals

    def __getitem__(self, index):
        return self.signals[index] + np.random.rand()  # expect: SSF001
