class Registry:
    def __init__(self):
        self.classes = {}

    def register_module(self):
        def register(cls):
            self.classes[cls.__name__] = cls
            return cls

        return register

    def build(self, config):
        config = dict(config)
        return self.classes[config.pop("type")](**config)


PIPELINES = Registry()
