"""Things that a tool gives to the page beside its result. Rule: the model never reads them."""

from dataclasses import dataclass

__all__ = ["Picture"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was made. `prompt` is the final one, `width` and `height` are in pixels.

    `model` is the service's word for what drew it; `mint_failed`: its NFT could not be made.
    """

    url: str
    prompt: str
    width: int
    height: int
    model: str = ""
    mint_failed: bool = False
