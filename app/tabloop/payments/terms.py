"""The terms of an offer that no setting can loosen: how the money moves, and how it comes back.

Rule: a signature is given for one known contract, for a short time, with a way out of the channel.
"""

from collections.abc import Iterator, Sequence

from tabloop.core.money import to_usdc
from tabloop.core.networks import Token
from tabloop.core.pricing import Price
from tabloop.payments.errors import Refusal, RefusalCode
from tabloop.payments.offers import Offer, Scheme, is_payable_address, same_address

__all__ = ["confirmed_price_refusals", "minimum_deposit", "refusal", "terms_refusals"]

MAX_VALIDITY = 3600  # seconds in which a signature may still be used
WITHDRAW_DELAYS = (900, 7 * 86400)  # the contract's least, and the longest that one may be asked


def terms_refusals(
    offer: Offer, token: Token, deposit_cap: int, schemes: Sequence[Scheme]
) -> Iterator[Refusal]:
    """Yield what speaks against an offer in `token`, apart from price and recipient."""
    extra = offer.extra
    if offer.scheme not in schemes:
        yield refusal("scheme", offer.scheme, ", ".join(schemes))
    if not 1 <= offer.max_timeout <= MAX_VALIDITY:
        yield refusal("validity", f"{offer.max_timeout} s", f"{MAX_VALIDITY} s")
    method, flow = extra.get("assetTransferMethod", "eip3009"), extra.get("paymentFlow")
    if method != "eip3009":
        yield refusal("transfer_method", method, "eip3009")
    if flow not in (None, "authorization"):
        yield refusal("flow", flow, "authorization")
    domain = (extra.get("name"), extra.get("version"))
    if domain != token.domain:  # a signature in another domain is for another contract
        yield refusal("token_domain", f"{domain[0]} {domain[1]}", " ".join(token.domain))
    if offer.scheme == "batch-settlement":
        yield from _channel_refusals(offer, deposit_cap)


def confirmed_price_refusals(offer: Offer, confirmed: Price) -> Iterator[Refusal]:
    """Yield what a person, who has agreed to one price, has not agreed to."""
    if offer.amount > confirmed.amount:
        yield refusal("price_rose", to_usdc(offer.amount), to_usdc(confirmed.amount))
    if offer.network != confirmed.network:
        yield refusal("network", offer.network, confirmed.network)
    if offer.scheme != confirmed.scheme:  # a channel takes a deposit of many times the price
        yield refusal("scheme", offer.scheme, confirmed.scheme)
    if not same_address(offer.pay_to, confirmed.pay_to):
        yield refusal("other_recipient", offer.pay_to, confirmed.pay_to)


def minimum_deposit(offer: Offer) -> int | None:
    """Return the least deposit that an offer names, or nothing where it names none that is one."""
    value = offer.extra.get("minDeposit")
    text = str(value) if type(value) is int else value
    return int(text) if isinstance(text, str) and text.isascii() and text.isdigit() else None


def refusal(code: RefusalCode, asked: object, allowed: str) -> Refusal:
    """Return a refusal whose texts are short enough to show."""
    return Refusal(code, str(asked)[:120], allowed)


def _channel_refusals(offer: Offer, deposit_cap: int) -> Iterator[Refusal]:
    extra = offer.extra
    least, most = WITHDRAW_DELAYS
    delay = extra.get("withdrawDelay")
    if type(delay) is not int or not least <= delay <= most:
        yield refusal("withdraw_delay", f"{delay} s", f"{least} to {most} s")
    # only the authorizer can end a channel at once: without one, money leaves it slowly
    if not is_payable_address(extra.get("receiverAuthorizer")):
        yield refusal("authorizer", extra.get("receiverAuthorizer"), "an address")
    if extra.get("minDeposit") is not None:
        asked = minimum_deposit(offer)
        if asked is None or asked > deposit_cap:
            shown = extra["minDeposit"] if asked is None else to_usdc(asked)
            yield refusal("min_deposit", shown, to_usdc(deposit_cap))
