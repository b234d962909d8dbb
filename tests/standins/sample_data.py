"""Invented copies of Bundestakt's two documents: same shape and size, the same bytes every time.

Rule: all persons and facts are invented, and every text that a person reads says so.
"""

from collections.abc import Sequence

from tests.standins.sample_claims import SKALA, session_claims
from tests.standins.sample_words import DEMO_SLUG, MARK, Dice, Record, words

__all__ = ["BASE_URL", "DEMO_SLUG", "claims", "sitzungen"]

BASE_URL = "https://www.bundestakt.de"
CLAIMS = 197

# session numbers and days; the budget weeks are in September and November
DAYS = (
    (74, "2026-05-07"), (77, "2026-05-21"), (80, "2026-06-11"), (84, "2026-06-25"),
    (85, "2026-06-26"), (89, "2026-07-09"), (90, "2026-07-10"), (91, "2026-09-08"),
    (92, "2026-09-09"), (93, "2026-09-10"), (94, "2026-09-11"), (97, "2026-09-24"),
    (100, "2026-10-08"), (101, "2026-10-09"), (104, "2026-10-15"), (107, "2026-11-05"),
    (110, "2026-11-12"), (112, "2026-11-24"), (113, "2026-11-25"), (114, "2026-11-26"),
    (115, "2026-11-27"),
)  # fmt: skip  # a table
BUDGET_DAYS = (*range(91, 95), *range(112, 116))


def sitzungen(base_url: str = BASE_URL) -> Record:
    """Return the document of `/sitzungen`, newest session first; records link to `base_url`."""
    sessions = [_sitzung(place, base_url) for place in reversed(range(len(DAYS)))]
    return {**_head(base_url), "anzahl": len(sessions), "sitzungen": sessions}


def claims(base_url: str = BASE_URL) -> Record:
    """Return the document of `/claims`, newest session first; ids increase with time."""
    found: list[Record] = []
    first = 1
    for place, (number, datum) in enumerate(DAYS):
        count = CLAIMS // len(DAYS) + (place >= len(DAYS) - CLAIMS % len(DAYS))
        ids = range(first, first + count)
        found[:0] = session_claims(ids, _slug(number, datum), datum, base_url)
        first = ids.stop
    head = {**_head(base_url), "bewertungsskala": list(SKALA), "anzahl": len(found)}
    return {**head, "claims": found}


def _head(base_url: str) -> Record:
    return {
        "lizenz": f"{MARK}{words()['lizenz']}",
        "quelle": base_url,
        "methodik": f"{base_url}/methodik",
    }


def _slug(number: int, datum: str) -> str:
    return f"21-{number}-{datum}"


def _sitzung(place: int, base_url: str) -> Record:
    number, datum = DAYS[place]
    slug, all_themen = _slug(number, datum), words()["themen"]
    dice = Dice(f"sitzung {slug}")
    # neighbouring days have different main subjects; a subject repeats after months
    lead: Record = all_themen[place * 5 % len(all_themen)]
    themen = [lead, *dice.some([other for other in all_themen if other != lead], 4)]
    demo = slug == DEMO_SLUG
    kern: str = words()["haushalt"]["kern"] if demo else lead["kern"]
    punkte: list[list[str]] = words()["haushalt"]["punkte"] if demo else _punkte(dice, themen)
    if number in BUDGET_DAYS and not demo:
        kern = f"Haushalt 2027: {kern}"
    session: Record = {
        "slug": slug,
        "url": f"{base_url}/sitzung/{slug}",
        "wahlperiode": 21,
        "sitzungNr": number,
        "datum": datum,
        "dokumentnummer": f"21/{number}",
        "kernthema": f"{kern} (Beispiel)",
        "in30Sekunden": _marked(punkte),
        "zahlen": _zahlen(dice, [] if demo else themen),
        "protokollPdf": f"https://protokolle.example/btp/21/21{number:03}.pdf",
    }
    # fields that are sometimes missing in the real document
    if number == DAYS[-1][0]:
        del session["protokollPdf"], session["dokumentnummer"]
    if number in (90, 104):
        del session["zahlen"]["zwischenrufeJeFraktion"]
    if number == 90:
        session["zahlen"]["redezeitJeFraktion"] = []
    return session


def _marked(punkte: Sequence[Sequence[str]]) -> list[Record]:
    """Return the points as records. Each may be quoted alone, so each is marked as sample data."""
    marked = [{"text": f"{text} (Beispiel)", "titel": titel} for titel, text in punkte]
    marked[-1]["text"] += f" {words()['hinweis']}"
    return marked


def _punkte(dice: Dice, themen: Sequence[Record]) -> list[list[str]]:
    """Return 3 to 5 pairs of title and text with the same numbers in both."""
    punkte: list[list[str]] = []
    for thema in themen[: dice.number(3, 5)]:
        titel, text = dice.fill("\n".join(dice.one(thema["punkte"])), thema).split("\n")
        punkte.append([titel, f"{text} {dice.one(words()['ergaenzung'])}"])
    return punkte


def _zahlen(dice: Dice, themen: Sequence[Record]) -> Record:
    parties: list[str] = words()["fraktionen"]
    offices: list[str] = [office for office, _ in dice.some(words()["aemter"], 5)]
    minuten = {party: dice.number(60, 180) for party in parties}
    minuten |= {other: dice.number(4, 20) for other in [*offices, "fraktionslos"]}
    reden = {name: dice.number(10, 27) if name in parties else 1 for name in minuten}
    rufe = {party: dice.number(40, 330) for party in parties}
    rufe["fraktionslos"] = dice.number(1, 20)
    return {
        "anzahlReden": sum(reden.values()),
        "abstimmungen": [_abstimmung(dice, thema) for thema in themen[: dice.number(2, 4)]],
        "anzahlZwischenrufe": sum(rufe.values()),
        "redezeitJeFraktion": [
            {
                "minuten": minuten[name],
                "fraktion": name,
                "wortzahl": minuten[name] * dice.number(100, 118),
                "anzahlReden": reden[name],
            }
            for name in sorted(minuten, key=lambda name: -minuten[name])
        ],
        "sitzungsdauerMinuten": sum(minuten.values()),
        "zwischenrufeJeFraktion": [
            {"anzahl": rufe[name], "fraktion": name}
            for name in sorted(rufe, key=lambda name: -rufe[name])
        ],
    }


def _abstimmung(dice: Dice, thema: Record) -> Record:
    parties: list[str] = words()["fraktionen"]
    titel: str = dice.one(words()["abstimmungen"])
    sent_on = titel.startswith("Überweisung")
    named = not sent_on and dice.number(1, 3) == 1
    votes = [dice.one(("ja", "ja", "nein", "nein", "enthaltung")) for _ in parties]
    passed = votes.count("ja") >= votes.count("nein")
    counted = {"ja": dice.number(280, 360), "nein": dice.number(180, 270), "enthaltung": 9}
    cast = [{"votum": vote, "fraktion": name} for vote, name in zip(votes, parties, strict=True)]
    return {
        "titel": dice.fill(titel, thema, fraktion=dice.one(parties)),
        "zahlen": counted if named and passed else None,
        "ergebnis": "ueberwiesen" if sent_on else "angenommen" if passed else "abgelehnt",
        "drucksache": None if dice.number(1, 3) == 1 else f"21/{dice.number(5000, 8400)}",
        "abstimmungsart": "namentlich" if named else "handzeichen",
        "stimmverhalten": [] if sent_on else cast,
    }
