"""Errors of payments, for the person: a code and facts; the page has the text.

Rule: `maybe_charged` is never less than what the signatures that were sent allow to charge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tabloop.core.errors import AgentError
from tabloop.core.money import to_usdc

if TYPE_CHECKING:
    from tabloop.payments.pins import ChangedTerms

__all__ = [
    "OfferRefused",
    "PaymentError",
    "PaymentErrorCode",
    "Refusal",
    "RefusalCode",
    "wallet_error",
]

RefusalCode = Literal[
    "unreadable",  # not an object, or a field of the wrong kind
    "scheme",
    "network",
    "asset",
    "other_token",  # a known one that is not paid with
    "amount",  # above the cap
    "recipient",  # not the pinned one
    "authorizer",  # not the pinned one
    "other_network",  # not the one of the pinned channel, and not chosen by the person
    "other_delay",  # not the pinned one
    "validity",
    "transfer_method",
    "token_domain",
    "min_deposit",
    "withdraw_delay",
    "flow",
    "too_large",  # `asked` is the field that is sent back with the payment
    "price_rose",  # above the confirmed price
    "other_recipient",  # not the recipient of the confirmed price
]

PaymentErrorCode = Literal[
    # before anything is signed
    "unreadable_challenge",
    "bad_address",  # a typing error: its letters are no valid checksum
    "clock_slow",  # the clock of this device, by `facts["minutes_off"]`
    "clock_fast",
    "wrong_version",
    "offer_refused",
    "session_limit",
    "question_limit",  # of what was announced for one question
    "deposit_limit",
    "insufficient_balance",
    # the wallet
    "no_wallet",
    "not_connected",
    "declined",
    "wallet_locked",  # or a request is open already: -32002
    "locked",  # it shows the account to this page no longer
    "wrong_network",
    "account_changed",
    "wallet_failed",
    "rpc_failed",  # the wallet's connection to the chain
    "bad_signature",  # empty, or of another account: it is never sent
    "contract_wallet",  # its signatures have another form
    # a channel's way out
    "refund_failed",
    "refund_not_offered",  # on the channel's network
    "refund_unclear",  # no receipt
    "nothing_left",
    "already_announced",
    "not_announced",
    "too_early",
    "no_gas",  # no ether for the network's fee
    "would_fail",  # the contract refuses the transaction, so it is not sent
    "withdraw_failed",  # it was sent, and its receipt says that it failed
    "unknown_channel",
    "bad_file",
    # this page: the wallet was never asked
    "no_locks",  # over all tabs
    "framed",  # by a page of another origin
    "file_missing",
    # the payment was sent
    "channel_busy",
    "channel_out_of_step",
    "channel_unproven",  # it counts differently, and shows no proof
    "signature_expired",
    "rejected",
    "asked_again",  # a 402 that does not say why the payment was refused
    "answer_lost",
    "redirected",  # to `facts["where"]`, blank if unknown; the payment did not follow
    "server_error",
]

_RETRYABLE: frozenset[PaymentErrorCode] = frozenset(
    {
        *("insufficient_balance", "no_wallet", "not_connected", "declined", "wallet_locked"),
        *("wrong_network", "account_changed", "wallet_failed", "channel_busy"),
        *("channel_out_of_step", "signature_expired", "answer_lost", "question_limit"),
        *("server_error", "file_missing", "locked", "rpc_failed", "bad_signature"),
        *("contract_wallet", "clock_slow", "clock_fast", "channel_unproven"),
    }
)
_WALLET_CODES: Mapping[str, PaymentErrorCode] = {
    "4001": "declined",
    "ACTION_REJECTED": "declined",
    "-32002": "wallet_locked",
    "4100": "locked",
    "4900": "wallet_failed",
    "4901": "wrong_network",
    "4902": "wrong_network",
}
# what the signing module finds out itself; its names are the codes
_OWN_CODES: frozenset[PaymentErrorCode] = frozenset(
    {
        *("no_wallet", "not_connected", "locked", "wrong_network", "account_changed", "framed"),
        *("signature_expired", "bad_signature", "contract_wallet", "rpc_failed", "bad_address"),
        *("nothing_left", "already_announced", "not_announced", "too_early", "no_gas"),
        *("would_fail", "unknown_channel", "bad_file", "no_locks"),
    }
)


class PaymentError(AgentError):
    """A payment failed, or its response did not arrive.

    Amounts in `facts` are decimal strings of USDC. `maybe_charged` is the most that this attempt
    may have cost, in millionths; 0 if nothing was sent. `retryable`: the button "Try again" helps.
    """

    def __init__(
        self,
        code: PaymentErrorCode,
        *,
        host: str = "",
        facts: Mapping[str, str] | None = None,
        maybe_charged: int = 0,
        detail: str = "",
    ) -> None:
        super().__init__(code, host=host, detail=" ".join(detail.split()), facts=facts)
        self.maybe_charged = 0
        self.retryable = code in _RETRYABLE
        self.may_have_cost(maybe_charged)

    def may_have_cost(self, amount: int) -> None:
        """Set `maybe_charged`, in millionths of USDC."""
        self.maybe_charged = amount
        if amount:
            self.facts = {**self.facts, "maybe_charged": to_usdc(amount)}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an offer is refused: what it asks, and what is allowed (both as shown to a person)."""

    code: RefusalCode
    asked: str = ""
    allowed: str = ""


class OfferRefused(PaymentError):
    """All offers of a 402 are refused; `refusals` has the first reason for each.

    `changed` are the terms that a person may accept instead of the pinned ones, if any.
    """

    def __init__(
        self,
        refusals: Sequence[Refusal],
        *,
        host: str = "",
        changed: "ChangedTerms | None" = None,
    ) -> None:
        first = refusals[0] if refusals else Refusal("unreadable")
        facts = {"reason": first.code, "asked": first.asked, "allowed": first.allowed}
        super().__init__("offer_refused", host=host, facts=facts, detail=first.code)
        self.refusals = tuple(refusals)
        self.changed = changed


def wallet_error(
    code: str, message: str, *, facts: Mapping[str, str] | None = None
) -> PaymentError:
    """Return the error for an exception of a wallet or of the signing module.

    `code` is a number of EIP-1193 as text, or one of the signing module's names.
    """
    own: PaymentErrorCode | None = next((known for known in _OWN_CODES if known == code), None)
    known = own or _WALLET_CODES.get(code, "wallet_failed")
    return PaymentError(known, facts={"wallet_code": code, **(facts or {})}, detail=message)
