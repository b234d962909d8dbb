"""Pictures: what is sent, what the model reads, what a picture costs and how that is found out."""

import base64
import json
from typing import Any

import pytest

from app.agent.budgets import paid_call_budget
from app.agent.displays import Picture
from app.agent.errors import AgentError, ToolError
from app.agent.events import Event, ToolCallResult
from app.agent.messages import Message, UserMessage
from app.agent.ports import Approved, Declined
from app.agent.quotes import Price, PriceError
from app.agent.transport import HttpResponse, TransportError
from app.tools.image_prices import USDC, ImageQuote, price_in_challenge
from app.tools.image_service import ImageService
from app.tools.images import MAX_PROMPT, image_tools
from tests.unit.fake_transport import FakeTransport, answer
from tests.unit.fakes import Answers, ScriptedModel, calls, play, result_of, says

URL = "https://images.example"
MADE = {"created": 1, "data": [{"url": f"{URL}/1.png"}], "model": "brush-1"}
BASE, OPTIMISM = "eip155:8453", "eip155:10"
PAYEE = "0x" + "ab" * 20


def service(*answers: HttpResponse | Exception) -> tuple[ImageService, FakeTransport]:
    transport = FakeTransport(list(answers))
    return ImageService(transport, URL, lambda: OPTIMISM), transport


def sent(transport: FakeTransport, index: int = -1) -> Any:
    body = transport.requests[index].body
    assert body is not None
    return json.loads(body)


def results(events: list[Event]) -> list[ToolCallResult]:
    return [event for event in events if isinstance(event, ToolCallResult)]


# --- the tool ------------------------------------------------------------------------------------


async def test_a_confirmed_picture_is_made_once_and_the_model_never_reads_its_address() -> None:
    images, transport = service(answer(MADE))
    model = ScriptedModel(calls("generate_image", prompt=" a cat "), says("There."))
    history: list[Message] = [UserMessage("go")]
    events = await play(model, image_tools(images), messages=history, approver=Answers())
    assert sent(transport) == {"prompt": "a cat", "size": "1024x1024", "network": OPTIMISM}
    assert len(transport.requests) == 1
    [result] = results(events)
    assert result.display == Picture(f"{URL}/1.png", "a cat", 1024, 1024, "brush-1")
    assert result_of(history[2]) == {"status": "ok", "prompt": "a cat", "size": "1024x1024"}
    assert "http" not in str(history[1:])


async def test_a_declined_picture_is_never_made_and_the_model_is_told() -> None:
    images, transport = service(answer(MADE))
    model = ScriptedModel(calls("generate_image", prompt="a cat"), says("Then not."))
    approver = Answers([Declined("No.")])
    [result] = results(await play(model, image_tools(images), approver=approver))
    assert transport.requests == []
    assert (result.status, result.display) == ("user_declined", None)


async def test_after_an_edit_the_edited_prompt_runs_and_is_read() -> None:
    images, transport = service(answer(MADE))
    edited = Approved({"prompt": "a red dog", "size": "1792x1024"})
    history: list[Message] = [UserMessage("go")]
    model = ScriptedModel(calls("generate_image", prompt="a dog"), says("There."))
    await play(model, image_tools(images), messages=history, approver=Answers([edited]))
    assert sent(transport)["prompt"] == "a red dog"
    assert result_of(history[2])["prompt"] == "a red dog"
    assert result_of(history[2])["arguments"] == {"prompt": "a red dog", "size": "1792x1024"}


@pytest.mark.parametrize(
    "arguments",
    [{}, {"prompt": "  "}, {"prompt": "x" * (MAX_PROMPT + 1)}, {"prompt": "x", "size": "1x1"}],
)
async def test_arguments_that_cannot_be_made_ask_nobody(arguments: dict[str, str]) -> None:
    images, transport = service(answer(MADE))
    approver = Answers()
    model = ScriptedModel(calls("generate_image", **arguments), says("Hm."))
    [result] = results(await play(model, image_tools(images), approver=approver))
    assert result.status == "invalid_arguments"
    assert (approver.asked, transport.requests) == ([], [])


