"""The texts of the panel "Model endpoint". Rule: each failed step of a check names its reason."""

from collections.abc import Sequence
from dataclasses import dataclass

from tabloop.agent.events import RunFinished
from tabloop.core.addresses import is_endpoint
from tabloop.core.json_text import Json
from tabloop.endpoint.check import CheckStep, Owner
from tabloop.ui.html import Html, fragment, h
from tabloop.ui.money import amount
from tabloop.ui.problems import problem_of
from tabloop.ui.strings import Strings
from tabloop.ui.unseen import as_it_looks

__all__ = [
    "SEARCH",
    "Endpoint",
    "address_refusal",
    "address_remark",
    "check_html",
    "endpoint_of",
    "models_html",
    "owner_line",
]

LISTED = 5  # names of models in a sentence
SEARCH = "tabloop-search"  # the model name of a server that answers by search mode (`serve`)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint of the next message."""

    url: str
    model: str
    key: str = ""


def endpoint_of(stored: Json) -> Endpoint | None:
    """Return what was remembered, `None` if it is no endpoint."""
    match stored:
        case {"url": str(url), "model": str(model), "key": str(key)} if model and is_endpoint(url):
            return Endpoint(url, model, key)
        case _:
            return None


def owner_line(strings: Strings, owner: Owner | None) -> str:
    """Return who runs the endpoint, or that it is not known."""
    if owner is None:
        return strings("endpoint.unknown")
    if owner.contact:
        return strings("endpoint.whomContact", title=owner.title, contact=owner.contact)
    return strings("endpoint.whom", title=owner.title)


def address_remark(strings: Strings) -> str:
    """Return the sentence that says what an address has to look like."""
    return strings("endpoint.addressWrong", wanted=strings("wanted.url"))


def address_refusal(strings: Strings) -> str:
    """Return the sentence that says why nothing is sent while the address is invalid."""
    return strings("endpoint.addressRefused", remark=address_remark(strings))


def check_html(
    strings: Strings, steps: Sequence[CheckStep], *, model: str, needed: bool = True
) -> Html:
    """Return the list items of a check; of a failed step the reason.

    `needed`: visitors ask the endpoint from the start, so that a failure has to be mended.
    """

    def item(step: CheckStep) -> Html:
        sentence, state = _sentence(strings, step, model), _state(step)
        if step.error and not needed:
            sentence, state = strings("ownerCheck.searchFirst", reason=sentence), "paid"
        return h("li", {"data-state": state}, h("span", {}, sentence))

    return fragment(*map(item, steps))


def models_html(names: Sequence[str]) -> Html:
    """Return the suggestions for the field of the model's name."""
    return fragment(*(h("option", {"value": name}) for name in names))


def _state(step: CheckStep) -> str:
    if step.error:
        return "failed"
    return "paid" if step.paid or not step.works else "ok"


def _sentence(strings: Strings, step: CheckStep, model: str) -> str:
    name = strings(f"endpoint.step{step.name}", n=step.tokens, price=amount(strings, step.price))
    if step.paid:
        return strings("endpoint.paid", step=name)
    if step.error is None:
        return _finding(strings, step, model) or name
    ended = RunFinished("error", error=step.error)
    problem = problem_of(strings, ended, has_text=False, hops=1, model=model)
    reason = problem.sentence if problem else ""
    words = as_it_looks(problem.words) if problem else ""
    return f"{reason} “{words}”" if words else reason


def _finding(strings: Strings, step: CheckStep, model: str) -> str:
    """Return the sentence of a step that is no fault and does not work either, else blank."""
    if step.works:
        return ""
    if step.name in ("Tools", "Streaming"):
        return strings(f"endpoint.no{step.name}")
    shown = ", ".join(step.models[:LISTED])
    return strings("endpoint.notListed", model=model, models=shown)
