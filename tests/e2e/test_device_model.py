"""The browser's own language model, played by a stand-in that follows the specification."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import check_accessibility
from tests.e2e.chat_page import ChatPage
from tests.e2e.paid_page import asks
from tests.quality.browser import ask_page
from tests.quality.questions import questions
from tests.quality.scoring import score
from tests.standins.faults import Reply
from tests.standins.servers import Running
from tests.unit.paying import channel_offer

MODEL = "computer’s model"  # noqa: RUF001 -- as the page writes it
SCRIPT = Path(__file__).with_name("language_model.js")
DAY = "What did the Bundestag debate on 9 September 2026?"
FREE = {"choices": [{"message": {"role": "assistant", "content": "A free answer."}}]}


class DevicePage(ChatPage):
    """The page in a browser with the stand-in, and an endpoint that asks for money."""

    def start(self, **model: Any) -> "DevicePage":
        """Load the page; `model` is what the browser's model is like from then on."""
        self.page.add_init_script(f"testModel.reset({json.dumps(model)})")
        self.standins.site.overlaid = {**self.standins.site.overlaid, "llm_model": "large-1"}
        self.open()
        self.standins.proxy.behave(asks(channel_offer()), always=True)
        self.expected.append("status of 402")  # Chromium logs each 402
        return self

    def model(self, script: str) -> Any:
        """Return a JavaScript expression's value; it may use `m`, the stand-in."""
        [found] = self.page.evaluate(f"(() => {{ const m = testModel; return [{script}]; }})()")
        return found

    def replies(self, *steps: str | dict[str, Any]) -> None:
        """Plan the model's replies; they replace those that were not asked for."""
        self.page.evaluate("steps => { testModel.steps = steps }", list(steps))

    def prompts(self) -> list[dict[str, Any]]:
        """What the model was asked, oldest first."""
        return cast("list[dict[str, Any]]", self.model("m.asked.prompts"))

    @property
    def who(self) -> Locator:
        return self.page.get_by_role("group", name="Who answers")

    @property
    def button(self) -> Locator:
        return self.who.get_by_role("button", name=MODEL)


def answer(text: str) -> str:
    return json.dumps({"answer": text})


def call(name: str, **arguments: object) -> str:
    return json.dumps({"calls": [{"name": name, "arguments": arguments}]})


@pytest.fixture
def device(page: Page, standins: Running) -> Iterator[DevicePage]:
    """The page, not loaded yet, in a browser with the stand-in."""
    page.add_init_script(path=SCRIPT)
    opened = DevicePage(page, standins)
    yield opened
    opened.check_console()


def test_nothing_is_downloaded_before_a_press_that_names_the_size(device: DevicePage) -> None:
    device.start(state="downloadable", download={"hold": True})
    assert device.model("m.asked.availability") == []  # nobody has asked for it yet
    expect(device.who).to_contain_text("large-1 at 127.0.0.1")
    expect(device.button).to_have_text(f"Use this {MODEL} (about 4 GB)")
    article = device.ask_and_wait("Hello?")
    ways = device.ways(article)
    expect(ways.get_by_role("listitem")).to_have_count(4)
    expect(ways).to_contain_text("downloads it once, about 4 GB")
    expect(device.who).to_contain_text("No wallet is connected")
    assert device.model("m.asked.create") == []

    ways.get_by_role("button", name=f"Use this {MODEL} (about 4 GB)").click()
    bar = ways.get_by_role("progressbar", name=f"Loading this {MODEL}")
    expect(bar).to_be_visible()
    device.model("m.progress(0.305)")
    expect(ways).to_contain_text("30 %, about 1.2 of 4 GB")
    expect(device.who).to_contain_text("30 %, about 1.2 of 4 GB")
    expect(device.status).to_have_text(f"Loading this {MODEL}")
    expect(device.button).to_be_disabled()  # there is nothing more to press for
    check_accessibility(device.page)

    # waiting can be ended, and taken up again
    ways.get_by_role("button", name="Stop waiting").click()
    expect(ways.get_by_role("alert")).to_contain_text("may go on with the download")
    expect(ways.get_by_role("alert")).to_contain_text("Search mode works as before")
    expect(device.who.get_by_role("alert")).to_have_count(0)  # a screen reader hears it once
    expect(device.status).not_to_have_text(f"Loading this {MODEL}")
    ways.get_by_role("button", name=f"Use this {MODEL}").click()
    expect(bar).to_be_visible()
    device.replies(answer("Hello from **here**."))
    device.model("m.finish()")

    expect(article).to_contain_text("Hello from here.")  # the question is asked by itself
    expect(article).to_contain_text("Runs on your computer")
    expect(ways).to_have_count(0)
    expect(device.who).to_contain_text("The model of this computer answers")
    [listed] = {json.dumps(made["expectedOutputs"]) for made in device.model("m.asked.create")}
    assert json.loads(listed) == [{"type": "text", "languages": ["en"]}]

    # another visit: it is there, and it is used
    device.wait_for_end()
    device.standins.proxy.requests.clear()
    device.start()
    expect(device.button).to_have_text(f"Stop using this {MODEL}")
    device.replies(answer("Again."))
    expect(device.ask_and_wait("And now?")).to_contain_text("Again.")
    assert device.request_count == 0


