"""Amounts of USDC. Rule: whole millionths (`int`) in code, decimal strings outside, no floats."""

import re

__all__ = ["to_micro", "to_usdc"]

DECIMALS = 6
_AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")


def to_micro(amount: str) -> int:
    """Return `"0.07"` as 70000. Raises `ValueError` for text that is no such decimal number."""
    if not _AMOUNT.fullmatch(amount):
        raise ValueError(f"not an amount of USDC: {amount!r}")
    whole, _, fraction = amount.partition(".")
    return int(whole + fraction.ljust(DECIMALS, "0"))


def to_usdc(micro: int) -> str:
    """Return 70000 as `"0.07"`: at least two decimals, more where they are not zero."""
    sign = "-" if micro < 0 else ""
    whole, fraction = divmod(abs(micro), 10**DECIMALS)
    digits = f"{fraction:0{DECIMALS}d}".rstrip("0").ljust(2, "0")
    return f"{sign}{whole}.{digits}"
