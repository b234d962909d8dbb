"""Addresses as providers print them: where the question goes, and where it goes next."""

from dataclasses import fields

import pytest
from tabloop.agent.errors import ModelError
from tabloop.agent.messages import UserMessage
from tabloop.agent.ports import ModelReply, ModelRequest
from tabloop.core.http import HttpResponse
from tabloop.endpoint.capabilities import EndpointCapabilities
from tabloop.endpoint.chat_completions import ChatCompletionsModel
from tabloop.endpoint.profiles import PROFILES, KnownEndpoints, Profile, profile_of
from tabloop.endpoint.urls import completions_urls, models_url

from tests.unit.fake_transport import FakeTransport, answer

HI = answer({"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]})
GEMINI = "https://generativelanguage.googleapis.com/v1beta/openai"


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("https://llm-agent.fretchen.eu", "https://llm-agent.fretchen.eu"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
        (" http://localhost:8080/v1/ ", "http://localhost:8080/v1/chat/completions"),
        (
            "https://x.test/openai/v1?api-version=2",
            "https://x.test/openai/v1/chat/completions?api-version=2",
        ),
        ("https://x.test/v1/chat/completions", "https://x.test/v1/chat/completions"),
        ("https://api.deepseek.com", "https://api.deepseek.com/v1/chat/completions"),
        ("https://api.deepseek.com/v1", "https://api.deepseek.com/v1/chat/completions"),
        ("https://openrouter.ai/api", "https://openrouter.ai/api/v1/chat/completions"),
        ("https://api.groq.com/", "https://api.groq.com/openai/v1/chat/completions"),
        (GEMINI, f"{GEMINI}/chat/completions"),
        (GEMINI.removesuffix("/openai"), f"{GEMINI}/chat/completions"),
        ("https://x.test/api/v1beta/openai/", "https://x.test/api/v1beta/openai/chat/completions"),
        ("https://API.OpenAI.com", "https://API.OpenAI.com/v1/chat/completions"),
    ],
)
def test_an_address_that_says_enough_has_one_meaning(address: str, url: str) -> None:
    assert completions_urls(address) == (url,)


@pytest.mark.parametrize(
    ("address", "urls"),
    [
        (
            "https://x.test",
            (
                "https://x.test",
                "https://x.test/v1/chat/completions",
                "https://x.test/chat/completions",
            ),
        ),
        (
            "https://x.test/api",
            (
                "https://x.test/api",
                "https://x.test/api/v1/chat/completions",
                "https://x.test/api/chat/completions",
            ),
        ),
        (
            "https://x.test/X/",
            (
                "https://x.test/X/",
                "https://x.test/X/v1/chat/completions",
                "https://x.test/X/chat/completions",
            ),
        ),
        (
            "http://localhost:1234",
            ("http://localhost:1234/v1/chat/completions", "http://localhost:1234"),
        ),
    ],
)
def test_another_address_may_lack_its_end(address: str, urls: tuple[str, ...]) -> None:
    assert completions_urls(address) == urls


@pytest.mark.parametrize(
    "no_endpoint",
    [
        answer("404 page not found", 404),
        answer("Method Not Allowed", 405),
        answer({"error": "Unexpected endpoint or method. (POST /)"}),
        answer("<pre>Cannot POST /</pre>", 400),
    ],
)
async def test_the_next_meaning_is_tried_and_remembered(no_endpoint: HttpResponse) -> None:
    known, transport = EndpointCapabilities(), FakeTransport([no_endpoint, HI])
    for _ in range(2):
        model = ChatCompletionsModel(transport, url="https://x.test", model="m", capabilities=known)
        parts = [part async for part in model.reply(ModelRequest((UserMessage("Hello"),)))]
        assert isinstance(parts[0], ModelReply)
    chat = "https://x.test/v1/chat/completions"
    assert [request.url for request in transport.requests] == ["https://x.test", chat, chat]


@pytest.mark.parametrize(
    ("refusal", "asked"),
    [
        (answer("not found", 404), 3),
        (answer({"error": "the model m does not exist"}, 404), 1),
        (HttpResponse(404, {}, b"not found", cost=10_000), 1),
        (answer("no", 401), 1),
    ],
)
async def test_only_a_missing_endpoint_is_looked_for_elsewhere(
    refusal: HttpResponse, asked: int
) -> None:
    known, transport = EndpointCapabilities(), FakeTransport([refusal])
    model = ChatCompletionsModel(transport, url="https://x.test", model="m", capabilities=known)
    with pytest.raises(ModelError):
        await anext(aiter(model.reply(ModelRequest((UserMessage("Hello"),)))))
    assert len(transport.requests) == asked
    assert known.url == ""


@pytest.mark.parametrize(
    ("url", "models"),
    [
        ("http://localhost:11434/v1/chat/completions", "http://localhost:11434/v1/models"),
        (f"{GEMINI}/chat/completions", f"{GEMINI}/models"),
        ("https://llm-agent.fretchen.eu", ""),
    ],
)
def test_the_list_of_models_lies_beside_the_endpoint(url: str, models: str) -> None:
    assert models_url(url) == models


# --- what is known beforehand --------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_each_fact_has_a_source(profile: Profile) -> None:
    plain = Profile(profile.name, profile.hosts, sources=profile.sources, checked=profile.checked)
    told = {
        one.name
        for one in fields(Profile)
        if getattr(profile, one.name) != getattr(plain, one.name)
    }
    assert told | {"base"} == profile.sources.keys()
    assert profile.checked <= profile.sources.keys()
    assert all(source.startswith("https://") for source in profile.sources.values())


def test_no_host_has_two_profiles() -> None:
    hosts = [host for profile in PROFILES for host in profile.hosts]
    assert len(hosts) == len(set(hosts))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.mistral.ai/v1", "Mistral"),
        ("http://127.0.0.1:11434", "Ollama"),
        ("http://localhost:9999", ""),
        ("https://api.mistral.ai.evil.test/v1", ""),
    ],
)
def test_an_endpoint_is_known_by_its_host(url: str, name: str) -> None:
    assert profile_of(url).name == name


def test_what_is_known_saves_a_refusal_and_the_tab_may_learn_otherwise() -> None:
    known = KnownEndpoints()
    assert known.of("https://api.deepseek.com", "m").wanted_back == {"reasoning_content"}
    assert not known.of("https://llm-agent.fretchen.eu", "m").streams
    known.of("https://api.deepseek.com", "m").streams = False
    assert not known.of("https://api.deepseek.com", "m").streams
    assert known.of("https://api.deepseek.com", "other").streams
