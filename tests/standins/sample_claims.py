"""Invented statements with invented checks. Rule: each check begins by saying it is sample data."""

import unicodedata
from collections.abc import Sequence

from tests.standins.sample_words import DEMO_SLUG, MARK, Dice, Record, words

__all__ = ["SKALA", "session_claims"]

SKALA = ("belegt", "teilweise", "irrefuehrend", "falsch", "unbelegbar")


def session_claims(ids: range, slug: str, datum: str, base_url: str) -> list[Record]:
    """Return one session's claims in random order, as in the real document."""
    written: list[Record] = words()["haushalt"]["claims"] if slug == DEMO_SLUG else []
    themen: list[Record] = words()["themen"]
    found: list[Record] = []
    for place, claim_id in enumerate(ids):
        dice = Dice(f"claim {claim_id}")
        thema = themen[claim_id * 7 % len(themen)]
        said = written[place] if place < len(written) else _said(dice, thema)
        thema = said.get("thema", thema)
        url = f"{base_url}/sitzung/{slug}#claim-{claim_id}"
        found.append(_claim(claim_id, said, url=url, datum=datum, thema=thema, dice=dice))
    return Dice(f"order {slug}").some(found, len(found))


def _said(dice: Dice, thema: Record) -> Record:
    """Return a statement, its speaker, and the first sentence of its check."""
    bewertung = dice.one((*SKALA, "belegt", "teilweise"))
    aussage = dice.one(thema["aussagen"]).removesuffix(".") + dice.one(words()["zusatz"]) + "."
    sprecher, fraktion = _speaker(dice)
    return {
        "sprecher": sprecher,
        "fraktion": fraktion,
        "aussage": dice.fill(aussage, thema),
        "bewertung": bewertung,
        "begruendung": words()["begruendung"]["auftakt"][bewertung],
    }


def _speaker(dice: Dice) -> tuple[str, str]:
    """Return name and `fraktion`: sometimes an office, else one of 60 members."""
    if dice.number(1, 6) == 1:
        office, name = dice.one(words()["aemter"])
        return name, office
    member = Dice(f"member {dice.number(1, 60)}")
    name = member.one(words()["namen_vorn"]) + member.one(words()["namen_hinten"])
    return f"{member.one(words()['vornamen'])} {name}", member.one(words()["fraktionen"])


def _claim(
    claim_id: int, said: Record, *, url: str, datum: str, thema: Record, dice: Dice
) -> Record:
    # some real texts are in decomposed form (NFD); here it is one in twenty
    form = "NFD" if claim_id % 20 == 0 else "NFC"
    claim: Record = {
        "id": claim_id,
        "url": url,
        "sitzungDatum": datum,
        "sprecher": said["sprecher"],
        "fraktion": said["fraktion"],
        "aussage": unicodedata.normalize(form, said["aussage"]),
        "bewertung": said["bewertung"],
        "begruendung": _begruendung(dice, thema, said["begruendung"]),
        "geprueftAm": f"{datum}T{dice.number(18, 23)}:{dice.number(10, 59)}:33.774Z",
        "quellen": _quellen(dice, thema, datum),
    }
    # fields that are sometimes missing in the real document
    if claim_id % 41 == 0:
        del claim["geprueftAm"]
    if claim_id % 50 == 0:
        claim["quellen"] = []
    return claim


def _begruendung(dice: Dice, thema: Record, auftakt: str) -> str:
    """Return about 2,100 characters of Markdown with CRLF line ends, as in the real document."""
    schluss: str = words()["begruendung"]["schluss"]
    institutes: Sequence[tuple[str, str, bool]] = words()["institute"]
    amt = dice.one(institutes[:4])[0]
    parts = [MARK + dice.fill(auftakt, thema, amt=amt)]
    for satz in dice.some(words()["begruendung"]["saetze"], 11):
        if sum(map(len, parts)) < 1900:
            parts.append(dice.fill(satz, thema, amt=amt))
    return "\r\n\r\n".join([*parts, schluss])


def _quellen(dice: Dice, thema: Record, datum: str) -> list[Record]:
    found: list[Record] = []
    for _ in range(dice.number(6, 9)):
        herausgeber, host, primary = dice.one(words()["institute"])
        path = f"{dice.number(2016, 2026)}/{dice.number(1, 12):02}/{dice.number(100000, 999999)}"
        found.append(
            {
                "url": f"https://{host}/veroeffentlichungen/{path}.html",
                "titel": dice.fill(dice.one(words()["quellentitel"]), thema),
                "herausgeber": herausgeber,
                "istPrimaerquelle": primary,
                "abgerufenAm": datum,
            }
        )
    return found
