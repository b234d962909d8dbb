"""The page's words in one language.

Rule: the page's own sentences stand in app/locales, a tool's travel with the tool; a missing one is
an error.
"""

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import TypeAlias

from tabloop.core.data import data_text
from tabloop.core.phrases import LANGUAGES, Language, Phrase, Text

__all__ = ["LANGUAGES", "Language", "Strings", "load_strings"]

Entry: TypeAlias = str | Mapping[str, str]

ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


class Strings:
    """Looks sentences up by `section.key` and fills in values."""

    def __init__(self, language: Language, table: Mapping[str, Mapping[str, Entry]]) -> None:
        self.language: Language = language
        self._table = table

    def __call__(self, key: str, /, **values: str | int) -> str:
        """Return the sentence; numbers are written as the language writes them.

        An entry with the forms "one" and "other" is chosen by the value `n`.
        Raises `KeyError` for a key or a value that is missing.
        """
        section, _, name = key.partition(".")
        entry = self._table[section][name]
        if not isinstance(entry, str):
            entry = entry["one" if values["n"] == 1 else "other"]
        return self.fill(entry, values)

    def text(self, text: Text) -> str:
        """Return words that travel with their owner, such as a tool's title; blanks stay."""
        return text.form(self.language) if isinstance(text, Phrase) else text

    def fill(self, text: Text, values: Mapping[str, str | int]) -> str:
        """Return such words with their blanks filled; numbers as the language writes them.

        Raises `KeyError` for a value that is missing.
        """
        if isinstance(text, Phrase):
            text = text.form(self.language, values.get("n"))
        written = {
            name: self.number(value) if isinstance(value, int) else value
            for name, value in values.items()
        }
        return text.format_map(written)

    def number(self, value: int) -> str:
        """Return a whole number with its thousands apart."""
        return f"{value:,}".replace(",", self("format.group"))

    def date(self, iso: str) -> str:
        """Return an ISO date in words; anything else as it is. No time zone is involved."""
        if not (parts := ISO_DATE.fullmatch(iso)):
            return iso
        try:
            day = date.fromisoformat(iso)
        except ValueError:  # no day of the calendar
            return iso
        month = self("format.months").split(",")[day.month - 1]
        return self("format.date", day=str(day.day), month=month, year=parts[1])


def load_strings(language: str) -> Strings:
    """Read a language's file; English for one that we do not have."""
    known: Language = "de" if language == "de" else "en"
    return Strings(known, json.loads(data_text(f"locales/{known}.json")))
