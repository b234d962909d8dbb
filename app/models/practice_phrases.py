"""The practice model's sentences, English and German side by side.

Rule: they are a model's words, not the page's: the page's own strings stand in `locales`.
"""

__all__ = ["RESULTS", "SAYINGS", "VERDICTS"]

SAYINGS: dict[str, tuple[str, str]] = {
    "help": (
        "I am a scripted **practice model**, not a language model, and I did not understand that. "
        "I know a few kinds of question:\n\n"
        "- *What did the Bundestag debate on 9 September 2026?* (or “last Tuesday”)\n"
        "- *Is it true that Germany …?*\n"
        "- *Draw a picture of …* and *How many visitors did the page have?*, "
        "where those tools are on offer\n\n"
        "Connect a wallet or choose a model endpoint to talk to a real model.",
        "Ich bin ein **Übungsmodell** mit festem Skript, kein Sprachmodell, und habe das nicht "
        "verstanden. Ein paar Arten von Fragen kenne ich:\n\n"
        "- *Worüber hat der Bundestag am 9. September 2026 debattiert?* (oder „letzten Dienstag“)\n"
        "- *Stimmt es, dass …?*\n"
        "- *Zeichne ein Bild von …* und *Wie viele Besucher hatte die Seite?*, "
        "wo diese Werkzeuge angeboten werden\n\n"
        "Für ein echtes Modell: eine Wallet verbinden oder einen Endpunkt wählen.",
    ),
    "not_offered": (
        "I cannot do that here: the tool for it is not on offer in this conversation.",
        "Das kann ich hier nicht: Das Werkzeug dafür wird in diesem Gespräch nicht angeboten.",
    ),
    "failed": (
        "I could not look that up, so I have no answer. The tool reported `{status}`: {reason}",
        "Das konnte ich nicht nachsehen, deshalb habe ich keine Antwort. "
        "Das Werkzeug meldet `{status}`: {reason}",
    ),
    "picture_failed": (
        "There is no picture. The tool reported `{status}`: {reason}",
        "Es gibt kein Bild. Das Werkzeug meldet `{status}`: {reason}",
    ),
    "declined": (
        "You declined, so nothing was generated.",
        "Sie haben abgelehnt, es wurde also nichts erzeugt.",
    ),
    "interrupted": (
        "The lookup was interrupted before it gave a result. Ask again and I start anew.",
        "Die Abfrage wurde unterbrochen, bevor sie etwas ergab. Auf neue Frage fange ich neu an.",
    ),
    "source": (
        "Source: [{title}]({url}), an AI-assisted analysis of the official transcripts, "
        "not an official record.",
        "Quelle: [{title}]({url}), eine KI-gestützte Analyse der amtlichen Protokolle, "
        "kein amtliches Dokument.",
    ),
    "session": (
        "On **{datum}** the main topic of the Bundestag was **{kernthema}**.",
        "Am **{datum}** war das Hauptthema im Bundestag: **{kernthema}**.",
    ),
    "numbers": (
        "{reden} speeches and {zwischenrufe} interjections in {dauer}.",
        "{reden} Reden und {zwischenrufe} Zwischenrufe in {dauer}.",
    ),
    "votes": ("Votes:", "Abstimmungen:"),
    "overview": (
        "The record has {count} sessions there, by their headlines:",
        "Dazu stehen {count} Sitzungen im Archiv, mit ihren Schlagzeilen:",
    ),
    "none_on": (
        "The record has no session of the Bundestag for {days}.",
        "Im Archiv steht keine Sitzung des Bundestages für diese Zeit: {days}.",
    ),
    "nearest": ("The nearest ones are:", "Die nächstgelegenen sind:"),
    "empty": ("The record holds no session at all.", "Im Archiv steht gar keine Sitzung."),
    "span": ("{von} to {bis}", "{von} bis {bis}"),
    "no_claims": (
        "The fact-checks have nothing on that. I searched for: {words}. "
        "That says nothing about whether it is true.",
        "In den Faktenchecks steht dazu nichts. Gesucht habe ich: {words}. "
        "Ob es stimmt, ist damit nicht gesagt.",
    ),
    "fewer_words": (
        "No fact-check has all of these words; the following have *{words}*.",
        "Kein Faktencheck enthält alle diese Wörter; die folgenden enthalten *{words}*.",
    ),
    "claim": (
        "**Verdict: {bewertung}.** {sprecher} said in the Bundestag on {datum}:",
        "**Bewertung: {bewertung}.** {sprecher} sagte im Bundestag am {datum}:",
    ),
    "check": ("Fact-check at Bundestakt", "Faktencheck bei Bundestakt"),
    "others": ("{count} more statements match.", "{count} weitere Aussagen passen."),
    "picture": ("Here is your picture: *{prompt}*", "Hier ist das Bild: *{prompt}*"),
    "mint_failed": (
        "The picture exists, but minting its NFT failed.",
        "Das Bild gibt es, aber das Prägen des NFT ist misslungen.",
    ),
    "visitors": (
        "From {von} to {bis} the page had **{hits}** visits. Most read:",
        "Vom {von} bis {bis} hatte die Seite **{hits}** Besuche. Am meisten gelesen:",
    ),
    "historic": (
        "Part of that time was counted with another tool; the two eras are not comparable.",
        "Ein Teil der Zeit wurde mit einem anderen Werkzeug gezählt; vergleichbar ist das nicht.",
    ),
}  # fmt: skip
VERDICTS: dict[str, tuple[str, str]] = {
    "belegt": ("supported", "belegt"),
    "teilweise": ("partly supported", "teilweise belegt"),
    "irrefuehrend": ("misleading", "irreführend"),
    "falsch": ("false", "falsch"),
    "unbelegbar": ("cannot be verified", "nicht belegbar"),
}
RESULTS: dict[str, tuple[str, str]] = {
    "angenommen": ("adopted", "angenommen"),
    "abgelehnt": ("rejected", "abgelehnt"),
    "ueberwiesen": ("referred to committee", "überwiesen"),
}
