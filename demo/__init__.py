"""The demonstration: real photographs and speech through the real loaders, the usual way and keyed."""
