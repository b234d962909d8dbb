"""Pictures in an answer. Rule: only a tool's result shows a picture, never the model's text."""

import re
from urllib.parse import urlsplit

from tabloop.agent.displays import NoPicture, Picture
from tabloop.agent.errors import ModelError
from tabloop.endpoint.meanings import meaning_of
from tabloop.payments.errors import PaymentError
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.html import Attributes, Child, Html, button, h
from tabloop.ui.money import usdc
from tabloop.ui.payment import payment_sentence
from tabloop.ui.problems import words_html
from tabloop.ui.strings import Strings

__all__ = [
    "caption",
    "file_name",
    "has_only_pictures",
    "outcome_html",
    "picture_html",
    "remembered_text",
]

NAME_LENGTH = 48  # most characters of a file name without its extension
# media types of the services -> file extensions
# refusals that the person can do something about
REFUSALS = ("unauthorized", "quota_used_up", "filtered", "model_not_found")
ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "image/gif": "gif",
    "image/avif": "avif",
}


def outcome_html(strings: Strings, outcome: Picture | NoPicture) -> Html:
    """Return the figure of a confirmed picture, or the notice that it failed."""
    if isinstance(outcome, Picture):
        return picture_html(strings, outcome)
    code, row = outcome.error.code if outcome.error else "", None
    if code == "not_connected":
        row = h("div", {"class": "row"}, button(strings("wallet.connect"), "connect"))
    sentence = strings("picture.none", why=_why_not(strings, outcome))
    body = (h("p", {}, sentence), words_html(strings, outcome.words), row)
    if code == "declined":  # the person refused it, so this is no error
        return h("div", {"class": "stopped"}, *body)
    return h("div", {"class": "problem", "role": "alert", "data-kind": "error"}, *body)


def picture_html(strings: Strings, picture: Picture) -> Html:
    """Return the figure; its hidden text is shown if the picture does not load."""
    prompt, by_address = picture.prompt, not picture.url.startswith("data:")
    image: Attributes = {
        "src": picture.url,
        "alt": prompt,
        "decoding": "async",
        "width": picture.width,
        "height": picture.height,
    }
    where: Attributes = {"href": picture.url, "target": "_blank", "rel": "noopener noreferrer"}
    broken: tuple[Child, ...] = (strings("picture.unreadable"),)
    # browsers open no data: address in a tab
    full_size = button(strings("picture.fullSize"), "picture-open", "link")
    if by_address:
        broken = (strings("picture.broken"), " ", h("a", where, prompt))
        full_size = h("a", where, strings("picture.fullSize"))
    download = button(strings("picture.download"), "picture-download", "link")
    size = strings("picture.size", width=str(picture.width), height=str(picture.height))
    made_by = f" · {picture.model}" if picture.model else ""
    return h(
        "figure",
        {"class": "picture"},
        h("img", image) if picture.url else h("p", {}, strings("picture.not_kept")),
        h("p", {"class": "broken", "hidden": True}, *broken),
        h(
            "figcaption",
            {},
            h("p", {}, strings("picture.mintFailed")) if picture.mint_failed else None,
            h("p", {"class": "note"}, h("q", {}, prompt), h("br"), size, made_by),
            h("p", {"class": "row"}, full_size, download) if picture.url else None,
        ),
    )


def _why_not(strings: Strings, outcome: NoPicture) -> str:
    host, error = outcome.host, outcome.error
    if isinstance(error, PaymentError):
        if error.code == "not_connected" and not error.maybe_charged:
            return strings("picture.notConnected", host=host)
        return payment_sentence(strings, error)
    if isinstance(error, ModelError):
        return strings(f"picture.{error.code}", host=host)
    if not outcome.status:
        return strings("picture.noAnswer", host=host)
    status = str(outcome.status)
    why = strings("picture.failed", host=host, status=status)
    meaning = meaning_of(outcome.status, outcome.words)
    if outcome.by_key and meaning in REFUSALS:
        why = strings(f"picture.{meaning}", host=host)
    if 200 <= outcome.status < 300:
        why = strings("picture.notThere", host=host)
    if outcome.max_cost:
        why += " " + strings("picture.maybe", amount=usdc(strings, outcome.max_cost))
    return why


def has_only_pictures(state: AnswerState) -> bool:
    """Return whether a run ended well with a picture, but without text of the model."""
    ended = state.ended is not None and state.ended.outcome == "stop"
    return ended and bool(state.pictures) and not state.text.strip()


def caption(strings: Strings) -> str:
    """Return the page's text for an answer in which the model wrote none."""
    return strings("picture.caption")


def remembered_text(strings: Strings, state: AnswerState) -> str:
    """Return the text that stands for such an answer in the history that the model gets."""
    prompts = "; ".join(picture.prompt for picture in state.pictures)
    return strings("picture.remembered", prompts=prompts)


def file_name(picture_url: str, prompt: str, media_type: str) -> str:
    """Return a file name: the prompt's first words, and the extension of the media type."""
    words = re.sub(r"[^\w]+", "-", prompt.lower()).strip("-_")[:NAME_LENGTH].rstrip("-_")
    ending = ENDINGS.get(media_type.partition(";")[0].strip().lower())
    if ending is None:
        last = re.search(r"\.(\w{2,4})$", urlsplit(picture_url).path)
        ending = last[1].lower() if last and last[1].lower() in ENDINGS.values() else "png"
    return f"{words or 'picture'}.{ending}"
