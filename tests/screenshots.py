"""Takes pictures of the page's main states, for people to look at.

Rule: each picture shows what a person sees without scrolling; the folder is never committed.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from os import environ
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from app.build.environment import say
from tests.e2e.chat_page import ANSWER_WITHIN_MS
from tests.e2e.conftest import DIST, QUIET
from tests.e2e.picture_card import calls, calls_tool, says
from tests.standins.faults import Hang, html_502
from tests.standins.llm_proxy import SEARCH
from tests.standins.paid_server import PaidServer
from tests.standins.paid_servers import PaidStandins
from tests.standins.servers import Running, Standins, in_a_thread

__all__ = ["STATES", "Studio", "main"]

FOLDER = DIST.parent / "screenshots"
SIZES = {1280: 800, 768: 1024, 390: 664, 320: 480}  # width and height of the window in pixels
LOCALES = {"en": "en-GB", "de": "de-DE"}
SLUG = "21-92-2026-09-09"
QUESTIONS = {
    "en": "Who interrupted most on 9 September 2026?",
    "de": "Wer hat am 9. September 2026 am häufigsten dazwischengerufen?",
}
ANSWERS = {
    "en": "The **AfD** interrupted most, as the chart shows.\n\n",
    "de": "Am häufigsten hat die **AfD** dazwischengerufen, wie das Diagramm zeigt.\n\n",
}
EVIDENCE = """\
| Fraktion | Redezeit (min) | Zwischenrufe | Anteil an allen Zwischenrufen | Ordnungsrufe |
|---|---:|---:|---:|---:|
| CDU/CSU | 96 | 41 | 21 % | 0 |
| AfD | 71 | 88 | 45 % | 2 |
| SPD | 64 | 23 | 12 % | 0 |

```python
for group, minutes in sorted(speaking_time.items(), key=lambda entry: -entry[1])[:10]:
    print(f"{group:<24}{minutes:>6} min")
```
"""
Scheme = Literal["light", "dark"]


class Studio:
    """One tab with the page, in one language and at one width, and the stand-ins behind it."""

    def __init__(self, page: Page, standins: Running, language: str) -> None:
        self.page = page
        self.standins = standins
        self.question = QUESTIONS[language]
        self.answer = ANSWERS[language] + EVIDENCE
        self._language = language

    def open(self) -> None:
        """Load the page and wait until it can answer."""
        self.page.goto(f"{self.standins.page_url}?lang={self._language}")
        self.page.locator("html[data-app=ready]").wait_for(timeout=ANSWER_WITHIN_MS)

    def ask(self, question: str = "") -> None:
        """Ask a question."""
        self.page.locator("#message").fill(question or self.question)
        self.page.locator("#message").press("Enter")

    def wait(self) -> None:
        """Wait until the run has ended."""
        self.page.locator("html:not([data-busy])").wait_for(timeout=ANSWER_WITHIN_MS)


def start(studio: Studio) -> None:
    """The page while its files come."""
    studio.page.route("**/*.wasm", lambda _route: None)
    studio.page.goto(studio.standins.page_url, wait_until="domcontentloaded")
    studio.page.wait_for_timeout(300)
    studio.page.unroute("**/*.wasm")


def ready(studio: Studio) -> None:
    """The page before the first question."""
    studio.open()


def running(studio: Studio) -> None:
    """A question that the model thinks about."""
    sitting = calls_tool("get_sitzungen", {"von": "2026-09-09", "bis": "2026-09-09"})
    studio.standins.proxy.behave(sitting, Hang())
    studio.ask()
    studio.page.locator("[data-tool][data-state=ok]").wait_for()


def answer(studio: Studio) -> None:
    """An answer with a table, code, a chart and sources."""
    studio.standins.proxy.behave(calls_tool("get_sitzungen", {"slug": SLUG}), says(studio.answer))
    studio.ask()
    studio.wait()


def run(studio: Studio) -> None:
    """How an answer came about."""
    answer(studio)
    studio.page.locator("[data-action=run]").click()
    studio.page.locator(".run svg").first.wait_for()
    studio.page.evaluate("document.querySelector('.run').scrollIntoView()")


def long(studio: Studio) -> None:
    """A conversation of several answers, read from its end."""
    for _ in range(3):
        answer(studio)


def card(studio: Studio) -> None:
    """A picture that waits for the person's decision."""
    studio.standins.proxy.behave(calls("a cat on the Reichstag at dawn, in watercolours"))
    studio.ask()
    studio.page.locator("[data-action=card-confirm][aria-disabled=false]").wait_for()


def error(studio: Studio) -> None:
    """An endpoint that is down."""
    studio.standins.proxy.behave(html_502())
    studio.ask()
    studio.wait()


