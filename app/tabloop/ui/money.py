"""Amounts of USDC for people. Rule: amounts are never rounded and never become floats."""

import re

from tabloop.core.money import to_usdc
from tabloop.ui.strings import Strings

__all__ = ["amount", "usdc"]

_AMOUNT = re.compile(r"[0-9]+\.[0-9]{2,6}")


def amount(strings: Strings, value: int | str) -> str:
    """Return "1,234.50" for 1234500000 millionths or for `"1234.50"`; other text is unchanged."""
    text = to_usdc(value) if isinstance(value, int) else value
    if not _AMOUNT.fullmatch(text):
        return text
    whole, _, fraction = text.partition(".")
    return f"{strings.number(int(whole))}{strings('format.decimal')}{fraction}"


def usdc(strings: Strings, value: int | str) -> str:
    """Return the amount with its unit."""
    return strings("wallet.amount", amount=amount(strings, value))
