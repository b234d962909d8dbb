"""The page in an engine as a person uses it: the names and roles of the page's contract."""

from collections.abc import Mapping

from tests.engines.driver import Driver, poll
from tests.engines.spot import Spot, page_text
from tests.engines.wire import WireError
from tests.standins.together import Running
from tests.standins.toml_overlay import TomlValue

__all__ = ["ARMED", "WINDOW", "EnginePage"]

ARMED = "one && one.ariaDisabled !== 'true'"  # a button of the card that can be pressed
START_WITHIN = 180.0  # seconds; WebKit on a machine with ten times its load took 50
WINDOW = (1280, 900)  # CSS pixels of the page

# a blank page has no storage, nor has one that may not keep anything
LEAVE = "window.leaving = true; try { localStorage.clear(); } catch {}"
# what a browser says while one document gives way to the next
LEAVING = ("no such frame", "no such window", "javascript error", "unknown error")
STATE = "return window.leaving ? 'leaving' : document.documentElement.dataset.app ?? ''"


class EnginePage:
    """One tab with the chat in it.

    It is started once for each set of settings, since a start takes seconds; `start_anew` empties
    it, and after `forget` it is loaded again.
    """

    def __init__(self, driver: Driver, standins: Running) -> None:
        self.driver = driver
        self.standins = standins
        self._loaded: object = None

    # what a person does

    def open(self, query: str = "", settings: Mapping[str, TomlValue] | None = None) -> None:
        """Load the page with a storage that is empty, and wait until it can answer."""
        self.standins.overlay(settings or {})
        self.driver.evaluate(LEAVE)
        self._loaded = None
        self.driver.open(self.standins.page_url + query)
        self.wait_until("ready")
        self._loaded = (query, dict(settings or {}))

    def start_anew(self, settings: Mapping[str, TomlValue] | None = None) -> None:
        """Have an empty conversation under these settings."""
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
        """Don't use this page again, because nobody knows what it is like."""
        self._loaded = None

    def wait_until(self, state: str) -> None:
        """Wait for `<html data-app>`."""
        poll(f"the page is {state}", lambda: self._state() == state, self._said, START_WITHIN)

    def write(self, text: str) -> None:
        """Type into the composer."""
        self.composer.click()
        self.driver.type(text)

    def ask(self, question: str) -> Spot:
        """Type, press Enter, and return the article that will hold the answer."""
        count = self.questions.count
        self.write(question)
        self.driver.press("Enter")
        self.questions.until(f"all.length === {count + 1}")
        return self.answer

    def ask_and_wait(self, question: str) -> Spot:
        """Ask, and return the article when the run is over."""
        article = self.ask(question)
        self.wait_for_end()
        return article

    def ask_for_picture(self, wish: str) -> Spot:
        """Ask, and return the article when its card can be confirmed."""
        article = self.ask(wish)
        self.card.within("button", "Generate").until(ARMED)
        return article

    def wait_for_end(self) -> None:
        """Wait until nothing runs any more."""
        ended = (
            "return !document.getElementById('send').hidden "
            "&& document.getElementById('stop').hidden"
        )
        poll("the run ends", lambda: self.driver.evaluate(ended), self._said)

    # what a person finds

    @property
    def whole(self) -> Spot:
        return Spot(self.driver)

    @property
    def composer(self) -> Spot:
        return self.whole.within("#message")  # its name depends on the language

    @property
    def status(self) -> Spot:
        return self.whole.within("status")

    @property
    def log(self) -> Spot:
        return self.whole.within("log")

    @property
    def questions(self) -> Spot:
        return self.log.within('article[data-role="user"]')

    @property
    def answer(self) -> Spot:
        """The newest one."""
        return self.log.within('article[data-role="assistant"]', last=True)

    @property
    def card(self) -> Spot:
        return self.log.within("region", "Confirm image")

    def button(self, name: str) -> Spot:
        return self.whole.within("button", name)

    def text(self, article: Spot) -> Spot:
        return article.within('[data-part="text"]')

    def steps(self, article: Spot) -> Spot:
        return article.within("[data-tool]")

    def sources(self, article: Spot) -> Spot:
        return article.within("region", "Sources").within("link")

    def problem(self, article: Spot) -> str:
        """The sentence of the alert, blank without one."""
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
