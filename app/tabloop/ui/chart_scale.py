"""Lengths and axis ticks of charts. Rule: a length is always proportional to its number."""

import math
from collections.abc import Iterable, Sequence

__all__ = ["known", "largest", "percent", "smallest", "ticks", "total"]

INTERVALS = 4  # target for the number of intervals of an axis
ROUND_STEPS = (1, 2, 5, 10)
SMALLEST_RANGE = 1e-9  # a smaller range gets no axis of its own
HIGHEST = 1e300  # larger numbers would overflow in the arithmetic


def known(value: float | None) -> float | None:
    """Return the number if it can be drawn, else `None` (infinity, NaN, too large)."""
    try:
        return value if value is not None and abs(float(value)) <= HIGHEST else None
    except OverflowError:  # an integer that no float can hold
        return None


def total(values: Sequence[float | None]) -> float | None:
    """Return the sum of the known numbers, `None` if there is none."""
    numbers = [number for value in values if (number := known(value)) is not None]
    return sum(numbers) if numbers else None


def largest(values: Iterable[float | None]) -> float:
    """Return the largest known number, or 0 if all are unknown or negative."""
    return max((0, *(number for value in values if (number := known(value)) is not None)))


def smallest(values: Iterable[float | None]) -> float:
    """Return the smallest known number, or 0 if none is negative."""
    return min((0, *(number for value in values if (number := known(value)) is not None)))


def percent(value: float | None, whole: float, room: float = 100) -> float:
    """Return the length of a number, never negative, where `whole` has the length `room`."""
    number = known(value)
    if not number or whole <= 0:
        return 0
    return round(abs(number) / whole * room, 3)


def ticks(top: float, bottom: float = 0) -> tuple[float, ...]:
    """Return round numbers at even distances that include 0 and cover `bottom` to `top`.

    If both ends are whole numbers, all ticks are, because counts have no halves.
    """
    top, bottom = max(top, 0), min(bottom, 0)
    if top - bottom < SMALLEST_RANGE:
        return (0, 1)
    raw = (top - bottom) / INTERVALS
    power = math.floor(math.log10(raw))
    steps = (_times_ten(factor, power) for factor in ROUND_STEPS)
    step = next(step for step in steps if step >= raw * (1 - 1e-9))
    if float(top).is_integer() and float(bottom).is_integer():
        step = max(1, step)
    below, above = (math.ceil(end / step - 1e-9) for end in (-bottom, top))
    return tuple(round(index * step, max(0, -power)) for index in range(-below, above + 1))


def _times_ten(number: int, power: int) -> float:
    """Return `number` * 10 ** `power`; division is exact where a product is not (2 / 10 = 0.2)."""
    return number * 10**power if power >= 0 else number / 10**-power
