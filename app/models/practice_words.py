"""What a question is about, by its words: patterns and small lists, no language model."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

__all__ = [
    "Intent",
    "Language",
    "analytics_range",
    "asks_to_go_on",
    "continues",
    "intent_of",
    "language_of",
    "picture_prompt",
    "picture_size",
    "plain",
    "search_words",
    "verdict_in",
    "without_dates",
]

Intent = Literal["session", "claims", "picture", "visitors"]
Language = Literal["en", "de"]

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
        r"\b(visitors?|page ?views|analytics|most[- ]read)\b|\b(traffic|hits)\b.*\b(site|page)\b|"
        r"besucher(zahlen)?\b|seitenaufrufe|meistgelesen",
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
        r"bundestag|parliament|plenum|plenar|debat|session|sitzung|\bvot(e|es|ed|ing)\b|abstimm|"
        r"abgestimmt|speech|\breden?\b|redezeit|beschloss|beschlie|\bspoke\b|\bsprach|headline",
    ),
    ("claims", r"\b(say|says|said|sagt|sagte|gesagt)\b"),
)
_FOLLOW_UP = (
    r"^(and|und|what about|how about|was ist mit|wie (ist|war) es|also|more|mehr|tell me more|"
    r"(they|sie|it|es|that|das)\b)|\b(they|more about (it|that)|mehr dazu|darüber)\b"
)
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
# Words of the asking, not of the matter.
_ASKING = _set(
    "true correct right really wahr wirklich richtig trifft fact facts check checks faktencheck "
    "faktenchecks claim claims claimed statement statements aussage aussagen behauptung "
    "behauptungen behauptet behauptete bundestag bundestages bundestags parliament said says sagte "
    "sagt gesagt stated there dort ob if whether found find finde finden alle rund etwa around "
    "session sitzung sitzungen sessions plenum debattiert debattierte beraten vote voted votes "
    "abgestimmt abstimmung abstimmungen happened happen passiert geschah discussed discuss topic "
    "topics thema themen ging latest newest neueste letzte letzten last what speech speeches rede "
    "reden held hielt worum darum dazu diese dieser dieses jeden jedes every please bitte "
    "headline headlines montag dienstag mittwoch donnerstag freitag samstag sonntag monday tuesday "
    "wednesday thursday friday saturday sunday"
)
# A model would translate the question; this one has a few words.
_GERMAN_FOR = {
    "budget": "Haushalt", "children": "Kinder", "citizens": "Bürger", "climate": "Klima",
    "coal": "Kohle", "companies": "Unternehmen", "country": "Land", "crime": "Kriminalität",
    "debt": "Schulden", "debts": "Schulden", "defence": "Verteidigung", "defense": "Verteidigung",
    "economy": "Wirtschaft", "electricity": "Strom", "energy": "Energie", "families": "Familie",
    "foreigners": "Ausländer", "gas": "Gas", "germany": "Deutschland", "german": "deutsch",
    "health": "Gesundheit", "heating": "Heizung", "housing": "Wohn", "income": "Einkommen",
    "industry": "Industrie", "inflation": "Inflation", "jobs": "Arbeitsplätze", "migrants": "Migra",
    "migration": "Migration", "million": "Million", "billion": "Milliarde", "month": "Monat",
    "nuclear": "Kern", "pension": "Rente", "pensions": "Rente", "percent": "Prozent",
    "police": "Polizei", "poverty": "Armut", "prices": "Preise", "refugees": "Flüchtling",
    "refugee": "Flüchtling", "rent": "Miete", "rents": "Miete", "research": "Forschung",
    "schools": "Schule", "soldiers": "Soldat", "tax": "Steuer", "taxes": "Steuer",
    "unemployed": "arbeitslos", "unemployment": "Arbeitslos", "wages": "Löhne", "women": "Frauen",
    "work": "Arbeit", "workers": "Beschäftigte",
}  # fmt: skip
_VERDICTS = (
    ("irrefuehrend", r"misleading|irreführend"),
    ("unbelegbar", r"unverifiable|cannot be verified|unbelegbar|nicht belegbar"),
    ("falsch", r"false|wrong|falsche?"),
    ("teilweise", r"partly|partially|teilweise"),
    ("belegt", r"supported|confirmed|belegte?"),
)
_DAYS = r"^(\d\d?|(19|20)\d\d|[\d.-]{6,})$"
_MONTHS = r"^(jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec)(\w{0,7})$"


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


def continues(text: str) -> bool:
    """Return whether the question leans on the one before it."""
    return bool(re.search(_FOLLOW_UP, plain(text).lower()))


def asks_to_go_on(text: str) -> bool:
    """Return whether it is no question of its own at all."""
    return bool(re.search(_GO_ON, plain(text).lower()))


def search_words(text: str, language: Language) -> list[str]:
    """Return the words of the matter, as German as we can make them, at most six.

    English words that we cannot translate are left out where others remain: the record is German.
    """
    found: list[str] = re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_][\w-]*", plain(text))
    kept = [
        word
        for word in found
        if (len(word) > 3 or word.isupper() or word[0].isdigit())
        and word.lower() not in _GERMAN | _ENGLISH | _ASKING
    ]
    if language == "en":
        kept = [word for word in kept if word.lower() in _GERMAN_FOR or not word.islower()] or kept
    german = [_GERMAN_FOR.get(word.lower(), word) for word in kept]
    return list(dict.fromkeys(german))[:6]


def without_dates(words: Sequence[str]) -> list[str]:
    """Return the words without months, years and short numbers, which may be days."""
    return [
        word for word in words if not re.match(_MONTHS, word.lower()) and not re.match(_DAYS, word)
    ]


def verdict_in(text: str) -> str | None:
    """Return the verdict that a wish for a list names ("Which claims were false?")."""
    lower = plain(text).lower()
    if not re.search(r"claims|statements|aussagen|behauptungen|fact.?checks|faktenchecks", lower):
        return None
    return next((code for code, pattern in _VERDICTS if re.search(rf"\b({pattern})", lower)), None)


def analytics_range(text: str) -> str:
    """Return the range that `get_analytics` takes."""
    lower = plain(text).lower()
    if re.search(r"\b(90|quarter|quartal|three months|drei monate)", lower):
        return "90d"
    return "1y" if re.search(r"\b(1y|365|year|jahr)", lower) else "30d"


def picture_prompt(text: str) -> str:
    """Return what is to be seen: the wish without "please draw me a picture of"."""
    return re.sub(_WISH, "", plain(text)).strip(" .!?") or plain(text)


def picture_size(text: str) -> str:
    """Return the size that `generate_image` takes."""
    return "1792x1024" if re.search(_WIDE, text) else "1024x1024"
