from monai.transforms import RandomizableTransform
from torch.utils.data import DataLoader, get_worker_info


class RandScaled(RandomizableTransform):
    def __call__(self, image):
        return image * self.R.uniform(0.9, 1.1)


def reseed(worker_id):
    info = get_worker_info()
    info.dataset.transform.set_random_state(seed=info.seed % 2**32)


def loader(dataset):
    return DataLoader(dataset, num_workers=4, worker_init_fn=reseed)
