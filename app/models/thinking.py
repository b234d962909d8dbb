"""Thinking that a model wrote into its text. It is neither shown nor sent back.

Rule: what stands between thinking tags is hidden; tags inside code are the answer's own words.
"""

import re

__all__ = ["without_thinking"]

_TOKEN = re.compile(
    r"(?P<code>```|`)|<(?P<close>/?)(?:think|thinking|thought)>|\[(?P<end>/?)THINK\]",
    re.IGNORECASE,
)


def without_thinking(text: str) -> str:
    """Return the visible text.

    A closing tag without an opening one hides all before it: some chat templates open the block
    in the prompt. An opening tag that is never closed hides the rest: the reply was cut.
    """
    if "<" not in text and "[" not in text:
        return text.strip()
    shown: list[str] = []
    position, code, hidden, seen = 0, "", False, False
    for token in _TOKEN.finditer(text):
        mark = token["code"]
        if mark and not hidden:
            code = _code_after(mark, code, text, token.end())
        elif mark or code:
            continue
        elif token["close"] or token["end"]:
            if hidden or not seen:
                if not hidden:
                    shown.clear()
                hidden, seen, position = False, True, token.end()
        elif not hidden:
            shown.append(text[position : token.start()])
            hidden = seen = True
    if not hidden:
        shown.append(text[position:])
    return "".join(shown).strip()


def _code_after(mark: str, code: str, text: str, end: int) -> str:
    """Return which code mark is open behind this one; a lone backtick in a line opens nothing."""
    if code:
        return "" if mark == code else code
    if mark == "```":
        return mark
    closing = text.find("`", end)
    return mark if closing > 0 and "\n" not in text[end:closing] else ""