def test_a_model_that_is_there_answers_where_the_endpoint_would_charge(device: DevicePage) -> None:
    device.start()
    device.replies(answer("One."), answer("Two."))
    first = device.ask_and_wait("First?")
    expect(first).to_contain_text("Runs on your computer")
    expect(first).to_contain_text("One.")
    second = device.ask_and_wait("Second?")
    expect(second).to_contain_text("Two.")
    assert device.request_count == 1  # only the one that asked for money

    # one place switches, the conversation stays, and each answer says who gave it
    device.who.get_by_role("button", name="Try without paying").click()
    expect(device.who).to_contain_text("Search mode answers")
    third = device.ask_and_wait(DAY)
    expect(third).to_contain_text("Search result: not a language model")
    device.who.get_by_role("button", name="Back to your model").click()
    device.button.click()
    expect(device.button).to_have_attribute("aria-pressed", "false")
    ways = device.ways(device.ask_and_wait("Fourth?"))  # a no stays a no
    expect(ways).to_contain_text("which is there already")
    device.replies(answer("Four."))
    ways.get_by_role("button", name=f"Use this {MODEL}").click()
    fourth = device.answers.last
    expect(fourth).to_contain_text("Four.")
    asked = json.dumps(device.prompts()[-1]["messages"])
    assert all(said in asked for said in ("First?", "Two.", "debate on 9 September", "Fourth?"))
    device.wait_for_end()
    device.button.click()
    device.standins.proxy.behave()
    device.standins.proxy.behave(Reply(FREE))
    fifth = device.ask_and_wait("Fifth?")
    expect(fifth.locator('[data-part="by"]')).to_contain_text("large-1 at 127.0.0.1:")
    expect(fifth).not_to_contain_text("Runs on your computer")
    expect(device.who).to_contain_text("large-1 at 127.0.0.1")
    expect(device.answers.first).to_contain_text("Runs on your computer")


def test_lookups_and_odd_replies(device: DevicePage) -> None:
    device.start()
    device.replies(
        call("get_sitzungen", von="2026-09-09", bis="2026-09-09"),
        '```json\n{"answer": "In a fence: *it* worked."}\n```',
    )
    article = device.ask_and_wait("What was debated yesterday?")
    expect(article).to_contain_text("In a fence: it worked.")
    expect(device.steps(article)).to_have_attribute("data-state", "ok")
    expect(device.sources(article)).to_have_count(1)
    first, second = device.prompts()
    assert "(That means: 20" in first["messages"][-1]["content"]
    assert second["messages"][0]["content"].startswith("Result of get_sitzungen: {")
    assert len(second["messages"]) == 1  # the session knows the rest
    names = [item["properties"]["name"]["enum"] for item in _calls_of(first["schema"])]
    assert ["get_sitzungen"] in names

    # bad JSON, and then a call beside an answer
    both = {"answer": "I look.", "calls": json.loads(call("search_claims", query="Rente"))["calls"]}
    device.replies('{"answer" oops', json.dumps(both), answer("Found."))
    article = device.ask_and_wait("Is it true?")
    expect(article).to_contain_text("Found.")
    expect(device.steps(article)).to_have_count(1)
    repairs = [prompt["messages"][-1]["content"] for prompt in device.prompts()]
    assert sum("It is no valid JSON" in text for text in repairs) == 1

    # `build.py quality --browser` reads the page as a person does
    day = next(one for one in questions() if one.id == "day-en")
    said = "On 9 September 2026: industry, and the bridge in Lüdenscheid."
    device.replies(call(day.tool, **day.whole_call), answer(said))
    assert all(score(day, ask_page(device, day)).right.values())
    device.replies(answer("I do not know."))
    wrong = score(day, ask_page(device, day)).right
    assert {name for name, right in wrong.items() if right} == {"language"}

    # the browser knows no schemas
    device.model("m.schema = false")
    device.replies(answer("Without."))
    expect(device.ask_and_wait("Hm?")).to_contain_text("Without.")
    # what it gives is no stream of text
    for odd in ("null", "'text'", "new ReadableStream({ start: (to) => to.enqueue(null) })"):
        device.model(f"void (m.stream = () => {odd})")
        article = device.ask_and_wait("Odd?")
        expect(device.problem(article)).to_contain_text("wrote something that cannot be read")
        expect(device.problem(article)).not_to_contain_text("null")
    device.model("m.stream = null")
    device.model("void (m.destroyAll(), m.session = () => null)")
    failed = device.problem(device.ask_and_wait("Odd?"))
    expect(failed).to_contain_text("language model has failed")
    expect(failed).not_to_contain_text("Error")
    device.model("m.session = null")
    device.replies(answer("Even."))
    expect(device.ask_and_wait("Even?")).to_contain_text("Even.")
    assert device.model("m.live.size") == 1  # the sessions of the runs are destroyed


