"""The models that an endpoint offers. Rule: a list that cannot be read is no error."""

from dataclasses import dataclass
from decimal import Decimal

from tabloop.core.http import HttpRequest, Transport, TransportError, send
from tabloop.core.json_text import Json, JsonObject, as_list, as_object, as_text, parsed
from tabloop.endpoint.profiles import PROFILES
from tabloop.endpoint.urls import models_url

__all__ = ["OfferedModel", "model_list"]

TIMEOUT = 10.0  # seconds
MAX_MODELS = 1000
MAX_PRICE = 40  # characters
LEAST, MOST = Decimal("1e-9"), Decimal("1e9")  # US dollars; what is beyond is no price
MILLION = 1_000_000
_CONTEXT = tuple(dict.fromkeys(profile.context for profile in PROFILES if profile.context))
_PRICE = tuple(dict.fromkeys(profile.price for profile in PROFILES if profile.price))


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """One model. `context` is in tokens, 0 if the list does not tell.

    `price` is in US dollars for a million tokens of input, blank if the list does not tell.
    """

    name: str
    context: int = 0
    price: str = ""


async def model_list(transport: Transport, completions_url: str, key: str) -> list[OfferedModel]:
    """Read the list beside an endpoint; an empty one if there is none that can be read."""
    url = models_url(completions_url)
    if not url:
        return []
    headers = {"authorization": f"Bearer {key}"} if key else {}
    request = HttpRequest(url, headers=headers, timeout=TIMEOUT, follow_redirects=False)
    try:
        response = await send(transport, request)
    except TransportError:
        return []
    document = parsed(response.body) if response.status == 200 else None
    fields = as_object(document[0] if document else None)
    listed = as_list(fields.get("data")) or as_list(fields.get("models"))
    entries = [as_object(item) for item in listed[:MAX_MODELS]]
    return [_offered(entry, name) for entry in entries if (name := _name(entry))]


def _name(entry: JsonObject) -> str:
    name = as_text(entry.get("id")) or as_text(entry.get("name"))
    return name.removeprefix("models/")  # Gemini's list has names that it takes without it, too


def _offered(entry: JsonObject, name: str) -> OfferedModel:
    found = (_field(entry, path) for path in _CONTEXT)
    context = next((value for value in found if isinstance(value, int) and value > 0), 0)
    prices = (as_text(_field(entry, path)) for path in _PRICE)
    return OfferedModel(name, context, next(map(_per_million, filter(None, prices)), ""))


def _field(entry: JsonObject, path: str) -> Json:
    value: Json = dict(entry)
    for name in path.split("."):
        value = as_object(value).get(name)
    return value


def _per_million(price: str) -> str:
    try:
        dollars = Decimal(price[:MAX_PRICE]) * MILLION
    except ArithmeticError:  # no number, or too large for one
        return ""
    return f"{dollars.normalize():f}" if dollars == 0 or LEAST < dollars < MOST else ""
