import numpy as np
import torch
from buffer import ReplayBuffer
from env import Maze


class Policy(torch.nn.Module):
    def forward(self, state):
        return state + np.random.randn()


def main():
    env, buffer, policy = Maze(0), ReplayBuffer(100), Policy()
    state = env.reset()
    buffer.items.append(policy(state))
    return buffer.sample(1)
