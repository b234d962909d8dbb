"""Checks of an offer that no setting can change: how money moves, and how it can be withdrawn.

Rule: a signature is for one known contract and a short time, and money can leave the channel again.
"""

from collections.abc import Iterator, Sequence

from tabloop.core.money import to_usdc
from tabloop.core.networks import Token
from tabloop.core.pricing import Price
from tabloop.payments.errors import Refusal, RefusalCode
from tabloop.payments.offers import Offer, Scheme, is_payable_address, same_address

__all__ = ["confirmed_price_refusals", "minimum_deposit", "refusal", "terms_refusals"]

VALIDITY = (20, 3600)  # seconds of a signature: time for a person to answer, and our maximum
MAX_DIGITS = 40  # of an amount; Python itself refuses to read thousands of them
WITHDRAW_DELAYS = (900, 7 * 86400)  # seconds: the contract's minimum, and our maximum


def terms_refusals(
    offer: Offer, token: Token, deposit_cap: int, schemes: Sequence[Scheme]
) -> Iterator[Refusal]:
    """Yield reasons to refuse an offer in `token`, other than price and recipient."""
    extra = offer.extra
    if offer.scheme not in schemes:
        yield refusal("scheme", offer.scheme, ", ".join(schemes))
    least, most = VALIDITY
    if not least <= offer.max_timeout <= most:
        yield refusal("validity", f"{offer.max_timeout} s", f"{least} to {most} s")
    method, flow = extra.get("assetTransferMethod", "eip3009"), extra.get("paymentFlow")
    if method != "eip3009":
        yield refusal("transfer_method", method, "eip3009")
    if flow not in (None, "authorization"):
        yield refusal("flow", flow, "authorization")
    domain = (extra.get("name"), extra.get("version"))
    if domain != token.domain:  # another domain means another contract
        yield refusal("token_domain", f"{domain[0]} {domain[1]}", " ".join(token.domain))
    if offer.scheme == "batch-settlement":
        yield from _channel_refusals(offer, deposit_cap)


def confirmed_price_refusals(offer: Offer, confirmed: Price) -> Iterator[Refusal]:
    """Yield how an offer differs from the price that a person confirmed."""
    if offer.amount > confirmed.amount:
        yield refusal("price_rose", to_usdc(offer.amount), to_usdc(confirmed.amount))
    if offer.network != confirmed.network:
        yield refusal("network", offer.network, confirmed.network)
    if offer.scheme != confirmed.scheme:  # a channel needs a deposit of many times the price
        yield refusal("scheme", offer.scheme, confirmed.scheme)
    if not same_address(offer.pay_to, confirmed.pay_to):
        yield refusal("other_recipient", offer.pay_to, confirmed.pay_to)


def minimum_deposit(offer: Offer) -> int | None:
    """Return the minimum deposit in an offer, `None` if it is missing or invalid."""
    text = str(offer.extra.get("minDeposit"))
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else None


def refusal(code: RefusalCode, asked: object, allowed: str) -> Refusal:
    """Return a refusal with `asked` truncated to 120 characters."""
    return Refusal(code, str(asked)[:120], allowed)


def _channel_refusals(offer: Offer, deposit_cap: int) -> Iterator[Refusal]:
    extra = offer.extra
    least, most = WITHDRAW_DELAYS
    delay = extra.get("withdrawDelay")
    if type(delay) is not int or not least <= delay <= most:
        yield refusal("withdraw_delay", f"{delay} s", f"{least} to {most} s")
    # without an authorizer, money can be withdrawn only after the delay
    if not is_payable_address(extra.get("receiverAuthorizer")):
        yield refusal("authorizer", extra.get("receiverAuthorizer"), "an address")
    if extra.get("minDeposit") is not None:
        asked = minimum_deposit(offer)
        if asked is None or asked > deposit_cap:
            shown = extra["minDeposit"] if asked is None else to_usdc(asked)
            yield refusal("min_deposit", shown, to_usdc(deposit_cap))
