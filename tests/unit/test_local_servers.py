"""Model servers on this computer: what they tell, and what the page says of it."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import pytest
from tabloop.core.http import (
    HttpRequest,
    HttpResponse,
    Streaming,
    Transport,
    TransportError,
    host_of,
)
from tabloop.endpoint.local_servers import (
    SERVERS,
    Found,
    LocalModel,
    LocalServer,
    State,
    find_models,
)
from tabloop.ui.local_models import Access, chosen_of, found_html
from tabloop.ui.strings import load_strings

from tests.unit.fake_transport import FakeTransport, answer

OLLAMA, LLAMA, STUDIO = SERVERS
STRINGS = load_strings("en")


@dataclass
class Computer(Transport):
    """Answers by address; a request to any other fails as in a browser."""

    answers: Mapping[str, HttpResponse]
    up: frozenset[str] = frozenset()  # origins that answer, but not to this page
    asked: list[str] = field(default_factory=list[str])

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Streaming]:
        return self._stream(request)

    @asynccontextmanager
    async def _stream(self, request: HttpRequest) -> AsyncGenerator[Streaming, None]:
        self.asked.append(request.url)
        assert not request.follow_redirects
        assert "authorization" not in request.headers
        posted = request.method == "POST"
        assert posted == bool(request.body)
        assert request.headers.get("content-type") == ("application/json" if posted else None)
        # a browser may ask the person before it asks the server
        assert request.timeout == (10 if request.url.endswith("/v1/models") else 60)
        named = json.loads(request.body)["model"] if request.body else ""
        given = self.answers.get(f"{request.url} {named}".strip())
        if given is None:
            raise TransportError("unreachable", host_of(request.url))
        async with FakeTransport([given]).stream(request) as response:
            yield response

    async def reachable(self, url: str) -> bool:
        return url in self.up

    async def find(self, server: LocalServer) -> Found:
        [found] = await find_models(self, self.reachable, [server])
        return found


def test_the_usual_addresses_are_those_of_the_known_kinds() -> None:
    assert [server.name for server in SERVERS] == ["Ollama", "llama.cpp", "LM Studio"]
    assert [server.origins[0] for server in SERVERS] == [
        "http://localhost:11434",
        "http://localhost:8080",
        "http://localhost:1234",
    ]
    assert all(server.origins[1].startswith("http://127.0.0.1:") for server in SERVERS)


async def test_ollama_tells_for_each_model_whether_it_uses_tools() -> None:
    at = "http://localhost:11434"
    tags = {
        "models": [
            {"name": "qwen3:latest"},
            {"name": "gemma3:1b"},
            {"name": "bge-m3"},
            {"name": "old"},
            {"name": "big-cloud", "remote_host": "https://ollama.com:443"},
            {"name": "new", "capabilities": ["completion", "tools"]},
            {"broken": 1},
        ]
    }
    computer = Computer(
        {
            f"{at}/api/tags": answer(tags),
            f"{at}/api/show qwen3:latest": answer({"capabilities": ["completion", "tools"]}),
            f"{at}/api/show gemma3:1b": answer({"capabilities": ["completion", "vision"]}),
            f"{at}/api/show bge-m3": answer({"capabilities": ["embedding"]}),
            f"{at}/api/show old": answer({"modelfile": ""}),
            f"{at}/api/show big-cloud": answer("", 500),
        }
    )
    found = await computer.find(OLLAMA)
    assert (found.state, found.url) == ("models", f"{at}/v1")
    assert found.models == (
        LocalModel("qwen3:latest", True),
        LocalModel("gemma3:1b", False),
        LocalModel("old", None),
        LocalModel("big-cloud", None, "ollama.com:443"),
        LocalModel("new", True),
    )
    assert computer.asked.count(f"{at}/api/show") == 5  # "new" has told it in the list


async def test_only_so_many_models_are_asked_and_listed() -> None:
    at = "http://localhost:11434"
    names = [f"m{number}" for number in range(60)]
    shows = {f"{at}/api/show {name}": answer({"capabilities": ["completion"]}) for name in names}
    tags = answer({"models": [{"name": name} for name in names]})
    computer = Computer({f"{at}/api/tags": tags, **shows})
    found = await computer.find(OLLAMA)
    assert [model.name for model in found.models] == names[:50]
    assert [model.tools for model in found.models] == [False] * 20 + [None] * 30
    assert computer.asked.count(f"{at}/api/show") == 20


async def test_a_server_that_names_no_model_to_chat_with_is_empty() -> None:
    at = "http://localhost:1234"
    entries = [{"id": "a", "type": "embedding"}, {"id": "b", "type": "embeddings"}, {"id": ""}]
    listed = answer({"data": [*entries, "x", {"type": "llm"}]})
    found = await Computer({f"{at}/api/v0/models": listed}).find(STUDIO)
    assert found == Found(STUDIO, "empty", f"{at}/v1")


@pytest.mark.parametrize(
    ("props", "tools"),
    [
        (answer({"chat_template_caps": {"supports_tools": True}}), True),
        (answer({"chat_template_caps": {"supports_tools": False}}), False),
        (answer({"chat_template": ""}), None),
        (answer("", 404), None),
    ],
)
async def test_llama_cpp_tells_it_by_its_chat_template(
    props: HttpResponse, tools: bool | None
) -> None:
    at = "http://localhost:8080"
    models = answer({"data": [{"id": "qwen.gguf"}]})
    found = await Computer({f"{at}/props": props, f"{at}/v1/models": models}).find(LLAMA)
    assert found.models == (LocalModel("qwen.gguf", tools),)


@pytest.mark.parametrize(("told", "first", "second"), [(True, True, False), (False, None, None)])
async def test_lm_studio_names_tool_use_where_its_version_tells(
    told: bool, first: bool | None, second: bool | None
) -> None:
    entries: list[dict[str, object]] = [
        {"id": "qwen", "type": "llm"},
        {"id": "phi", "type": "vlm"},
        {"id": "nomic", "type": "embeddings"},
    ]
    if told:
        entries[0]["capabilities"] = ["tool_use"]
    listed = answer({"data": entries})
    found = await Computer({"http://localhost:1234/api/v0/models": listed}).find(STUDIO)
    assert found.models == (LocalModel("qwen", first), LocalModel("phi", second))


async def test_the_second_name_of_this_computer_is_tried_where_the_first_does_not_answer() -> None:
    at = "http://127.0.0.1:1234"
    listed = answer({"data": [{"id": "qwen", "type": "llm"}]})
    found = await Computer({f"{at}/api/v0/models": listed}).find(STUDIO)
    assert found.url == f"{at}/v1"


async def test_what_refuses_the_page_is_told_from_what_is_not_there() -> None:
    silent = await Computer({}).find(OLLAMA)
    assert silent == Found(OLLAMA, "silent", "http://localhost:11434/v1")
    computer = Computer({}, up=frozenset({"http://127.0.0.1:11434"}))
    found = await computer.find(OLLAMA)
    assert found == Found(OLLAMA, "refused", "http://127.0.0.1:11434/v1")
    tags = "http://localhost:11434/api/tags"
    states: list[tuple[int, State]] = [(401, "key"), (403, "key"), (404, "empty"), (200, "empty")]
    for status, state in states:
        found = await Computer({tags: answer("<html>", status)}).find(OLLAMA)
        assert found == Found(OLLAMA, state, "http://localhost:11434/v1")


def shown(found: list[Found], access: Access = "own") -> str:
    return found_html(STRINGS, found, origin="https://chat.example", access=access).markup


def test_each_model_says_whether_it_can_use_tools_and_where_it_runs() -> None:
    models = (LocalModel("a", True), LocalModel("b", False), LocalModel("c", None, "ollama.com"))
    html = shown([Found(OLLAMA, "models", "http://localhost:11434/v1", models)])
    for words in (
        "Ollama at localhost:11434",
        "Can use tools",
        "Not made for tools",
        "Does not tell",
        "Runs at ollama.com, not on this computer",
    ):
        assert words in html
    assert chosen_of('["http://localhost:11434/v1", "a"]') == ("http://localhost:11434/v1", "a")


def test_many_models_are_behind_more() -> None:
    models = tuple(LocalModel(f"m{number}") for number in range(30))
    html = shown([Found(OLLAMA, "models", "http://localhost:11434/v1", models)])
    assert html.count("use-local") == 30
    assert "22 more" in html


@pytest.mark.parametrize(
    ("server", "state", "words"),
    [
        (OLLAMA, "silent", "ollama serve"),
        (OLLAMA, "refused", "OLLAMA_ORIGINS to https://chat.example"),
        (OLLAMA, "empty", "ollama pull"),
        (LLAMA, "silent", "llama-server --jinja"),
        (LLAMA, "refused", "another program"),
        (LLAMA, "empty", "loading"),
        (STUDIO, "silent", "lms server start --cors"),
        (STUDIO, "refused", "Enable CORS"),
        (STUDIO, "key", "wants a key"),
    ],
)
def test_a_server_that_cannot_be_used_is_named_with_what_helps(
    server: LocalServer, state: str, words: str
) -> None:
    found = Found(server, state, f"{server.origins[0]}/v1")  # type: ignore[arg-type]  # pyright: ignore -- each state in turn
    html = shown([found])
    assert "No model was found" in html
    assert words in html


def test_the_browsers_own_permission_is_named_where_nothing_was_found() -> None:
    nothing = [Found(OLLAMA, "silent", "http://localhost:11434/v1")]
    models = [Found(OLLAMA, "models", "http://localhost:11434/v1", (LocalModel("a"),))]
    assert "allow it" in shown(nothing, "asks")
    assert "beside the address" in shown(nothing, "denied")
    assert "https" in shown(nothing, "insecure").replace("https://chat.example", "")
    assert "allow it" not in shown(nothing) + shown(models, "asks")
