"""The states of one payment, as a transition table.

Rule: a payment that was sent counts with its full amount until a receipt says what was charged. No
other event lowers that, not even a refusal; what the chain shows can only confirm it.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

__all__ = ["IN_FLIGHT", "TRANSITIONS", "PaymentEvent", "PaymentState", "next_state"]

PaymentState: TypeAlias = Literal[
    "signed",  # not sent yet: nothing can be charged
    "sent",
    "unanswered",  # no response, or one of a gateway or a failed server
    "resent",  # sent again automatically after it was unanswered
    "refused",  # answered by 402
    "disputed",  # answered by 402 after it was unanswered: probably charged the first time
    "unused",  # the request failed with a 4xx: the payment can be used again
    "unreceipted",  # answered, without a receipt that can be trusted
    "charged",  # a receipt says how much, or the chain has all of it
]
PaymentEvent: TypeAlias = Literal[
    "send",  # for a request
    "resend",  # automatically, for the same request
    "no_answer",
    "refusal",
    "request_failed",
    "answer",
    "receipt",
    "claim",  # the endpoint has taken the voucher's whole amount on the chain
]

TRANSITIONS: Mapping[tuple[PaymentState, PaymentEvent], PaymentState] = {
    ("signed", "send"): "sent",
    ("sent", "no_answer"): "unanswered",
    ("sent", "refusal"): "refused",
    ("sent", "request_failed"): "unused",
    ("sent", "answer"): "unreceipted",
    ("sent", "receipt"): "charged",
    ("unanswered", "resend"): "resent",
    ("unanswered", "send"): "sent",
    ("resent", "no_answer"): "unanswered",
    ("resent", "refusal"): "disputed",
    ("resent", "request_failed"): "unused",
    ("resent", "answer"): "unreceipted",
    ("resent", "receipt"): "charged",
    ("refused", "send"): "sent",
    ("disputed", "send"): "sent",
    ("unused", "send"): "sent",
    ("unanswered", "claim"): "charged",
    ("refused", "claim"): "charged",
    ("disputed", "claim"): "charged",
    ("unused", "claim"): "charged",
    ("unreceipted", "claim"): "charged",
}
IN_FLIGHT: frozenset[PaymentState] = frozenset({"sent", "resent"})


def next_state(state: PaymentState, event: PaymentEvent) -> PaymentState:
    """Return the state after an event. Raises `ValueError` where the event cannot happen."""
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        raise ValueError(f"a payment that is {state} cannot have the event {event}") from None
