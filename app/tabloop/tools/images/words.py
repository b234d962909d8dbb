"""Texts about the tool for pictures, in both languages."""

from tabloop.agent.presentation import Presentation
from tabloop.core.phrases import Phrase

__all__ = ["BRIEF", "MAKING", "PICTURE"]

BRIEF = (
    "Make one picture, only when asked for one. The page shows it. Example: "
    '{"name": "generate_image", "arguments": {"prompt": "A red fox in the snow"}}'
)

MAKING = Phrase("Making the picture", "Das Bild entsteht")
PICTURE = Presentation(
    title=Phrase("picture", "Bild"),
    step=Phrase("picture of “{prompt}”", "Bild: „{prompt}“"),
    working=MAKING,  # without seconds: the card counts them, and a screen reader reads this once
    capability=Phrase("Make pictures", "Bilder erzeugen"),
    service=Phrase("Picture service", "Bilddienst"),
    card="picture",
)
