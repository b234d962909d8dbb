"""Why an answer failed or is incomplete. Rule: a sentence names what failed and what helps."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from tabloop.agent.errors import ModelError, SetupError
from tabloop.agent.events import RunFinished
from tabloop.agent.ports import ReplyNote
from tabloop.payments.errors import OfferRefused, PaymentError
from tabloop.ui.html import Html, button, fragment, h
from tabloop.ui.money import amount
from tabloop.ui.payment import payment_sentence
from tabloop.ui.strings import Strings
from tabloop.ui.unseen import as_it_looks

__all__ = ["Action", "Problem", "problem_html", "problem_of", "words_html"]

Action = Literal["try-again", "go-on", "search", "connect", "own-key", "own-model", "accept-terms"]
BUTTONS: dict[Action, str] = {
    "try-again": "problem.tryAgain",
    "go-on": "problem.goOn",
    "search": "problem.askSearch",
    "connect": "wallet.connect",
    "own-key": "offer.useOwnKey",
    "own-model": "device.use",
    "accept-terms": "terms.accept",
}
NOTES: Mapping[ReplyNote, str] = {  # of a whole answer
    "shortened": "problem.shortened",
    "results_cut": "problem.resultsCut",
    "without_tools": "problem.withoutTools",
}
# search mode asks another server, and no language model
SEARCH_HELPS = (
    *("unreachable", "timeout", "server_error", "rate_limited", "quota_used_up"),
    *("device_lost", "device_reply", "device_filtered", "device_language", "device_failed"),
    "device_too_long",
)
FORBIDDEN = 403  # gateways send it to anyone, so it does not show that a key is wrong
# a retry helps only after a change under "Model endpoint"
FIXABLE_IN_THE_PAGE = (
    "unauthorized",
    "quota_used_up",
    "model_not_found",
    "address_not_found",
    "bad_key",
    "bad_request",
    "not_json",
    "redirected",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """What the page says about a run that did not end well; `actions` are its buttons.

    `words` are a message of the endpoint, shown as a quotation, `details` more than a sentence.
    `kind` is "error", "notice" (there
    is an answer, or it can go on) or "quiet" (the person did it, for example by Stop).
    """

    sentence: str
    words: str = ""
    actions: tuple[Action, ...] = ()
    kind: Literal["error", "notice", "quiet"] = "error"
    details: Html | None = None


def problem_of(  # noqa: PLR0911  # one per outcome
    strings: Strings,
    ended: RunFinished,
    *,
    has_text: bool,
    hops: int,
    model: str,
    uncertain: str = "",
) -> Problem | None:
    """Return what to say at the end of a run, `None` if there is nothing to add to the answer.

    `has_text`: the answer has text or a picture. `hops` is the limit of requests, `model` its name.
    `uncertain` is the amount in USDC that a stopped or failed run may have cost without a receipt
    (blank: nothing).
    """
    match ended.outcome:
        case "stop":
            if "damaged" in ended.notes:
                return Problem(strings("problem.damaged"), actions=("try-again",))
            remarks = [strings(NOTES[note], model=model) for note in ended.notes if note in NOTES]
            if has_text and remarks:
                return Problem(" ".join(remarks), kind="notice")
            return None if has_text else Problem(strings("problem.blank"), actions=("try-again",))
        case "length" | "content_filter":
            key = "endless" if "endless" in ended.notes else ended.outcome
            return Problem(strings(f"problem.{key}"), actions=("try-again",), kind="notice")
        case "max_iterations":
            sentence = strings("problem.max_iterations", n=hops)
            return Problem(sentence, actions=("go-on",), kind="notice")
        case "halted":
            return Problem(strings("problem.halted"), actions=("go-on",), kind="notice")
        case "aborted":
            sentence = strings("problem.aborted", reason=ended.reason)
            return Problem(sentence, actions=("try-again",), kind="notice")
        case "stopped":
            sentence = strings("problem.stopped")
            if uncertain:
                sentence += " " + strings("pay.maybe", amount=amount(strings, uncertain))
            return Problem(sentence, actions=("try-again",), kind="quiet")
        case "error":
            problem = _of_error(strings, ended.error, model)
            error = ended.error
            # the sentence of a payment error may have the amount already
            if uncertain and not (isinstance(error, PaymentError) and error.maybe_charged):
                key = "pay.earlier" if isinstance(error, PaymentError) else "pay.maybe"
                spent = strings(key, amount=amount(strings, uncertain))
                problem = replace(problem, sentence=f"{problem.sentence} {spent}")
            return problem
        case _:
            assert_never(ended.outcome)


def problem_html(strings: Strings, problem: Problem | None, *, past: bool = False) -> Html:
    """Return the alert with its buttons, empty if `problem` is `None`.

    A quiet problem is no alert, because the status line announces it. Neither is a `past` one,
    which belongs to an older answer and has no buttons.
    """
    if problem is None:
        return fragment()
    sentence = h("p", {}, problem.sentence)
    if past:
        return h("div", {"class": "stopped"}, sentence)
    buttons = [button(strings(BUTTONS[action]), action) for action in problem.actions]
    row = h("div", {"class": "row"}, *buttons) if buttons else None
    body = (sentence, words_html(strings, problem.words), problem.details, row)
    if problem.kind == "quiet":
        return h("div", {"class": "stopped"}, *body)
    return h("div", {"class": "problem", "role": "alert", "data-kind": problem.kind}, *body)


def words_html(strings: Strings, words: str) -> Html | None:
    """Return a message of another server as a quotation, `None` if there is nothing to see."""
    said = as_it_looks(words)
    if not said:
        return None
    return h("p", {"class": "words"}, strings("problem.says"), " ", h("q", {}, said))


def _of_error(strings: Strings, error: Exception | None, model: str) -> Problem:
    if isinstance(error, ModelError):
        host = error.host or strings("problem.theModel")
        status = strings("problem.status", status=str(error.status)) if error.status else ""
        sentence = strings(
            _key_of(error),
            host=host,
            status=status,
            model=model,
            where=error.facts.get("where") or strings("problem.elsewhere"),
            when=_when(strings, error.facts),
            sign=error.facts.get("sign", ""),
            place=error.facts.get("place", ""),
        )
        again = error.retryable or error.code in FIXABLE_IN_THE_PAGE
        actions: tuple[Action, ...] = ("try-again",) if again else ()
        if error.code == "payment_required":
            actions = ("search", "try-again")
        elif error.code in SEARCH_HELPS:
            actions = (*actions, "search")
        return Problem(sentence, error.detail, actions)
    if isinstance(error, PaymentError):
        return _of_payment(strings, error)
    if isinstance(error, SetupError):
        return Problem(strings("problem.setup"), error.detail)
    words = f"{type(error).__name__}: {error}" if error else ""
    return Problem(strings("problem.bug"), words, ("try-again",))


def _key_of(error: ModelError) -> str:
    if error.code == "unauthorized" and error.status == FORBIDDEN:
        return "problem.forbidden"
    if error.code == "rate_limited" and "again_at" in error.facts:
        return "problem.rateLimitedUntil"
    if error.code == "unreachable" and "key" in error.facts:
        return f"problem.unreachable{error.facts['key']}"
    return f"problem.{error.code}"


def _when(strings: Strings, facts: Mapping[str, str]) -> str:
    """Return in words when a retry makes sense, blank if it is not known."""
    day, _, time = facts.get("again_at", "").partition("T")
    key = "problem.today" if "today" in facts else "problem.later"
    return strings(key, date=strings.date(day), time=time) if time else ""


def _of_payment(strings: Strings, failed: PaymentError) -> Problem:
    sentence = payment_sentence(strings, failed)
    words = failed.detail if failed.code in ("rejected", "wallet_failed") else ""
    if failed.code == "not_connected":
        return Problem(sentence, actions=("connect", "search", "own-key"), kind="quiet")
    if isinstance(failed, OfferRefused) and failed.changed:
        # with the checks of offers
        from tabloop.ui.changed_terms import changed_terms_html  # noqa: PLC0415 -- loaded when needed

        details = changed_terms_html(strings, failed.changed)
        return Problem(sentence, actions=("accept-terms",), kind="notice", details=details)
    # the person refused it, so this is no error
    kind = "quiet" if failed.code == "declined" else "error"
    return Problem(sentence, words, ("try-again",) if failed.retryable else (), kind)
