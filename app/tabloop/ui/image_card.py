"""The card that waits for a person before a picture is made, as HTML.

Rule: it can be confirmed only while there are a prompt and a live price. Once it is confirmed
nothing on it can be pressed, and it says no more than is known: a payment is on its way before it
is taken.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from tabloop.core.networks import network_name
from tabloop.core.pricing import Price, PriceError
from tabloop.payments.errors import PaymentError
from tabloop.ui.approval_card import buttons_html
from tabloop.ui.money import usdc
from tabloop.ui.payment import payment_sentence
from tabloop.ui.strings import Strings

__all__ = [
    "SIZES",
    "CardState",
    "Progress",
    "Stage",
    "card_html",
    "confirm_label",
    "price_html",
    "progress_html",
    "remark",
    "stages_html",
]

SIZES: Mapping[str, str] = {"1024x1024": "card.square", "1792x1024": "card.wide"}

Stage = Literal["signing", "generating"]


@dataclass(frozen=True, slots=True)
class CardState:
    """The card at a moment. `price` is `None` while it is being read."""

    prompt: str
    size: str
    price: Price | PriceError | None = None

    @property
    def can_confirm(self) -> bool:
        """Whether a press on "Generate" means anything."""
        return bool(self.prompt.strip()) and isinstance(self.price, Price)

    @property
    def arguments(self) -> dict[str, Any]:
        """What would run."""
        return {"prompt": self.prompt.strip(), "size": self.size}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a confirmed picture is. `cost` in millionths, 0 for one that nobody pays.

    `again`: an answer was lost and is asked for with the same payment.
    """

    stage: Stage
    cost: int = 0
    seconds: int = 0
    again: bool = False


def card_html(strings: Strings, state: CardState, *, longest: int) -> str:
    """Return the inside of the open card; `longest` is how many characters a prompt may have."""
    prompt = escape(strings("card.prompt"))
    again = (
        '<button type="button" class="link" data-card="again" hidden>'
        f"{escape(strings('card.again'))}</button>"
    )
    return (
        f"<h3>{escape(strings('card.title'))}</h3>"
        f'<div class="ask"><label for="card-prompt">{prompt}</label>'
        f'<textarea id="card-prompt" rows="2" maxlength="{longest}" autocomplete="off"'
        f' data-card="prompt">\n{escape(state.prompt)}</textarea></div>'
        f"{_sizes(strings, state)}"
        f'<dl data-card="price">{price_html(strings, state.price)}</dl>'
        f'<p class="note" data-card="remark">{escape(remark(strings, state))}</p>'
        f"{buttons_html(strings, confirm_label(strings, state.price), again)}"
    )


def confirm_label(strings: Strings, price: Price | PriceError | None) -> str:
    """Return the button's name, which says what a press costs."""
    if not isinstance(price, Price):
        return strings("card.generate")
    if price.amount == 0:
        return strings("card.generateFree")
    return strings("card.generateFor", price=usdc(strings, price.amount))


def price_html(strings: Strings, price: Price | PriceError | None) -> str:
    """Return the rows: price, network, recipient, service, as the service states them now.

    They stand there from the start, so that nothing moves under a finger when the price comes.
    """
    if price is None:
        return _rows(strings, escape(strings("card.reading")), "…", "…", "…")
    if isinstance(price, PriceError):
        return _rows(strings, f'<strong class="bad">{escape(_why(strings, price))}</strong>')
    seller = escape(price.seller or strings("card.unnamed"))
    if price.amount == 0:
        network, nobody = escape(strings("card.noNetwork")), escape(strings("card.nobody"))
        return _rows(strings, _strong(strings("card.free")), network, nobody, seller)
    network = escape(network_name(price.network))
    recipient = f"<code>{escape(price.pay_to)}</code>"
    return _rows(strings, _strong(usdc(strings, price.amount)), network, recipient, seller)


def remark(strings: Strings, state: CardState) -> str:
    """Return why "Generate" is off, else what comes with the picture."""
    if not state.prompt.strip():
        return strings("card.empty")
    if isinstance(state.price, Price) and state.price.amount == 0:
        return strings("card.noMint")
    return strings("card.mint")


def progress_html(strings: Strings, state: CardState, progress: Progress) -> str:
    """Return the inside of the card once it is confirmed."""
    size = escape(strings(SIZES[state.size]))
    return (
        f"<h3>{escape(strings('card.making'))}</h3>"
        f'<p class="said">{escape(state.prompt.strip())}</p>'
        f'<ol class="stages" data-card="stages">{stages_html(strings, progress)}</ol>'
        f'<p class="note">{size} · {escape(strings("card.patience"))}</p>'
    )


def stages_html(strings: Strings, progress: Progress) -> str:
    """Return the stages in order: done, on (and for how long), still to come."""
    signing, sent = progress.stage == "signing", usdc(strings, progress.cost)
    making = strings("card.again_asked" if progress.again else "card.generating")
    if progress.seconds and not signing:
        making = strings("card.elapsed", stage=making, n=progress.seconds)
    if not progress.cost:
        return _stage("generating", "now", making)
    if signing:
        return (
            _stage("signing", "now", strings("card.signing"))
            + _stage("paid", "next", strings("card.toPay", amount=sent))
            + _stage("generating", "next", strings("card.toGenerate"))
        )
    return (
        _stage("signing", "done", strings("card.signed"))
        + _stage("paid", "done", strings("card.sent", amount=sent))
        + _stage("generating", "now", making)
    )


def _stage(name: str, state: Literal["done", "now", "next"], text: str) -> str:
    mark = '<span class="turning"></span>' if state == "now" else "✓" if state == "done" else ""
    current = ' aria-current="step"' if state == "now" else ""
    return (
        f'<li data-stage="{name}" data-state="{state}"{current}>'
        f'<span class="mark" aria-hidden="true">{mark}</span><span>{escape(text)}</span></li>'
    )


def _sizes(strings: Strings, state: CardState) -> str:
    choices = "".join(
        f'<label><input type="radio" name="card-size" value="{size}" data-card="size"'
        f"{' checked' if size == state.size else ''}>"
        f'<span class="shape" data-size="{size}" aria-hidden="true"></span>'
        f"<span>{escape(strings(label))}</span></label>"
        for size, label in SIZES.items()
    )
    title = escape(strings("card.size"))
    return (
        f'<div class="ask"><span id="card-size">{title}</span>'
        f'<div class="sizes" role="radiogroup" aria-labelledby="card-size">{choices}</div></div>'
    )


def _rows(strings: Strings, *values: str) -> str:
    names = ("price", "network", "recipient", "seller")[: len(values)]
    return "".join(
        f"<div><dt>{escape(strings(f'card.{name}'))}</dt><dd>{value}</dd></div>"
        for name, value in zip(names, values, strict=True)
    )


def _strong(text: str) -> str:
    return f"<strong>{escape(text)}</strong>"


def _why(strings: Strings, error: PriceError) -> str:
    if isinstance(error.why, PaymentError):
        return payment_sentence(strings, error.why)
    return strings(f"card.no_{error.code}", host=error.host)
