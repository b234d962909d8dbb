"""Pictures: what is sent, what the model reads, what a picture costs and how that is found out."""

import json
from dataclasses import replace
from typing import Any

import pytest
from tabloop.agent.budgets import paid_call_budget
from tabloop.agent.displays import NoPicture, Picture
from tabloop.agent.errors import ToolError
from tabloop.agent.events import Event, ToolCallResult
from tabloop.agent.messages import Message, UserMessage
from tabloop.agent.ports import Approved, Declined
from tabloop.contrib.scripted import ScriptedModel
from tabloop.core.errors import AgentError
from tabloop.core.http import HttpRequest, HttpResponse, TransportError
from tabloop.core.pricing import ConfirmedPrice, Price, PriceError
from tabloop.tools.images.prices import ImagePricing
from tabloop.tools.images.service import ImageService
from tabloop.tools.images.tool import MAX_PROMPT, image_tools

from tests.unit.fake_transport import FakeTransport, answer
from tests.unit.fakes import Answers, calls, play, result_of, says

URL = "https://images.example"
MADE = {"created": 1, "data": [{"url": f"{URL}/1.png"}], "model": "brush-1"}
BASE, OPTIMISM = "eip155:8453", "eip155:10"
PAYEE = "0x" + "ab" * 20


def service(
    *answers: HttpResponse | Exception, confirmed_price: Price | None = None
) -> tuple[ImageService, FakeTransport]:
    transport = FakeTransport(list(answers))
    return ImageService(
        transport, URL, lambda: OPTIMISM, ConfirmedPrice(confirmed_price).take
    ), transport


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
async def test_invalid_arguments_ask_nobody(arguments: dict[str, str]) -> None:
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
    def __init__(self, code: str, **facts: str) -> None:
        super().__init__(code, facts=facts)


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
        (NotPaid("not_connected"), "payment_refused"),
        (NotPaid("answer_lost", maybe_charged="0.07"), "generation_failed"),
        (answer("no json"), "invalid_response"),
        (answer([1]), "invalid_response"),
        (answer({"data": []}), "invalid_response"),
        (answer({"data": [{"url": "javascript:alert(1)"}, "x", {}]}), "invalid_response"),
        (answer({"data": [{"url": "http://foreign.example/1.png"}]}), "invalid_response"),
        (answer({"data": [{"url": "https://[broken"}]}), "invalid_response"),
    ],
)
async def test_each_failure_has_a_code_and_names_the_host(
    given: HttpResponse | Exception, status: str
) -> None:
    images, transport = service(given)
    with pytest.raises(ToolError) as raised:
        await images.generate("a cat", "1024x1024")
    assert raised.value.code == status
    assert "images.example" in raised.value.reason or status == "user_declined"
    assert isinstance(raised.value.display, NoPicture)
    assert raised.value.display.host == "images.example"
    assert len(transport.requests) == 1  # never repeated without a press


async def test_the_model_reads_what_was_asked_and_what_was_agreed() -> None:
    images, _ = service(NotPaid("offer_refused", reason="price_rose", asked="0.09", allowed="0.07"))
    with pytest.raises(ToolError, match=r"now asks 0\.09 USDC, the person confirmed 0\.07"):
        await images.generate("a cat", "1024x1024")


async def test_the_model_reads_that_a_lost_answer_may_have_been_charged() -> None:
    images, _ = service(NotPaid("answer_lost", maybe_charged="0.07"))
    with pytest.raises(ToolError, match=r"up to 0\.07 USDC may have been charged"):
        await images.generate("a cat", "1024x1024")


async def test_a_request_carries_what_the_person_agreed_to_and_only_once() -> None:
    agreed = Price(70_000, BASE, PAYEE)
    images, transport = service(answer(MADE), confirmed_price=agreed)
    for _ in range(2):
        await images.generate("a cat", "1024x1024")
    assert [request.confirmed_price for request in transport.requests] == [agreed, Price(0)]
    assert [sent(transport, index)["network"] for index in (0, 1)] == [BASE, OPTIMISM]


@pytest.mark.parametrize("status", [200, 422, 402, 500])
@pytest.mark.parametrize("cost", [0, 70_000])
async def test_a_bad_answer_may_have_cost_what_was_paid_and_not_the_price_on_the_card(
    status: int, cost: int
) -> None:
    given = replace(answer({}, status), cost=cost)
    images, _ = service(given, confirmed_price=Price(70_000, OPTIMISM, PAYEE))
    with pytest.raises(ToolError) as raised:
        await images.generate("a cat", "1024x1024")
    assert isinstance(raised.value.display, NoPicture)
    assert raised.value.display.max_cost == cost


async def test_the_services_own_words_reach_the_model() -> None:
    images, _ = service(answer({"error": {"code": "policy", "message": "Not\nthis."}}, 422))
    with pytest.raises(ToolError, match=r"422\. It says: policy Not this\."):
        await images.generate("a cat", "1024x1024")


# --- the price -----------------------------------------------------------------------------------


class Prices:
    """Reads every 402 as one price; `asked` holds the requests."""

    def __init__(self, found: Price | PriceError | None) -> None:
        self.found = found
        self.asked: list[HttpRequest] = []

    async def price(self, request: HttpRequest) -> Price | None:
        self.asked.append(request)
        if isinstance(self.found, PriceError):
            raise self.found
        return self.found


def quote(
    described: HttpResponse | Exception, found: Price | PriceError | None = None
) -> tuple[ImagePricing, FakeTransport, Prices]:
    transport, prices = FakeTransport([described]), Prices(found)
    return ImagePricing(transport, prices, f"{URL}/v1", lambda: OPTIMISM), transport, prices


def described(**changes: object) -> HttpResponse:
    return answer({"x-service-type": "images/v1", "info": {"title": "Brush"}, **changes})


WANTED = {"prompt": "my secret cat", "size": "1792x1024"}
SEVEN_CENTS = Price(70_000, OPTIMISM, PAYEE)


@pytest.mark.parametrize("zero", ["0", "0.00", 0, " 0 "])
async def test_a_service_that_says_it_is_free_is_not_asked(zero: object) -> None:
    made, transport, prices = quote(described(**{"x-price": zero}))
    assert await made.price(WANTED) == Price(0, seller="Brush")
    [request] = transport.requests
    assert (request.method, request.url) == ("GET", f"{URL}/openapi.json")
    assert prices.asked == []


@pytest.mark.parametrize(
    ("says", "seller"),
    [
        (described(), "Brush"),
        (described(**{"x-price": "0.07"}), "Brush"),
        (described(**{"x-price": "free"}), "Brush"),
        (described(info=7), ""),
        (answer("not found", 404), ""),
        (answer("[]"), ""),
        (answer("no json"), ""),
        (answer({"x-service-type": "llm/v1", "x-price": "0"}), ""),
        (TransportError("unreachable", "images.example"), ""),
    ],
)
async def test_the_price_of_any_other_service_is_asked_with_a_request_that_makes_no_picture(
    says: HttpResponse | Exception, seller: str
) -> None:
    made, _, prices = quote(says, SEVEN_CENTS)
    assert await made.price(WANTED) == Price(70_000, OPTIMISM, PAYEE, seller)
    [request] = prices.asked
    assert request.url == f"{URL}/v1"
    assert json.loads(request.body or b"") == {"size": "1792x1024", "network": OPTIMISM}


async def test_a_service_that_names_no_price_has_none() -> None:
    made, _, _ = quote(described(), None)
    with pytest.raises(PriceError) as raised:
        await made.price(WANTED)
    assert (raised.value.code, raised.value.host) == ("no_price", "images.example")