def options(studio: Studio) -> None:
    """The options, a sheet on narrow screens."""
    if studio.page.locator("#menu").is_visible():
        studio.page.locator("#menu").click()


def unpaid(studio: Studio) -> None:
    """A first question to an endpoint that charges."""
    studio.ask()
    studio.wait()


def connect(studio: Studio) -> None:
    """A press on "Connect wallet" in the answer, which the wallet does not answer."""
    unpaid(studio)
    studio.page.evaluate("testWallet.slow = 1e9")
    studio.page.locator("article [data-action=connect]").click()
    studio.page.wait_for_timeout(1500)


def wallet(studio: Studio) -> None:
    """A wallet that asks for the signature of a deposit."""
    unpaid(studio)
    studio.page.locator("article [data-action=connect]").wait_for()
    # it answers the request for the account, and not the one for the signature
    studio.page.evaluate("setInterval(() => testWallet.connected && (testWallet.slow = 1e9), 5)")
    studio.page.locator("article [data-action=connect]").click()
    studio.page.locator("html[data-busy]").wait_for()
    studio.page.wait_for_timeout(2500)


STATES: dict[str, Callable[[Studio], None]] = {
    state.__name__: state
    for state in (start, ready, options, running, answer, run, long, card, error)
}
PAID_STATES: dict[str, Callable[[Studio], None]] = {
    state.__name__: state for state in (unpaid, connect, wallet)
}


class Wish(NamedTuple):
    """Which pictures to take, and the folder for them."""

    folder: Path
    states: Sequence[str]
    widths: Sequence[int]
    languages: Sequence[str]


def take(studio: Studio, name: str, folder: Path, width: int, language: str) -> None:
    """Save one state: light and dark, and on one width forced colours and print."""
    page = studio.page
    looks: dict[str, Callable[[], None]] = {
        "light": lambda: page.emulate_media(color_scheme="light"),
        "dark": lambda: page.emulate_media(color_scheme="dark"),
    }
    if width == 390:  # a phone has the least room for borders
        looks["forced"] = lambda: page.emulate_media(color_scheme="dark", forced_colors="active")
    if width == 768:  # about as wide as paper
        looks["print"] = lambda: page.emulate_media(color_scheme="light", media="print")
    for look, emulate in looks.items():
        emulate()
        page.wait_for_timeout(250)  # colours fade in
        path = folder / f"{name}-{width}-{look}-{language}.png"
        whole = look == "print" or name == "answer"
        style = ".composer { position: static !important }" if whole else None
        page.screenshot(path=path, full_page=whole, style=style)
        page.emulate_media(media="null", forced_colors="null")
    page.emulate_media(color_scheme="light")


def shoot(browser: Browser, standins: Running, wish: Wish, paid: bool) -> Iterator[str]:
    """Take the free or the paid states, and yield the name of each one that is taken."""
    known = PAID_STATES if paid else STATES
    names = [name for name in wish.states or known if name in known]
    for language in wish.languages if names else ():
        for width in wish.widths:
            size = {"width": width, "height": SIZES.get(width, 640)}
            context = browser.new_context(
                locale=LOCALES[language],
                timezone_id="Europe/Berlin",
                viewport=size,  # type: ignore[arg-type]  # Playwright's type of a literal
                has_touch=width < 500,
            )
            studio = Studio(context.new_page(), standins, language)
            for name in names:
                if name not in ("start", "ready"):
                    studio.open()
                known[name](studio)
                take(studio, name, wish.folder, width, language)
                standins.proxy.behave()
                yield f"{name}-{width}-{language}"
            context.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Take the pictures that the command line asks for; all of them without options."""
    parser = argparse.ArgumentParser(prog="build.py screenshots", description=__doc__)
    parser.add_argument("states", nargs="*", choices=[*STATES, *PAID_STATES, []])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--widths", type=int, nargs="+", default=[*SIZES])
    parser.add_argument("--languages", nargs="+", choices=[*LOCALES], default=[*LOCALES])
    given = parser.parse_args(arguments)
    wish = Wish(given.folder, given.states, given.widths, given.languages)
    wish.folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            args=QUIET.split(), executable_path=environ.get("TABLOOP_CHROMIUM") or None
        )
        stack.callback(browser.close)
        free = stack.enter_context(in_a_thread(Standins(DIST)))
        for name in shoot(browser, free, wish, paid=False):
            say(name)
        if PaidServer.missing():
            say(f"without the paid states: {PaidServer.missing()}")
            return
        charging = stack.enter_context(in_a_thread(PaidStandins(DIST)))
        charging.overlay({"llm_model": SEARCH})
        for name in shoot(browser, charging, wish, paid=True):
            say(name)
    say(f"The pictures are in {wish.folder}.")


if __name__ == "__main__":
    main()
