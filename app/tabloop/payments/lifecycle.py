"""The life of one payment, as a table of states and events.

Rule: what was sent counts at its ceiling until a receipt says what it cost. No other event, and no
refusal, lowers that.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

__all__ = ["IN_FLIGHT", "TRANSITIONS", "PaymentEvent", "PaymentState", "next_state"]

PaymentState: TypeAlias = Literal[
    "signed",  # not sent yet: nothing can be charged
    "sent",
    "unanswered",  # no answer, or the answer of a gateway or of a server that failed
    "resent",  # sent again by itself after it was unanswered
    "refused",  # answered by 402
    "disputed",  # answered by 402 after it was unanswered: probably taken the first time
    "unused",  # the request failed with a 4xx: the payment is good for another try
    "unreceipted",  # answered, without a receipt that can be trusted
    "charged",  # a receipt says how much
]
PaymentEvent: TypeAlias = Literal[
    "send",  # because a request asks for it
    "resend",  # by itself, for the same request
    "no_answer",
    "refusal",
    "request_failed",
    "answer",
    "receipt",
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
}
IN_FLIGHT: frozenset[PaymentState] = frozenset({"sent", "resent"})


def next_state(state: PaymentState, event: PaymentEvent) -> PaymentState:
    """Return the state after an event. Raises `ValueError` where the event cannot happen."""
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        raise ValueError(f"a payment that is {state} cannot have the event {event}") from None
