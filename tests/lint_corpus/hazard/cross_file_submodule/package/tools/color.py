def distort(image, rng):
    def contrast(rng, image):
        return image * rng.uniform(0.5, 2)  # expect: SSF002

    for step in [contrast]:
        image = step(rng, image)
    return image
