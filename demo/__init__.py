"""The demonstration: usual and keyed loaders.

Real photographs and speech go through the real loaders.
"""