async def test_a_failed_mint_is_told_and_the_picture_is_there() -> None:
    images, _ = service(answer({**MADE, "x_nft": {"status": "mint_failed", "reason": "gas"}}))
    model = ScriptedModel(calls("generate_image", prompt="a cat"), says("There."))
    [result] = results(await play(model, image_tools(images), approver=Answers()))
    assert json.loads(result.content)["mint"] == "mint_failed"
    assert isinstance(result.display, Picture)
    assert result.display.mint_failed


async def test_no_more_pictures_than_the_budget_and_nobody_is_asked_for_one_more() -> None:
    images, transport = service(answer(MADE))
    turns = [calls("generate_image", prompt=f"cat {n}") for n in range(3)]
    approver = Answers()
    events = await play(
        ScriptedModel(*turns, says("There.")),
        image_tools(images),
        approver=approver,
        middleware=[paid_call_budget(2)],
    )
    assert [result.status for result in results(events)] == ["ok", "ok", "budget_exhausted"]
    assert (len(approver.asked), len(transport.requests)) == (2, 2)


# --- the service ---------------------------------------------------------------------------------


class NotPaid(AgentError):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (TransportError("timeout", "images.example"), "generation_failed"),
        (answer("<html>", 502), "generation_failed"),
        (answer({"error": {"message": "The prompt was refused."}}, 400), "generation_failed"),
        (answer({"message": "network trouble"}, 503), "generation_failed"),
        (answer({"error": "Unsupported network: eip155:1"}, 400), "wrong_network"),
        (answer({"error": {"code": "wrong_network"}}, 409), "wrong_network"),
        (answer({}, 402), "payment_refused"),
        (NotPaid("declined"), "user_declined"),
        (NotPaid("wrong_network"), "wrong_network"),
        (NotPaid("offer_refused"), "payment_refused"),
        (answer("no json"), "invalid_response"),
        (answer([1]), "invalid_response"),
        (answer({"data": []}), "invalid_response"),
        (answer({"data": [{"url": "javascript:alert(1)"}, "x", {}]}), "invalid_response"),
        (answer({"data": [{"url": "http://foreign.example/1.png"}]}), "invalid_response"),
        (answer({"data": [{"url": "https://[broken"}]}), "invalid_response"),
    ],
)
async def test_what_goes_wrong_has_a_code_and_names_the_host(
    given: HttpResponse | Exception, status: str
) -> None:
    images, transport = service(given)
    with pytest.raises(ToolError) as raised:
        await images.generate("a cat", "1024x1024")
    assert raised.value.code == status
    assert "images.example" in raised.value.reason
    assert len(transport.requests) == 1  # never once more by itself


async def test_the_services_own_words_reach_the_model() -> None:
    images, _ = service(answer({"error": {"code": "policy", "message": "Not\nthis."}}, 422))
    with pytest.raises(ToolError, match=r"422\. It says: policy Not this\."):
        await images.generate("a cat", "1024x1024")


# --- the price -----------------------------------------------------------------------------------


def offer(**changes: object) -> dict[str, object]:
    usual = {
        "scheme": "exact",
        "network": OPTIMISM,
        "amount": "70000",
        "asset": USDC[OPTIMISM].upper().replace("0X", "0x"),
        "payTo": PAYEE,
        "maxTimeoutSeconds": 60,
    }
    return {**usual, **changes}


def challenge(*offers: object, version: object = 2) -> str:
    document = {"x402Version": version, "resource": {"url": URL}, "accepts": list(offers)}
    return base64.b64encode(json.dumps(document).encode()).decode()


def described(**changes: object) -> HttpResponse:
    return answer({"x-service-type": "images/v1", "info": {"title": "Brush"}, **changes})


def quote(*answers: HttpResponse | Exception, limit: int = 100_000) -> tuple[ImageQuote, Any]:
    transport = FakeTransport(list(answers))
    made = ImageQuote(
        transport, f"{URL}/v1", lambda: OPTIMISM, networks=(OPTIMISM, BASE), limit=limit
    )
    return made, transport


