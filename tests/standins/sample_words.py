"""Seeded random texts from a vocabulary. Rule: a seed gives the same text on every Python."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

__all__ = ["DEMO_SLUG", "MARK", "Dice", "Record", "words"]

Record = dict[str, Any]  # a JSON object

DEMO_SLUG = "21-92-2026-09-09"  # the session that the README asks about
MARK = "Beispieldaten: "

# numbers by their unit: lowest, highest, step
NUMBERS = {
    "Milliarden Euro": (2, 90, 1),
    "Millionen Euro": (110, 900, 10),
    "Euro": (200, 1900, 10),
    "Cent": (3, 60, 1),
    "Menschen": (2000, 9900, 100),
}
MANY = (13_000, 600_000, 1000)

T = TypeVar("T")


def words() -> Record:
    """Return the vocabulary of `sample_words.toml`."""
    return _read()


@cache
def _read() -> Record:
    return tomllib.loads(Path(__file__).with_name("sample_words.toml").read_text("utf-8"))


class Dice:
    """Seeded random choices, by `Random.random` only: its sequence is the same on every Python."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def number(self, low: int, high: int, step: int = 1) -> int:
        """Return one of low, low + step, ... up to high."""
        return low + step * int(self._random.random() * ((high - low) // step + 1))

    def one(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.number(0, len(items) - 1)]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` different items in random order."""
        left = list(items)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(count, len(left)))]

    def fill(self, text: str, thema: Mapping[str, Any], **more: str) -> str:
        """Return the text with numbers, years and the subject in its placeholders."""
        low, high, step = NUMBERS.get(thema["einheit"], MANY)
        return text.format(
            n=f"{self.number(low, high, step):,}".replace(",", "."),
            m=self.number(3, 48),
            j=self.number(2016, 2025),
            z=self.number(2027, 2035),
            thema=thema["kern"],
            einheit=thema["einheit"],
            **more,
        )