def _calls_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", schema["anyOf"][1]["properties"]["calls"]["items"]["anyOf"])


def test_stop_errors_and_the_end_of_a_session(device: DevicePage) -> None:
    device.start()
    half = '{"answer": "Half a sentence'
    device.replies({"text": half, "hold": True})
    article = device.ask("Go.")
    expect(article).to_contain_text("Half a sent")  # it grows while it is written
    device.stop.click()
    device.wait_for_end()
    assert device.model("m.asked.aborted") == 1
    expect(article).to_contain_text("Half a sent")

    device.replies({"text": half, "error": "UnknownError"})
    article = device.ask_and_wait("Go on.")
    expect(article).to_contain_text("Half a sentence")
    expect(device.problem(article)).to_contain_text("language model has failed")
    expect(device.problem(article)).to_contain_text("half a sentence is enough")

    device.replies({"text": half, "destroy": True})
    article = device.ask_and_wait("And?")
    expect(device.problem(article)).to_contain_text("has ended its language model")
    device.replies(answer("Alive."))
    device.problem(article).get_by_role("button", name="Try again").click()
    device.wait_for_end()
    expect(article).to_contain_text("Alive.")

    device.model("m.destroyAll()")  # memory ran short between two questions
    device.replies(answer("Still alive."))
    expect(device.ask_and_wait("Sure?")).to_contain_text("Still alive.")

    # the oldest questions leave a context that is full, and the page says so
    device.model("m.context = 1100")
    device.replies(*[answer("word " * 190)] * 4)
    for question in ("One?", "Two?", "Three?"):
        article = device.ask_and_wait(question)
    expect(device.problem(article)).to_contain_text("oldest questions and answers were left out")
    assert "One?" not in json.dumps(device.prompts()[-1])


SPACE = "The device does not have enough space for downloading the on-device model"


def test_what_keeps_it_from_working_is_told_where_it_was_asked(device: DevicePage) -> None:
    device.start(state="unavailable")
    told = device.who.get_by_role("alert")

    def press(said: str) -> None:
        device.button.click()
        expect(told).to_contain_text(said)
        expect(told).to_contain_text("Search mode works as before.")

    press("offers no language model on this computer")
    expect(device.ways(device.ask_and_wait("Hi?")).get_by_role("listitem")).to_have_count(3)
    device.model("Object.assign(m, { state: 'broken' })")
    press("Your browser says: “try again later”")
    device.model("Object.assign(m, { state: 'downloadable' })")
    for error, words, said in (
        ("NotAllowedError", SPACE, "not enough free space"),
        ("NotAllowedError", "", "was declined"),
        ("OperationError", "odd", "could not start its language model"),
    ):
        device.model(f"m.download = {json.dumps({'error': error, 'message': words})}")
        press(said)
    device.model("m.download = { hold: true }")
    device.button.click()
    expect(device.who.get_by_role("progressbar")).to_be_visible()
    device.model("m.progress(0.5)")
    device.model("m.fail('NetworkError')")
    expect(told).to_contain_text("The download broke off. What has come is kept")

    device.page.get_by_role("button", name="Try without paying").click()
    expect(device.ask_and_wait(DAY)).to_contain_text("Search result: not a language model")

    # a language that the browser does not list is tried all the same
    device.model("[m.languages.splice(0, 9, 'ja'), (m.download = {})]")
    device.replies(answer("Tried."))
    device.button.click()
    expect(device.who).to_contain_text("does not list your language for it")
    expect(device.status).to_have_text(f"Ready. This {MODEL} answers.")
    expect(told).to_have_count(0)
    expect(device.ask_and_wait("Eh?")).to_contain_text("Tried.")
    assert "expectedOutputs" not in device.model("m.asked.create.at(-1)")


def test_a_real_browser_without_a_model_says_what_it_would_need(warm_chat: ChatPage) -> None:
    chat = warm_chat
    if not chat.page.evaluate("'LanguageModel' in window"):
        pytest.skip("this Chromium has no LanguageModel")
    if chat.page.evaluate("LanguageModel.availability()") != "unavailable":
        pytest.skip("this computer has a model")
    who = chat.page.get_by_role("group", name="Who answers")
    who.get_by_role("button", name=f"Use this {MODEL}").click()
    expect(who.get_by_role("alert")).to_contain_text("22 GB of free disk space")
    expect(chat.ask_and_wait("Hello?")).not_to_contain_text("Runs on your computer")


def test_a_browser_without_the_interface_is_offered_nothing(chat: ChatPage) -> None:
    chat.page.add_init_script("delete window.LanguageModel")
    chat.open()
    expect(chat.page.get_by_role("group", name="Who answers")).to_be_visible()
    expect(chat.page.get_by_role("button", name=MODEL)).to_have_count(0)
    chat.standins.proxy.behave(asks(channel_offer()))
    chat.expected.append("status of 402")
    ways = chat.ways(chat.ask_and_wait("Hello?"))
    expect(ways.get_by_role("listitem")).to_have_count(3)
