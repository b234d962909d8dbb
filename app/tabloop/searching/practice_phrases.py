"""The practice model's sentences, English and German side by side.

Rule: they are a model's words, not the page's: the page's own strings stand in `locales`.
"""

from tabloop.searching.practice_problems import PROBLEMS

__all__ = ["KINDS", "RESULTS", "SAYINGS", "VERDICTS", "VOTES"]

SAYINGS: dict[str, tuple[str, str]] = {
    **PROBLEMS,
    "help": (
        "I am a scripted **practice model**, not a language model, and I did not understand that.",
        "Ich bin ein **Übungsmodell** mit festem Skript, kein Sprachmodell, und habe das nicht "
        "verstanden.",
    ),
    "not_followed": (
        "I am a scripted **practice model**, not a language model, and cannot follow what that "
        "refers to. Name the day, the subject or the statement that you mean.",
        "Ich bin ein **Übungsmodell** mit festem Skript, kein Sprachmodell, und kann nicht folgen, "
        "worauf sich das bezieht. Nennen Sie den Tag, das Thema oder die Aussage, um die es geht.",
    ),
    "kinds": (
        "I know a few kinds of question:",
        "Ein paar Arten von Fragen kenne ich:",
    ),
    "no_kinds": (
        "No tool that I know is on offer in this conversation, so I can look nothing up.",
        "In diesem Gespräch wird kein Werkzeug angeboten, das ich kenne; "
        "nachsehen kann ich also nichts.",
    ),
    "real": (
        "Choose a model endpoint to talk to a real model.",
        "Für ein echtes Modell: einen Endpunkt wählen.",
    ),
    "real_or_wallet": (
        "Connect a wallet or choose a model endpoint to talk to a real model.",
        "Für ein echtes Modell: eine Wallet verbinden oder einen Endpunkt wählen.",
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
        "The record has {count} sessions there, with their main topics:",
        "Dazu stehen {count} Sitzungen im Archiv, mit ihren Hauptthemen:",
    ),
    "found_by": (
        "I only compare words with headlines; what I found has *{words}* in one:",
        "Ich vergleiche nur Wörter mit Schlagzeilen; was ich gefunden habe, enthält dort "
        "*{words}*:",
    ),
    "not_found_by": (
        "No headline has *{words}*. What follows I chose by its time alone:",
        "Keine Schlagzeile enthält *{words}*. Was folgt, habe ich nur nach der Zeit ausgewählt:",
    ),
    "none_on": (
        "The record has no session of the Bundestag for {days}.",
        "Im Archiv steht keine Sitzung des Bundestages für diese Zeit: {days}.",
    ),
    "nearest": ("The nearest ones are:", "Die nächstgelegenen sind:"),
    "nearest_one": ("The nearest one is:", "Die nächstgelegene ist:"),
    "one_of_them": (
        "Numbers are kept for each session: ask about one of these days.",
        "Zahlen gibt es je Sitzung: Fragen Sie nach einem dieser Tage.",
    ),
    "interjections_most": (
        "Most interjections in the session of **{datum}**: **{first}**, with {count}{whole}.",
        "Die meisten Zwischenrufe in der Sitzung vom **{datum}**: **{first}** mit {count}{whole}.",
    ),
    "interjections_least": (
        "Fewest interjections in the session of **{datum}**: **{first}**, with {count}{whole}.",
        "Die wenigsten Zwischenrufe in der Sitzung vom **{datum}**: "
        "**{first}** mit {count}{whole}.",
    ),
    "speaking_most": (
        "Longest speaking time in the session of **{datum}**: **{first}**, with {count} min.",
        "Die längste Redezeit in der Sitzung vom **{datum}**: **{first}** mit {count} min.",
    ),
    "speaking_least": (
        "Shortest speaking time in the session of **{datum}**: **{first}**, with {count} min.",
        "Die kürzeste Redezeit in der Sitzung vom **{datum}**: **{first}** mit {count} min.",
    ),
    "speeches_most": (
        "Most speeches in the session of **{datum}**: **{first}**, with {count}{whole}.",
        "Die meisten Reden in der Sitzung vom **{datum}**: **{first}** mit {count}{whole}.",
    ),
    "speeches_least": (
        "Fewest speeches in the session of **{datum}**: **{first}**, with {count}{whole}.",
        "Die wenigsten Reden in der Sitzung vom **{datum}**: **{first}** mit {count}{whole}.",
    ),
    "whole": (" of {total}", " von {total}"),
    "ranking": ("By group or office:", "Nach Fraktion oder Amt:"),
    "no_ranking": (
        "For the session of **{datum}** the record does not say that by group.",
        "Für die Sitzung vom **{datum}** ist das nicht nach Fraktionen verzeichnet.",
    ),
    "in_all": ("In all: {total}.", "Insgesamt: {total}."),
    "votes_of": (
        "Votes in the session of **{datum}**:",
        "Abstimmungen in der Sitzung vom **{datum}**:",
    ),
    "no_votes": (
        "The record has no vote in the session of **{datum}**.",
        "In der Sitzung vom **{datum}** ist keine Abstimmung verzeichnet.",
    ),
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
        "From {von} to {bis} the site had **{hits}** visits.",
        "Vom {von} bis {bis} hatte die Seite **{hits}** Besuche.",
    ),
    "best_day": (
        "The busiest day was {label}, with {hits}.",
        "Am meisten los war am {label}: {hits}.",
    ),
    "best_week": (
        "The busiest week was the one that began on {label}, with {hits}.",
        "Am meisten los war in der Woche ab dem {label}: {hits}.",
    ),
    "best_month": (
        "The busiest month was {label}, with {hits}.",
        "Am meisten los war im {label}: {hits}.",
    ),
    "most_read": ("Most visited:", "Am meisten besucht:"),
    "not_signed": (
        "You declined the signature in your wallet, so I have no numbers: the service wants it, to "
        "know that an owner asks.",
        "Sie haben die Unterschrift in der Wallet abgelehnt, deshalb habe ich keine Zahlen: Der "
        "Dienst will sie, damit er weiß, dass der Betreiber fragt.",
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
VOTES: dict[str, tuple[str, str]] = {
    "ja": ("yes", "ja"),
    "nein": ("no", "nein"),
    "enthaltung": ("abstained", "enthalten"),
}
# Questions that are understood, each with the tool that it takes.
KINDS: tuple[tuple[str, tuple[str, str]], ...] = (
    (
        "get_sitzungen",
        (
            "*What did the Bundestag debate on 9 September 2026?* (or “last Tuesday”)",
            "*Worüber hat der Bundestag am 9. September 2026 debattiert?* "
            "(oder „letzten Dienstag“)",
        ),
    ),
    (
        "get_sitzungen",
        (
            "*Which groups interrupted most in the latest session?* "
            "(or spoke longest; or how they voted)",
            "*Wer hat in der letzten Sitzung am häufigsten dazwischengerufen?* "
            "(oder am längsten geredet; oder wie abgestimmt wurde)",
        ),
    ),
    ("search_claims", ("*Is it true that Germany …?*", "*Stimmt es, dass …?*")),
    ("generate_image", ("*Draw a picture of …*", "*Zeichne ein Bild von …*")),
    (
        "get_analytics",
        (
            "*How many visitors did the site have in the last 90 days?* (or this year)",
            "*Wie viele Besucher hatte die Seite in den letzten 90 Tagen?* (oder in diesem Jahr)",
        ),
    ),
)
