"""Pictures in a user message: typed, checked, sent as parts, and counted when it gets too long."""

import json
from typing import Any, cast

import pytest
from tabloop import Agent, ChatCompletionsModel, ImagePart, ScriptedModel, SetupError, UserMessage
from tabloop.agent.messages import AssistantMessage, Message, ToolCall
from tabloop.agent.ports import ModelRequest
from tabloop.endpoint.request import write_request
from tabloop.endpoint.trimming import IMAGE_SIZE, size_of

from tests.unit.fake_transport import FakeTransport, answer

CAT = ImagePart("https://pictures.test/cat.png")


def sent(*messages: Message) -> list[dict[str, Any]]:
    return json.loads(write_request(ModelRequest(messages), model="any"))["messages"]


def test_a_message_with_pictures_is_sent_in_parts_and_another_one_as_text() -> None:
    dot = ImagePart.of_bytes(b"\x89PNG", "image/png")
    close = ImagePart(CAT.url, detail="high")
    first, _, second = sent(
        UserMessage("Compare.", images=(dot, close)), AssistantMessage("Same."), UserMessage("Why?")
    )
    assert first["content"] == [
        {"type": "text", "text": "Compare."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
        {"type": "image_url", "image_url": {"url": CAT.url, "detail": "high"}},
    ]
    assert second["content"] == "Why?"


def test_a_picture_without_words_is_a_question_and_is_repaired_like_one() -> None:
    calls = AssistantMessage(None, (ToolCall("abcdefghi", "look"),))
    roles = [one["role"] for one in sent(UserMessage(" ", images=(CAT,)), calls)]
    assert roles == ["user", "assistant", "tool"]
    [alone] = sent(UserMessage("", images=(CAT,)))
    assert [part["type"] for part in alone["content"]] == ["image_url"]


@pytest.mark.parametrize(
    "url",
    ["", "cat.png", "file:///etc/passwd", "data:text/html;base64,aGk=", "data:image/png;base64,#"],
)
def test_what_is_no_picture_is_refused_at_once(url: str) -> None:
    with pytest.raises(SetupError) as caught:
        ImagePart(url)
    assert caught.value.detail == (
        f"an image needs an https: or data:image/ address, not {url[:40]!r}"
    )


def test_a_picture_that_no_endpoint_takes_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tabloop.agent.messages.MAX_IMAGE_URL", len(CAT.url))
    assert ImagePart(CAT.url) == CAT
    with pytest.raises(SetupError, match=f"^setup: an image is longer than {len(CAT.url)} char"):
        ImagePart.of_bytes(bytes(len(CAT.url)))


@pytest.mark.parametrize(
    "message",
    [
        UserMessage(cast("str", [{"type": "text", "text": "Hello"}])),
        UserMessage("Hello", images=cast("tuple[ImagePart, ...]", (CAT.url,))),
    ],
)
async def test_parts_of_another_form_are_refused_with_what_to_write(message: UserMessage) -> None:
    with pytest.raises(SetupError) as caught:
        await Agent(ScriptedModel("Hi.")).answer(message)
    assert caught.value.detail == (
        "messages[0] holds no text, or no images: "
        'write UserMessage("...", images=(ImagePart(url),))'
    )


async def test_a_question_with_a_picture_has_one_line_too() -> None:
    model = ScriptedModel("A cat.")
    assert await Agent(model).answer(UserMessage("What is it?", images=(CAT,))) == "A cat."
    assert model.asked == [(UserMessage("What is it?", images=(CAT,)),)]


async def test_pictures_of_old_questions_are_dropped_when_a_conversation_is_too_long() -> None:
    refused = answer({"error": {"message": "maximum context length is 4000, got 9000 tokens"}}, 400)
    good = answer({"choices": [{"index": 0, "message": {"content": "A dog."}}]})
    transport = FakeTransport([refused, good])
    model = ChatCompletionsModel(transport, url="https://llm.test/v1", model="any")
    history: list[Message] = [
        UserMessage("What is it?", images=(CAT,)),
        AssistantMessage("A cat."),
        UserMessage("And this?", images=(CAT,)),
    ]
    assert size_of(history) > 2 * IMAGE_SIZE
    assert await Agent(model).answer(history) == "A dog."
    [message] = json.loads(transport.requests[1].body or b"")["messages"]
    assert message["content"][0] == {"type": "text", "text": "And this?"}
