"""Between the picture tool and the service that is chosen when a card opens.

Rule: a confirmed card's request goes to the service whose price stood on that card, whatever is
chosen meanwhile.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tabloop.agent.displays import Picture
from tabloop.core.http import Transport
from tabloop.core.pricing import Price
from tabloop.tools.images.generations import Generations, PictureEndpoint, generations_url
from tabloop.tools.images.prices import ImagePricing
from tabloop.tools.images.service import ImageService
from tabloop.tools.images.tool import PictureService

__all__ = ["ChosenService"]


class ChosenService:
    """A `PriceSource` and a `PictureService` over both kinds of service.

    `chosen` gives the endpoint; `transport` sends without paying, and `paid` makes the parts for an
    address of the kind `images/v1`.
    """

    def __init__(
        self,
        chosen: Callable[[], PictureEndpoint],
        transport: Transport,
        paid: Callable[[str], tuple[ImagePricing, ImageService]],
    ) -> None:
        self._chosen = chosen
        self._transport = transport
        self._paid = paid
        self._service: PictureService | None = None

    async def price(self, arguments: Mapping[str, Any]) -> Price:
        """Return the price of `generate_image` with these arguments. Raises `PriceError`."""
        endpoint = self._chosen()
        if generations_url(endpoint.url):
            self._service = service = Generations(self._transport, endpoint)
            return service.price()
        pricing, self._service = self._paid(endpoint.url)
        return await pricing.price(arguments)

    async def generate(self, prompt: str, size: str) -> Picture:
        """Return the picture that was confirmed. Raises `ToolError`."""
        assert self._service is not None  # the card asked for its price
        return await self._service.generate(prompt, size)
