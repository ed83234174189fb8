import unittest

import numpy as np


class TestImages(unittest.TestCase):
    def test_item(self):
        self.assertEqual(len(np.random.rand(3)), 3)
