"""Words to search the German record with, made from a question in English or German.

Rule: a number keeps its value, and an English word that has no German one here is left out.
"""

import re
from collections.abc import Sequence

from tabloop.core.json_text import JsonObject, as_list, as_text, compact
from tabloop.searching.practice_words import STOP_WORDS, Language, plain

__all__ = [
    "fitting",
    "headlines_with",
    "in_headlines",
    "lists",
    "of_the_matter",
    "queries",
    "search_words",
    "searches",
    "verdict_in",
    "without_dates",
]

SEARCHES = 3  # of claims, each with fewer words


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
    "wednesday thursday friday saturday sunday give tell show explain detail details exactly "
    "erkläre erklär erzähl erzähle zeige kannst können sagen nenne einzelheiten genauer darüber "
    "davon und interrupted interrupt interrupts interrupting interruptions interjected "
    "interjections heckled heckling zwischenruf zwischenrufe zwischenrufen zwischengerufen "
    "dazwischengerufen dazwischenrufen unterbrochen group groups fraktion fraktionen "
    "häufigsten häufig seltensten "
    "often longest shortest least fewest längsten kürzesten wenigsten meisten lange long spoke "
    "spoken speak speaking talked talk time times redezeit geredet gesprochen sprach sprechen "
    "redete worüber wovon womit wieso weshalb hauptthema hauptthemen main number anzahl "
    "zahl stimmverhalten voting gerufen gewesen"
)
# A model would translate the question; this one has a few words. Adjectives and number words are
# here as the part that all their German forms share.
_GERMAN_FOR = {
    "agricultural": "Landwirt", "annual": "Jahr", "apartment": "Wohnung", "army": "Bundeswehr",
    "asylum": "Asyl", "billion": "Milliarde", "billions": "Milliarde", "bridge": "Brücke",
    "budget": "Haushalt", "bureaucracy": "Bürokratie", "car": "Auto", "care": "Pflege",
    "cent": "Cent", "child": "Kind", "children": "Kinder", "citizen": "Bürger",
    "citizens": "Bürger", "climate": "Klima", "coal": "Kohle", "companies": "Unternehmen",
    "company": "Unternehmen", "cost": "Kosten", "costs": "Kosten", "country": "Land",
    "crime": "Kriminalität", "criminal": "Krimin", "debt": "Schulden", "debts": "Schulden",
    "defence": "Verteidigung", "defense": "Verteidigung", "digital": "Digital",
    "double": "doppelt", "economic": "Wirtschaft", "economy": "Wirtschaft", "eight": "acht",
    "eighth": "achte", "electricity": "Strom", "emission": "Emission", "energy": "Energie",
    "euro": "Euro", "export": "Export", "families": "Familie", "family": "Famili", "farm": "Höfe",
    "farmer": "Landwirt", "father": "Vater", "fathers": "Väter", "federal": "Bund",
    "fifth": "fünfte", "five": "fünf", "flat": "Wohnung", "flood": "Hochwasser", "foreign": "Ausl",
    "foreigner": "Ausländer", "foreigners": "Ausländer", "four": "vier", "fourth": "vierte",
    "gas": "Gas", "german": "deutsch", "germany": "Deutschland", "grid": "Netz",
    "growth": "Wachstum", "half": "Hälfte", "health": "Gesundheit", "heat": "Hitze",
    "heating": "Heizung", "hospital": "Krankenh", "hour": "Stunde", "household": "Haushalt",
    "housing": "Wohn", "import": "Import", "income": "Einkommen", "industrial": "Industrie",
    "industry": "Industrie", "inflation": "Inflation", "insurance": "versicherung",
    "interest": "Zins", "job": "Arbeitsplätze", "jobs": "Arbeitsplätze", "medical": "Gesundheit",
    "men": "Männer", "migrant": "Migra", "migrants": "Migra", "migration": "Migration",
    "military": "Bundeswehr", "million": "Million", "millions": "Million", "minimum": "Mindest",
    "month": "Monat", "monthly": "Monat", "moor": "Moor", "mother": "Mutter", "mothers": "Mütter",
    "motorway": "Autobahn", "municipal": "Kommun", "municipality": "Kommune", "network": "Netz",
    "nine": "neun", "ninth": "neunte", "nuclear": "Kern", "nursing": "Pflege", "parent": "Elter",
    "parental": "Elterngeld", "pension": "Rente", "pensions": "Rente",
    "percent": "Prozent", "police": "Polizei", "poor": "Armut", "population": "Bevölkerung",
    "poverty": "Armut", "price": "Preis", "prices": "Preise", "quarter": "Viertel",
    "rail": "Schiene", "railway": "Schiene", "refugee": "Flüchtling", "refugees": "Flüchtling",
    "renewable": "erneuerbar", "rent": "Miete", "rents": "Miete", "research": "Forschung",
    "retirement": "Rente", "rich": "reich", "road": "Straße", "school": "Schule",
    "schools": "Schule", "second": "zweite", "seven": "sieben", "seventh": "siebte",
    "six": "sechs", "sixth": "sechste", "social": "Sozial", "solar": "Solar", "soldier": "Soldat",
    "soldiers": "Soldat", "steel": "Stahl", "student": "Studi", "students": "Studi",
    "tax": "Steuer", "taxes": "Steuer", "teacher": "Lehr", "ten": "zehn", "tenth": "zehnte",
    "third": "dritte", "thousand": "tausend", "three": "drei", "trade": "Handel", "train": "Zug",
    "trains": "Züge", "two": "zwei", "unemployed": "arbeitslos", "unemployment": "Arbeitslos",
    "vehicle": "Fahrzeug", "wage": "Lohn", "wages": "Löhne", "woman": "Frau", "women": "Frauen",
    "work": "Arbeit", "worker": "Beschäftigte", "workers": "Beschäftigte", "year": "Jahr",
    "yearly": "Jahr",
}  # fmt: skip
# "One in three" is "every third".
_ORDINALS = {
    "two": "second", "three": "third", "four": "fourth", "five": "fifth", "six": "sixth",
    "seven": "seventh", "eight": "eighth", "nine": "ninth", "ten": "tenth", "2": "second",
    "3": "third", "4": "fourth", "5": "fifth", "6": "sixth", "7": "seventh", "8": "eighth",
    "9": "ninth", "10": "tenth",
}  # fmt: skip
_ONE_IN = r"\b(?:one|1) (?:in|out of) (?:every )?(\w+)\b"
_NTH = r"\b(\d\d?)(?:nd|rd|th)\b"
_THOUSANDS = r"\d{1,3}(?:[.,\s'’]\d{3})+(?![\d])"  # noqa: RUF001 -- a Swiss thousand
_TOKEN = rf"(?<![\d.,]){_THOUSANDS}|\d+(?:[.,]\d+)*|[^\W\d_][\w-]*"
_VERDICTS = (
    ("irrefuehrend", r"misleading|irreführend"),
    ("unbelegbar", r"unverifiable|cannot be verified|unbelegbar|nicht belegbar"),
    ("falsch", r"false|wrong|falsche?"),
    ("teilweise", r"partly|partially|teilweise"),
    ("belegt", r"supported|confirmed|belegte?"),
)
_PLURAL = r"claims|statements|aussagen|behauptungen|fact.?checks|faktenchecks"
_DAYS = r"^(\d\d?|(19|20)\d\d|\d\d?[.,]\d\d?([.,](\d\d){1,2})?)$"  # 12.000 is none
_MONTHS = r"^(jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec)(\w{0,7})$"


