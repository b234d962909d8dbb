"""What the practice model wants drawn, and what it says of a picture that did not come.

Rule: a prompt says in full what is to be seen; where a wish leans on a picture, there must be one.
That nothing was paid is said only where it is certain.
"""

import re
from collections.abc import Sequence

from tabloop.core.json_text import JsonObject, as_text
from tabloop.searching.practice_answers import say
from tabloop.searching.practice_steps import Step
from tabloop.searching.practice_words import Language, picture_prompt, picture_size

__all__ = ["TOOL", "no_picture", "picture_wish"]

TOOL = "generate_image"
_PICTURE = r"(?:picture|image|photo|illustration|drawing|one|thing|bild|zeichnung|foto)"
# What may follow a word that stands for the picture: "that in blue", but not "that cat".
_END = (
    r"(?=\W*$|,|\s+(?:again|once|in|with|without|but|as|on|at|now|and|please|bigger|smaller|wider"
    r"|nochmals?|noch|wieder|mit|ohne|aber|als|auf|jetzt|und|bitte|größer|kleiner|breiter)\b)"
)
_AGAIN = (
    r"\b(?:again|once more|nochmals?|noch ?mal|noch einmal|wieder|same|another|dasselbe|gleiche)\b"
)
_STANDS_FOR = (
    rf"(?:(?:it|them|him|es|ihn)\b|(?:that|this|these|those|her|das|dies|sie){_END}"
    rf"|(?:(?:the|that|this|das|dieses?|die)\s+)?(?:same|gleiche|dasselbe|dieselbe)\b(?:\s+{_PICTURE})?"
    rf"|(?:the|that|this|my|another|das|dieses?|die|noch|mein)\s+(?:last\s+|letzte\s+)?"
    rf"(?:{_PICTURE}|eine?s){_END}|(?:again|once more|nochmals?|noch ?mal|noch einmal|wieder)\b"
    rf"|one more{_END})"
)
_FILLING = (
    r"^(?:\s|,|\b(?:again|once more|nochmals?|noch ?mal|noch einmal|wieder|bitte|please|but|aber"
    r"|now|jetzt|and|und|this time|diesmal)\b)+|\s(?:again|please|bitte|nochmals?|noch ?mal)$"
)
_NOTHING = rf"(?:an?|the|ein|eine|das|some|something|etwas|was)?\s*(?:{_PICTURE}|bilder|pictures)?"
_STATUSES = (
    "payment_refused", "wrong_network", "generation_failed", "user_declined", "interrupted",
)  # fmt: skip


def picture_wish(
    question: str, before: Sequence[Step], earlier: Sequence[Step]
) -> tuple[str, str] | None:
    """Return prompt and size; `None` where nobody can know what is to be seen.

    "It" is the picture of the question `before`; "again" is the last of all `earlier` ones.
    """
    prompt, size = picture_prompt(question), picture_size(question)
    if leaning := re.match(_STANDS_FOR, prompt, re.IGNORECASE):
        again = re.search(_AGAIN, prompt, re.IGNORECASE)
        pictures = [step for step in (earlier if again else before) if step.tool == TOOL]
        if not pictures:
            return None
        last = pictures[-1]
        wanted = as_text(last.result.get("prompt")) or as_text(last.arguments.get("prompt"))
        change = re.sub(_FILLING, "", prompt[leaning.end() :], flags=re.IGNORECASE).strip(" ,")
        wide = picture_size("wide") in (size, as_text(last.arguments.get("size")))
        return ", ".join(filter(None, (wanted, change))), picture_size("wide") if wide else size
    if re.fullmatch(_NOTHING, prompt.strip(), re.IGNORECASE):
        return None
    return prompt, size


def no_picture(language: Language, result: JsonObject) -> str:
    """Say in words why there is no picture and what is known of the money, then the tool's own."""
    status, reason = as_text(result.get("status")), as_text(result.get("reason"))
    said = say(language, f"no_picture_{status}" if status in _STATUSES else "no_picture")
    return f"{said} {say(language, 'reported', status=status, reason=reason)}"
