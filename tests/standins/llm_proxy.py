"""A free stand-in for the paid LLM proxy. Rule: it never runs a tool and never streams."""

import hashlib
from collections.abc import Mapping

from aiohttp import web
from tabloop.agent.errors import ModelError
from tabloop.agent.ports import ChatModel, ModelReply, ModelRequest

from tests.standins.base import StandIn
from tests.standins.llm_request import Refusal, read_request
from tests.standins.recording import json_bytes
from tests.standins.toml_overlay import TomlValue

__all__ = ["SCRIPT", "SEARCH", "LlmProxy"]

SEARCH = "tabloop-search"
SCRIPT = "script"  # the model's name where a file is played
MODELS = ("mistral-large-latest", SEARCH, SCRIPT)
BYTES_PER_TOKEN = 3.6  # an estimate for German and JSON with Mistral's tokenizer


class LlmProxy(StandIn):
    """Chat completions by POST to the address itself, answered by `model`."""

    name = "LLM proxy stand-in"
    description = "search mode: no language model, no payment"
    allow_methods = "GET, HEAD, POST, OPTIONS"
    allow_headers = "content-type, authorization, payment-signature"
    expose_headers = "payment-required, payment-response, retry-after"

    def __init__(self, model: ChatModel) -> None:
        super().__init__()
        self._model = model
        self._model_name = SEARCH
        self._replies = 0

    def call_model(self, name: str, description: str) -> None:
        """Say that `model` is not search mode."""
        self._model_name, self.description = name, description

    def settings(self) -> Mapping[str, TomlValue]:
        return {"llm_url": self.url, "llm_model": self._model_name, "stream": False}

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/", self._chat)
        router.add_get("/openapi.json", self._openapi)

    def error(self, status: int, message: str) -> web.Response:
        refusal = Refusal(status, message)
        return web.Response(
            body=json_bytes(refusal.body()), status=status, content_type="application/json"
        )

    async def _chat(self, request: web.Request) -> web.Response:
        try:
            asked = read_request(await request.read(), MODELS)
            reply = await self._reply(asked)
        except Refusal as refusal:
            return _json(refusal.body(), refusal.status)
        except ModelError as error:
            return _json(Refusal(500, str(error), type="server_error").body(), 500)
        body = await request.json()
        self._replies += 1
        return _json(self._completion(reply, body), 200)

    async def _reply(self, asked: ModelRequest) -> ModelReply:
        async for part in self._model.reply(asked):
            if isinstance(part, ModelReply):
                return part
        raise Refusal(500, "The model gave no reply.", type="server_error")

    def _completion(self, reply: ModelReply, body: Mapping[str, object]) -> dict[str, object]:
        calls = [
            # Mistral sends `index`, but refuses it in the history
            {
                "id": _call_id(self._replies, index),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
                "index": index,
            }
            for index, call in enumerate(reply.message.tool_calls)
        ]
        message: dict[str, object] = {"role": "assistant", "content": reply.message.content}
        if calls:
            message["tool_calls"] = calls
        prompt = _tokens([body.get("messages"), body.get("tools", [])])
        completion = _tokens(message)
        return {
            "id": f"search-{self._replies}",
            "object": "chat.completion",
            "created": 1_788_912_000 + self._replies,
            "model": body.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            },
        }

    async def _openapi(self, _request: web.Request) -> web.Response:
        document = {
            "openapi": "3.1.0",
            "x-service-type": "llm/v1",
            "info": {
                "title": "Search mode (local stand-in, takes no payment)",
                "version": "1",
                "contact": {"name": "Tabloop's stand-ins on this machine", "url": self.url},
            },
            "servers": [{"url": self.url}],
            "paths": {"/": {"post": {"summary": "Chat completions"}}},
        }
        return _json(document, 200)


def _json(body: object, status: int) -> web.Response:
    return web.Response(body=json_bytes(body), status=status, content_type="application/json")


def _tokens(value: object) -> int:
    return max(1, round(len(json_bytes(value)) / BYTES_PER_TOKEN))


def _call_id(reply: int, index: int) -> str:
    """Return an id of nine letters and digits, as Mistral's are."""
    return hashlib.sha256(f"{reply} {index}".encode()).hexdigest()[:9]
