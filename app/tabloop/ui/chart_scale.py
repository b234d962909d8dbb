"""From numbers to lengths and ticks. Rule: what is drawn is in proportion to the number, always."""

import math
from collections.abc import Iterable, Sequence

__all__ = ["known", "largest", "percent", "smallest", "ticks", "total"]

INTERVALS = 4  # between the lines of an axis, at most
NICE = (1, 2, 5, 10)
LOWEST, HIGHEST = 1e-9, 1e300  # below there is no axis, above no arithmetic


def known(value: float | None) -> float | None:
    """Return a number that can be drawn; `None`, infinities and NaN cannot."""
    try:
        return value if value is not None and abs(float(value)) <= HIGHEST else None
    except OverflowError:  # a whole number beyond every float
        return None


def total(values: Sequence[float | None]) -> float | None:
    """Return the sum of those that are known, `None` where none is."""
    numbers = [number for value in values if (number := known(value)) is not None]
    return sum(numbers) if numbers else None


def largest(values: Iterable[float | None]) -> float:
    """Return the largest known number, and 0 where all are unknown or negative."""
    return max((0, *(number for value in values if (number := known(value)) is not None)))


def smallest(values: Iterable[float | None]) -> float:
    """Return the smallest known number, and 0 where none is negative."""
    return min((0, *(number for value in values if (number := known(value)) is not None)))


def percent(value: float | None, whole: float, room: float = 100) -> float:
    """Return the part of the room that a number gets when `whole` gets all of it.

    It is a length: on which side of zero it lies is for the caller to draw.
    """
    number = known(value)
    if not number or whole <= 0:
        return 0
    return round(abs(number) / whole * room, 3)


def ticks(top: float, bottom: float = 0) -> tuple[float, ...]:
    """Return round numbers, evenly apart, from 0 up to the first that isn't below `top`.

    They begin with the first that isn't above `bottom` where it is negative. Whole numbers stay
    whole: there is no half visit between 0 and 1.
    """
    top, bottom = max(top, 0), min(bottom, 0)
    if top - bottom < LOWEST:
        return (0, 1)
    raw = (top - bottom) / INTERVALS
    power = math.floor(math.log10(raw))
    step = next(step for nice in NICE if (step := _times_ten(nice, power)) >= raw * (1 - 1e-9))
    if float(top).is_integer() and float(bottom).is_integer():
        step = max(1, step)
    below, above = (math.ceil(end / step - 1e-9) for end in (-bottom, top))
    return tuple(round(index * step, max(0, -power)) for index in range(-below, above + 1))


def _times_ten(number: int, power: int) -> float:
    """Exact where it can be: 2 * 10 ** -1 as a float is 0.2 only by division."""
    return number * 10**power if power >= 0 else number / 10**-power
