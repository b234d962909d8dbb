"""Texts about the tool for pictures, in both languages."""

from tabloop.agent.presentation import Presentation
from tabloop.core.phrases import Phrase

__all__ = ["MAKING", "PICTURE"]

MAKING = Phrase("Making the picture", "Das Bild entsteht")
PICTURE = Presentation(
    title=Phrase("picture", "Bild"),
    step=Phrase("picture of “{prompt}”", "Bild: „{prompt}“"),
    working=MAKING,  # without seconds: the card counts them, and a screen reader reads this once
    capability=Phrase("Make pictures", "Bilder erzeugen"),
    service=Phrase("Picture service", "Bilddienst"),
    card="picture",
)
