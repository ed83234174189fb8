"""The messages about wrong draws and seeds."""

import re
from typing import NamedTuple

from seedsafe_lint.findings import Severity
from seedsafe_lint.tables import TABLES

__all__ = ["MESSAGES", "Message"]


class Message(NamedTuple):
    """What a finding says: its rule, its severity, a text with names to fill in, and how `seedsafe_lint.paste` makes its line."""

    code: str
    severity: Severity
    text: str
    cure: str


def _filled(text: str) -> str:
    for _ in range(2):  # a phrase may name another one
        text = re.sub(r"<(\w+)>", lambda match: TABLES["phrases"].get(match[1], match[0]), text)
    return text


MESSAGES = {key: Message(row[0], row[1], _filled(row[2]), row[3]) for key, row in TABLES["messages"].items()}