def search_words(text: str, language: Language) -> list[str]:
    """Return the words of the matter, as German as we can make them, at most six.

    English words that we cannot translate are left out where others remain: the record is German.
    """
    found = [_number(word, language) for word in re.findall(_TOKEN, _ordinals(plain(text)))]
    kept = [
        word
        for word in found
        if (len(word) > 3 or word.isupper() or word[0].isdigit() or _german(word, language))
        and word.lower() not in STOP_WORDS | _ASKING
    ]
    if language == "en":
        kept = [word for word in kept if _german(word, language) or not word.islower()] or kept
    german = [_german(word, language) or word for word in kept]
    return list(dict.fromkeys(german))[:6]


def _ordinals(text: str) -> str:
    """Write English shares and ordinals as words: "1 in 3", "every 3rd" as "third"."""
    named = re.sub(_ONE_IN, lambda m: _ORDINALS.get(m[1].lower(), m[0]), text, flags=re.IGNORECASE)
    return re.sub(_NTH, lambda m: _ORDINALS.get(m[1], m[0]), named)


def _number(word: str, language: Language) -> str:
    """Return a number as German has it: 12.000 and 2,7; any other word as it is."""
    if re.fullmatch(_THOUSANDS, word):
        return re.sub(r"\D", ".", word)
    if language == "en" and re.fullmatch(r"[\d.,]+", word):
        return word.translate(str.maketrans(".,", ",."))
    return word


