import imgaug.augmenters as iaa

flip = iaa.Fliplr(0.5)


def preview(image):
    return flip(image=image)
