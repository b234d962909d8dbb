"""Amounts of USDC as a person reads them. Rule: whole millionths in, no float on the way."""

import re

from tabloop.ui.strings import Strings

__all__ = ["decimal", "usdc"]

DECIMALS = 6
SHOWN_AT_LEAST = 2  # "0.50", not "0.5"
_AMOUNT = re.compile(r"[0-9]+\.[0-9]{2,6}")


def usdc(strings: Strings, amount: int) -> str:
    """Return "0.07 USDC" for 70000 millionths; nothing is rounded away."""
    whole, fraction = divmod(amount, 10**DECIMALS)
    digits = f"{fraction:0{DECIMALS}}".rstrip("0").ljust(SHOWN_AT_LEAST, "0")
    return f"{strings.number(whole)}{strings('format.decimal')}{digits} USDC"


def decimal(strings: Strings, text: str) -> str:
    """Return an amount like `"0.50"` with the language's own decimal sign; else the text itself."""
    return text.replace(".", strings("format.decimal")) if _AMOUNT.fullmatch(text) else text
