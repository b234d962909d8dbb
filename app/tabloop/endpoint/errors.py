"""What went wrong at an endpoint: error bodies of every shape, read as one code and some words.

Rule: the status decides first, the words only where a status means several things.
"""

import re
from collections.abc import Iterator, Mapping

from tabloop.agent.errors import ModelError, ModelErrorCode
from tabloop.core.json_text import Json, JsonObject, as_list, as_object, as_text

__all__ = ["error_in_body", "error_of_status", "quotation"]

_BY_STATUS: dict[int, ModelErrorCode] = {
    401: "unauthorized",
    402: "payment_required",
    403: "unauthorized",
    405: "address_not_found",  # there is something, but nothing to POST to
    408: "timeout",
    413: "too_large",
    429: "rate_limited",
}
_FINAL: frozenset[ModelErrorCode] = frozenset(
    {
        "unauthorized",
        "model_not_found",
        "address_not_found",
        "bad_request",
        "too_large",
        "context_too_long",
        "quota_used_up",
    }
)

# Texts, not compiled patterns: most visits see no error, and compiling costs at the start.
_TOO_LONG = (
    r"(?i)context.?(length|size|window)|maximum context|too many tokens|prompt is too long"
    r"|reduce the length|exceed\w* .{0,40}(context|token limit)"
    r"|(input|prompt)\b.{0,40}\bexceed\w*.{0,40}\b(tokens|length)"
)
_NO_MODEL = (
    r"(?is)model_?not_?found|invalid[_ ]model"
    r"|\b(model|deployment)\b.{0,120}"
    r"(not found|does not exist|not exist|unknown|not available|not loaded)"
    r"|(unknown|no such) model|DeploymentNotFound"
)
_SPENT = (
    r"(?i)insufficient[_ ](quota|balance|credit|funds)|exceeded your current quota|more credits"
)
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&"))
READ = 4096  # characters of what an endpoint says; no refusal needs more
_WORDS = ("message", "msg", "error", "detail", "errors", "error_description", "reason", "title")
_CODES = ("code", "type")


def error_of_status(
    status: int,
    document: tuple[Json] | None,
    body: bytes,
    headers: Mapping[str, str] | None = None,
    *,
    host: str,
) -> ModelError:
    """Return the error for a response that is none of 200 to 299; `document` is the parsed body.

    `facts` may hold `endpoint_code` and `retry_after`, both as the endpoint wrote them.
    """
    words = " ".join(_words(document[0]))[:READ] if document else quotation(body)
    codes = " ".join(_codes(document[0]))[:READ] if document else ""
    code = _code(status, f"{codes} {words}")
    if code == "quota_used_up" and document and _asks_for_payment(document[0]):
        code = "payment_required"
    retry_after = (headers or {}).get("retry-after", "")
    return _error(code, host, status, words=words, codes=codes, retry_after=retry_after)


def error_in_body(document: Json, *, host: str, status: int) -> ModelError | None:
    """Return the error that a response with a good status carries instead of a reply, if any.

    Gateways put the status of the server behind them into the body; then that one counts.
    """
    fields = as_object(document)
    first: JsonObject = as_object(next(iter(as_list(fields.get("choices"))), None))
    error: Json = fields.get("error") or first.get("error")
    if not error and fields.get("object") != "error":
        return None
    if as_object(first.get("message")) and not first.get("error"):
        return None  # a warning beside a real reply
    found: Json = error or document
    words, codes = " ".join(_words(found))[:READ], " ".join(_codes(found))[:READ]
    said = f"{codes} {words}"
    inner = next((int(part) for part in codes.split() if re.fullmatch("[45][0-9]{2}", part)), 0)
    code: ModelErrorCode = "error_body"
    if inner:
        code, status = _code(inner, said), inner
    elif re.search(_TOO_LONG, said):
        code = "context_too_long"
    elif re.search(_SPENT, said):
        code = "quota_used_up"
    return _error(code, host, status, words=words, codes=codes)


def quotation(body: bytes) -> str:
    """Return what a body that is no JSON says: a web page's title, else its first words."""
    text = body[:4096].decode("utf-8", "replace")
    if title := re.search(r"<title[^>]*>([^<]*)", text, re.IGNORECASE):
        text = title[1]
    elif text.lstrip().startswith("<"):
        text = re.sub(r"<[^>]*>", " ", text)
    for entity, character in _ENTITIES:  # `html` would cost 130 ms of a browser's start
        text = text.replace(entity, character)
    return " ".join(text.split())[:300]


def _code(status: int, said: str) -> ModelErrorCode:
    if status in (402, 429) and re.search(_SPENT, said):
        return "quota_used_up"
    if (status in (400, 413, 422) or status >= 500) and re.search(_TOO_LONG, said):
        return "context_too_long"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if 500 <= status < 600:
        return "server_error"
    if re.search(_NO_MODEL, said):
        return "model_not_found"
    return "address_not_found" if status == 404 else "bad_request"


def _asks_for_payment(document: Json) -> bool:
    """Whether this is x402's challenge, whose own words are about balances too."""
    return not {"accepts", "x402Version"}.isdisjoint(as_object(document))


def _error(
    code: ModelErrorCode, host: str, status: int, *, words: str, codes: str, retry_after: str = ""
) -> ModelError:
    facts = {"endpoint_code": codes[:80], "retry_after": retry_after}
    return ModelError(
        code,
        host=host,
        status=status,
        detail=" ".join(words.split()),
        retryable=code not in _FINAL,
        facts={name: value for name, value in facts.items() if value},
    )


def _words(value: Json, depth: int = 0) -> Iterator[str]:
    """Yield the sentences of an error body, wherever the endpoint has put them."""
    if depth > 6:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value[:5]:
            yield from _words(item, depth + 1)
    elif isinstance(value, dict):
        for key in _WORDS:
            said = list(_words(value.get(key), depth + 1))
            if said:
                place = value.get("loc")
                where = ".".join(map(as_text, place)) if isinstance(place, list) else ""
                yield from [f"{where}: {said[0]}", *said[1:]] if where else said
                return


def _codes(value: Json, depth: int = 0) -> Iterator[str]:
    if depth > 2:
        return
    if isinstance(value, list):
        for item in value[:1]:
            yield from _codes(item, depth + 1)
    elif isinstance(value, dict):
        yield from (text for key in _CODES if (text := as_text(value.get(key))))
        yield from _codes(value.get("error"), depth + 1)
