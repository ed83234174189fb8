class Crop:
    def __call__(self, image, top, left):
        return image[top:, left:]
