"""Words for people in every language of the page.

Rule: whoever writes the words gives them in all languages; whoever shows them chooses one.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["LANGUAGES", "Form", "Language", "Phrase", "Text"]

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = ("en", "de")
Form: TypeAlias = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Phrase:
    """The same words in each language. `{name}` is a blank that is filled when they are shown.

    A pair of texts is for a count: the first where the blank `n` is 1, the second for all others.
    """

    en: Form
    de: Form

    def __str__(self) -> str:
        """Return the English words, for errors and logs."""
        return self.form("en")

    def form(self, language: Language, n: object = None) -> str:
        """Return the words of one language, with their blanks; `n` chooses from a pair."""
        chosen = self.de if language == "de" else self.en
        if isinstance(chosen, str):
            return chosen
        return chosen[0] if n == 1 else chosen[1]


Text: TypeAlias = str | Phrase  # a plain text is shown as it is in every language
