"""Asks the browser's own model through the built page. Rule: nothing is downloaded without a word.

The page runs in the Chromium that TABLOOP_CHROMIUM names, visible, with a profile of its own that
keeps the model, on the stand-ins' sample record. Questions on another site's pages are left out.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from playwright.sync_api import Locator, expect, sync_playwright

from tests.e2e.chat_page import ChatPage
from tests.quality.questions import Question
from tests.quality.record import NOW, ZONE
from tests.quality.scoring import Outcome, Score, score
from tests.standins.servers import running_standins

__all__ = ["NoModel", "ask_browser", "ask_page"]

PROFILE = Path(".cache/quality-profile")  # where the browser keeps the model
ANSWERS_WITHIN_MS = 600_000
LOADED_WITHIN_MS = 3_600_000  # about 4 GB


class NoModel(Exception):
    """The browser has no model that can be used; the text is the page's own sentence."""


def ask_browser(asked: Sequence[Question], told: Callable[[Score], Score]) -> list[Score]:
    """Return the scores; `told` gets each as it comes. Raises `NoModel`."""
    here = [question for question in asked if question.site == "bundestag"]
    if left := len(asked) - len(here):
        print(f"{left} questions on another site's pages are left out.", file=sys.stderr)
    path = os.environ.get("TABLOOP_CHROMIUM")
    seen = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    with running_standins(Path("dist")) as standins, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            PROFILE,
            executable_path=path,
            headless=not seen and sys.platform == "linux",
            # Playwright switches off what brings the model
            ignore_default_args=["--disable-component-update", "--disable-background-networking"],
            locale="en-GB",
            timezone_id=ZONE,
        )
        chat = ChatPage(context.pages[0] if context.pages else context.new_page(), standins)
        chat.page.clock.set_fixed_time(NOW)
        _use_model(chat.open())
        scores = [told(score(question, ask_page(chat, question))) for question in here]
        context.close()
    return scores


def _use_model(chat: ChatPage) -> None:
    who = chat.page.get_by_role("group", name="Who answers")
    button = who.locator("#device-use")
    if not button.is_visible():
        raise NoModel("This browser has no language model of its own (no LanguageModel interface).")
    button.click()
    on = who.locator('#device-use[aria-pressed="true"]')
    problem = who.get_by_role("alert")  # beside the button that was pressed
    expect(on.or_(problem).first).to_be_visible(timeout=LOADED_WITHIN_MS)
    if not on.count():
        raise NoModel(problem.first.inner_text())


def ask_page(chat: ChatPage, question: Question) -> Outcome:
    """Ask in a new chat, and read what came of it from the page."""
    chat.page.get_by_role("button", name="New chat").click()
    for earlier, _answer in question.before:  # answered by the model itself
        _answered(chat, earlier)
    began = time.monotonic()
    article = _answered(chat, question.ask)
    seconds = time.monotonic() - began
    steps = chat.steps(article)
    tool, arguments = "", None
    if steps.count():
        tool = steps.first.get_attribute("data-tool") or ""
        arguments = _arguments(steps.first)
    text = article.locator('[data-part="text"]').inner_text()
    sources = article.get_by_role("region", name="Sources").get_by_role("link").count()
    problem = "stopped" if chat.problem(article).count() and not text else ""
    return Outcome(text, tool, arguments, sources, seconds, problem=problem)


def _answered(chat: ChatPage, asked: str) -> Locator:
    article = chat.ask(asked)
    decline = article.get_by_role("button", name="Decline")
    expect(decline.or_(chat.send)).to_be_visible(timeout=ANSWERS_WITHIN_MS)
    if decline.count():
        decline.click()
    expect(chat.send).to_be_visible(timeout=ANSWERS_WITHIN_MS)
    return article


def _arguments(step: Locator) -> dict[str, object] | None:
    step.locator("summary").first.click()
    written = step.locator("pre").first.inner_text()
    if not written.startswith("{"):
        return {}
    found = json.loads(written)
    return found if step.get_attribute("data-state") == "ok" else None
