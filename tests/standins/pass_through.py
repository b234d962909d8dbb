"""A proxy on loopback that adds the key of an endpoint.

Rule: the key stays in this process, also where the endpoint sends it back, and only the page that
is served here may use it, only to chat and to list the models.
"""

from collections.abc import Callable, Mapping

import aiohttp
from aiohttp import web
from tabloop.endpoint.urls import completions_urls, models_url
from yarl import URL

from tests.standins.base import StandIn
from tests.standins.toml_overlay import TomlValue

__all__ = ["PassThrough"]

OF_ONE_CONNECTION = {"connection", "content-length", "keep-alive", "transfer-encoding"}
# all that the page sends; others could replace the key, the path or the method at some servers
SENT_ON = {"accept", "content-type"}
MIN_KEY = 6  # characters; a shorter key is a word of a local server, and no secret
MARK = b"[key]"
NOT_HANDED_BACK = OF_ONE_CONNECTION | {"content-encoding", "set-cookie"}


class PassThrough(StandIn):
    """Hands requests to `target` with the same path, body and answer untouched.

    The path is kept because the page decides by it how to ask (`.../v1` is an API's base).
    `is_page` says whether an `Origin` is the page's: any other gets 403, so that no other site
    open in the same browser can use the key. Paths that the page does not need get 404: a script in
    the page must not reach the account or the files behind the same key.
    """

    name = "pass-through"
    records = False  # other sites may send here too
    allow_methods = "GET, POST, OPTIONS"
    allow_headers = "content-type, authorization, accept"
    expose_headers = "retry-after"

    def __init__(self, target: str, model: str, key: str, is_page: Callable[[str], bool]) -> None:
        super().__init__()
        self._target = URL(target)
        self._model = model
        self._key = key
        self._is_page = is_page
        self._session: aiohttp.ClientSession | None = None
        self.description = f"{model} at {target}, the key is added here and never reaches the page"

    def settings(self) -> Mapping[str, TomlValue]:
        return {"llm_url": self._here, "llm_model": self._model}

    @property
    def _here(self) -> str:
        return str(URL(self.url).join(self._target.relative()))

    def _is_needed(self, request: web.Request) -> bool:
        """Whether the page sends such a request to the address in its settings."""
        asked = str(URL(self.url).join(request.rel_url))
        chats = completions_urls(self._here)
        needed = chats if request.method == "POST" else map(models_url, chats)
        return request.method in ("GET", "POST") and asked in needed

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_route("*", "/{path:.*}", self._pass)

    async def started(self) -> None:
        # no timeout here, because a model may need minutes; the page has its own
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10), auto_decompress=True
        )

    async def stop(self) -> None:
        await super().stop()
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        if not self._is_page(request.headers.get("Origin", "")):
            return self.error(403, "Only the page served beside this may ask here.")
        if not self._is_needed(request):
            return self.error(404, "Only the chat and the list of models are handed on.")
        if self._session is None:
            raise web.HTTPServiceUnavailable
        headers = {k: v for k, v in request.headers.items() if k.lower() in SENT_ON}
        headers["Authorization"] = f"Bearer {self._key}"
        url = self._target.origin().join(request.rel_url)
        try:
            async with self._session.request(
                request.method,
                url,
                headers=headers,
                data=await request.read() or None,
                allow_redirects=False,
            ) as answer:
                return await self._hand_back(request, answer)
        except (aiohttp.ClientConnectionError, TimeoutError) as error:
            return self.error(502, f"{self._target.host} gave no answer: {error}")

    async def _hand_back(
        self, request: web.Request, answer: aiohttp.ClientResponse
    ) -> web.StreamResponse:
        headers = {k: v for k, v in answer.headers.items() if k.lower() not in NOT_HANDED_BACK}
        headers = {k: v for k, v in headers.items() if not k.lower().startswith("access-control-")}
        if len(self._key) >= MIN_KEY:
            headers = {k: v.replace(self._key, MARK.decode()) for k, v in headers.items()}
        without_key = _WithoutKey(self._key)
        response = web.StreamResponse(status=answer.status, headers=headers)
        await response.prepare(request)
        async for chunk in answer.content.iter_any():
            if ready := without_key.feed(chunk):
                await response.write(ready)
        await response.write_eof(without_key.rest)
        return response


class _WithoutKey:
    """Replaces the key in a body that arrives in pieces. `rest`: what may still begin the key."""

    def __init__(self, key: str) -> None:
        self._key = key.encode() if len(key) >= MIN_KEY else b""
        self.rest = b""

    def feed(self, piece: bytes) -> bytes:
        if not self._key:
            return piece
        whole = (self.rest + piece).replace(self._key, MARK)
        longest = min(len(self._key) - 1, len(whole))
        held = next((n for n in range(longest, 0, -1) if whole.endswith(self._key[:n])), 0)
        self.rest = whole[len(whole) - held :]
        return whole[: len(whole) - held]
