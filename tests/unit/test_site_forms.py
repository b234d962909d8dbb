"""Which words of a text count as a word of the query, and which only begin alike."""

import pytest
from tabloop.core.german_text import fold
from tabloop.tools.site.ranking import terms

SAME = (
    *("offen offene", "offen offenes", "offen geöffnet", "offen Öffnungszeiten", "öffnen öffnet"),
    *("Karten Karte", "Karten Kartenspiel", "Karte Landkarten", "Hunde Hund", "Hunde Hundeleine"),
    *("Rad Räder", "Rad Radweg", "Bus Busse", "Tag Tage", "Tage Tages", "See Seen", "Zug Züge"),
    *("Kran Kräne", "Kran Kranvorführung", "Kran Dampfkran", "Bahn Bahnhof", "Stadt Stadtrat"),
    *("Schule Schulklasse", "Kosten kostenlos", "Kosten kostet", "Lesung lesen", "Leser Leserin"),
    *("parken Parkplätze", "fahren Fahrkarte", "Betten Bettwäsche"),
    *("Bücher Buch", "Kinder Kind", "klein kleinste", "montags Montag", "wohnen Wohnung"),
    *("fee fees", "box boxes", "bus buses", "city cities", "cities city", "study studying"),
    *("use used", "use users", "times time", "rates rate", "time timed", "opening opened"),
    *("ship shipping", "ship membership", "parking park", "libraries library", "page pages"),
)
UNRELATED = (
    *("offen office", "offen offer", "offen öffentlich", "Karten Kartoffeln", "Hund hundert"),
    *("Rad Radio", "Rad radikal", "Bus business", "Messe message", "Rosen Rost", "Tee Teenager"),
    *("Tore Tornado", "Tor Torte", "Ei eine", "Ei Eisenbahn", "Uhr Urheber", "Hof Hoffnung"),
    *("Schule Schulter", "Stand Standard", "Bilder Bildung", "Kosten Kostüm", "Wagen Wagnis"),
    *("art article", "car carpet", "car carry", "times timber", "rates rather", "rates ratio"),
    *("fees feel", "fees feed", "city cite", "party parts", "party particular", "finance fine"),
    *("comment come", "spring sprint", "time sentiment", "use usual", "ham hammer"),
    *("evening event", "opened opera", "tickets tick", "pages pageant"),
)


def often(pair: str) -> float:
    word, text = pair.split()
    [term] = terms(word)
    return term.count(f"a {fold(text)}.")


@pytest.mark.parametrize("pair", SAME)
def test_a_form_of_a_word_is_found(pair: str) -> None:
    assert often(pair)


@pytest.mark.parametrize("pair", UNRELATED)
def test_a_word_that_only_begins_alike_is_not_found(pair: str) -> None:
    assert not often(pair)
