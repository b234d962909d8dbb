"""The assistant in somebody else's page, by embed.js."""

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.e2e.chat_page import ChatPage
from tests.e2e.picture_card import calls
from tests.standins.servers import Running

QUESTION = "What did the Bundestag debate on 9 September 2026?"
FRAME = """url => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts allow-same-origin';
    frame.src = url;
    document.body.append(frame);
}"""
IN_CORNER = """dialog => {
    const { right, bottom } = dialog.getBoundingClientRect();
    return right === document.documentElement.clientWidth - 16 && bottom === innerHeight - 16;
}"""
FULL = "dialog => [dialog.clientWidth === innerWidth, dialog.clientHeight === innerHeight]"


@pytest.fixture
def host(page: Page, standins: Running) -> Page:
    """The example page, which has a strict policy."""
    standins.proxy.behave()
    page.goto(f"{standins.page_url}examples/embed.html")
    return page


def test_a_button_opens_it_in_a_dialog_and_nothing_loads_before(host: Page) -> None:
    requested: list[str] = []
    host.on("request", lambda request: requested.append(request.url))
    console: list[str] = []
    host.on("console", lambda message: console.append(message.text))
    button = host.get_by_role("button", name="Ask the assistant")
    expect(button).to_be_visible()
    assert requested == []
    button.hover()
    expect(host.locator("iframe")).to_have_count(1)
    expect(host.get_by_role("dialog")).to_be_hidden()
    button.click()
    expect(host.get_by_role("dialog", name="Ask the assistant")).to_be_visible()
    inside = host.frame_locator("iframe")
    message = inside.get_by_role("textbox", name="Message")
    expect(message).to_have_value(QUESTION)
    expect(message).to_be_focused()
    expect(inside.locator("#framed")).to_be_hidden()  # it is the same site
    host.keyboard.press("Enter")
    expect(inside.get_by_role("region", name="Sources").first).to_be_visible()
    host.get_by_role("heading", name="A page with").click()  # the page can be used beside it
    expect(host.get_by_role("dialog")).to_be_visible()
    message.focus()
    host.keyboard.press("Escape")
    expect(host.get_by_role("dialog")).to_be_hidden()
    expect(button).to_be_focused()
    host.keyboard.press("Enter")  # the conversation is still there
    expect(inside.get_by_role("region", name="Sources").first).to_be_visible()
    button.click()
    expect(host.get_by_role("dialog")).to_be_hidden()
    host.locator("tabloop-chat").evaluate(
        "chat => chat.animate({ translate: ['9px', '9px'] }, 1e6)"
    )
    button.click()  # a parent that moves does not take it along
    assert host.get_by_role("dialog").evaluate(IN_CORNER)
    button.click()
    host.set_viewport_size({"width": 390, "height": 664})
    button.click()
    assert host.get_by_role("dialog").evaluate(FULL) == [True, True]
    assert host.get_by_role("dialog").evaluate("dialog => dialog.matches(':modal')")
    host.evaluate("postMessage('tabloop:close', '*')")  # not from the assistant
    host.get_by_role("button", name="Close").click()
    expect(host.get_by_role("dialog")).to_be_hidden()
    host.evaluate("document.body.append(document.querySelector('tabloop-chat'))")  # loads it again
    host.set_viewport_size({"width": 1280, "height": 720})
    button.click()
    message.press("Escape")
    expect(host.get_by_role("dialog")).to_be_hidden()
    host.add_script_tag(url="../embed.js")
    assert [text for text in console if "rror" in text] == []


def test_two_assistants_of_a_page_keep_their_conversations_apart(host: Page) -> None:
    host.evaluate("document.body.append(document.querySelector('tabloop-chat').cloneNode())")
    first, second = (host.locator("tabloop-chat").nth(index) for index in (0, 1))

    def opened(chat: Locator) -> FrameLocator:
        chat.get_by_role("button", name="Ask the assistant").click()
        return chat.frame_locator("iframe")

    inside = opened(first)
    inside.get_by_role("textbox", name="Message").press("Enter")
    expect(inside.get_by_role("region", name="Sources").first).to_be_visible()
    inside.locator("#keep").evaluate("box => box.click()")  # in the closed sheet
    first.get_by_role("button", name="Close").click()
    other = opened(second)
    expect(other.locator("html")).to_have_attribute("data-app", "ready")
    expect(other.locator("article")).to_have_count(0)
    host.reload()
    expect(opened(first).get_by_role("region", name="Sources").first).to_be_visible()


def test_in_a_page_of_another_origin_nothing_can_be_confirmed(chat: ChatPage) -> None:
    chat.expected.append("404")  # the icon of the page around it
    foreign = chat.standins.page_url.replace("127.0.0.1", "localhost")
    chat.standins.proxy.behave(calls("a cat"))
    chat.page.goto(f"{foreign}licences.txt")  # a page without a policy
    chat.page.evaluate(FRAME, chat.standins.page_url)
    inside = chat.page.frame_locator("iframe")
    expect(inside.locator("#framed")).to_contain_text("nothing can be confirmed")
    expect(inside.get_by_role("link", name="Open in a tab of its own")).to_have_attribute(
        "href", chat.standins.page_url
    )
    inside.get_by_role("textbox", name="Message").fill("Draw a cat")
    inside.get_by_role("button", name="Send").click()
    expect(inside.locator("html:not([data-busy]) article").last).to_be_visible()
    expect(inside.get_by_role("button", name="Generate")).to_have_count(0)
    [result] = [m for m in chat.sent(-1)["messages"] if m["role"] == "tool"]
    assert "tab of its own" in result["content"]
    assert chat.standins.images.requests == []
    # Chromium's policy for foreign frames also forbids its own language model
    if chat.page.evaluate("'LanguageModel' in window"):
        inside.locator("#device-use").evaluate("button => button.click()")  # in the closed sheet
        expect(inside.locator("[data-device]")).to_contain_text("may work in a tab of its own")
