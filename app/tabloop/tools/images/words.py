"""What a person reads of the tool that makes pictures, in both languages."""

from tabloop.agent.presentation import Presentation
from tabloop.core.phrases import Phrase

__all__ = ["MAKING", "PICTURE"]

MAKING = Phrase("Making the picture", "Das Bild entsteht")
PICTURE = Presentation(
    title=Phrase("picture", "Bild"),
    step=Phrase("picture of “{prompt}”", "Bild: „{prompt}“"),
    working=MAKING,  # its card counts the seconds; the status line is read aloud once
    capability=Phrase("Make pictures", "Bilder erzeugen"),
    card="picture",
)
