"""The page as a person uses it. Rule: only names and roles of the page's contract are used."""

from typing import Any, cast
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Locator, Page, Request, expect

from tests.standins.recording import Recorded
from tests.standins.servers import Running

__all__ = ["ANSWER_WITHIN_MS", "ChatPage"]

# records each text of the status line, also one that is shown briefly
RECORD_STATUS = """() => {
    const line = document.getElementById("status"), said = window.said = [];
    window.recording?.disconnect();
    window.recording = new MutationObserver(() => said.push(line.textContent));
    window.recording.observe(line, { childList: true });
}"""
# what Chromium says where nothing is wrong: a test leaves the page without a gesture before, and
# this computer has no language model for it
CHROMIUMS_WORDS = (
    "'beforeunload' confirmation panel",
    "because the service is not running",
    "No output language was specified",
)
# Recursion deeper than the stack ends Python without an exception, as lack of memory does.
END_PYTHON = """async () => {
  const python = await (await import('./boot.js')).loadPyodide({});
  try { python.runPython('import json; json.loads("[" * 1_000_000)'); } catch {}
}"""
START_WITHIN_MS = 60_000  # long enough for a busy machine; the start time is measured elsewhere
ANSWER_WITHIN_MS = 60_000
MOST_STEPS = 5_000  # of a clock that is set forward


class ChatPage:
    """One tab with the chat.

    `expected` are parts of console messages that the test provokes; other messages fail the test.
    """

    def __init__(self, page: Page, standins: Running) -> None:
        self.page = page
        self.standins = standins
        self.expected: list[str] = []
        self.requested: list[str] = []
        self._console: list[str] = []
        self.all_said: list[str] = []  # every message of the console
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._console.append(f"uncaught: {error}"))
        page.on("request", self._on_request)

    def _on_console(self, message: ConsoleMessage) -> None:
        self.all_said.append(message.text)
        if any(words in message.text for words in CHROMIUMS_WORDS):
            return
        if message.type in ("error", "warning"):
            where = message.location["url"]
            self._console.append(f"{message.type}: {message.text} ({where})")

    def _on_request(self, request: Request) -> None:
        self.requested.append(request.url)

    # what a person does

    def open(self, query: str = "", *, ready: bool = True) -> "ChatPage":
        """Load the page, and wait until it can answer (`ready`)."""
        # "load" waits for files that a test may hold back
        self.page.goto(self.standins.page_url + query, wait_until="domcontentloaded")
        if ready:
            self.wait_until("ready")
        return self

    def wait_until(self, state: str) -> None:
        """Wait for `<html data-app>`."""
        expect(self.page.locator("html")).to_have_attribute(
            "data-app", state, timeout=START_WITHIN_MS
        )

    def set_forward_until(self, shown: Locator, milliseconds: int) -> None:
        """Set the page's clock forward, again and again, until something is shown.

        Each file that arrives may start a limit anew. Call `page.clock.install()` before `open`.
        """
        for _ in range(MOST_STEPS):
            if shown.is_visible():
                return
            self.page.clock.fast_forward(milliseconds)
        expect(shown).to_be_visible()

    def ask(self, question: str) -> Locator:
        """Type, press Enter, and return the article that will hold the answer."""
        count = self.page.get_by_role("log").locator('article[data-role="user"]').count()
        self.composer.fill(question)
        self.composer.press("Enter")
        expect(self.questions).to_have_count(count + 1)
        return self.answers.last

    def ask_and_wait(self, question: str) -> Locator:
        """Ask, and return the article when the run is over."""
        article = self.ask(question)
        self.wait_for_end()
        return article

    def wait_for_end(self) -> None:
        """Wait until the run has ended."""
        expect(self.stop).to_be_hidden(timeout=ANSWER_WITHIN_MS)
        expect(self.send).to_be_visible()

    def reset(self) -> None:
        """Empty the conversation, and forget what earlier tests expected and requested."""
        # a run of the test before; its Stop button might disappear during a click
        self.page.evaluate("document.dispatchEvent(new CustomEvent('tabloop:stop'))")
        self.wait_for_end()
        if self.log.locator("article").count():
            self.page.get_by_role("button", name="New chat").click()
        expect(self.log.locator("article")).to_have_count(0)
        self.composer.fill("")
        self.expected.clear()
        self.requested.clear()
        self._console.clear()

    # what a person sees

    def end_python(self) -> None:
        """End Python as lack of memory does; what stands on the page stays."""
        self.expected.append("")  # Pyodide logs several errors then
        self.page.evaluate(END_PYTHON)

    @property
    def composer(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message")

    @property
    def send(self) -> Locator:
        return self.page.get_by_role("button", name="Send", exact=True)

    @property
    def stop(self) -> Locator:
        return self.page.get_by_role("button", name="Stop", exact=True)

    @property
    def status(self) -> Locator:
        return self.page.get_by_role("status")

    def record_status(self) -> None:
        """Record each text of the status line from now on, for `said`."""
        self.page.evaluate(RECORD_STATUS)

    @property
    def said(self) -> list[str]:
        """The recorded texts of the status line."""
        return cast("list[str]", self.page.evaluate("window.said"))

    @property
    def log(self) -> Locator:
        return self.page.get_by_role("log", name="Conversation")

    @property
    def questions(self) -> Locator:
        return self.log.locator('article[data-role="user"]')

    @property
    def answers(self) -> Locator:
        return self.log.locator('article[data-role="assistant"]')

    def steps(self, article: Locator) -> Locator:
        return article.get_by_role("group", name="Steps").locator("[data-tool]")

    def sources(self, article: Locator) -> Locator:
        return article.get_by_role("region", name="Sources").get_by_role("link")

    def problem(self, article: Locator) -> Locator:
        return article.get_by_role("alert")

    def ways(self, article: Locator) -> Locator:
        return article.get_by_role("region", name="How to go on")

    # what the endpoint got

    def sent(self, index: int) -> dict[str, Any]:
        """The body of a request to the model, counted from 0, or from the end with -1."""
        return cast("dict[str, Any]", self._questions_sent[index].json)

    @property
    def request_count(self) -> int:
        return len(self._questions_sent)

    @property
    def _questions_sent(self) -> list[Recorded]:
        # the page also asks for the list of models, at no fixed time
        return [request for request in self.standins.proxy.requests if request.method == "POST"]

    # checks at the end of a test

    def check_console(self) -> None:
        """Fail on errors and warnings in the console that the test did not provoke."""
        unexpected = [
            text for text in self._console if not any(part in text for part in self.expected)
        ]
        assert not unexpected, f"unexpected messages in the console: {unexpected}"

    def origins(self) -> set[str]:
        """Return the origins of all requests so far (data: and blob: have none)."""
        parts = map(urlsplit, self.requested)
        return {f"{part.scheme}://{part.netloc}" for part in parts if part.netloc}
