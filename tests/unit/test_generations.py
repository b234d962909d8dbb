"""Pictures by OpenAI's `images/generations`: what is sent, what comes back, what the card says."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from tabloop.agent.displays import NoPicture, Picture
from tabloop.agent.errors import ToolError
from tabloop.contrib.httpx_transport import HttpxTransport
from tabloop.core.http import HttpRequest, HttpResponse, TransportError
from tabloop.core.pricing import Price, UnknownPrice
from tabloop.tools.images.choice import ChosenService
from tabloop.tools.images.generations import Generations, PictureEndpoint, generations_url
from tabloop.tools.images.prices import ImagePricing
from tabloop.tools.images.service import ImageService
from tabloop.ui.image_card import CardState, confirm_label, price_html, remark, size_label
from tabloop.ui.pictures import outcome_html, picture_html
from tabloop.ui.strings import load_strings

from tests.standins.generations import KEY, REFUSED
from tests.standins.generations import Generations as Service
from tests.unit.fake_transport import FakeTransport, answer

BASE = "https://api.openai.com/v1"
ENDPOINT = PictureEndpoint(BASE, "gpt-image-1", KEY)
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n and more").decode()
EN = load_strings("en")


def made(*answers: HttpResponse | Exception, **changes: str) -> tuple[Generations, FakeTransport]:
    transport = FakeTransport(list(answers))
    return Generations(transport, replace(ENDPOINT, **changes)), transport


def sent(request: HttpRequest) -> Any:
    return json.loads(request.body or b"")


async def failure(images: Generations) -> tuple[ToolError, NoPicture]:
    with pytest.raises(ToolError) as raised:
        await images.generate("a cat", "1024x1024")
    display = raised.value.display
    assert isinstance(display, NoPicture)
    return raised.value, display


@pytest.mark.parametrize(
    ("address", "url"),
    [
        (BASE, f"{BASE}/images/generations"),
        (f"{BASE}/", f"{BASE}/images/generations"),
        (f"{BASE}/images/generations", f"{BASE}/images/generations"),
        ("http://localhost:8080/v1beta", "http://localhost:8080/v1beta/images/generations"),
        ("https://imagegen-agent.fretchen.eu", ""),
        ("https://pictures.example/api", ""),
        ("", ""),
    ],
)
def test_the_address_tells_the_kind_of_service(address: str, url: str) -> None:
    assert generations_url(address) == url


@pytest.mark.parametrize(
    ("model", "wide"),
    [("gpt-image-1", "1536x1024"), ("gpt-image-1-mini", "1536x1024"), ("dall-e-3", "1792x1024")],
)
async def test_a_request_has_only_what_every_such_service_knows(model: str, wide: str) -> None:
    images, transport = made(answer({"data": [{"b64_json": PNG}]}), model=model)
    picture = await images.generate("a cat", "1792x1024")
    [request] = transport.requests
    assert sent(request) == {"prompt": "a cat", "size": wide, "model": model}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert not request.follow_redirects
    assert f"{picture.width}x{picture.height}" == wide


async def test_without_model_and_key_neither_is_sent() -> None:
    images, transport = made(answer({"data": [{"b64_json": PNG}]}), model="", key="")
    await images.generate("a cat", "1024x1024")
    [request] = transport.requests
    assert "model" not in sent(request)
    assert "authorization" not in request.headers


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ({"url": "https://pictures.example/1.png"}, "https://pictures.example/1.png"),
        ({"url": None, "b64_json": PNG}, f"data:image/png;base64,{PNG}"),
        ({"b64_json": "/9j/AAAA"}, "data:image/jpeg;base64,/9j/AAAA"),
    ],
)
async def test_an_address_or_the_picture_itself_is_shown(
    entry: dict[str, str | None], url: str
) -> None:
    images, _ = made(answer({"data": [entry]}))
    assert await images.generate("a cat", "1024x1024") == Picture(
        url, "a cat", 1024, 1024, "gpt-image-1"
    )


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"url": "javascript:alert(1)"},
        {"url": "http://pictures.example/1.png"},
        {"b64_json": "not base64!"},
        {"b64_json": f'{PNG}" onerror="alert(1)'},
        {"b64_json": base64.b64encode(b"<svg onload='alert(1)'/>").decode()},
        {"b64_json": ["x"]},
        "x",
    ],
)
async def test_what_is_no_picture_is_never_shown(entry: object) -> None:
    images, transport = made(answer({"data": [entry]}))
    error, _ = await failure(images)
    assert error.code == "invalid_response"
    assert len(transport.requests) == 1


async def test_a_failed_request_is_not_repeated() -> None:
    images, transport = made(TransportError("unreachable", "api.openai.com"))
    error, found = await failure(images)
    assert (error.code, found.host, len(transport.requests)) == (
        "generation_failed",
        "api.openai.com",
        1,
    )


async def test_a_key_with_an_unseen_sign_is_not_sent() -> None:
    images, transport = made(answer({}), key="sk-\u200babc")
    _, found = await failure(images)
    assert transport.requests == []
    assert "the key has a character" in str(outcome_html(EN, found))


@pytest.mark.parametrize(
    ("status", "code", "message", "said"),
    [
        (401, "invalid_api_key", "Incorrect API key.", "did not accept the key"),
        (400, "moderation_blocked", "Rejected by the safety system.", "content filter"),
        (429, "insufficient_quota", "You exceeded your current quota.", "used up"),
        (404, "model_not_found", "The model 'x' does not exist.", "does not have this model"),
        (500, None, "Oh.", "did not make it (HTTP 500)"),
    ],
)
async def test_a_refusal_says_what_helps_and_quotes_the_service(
    status: int, code: str | None, message: str, said: str
) -> None:
    images, _ = made(answer({"error": {"code": code, "message": message}}, status))
    error, found = await failure(images)
    assert message in error.reason
    html = str(outcome_html(EN, found))
    assert said in html
    assert message in html.replace("&#x27;", "'")
    assert "payment" not in html


# --- the card ------------------------------------------------------------------------------------


def card(price: Price) -> CardState:
    return CardState("a cat", "1792x1024", price)


def test_the_card_says_that_the_price_is_not_known_and_who_is_billed() -> None:
    price = made()[0].price()
    assert price == UnknownPrice(0, seller="api.openai.com", with_key=True, wide="1536x1024")
    assert confirm_label(EN, price) == "Generate, price not known"
    rows = str(price_html(EN, price))
    assert "Not known: billed to your key" in rows
    assert "Free" not in rows
    assert card(price).can_confirm
    assert remark(EN, card(price)) == "The prompt goes to api.openai.com."
    assert "1536" in size_label(EN, card(price))
    assert "1792" in size_label(EN, card(made(model="dall-e-3")[0].price()))


def test_without_a_key_the_card_does_not_speak_of_its_account() -> None:
    rows = str(price_html(EN, made(key="")[0].price()))
    assert "Not known" in rows
    assert "account" not in rows


async def test_a_confirmed_card_goes_to_the_service_that_stood_on_it() -> None:
    transport = FakeTransport([answer({"data": [{"b64_json": PNG}]})])
    chosen = [ENDPOINT]

    def paid(url: str) -> tuple[ImagePricing, ImageService]:
        raise AssertionError(f"{url} was asked")

    service = ChosenService(lambda: chosen[0], transport, paid)
    await service.price({"prompt": "a cat", "size": "1024x1024"})
    chosen[0] = PictureEndpoint("https://other.example/v1", "other", "sk-other")
    await service.generate("a cat", "1024x1024")
    [request] = transport.requests
    assert request.url.startswith(BASE)
    assert sent(request)["model"] == "gpt-image-1"


# --- what is shown and kept ----------------------------------------------------------------------


def test_a_picture_without_an_address_has_no_link_to_it() -> None:
    html = str(picture_html(EN, Picture(f"data:image/png;base64,{PNG}", "a cat", 1024, 1024)))
    assert "href" not in html
    assert html.count(PNG) == 1  # it has megabytes
    assert 'data-action="picture-open"' in html
    assert 'data-action="picture-download"' in html


def test_a_picture_that_was_not_kept_says_so() -> None:
    html = str(picture_html(EN, Picture("", "a cat", 1024, 1024)))
    assert "was not kept" in html
    assert "<img" not in html
    assert "data-action" not in html


# --- a service that is as strict as the real one -------------------------------------------------


@pytest.mark.parametrize("model", ["dall-e-3", "gpt-image-1", ""])
@pytest.mark.parametrize("size", ["1024x1024", "1792x1024"])
async def test_the_strict_service_makes_the_picture(model: str, size: str) -> None:
    service = Service()
    await service.start()
    try:
        endpoint = PictureEndpoint(f"{service.url}/v1", model, KEY)
        async with HttpxTransport() as http:
            picture = await Generations(http, endpoint).generate("a cat", size)
            with pytest.raises(ToolError, match="safety system"):
                await Generations(http, endpoint).generate(REFUSED, size)
            with pytest.raises(ToolError, match="401"):
                await Generations(http, replace(endpoint, key="no")).generate("a cat", size)
    finally:
        await service.stop()
    assert picture.url.startswith("data:image/png" if model == "gpt-image-1" else service.url)
    assert len(service.made) == 1


async def test_a_key_that_a_refusal_quotes_goes_neither_to_the_page_nor_to_the_model() -> None:
    words = f"Incorrect key: {KEY}. " + "x" * 90 + KEY
    images, _ = made(answer({"error": {"message": words}}, 401))
    error, shown = await failure(images)
    assert "Incorrect key: …." in error.reason
    assert KEY[:6] not in error.reason + shown.words + str(error)