WANTED = {"prompt": "my secret cat", "size": "1792x1024"}


@pytest.mark.parametrize("zero", ["0", "0.00", 0, " 0 "])
async def test_a_service_that_says_it_is_free_is_not_asked(zero: object) -> None:
    made, transport = quote(described(**{"x-price": zero}))
    assert await made.price(WANTED) == Price(0, seller="Brush")
    [request] = transport.requests
    assert (request.method, request.url) == ("GET", f"{URL}/openapi.json")


@pytest.mark.parametrize("priced", [{}, {"x-price": "0.07"}, {"x-price": "free"}])
async def test_a_paid_service_names_its_price_in_a_402_and_does_not_learn_the_prompt(
    priced: dict[str, object],
) -> None:
    paid = answer({}, 402, {"payment-required": challenge(offer())})
    made, transport = quote(described(**priced), paid)
    assert await made.price(WANTED) == Price(70_000, OPTIMISM, PAYEE, "Brush")
    assert transport.requests[1].url == f"{URL}/v1"
    assert sent(transport)["size"] == "1792x1024"
    assert "secret" not in str(sent(transport))


@pytest.mark.parametrize(
    ("answers", "code", "requests"),
    [
        ([TransportError("offline", "images.example")], "unreachable", 1),
        ([answer("not found", 404)], "not_described", 1),
        ([answer("[]")], "not_described", 1),
        ([answer({"x-service-type": "llm/v1", "x-price": "0"})], "not_described", 1),
        ([described(), TransportError("timeout", "images.example")], "unreachable", 2),
        ([described(), answer(MADE)], "no_price", 2),
        ([described(), answer({}, 402)], "unreadable", 2),
        ([described(info=7), answer({}, 402, {"payment-required": "%%%"})], "unreadable", 2),
    ],
)
async def test_a_price_that_cannot_be_read_says_why(
    answers: list[HttpResponse | Exception], code: str, requests: int
) -> None:
    made, transport = quote(*answers)
    with pytest.raises(PriceError) as raised:
        await made.price(WANTED)
    assert raised.value.code == code
    assert len(transport.requests) == requests


async def test_more_than_the_owner_allows_is_no_price() -> None:
    paid = answer({}, 402, {"payment-required": challenge(offer(amount="100001"))})
    made, _ = quote(described(), paid)
    with pytest.raises(PriceError) as raised:
        await made.price(WANTED)
    assert raised.value.code == "too_expensive"
    assert raised.value.facts == {"amount": "100001", "limit": "100000"}


@pytest.mark.parametrize(
    "bad",
    [
        offer(scheme="batch-settlement"),
        offer(network="eip155:1"),
        offer(network=None),
        offer(asset="0x" + "cd" * 20),
        offer(amount=70000),
        offer(amount="0.07"),
        offer(amount="-1"),
        offer(payTo="0xabc"),
        "offer",
        None,
    ],
)
def test_a_bad_offer_is_passed_over_for_a_good_one(bad: object) -> None:
    assert price_in_challenge(challenge(bad), (OPTIMISM, BASE)) is None
    good = offer(network=BASE, asset=USDC[BASE])
    assert price_in_challenge(challenge(bad, good), (OPTIMISM, BASE)) == Price(70_000, BASE, PAYEE)
    assert price_in_challenge(challenge(bad, good), (OPTIMISM,)) is None


@pytest.mark.parametrize(
    "header",
    [
        "",
        "?",
        "a" * 70_000,
        base64.b64encode(b"[1]").decode(),
        base64.b64encode(b'{"x402Version":2}').decode(),
        challenge(offer(), version=1),
        challenge(offer(), version="2"),
    ],
)
def test_a_header_that_is_none_holds_no_price(header: str) -> None:
    assert price_in_challenge(header, (OPTIMISM,)) is None


def test_a_header_without_its_padding_is_read() -> None:
    assert price_in_challenge(challenge(offer()).rstrip("="), (OPTIMISM,)) is not None
