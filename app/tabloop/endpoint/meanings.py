"""What a refusal means, told by its status and its words.

Rule: the first row that fits counts. A row knows a meaning and not the sentence of one server,
since each server words it differently.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

from tabloop.agent.errors import ModelErrorCode

__all__ = ["meaning_of", "meaning_of_words"]

# Strings, not compiled patterns: most visits see no error, and compiling slows the start.
_TOO_LONG = (
    r"(?i)context.?(length|size|window)|maximum context|too many tokens|prompt is too long"
    r"|reduce the length|exceed\w* .{0,40}(context|token limit)"
    r"|(input|prompt)\b.{0,40}\bexceed\w*.{0,40}\b(tokens|length)"
)
_NO_QUOTA = (
    r"(?i)insufficient[_ ](quota|balance|credit|funds)|exceeded your current quota|more credits"
)
_NO_MODEL = (
    r"(?is)model_?not_?found|invalid[_ ]model"
    r"|\b(model|deployment)\b.{0,120}"
    r"(not found|does not exist|not exist|unknown|not available|not loaded)"
    r"|(unknown|no such) model|DeploymentNotFound"
)
_NO_ENDPOINT = (
    r"(?i)(unexpected|unknown|no such|invalid) (endpoint|route|path|url)|\bcannot post\b|no route"
)
# LiteLLM looks up an unknown key in a database that a small installation does not have
_NO_KEY = r"(?i)no_db_connection|no connected db"
_FILTERED = (
    r"(?i)content[_ -]?(filter|polic|management)|responsible.?ai|safety (system|filter|setting)"
    r"|moderation|\bflagged\b|prohibited_content|blocked by"
)
_CALL_UNREADABLE = r"(?i)tool_use_failed|failed to (call|parse) a (function|tool)|failed_generation"
_TOOLS = r"(?:\btools?\b|tool_(?!call_id)|\bfunctions?\b|function[_ ]call|--jinja)"
_NO_TOOLS = (
    rf"(?is){_TOOLS}.{{0,120}}?"
    r"(?:not (?:be )?(?:support|enabled|available|allowed|permitted|implemented|accepted)"
    r"|unsupported|requires|unknown|unrecognized|unexpected|extra)"
    r"|(?:not support|n't support|unsupported|cannot|unable to|no endpoints found|extra"
    rf"|unrecognized|unexpected|unknown|knows no).{{0,60}}?{_TOOLS}"
)
_ONE_TOOL = r"(?i)schema|tool_call_id|role|\btools?\[|tools\.\d|must be followed|\bstream"
# a thing that has a size, and a word for too much of it
_SIZED = r"\b(context|tokens?|inputs?|prompt|messages|conversation|sequence|length)\b"
_TOO_MUCH = (
    r"(\bexceed|\btoo (long|large|many|big)\b|\b(maximum|max|limit|limited|longer|larger|greater"
    r"|more|beyond|over(flow)?|fit|out of)\b)"
)
_LIMIT = rf"(?is)\A(?=.*?{_SIZED}).*?{_TOO_MUCH}"
_OTHER_LIMIT = (
    r"(?i)max_\w*tokens|\btools?\b|tool_|function|\bname\b|stop sequence|\btop_|\bseed\b|quota"
    r"|per (minute|day|hour|second)|\brate|temperature|file|image|attachment"
)

_BAD = (400, 422)
_SERVER = range(500, 600)


class _Row(NamedTuple):
    statuses: Collection[int]
    code: ModelErrorCode
    words: str = ""
    but_not: str = r"(?!)"


_ROWS: tuple[_Row, ...] = (
    _Row((402, 429), "quota_used_up", _NO_QUOTA),
    _Row((*_BAD, 413, *_SERVER), "context_too_long", _TOO_LONG),
    _Row((*_BAD, 403), "filtered", _FILTERED),
    _Row((*_BAD, 500), "tool_use_failed", _CALL_UNREADABLE),
    _Row((*_BAD, 404, 500, 501), "no_tools", _NO_TOOLS, but_not=_ONE_TOOL),
    _Row((401, 403), "unauthorized"),
    _Row((400,), "unauthorized", _NO_KEY),
    _Row((402,), "payment_required"),
    _Row((405,), "address_not_found"),  # the path exists, but does not accept POST
    _Row((408,), "timeout"),
    _Row((413,), "too_large"),
    _Row((429,), "rate_limited"),
    _Row(_SERVER, "server_error"),
    _Row(range(1000), "model_not_found", _NO_MODEL),
    _Row(range(1000), "address_not_found", _NO_ENDPOINT),
    _Row((404,), "address_not_found"),
    _Row(_BAD, "context_too_long", _LIMIT, but_not=_OTHER_LIMIT),
)
_BY_STATUS_ONLY = ("bad_request", "model_not_found")


def meaning_of(status: int, text: str) -> ModelErrorCode:
    """Return the meaning of a status other than 200 to 299, whose codes and message are `text`."""
    for row in _ROWS:
        found = status in row.statuses and re.search(row.words, text)
        if found and not re.search(row.but_not, text):
            return row.code
    return "bad_request"


def meaning_of_words(text: str) -> ModelErrorCode:
    """Return the meaning of an error that came with a good status."""
    if re.search(_NO_QUOTA, text):
        return "quota_used_up"
    code = meaning_of(400, text)
    if code in _BY_STATUS_ONLY:
        return "error_body"
    return code
