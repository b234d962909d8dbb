"""Why an answer is not what was hoped for. Rule: a sentence names who failed and what helps."""

from dataclasses import dataclass, replace
from html import escape
from typing import Literal, assert_never

from tabloop.agent.errors import ModelError, SetupError
from tabloop.agent.events import RunFinished
from tabloop.payments.errors import PaymentError
from tabloop.ui.money import amount
from tabloop.ui.payment import payment_sentence
from tabloop.ui.strings import Strings

__all__ = ["Action", "Problem", "problem_html", "problem_of"]

Action = Literal["try-again", "go-on", "practice", "connect"]
BUTTONS: dict[Action, str] = {
    "try-again": "problem.tryAgain",
    "go-on": "problem.goOn",
    "practice": "problem.askPractice",
    "connect": "wallet.connect",
}
FORBIDDEN = 403  # gateways say it to anybody: no sign that a key was read, or that there is one
# the same request would fail again, but not after a change under "Model endpoint"
MENDED_IN_THE_PAGE = (
    "unauthorized",
    "quota_used_up",
    "model_not_found",
    "address_not_found",
    "bad_request",
    "not_json",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """`words` are somebody else's own (an endpoint's), shown as a quotation.

    `kind`: an error, a notice (the answer is there or can go on), or `quiet` (the person's doing).
    """

    sentence: str
    words: str = ""
    actions: tuple[Action, ...] = ()
    kind: Literal["error", "notice", "quiet"] = "error"


def problem_of(  # noqa: PLR0911  # one per outcome
    strings: Strings,
    ended: RunFinished,
    *,
    has_text: bool,
    hops: int,
    model: str,
    uncertain: str = "",
) -> Problem | None:
    """Return what to say at the end of a run, `None` where the answer speaks for itself.

    `uncertain` is what a run that was stopped or failed may have cost without a receipt, in USDC
    (blank: nothing).
    """
    match ended.outcome:
        case "stop":
            if has_text and "shortened" in ended.notes:
                return Problem(strings("problem.shortened"), kind="notice")
            return None if has_text else Problem(strings("problem.blank"), actions=("try-again",))
        case "length" | "content_filter":
            return Problem(
                strings(f"problem.{ended.outcome}"), actions=("try-again",), kind="notice"
            )
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
            # a payment's error says by itself what it may have cost
            if uncertain and isinstance(ended.error, ModelError):
                spent = strings("pay.maybe", amount=amount(strings, uncertain))
                problem = replace(problem, sentence=f"{problem.sentence} {spent}")
            return problem
        case _:
            assert_never(ended.outcome)


def problem_html(strings: Strings, problem: Problem | None, *, past: bool = False) -> str:
    """Return the alert with its buttons, empty without a problem.

    What the person did is no alarm: it is said by the status line and stands here quietly. So
    does what is `past`, since the chat went on after it.
    """
    if problem is None:
        return ""
    if past:
        return f'<div class="stopped"><p>{escape(problem.sentence)}</p></div>'
    words = ""
    if problem.words:
        words = (
            f'<p class="words">{escape(strings("problem.says"))} <q>{escape(problem.words)}</q></p>'
        )
    buttons = "".join(
        f'<button type="button" class="small" data-action="{action}">'
        f"{escape(strings(BUTTONS[action]))}</button>"
        for action in problem.actions
    )
    row = f'<div class="row">{buttons}</div>' if buttons else ""
    body = f"<p>{escape(problem.sentence)}</p>{words}{row}"
    if problem.kind == "quiet":
        return f'<div class="stopped">{body}</div>'
    return f'<div class="problem" role="alert" data-kind="{problem.kind}">{body}</div>'


def _of_error(strings: Strings, error: Exception | None, model: str) -> Problem:
    if isinstance(error, ModelError):
        host = error.host or strings("problem.theModel")
        status = strings("problem.status", status=str(error.status)) if error.status else ""
        key = f"problem.{error.code}"
        if error.code == "unauthorized" and error.status == FORBIDDEN:
            key = "problem.forbidden"
        sentence = strings(key, host=host, status=status, model=model)
        again = error.retryable or error.code in MENDED_IN_THE_PAGE
        actions: tuple[Action, ...] = ("try-again",) if again else ()
        if error.code == "payment_required":
            actions = ("practice", "try-again")
        return Problem(sentence, error.detail, actions)
    if isinstance(error, PaymentError):
        return _of_payment(strings, error)
    if isinstance(error, SetupError):
        return Problem(strings("problem.setup"), error.detail)
    words = f"{type(error).__name__}: {error}" if error else ""
    return Problem(strings("problem.bug"), words, ("try-again",))


def _of_payment(strings: Strings, failed: PaymentError) -> Problem:
    sentence = payment_sentence(strings, failed)
    words = failed.detail if failed.code in ("rejected", "wallet_failed") else ""
    if failed.code == "not_connected":
        return Problem(sentence, actions=("connect", "practice"))
    # a refusal of the person's own is no alarm
    kind = "quiet" if failed.code == "declined" else "error"
    return Problem(sentence, words, ("try-again",) if failed.retryable else (), kind)
