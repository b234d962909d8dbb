"""Reads what a picture service answered. Rule: no shape of a body makes it raise."""

from urllib.parse import urlsplit

from tabloop.core.addresses import has_user, is_safe_scheme
from tabloop.core.http import HttpResponse
from tabloop.core.json_text import Json, JsonObject, as_object, read_json

__all__ = ["document_of", "first_picture", "may_load", "words_of"]


def document_of(response: HttpResponse) -> JsonObject:
    """Return the body's JSON object, an empty one if it is none."""
    try:
        return as_object(read_json(response.body))
    except ValueError:
        return {}


def first_picture(document: JsonObject, field: str) -> str:
    """Return the first text `field` of the entries of `data`, blank if there is none."""
    listed = document.get("data")
    entries = listed if isinstance(listed, list) else []
    values: list[Json] = [as_object(entry).get(field) for entry in entries]
    return next((value for value in values if isinstance(value, str) and value), "")


def may_load(url: str) -> bool:
    """Whether the page may load this URL: no user before its host, and `is_safe_scheme`."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and not has_user(url) and is_safe_scheme(parts.scheme, host or "")


def words_of(document: JsonObject, secret: str = "") -> str:
    """Return the message of an error body: `error` is a text or an object.

    A `secret` of the person that it quotes is left out: the words go to the model, too.
    """
    error = document.get("error", document.get("message", ""))
    if isinstance(error, dict):
        error = " ".join(str(error[key]) for key in ("code", "message") if error.get(key))
    if not isinstance(error, str):
        return ""
    return " ".join((error.replace(secret, "…") if secret else error).split())[:120]
