"""The buttons below a question and below an answer.

Rule: only the newest question is edited and asked again, because the ones after it build on it.
"""

from tabloop.core.pricing import Cost
from tabloop.ui.html import Attributes, Html, button, fragment, h
from tabloop.ui.money import amount, usdc
from tabloop.ui.strings import Strings

__all__ = ["actions_html", "cost_text", "edit_button"]


def actions_html(
    strings: Strings,
    *,
    text: bool,
    again: bool,
    too_long: bool,
    left_out: int = 0,
    run: bool | None = None,
    cost: str = "",
    may_cost: str = "",
    by: str = "",
) -> Html:
    """Return the buttons of an answer that is complete.

    `text`: there is text to copy. `again`: it can be tried again. `too_long`: it is not formatted,
    and `left_out` characters of it are not shown.
    `run`: the drawing of its run is open (`None`: there is none).
    `by` says whose answer it is.
    `cost` is the text of `cost_text`, `may_cost` the most in USDC that another try can cost.
    """
    again_costs = may_cost and strings("cost.again", amount=amount(strings, may_cost))
    return fragment(
        button(strings("answer.copy"), "copy", "quiet") if text else None,
        button(strings("problem.tryAgain"), "try-again", "quiet") if again else None,
        None if run is None else _run_button(strings, opened=run),
        h("span", {"class": "note", "data-part": "by"}, by) if by else None,
        h("span", {"class": "note", "data-part": "cost"}, cost) if cost else None,
        h("span", {"class": "note"}, again_costs) if again_costs else None,
        h("span", {"class": "note"}, strings("answer.tooLong")) if too_long else None,
        h("span", {"class": "note"}, strings("answer.leftOut", n=left_out)) if left_out else None,
    )


def _run_button(strings: Strings, *, opened: bool) -> Html:
    attributes: Attributes = {
        "type": "button",
        "class": "quiet",
        "data-action": "run",
        "aria-expanded": "true" if opened else "false",
    }
    return h("button", attributes, strings("run.title"))


def cost_text(strings: Strings, cost: Cost, earlier: Cost) -> str:
    """Return what an answer has cost, blank if nothing was paid for it.

    `earlier` is the cost of the answers that it has replaced.
    """
    parts = [_cost_part(strings, cost, "cost.is")]
    parts.append(_cost_part(strings, earlier, "cost.earlier"))
    return " ".join(filter(None, parts))


def _cost_part(strings: Strings, cost: Cost, key: str) -> str:
    if not cost.payments:
        return ""
    parts = [usdc(strings, cost.charged)] if cost.charged or not cost.uncertain else []
    if cost.uncertain:
        parts.append(strings("cost.uncertain", amount=amount(strings, cost.uncertain)))
    return strings(key, amount=", ".join(parts))


def edit_button(strings: Strings) -> Html:
    """Return the button of the newest question."""
    return button(strings("answer.edit"), "edit", "quiet")
