from helpers import split

order = split(100)
