"""What a question is about, by its words: patterns and small lists, no language model."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

__all__ = [
    "LEANS_ON",
    "STOP_WORDS",
    "Aspect",
    "Intent",
    "Language",
    "analytics_range",
    "asks_to_go_on",
    "aspect_of",
    "continues",
    "intent_of",
    "language_of",
    "names_latest",
    "picture_prompt",
    "picture_size",
    "plain",
    "wants_least",
    "wants_more",
]

Intent = Literal["session", "claims", "picture", "visitors"]
Aspect = Literal["interjections", "speeches", "speaking", "votes"]  # numbers of a session
Language = Literal["en", "de"]

# What a question may lean on. Not a picture: "more" must not ask for money.
LEANS_ON: dict[str, Intent] = {
    "get_sitzungen": "session",
    "search_claims": "claims",
    "get_analytics": "visitors",
}

# In this order: "the most speeches" are not the most speaking time.
_ASPECTS: tuple[tuple[Aspect, str], ...] = (
    (
        "interjections",
        r"zwischenruf|dazwischen ?(zu)?(ge)?ruf|\binterrupt(s|ed|ing|ions?)?\b|interject|heckl|"
        r"\bwer\b.*unterbr[aoe]ch",
    ),
    (
        "speeches",
        r"\b(how many|number of|most|fewest) speeches|"
        r"\b(wie ?viele|anzahl( der)?|zahl der|die (meisten|wenigsten)) reden\b",
    ),
    (
        "speaking",
        r"redezeit|speaking time|"
        r"\b(spoke|spoken|speak|talk(ed)?)\b.*\b(longest|long|most|least|shortest)\b|"
        r"\b(longest|most|least|how long)\b.*\b(spoke|spoken|speak|speaking|talk(ed|ing)?)\b|"
        r"\b(am (längsten|meisten|kürzesten|wenigsten)|wie lange)\b.*"
        r"\b(geredet|gesprochen|sprach(en)?|redete(n)?|reden|sprechen)\b|"
        r"\b(sprach(en)?|redete(n)?)\b.*\b(am (längsten|meisten|kürzesten|wenigsten)|lange)\b",
    ),
    ("votes", r"\bvot(e|es|ed|ing)\b|abstimm|abgestimmt|stimmverhalten"),
)

# In this order: a claim may speak of a session, a picture may show one.
_INTENTS: tuple[tuple[Intent, str], ...] = (
    (
        "picture",
        r"(^|\b(please|you|bitte|du) )(draw|paint|sketch|illustrate|zeichne|male?)\b.*\w|"
        r"\b(zeichnen|malen)\W*$|"
        r"\b(pictures?|images?|illustrations?|photos?|bild(es)?|bilder|zeichnung|illustration)\b",
    ),
    (
        "visitors",
        r"\b(visitors?|page ?views|analytics|most[- ](read|visited))\b|"
        r"\b(traffic|hits|visits?|visited)\b.*\b(web)?(site|pages?)\b|\bhow many (visits|hits)\b|"
        r"\bbesucher(n|zahl(en)?)?\b|\bbesuchszahlen|"
        r"\bwie ?viele (seiten)?(besuche|aufrufe|zugriffe)|"
        r"\b(besuche|besucht|zugriffe|aufrufe|los)\b.*\b(web)?(seite|site)\b|"
        r"seitenaufrufe|meist(gelesen|besucht)",
    ),
    (
        "claims",
        r"\b(is|was) (it|this|that) (really )?(true|correct|right)\b|\btrue that\b|fact.?check|"
        r"\b(claims?|claimed|statements?)\b|^stimmt\b|\bstimmt (es|das|dies|die aussage)\b|"
        r"faktencheck|behaupt|aussagen?\b|\b(ist|war) (es|das) (wirklich )?(wahr|richtig)\b|"
        r"(wahr|richtig),? dass|trifft .*zu\b",
    ),
    (
        "session",
        r"bundestag|parliament|plenum|plenar|debat|session|sitzung|"
        r"speech|\breden?\b|redezeit|beschloss|beschlie|\bspoke\b|\bsprach|headline",
    ),
    *(("session", pattern) for _, pattern in _ASPECTS),
    ("claims", r"\b(say|says|said|sagt|sagte|gesagt)\b"),
)
_FOLLOW_UP = (
    r"^(and|und|what about|how about|was ist mit|wie (ist|war) es|also|more|mehr|tell me more|"
    r"(they|sie|it|es|that|das)\b)|\b(they|more about (it|that)|mehr dazu|darüber)\b"
)
_MORE = r"\b(more|mehr|details?|einzelheiten|genauer)\b"
_LATEST = (
    r"\b(last|latest|newest|most recent|letzte[rnms]?|neueste[rnms]?|jüngste[rnms]?) "
    r"(session|sitting|debate|sitzung|debatte)\b"
)
_LEAST = r"\b(least|fewest|shortest|(am |die )(wenigsten|seltensten|kürzesten))\b"
_WIDE = r"(?i)\b(wide|landscape|panorama\w*|quer\w*|breit\w*)\b"
_WISH = (
    r"(?i)^(?:can you |could you |please |bitte |kannst du |würdest du )*"
    r"(?:(?:draw|paint|sketch|make|create|generate|illustrate|show|zeichne|male?|erzeuge|erstelle|generiere|mach|zeig)\s+)"
    r"(?:(?:me|us|mir|uns|bitte)\s+)*"
    r"(?:(?:an?|the|eine?n?|das)\s+(?:\w+\s+)?(?:picture|image|photo|illustration|drawing|bild|"
    r"zeichnung|foto)\s+(?:of|with|von|mit|vom)\s+)?"
)
_GO_ON = r"^(please )?(go on|continue)\W*$|^(bitte )?(weiter|mach weiter)\W*$"


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GERMAN = _set(
    "aber als am an auf aus bei beim bitte da das dass dem den der des die ein eine einem einen "
    "einer er es für gab gestern habe haben hat heute hinter ich ihr im in ist kann mal mehr mit "
    "nach nicht oder sich sie sind stimmt über um und uns viel viele vom von vor vorgestern wann "
    "war waren warum was welche welcher welches wem wen wenn wer werden wie wir wird wo wurde zu "
    "zum zur zeichne male hallo danke guten letzten letzte letzter woche besucher seite sitzung "
    "faktencheck"
)
_ENGLISH = _set(
    "a about all also an and any are as at be been by can could day debate debated did do does "
    "for from had has have how i image in is it last latest many me more most much my of on one "
    "or our page picture please draw say show site so tell than that the their them there they "
    "this to today true visitors was we week were what when where which who why will with would "
    "yesterday you your hello hi hey thanks"
)


STOP_WORDS = _GERMAN | _ENGLISH


def plain(text: str) -> str:
    """Return the text composed, with single ordinary spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def language_of(texts: Sequence[str]) -> Language:
    """Return the language of the first text that shows one; English where none does."""
    for text in texts:
        found = re.findall(r"[^\W\d_]+", plain(text).lower())
        german = sum(word in _GERMAN or bool(re.search("[äöüß]", word)) for word in found)
        english = sum(word in _ENGLISH for word in found)
        if german != english:
            return "de" if german > english else "en"
    return "en"