def _german(word: str, language: Language) -> str:
    """Return the German for an English word in any of its forms, or nothing."""
    lower = word.lower()
    forms = (lower, lower.removesuffix("s"), lower.removesuffix("es"))
    if language != "en":  # "Minister" is not the English "minister"
        forms = (lower,)
    elif lower.endswith("ies"):
        forms = (*forms, f"{lower.removesuffix('ies')}y")
    return next((_GERMAN_FOR[form] for form in forms if form in _GERMAN_FOR), "")


def without_dates(words: Sequence[str]) -> list[str]:
    """Return the words without months, years and short numbers, which may be days."""
    return [
        word for word in words if not re.match(_MONTHS, word.lower()) and not re.match(_DAYS, word)
    ]


def lists(text: str) -> bool:
    """Return whether a list of statements is wished for, and not the check of one."""
    return bool(re.search(_PLURAL, plain(text).lower()))


def verdict_in(text: str) -> str | None:
    """Return the verdict that a wish for a list names ("Which claims were false?")."""
    lower = plain(text).lower()
    if not lists(text):
        return None
    return next((code for code, pattern in _VERDICTS if re.search(rf"\b({pattern})", lower)), None)


def searches(question: str, words: Sequence[str]) -> list[dict[str, str]]:
    """Return the arguments of the searches to try in turn."""
    if verdict := verdict_in(question):
        return [{"bewertung": verdict}]
    return [{"query": query} if query else {} for query in queries(words)]


def queries(words: Sequence[str]) -> list[str]:
    """Return the searches to try in turn: all words, the longest three, the longest."""
    longest = sorted(words, key=len, reverse=True)
    tries = [words, longest[:3], longest[:1]]
    found = dict.fromkeys(" ".join(word for word in words if word in some) for some in tries)
    return list(found)[:SEARCHES]


def fitting(entries: Sequence[JsonObject], words: Sequence[str]) -> list[JsonObject]:
    """Return the sessions whose headlines have the most of the words, if any."""
    counts = [len(in_headlines(item, words)) for item in entries]
    best = max(counts, default=0)
    return [item for item, count in zip(entries, counts, strict=True) if best and count == best]


def in_headlines(item: JsonObject, words: Sequence[str]) -> list[str]:
    """Return the words that stand in a session's headlines."""
    text = plain(compact([item.get("kernthema"), item.get("schlagzeilen")])).lower()
    return [word for word in words if word.lower() in text]


def headlines_with(item: JsonObject, words: Sequence[str]) -> list[str]:
    """Return the headlines below the main topic that have a word which that has not."""
    topic = plain(as_text(item.get("kernthema"))).lower()
    missing = [word.lower() for word in words if word.lower() not in topic]
    lines = [plain(as_text(line)) for line in as_list(item.get("schlagzeilen"))]
    return [line for line in lines if any(word in line.lower() for word in missing)]


def of_the_matter(question: str, words: Sequence[str]) -> list[str]:
    """Return the words that name a matter: not the one that opens a sentence, no German verb."""
    first = plain(question).partition(" ")[0].strip(".,?!").lower()
    after = re.search(r"\b(?:about|regarding|concerning)\b(.*)", plain(question).lower())
    matter = after[1] if after else ""
    return [
        word for word in words if word in matter or (word.lower() != first and not word.islower())
    ]
