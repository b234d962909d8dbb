"""Each fault has one sentence, the same in every engine. Rule: the table below is the measure.

An engine tells a page less, or something else, of the same fault; what a person reads may not
depend on that.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from urllib.parse import urlsplit

import pytest

from tests.e2e.picture_card import WISH
from tests.engines.engine_page import EnginePage
from tests.standins.base import StandIn
from tests.standins.faults import Drop, Fault, NoCors, Reply, Truncate, garbage, html_502
from tests.standins.quirks import Played, quirk
from tests.standins.servers import Running
from tests.standins.toml_overlay import TomlValue

QUESTION = "What did the Bundestag debate on 9 September 2026?"
UNREACHABLE = (
    "{host} could not be reached. It is down, or it does not accept requests from this page (CORS)."
)
SENT_ON = "{host} sends the request on to "
BROKE_OFF = "The reply of {host} broke off before its end."
DAMAGED = (
    "A part of this reply was lost on the way. "
    "What stands here may say something else than the model wrote."
)
SERVER = "{host} has a fault of its own at the moment"
NO_MODEL = (
    "{host} answered with something that is not a model’s reply. "  # noqa: RUF001  # the page's own sign
    "Check the address under “Model endpoint”."
)
BUSY = "{host} takes no more requests at the moment. Wait a little before you try again."
QUOTA = "The account at {host} is used up, so waiting does not help."
NO_PICTURE = "There is no picture. {host} gave no answer."
Trouble = Callable[[Running], AbstractContextManager[None]]


def down(which: Callable[[Running], StandIn]) -> Trouble:
    """A server that refuses connections while the block lasts."""

    @contextmanager
    def trouble(running: Running) -> Generator[None, None, None]:
        running.down(which(running))
        try:
            yield
        finally:
            running.up(which(running))

    return trouble


def model_sends(fault: Fault) -> Trouble:
    """A model that misbehaves in this way."""

    @contextmanager
    def trouble(running: Running) -> Generator[None, None, None]:
        running.proxy.behave(fault, always=True)
        yield

    return trouble


def proxy(running: Running) -> StandIn:
    return running.proxy


def elsewhere(status: int) -> Reply:
    """A redirect to a port where nobody listens."""
    return Reply(b"", status, headers={"Location": "http://127.0.0.1:9/"})


WHOLE: Mapping[str, tuple[Trouble, str]] = {
    "down": (down(proxy), UNREACHABLE),
    "no CORS": (model_sends(NoCors()), UNREACHABLE),
    "hangs up": (model_sends(Drop()), UNREACHABLE),
    "reset in mid-reply": (model_sends(Truncate()), BROKE_OFF),
    "redirect into nothing": (model_sends(elsewhere(307)), SENT_ON),
    "429 without hope": (
        model_sends(Reply({"error": {"code": "insufficient_quota", "message": "no"}}, 429)),
        QUOTA,
    ),
    "broken JSON": (model_sends(garbage()), NO_MODEL),
    "gateway's page": (model_sends(html_502()), SERVER),
}
STREAMED: Mapping[str, tuple[Played, str]] = {
    # a browser may drop what it has not handed on when the connection ends: first the text is seen
    "reset": (quirk("stream-cut-between-events", hang_up=True, hold_after=3), BROKE_OFF),
    "a lost piece": (quirk("stream-damaged-event"), DAMAGED),
    "cut inside an event": (quirk("stream-cut-inside-event"), BROKE_OFF),
}


def host(stand_in: StandIn) -> str:
    return urlsplit(stand_in.url).netloc


@pytest.mark.parametrize("name", WHOLE)
def test_a_model_that_fails(chat: EnginePage, name: str) -> None:
    trouble, sentence = WHOLE[name]
    chat.reset()
    with trouble(chat.standins):
        article = chat.ask_and_wait(QUESTION)
        assert chat.problem(article).startswith(sentence.format(host=host(chat.standins.proxy)))
    chat.standins.proxy.behave()
    assert chat.sources(chat.ask_and_wait(QUESTION)).count >= 1


@pytest.mark.parametrize("name", STREAMED)
def test_a_stream_that_fails_leaves_what_came(chat: EnginePage, name: str) -> None:
    played, sentence = STREAMED[name]
    quirks = chat.standins.quirks
    settings: Mapping[str, TomlValue] = {
        "llm_url": f"{quirks.url}/v1",
        "llm_model": "m",
        "stream": True,
    }
    chat.reset(settings)
    quirks.play(played)
    article = chat.ask("What was debated?")
    if played.hold_after:
        chat.text(article).until_text("The Bundestag")
        quirks.release()
    chat.wait_for_end()
    assert chat.problem(article) == sentence.format(host=host(quirks))
    assert chat.text(article).text.startswith("The Bundestag")
    quirks.play("stream-plain")
    article.within("button", "Try again").click()
    chat.wait_for_end()
    assert "Budget" in chat.text(chat.answer).text


def test_a_wait_after_429_can_be_stopped(chat: EnginePage) -> None:
    chat.reset()
    chat.standins.proxy.behave(Reply({"error": {"message": "slow down"}}, 429), always=True)
    article = chat.ask(QUESTION)
    chat.standins.proxy.wait_for_requests(1)
    chat.button("Stop").click()
    chat.wait_for_end()
    assert "You stopped this answer." in article.text


def test_one_429_is_asked_again_by_itself(chat: EnginePage) -> None:
    chat.reset()
    chat.standins.proxy.behave(Reply({"error": {"message": "slow down"}}, 429))
    assert chat.sources(chat.ask_and_wait(QUESTION)).count >= 1


def test_a_dead_bundestakt_fails_its_step(chat: EnginePage) -> None:
    # by another name, for the browser keeps what it has read from the usual one
    named = str(chat.standins.site.overlaid["bundestakt_url"]).replace("127.0.0.1", "localhost")
    chat.reset({"bundestakt_url": named})
    with down(lambda running: running.bundestakt)(chat.standins):
        article = chat.ask_and_wait(QUESTION)
    assert chat.steps(article).read("all.map(({ dataset }) => dataset.state)") == ["failed"]
    assert "There is no result" in chat.text(article).text
    assert chat.sources(article).count == 0
    assert chat.sources(chat.ask_and_wait(QUESTION)).count >= 1


def test_a_picture_service_that_dies_after_its_price(chat: EnginePage) -> None:
    chat.reset()
    article = chat.ask_for_picture(WISH)
    confirm = chat.card.within("button", "Generate")
    with down(lambda running: running.images)(chat.standins):
        confirm.click()
        chat.wait_for_end()
    said = NO_PICTURE.format(host=host(chat.standins.images))
    assert chat.problem(article).startswith(said)


def test_a_price_that_cannot_be_asked_for(chat: EnginePage) -> None:
    chat.reset()
    with down(lambda running: running.images)(chat.standins):
        chat.ask(WISH)
        said = f"{host(chat.standins.images)} could not be reached, so the price is not known."
        chat.card.until_text(said)
        chat.card.within("button", "Cancel").click()
        chat.wait_for_end()


def test_a_picture_that_does_not_load_leaves_its_address(chat: EnginePage) -> None:
    chat.reset()
    gone = "http://127.0.0.1:9/pictures/1.svg"
    chat.standins.images.behave(Reply({"created": 1, "data": [{"url": gone}]}), path="/")
    article = chat.ask_for_picture(WISH)
    confirm = chat.card.within("button", "Generate")
    confirm.click()
    chat.wait_for_end()
    article.until_text("The picture does not load here. Its address:")
    assert article.within(f'a[href="{gone}"]').count == 1
