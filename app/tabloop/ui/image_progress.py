"""The HTML of a picture's card after it was confirmed, while the picture is paid for and made.

Rule: it has no buttons, and never says that a payment was taken while it was only sent.
"""

from dataclasses import dataclass
from typing import Literal

from tabloop.ui.html import Attributes, Child, Html, fragment, h
from tabloop.ui.image_card import CardState, size_label
from tabloop.ui.money import usdc
from tabloop.ui.strings import Strings

__all__ = ["Progress", "Stage", "progress_html", "stages_html"]

Stage = Literal["signing", "generating"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a confirmed picture. `cost` in millionths of a USDC, 0 if it is free.

    `again`: the response was lost, and the request is sent again with the same payment.
    """

    stage: Stage
    cost: int = 0
    seconds: int = 0
    again: bool = False


def progress_html(strings: Strings, state: CardState, progress: Progress) -> Html:
    """Return the content of the confirmed card."""
    return fragment(
        h("h3", {}, strings("card.making")),
        h("p", {"class": "said", "dir": "auto"}, state.seen),
        h("ol", {"class": "stages", "data-part": "stages"}, stages_html(strings, progress)),
        h("p", {"class": "note"}, f"{size_label(strings, state)} · {strings('card.patience')}"),
    )


def stages_html(strings: Strings, progress: Progress) -> Html:
    """Return the stages in order, each done, running (with its seconds) or still to come."""
    signing, sent = progress.stage == "signing", usdc(strings, progress.cost)
    making = strings("card.again_asked" if progress.again else "card.generating")
    if progress.seconds and not signing:
        making = strings("card.elapsed", stage=making, n=progress.seconds)
    if not progress.cost:
        return _stage("generating", "now", making)
    if signing:
        return fragment(
            _stage("signing", "now", strings("card.signing")),
            _stage("paid", "next", strings("card.toPay", amount=sent)),
            _stage("generating", "next", strings("card.toGenerate")),
        )
    return fragment(
        _stage("signing", "done", strings("card.signed")),
        _stage("paid", "done", strings("card.sent", amount=sent)),
        _stage("generating", "now", making),
    )


def _stage(name: str, state: Literal["done", "now", "next"], text: str) -> Html:
    marks: dict[str, Child] = {"now": h("span", {"class": "turning"}), "done": "✓"}
    item: Attributes = {
        "data-stage": name,
        "data-state": state,
        "aria-current": "step" if state == "now" else None,
    }
    mark = h("span", {"class": "mark", "aria-hidden": "true"}, marks.get(state))
    return h("li", item, mark, h("span", {}, text))
