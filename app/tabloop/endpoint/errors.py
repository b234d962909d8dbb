"""Reads an endpoint's error bodies, of any shape, as one code and a message.

Rule: no shape makes it raise; what the words mean is told by `meanings`.
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from tabloop.agent.errors import ModelError, ModelErrorCode
from tabloop.core.addresses import is_loopback
from tabloop.core.http import TransportError
from tabloop.core.json_text import Json, JsonObject, as_list, as_object, as_text
from tabloop.endpoint.meanings import meaning_of, meaning_of_words

__all__ = ["error_in_body", "error_of_status", "error_of_transport", "quotation"]

UNSENDABLE = "The browser refuses to send this: a character in the key or in the address."

_FINAL: frozenset[ModelErrorCode] = frozenset(
    {
        "unauthorized",
        "model_not_found",
        "address_not_found",
        "bad_request",
        "too_large",
        "context_too_long",
        "quota_used_up",
        "filtered",
    }
)

_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&"))
MAX_TEXT = 4096  # characters of a message that are searched
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
    """Return the error for a status other than 200 to 299; `document` is the parsed body.

    Its `facts` may have `endpoint_code` and `retry_after`, both as the endpoint wrote them.
    """
    words = " ".join(_words(document[0]))[:MAX_TEXT] if document else quotation(body)
    codes = " ".join(_codes(document[0]))[:MAX_TEXT] if document else ""
    code = meaning_of(status, f"{codes} {words}")
    if code == "quota_used_up" and document and _asks_for_payment(document[0]):
        code = "payment_required"
    retry_after = (headers or {}).get("retry-after")
    return _error(code, host, status, words=words, codes=codes, retry_after=retry_after)


def error_in_body(document: Json, *, host: str, status: int) -> ModelError | None:
    """Return the error in a response whose status is 200 to 299, if there is one.

    Gateways put the status of the server behind them into the body; then that status counts.
    """
    fields = as_object(document)
    first: JsonObject = as_object(next(iter(as_list(fields.get("choices"))), None))
    error: Json = fields.get("error") or first.get("error")
    if not error and fields.get("object") != "error":
        return None
    if as_object(first.get("message")) and not first.get("error"):
        return None  # a warning beside a real reply
    found: Json = error or document
    words, codes = " ".join(_words(found))[:MAX_TEXT], " ".join(_codes(found))[:MAX_TEXT]
    text = f"{codes} {words}"
    inner = next((int(part) for part in codes.split() if re.fullmatch("[45][0-9]{2}", part)), 0)
    if inner:
        code, status = meaning_of(inner, text), inner
    else:
        code = meaning_of_words(text)
    return _error(code, host, status, words=words, codes=codes)


def error_of_transport(error: TransportError, url: str, *, key: bool, begun: bool) -> ModelError:
    """Return the error of a request to `url` that has no response, or only the beginning of one.

    `key` says whether a key was sent with it.
    """
    host, facts = error.host, dict[str, str]()
    if error.kind == "invalid":  # a retry would be refused too
        return ModelError("bad_request", host=host, detail=UNSENDABLE, retryable=False)
    if error.kind == "redirected":
        facts = {"where": error.detail}
        return ModelError("redirected", host=host, facts=facts, retryable=False)
    # a browser hides a 401 that has no CORS headers
    if not is_loopback(urlsplit(url).hostname or ""):
        facts = {"key": "Key" if key else "NoKey"}
    return ModelError("cut_off" if begun else error.kind, host=host, facts=facts)


def quotation(body: bytes) -> str:
    """Return the message of a body that is no JSON: a web page's title, or its first words."""
    text = body[:4096].decode("utf-8", "replace")
    if title := re.search(r"<title[^>]*>([^<]*)", text, re.IGNORECASE):
        text = title[1]
    elif text.lstrip().startswith("<"):
        text = re.sub(r"<[^>]*>", " ", text)
    for entity, character in _ENTITIES:  # importing `html` takes 130 ms in a browser
        text = text.replace(entity, character)
    return " ".join(text.split())[:300]


def _asks_for_payment(document: Json) -> bool:
    """Whether this is an x402 challenge, whose message may mention balances too."""
    return not {"accepts", "x402Version"}.isdisjoint(as_object(document))


def _error(
    code: ModelErrorCode,
    host: str,
    status: int,
    *,
    words: str,
    codes: str,
    retry_after: str | None = None,
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


def _words(value: Json) -> Iterator[str]:
    """Yield the messages in an error body, in whatever field they are."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)
    elif isinstance(value, dict):
        for key in _WORDS:
            found = list(_words(value.get(key)))
            if found:
                place = value.get("loc")
                where = ".".join(map(as_text, place)) if isinstance(place, list) else ""
                yield from [f"{where}: {found[0]}", *found[1:]] if where else found
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
