import numpy as np
import torch


def main():
    np.random.seed(1)
    x = np.random.rand(100, 3)
    dataset = torch.utils.data.TensorDataset(torch.tensor(x))
    for batch in torch.utils.data.DataLoader(dataset, num_workers=2):
        print(batch)


if __name__ == "__main__":
    main()
