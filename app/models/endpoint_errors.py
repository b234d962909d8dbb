"""What went wrong at an endpoint: error bodies of every shape, read as one code and some words.

Rule: the status decides first, the words only where a status means several things.
"""

import re
from collections.abc import Iterator

from app.agent.errors import ModelError, ModelErrorCode
from app.models.json_reading import Json, JsonObject, as_list, as_object, as_text

__all__ = ["error_in_body", "error_of_status", "quotation"]

_BY_STATUS: dict[int, ModelErrorCode] = {
    401: "unauthorized",
    402: "payment_required",
    403: "unauthorized",
    408: "timeout",
    413: "too_large",
    429: "rate_limited",
}
_FINAL: frozenset[ModelErrorCode] = frozenset(
    {"unauthorized", "model_not_found", "bad_request", "too_large"}
)

# Texts, not compiled patterns: most visits see no error, and compiling costs at the start.
_TOO_LONG = (
    r"(?i)context.?(length|size|window)|maximum context|too many tokens|prompt is too long"
    r"|reduce the length|exceed\w* .{0,40}(context|token limit)"
)
_NO_MODEL = (
    r"(?is)model_?not_?found|invalid[_ ]model"
    r"|\bmodel\b.{0,120}(not found|does not exist|not exist|unknown|not available|not loaded)"
    r"|(unknown|no such) model"
)
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&"))
_WORDS = ("message", "msg", "error", "detail", "errors", "error_description", "reason", "title")
_CODES = ("code", "type")


def error_of_status(
    status: int, document: tuple[Json] | None, body: bytes, *, host: str
) -> ModelError:
    """Return the error for a response that is none of 200 to 299; `document` is the parsed body."""
    words = " ".join(_words(document[0])) if document else quotation(body)
    codes = " ".join(_codes(document[0])) if document else ""
    code = _code(status, f"{codes} {words}")
    spent = code == "rate_limited" and "insufficient_quota" in codes
    return _error(code, host, status, words, codes, retryable=code not in _FINAL and not spent)


def error_in_body(document: Json, *, host: str, status: int) -> ModelError | None:
    """Return the error that a response with a good status carries instead of a reply, if any."""
    fields = as_object(document)
    first: JsonObject = as_object(next(iter(as_list(fields.get("choices"))), None))
    error: Json = fields.get("error") or first.get("error")
    if not error and fields.get("object") != "error":
        return None
    if as_object(first.get("message")) and not first.get("error"):
        return None  # a warning beside a real reply
    found: Json = error or document
    words, codes = " ".join(_words(found)), " ".join(_codes(found))
    too_long = re.search(_TOO_LONG, f"{codes} {words}")
    code: ModelErrorCode = "too_large" if too_long else "error_body"
    return _error(code, host, status, words, codes, retryable=not too_long)


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
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if re.search(_TOO_LONG, said):
        return "too_large"
    if 500 <= status < 600:
        return "server_error"
    return "model_not_found" if re.search(_NO_MODEL, said) else "bad_request"


def _error(
    code: ModelErrorCode, host: str, status: int, words: str, codes: str, *, retryable: bool
) -> ModelError:
    return ModelError(
        code,
        host=host,
        status=status,
        detail=" ".join(words.split()),
        retryable=retryable,
        facts={"endpoint_code": codes[:80]} if codes else {},
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
