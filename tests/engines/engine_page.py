"""The page in an engine as a person uses it. Rule: only names and roles of the page's contract."""

from collections.abc import Mapping

from tests.engines.driver import Driver, poll
from tests.engines.locator import Locator, page_text
from tests.engines.wire import WireError
from tests.standins.servers import Running
from tests.standins.toml_overlay import TomlValue

__all__ = ["ENABLED", "WINDOW", "EnginePage"]

ENABLED = "first && first.ariaDisabled !== 'true'"  # for a button of the card
START_WITHIN = 180.0  # seconds; WebKit took 50 on an overloaded machine
WINDOW = (1280, 900)  # CSS pixels of the page

# a blank page has no storage, and some browsers forbid it
# the mark belongs to the snapshot, which stays as well
LEAVE = """
window.leaving = true;
try {
  const mark = localStorage.getItem('tabloop:kept-start');
  localStorage.clear();
  if (mark) localStorage.setItem('tabloop:kept-start', mark);
} catch {}
"""
# error codes while one document replaces another
LEAVING = ("no such frame", "no such window", "javascript error", "unknown error")
STATE = "return window.leaving ? 'leaving' : document.documentElement.dataset.app ?? ''"


class EnginePage:
    """One tab with the chat in it.

    The page is loaded once for each set of settings, because a start takes seconds. `reset` empties
    the conversation; after `forget` the page is loaded again.
    """

    def __init__(self, driver: Driver, standins: Running) -> None:
        self.driver = driver
        self.standins = standins
        self._loaded: object = None

    # what a person does

    def open(self, query: str = "", settings: Mapping[str, TomlValue] | None = None) -> None:
        """Load the page with empty storage, and wait until it can answer."""
        self.standins.overlay(settings or {})
        self.driver.evaluate(LEAVE)
        self._loaded = None
        self.driver.open(self.standins.page_url + query)
        self.wait_until("ready")
        self._loaded = (query, dict(settings or {}))

    def reset(self, settings: Mapping[str, TomlValue] | None = None) -> None:
        """Get an empty conversation with these settings."""
        if self._loaded != ("", dict(settings or {})):
            self.open(settings=settings)
            return
        self.driver.evaluate("document.dispatchEvent(new CustomEvent('tabloop:stop'))")
        self.wait_for_end()
        if self.log.within("article").count:
            self.button("New chat").click()
        self.log.within("article").until("all.length === 0")
        self.driver.evaluate("document.getElementById('message').value = ''")

    def forget(self) -> None:
        """Load the page again at the next `reset`, because its state is unknown."""
        self._loaded = None

    def wait_until(self, state: str) -> None:
        """Wait for `<html data-app>`."""
        poll(f"the page is {state}", lambda: self._state() == state, self._said, START_WITHIN)

    def write(self, text: str) -> None:
        """Type into the composer."""
        self.composer.click()
        self.driver.type(text)

    def ask(self, question: str) -> Locator:
        """Type, press Enter, and return the article that will hold the answer."""
        count = self.questions.count
        self.write(question)
        self.driver.press("Enter")
        self.questions.until(f"all.length === {count + 1}")
        return self.answer

    def ask_and_wait(self, question: str) -> Locator:
        """Ask, and return the article when the run is over."""
        article = self.ask(question)
        self.wait_for_end()
        return article

    def ask_for_picture(self, wish: str) -> Locator:
        """Ask, and return the article when its card can be confirmed."""
        article = self.ask(wish)
        self.card.within("button", "Generate").until(ENABLED)
        return article

    def wait_for_end(self) -> None:
        """Wait until the run has ended."""
        ended = (
            "return !document.getElementById('send').hidden "
            "&& document.getElementById('stop').hidden"
        )
        poll("the run ends", lambda: self.driver.evaluate(ended), self._said)

    # what a person sees

    @property
    def document(self) -> Locator:
        return Locator(self.driver)

    @property
    def composer(self) -> Locator:
        return self.document.within("#message")  # its name depends on the language

    @property
    def status(self) -> Locator:
        return self.document.within("status")

    @property
    def log(self) -> Locator:
        return self.document.within("log")

    @property
    def questions(self) -> Locator:
        return self.log.within('article[data-role="user"]')

    @property
    def answer(self) -> Locator:
        """The newest answer."""
        return self.log.within('article[data-role="assistant"]', last=True)

    @property
    def card(self) -> Locator:
        return self.log.within("region", "Confirm image")

    def button(self, name: str) -> Locator:
        return self.document.within("button", name)

    def text(self, article: Locator) -> Locator:
        return article.within('[data-part="text"]')

    def steps(self, article: Locator) -> Locator:
        return article.within("[data-tool]")

    def sources(self, article: Locator) -> Locator:
        return article.within("region", "Sources").within("link")

    def problem(self, article: Locator) -> str:
        """The sentence of the alert, blank if there is none."""
        return article.within("alert").within("p").text

    def _state(self) -> str:
        try:
            return str(self.driver.evaluate(STATE))
        except WireError as error:
            if error.code not in LEAVING:
                raise
            return "leaving"

    def _said(self) -> str:
        return f"{self._state()}: {page_text(self.driver)}"