def intent_of(text: str) -> Intent | None:
    """Return what is asked for, or `None` for anything else."""
    lower = plain(text).lower()
    return next((intent for intent, pattern in _INTENTS if re.search(pattern, lower)), None)


def aspect_of(text: str) -> Aspect | None:
    """Return which numbers of a session are asked for, if any."""
    lower = plain(text).lower()
    return next((aspect for aspect, pattern in _ASPECTS if re.search(pattern, lower)), None)


def wants_least(text: str) -> bool:
    """Return whether the other end of a ranking is asked for."""
    return bool(re.search(_LEAST, plain(text).lower()))


def wants_more(text: str) -> bool:
    """Return whether more of the same is asked for."""
    return bool(re.search(_MORE, plain(text).lower()))


def names_latest(text: str) -> bool:
    """Return whether the newest session is meant, whatever was spoken of before."""
    return bool(re.search(_LATEST, plain(text).lower()))


def continues(text: str) -> bool:
    """Return whether the question leans on the one before it."""
    return bool(re.search(_FOLLOW_UP, plain(text).lower()))


def asks_to_go_on(text: str) -> bool:
    """Return whether it is no question of its own at all."""
    return bool(re.search(_GO_ON, plain(text).lower()))


def analytics_range(text: str) -> str:
    """Return the range that `get_analytics` takes."""
    lower = plain(text).lower()
    if re.search(r"\b(90|quarter|quartal|vierteljahr)|\b(3|three|drei) (months|monate)", lower):
        return "90d"
    return "1y" if re.search(r"\b(1y|365|year|jahr|12|twelve|zwölf)", lower) else "30d"


def picture_prompt(text: str) -> str:
    """Return what is to be seen: the wish without "please draw me a picture of"."""
    return re.sub(_WISH, "", plain(text)).strip(" .!?") or plain(text)


def picture_size(text: str) -> str:
    """Return the size that `generate_image` takes."""
    return "1792x1024" if re.search(_WIDE, text) else "1024x1024"
