"""Texts for people in every language of the page.

Rule: a text is defined in all languages at once; the view that shows it chooses one.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["LANGUAGES", "Form", "Language", "Phrase", "Text"]

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = ("en", "de")
Form: TypeAlias = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Phrase:
    """The same text in each language. `{name}` is a placeholder that the view fills.

    A pair of texts is for a count: the first is for `n` = 1, the second for all other numbers.
    """

    en: Form
    de: Form

    def __str__(self) -> str:
        """Return the English text, for errors and logs."""
        return self.form("en")

    def form(self, language: Language, n: object = None) -> str:
        """Return the text of one language, with its placeholders; `n` chooses from a pair."""
        chosen = self.de if language == "de" else self.en
        if isinstance(chosen, str):
            return chosen
        return chosen[0] if n == 1 else chosen[1]


Text: TypeAlias = str | Phrase  # a plain text is shown as it is in every language
