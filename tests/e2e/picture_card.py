"""The card as a person sees it, and replies of a model that asks for pictures."""

import json
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Locator, expect

from tests.e2e.chat_page import ANSWER_WITHIN_MS, ChatPage
from tests.standins.faults import Reply
from tests.standins.images import Images

__all__ = [
    "PROMPT",
    "WISH",
    "Card",
    "calls",
    "calls_tool",
    "check_can_continue",
    "says",
    "tool_results",
]

WISH = "Draw a wide picture of a cat on the Reichstag"
PROMPT = "a cat on the Reichstag"
QUESTION = "What did the Bundestag debate on 9 September 2026?"


class Card:
    """The card as a person sees it; it counts the confirmations."""

    def __init__(self, chat: ChatPage) -> None:
        self.chat = chat
        self.images: Images = chat.standins.images
        self.confirmed = 0
        self.region = chat.page.get_by_role("region", name="Confirm image")
        self.prompt = self.region.get_by_role("textbox", name="Prompt")
        self.sizes = self.region.get_by_role("radiogroup", name="Size")
        self.generate = self.region.get_by_role("button", name="Generate")
        self.cancel = self.region.get_by_role("button", name="Cancel")

    def request_picture(self, wish: str = WISH) -> Locator:
        """Ask for a picture and wait for the card with its price."""
        article = self.chat.ask(wish)
        expect(self.generate).to_be_enabled(timeout=ANSWER_WITHIN_MS)
        return article

    def confirm(self) -> None:
        self.generate.click()
        self.confirmed += 1

    def check(self) -> None:
        """Fail unless the requests for pictures are exactly the confirmed ones."""
        assert len(self.images.ordered) == self.confirmed


def calls(*prompts: str) -> Reply:
    """Return a reply of the model that asks for these pictures in one turn."""
    return calls_tool("generate_image", *({"prompt": prompt} for prompt in prompts))


def calls_tool(name: str, *arguments: Mapping[str, object]) -> Reply:
    """Return a reply of the model that calls one tool, once for each of the arguments."""
    wanted = [
        {
            "id": f"call{number:05}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)},
        }
        for number, given in enumerate(arguments)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": wanted}
    return Reply({"choices": [{"message": message, "finish_reason": "tool_calls"}]})


def says(text: str) -> Reply:
    message = {"role": "assistant", "content": text}
    return Reply({"choices": [{"message": message, "finish_reason": "stop"}]})


def tool_results(chat: ChatPage) -> list[dict[str, Any]]:
    """Return the tool results in the last request to the model."""
    messages = chat.sent(-1)["messages"]
    return [json.loads(item["content"]) for item in messages if item["role"] == "tool"]


def check_can_continue(chat: ChatPage) -> None:
    """Fail unless another question gets an answer, which needs a history that is valid."""
    article = chat.ask_and_wait(QUESTION)
    expect(chat.sources(article).first).to_be_visible()
