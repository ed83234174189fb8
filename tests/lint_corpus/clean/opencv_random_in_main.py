import cv2
import numpy as np

noise = np.zeros((8, 8), np.int16)
cv2.randn(noise, 0, 5)
