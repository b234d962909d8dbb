"""The HTML of the card that asks a person to confirm a picture.

Rule: it can be confirmed only with a prompt and a price that was read just now.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tabloop.core.networks import network_name
from tabloop.core.pricing import Price, PriceError, UnknownPrice
from tabloop.payments.errors import PaymentError
from tabloop.ui.approval_card import buttons_html
from tabloop.ui.asked_text import AskedText
from tabloop.ui.html import Attributes, Child, Html, fragment, h
from tabloop.ui.money import usdc
from tabloop.ui.payment import payment_sentence
from tabloop.ui.strings import Strings

__all__ = [
    "SIZES",
    "CardState",
    "card_html",
    "confirm_label",
    "price_html",
    "remark",
    "size_label",
]

SIZES: Mapping[str, str] = {"1024x1024": "card.square", "1792x1024": "card.wide"}


@dataclass(frozen=True, slots=True)
class CardState:
    """The state of an open card. `price` is `None` while it is being read."""

    prompt: str
    size: str
    price: Price | PriceError | None = None
    left_out: int = 0  # signs of the model's prompt that cannot be seen

    @classmethod
    def asked(cls, arguments: Mapping[str, Any]) -> "CardState":
        """Return the first one: the model's prompt, all of which can be seen in the field."""
        prompt = AskedText.editable(arguments["prompt"])
        return cls(prompt.shown, arguments["size"], left_out=prompt.left_out)

    @property
    def text(self) -> AskedText:
        """The prompt as a text that a person agrees to."""
        return AskedText(self.prompt, self.left_out)

    @property
    def seen(self) -> str:
        """The prompt without what a field does not show."""
        return self.text.runs

    @property
    def can_confirm(self) -> bool:
        """Whether "Generate" is enabled."""
        return bool(self.seen) and isinstance(self.price, Price)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that the tool would get."""
        return {"prompt": self.seen, "size": self.size}


def card_html(strings: Strings, state: CardState, *, longest: int) -> Html:
    """Return the content of the open card; `longest` is the most characters of a prompt."""
    field: Attributes = {
        "id": "card-prompt",
        "rows": 2,
        "maxlength": longest,
        "autocomplete": "off",
        "dir": "auto",
        "data-part": "prompt",
        "aria-describedby": "card-length",
    }
    length: Attributes = {"id": "card-length", "class": "note", "data-part": "length"}
    again: Attributes = {"class": "link", "data-action": "card-again", "hidden": True}
    return fragment(
        h("h3", {}, strings("card.title")),
        h(
            "div",
            {"class": "ask"},
            h("label", {"for": "card-prompt"}, strings("card.prompt")),
            h("p", length, state.text.length(strings)),
            h("textarea", field, "\n", state.prompt),  # browsers drop the first line break
        ),
        _sizes(strings, state),
        h("p", {"class": "note", "data-part": "remark"}, remark(strings, state)),
        h(  # stays in sight: what is paid, to whom, and the buttons
            "div",
            {"class": "foot"},
            h("dl", {"data-part": "price"}, price_html(strings, state.price)),
            buttons_html(
                strings,
                confirm_label(strings, state.price),
                h("button", {"type": "button", **again}, strings("card.again")),
            ),
        ),
    )


def confirm_label(strings: Strings, price: Price | PriceError | None) -> str:
    """Return the name of the confirm button, which includes the price."""
    if not isinstance(price, Price):
        return strings("card.generate")
    if isinstance(price, UnknownPrice):
        return strings("card.generateUnknown")
    if price.amount == 0:
        return strings("card.generateFree")
    return strings("card.generateFor", price=usdc(strings, price.amount))


def price_html(strings: Strings, price: Price | PriceError | None) -> Html:
    """Return the rows price, network, recipient and service, as the service states them now.

    All rows are there from the start, so that no button moves when the price arrives.
    """
    if price is None:
        return _rows(strings, strings("card.reading"), "…", "…", "…")
    if isinstance(price, PriceError):
        return _rows(strings, h("strong", {"class": "bad"}, _why(strings, price)))
    seller = price.seller or strings("card.unnamed")
    if isinstance(price, UnknownPrice):
        key = "card.unknownWithKey" if price.with_key else "card.unknownWithoutKey"
        unknown = h("strong", {}, strings(key))
        return _rows(strings, unknown, strings("card.noNetwork"), strings("card.byAccount"), seller)
    if price.amount == 0:
        free = h("strong", {}, strings("card.free"))
        return _rows(strings, free, strings("card.noNetwork"), strings("card.nobody"), seller)
    network = network_name(price.network)
    amount = h("strong", {}, usdc(strings, price.amount))
    return _rows(strings, amount, network, h("code", {}, price.pay_to), seller)


def remark(strings: Strings, state: CardState) -> str:
    """Return why "Generate" is disabled, or what comes with the picture."""
    if not state.seen:
        return strings("card.empty")
    if not isinstance(state.price, Price):
        return ""  # nothing is promised before the price is known
    if isinstance(state.price, UnknownPrice):
        return strings("card.promptGoes", host=state.price.seller)
    return strings("card.mint" if state.price.amount else "card.noMint")


def size_label(strings: Strings, state: CardState) -> str:
    """Return the name of the size; a service may have its own wide one."""
    wide = state.price.wide if isinstance(state.price, UnknownPrice) else "1792x1024"
    width, _, height = wide.partition("x")
    return strings(SIZES[state.size], width=width, height=height)


def _sizes(strings: Strings, state: CardState) -> Html:
    choices = (
        _size(size, size_label(strings, replace(state, size=size)), size == state.size)
        for size in SIZES
    )
    group: Attributes = {"class": "sizes", "role": "radiogroup", "aria-labelledby": "card-size"}
    title = h("span", {"id": "card-size"}, strings("card.size"))
    return h("div", {"class": "ask"}, title, h("div", group, *choices))


def _size(size: str, label: str, chosen: bool) -> Html:
    button: Attributes = {
        "type": "radio",
        "name": "card-size",
        "value": size,
        "data-part": "size",
        "checked": chosen,
    }
    shape: Attributes = {"class": "shape", "data-size": size, "aria-hidden": "true"}
    return h(
        "label",
        {},
        h("input", button),
        h("span", shape),
        h("span", {"data-part": f"label-{size}"}, label),
    )


def _rows(strings: Strings, *values: Child) -> Html:
    names = ("price", "network", "recipient", "seller")[: len(values)]
    return fragment(
        *(
            h("div", {}, h("dt", {}, strings(f"card.{name}")), h("dd", {}, value))
            for name, value in zip(names, values, strict=True)
        )
    )


def _why(strings: Strings, error: PriceError) -> str:
    if isinstance(error.cause, PaymentError):
        return payment_sentence(strings, error.cause)
    return strings(f"card.no_{error.code}", host=error.host)
