import numpy as np
from torch.utils.data import Dataset


class Ops(Dataset):
    def __init__(self, names, images):
        self.names, self.images = names, images

    def __getitem__(self, index):
        image = self.images[index]
        for name in self.names:
            image = getattr(self, name.lower())(image)
        return image

    def op_0(self, image):
        return image + np.random.normal(0, 0)  # expect: SSF001

    def op_1(self, image):
        return image + np.random.normal(0, 1)  # expect: SSF001

    def op_2(self, image):
        return image + np.random.normal(0, 2)  # expect: SSF001

    def op_3(self, image):
        return image + np.random.normal(0, 3)  # expect: SSF001

    def op_4(self, image):
        return image + np.random.normal(0, 4)  # expect: SSF001

    def op_5(self, image):
        return image + np.random.normal(0, 5)  # expect: SSF001

    def op_6(self, image):
        return image + np.random.normal(0, 6)  # expect: SSF001

    def op_7(self, image):
        return image + np.random.normal(0, 7)  # expect: SSF001

    def op_8(self, image):
        return image + np.random.normal(0, 8)  # expect: SSF001

    def op_9(self, image):
        return image + np.random.normal(0, 9)  # expect: SSF001

    def op_10(self, image):
        return image + np.random.normal(0, 10)  # expect: SSF001

    def op_11(self, image):
        return image + np.random.normal(0, 11)  # expect: SSF001

    def op_12(self, image):
        return image + np.random.normal(0, 12)  # expect: SSF001

    def op_13(self, image):
        return image + np.random.normal(0, 13)  # expect: SSF001

    def op_14(self, image):
        return image + np.random.normal(0, 14)  # expect: SSF001

    def op_15(self, image):
        return image + np.random.normal(0, 15)  # expect: SSF001

    def op_16(self, image):
        return image + np.random.normal(0, 16)  # expect: SSF001

    def op_17(self, image):
        return image + np.random.normal(0, 17)  # expect: SSF001

    def op_18(self, image):
        return image + np.random.normal(0, 18)  # expect: SSF001

    def op_19(self, image):
        return image + np.random.normal(0, 19)  # expect: SSF001

    def op_20(self, image):
        return image + np.random.normal(0, 20)  # expect: SSF001

    def op_21(self, image):
        return image + np.random.normal(0, 21)  # expect: SSF001

    def op_22(self, image):
        return image + np.random.normal(0, 22)  # expect: SSF001

    def op_23(self, image):
        return image + np.random.normal(0, 23)  # expect: SSF001

    def op_24(self, image):
        return image + np.random.normal(0, 24)  # expect: SSF001

    def op_25(self, image):
        return image + np.random.normal(0, 25)  # expect: SSF001
