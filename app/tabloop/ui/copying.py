"""An answer for the clipboard. Rule: the sources go with it, as links."""

from tabloop.core.addresses import is_link
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.export_text import disarmed, link
from tabloop.ui.html import Html, fragment, h
from tabloop.ui.strings import Strings

__all__ = ["copied_sources", "copied_text"]


def copied_text(strings: Strings, state: AnswerState) -> str:
    """Return the answer as Markdown, with its sources below."""
    text = disarmed(state.text, headings=True)
    if not state.sources:
        return text
    lines = [f"- {link(source.title, source.url)}" for source in state.sources]
    lines += _attributions(strings, state)
    return "\n\n".join((text.rstrip(), f"{strings('sources.title')}:", "\n".join(lines)))


def copied_sources(strings: Strings, state: AnswerState) -> Html:
    """Return the sources as HTML that follows the answer's text; empty without sources."""
    if not state.sources:
        return fragment()
    links = ((s.title, s.url if is_link(s.url) else None) for s in state.sources)
    items = (h("li", {}, h("a", {"href": url}, title)) for title, url in links)
    notes = (h("p", {}, text) for text in _attributions(strings, state))
    return fragment(h("p", {}, f"{strings('sources.title')}:"), h("ul", {}, *items), *notes)


def _attributions(strings: Strings, state: AnswerState) -> list[str]:
    """Return each licence notice once; some licences demand it with every copy."""
    given = (strings.text(source.attribution) for source in state.sources if source.attribution)
    return list(dict.fromkeys(given))
