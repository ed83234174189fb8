import seedsafe as ss


class Gain(ss.Transform):
    def draw(self, rng, info):
        return rng.uniform(0.5, 2.0)

    def apply_audio(self, audio, gain):
        return audio * gain
